/** Pages and reports beside the code: Markdown of the server, with links, a way back, and code that can be inserted. */
import { randomBytes } from 'node:crypto';
import { commands, Disposable, env, SnippetString, TextEditor, Uri, ViewColumn, WebviewPanel, window } from 'vscode';

const PAGE = 'torchHandbook.page';
const REPORT = 'torchHandbook.report';
export const VIEWS = [PAGE, REPORT];

/** A page that can be come back to. */
interface Page {
    title: string;
    markdown: string;
}

type Wish = { kind: 'page'; name: string } | { kind: 'insert' | 'copy'; code: string } | { kind: 'back' | 'forward' | 'search' };

/** The editor that code is inserted into: the last one with Python that had the keyboard. */
let code: TextEditor | undefined;

function remember(editor: TextEditor | undefined): void {
    if (editor?.document.languageId === 'python') {
        code = editor;
    }
}

/** Puts code below the cursor's line, or into it where it is empty, as far in as that line. */
async function insert(text: string): Promise<void> {
    const editor = code && window.visibleTextEditors.includes(code) ? code : window.visibleTextEditors.find((each) => each.document.languageId === 'python');
    if (!editor) {
        void window.showInformationMessage('Torch Handbook: open a Python file to insert code into it.');
        return;
    }
    const line = editor.document.lineAt(editor.selection.active);
    const snippet = new SnippetString().appendText(`${line.isEmptyOrWhitespace ? '' : '\n'}${text.trimEnd()}`);
    await editor.insertSnippet(snippet, line.range.end);
    if (editor.viewColumn !== undefined) {
        await window.showTextDocument(editor.document, editor.viewColumn);
    }
}

/** Markdown as HTML, by VS Code's own extension; as it is where that is switched off. */
async function html(markdown: string): Promise<string> {
    try {
        return await commands.executeCommand<string>('markdown.api.render', markdown);
    } catch {
        return `<pre>${markdown.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;
    }
}

/** One panel, which shows one page after another. */
class View {
    private panel: WebviewPanel | undefined;
    private history: Page[] = [];
    private at = -1;

    constructor(
        private readonly type: string,
        private readonly media: Uri,
        private readonly open: (name: string) => void,
        private readonly names: () => Promise<string[]>,
    ) {}

    async show(title: string, markdown: string): Promise<void> {
        if (this.history[this.at]?.markdown !== markdown) {
            this.history = [...this.history.slice(0, this.at + 1), { title, markdown }];
            this.at = this.history.length - 1;
        }
        await this.draw();
    }

    private async draw(): Promise<void> {
        const page = this.history[this.at];
        if (page) {
            const [body, names] = await Promise.all([html(page.markdown), this.names()]);
            const panel = this.panel ?? this.made();
            panel.title = page.title;
            panel.webview.html = this.document(panel, body, names);
            panel.reveal(undefined, true);
        }
    }

    private made(): WebviewPanel {
        const where = { viewColumn: ViewColumn.Beside, preserveFocus: true };
        const panel = window.createWebviewPanel(this.type, '', where, { enableScripts: true, enableFindWidget: true, localResourceRoots: [this.media] });
        panel.iconPath = Uri.joinPath(this.media, 'page.svg');
        panel.webview.onDidReceiveMessage((wish: Wish) => this.grant(wish));
        panel.onDidDispose(() => {
            this.panel = undefined;
            this.history = [];
            this.at = -1;
        });
        this.panel = panel;
        return panel;
    }

    private async grant(wish: Wish): Promise<void> {
        if (wish.kind === 'page') {
            this.open(wish.name);
        } else if (wish.kind === 'insert') {
            await insert(wish.code);
        } else if (wish.kind === 'copy') {
            await env.clipboard.writeText(wish.code);
        } else if (wish.kind === 'search') {
            await commands.executeCommand('torchHandbook.search');
        } else {
            const next = this.at + (wish.kind === 'back' ? -1 : 1);
            this.at = Math.max(0, Math.min(this.history.length - 1, next));
            await this.draw();
        }
    }

    /** The whole document. Nothing is loaded but our own style and script. */
    private document(panel: WebviewPanel, body: string, names: string[]): string {
        const nonce = randomBytes(16).toString('hex');
        const at = (file: string) => panel.webview.asWebviewUri(Uri.joinPath(this.media, file)).toString();
        const policy = `default-src 'none'; style-src ${panel.webview.cspSource}; script-src 'nonce-${nonce}'`;
        const state = { insert: this.type === PAGE, back: this.at > 0, forward: this.at < this.history.length - 1, names };
        return `<!DOCTYPE html>
<html><head>
<meta charset="UTF-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${at('view.css')}">
</head><body class="vscode-body ${this.type === PAGE ? 'page' : 'report'}">
<main>${body}</main>
<script type="application/json" id="state" nonce="${nonce}">${JSON.stringify(state).replaceAll('<', '\\u003c')}</script>
<script nonce="${nonce}" src="${at('view.js')}"></script>
</body></html>`;
    }
}

/** The panels: one for pages of the handbook, one for reports, so that neither pushes the other away. */
export class Views {
    readonly page: View;
    readonly report: View;

    /** `open` shows a page by its name, `names` are those that words in a page may lead to. */
    constructor(media: Uri, open: (name: string) => void, names: () => Promise<string[]>) {
        this.page = new View(PAGE, media, open, names);
        this.report = new View(REPORT, media, open, async () => []);
    }

    follow(): Disposable {
        remember(window.activeTextEditor);
        return window.onDidChangeActiveTextEditor(remember);
    }
}
