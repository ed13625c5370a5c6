/** The Python that is active in the editor, as the Python extension says. */
import { commands, Disposable, EventEmitter, extensions, Uri, workspace } from 'vscode';

const EXTENSION = 'ms-python.python';
const PATIENCE = 5000; // milliseconds: the extension may still be looking for interpreters

interface EnvironmentPath {
    readonly path: string;
}

/** The part of the extension's API that is used here; see its `environments`. */
interface Environments {
    getActiveEnvironmentPath(resource?: Uri): EnvironmentPath;
    resolveEnvironment(environment: EnvironmentPath): Promise<{ executable: { uri: Uri | undefined } } | undefined>;
    onDidChangeActiveEnvironmentPath(listener: () => void): Disposable;
}

/** Follows the choice of an interpreter. Without the Python extension, or in a workspace that nobody trusts, there is none. */
export class ActivePython {
    path: string | undefined;
    private environments: Environments | undefined;
    private awaited = false;
    private readonly changed = new EventEmitter<void>();
    readonly onDidChange = this.changed.event;

    /** Asks the extension, and waits for it a while. What it says later is an event. */
    async look(subscriptions: Disposable[]): Promise<void> {
        if (this.environments === undefined && workspace.isTrusted) {
            const late = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE));
            this.awaited = true;
            await Promise.race([this.connect(subscriptions), late]);
            this.awaited = false;
        }
    }

    private async connect(subscriptions: Disposable[]): Promise<void> {
        const extension = extensions.getExtension<{ environments?: Environments }>(EXTENSION);
        const environments = (await extension?.activate())?.environments;
        if (environments && this.environments === undefined) {
            this.environments = environments;
            subscriptions.push(environments.onDidChangeActiveEnvironmentPath(() => void this.read()));
            await this.read();
        }
    }

    private async read(): Promise<void> {
        const active = this.environments?.getActiveEnvironmentPath(workspace.workspaceFolders?.[0]?.uri);
        const known = active && (await this.environments?.resolveEnvironment(active));
        const path = known?.executable.uri?.fsPath ?? active?.path;
        if (path !== this.path) {
            this.path = path;
            if (!this.awaited) {
                this.changed.fire();
            }
        }
    }
}

/** Lets the user choose: with the Python extension's own picker, else by the setting. */
export async function choosePython(): Promise<void> {
    if (extensions.getExtension(EXTENSION)) {
        await commands.executeCommand('python.setInterpreter');
    } else {
        await commands.executeCommand('workbench.action.openSettings', 'torchHandbook.python');
    }
}
