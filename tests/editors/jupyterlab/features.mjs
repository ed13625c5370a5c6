/** A notebook in JupyterLab, and what a person should see in it. usage: features.mjs JUPYTER FOLDER */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { browser, SHOTS, until } from '../vscode/window.mjs';

const [jupyter, folder] = process.argv.slice(2);
const quiet = ['--no-browser', '--ServerApp.port=0', '--IdentityProvider.token=', '--ServerApp.allow_root=True'];
const process_ = spawn(jupyter, ['lab', ...quiet, '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate', `--ServerApp.root_dir=${folder}`], {
    detached: true,
});
let output = '';
process_.stdout.on('data', (text) => (output += text));
process_.stderr.on('data', (text) => (output += text));

/** The address, which the server writes down when it has found a port. */
function address() {
    try {
        const runtime = process.env.JUPYTER_RUNTIME_DIR;
        const file = readdirSync(runtime).find((name) => /^jpserver-\d+\.json$/.test(name));
        return file && JSON.parse(readFileSync(join(runtime, file), 'utf8')).url;
    } catch {
        return undefined; // it is not there, or half written
    }
}

let page;
let failed = 0;

async function shot(name) {
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${name}.png`), animations: 'disabled' });
}

async function check(name, look) {
    try {
        await look();
        console.log(`ok ${name}`);
        await shot(`jupyterlab-${name.replaceAll(' ', '-')}`);
    } catch (error) {
        failed += 1;
        console.log(`FAILED ${name}: ${error.message}`);
        await shot(`FAILED-jupyterlab-${name.replaceAll(' ', '-')}`);
    }
}

const line = (text) => page.locator('.jp-Notebook .cm-line', { hasText: text }).first();
const texts = (selector) => page.locator(selector).allInnerTexts().then((all) => all.join('\n'));

/** Points at a word of a line with Ctrl, which asks for the hover; points again where the hover did not come. */
async function hover(text, word) {
    const row = line(text);
    const content = await row.innerText();
    const end = await row.evaluate((node, [from, to]) => {
        const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        for (let at = 0, part = walker.nextNode(); part; at += part.length, part = walker.nextNode()) {
            if (from >= at && from < at + part.length) range.setStart(part, from - at);
            if (to > at && to <= at + part.length) range.setEnd(part, to - at);
        }
        const box = range.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, [content.indexOf(word), content.indexOf(word) + word.length]);
    return until(
        `a hover on ${word}`,
        async () => {
            await page.mouse.move(5, 700);
            await page.keyboard.down('Control');
            await page.mouse.move(end.x - 2, end.y);
            await page.mouse.move(end.x, end.y, { steps: 3 });
            const shown = await page.waitForSelector('.jp-Tooltip.lsp-tooltip, .lsp-tooltip', { timeout: 2500 }).catch(() => undefined);
            await page.keyboard.up('Control');
            return shown && (await texts('.lsp-tooltip'));
        },
        60,
    );
}

function contains(text, ...wanted) {
    for (const part of wanted) {
        if (!text.includes(part)) throw new Error(`"${part}" is not in: ${text}`);
    }
}

const chrome = await browser();
try {
    const url = await until('Jupyter answers', address, 60);
    page = await chrome.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${url}lab/tree/notebook.ipynb?reset`);
    await check('open', () => page.waitForSelector('.jp-Notebook .cm-content', { timeout: 60000 }));
    await check('a mistake in one cell because of two others is marked', async () => {
        await page.waitForSelector('.jp-Notebook .cm-lintRange-error', { timeout: 60000 });
        const marked = await page.locator('.cm-lintRange-error').allInnerTexts();
        if (marked.join('') !== 'layer(images.flatten(1))') throw new Error(`marked: ${marked}`);
    });
    await check('the mistake is said once', async () => {
        await page.locator('.cm-lintRange-error').first().hover();
        await page.waitForSelector('.cm-tooltip-lint', { timeout: 20000 });
        const said = await texts('.cm-tooltip-lint');
        contains(said, 'layer takes 400 features, but gets 3072');
        if (said.split('takes 400').length !== 2) throw new Error(`said twice: ${said}`);
    });
    await check('hover', async () => {
        const text = await hover('total =', 'sum');
        contains(text, 'torch.sum(', '⚠');
        if (/```|\*\*/.test(text)) throw new Error(`raw Markdown: ${text}`);
    });
    await check('hover on a tensor of another cell', async () => contains(await hover('scores =', 'images'), '[8, 3, 32, 32]'));
    await check('completion', async () => {
        await page.keyboard.press('Escape');
        await line('total =').click();
        await page.keyboard.press('End');
        await page.keyboard.type('\nnext = nn.Softm', { delay: 30 });
        await page.keyboard.press('Tab');
        await page.waitForSelector('.jp-Completer:has-text("Softmax")', { timeout: 30000 });
        await until('the mark of a pitfall in the list', async () => (await texts('.jp-Completer')).includes('⚠'), 20);
    });
} finally {
    await chrome.close();
    if (failed) console.log(output.slice(-3000));
    process.kill(-process_.pid, 'SIGTERM');
}
process.exitCode = failed ? 1 : 0;
