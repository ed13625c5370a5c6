/** Finds pages by words, opens them by name, and explains errors. */
import { env, QuickPickItem, UIKind, window } from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { ask } from './ask';
import type { Views } from './view';

interface Result {
    name: string;
    title: string;
    kind: string;
    summary: string;
}

interface PageItem extends QuickPickItem {
    name: string;
}

/** Shows what a command of the server answers, or says why there is nothing. */
export async function show(client: LanguageClient, views: Views, command: 'page' | 'explain', text: string): Promise<void> {
    const answer = await ask(client, command, text);
    if (answer.ok && answer.markdown) {
        await views.page.show(answer.title ?? text, answer.markdown);
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
export function search(client: LanguageClient, views: Views): void {
    const picker = window.createQuickPick<PageItem>();
    picker.placeholder = 'What do you want to do? join tensors along a new axis · np.stack · out of memory';
    picker.onDidChangeValue(async (value) => {
        const { results } = await ask<{ results?: Result[] }>(client, 'search', value);
        if (picker.value === value) {
            picker.items = itemsOf(results ?? []);
        }
    });
    picker.onDidAccept(() => {
        const chosen = picker.selectedItems[0];
        picker.hide();
        if (chosen) {
            void show(client, views, 'page', chosen.name);
        }
    });
    picker.onDidHide(() => picker.dispose());
    picker.show();
}

/** The dotted name at the cursor, to begin with. */
function nameAtCursor(): string {
    const editor = window.activeTextEditor;
    const range = editor?.document.getWordRangeAtPosition(editor.selection.active, /[A-Za-z_][\w.]*/);
    const name = range && editor ? editor.document.getText(range) : '';
    return name.startsWith('torch.') ? name : 'torch.';
}

/** Asks for a page's name, and opens it. */
export async function openPage(client: LanguageClient, views: Views): Promise<void> {
    const prompt = 'A name of PyTorch, such as torch.nn.Conv2d, or a guide, such as guides/in-place';
    const value = nameAtCursor();
    const name = await window.showInputBox({ prompt, value, valueSelection: [value.length, value.length] });
    if (name) {
        await show(client, views, 'page', name.trim());
    }
}

/** Explains the selected text, else what was copied (out of a terminal), else what is typed. */
export async function explain(client: LanguageClient, views: Views): Promise<void> {
    const editor = window.activeTextEditor;
    const selected = editor ? editor.document.getText(editor.selection).trim() : '';
    // A browser asks for leave to read the clipboard, and the command would wait for that.
    const copied = selected || env.uiKind !== UIKind.Desktop ? '' : (await env.clipboard.readText()).trim();
    const looksRaised = /\b\w*(Error|Exception|Warning|Traceback)\b/.test(copied);
    const typed =
        selected || (looksRaised ? copied : await window.showInputBox({ prompt: 'An error message, or a whole traceback' }));
    if (typed) {
        await show(client, views, 'explain', typed);
    }
}
