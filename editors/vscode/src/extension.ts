/** Starts the Torch Handbook server and adds the few things that a client does: commands, progress, pages, a status. */
import { homedir } from 'node:os';
import { commands, Disposable, ExtensionContext, extensions, LogOutputChannel, TextEditor, Uri, window, workspace } from 'vscode';
import { DidChangeConfigurationNotification } from 'vscode-languageclient';
import { LanguageClient, LanguageClientOptions } from 'vscode-languageclient/node';
import { ask } from './ask';
import { benchmark, COMMAND, selectedLines } from './benchmark';
import { findServer, sayMissing } from './find';
import { follow } from './links';
import { ActivePython, choosePython } from './python';
import { explain, openPage, search, show } from './search';
import { serverSettings } from './settings';
import { menu, Status, StatusItem } from './status';
import { placeAtCursor, SUMMARY, summary } from './summary';
import { Views } from './view';

const OPEN = 'torch-handbook.open';
const STATUS = 'torch-handbook/status';

/** Everything that lives as long as the extension is active. */
class Handbook implements Disposable {
    readonly python = new ActivePython();
    private readonly status = new StatusItem();
    private readonly output: LogOutputChannel = window.createOutputChannel('Torch Handbook', { log: true });
    private readonly views: Views;
    private client: LanguageClient | undefined;
    private command: string | undefined;
    private names: Promise<string[]> | undefined;
    private turn: Promise<void> = Promise.resolve();

    constructor(private readonly context: ExtensionContext) {
        const media = Uri.joinPath(context.extensionUri, 'media');
        this.views = new Views(media, (name) => this.show(name), () => this.pageNames());
        context.subscriptions.push(this.views.follow());
    }

    private options(): LanguageClientOptions {
        return {
            documentSelector: [
                { scheme: 'file', language: 'python' },
                { scheme: 'untitled', language: 'python' },
                { scheme: 'vscode-notebook-cell', language: 'python' },
            ],
            outputChannel: this.output,
            initializationOptions: serverSettings(this.python.path),
            middleware: {
                executeCommand: (command, given, next) => this.run(command, given) ?? next(command, given),
                workspace: { configuration: (params) => params.items.map(() => serverSettings(this.python.path)) },
            },
        };
    }

    /** What a lens or an action does where this editor has a way of its own. */
    private run(command: string, given: unknown[]): Promise<void> | undefined {
        const client = this.client;
        if (client && command === COMMAND) {
            return benchmark(this.context, client, this.views, given);
        }
        if (client && command === SUMMARY) {
            return summary(client, this.views, given);
        }
        return client && command === OPEN ? show(client, this.views, 'page', String(given[0])) : undefined;
    }

    /** Starts the server, again if it runs; one start after the other. */
    restart(): Promise<void> {
        this.turn = this.turn.then(() => this.stop()).then(() => this.start());
        return this.turn;
    }

    private async start(): Promise<void> {
        this.status.starting();
        await this.python.look(this.context.subscriptions);
        this.command = findServer(this.python.path);
        if (this.command === undefined) {
            this.status.missing();
            void sayMissing();
            return;
        }
        // Not in the workspace: whatever Python the server is, it must not find its modules there.
        const server = { command: this.command, args: ['serve'], options: { cwd: homedir() } };
        const client = new LanguageClient('torchHandbook', 'Torch Handbook', server, this.options());
        this.client = client;
        client.registerFeature({
            fillClientCapabilities: (capabilities) => {
                capabilities.experimental = { ...capabilities.experimental, torchHandbookStatus: true, torchHandbookPages: true };
            },
            initialize: () => undefined,
            getState: () => ({ kind: 'static' }),
            clear: () => undefined,
        });
        client.onNotification(STATUS, (status: Status) => this.tell(status));
        await this.begin(client);
    }

    private async begin(client: LanguageClient): Promise<void> {
        try {
            await client.start();
            this.tell(await ask<Status>(client, 'status'));
        } catch (error) {
            // The client has shown it; what the server wrote is in the output.
            this.status.stopped(`the server ${this.command} did not start: ${error instanceof Error ? error.message : String(error)}`);
        }
    }

    /** Shows how the server is, and lets the walkthrough know. */
    private tell(status: Status): void {
        this.status.show(status, this.command ?? '');
        void commands.executeCommand('setContext', 'torchHandbook.running', true);
        void commands.executeCommand('setContext', 'torchHandbook.torch', status.torch !== null);
    }

    async stop(): Promise<void> {
        void commands.executeCommand('setContext', 'torchHandbook.running', false);
        const stopped = this.client;
        this.client = undefined;
        this.names = undefined;
        await stopped?.dispose().catch((error: unknown) => this.output.warn(String(error)));
    }

    /** Lets the server ask for its settings again. */
    settingsChanged(): void {
        if (this.client?.isRunning()) {
            void this.client.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
        }
    }

    /** A server for Python, or Python's own extension, came or went. */
    extensionsChanged(): void {
        this.settingsChanged();
        void this.python.look(this.context.subscriptions);
    }

    /** Another Python is active in the editor: it may have a server of its own. */
    async pythonChanged(): Promise<void> {
        if (this.client !== undefined && findServer(this.python.path) === this.command) {
            this.settingsChanged();
        } else if (this.command !== undefined || findServer(this.python.path) !== undefined) {
            await this.restart();
        }
    }

    /** Runs a command for which the server is needed. */
    async withClient(run: (client: LanguageClient, views: Views) => Promise<void> | void): Promise<void> {
        if (this.client?.isRunning()) {
            await run(this.client, this.views);
        } else {
            await sayMissing();
        }
    }

    show(name: string): void {
        void this.withClient((client, views) => show(client, views, 'page', name));
    }

    /** A page as Markdown. */
    async text(name: string): Promise<string> {
        return (this.client && (await ask(this.client, 'page', name)).markdown) ?? '';
    }

    showOutput(): void {
        this.output.show();
    }

    /** What words in a page may lead to: pages, and rules. */
    private pageNames(): Promise<string[]> {
        const { client } = this;
        const asked = async () => {
            const { names, rules } = client ? await ask<{ names?: string[]; rules?: string[] }>(client, 'pages') : {};
            return [...(names ?? []), ...(rules ?? [])];
        };
        return (this.names ??= asked().catch(() => []));
    }

    async benchmarkSelection(): Promise<void> {
        await this.withEditor((editor, client, views) => benchmark(this.context, client, views, selectedLines(editor)));
    }

    async summarizeNetwork(): Promise<void> {
        await this.withEditor((editor, client, views) => summary(client, views, placeAtCursor(editor)));
    }

    /** Runs a command that is about code. */
    private async withEditor(run: (editor: TextEditor, client: LanguageClient, views: Views) => Promise<void>): Promise<void> {
        const editor = window.activeTextEditor;
        if (editor?.document.languageId === 'python') {
            await this.withClient((client, views) => run(editor, client, views));
        } else {
            void window.showInformationMessage('Torch Handbook: put the cursor into Python code first.');
        }
    }

    dispose(): void {
        Disposable.from(this.status, this.output).dispose();
    }
}

let handbook: Handbook | undefined;

function registered(book: Handbook): Disposable[] {
    const command = (name: string, run: () => unknown) => commands.registerCommand(`torchHandbook.${name}`, run);
    return [
        command('benchmark', () => book.benchmarkSelection()),
        command('summary', () => book.summarizeNetwork()),
        command('page', () => book.withClient(openPage)),
        command('search', () => book.withClient(search)),
        command('explain', () => book.withClient(explain)),
        command('restart', () => book.restart()),
        command('output', () => book.showOutput()),
        command('choosePython', choosePython),
        command('missing', sayMissing),
        command('menu', menu),
        follow((name) => book.show(name), (name) => book.text(name)),
    ];
}

export async function activate(context: ExtensionContext): Promise<void> {
    const book = new Handbook(context);
    handbook = book;
    context.subscriptions.push(
        book,
        ...registered(book),
        book.python.onDidChange(() => void book.pythonChanged()),
        extensions.onDidChange(() => book.extensionsChanged()),
        workspace.onDidGrantWorkspaceTrust(() => void book.restart()),
        workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration('torchHandbook.server')) {
                void book.restart();
            } else if (event.affectsConfiguration('python.languageServer')) {
                book.settingsChanged();
            }
        }),
    );
    await book.restart();
}

export async function deactivate(): Promise<void> {
    await handbook?.stop();
}
