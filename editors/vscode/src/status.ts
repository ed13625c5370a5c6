/** The item in the status bar: whether the server runs, which torch it found, and how its worker is. */
import { commands, Disposable, MarkdownString, QuickPickItem, StatusBarAlignment, TabInputNotebook, ThemeColor, window } from 'vscode';
import { VIEWS } from './view';

/** What the server answers to `torch-handbook.status`, and tells when it changes. */
export interface Status {
    version: string;
    python: string | null;
    how: string | null;
    torch: string | null;
    device: string | null;
    worker: 'off' | 'waiting' | 'starting' | 'ready' | 'failed' | 'stopped';
    trusted: boolean;
    problems: string[];
}

const WORKERS = {
    off: 'off',
    waiting: 'waits for a file that uses torch',
    starting: 'starting',
    ready: 'ready',
    failed: 'torch cannot be imported',
    stopped: 'stopped; it starts again at the next edit',
};

interface Choice extends QuickPickItem {
    command: string;
    arguments?: unknown[];
}

const CHOICES: Choice[] = [
    { label: '$(search) Search the Handbook', command: 'torchHandbook.search' },
    { label: '$(question) Explain an Error', command: 'torchHandbook.explain' },
    { label: '$(dashboard) Benchmark Selection', command: 'torchHandbook.benchmark' },
    { label: '$(settings-gear) Choose the Python With Your torch', command: 'torchHandbook.choosePython' },
    { label: '$(debug-restart) Restart Server', command: 'torchHandbook.restart' },
    { label: '$(output) Show Output', command: 'torchHandbook.output' },
];

/** What is written in the bar. */
function textOf(status: Status): string {
    if (!status.trusted) {
        return '$(shield) torch';
    }
    if (status.torch === null) {
        return '$(warning) no torch';
    }
    const icons = { failed: '$(warning) ', stopped: '$(warning) ', starting: '$(sync~spin) ', off: '', waiting: '', ready: '' };
    const device = status.device ? ` · ${status.device.replace('cpu', 'CPU').replace('cuda', 'CUDA').replace('mps', 'MPS')}` : '';
    return `${icons[status.worker]}torch ${status.torch.replace(/\+.*/, '')}${device}`;
}

function row(name: string, value: string): string {
    return `| ${name} | ${value.replaceAll('|', '\\|')} |`;
}

function tooltipOf(status: Status, server: string): MarkdownString {
    const rows = [
        row('torch', status.torch ? `${status.torch}${status.device ? ` on ${status.device}` : ''}` : 'not found'),
        row('Python', status.python ? `\`${status.python}\`` : 'not found'),
        ...(status.how ? [row('', status.how)] : []),
        row('shapes', status.trusted ? WORKERS[status.worker] : 'off: the workspace is not trusted'),
        row('server', `${status.version}, \`${server}\``),
    ];
    const problems = status.problems.map((problem) => `\n\n$(warning) ${problem}`).join('');
    const actions = '[Choose Python](command:torchHandbook.choosePython) · [Restart](command:torchHandbook.restart) · [Output](command:torchHandbook.output)';
    const text = new MarkdownString(`**Torch Handbook**\n\n| | |\n|:--|:--|\n${rows.join('\n')}${problems}\n\n${actions}`, true);
    text.isTrusted = { enabledCommands: ['torchHandbook.choosePython', 'torchHandbook.restart', 'torchHandbook.output'] };
    return text;
}

/** Whether Python, a notebook or one of our pages is in front. */
function concerns(): boolean {
    const input = window.tabGroups.activeTabGroup.activeTab?.input;
    const ours = input !== undefined && VIEWS.some((view) => String((input as { viewType?: string }).viewType).endsWith(view));
    return window.activeTextEditor?.document.languageId === 'python' || input instanceof TabInputNotebook || ours;
}

export class StatusItem implements Disposable {
    private readonly item = window.createStatusBarItem('torchHandbook.status', StatusBarAlignment.Right, 90);
    private readonly listeners = [
        window.onDidChangeActiveTextEditor(() => this.appear()),
        window.tabGroups.onDidChangeTabs(() => this.appear()),
    ];

    constructor() {
        this.item.name = 'Torch Handbook';
        this.appear();
    }

    private appear(): void {
        if (concerns()) {
            this.item.show();
        } else {
            this.item.hide();
        }
    }

    private set(text: string, tooltip: MarkdownString | string, command: string, broken = false): void {
        Object.assign(this.item, { text, tooltip, command });
        this.item.backgroundColor = broken ? new ThemeColor('statusBarItem.warningBackground') : undefined;
        this.item.accessibilityInformation = { label: `Torch Handbook: ${text.replaceAll(/\$\([^)]*\)/g, '').trim()}`, role: 'button' };
    }

    starting(): void {
        this.set('$(sync~spin) torch', 'Torch Handbook: the server is starting', 'torchHandbook.menu');
    }

    missing(): void {
        this.set('$(warning) Torch Handbook', 'Torch Handbook: there is no server. Click to see how to get it.', 'torchHandbook.missing', true);
    }

    stopped(why: string): void {
        this.set('$(warning) Torch Handbook', `Torch Handbook: ${why}`, 'torchHandbook.menu', true);
    }

    show(status: Status, server: string): void {
        const broken = status.trusted && (status.torch === null || status.worker === 'failed');
        this.set(textOf(status), tooltipOf(status, server), 'torchHandbook.menu', broken);
    }

    dispose(): void {
        Disposable.from(this.item, ...this.listeners).dispose();
    }
}

/** Everything that one may want, from a click on the item. */
export async function menu(): Promise<void> {
    const chosen = await window.showQuickPick(CHOICES, { placeHolder: 'Torch Handbook' });
    if (chosen) {
        await commands.executeCommand(chosen.command);
    }
}
