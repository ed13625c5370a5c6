/** Benchmarks: asked of the server, with the editor's own progress and its Cancel button, and reported beside the code. */
import { CancellationToken, ExtensionContext, Progress, ProgressLocation, TextEditor, window } from 'vscode';
import { ExecuteCommandRequest, WorkDoneProgress, WorkDoneProgressCancelNotification } from 'vscode-languageclient';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Answer } from './ask';
import { mayRunCode } from './consent';
import type { Views } from './view';

export const COMMAND = 'torch-handbook.benchmark';

type Step = Progress<{ message?: string; increment?: number }>;

let count = 0;

/** The arguments for what is selected; a selection that ends before a line's first character leaves that line out. */
export function selectedLines(editor: TextEditor): unknown[] {
    const { start, end } = editor.selection;
    const last = end.line > start.line && end.character === 0 ? end.line - 1 : end.line;
    return [editor.document.uri.toString(), { line: start.line, endLine: last }];
}

/** Hands the server's reports to the notification, which counts in steps where the protocol says how far it is in all. */
function listen(client: LanguageClient, token: string, step: Step) {
    let done = 0;
    return client.onProgress(WorkDoneProgress.type, token, (value) => {
        if (value.kind === 'end') {
            return;
        }
        const increment = Math.max(0, (value.percentage ?? done) - done);
        done += increment;
        step.report(value.message === undefined ? { increment } : { message: value.message, increment });
    });
}

async function ask(client: LanguageClient, given: unknown[], step: Step, cancel: CancellationToken): Promise<Answer | undefined> {
    const token = `torch-handbook-benchmark-${++count}`;
    const listener = listen(client, token, step);
    const cancelled = cancel.onCancellationRequested(() => {
        void client.sendNotification(WorkDoneProgressCancelNotification.type, { token });
    });
    try {
        const request = { command: COMMAND, arguments: given as never[], workDoneToken: token };
        const result = (await client.sendRequest(ExecuteCommandRequest.type, request, cancel)) as Answer | null;
        return cancel.isCancellationRequested ? undefined : (result ?? undefined);
    } catch (error) {
        if (!cancel.isCancellationRequested) {
            const reason = error instanceof Error ? error.message : String(error);
            void window.showErrorMessage(`Torch Handbook: the benchmark failed: ${reason}`);
        }
        return undefined;
    } finally {
        listener.dispose();
        cancelled.dispose();
    }
}

export async function benchmark(context: ExtensionContext, client: LanguageClient, views: Views, given: unknown[]): Promise<void> {
    if (!(await mayRunCode(context))) {
        return;
    }
    const options = { location: ProgressLocation.Notification, title: 'Torch Handbook: benchmark', cancellable: true };
    const report = await window.withProgress(options, (step, cancel) => ask(client, given, step, cancel));
    if (report?.report) {
        await views.report.show(report.title ?? 'Benchmark', report.report);
    }
}
