/** What all checks share: each waits for something on the screen, and a failure is a picture and what was seen. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HERE, until } from './window.mjs';

export const PYTHON = process.env.PYTHON;
export const SERVER = process.env.TORCH_HANDBOOK ?? join(dirname(PYTHON), 'torch-handbook');
export const SCRIPT = join(HERE, '../scripts/train_shapes.py');
const LINES = readFileSync(SCRIPT, 'utf8').split('\n');

const started = Date.now();
export const outcome = { passed: 0, failed: [] };

export function say(...words) {
    console.log(`${((Date.now() - started) / 1000).toFixed(1)} s`.padStart(7), ...words);
}

/** The number of the first line of the script that holds a text, from 1. */
export function line(text) {
    return LINES.findIndex((each) => each.includes(text)) + 1;
}

/** Where torch is in the Python of the tests. */
export function torchFolder() {
    const find = 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])';
    return execFileSync(PYTHON, ['-c', find], { encoding: 'utf8' }).trim();
}

export async function check(window, name, look) {
    try {
        await look();
        outcome.passed += 1;
        say('ok    ', name);
    } catch (error) {
        outcome.failed.push(name);
        say('FAILED', name, String(error).split('\n').slice(0, 6).join('\n'));
        await window.shot(`FAILED-${name.replaceAll(/\W+/g, '-')}`);
        console.log(await window.describe());
        await window.page.keyboard.press('Escape');
    }
}

/** Takes all changes back, so that the next check begins with the file as it is. */
export async function revert(window) {
    await window.command('File: Revert File');
    await until('the file is as it was', async () => (await window.page.locator('.tab.active.dirty').count()) === 0);
}
