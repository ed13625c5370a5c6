/** The layers of a network and the memory that it takes to train it: asked of the server, and shown beside the code. */
import { ProgressLocation, TextEditor, window } from 'vscode';
import { ExecuteCommandRequest } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Pages } from './pages';

export const SUMMARY = 'torch-handbook.summary';

interface Answer {
    ok?: boolean;
    title?: string;
    report?: string;
}

/** The arguments for the network at the cursor; without one there the server takes the largest of the file. */
export function placeAtCursor(editor: TextEditor): unknown[] {
    const { line, character } = editor.selection.active;
    return [editor.document.uri.toString(), { line, character }];
}

export async function summary(client: LanguageClient, pages: Pages, given: unknown[]): Promise<void> {
    const options = { location: ProgressLocation.Window, title: 'Torch Handbook: summing up the network' };
    // The report comes in the answer; the server need not open it as a file. Where there is none it has said why.
    const request = { command: SUMMARY, arguments: [...given, { show: false }] as never[] };
    try {
        const answer = await window.withProgress(options, () => client.sendRequest(ExecuteCommandRequest.type, request));
        const { ok, title, report } = (answer ?? {}) as Answer;
        if (ok && report) {
            await pages.show(title ?? 'Summary', report);
        }
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        void window.showErrorMessage(`Torch Handbook: the summary failed: ${reason}`);
    }
}
