/** Markdown of the server, shown in VS Code's own preview beside the code, which keeps the keyboard. */
import { commands, EventEmitter, TextDocumentContentProvider, Uri, window } from 'vscode';

export const SCHEME = 'torch-handbook';

export class Pages implements TextDocumentContentProvider {
    private readonly texts = new Map<string, string>();
    private readonly changed = new EventEmitter<Uri>();
    readonly onDidChange = this.changed.event;

    provideTextDocumentContent(uri: Uri): string {
        return this.texts.get(uri.path) ?? 'This page was not kept. Ask for it again.';
    }

    async show(title: string, markdown: string): Promise<void> {
        const uri = Uri.from({ scheme: SCHEME, path: `/${title.replaceAll(/[/\\?#]/g, ' ')}` });
        this.texts.set(uri.path, markdown);
        this.changed.fire(uri);
        const code = window.activeTextEditor ?? window.visibleTextEditors[0];
        const options = { viewColumn: (code?.viewColumn ?? 1) + 1, preserveFocus: true };
        await commands.executeCommand('vscode.openWith', uri, 'vscode.markdown.preview.editor', options);
        if (code) {
            // The preview takes the keyboard all the same.
            await window.showTextDocument(code.document, { viewColumn: code.viewColumn ?? 1, selection: code.selection });
        }
    }
}
