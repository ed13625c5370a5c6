/** What other parts of VS Code are told, asked within its own extension host; with a stand-in for the Python extension. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outcome, PYTHON, say, SCRIPT, SERVER, torchFolder } from './checks.mjs';
import { notebook } from './notebooks.mjs';
import { Code, HERE, until, VSIX } from './window.mjs';

/** An environment with torch and a server of its own, which writes down that it was started. */
function environment(code, name, starts) {
    const folder = join(code.data, name);
    execFileSync(PYTHON, ['-m', 'venv', '--without-pip', folder]);
    const find = 'import sysconfig; print(sysconfig.get_path("purelib"))';
    const packages = execFileSync(join(folder, 'bin/python'), ['-c', find], { encoding: 'utf8' }).trim();
    appendFileSync(join(packages, 'torch.pth'), `${dirname(torchFolder())}\n`);
    code.program(`${name}/bin/torch-handbook`, `#!/bin/sh\necho ${name} >>'${starts}'\nexec '${SERVER}' "$@"\n`);
    return join(folder, 'bin/python');
}

/** The address of a window that runs tests in its extension host. */
function address(code, folder) {
    const remote = (path) => `vscode-remote://127.0.0.1:${code.port}${join(HERE, 'vscode/host', path)}`;
    const payload = [['extensionDevelopmentPath', remote('python')], ['extensionTestsPath', remote('tests.js')]];
    return `http://127.0.0.1:${code.port}/?folder=${folder}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}

export async function host(chrome) {
    const code = new Code({}, { options: ['--vscode-option=enable-smoke-test-driver'] });
    const starts = code.file('starts', '');
    Object.assign(code.extra, { STARTS: starts, FIRST_PYTHON: environment(code, 'first', starts), SECOND_PYTHON: environment(code, 'second', starts) });
    try {
        await code.start(VSIX);
        const folder = code.workspace('host', { 'train_shapes.py': SCRIPT, 'cells.ipynb': code.file('cells.ipynb', notebook()) });
        const page = await (await chrome.newContext({ viewport: { width: 1400, height: 860 } })).newPage();
        await page.goto(address(code, folder));
        const result = join(folder, 'result.json');
        await until('the tests in the extension host to end', () => existsSync(result), 150);
        for (const { name, problem } of JSON.parse(readFileSync(result, 'utf8')).outcomes) {
            say(problem ? 'FAILED' : 'ok    ', `host: ${name}`, problem ?? '');
            outcome.passed += problem ? 0 : 1;
            outcome.failed.push(...(problem ? [name] : []));
        }
        await page.context().close();
    } catch (error) {
        outcome.failed.push('the extension host');
        say('FAILED', 'the extension host', String(error));
        console.log(code.logs());
    } finally {
        await code.stop();
    }
}
