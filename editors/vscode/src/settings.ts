/** What the server is told of the user's settings and of this editor. */
import { extensions, workspace } from 'vscode';
import manifest from '../package.json';
import { expand } from './find';

const { properties } = manifest.contributes.configuration;
const OURS = ['server', 'trace.server'];
const SETTINGS = Object.keys(properties)
    .map((name) => name.replace('torchHandbook.', ''))
    .filter((name) => !OURS.includes(name));

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
export function serverSettings(python: string | undefined): Record<string, unknown> {
    const all = workspace.getConfiguration('torchHandbook');
    const found: Record<string, unknown> = {};
    for (const key of SETTINGS) {
        const { globalValue, workspaceValue, workspaceFolderValue } = all.inspect(key) ?? {};
        if (globalValue !== undefined || workspaceValue !== undefined || workspaceFolderValue !== undefined) {
            found[key] = key === 'python' ? expand(all.get<string>(key, '')) : all.get(key);
        }
    }
    const defaults = {
        ...(anotherServerCompletes() ? { 'completion.mode': 'annotated' } : {}),
        ...(python === undefined ? {} : { python }),
    };
    return { ...found, defaults, ...(workspace.isTrusted ? {} : { trusted: false }) };
}
