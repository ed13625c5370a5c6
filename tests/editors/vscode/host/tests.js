// Runs inside VS Code's extension host, beside a stand-in for the Python extension, and writes what came of it into a file.
const assert = require('node:assert');
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');

const { FIRST_PYTHON, SECOND_PYTHON, STARTS } = process.env;
const run = (command, ...given) => vscode.commands.executeCommand(command, ...given);
const status = () => run('torch-handbook.status');
const starts = () => readFileSync(STARTS, 'utf8').trim().split('\n');

let document;
let python;

/** Asks again until the answer is good; fails after a while with the last one. */
async function until(what, ask, seconds = 30) {
    const end = Date.now() + seconds * 1000;
    let last;
    for (;;) {
        try {
            last = await ask();
        } catch (error) {
            last = error;
        }
        if (last && !(last instanceof Error)) {
            return last;
        }
        if (Date.now() > end) {
            throw new Error(`${what}: not within ${seconds} s; at last: ${last}`);
        }
        await new Promise((wake) => setTimeout(wake, 50));
    }
}

/** The place of a text in the file. */
function at(text, into = 0) {
    return document.positionAt(document.getText().indexOf(text) + into);
}

function finding(code) {
    return vscode.languages.getDiagnostics(document.uri).find((each) => each.code?.value === code);
}

const TESTS = {
    async 'the server of the active environment is started, and its Python taken'() {
        const now = await until('the first Python', async () => {
            const found = await status();
            return found.python === FIRST_PYTHON && found;
        });
        assert.strictEqual(now.how, "the editor's selection");
        assert.ok(now.torch);
        assert.deepStrictEqual(starts(), ['first']);
    },
    async 'every command of the manifest is there'() {
        const { packageJSON } = vscode.extensions.getExtension('torch-handbook.torch-handbook');
        const known = await vscode.commands.getCommands(true);
        const missing = packageJSON.contributes.commands.filter(({ command }) => !known.includes(command));
        assert.deepStrictEqual(missing, []);
    },
    async 'where a statement begins whole loops are offered'() {
        const draft = await vscode.workspace.openTextDocument({ language: 'python', content: 'import torch\n\ntrain' });
        await until('the loop', async () => {
            const { items } = await run('vscode.executeCompletionItemProvider', draft.uri, new vscode.Position(2, 5));
            const loop = items.find((each) => each.label.label === 'train');
            return loop?.insertText instanceof vscode.SnippetString && loop.insertText.value.includes('backward()');
        });
    },
    async 'findings come with fixes, and their ids lead to pages'() {
        await until('the finding', () => finding('linear-in-features-mismatch'), 60);
        const { code, range } = finding('linear-in-features-mismatch');
        assert.strictEqual(code.target.toString(), 'torch-handbook:/linear-in-features-mismatch');
        const actions = await run('vscode.executeCodeActionProvider', document.uri, range);
        assert.ok(actions.some((each) => each.edit), actions.map((each) => each.title).join('; '));
        assert.ok(actions.some((each) => each.title.startsWith('Why:')));
    },
    async 'ids of rules in comments, and declarations, lead to pages'() {
        const draft = await vscode.workspace.openTextDocument({
            language: 'python',
            content: 'import torch\n\nx = torch.ones(3)  # torch-handbook: ignore[shape-mismatch]\n',
        });
        const links = await until('links', async () => {
            const found = await run('vscode.executeLinkProvider', draft.uri);
            return found.length > 0 && found;
        });
        assert.deepStrictEqual(links.map((each) => each.target.toString()), ['torch-handbook:/shape-mismatch']);
        const [place] = await run('vscode.executeDeclarationProvider', draft.uri, new vscode.Position(2, 12));
        assert.strictEqual((place.uri ?? place.targetUri).toString(), 'torch-handbook:/torch.ones');
        const page = await vscode.workspace.openTextDocument(vscode.Uri.parse('torch-handbook:/torch.ones'));
        assert.ok(page.getText().startsWith('# torch.ones'));
    },
    async 'hovers, hints and lenses come'() {
        const hovers = await run('vscode.executeHoverProvider', document.uri, at('nn.Conv2d', 4));
        assert.ok(hovers.some((each) => each.contents.some((part) => part.value.includes('in_channels'))));
        const whole = new vscode.Range(0, 0, document.lineCount, 0);
        const hints = await until('hints', async () => {
            const found = await run('vscode.executeInlayHintProvider', document.uri, whole);
            return found.length > 0 && found;
        });
        assert.ok(hints.some((each) => each.label.includes('25, 16')));
        const lenses = await run('vscode.executeCodeLensProvider', document.uri, 100);
        const titles = lenses.map((each) => each.command.title);
        assert.ok(titles.includes('Benchmark') && titles.includes('Benchmark it against its replacement'), titles.join('; '));
    },
    async 'a benchmark is offered for a selection'() {
        const line = at('weights = scores').line;
        const actions = await run('vscode.executeCodeActionProvider', document.uri, new vscode.Range(line, 0, line + 1, 0));
        const offer = actions.find((each) => each.title === 'Benchmark the selected lines');
        assert.deepStrictEqual(offer.command.arguments, [document.uri.toString(), { line, endLine: line }]);
    },
    async 'beside a server for Python only names with pitfalls are completed'() {
        const place = at('optim.SGD', 'optim.'.length);
        const { items } = await run('vscode.executeCompletionItemProvider', document.uri, place, '.');
        const ours = items.filter((each) => each.label.description?.includes('⚠') || each.label.description?.includes('torch-handbook'));
        assert.ok(ours.length > 0);
        const unmarked = items.filter((each) => typeof each.label === 'object' && !each.label.description);
        assert.deepStrictEqual(unmarked.map((each) => each.label.label), []);
    },
    async 'another Python is taken when it is chosen'() {
        python.choose(SECOND_PYTHON);
        const now = await until('the second Python', async () => {
            const found = await status();
            return found.python === SECOND_PYTHON && found;
        });
        assert.strictEqual(now.how, "the editor's selection");
        assert.ok(starts().includes('second'), starts().join('; '));
        await until('the finding again', () => finding('linear-in-features-mismatch'), 60);
    },
    async 'the setting goes before what is selected'() {
        await vscode.workspace.getConfiguration('torchHandbook').update('python', FIRST_PYTHON, vscode.ConfigurationTarget.Workspace);
        await until('the Python of the setting', async () => (await status()).how === 'the setting');
        await vscode.workspace.getConfiguration('torchHandbook').update('python', undefined, vscode.ConfigurationTarget.Workspace);
        await until('the selected Python', async () => (await status()).python === SECOND_PYTHON);
    },
    async 'cells of a notebook know each other in their order'() {
        const folder = vscode.workspace.workspaceFolders[0].uri;
        const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.joinPath(folder, 'cells.ipynb'));
        await vscode.window.showNotebookDocument(notebook);
        const cell = notebook.getCells().at(-1).document;
        const found = await until('a finding in a cell', () => vscode.languages.getDiagnostics(cell.uri)[0], 60);
        assert.strictEqual(found.code.value, 'linear-in-features-mismatch');
        const actions = await run('vscode.executeCodeActionProvider', cell.uri, found.range);
        assert.ok(actions.some((each) => each.edit?.entries().some(([uri]) => uri.toString() === cell.uri.toString())));
        const hovers = await run('vscode.executeHoverProvider', cell.uri, cell.positionAt(cell.getText().indexOf('Linear') + 1));
        assert.ok(hovers.length > 0);
        const hints = await run('vscode.executeInlayHintProvider', notebook.getCells()[1].document.uri, new vscode.Range(0, 0, 9, 0));
        assert.ok(hints.some((each) => each.label.includes('32, 8')));
    },
};

async function outcomes() {
    const found = [];
    for (const [name, test] of Object.entries(TESTS)) {
        try {
            await test();
            found.push({ name });
        } catch (error) {
            found.push({ name, problem: String(error.stack ?? error) });
        }
    }
    return found;
}

exports.run = async () => {
    const folder = vscode.workspace.workspaceFolders[0].uri;
    document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, 'train_shapes.py'));
    await vscode.window.showTextDocument(document);
    python = await vscode.extensions.getExtension('ms-python.python').activate();
    await vscode.extensions.getExtension('torch-handbook.torch-handbook').activate();
    const result = join(folder.fsPath, 'result.json');
    writeFileSync(`${result}.part`, JSON.stringify({ version: vscode.version, outcomes: await outcomes() }));
    renameSync(`${result}.part`, result);
};
