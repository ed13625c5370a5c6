// The Python extension's `environments`, as far as other extensions ask it for the active interpreter.
const { EventEmitter, Uri } = require('vscode');

exports.activate = () => {
    const changed = new EventEmitter();
    let path = process.env.FIRST_PYTHON;
    return {
        environments: {
            getActiveEnvironmentPath: () => ({ id: path, path }),
            resolveEnvironment: async (environment) => ({ id: environment.path, executable: { uri: Uri.file(environment.path) } }),
            onDidChangeActiveEnvironmentPath: changed.event,
        },
        choose(chosen) {
            path = chosen;
            changed.fire({ id: path, path });
        },
    };
};
