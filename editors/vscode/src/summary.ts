/** The layers of a network and the memory that it takes to train it: asked of the server, and shown beside the code. */
import { ProgressLocation, TextEditor, window } from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { ask } from './ask';
import type { Views } from './view';

export const SUMMARY = 'torch-handbook.summary';

/** The arguments for the network at the cursor; without one there the server takes the largest of the file. */
export function placeAtCursor(editor: TextEditor): unknown[] {
    const { line, character } = editor.selection.active;
    return [editor.document.uri.toString(), { line, character }];
}

export async function summary(client: LanguageClient, views: Views, given: unknown[]): Promise<void> {
    const options = { location: ProgressLocation.Window, title: 'Torch Handbook: summing up the network' };
    try {
        // The report comes in the answer; the server need not open it as a file. Where there is none it has said why.
        const answer = await window.withProgress(options, () => ask(client, 'summary', ...given, { show: false }));
        if (answer.ok && answer.report) {
            await views.report.show(answer.title ?? 'Summary', answer.report);
        }
    } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        void window.showErrorMessage(`Torch Handbook: the summary failed: ${reason}`);
    }
}
