/** Notebooks: cells that know each other. */
import { check } from './checks.mjs';
import { until } from './window.mjs';

/** A notebook whose second cell makes what the last one uses wrongly. */
export function notebook() {
    const cells = ['import torch\nfrom torch import nn', 'x = torch.randn(32, 8)', '%time y = nn.Linear(8, 4)(x)', 'w = torch.einsum("ij,jk->ik", x, x.T)', 'z = nn.Linear(5, 2)(x)'];
    const whole = cells.map((source) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source }));
    return JSON.stringify({ cells: whole, metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5 });
}

export async function cells(window) {
    const { page } = window;
    const lines = page.locator('.notebook-editor .view-line');
    const seen = async () => (await lines.allTextContents()).map((text) => text.replaceAll('\u00a0', ' ')).join('\n');
    const wrong = lines.filter({ hasText: 'nn.Linear(5' }).locator('span span', { hasText: 'Linear' }).last();
    await check(window, 'the cells of a notebook know each other', async () => {
        await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'cells.ipynb' }).first().dblclick({ timeout: 30000 });
        await page.waitForSelector('.notebook-editor .view-line', { timeout: 30000 });
        await page.waitForSelector('.notebook-editor .cdr.squiggly-error', { timeout: 60000 });
        await until('a shape', async () => (await seen()).includes('x: [32, 8]'));
        await wrong.hover();
        await window.hoverSays('takes 5 features, but gets 8');
        await window.hoverSays('nn.Linear');
        await window.shot('vscode-notebook');
    });
    await check(window, 'a quick fix mends a cell', async () => {
        await page.keyboard.press('Escape');
        await lines.filter({ hasText: 'torch.einsum' }).locator('span span', { hasText: 'einsum' }).last().click();
        await page.keyboard.press('Control+.');
        await page.locator('.action-widget .monaco-list-row', { hasText: 'torch.mm(x, x.T)' }).first().click({ timeout: 15000 });
        await until('the mended line', async () => (await seen()).includes('= torch.mm(x, x.T)'));
    });
}
