/** Other circumstances than a project with everything: no server, no torch, a workspace that is not trusted. */
import { check, SCRIPT } from './checks.mjs';
import { until, Window } from './window.mjs';

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
