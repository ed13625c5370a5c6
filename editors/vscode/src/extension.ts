/** Starts the Torch Handbook server and adds the few things that a client does: commands, progress, pages. */
import { commands, ExtensionContext, extensions, window, workspace } from 'vscode';
import { DidChangeConfigurationNotification, ExecuteCommandRequest } from 'vscode-languageclient';
import { LanguageClient, LanguageClientOptions } from 'vscode-languageclient/node';
import { benchmark, COMMAND, selectedLines } from './benchmark';
import { Pages, SCHEME } from './pages';
import { explain, search } from './search';
import { findServer, sayMissing, serverSettings } from './server';
import { placeAtCursor, SUMMARY, summary } from './summary';

const pages = new Pages();
let client: LanguageClient | undefined;

function clientOptions(): LanguageClientOptions {
    return {
        documentSelector: [
            { scheme: 'file', language: 'python' },
            { scheme: 'untitled', language: 'python' },
            { scheme: 'vscode-notebook-cell', language: 'python' },
        ],
        initializationOptions: serverSettings(),
        middleware: {
            // A lens or an action that runs a benchmark gets the same progress and report as our own command.
            executeCommand: (command, given, next) => {
                if (client && command === COMMAND) {
                    return benchmark(client, pages, given);
                }
                return client && command === SUMMARY ? summary(client, pages, given) : next(command, given);
            },
            workspace: {
                configuration: (params) => params.items.map(() => serverSettings()),
            },
        },
    };
}

async function start(): Promise<void> {
    const command = findServer();
    if (command === undefined) {
        void sayMissing();
        return;
    }
    const server = { command, args: ['serve'] };
    client = new LanguageClient('torchHandbook', 'Torch Handbook', server, clientOptions());
    await client.start();
}

async function stop(): Promise<void> {
    const stopped = client;
    client = undefined;
    await stopped?.dispose();
}

async function restart(): Promise<void> {
    await stop();
    await start();
}

/** Lets the server ask for its settings again. */
function settingsChanged(): void {
    if (client?.isRunning()) {
        void client.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
    }
}

/** Runs a command for which the server is needed. */
async function withClient(run: (client: LanguageClient) => Promise<void>): Promise<void> {
    if (client?.isRunning()) {
        await run(client);
    } else {
        await sayMissing();
    }
}

async function benchmarkSelection(): Promise<void> {
    const editor = window.activeTextEditor;
    if (editor) {
        await withClient((running) => benchmark(running, pages, selectedLines(editor)));
    }
}

async function summarizeNetwork(): Promise<void> {
    const editor = window.activeTextEditor;
    if (editor) {
        await withClient((running) => summary(running, pages, placeAtCursor(editor)));
    }
}

/** The dotted name at the cursor, to begin with. */
function nameAtCursor(): string {
    const editor = window.activeTextEditor;
    const range = editor?.document.getWordRangeAtPosition(editor.selection.active, /[A-Za-z_][\w.]*/);
    const name = range && editor ? editor.document.getText(range) : '';
    return name.startsWith('torch.') ? name : 'torch.';
}

async function openPage(): Promise<void> {
    const prompt = 'A name of PyTorch, such as torch.nn.Conv2d, or a guide, such as guides/in-place';
    const value = nameAtCursor();
    const name = await window.showInputBox({ prompt, value, valueSelection: [value.length, value.length] });
    if (name) {
        await withClient(async (running) => {
            const request = { command: 'torch-handbook.page', arguments: [name.trim()] };
            const page = (await running.sendRequest(ExecuteCommandRequest.type, request)) as { title?: string; markdown?: string } | null;
            if (page?.markdown) {
                await pages.show(page.title ?? name, page.markdown);
            } else {
                void window.showInformationMessage(`Torch Handbook has no page "${name}".`);
            }
        });
    }
}

export async function activate(context: ExtensionContext): Promise<void> {
    context.subscriptions.push(
        workspace.registerTextDocumentContentProvider(SCHEME, pages),
        commands.registerCommand('torchHandbook.benchmark', benchmarkSelection),
        commands.registerCommand('torchHandbook.summary', summarizeNetwork),
        commands.registerCommand('torchHandbook.page', openPage),
        commands.registerCommand('torchHandbook.search', () => withClient(async (running) => search(running, pages))),
        commands.registerCommand('torchHandbook.explain', () => withClient((running) => explain(running, pages))),
        commands.registerCommand('torchHandbook.restart', restart),
        extensions.onDidChange(settingsChanged), // a Python server came or went
        workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration('torchHandbook.server')) {
                void restart();
            } else if (event.affectsConfiguration('python.languageServer')) {
                settingsChanged();
            }
        }),
    );
    await start();
}

export async function deactivate(): Promise<void> {
    await stop();
}
