/** What a person sees of Torch Handbook in VS Code, in one run. PARTS=hovers,pages runs some of it. */
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { benchmarks } from './benchmarks.mjs';
import { outcome, PYTHON, say, SCRIPT, SERVER } from './checks.mjs';
import { untrusted, withoutServer, withoutTorch } from './circumstances.mjs';
import { anotherScript, completion, elsewhere, hovers, openingAFile, quickFix, restarting, status, walkthrough } from './editing.mjs';
import { declarations, pages, reasons, searching } from './handbook.mjs';
import { host } from './host.mjs';
import { cells, notebook } from './notebooks.mjs';
import { browser, Code, SHOTS, VSIX, Window } from './window.mjs';

const IN_A_PROJECT = { openingAFile, status, hovers, completion, quickFix, benchmarks, pages, reasons, declarations, searching, restarting, anotherScript, cells, walkthrough };
const ELSEWHERE = { withoutServer, withoutTorch, untrusted, host };
const chosen = process.env.PARTS?.split(',');

function wanted(parts) {
    return Object.entries(parts).filter(([name]) => chosen === undefined || chosen.includes(name)).map(([, part]) => part);
}

async function inAProject(chrome, code, parts) {
    const settings = code.file('settings.json', JSON.stringify({ 'torchHandbook.server': SERVER, 'torchHandbook.python': PYTHON }));
    const made = { 'cells.ipynb': code.file('cells.ipynb', notebook()), '.vscode/settings.json': settings };
    const folder = code.workspace('project', { 'train_shapes.py': SCRIPT, 'parameter_server.py': elsewhere(), ...made });
    const window = await Window.open(chrome, code, folder);
    await window.file('train_shapes.py');
    for (const part of parts) {
        await part(window);
    }
    await window.page.context().close();
}

globSync(join(SHOTS, '{vscode,FAILED}-*.png')).forEach((old) => rmSync(old));
const code = new Code({});
let chrome;
try {
    await code.start(VSIX);
    say('code-server is up');
    chrome = await browser();
    for (const part of wanted(ELSEWHERE)) {
        await part(chrome, code);
    }
    const parts = wanted(IN_A_PROJECT);
    if (parts.length > 0) {
        await inAProject(chrome, code, parts);
    }
} catch (error) {
    outcome.failed.push('the run itself');
    console.error(error);
} finally {
    if (outcome.failed.length > 0) {
        console.log(code.logs());
    }
    await chrome?.close();
    await code.stop();
}
console.log(outcome.failed.length > 0 ? `failed: ${outcome.failed.join('; ')}` : `pictures: ${SHOTS}`);
console.log(`${outcome.passed} passed, ${outcome.failed.length} failed`);
process.exit(outcome.failed.length > 0 ? 1 : 0);
