/** Finding the server and describing it to the client. */
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { commands, env, extensions, window, workspace } from 'vscode';
import manifest from '../package.json';

const { properties } = manifest.contributes.configuration;
export const INSTALL = 'pipx install .';
const OURS = ['server', 'trace.server'];
const SETTINGS = Object.keys(properties)
    .map((name) => name.replace('torchHandbook.', ''))
    .filter((name) => !OURS.includes(name));
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
function expand(path: string): string {
    const folder = folders()[0] ?? '';
    const full = path.replace(/^~(?=$|[/\\])/, homedir()).replaceAll('${workspaceFolder}', folder);
    const inWorkspace = !isAbsolute(full) && /[/\\]/.test(full);
    return inWorkspace ? join(folder, full) : full;
}

/** The setting `torchHandbook.server` when there is one, and else whatever is found; undefined when nothing can be run. */
export function findServer(): string | undefined {
    const setting = configured();
    const paths = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    if (setting !== '') {
        const path = expand(setting);
        return isAbsolute(path) ? [path].find(runs) : paths.map((folder) => join(folder, path)).find(runs);
    }
    const environments = folders().map((folder) => join(folder, '.venv', WINDOWS ? 'Scripts' : 'bin'));
    const ofPrograms = join(homedir(), '.local', 'bin'); // of pipx and uv; a window that was not started from a shell may lack it
    return [...paths, ...environments, ofPrograms].map((folder) => join(folder, PROGRAM)).find(runs);
}

function configured(): string {
    return workspace.getConfiguration('torchHandbook').get<string>('server', '').trim();
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
        await commands.executeCommand('workbench.action.openSettings', 'torchHandbook');
    } else if (chosen !== undefined) {
        await commands.executeCommand('torchHandbook.restart');
    }
}

/** Extensions with servers of their own that complete Python. */
const PYTHON_SERVERS = [
    'ms-pyright.pyright',
    'detachhead.basedpyright',
    'anysphere.cursorpyright',
    'astral-sh.ty',
    'meta.pyrefly',
    'zubanls.zuban',
];

/** Whether another extension offers the names of torch already. That of Python itself does it with Pylance or Jedi, unless
 *  its setting says that it should not. */
function anotherServerCompletes(): boolean {
    const python = extensions.getExtension('ms-python.python') !== undefined;
    const chosen = workspace.getConfiguration('python').get<string>('languageServer', 'Default');
    return (python && chosen !== 'None') || PYTHON_SERVERS.some((name) => extensions.getExtension(name) !== undefined);
}

/** The server's own settings: those of this extension that somebody set. Defaults are not sent, for they would override
 *  what the project's pyproject.toml says; what holds where nobody has said anything goes under `defaults`. */
export function serverSettings(): Record<string, unknown> {
    const all = workspace.getConfiguration('torchHandbook');
    const found: Record<string, unknown> = {};
    for (const key of SETTINGS) {
        const { globalValue, workspaceValue, workspaceFolderValue } = all.inspect(key) ?? {};
        if (globalValue !== undefined || workspaceValue !== undefined || workspaceFolderValue !== undefined) {
            found[key] = key === 'python' ? expand(all.get<string>(key, '')) : all.get(key);
        }
    }
    return anotherServerCompletes() ? { ...found, defaults: { 'completion.mode': 'annotated' } } : found;
}
