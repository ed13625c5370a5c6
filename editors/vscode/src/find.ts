/** Finding the server, and saying what to do where there is none. */
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { commands, env, window, workspace } from 'vscode';

export const INSTALL = 'pipx install .';
const WINDOWS = process.platform === 'win32';
const PROGRAM = WINDOWS ? 'torch-handbook.exe' : 'torch-handbook';

function runs(path: string): boolean {
    try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
    } catch {
        return false;
    }
}

function folders(): string[] {
    return (workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

/** A path as a person writes it in settings: with ~, ${workspaceFolder}, or relative to the workspace. */
export function expand(path: string): string {
    const folder = folders()[0] ?? '';
    const full = path.replace(/^~(?=$|[/\\])/, homedir()).replaceAll('${workspaceFolder}', folder);
    const inWorkspace = !isAbsolute(full) && /[/\\]/.test(full);
    return inWorkspace ? join(folder, full) : full;
}

/** Whether a program may be started: what lies in a workspace that nobody trusts may not. */
function isAllowed(path: string): boolean {
    const inside = (folder: string) => !relative(folder, path).startsWith('..') && !isAbsolute(relative(folder, path));
    return isAbsolute(path) && (workspace.isTrusted || !folders().some(inside));
}

function configured(): string {
    return workspace.getConfiguration('torchHandbook').get<string>('server', '').trim();
}

/** The setting `torchHandbook.server` when there is one; else the first of: beside the Python that is active in the editor,
 *  on PATH, in a .venv of the workspace, where pipx and uv put programs. Undefined when nothing can be run. */
export function findServer(python: string | undefined): string | undefined {
    const setting = configured();
    const paths = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    const first = (found: string[]) => found.find((path) => isAllowed(path) && runs(path));
    if (setting !== '') {
        const path = expand(setting);
        return first(isAbsolute(path) ? [path] : paths.map((folder) => join(folder, path)));
    }
    const active = python === undefined ? [] : [dirname(python), join(dirname(python), 'Scripts')];
    const environments = folders().map((folder) => join(folder, '.venv', WINDOWS ? 'Scripts' : 'bin'));
    const ofPrograms = join(homedir(), '.local', 'bin'); // of pipx and uv; a window that was not started from a shell may lack it
    return first([...active, ...paths, ...environments, ofPrograms].map((folder) => join(folder, PROGRAM)));
}

/** Says once that there is no server, with the way to get it. */
export async function sayMissing(): Promise<void> {
    const setting = configured();
    const copy = 'Copy Install Command';
    const settings = 'Open Settings';
    const text = setting
        ? `Torch Handbook: the server that torchHandbook.server names, ${setting}, cannot be run.`
        : `Torch Handbook needs its server. Install it with "${INSTALL}" in a checkout of its repository, then restart it.`;
    const choices = setting ? [settings] : [copy, 'Restart', settings];
    const chosen = await window.showErrorMessage(text, ...choices);
    if (chosen === copy) {
        await env.clipboard.writeText(INSTALL);
        window.setStatusBarMessage(`Copied: ${INSTALL}`, 5000);
    } else if (chosen === settings) {
        await commands.executeCommand('workbench.action.openSettings', 'torchHandbook.server');
    } else if (chosen !== undefined) {
        await commands.executeCommand('torchHandbook.restart');
    }
}
