/** Benchmarks: the question before the first one, from a lens to the report, the note that stays, and cancelling. */
import { check, line, revert } from './checks.mjs';
import { until } from './window.mjs';

export async function benchmarks(window) {
    const { page } = window;
    const lens = () => page.locator('.codelens-decoration a', { hasText: 'Benchmark it against its replacement' }).first().click({ timeout: 20000 });
    await check(window, 'before code is run for the first time there is a question', async () => {
        await window.goto(line('return torch.einsum'));
        await lens();
        await page.waitForSelector('.monaco-dialog-box:has-text("May Torch Handbook run code of this workspace?")', { timeout: 15000 });
        await window.shot('vscode-first-run');
        await window.answer('Cancel');
        await window.command('Torch Handbook: Benchmark Selection');
        await page.waitForSelector('.monaco-dialog-box:has-text("May Torch Handbook run")', { timeout: 15000 });
        await window.answer('Cancel');
    });
    await check(window, 'a lens runs a benchmark to its report', async () => {
        await window.goto(line('return torch.einsum'));
        await lens();
        await window.answer('Run');
        await page.waitForSelector('.notification-toast:has-text("Torch Handbook: benchmark: "):has-text("Cancel")', { timeout: 15000 });
        await window.shot('vscode-benchmark-progress');
        await window.previewSays('median', 90);
        await window.shot('vscode-benchmark-report');
        await window.close('Benchmark of');
    });
    await check(window, 'the result stands in the text until the code changes', async () => {
        const note = page.locator('.codelens-decoration a', { hasText: /einsum \d.* · again/ });
        await note.first().waitFor({ timeout: 10000 });
        await window.goto(line('return torch.einsum'), 16);
        await page.keyboard.type('1 * ');
        await note.first().waitFor({ state: 'detached', timeout: 20000 });
        await revert(window);
        await note.first().waitFor({ timeout: 20000 });
    });
    await check(window, 'a selection is timed without another question, and cancelled', async () => {
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
