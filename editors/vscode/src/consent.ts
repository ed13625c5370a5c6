/** Whether code of this workspace may be run: asked once, and remembered for the workspace. */
import { commands, ExtensionContext, window, workspace } from 'vscode';

const KEY = 'torchHandbook.mayRunCode';
const RUN = 'Run';
const DETAIL =
    'A benchmark runs the lines that you chose, and what they need of this file, in a process of its own that ends with it. ' +
    'Nothing else that Torch Handbook does runs your code. This is asked once for each workspace.';

/** Asks the first time; says why not where the workspace is not trusted. */
export async function mayRunCode(context: ExtensionContext): Promise<boolean> {
    if (!workspace.isTrusted) {
        const manage = 'Manage Workspace Trust';
        const chosen = await window.showWarningMessage('Torch Handbook: nothing is run in a workspace that you do not trust.', manage);
        if (chosen === manage) {
            await commands.executeCommand('workbench.trust.manage');
        }
        return false;
    }
    if (context.workspaceState.get<boolean>(KEY)) {
        return true;
    }
    const chosen = await window.showWarningMessage('May Torch Handbook run code of this workspace?', { modal: true, detail: DETAIL }, RUN);
    if (chosen === RUN) {
        await context.workspaceState.update(KEY, true);
    }
    return chosen === RUN;
}
