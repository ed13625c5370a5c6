/** Finds pages by words, and explains errors. */
import { env, QuickPickItem, UIKind, window } from 'vscode';
import { ExecuteCommandRequest } from 'vscode-languageclient';
import { LanguageClient } from 'vscode-languageclient/node';
import { Pages } from './pages';

interface Result {
    name: string;
    title: string;
    kind: string;
    summary: string;
}

interface Answer {
    ok: boolean;
    problem?: string;
    title?: string;
    markdown?: string;
    results?: Result[];
}

interface PageItem extends QuickPickItem {
    name: string;
}

async function ask(client: LanguageClient, command: string, text: string): Promise<Answer> {
    const answer = (await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [text] })) as Answer | null;
    return answer ?? { ok: false, problem: 'The server did not answer.' };
}

async function show(client: LanguageClient, pages: Pages, command: string, text: string): Promise<void> {
    const answer = await ask(client, command, text);
    if (answer.ok && answer.markdown) {
        await pages.show(answer.title ?? text, answer.markdown);
    } else {
        void window.showInformationMessage(`Torch Handbook: ${answer.problem ?? 'nothing was found.'}`);
    }
}

/** The server has ranked the pages, so the list must neither sort nor filter them. */
function itemsOf(results: Result[]): PageItem[] {
    return results.map(({ name, title, summary }) => ({
        name,
        label: name,
        detail: title ? `${title}: ${summary}` : summary,
        alwaysShow: true,
    }));
}

/** Shows the pages that fit what is typed, as it is typed, and opens the one that is chosen. */
export function search(client: LanguageClient, pages: Pages): void {
    const picker = window.createQuickPick<PageItem>();
    picker.placeholder = 'What do you want to do? join tensors along a new axis · np.stack · out of memory';
    picker.onDidChangeValue(async (value) => {
        const { results } = await ask(client, 'torch-handbook.search', value);
        if (picker.value === value) {
            picker.items = itemsOf(results ?? []);
        }
    });
    picker.onDidAccept(() => {
        const chosen = picker.selectedItems[0];
        picker.hide();
        if (chosen) {
            void show(client, pages, 'torch-handbook.page', chosen.name);
        }
    });
    picker.onDidHide(() => picker.dispose());
    picker.show();
}

/** Explains the selected text, else what was copied (out of a terminal), else what is typed. */
export async function explain(client: LanguageClient, pages: Pages): Promise<void> {
    const editor = window.activeTextEditor;
    const selected = editor ? editor.document.getText(editor.selection).trim() : '';
    // A browser asks for leave to read the clipboard, and the command would wait for that.
    const copied = selected || env.uiKind !== UIKind.Desktop ? '' : (await env.clipboard.readText()).trim();
    const looksRaised = /\b\w*(Error|Exception|Warning|Traceback)\b/.test(copied);
    const typed =
        selected || (looksRaised ? copied : await window.showInputBox({ prompt: 'An error message, or a whole traceback' }));
    if (typed) {
        await show(client, pages, 'torch-handbook.explain', typed);
    }
}
