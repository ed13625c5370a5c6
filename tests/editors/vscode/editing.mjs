/** What a person sees while editing: underlined mistakes, shapes, hovers, completion, fixes, the status. */
import { join } from 'node:path';
import { check, line, revert, torchFolder } from './checks.mjs';
import { until } from './window.mjs';

// The einsum that equals a bmm is the fourth mistake; it is a hint, which VS Code underlines with dots and does not list.
const LISTED = ['einsum-with-bmm-equivalent', 'linear-in-features-mismatch', 'softmax-before-cross-entropy', 'loss-accumulated-with-graph'];

export async function openingAFile(window) {
    const { page } = window;
    await check(window, 'the mistakes are underlined', async () => {
        await window.goto(line('self.fc1(tokens'));
        await page.waitForSelector('.cdr.squiggly-error', { timeout: 60000 });
        await page.waitForSelector('.cdr.squiggly-warning', { timeout: 10000 });
    });
    await check(window, 'shapes stand in the text', () => window.sees(', 25, 16]', 30));
    await check(window, 'a lens offers the benchmark', async () => {
        await window.goto(line('return torch.einsum'));
        await page.waitForSelector('.codelens-decoration a:has-text("against its replacement")', { timeout: 20000 });
        await page.waitForSelector('.cdr.squiggly-info', { timeout: 10000 });
        await window.shot('vscode-open');
    });
    await check(window, 'the mistakes are listed', async () => {
        await page.keyboard.press('Control+Shift+m');
        for (const rule of LISTED) {
            await page.waitForSelector(`.markers-panel .monaco-list-row:has-text("${rule}")`, { timeout: 10000 });
        }
        await window.shot('vscode-problems');
        await page.keyboard.press('Control+j');
    });
}

export async function status(window) {
    await check(window, 'the status bar says which torch, and on what', async () => {
        await until('the version of torch', async () => /torch \d+\.\d+\S* · (CPU|.*CUDA|MPS)/.test(await window.status()), 60);
        await window.page.locator('.part.statusbar .statusbar-item', { hasText: 'torch 2' }).first().hover();
        await window.hoverSays('Choose Python');
        await window.shot('vscode-status');
    });
}

export async function hovers(window) {
    await check(window, 'a hover has the handbook', async () => {
        await window.goto(line('self.conv1 = nn.Conv2d'));
        await window.hover('self.conv1 = nn.Conv2d', 'Conv2d');
        await window.hoverSays('in_channels');
        await window.hoverSays('⚠');
        await window.shot('vscode-hover');
    });
    await check(window, 'a hover says what is wrong', async () => {
        await window.goto(line('self.fc1(tokens'));
        await window.hover('self.fc1(tokens', 'fc1');
        await window.hoverSays('linear-in-features-mismatch');
        await window.hoverSays('400');
        await window.shot('vscode-hover-warning');
    });
}

export async function completion(window) {
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
        await window.shot('vscode-completion');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        await revert(window);
    });
}

export async function quickFix(window) {
    const { page } = window;
    await check(window, 'a quick fix mends the line', async () => {
        await window.goto(line('running_loss += loss'), 20);
        await page.waitForSelector('.cdr.squiggly-warning, .cdr.squiggly-error', { timeout: 20000 });
        await page.keyboard.press('Control+.');
        const fix = page.locator('.action-widget .monaco-list-row', { hasText: 'detach()' });
        await fix.first().waitFor({ timeout: 15000 });
        await window.shot('vscode-quick-fix');
        await fix.first().click();
        await window.sees('running_loss += loss.detach()');
        await revert(window);
    });
}

export async function restarting(window) {
    const errors = window.page.locator('.cdr.squiggly-error');
    await check(window, 'the server starts again when told to', async () => {
        await window.goto(line('self.fc1(tokens'));
        await errors.first().waitFor({ timeout: 30000 });
        await window.command('Torch Handbook: Restart Server');
        await errors.first().waitFor({ state: 'detached', timeout: 20000 });
        await errors.first().waitFor({ timeout: 60000 });
    });
}

export async function walkthrough(window) {
    const { page } = window;
    await check(window, 'a walkthrough shows the way', async () => {
        await window.command('Welcome: Open Walkthrough...');
        await page.waitForSelector('.quick-input-widget input');
        await page.keyboard.type('Torch Handbook');
        await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Torch Handbook' }).first().waitFor({ timeout: 10000 });
        await page.keyboard.press('Enter');
        const steps = page.locator('.getting-started-step');
        await until('six steps', async () => (await steps.count()) === 6);
        await page.locator('.getting-started-step .monaco-button', { hasText: 'Start It' }).first().click({ timeout: 10000 });
        const done = steps.filter({ hasText: 'Get the server' }).locator('.codicon.complete');
        await until('the step is done', async () => (await done.count()) > 0, 30);
        await steps.filter({ hasText: 'Point at a name' }).first().click();
        await page.locator('.getting-started-media img').first().waitFor({ timeout: 10000 });
        await window.shot('vscode-walkthrough');
    });
}

/** A training script that was not written for these tests: one that comes with torch. */
export function elsewhere() {
    return join(torchFolder(), 'testing/_internal/distributed/rpc/examples/parameter_server_test.py');
}

export async function anotherScript(window) {
    await check(window, 'a script from elsewhere has its hovers', async () => {
        await window.file('parameter_server.py');
        await window.goto(33);
        await window.hover('nn.Linear', 'Linear');
        await window.hoverSays('in_features');
        await window.shot('vscode-elsewhere');
        await window.goto(66);
        await window.hover('optimizer.zero_grad', 'zero_grad');
        await window.hoverSays('set_to_none');
    });
}
