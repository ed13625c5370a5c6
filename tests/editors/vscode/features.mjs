/** What a person sees of Torch Handbook in VS Code: each check waits for it on the screen and takes a picture. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { browser, Code, HERE, SHOTS, until, Window } from './window.mjs';

const PYTHON = process.env.PYTHON;
const SERVER = process.env.TORCH_HANDBOOK ?? join(dirname(PYTHON), 'torch-handbook');
const SCRIPT = join(HERE, '../scripts/train_shapes.py');
// The einsum that equals a bmm is the fourth mistake; it is a hint, which VS Code underlines with dots and does not list.
const LISTED = ['einsum-with-bmm-equivalent', 'linear-in-features-mismatch', 'softmax-before-cross-entropy', 'loss-accumulated-with-graph'];
const LINES = readFileSync(SCRIPT, 'utf8').split('\n');

const started = Date.now();
const failed = [];
let passed = 0;

function say(...words) {
    console.log(`${((Date.now() - started) / 1000).toFixed(1)} s`.padStart(7), ...words);
}

/** The number of the first line that holds a text, from 1. */
function line(text) {
    return LINES.findIndex((each) => each.includes(text)) + 1;
}

async function check(window, name, look) {
    try {
        await look();
        passed += 1;
        say('ok    ', name);
    } catch (error) {
        failed.push(name);
        say('FAILED', name, String(error).split('\n').slice(0, 6).join('\n'));
        await window.shot(`FAILED-${name.replaceAll(/\W+/g, '-')}`);
        console.log(await window.describe());
        await window.page.keyboard.press('Escape');
    }
}

async function openingAFile(window) {
    const { page } = window;
    await check(window, 'the mistakes are underlined', async () => {
        await window.goto(line('self.fc1(tokens'));
        await page.waitForSelector('.cdr.squiggly-error', { timeout: 60000 });
        await page.waitForSelector('.cdr.squiggly-warning', { timeout: 10000 });
    });
    await check(window, 'shapes stand in the text', () => window.sees(', 25, 16]', 30));
    await check(window, 'a lens offers the benchmark', async () => {
        await window.goto(line('return torch.einsum'));
        await page.waitForSelector('.codelens-decoration a:has-text("enchmark")', { timeout: 20000 });
        await page.waitForSelector('.cdr.squiggly-info', { timeout: 10000 });
        await window.shot('vscode-1-open');
    });
    await check(window, 'the mistakes are listed', async () => {
        await page.keyboard.press('Control+Shift+m');
        for (const rule of LISTED) {
            await page.waitForSelector(`.markers-panel .monaco-list-row:has-text("${rule}")`, { timeout: 10000 });
        }
        await window.shot('vscode-2-problems');
        await page.keyboard.press('Control+j');
    });
}

async function hovers(window) {
    await check(window, 'a hover has the handbook', async () => {
        await window.goto(line('self.conv1 = nn.Conv2d'));
        await window.hover('self.conv1 = nn.Conv2d', 'Conv2d');
        await window.hoverSays('in_channels');
        await window.hoverSays('⚠');
        await window.shot('vscode-3-hover');
    });
    await check(window, 'a hover says what is wrong', async () => {
        await window.goto(line('self.fc1(tokens'));
        await window.hover('self.fc1(tokens', 'fc1');
        await window.hoverSays('linear-in-features-mismatch');
        await window.hoverSays('400');
        await window.shot('vscode-4-hover-warning');
    });
}

async function completion(window) {
    const { page } = window;
    await check(window, 'a completion is marked', async () => {
        await window.goto(line('self.fc1(tokens'));
        await page.keyboard.press('End');
        await page.keyboard.press('Enter');
        await page.keyboard.type('x = F.', { delay: 30 });
        await page.waitForSelector('.suggest-widget.visible .monaco-list-row', { timeout: 20000 });
        await page.keyboard.type('so', { delay: 30 });
        const marked = '.suggest-widget.visible .monaco-list-row:has-text("softmax"):has-text("⚠")';
        await page.waitForSelector(marked, { timeout: 10000 });
        const details = page.locator('.suggest-details-container:visible', { hasText: 'softmax' });
        await until('the page beside the list', async () => {
            // The key shows and hides it, and VS Code remembers which; what it shows comes a little later.
            const shown = () => details.waitFor({ timeout: 3000 }).then(() => true, () => false);
            return (await shown()) || (await page.keyboard.press('Control+Space'), await shown());
        });
        await window.shot('vscode-5-completion');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        await revert(window);
    });
}

/** Takes all changes back, so that the next check begins with the script as it is. */
async function revert(window) {
    await window.command('File: Revert File');
    await until('the file is as it was', async () => (await window.page.locator('.tab.active.dirty').count()) === 0);
}

async function quickFix(window) {
    const { page } = window;
    await check(window, 'a quick fix mends the line', async () => {
        await window.goto(line('running_loss += loss'), 20);
        await page.waitForSelector('.cdr.squiggly-warning, .cdr.squiggly-error', { timeout: 20000 });
        await page.keyboard.press('Control+.');
        const fix = page.locator('.action-widget .monaco-list-row', { hasText: 'detach()' });
        await fix.first().waitFor({ timeout: 15000 });
        await window.shot('vscode-6-quick-fix');
        await fix.first().click();
        await window.sees('running_loss += loss.detach()');
        await revert(window);
    });
}

async function benchmarks(window) {
    const { page } = window;
    await check(window, 'a lens runs a benchmark to its report', async () => {
        await window.goto(line('return torch.einsum'));
        await page.locator('.codelens-decoration a', { hasText: 'enchmark' }).first().click({ timeout: 20000 });
        await page.waitForSelector('.notification-toast:has-text("Torch Handbook: benchmark: "):has-text("Cancel")', { timeout: 15000 });
        await window.shot('vscode-7-benchmark');
        await until('the report in the preview', async () => (await window.preview()).includes('median'), 90);
        await window.shot('vscode-8-report');
        await window.close('Benchmark of');
    });
    await check(window, 'a selection is timed, and cancelled', async () => {
        await window.goto(line('weights = scores.softmax'));
        await page.keyboard.press('Shift+ArrowDown');
        await window.command('Torch Handbook: Benchmark Selection');
        const cancel = page.locator('.notification-toast:has-text("Torch Handbook: benchmark") .monaco-button', { hasText: 'Cancel' });
        await cancel.click({ timeout: 15000 });
        await until('the progress goes away', async () => !(await window.toasts()).includes('benchmark'));
        await window.hover('scores.softmax', 'softmax');
        await window.hoverSays('softmax');
        if ((await window.preview()) !== '') {
            throw new Error('a cancelled benchmark showed a report');
        }
    });
}

async function pages(window) {
    const { page } = window;
    await check(window, 'a page of the handbook opens beside the code', async () => {
        await window.command('Torch Handbook: Open Handbook Page');
        await page.waitForSelector('.quick-input-widget input');
        await page.keyboard.press('Control+a');
        await page.keyboard.type('torch.nn.Conv2d');
        await page.keyboard.press('Enter');
        await until('the page in the preview', async () => (await window.preview()).includes('in_channels'), 20);
        await window.shot('vscode-9-page');
        await window.close('torch.nn.Conv2d');
    });
}

async function searching(window) {
    const { page } = window;
    await check(window, 'a page is found by what one wants to do', async () => {
        await window.command('Torch Handbook: Search the Handbook');
        await page.waitForSelector('.quick-input-widget input');
        await page.keyboard.type('join tensors along a new axis');
        const first = page.locator('.quick-input-list .monaco-list-row').first();
        await until('torch.stack as the first result', async () => ((await first.textContent()) ?? '').includes('torch.stack'), 20);
        await window.shot('vscode-c-search');
        await page.keyboard.press('Enter');
        await until('the page in the preview', async () => (await window.preview()).includes('new axis'), 20);
        await window.close('torch.stack');
    });
    await check(window, 'an error is explained', async () => {
        await window.goto(line('self.fc1(tokens'));
        await window.command('Torch Handbook: Explain an Error');
        await page.waitForSelector('.quick-input-widget input', { timeout: 20000 });
        await page.keyboard.press('Control+a');
        await page.keyboard.type('RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x256 and 400x120)');
        await page.keyboard.press('Enter');
        await until('the explanation in the preview', async () => (await window.preview()).includes('256 features arrive'), 20);
        await window.shot('vscode-d-explain');
        await window.close('mat1 and mat2');
    });
    await check(window, 'a network is summed up', async () => {
        await window.goto(line('class '));
        await window.command('Torch Handbook: Show Layers and Memory of a Network');
        await until('the summary in the preview', async () => (await window.preview()).includes('parameters'), 60);
        await window.shot('vscode-e-summary');
        await window.close('Summary of');
    });
}

async function restarting(window) {
    const errors = window.page.locator('.cdr.squiggly-error');
    await check(window, 'the server starts again when told to', async () => {
        await window.goto(line('self.fc1(tokens'));
        await errors.first().waitFor({ timeout: 30000 });
        await window.command('Torch Handbook: Restart Server');
        await errors.first().waitFor({ state: 'detached', timeout: 20000 });
        await errors.first().waitFor({ timeout: 60000 });
    });
}

/** A training script that was not written for these tests: one that comes with torch. */
function elsewhere() {
    const find = 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])';
    const torch = execFileSync(PYTHON, ['-c', find], { encoding: 'utf8' }).trim();
    return join(torch, 'testing/_internal/distributed/rpc/examples/parameter_server_test.py');
}

async function anotherScript(window) {
    await check(window, 'a script from elsewhere has its hovers', async () => {
        await window.file('parameter_server.py');
        await window.goto(33);
        await window.hover('nn.Linear', 'Linear');
        await window.hoverSays('in_features');
        await window.shot('vscode-a-elsewhere');
        await window.goto(66);
        await window.hover('optimizer.zero_grad', 'zero_grad');
        await window.hoverSays('set_to_none');
    });
}

/** A notebook whose second cell makes what the third one uses wrongly. */
function notebook() {
    const cells = ['import torch\nfrom torch import nn', 'x = torch.randn(32, 8)', '%time y = nn.Linear(8, 4)(x)', 'z = nn.Linear(5, 2)(x)'];
    const whole = cells.map((source) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source }));
    return JSON.stringify({ cells: whole, metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5 });
}

async function cells(window) {
    const { page } = window;
    await check(window, 'the cells of a notebook know each other', async () => {
        await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'cells.ipynb' }).first().dblclick({ timeout: 30000 });
        await page.waitForSelector('.notebook-editor .view-line', { timeout: 30000 });
        await page.waitForSelector('.notebook-editor .cdr.squiggly-error', { timeout: 60000 });
        const lines = page.locator('.notebook-editor .view-line');
        await until('a shape', async () => (await lines.allTextContents()).some((text) => text.replaceAll('\u00a0', ' ').includes('x: [32, 8]')));
        await window.shot('vscode-b-notebook');
    });
}

async function withoutServer(chrome, code) {
    const folder = code.workspace('no-server', { 'train.py': SCRIPT });
    const window = await Window.open(chrome, code, folder);
    await check(window, 'without a server one message says how to get it', async () => {
        await window.file('train.py');
        await until('the message', async () => (await window.toasts()).includes('pipx install .'), 30);
        await window.shot('vscode-0-no-server');
        await window.page.locator('.notification-toast .monaco-button', { hasText: 'Copy Install Command' }).click();
        await until('the message goes away', async () => !(await window.toasts()).includes('pipx'));
    });
    await window.page.context().close();
}

async function withServer(chrome, code) {
    const made = { 'cells.ipynb': code.file('cells.ipynb', notebook()), '.vscode/settings.json': code.project };
    const files = { 'train_shapes.py': SCRIPT, 'parameter_server.py': elsewhere(), ...made };
    const folder = code.workspace('project', files);
    const window = await Window.open(chrome, code, folder);
    await window.file('train_shapes.py');
    await openingAFile(window);
    await hovers(window);
    await completion(window);
    await quickFix(window);
    await benchmarks(window);
    await pages(window);
    await searching(window);
    await restarting(window);
    await anotherScript(window);
    await cells(window);
    await window.page.context().close();
}

globSync(join(SHOTS, '{vscode,FAILED}-*.png')).forEach((old) => rmSync(old));
const code = new Code({});
let chrome;
try {
    await code.start(join(HERE, '.setup/torch-handbook.vsix'));
    say('code-server is up');
    code.project = code.file('settings.json', JSON.stringify({ 'torchHandbook.server': SERVER, 'torchHandbook.python': PYTHON }));
    chrome = await browser();
    await withoutServer(chrome, code);
    await withServer(chrome, code);
} catch (error) {
    failed.push('the run itself');
    console.error(error);
} finally {
    if (failed.length > 0) {
        console.log(code.logs());
    }
    await chrome?.close();
    code.stop();
}
console.log(failed.length > 0 ? `failed: ${failed.join('; ')}` : `pictures: ${SHOTS}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exit(failed.length > 0 ? 1 : 0);
