/** The handbook: pages and their links, reasons, search, errors and networks. */
import { check, line, revert } from './checks.mjs';
import { until } from './window.mjs';

export async function pages(window) {
    const { page } = window;
    await check(window, 'a page of the handbook opens beside the code', async () => {
        await window.command('Torch Handbook: Open Handbook Page');
        await page.waitForSelector('.quick-input-widget input');
        await page.keyboard.press('Control+a');
        await page.keyboard.type('torch.nn.Conv2d');
        await page.keyboard.press('Enter');
        await window.previewSays('in_channels');
        await window.shot('vscode-page');
    });
    await check(window, 'words of a page lead to other pages, and back', async () => {
        const link = await window.inPreview('main a', { hasText: 'torch.nn.functional.conv2d' });
        await link.click();
        await page.waitForSelector('.tab.active:has-text("functional.conv2d"), .tab:has-text("functional.conv2d")', { timeout: 15000 });
        await (await window.inPreview('nav button', { hasText: 'Back' })).click();
        await page.waitForSelector('.tab:has-text("torch.nn.Conv2d")', { timeout: 15000 });
        await window.back('train_shapes.py');
    });
    await check(window, 'code of a page is put into the file', async () => {
        await window.goto(line('self.conv1 = nn.Conv2d'), 9);
        const block = await window.inPreview('main .block', { hasText: 'wrong' });
        await block.hover();
        await window.shot('vscode-page-insert');
        await block.locator('button', { hasText: 'Insert' }).click();
        await page.waitForSelector('.tab.dirty:has-text("train_shapes.py")', { timeout: 10000 });
        if ((await window.text()).includes('# wrong')) {
            throw new Error('the wrong way was inserted, too');
        }
        await window.shot('vscode-page-inserted');
        await revert(window);
        await window.close('torch.nn.Conv2d');
    });
}

export async function reasons(window) {
    const { page } = window;
    await check(window, 'the action that says why opens the page', async () => {
        await window.goto(line('running_loss += loss'), 20);
        await page.waitForSelector('.cdr.squiggly-warning', { timeout: 20000 });
        await page.keyboard.press('Control+.');
        const why = page.locator('.action-widget .monaco-list-row', { hasText: 'Why:' });
        await why.first().click({ timeout: 15000 });
        await window.previewSays('loss-accumulated-with-graph');
        await window.shot('vscode-why');
        await window.close('loss-accumulated-with-graph');
    });
    await check(window, 'the id in a hover opens the page', async () => {
        await window.goto(line('self.fc1(tokens'));
        await window.hover('self.fc1(tokens', 'fc1');
        const link = page.locator('.monaco-hover:visible a', { hasText: 'linear-in-features-mismatch' }).first();
        await link.click({ timeout: 15000 });
        await window.previewSays('in_features');
        await window.close('linear-in-features-mismatch');
    });
}

export async function declarations(window) {
    await check(window, 'the declaration of a name is its page', async () => {
        await window.goto(line('self.conv1 = nn.Conv2d'), 28);
        await window.command('Go to Declaration');
        await window.previewSays('in_channels');
        await window.back('train_shapes.py');
        await window.close('torch.nn.Conv2d');
    });
}

export async function searching(window) {
    const { page } = window;
    await check(window, 'a page is found by what one wants to do', async () => {
        await window.command('Torch Handbook: Search the Handbook');
        await page.waitForSelector('.quick-input-widget input');
        await page.keyboard.type('join tensors along a new axis');
        const first = page.locator('.quick-input-list .monaco-list-row').first();
        await until('torch.stack as the first result', async () => ((await first.textContent()) ?? '').includes('torch.stack'), 20);
        await window.shot('vscode-search');
        await page.keyboard.press('Enter');
        await window.previewSays('new axis');
        await window.close('torch.stack');
    });
    await check(window, 'an error is explained', async () => {
        await window.goto(line('self.fc1(tokens'));
        await window.command('Torch Handbook: Explain an Error');
        await page.waitForSelector('.quick-input-widget input', { timeout: 20000 });
        await page.keyboard.press('Control+a');
        await page.keyboard.type('RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x256 and 400x120)');
        await page.keyboard.press('Enter');
        await window.previewSays('256 features arrive');
        await window.shot('vscode-explain');
        await window.close('mat1 and mat2');
    });
    await check(window, 'a network is summed up', async () => {
        await window.goto(line('class Attention'));
        await window.command('Torch Handbook: Show Layers and Memory of a Network');
        await window.previewSays('parameters', 60);
        await window.shot('vscode-summary');
        await window.close('Summary of');
    });
}
