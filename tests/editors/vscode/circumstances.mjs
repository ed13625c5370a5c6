/** Other circumstances than a project with everything: no server, no torch, a workspace that is not trusted. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { check, line, SCRIPT, SERVER } from './checks.mjs';
import { Code, until, VSIX, Window } from './window.mjs';

export async function withoutServer(chrome, code) {
    const folder = code.workspace('no-server', { 'train.py': SCRIPT });
    const window = await Window.open(chrome, code, folder);
    await check(window, 'without a server one message says how to get it', async () => {
        await window.file('train.py');
        await until('the message', async () => (await window.toasts()).includes('pipx install .'), 30);
        await window.shot('vscode-no-server');
        await window.page.locator('.notification-toast .monaco-button', { hasText: 'Copy Install Command' }).click();
        await until('the message goes away', async () => !(await window.toasts()).includes('pipx'));
    });
    await window.page.context().close();
}

function lens(window) {
    return window.page.locator('.codelens-decoration a', { hasText: 'against its replacement' }).first();
}

export async function withoutTorch(chrome, code) {
    const empty = join(code.data, 'empty');
    execFileSync('python3', ['-m', 'venv', '--without-pip', empty]);
    const settings = { 'torchHandbook.server': SERVER, 'torchHandbook.python': join(empty, 'bin/python') };
    const folder = code.workspace('no-torch', { 'train.py': SCRIPT, '.vscode/settings.json': code.file('no-torch.json', JSON.stringify(settings)) });
    const window = await Window.open(chrome, code, folder);
    await check(window, 'without torch one message says how to get it, and pages and warnings are there', async () => {
        await window.file('train.py');
        await until('the message', async () => (await window.toasts()).includes('pip install torch'), 30);
        await until('the status', async () => (await window.status()).includes('no torch'));
        await window.goto(line('return torch.einsum'));
        await window.page.waitForSelector('.cdr.squiggly-info', { timeout: 30000 });
        await lens(window).waitFor({ timeout: 20000 }); // it moves the lines
        await window.hover('return torch.einsum', 'einsum');
        await window.hoverSays('Multiplies and sums');
        await window.shot('vscode-no-torch');
    });
    await window.page.context().close();
}

/** A program that leaves a trace when it is started. */
function trap(code, name) {
    return code.program(name, `#!/bin/sh\ntouch '${join(code.data, 'trapped')}'\n`);
}

/** A folder from somewhere: its settings and its environment would run whatever their author wants. */
export async function untrusted(chrome) {
    const code = new Code({ 'torchHandbook.server': SERVER }, { trusting: false });
    await code.start(VSIX);
    const traps = { 'torchHandbook.server': trap(code, 'server-trap'), 'torchHandbook.python': trap(code, 'python-trap') };
    const folder = code.workspace('untrusted', {
        'train.py': SCRIPT,
        '.vscode/settings.json': code.file('untrusted.json', JSON.stringify(traps)),
        '.venv/bin/torch-handbook': traps['torchHandbook.server'],
        '.venv/bin/python': traps['torchHandbook.python'],
        '.venv/pyvenv.cfg': code.file('pyvenv.cfg', 'home = /usr/bin\n'),
        '.venv/lib/python3.11/site-packages/torch/__init__.py': code.file('torch.py', ''),
        '.venv/lib/python3.11/site-packages/torch/version.py': code.file('version.py', "__version__ = '2.9.0'\n"),
    });
    const window = await Window.open(chrome, code, folder);
    await check(window, 'in a workspace that is not trusted there are pages and warnings, and nothing is run', async () => {
        const { page } = window;
        await window.file('train.py');
        await until('the status', async () => (await window.status()).includes('torch'), 30);
        await window.goto(line('return torch.einsum'));
        await page.waitForSelector('.cdr.squiggly-info', { timeout: 30000 });
        await lens(window).waitFor({ timeout: 20000 });
        await window.hover('weights = scores.softmax', 'softmax'); // whose type only another program could tell
        await window.hover('return torch.einsum', 'einsum');
        await window.hoverSays('Multiplies and sums');
        await window.command('Torch Handbook: Benchmark Selection');
        await until('the message', async () => (await window.toasts()).includes('do not trust'));
        await window.shot('vscode-untrusted');
        if (existsSync(join(code.data, 'trapped'))) {
            throw new Error('a program of the workspace was started');
        }
    });
    await check(window, 'once it is trusted its settings are taken', async () => {
        await window.page.locator('.notification-toast .monaco-button', { hasText: 'Manage Workspace Trust' }).click();
        await window.page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust/ }).first().click({ timeout: 15000 });
        await until('the server that the workspace names', () => existsSync(join(code.data, 'trapped')), 30);
    });
    await window.page.context().close();
    await code.stop();
}
