/** Notebooks: cells that know each other. */
import { check } from './checks.mjs';
import { until } from './window.mjs';

/** A notebook whose second cell makes what the third one uses wrongly. */
export function notebook() {
    const cells = ['import torch\nfrom torch import nn', 'x = torch.randn(32, 8)', '%time y = nn.Linear(8, 4)(x)', 'z = nn.Linear(5, 2)(x)'];
    const whole = cells.map((source) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source }));
    return JSON.stringify({ cells: whole, metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5 });
}

export async function cells(window) {
    const { page } = window;
    await check(window, 'the cells of a notebook know each other', async () => {
        await page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'cells.ipynb' }).first().dblclick({ timeout: 30000 });
        await page.waitForSelector('.notebook-editor .view-line', { timeout: 30000 });
        await page.waitForSelector('.notebook-editor .cdr.squiggly-error', { timeout: 60000 });
        const lines = page.locator('.notebook-editor .view-line');
        await until('a shape', async () => (await lines.allTextContents()).some((text) => text.replaceAll('\u00a0', ' ').includes('x: [32, 8]')));
        await window.shot('vscode-notebook');
    });
}
