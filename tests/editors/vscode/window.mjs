/** VS Code in a browser: starts code-server with the extension, opens it in Chromium, and offers what a person does there. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const HERE = dirname(import.meta.dirname);
const SETUP = join(HERE, '.setup');
export const VSIX = join(SETUP, 'torch-handbook.vsix');
export const SHOTS = join(HERE, '.shots');
const ENTRY = join(SETUP, 'code-server/node_modules/code-server/out/node/entry.js');
const { chromium } = createRequire(join(SETUP, 'playwright/'))('playwright-core');

const SETTINGS = {
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
    'workbench.colorTheme': 'Default Light Modern',
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'telemetry.telemetryLevel': 'off',
    'chat.disableAIFeatures': true,
    'security.workspace.trust.startupPrompt': 'never',
    'extensions.autoCheckUpdates': false,
    'extensions.autoUpdate': false,
    'extensions.ignoreRecommendations': true,
    'update.mode': 'none',
    'window.commandCenter': false,
    'git.enabled': false,
    'editor.accessibilitySupport': 'off',
    'editor.minimap.enabled': false,
    'files.autoSave': 'off',
};

/** Asks again until there is an answer; fails after `seconds` with what was waited for, a text or a function that says it. */
export async function until(what, ask, seconds = 20) {
    const end = Date.now() + seconds * 1000;
    for (;;) {
        const answer = await ask();
        if (answer) {
            return answer;
        }
        if (Date.now() > end) {
            throw new Error(`not within ${seconds} s: ${typeof what === 'function' ? await what() : what}`);
        }
        await new Promise((wake) => setTimeout(wake, 50));
    }
}

function freePort() {
    return new Promise((found) => {
        const server = createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => found(port));
        });
    });
}

function answers(port) {
    return new Promise((tell) => {
        const request = get({ host: '127.0.0.1', port, path: '/healthz' }, (response) => {
            response.resume();
            tell(response.statusCode === 200);
        });
        request.on('error', () => tell(false));
    });
}

/** One code-server with its own home, settings and extensions; `trusting` says whether it takes every workspace as trusted. */
export class Code {
    constructor(settings, { trusting = true, options = [] } = {}) {
        this.data = mkdtempSync(join(tmpdir(), 'torch-handbook-code-'));
        this.settings = { ...SETTINGS, ...settings, 'security.workspace.trust.enabled': !trusting };
        this.options = [...options, ...(trusting ? ['--disable-workspace-trust'] : [])];
        this.extra = {}; // what else its processes find in their environment
        this.output = '';
    }

    /** Nothing of the machine that the test should not see: neither its home nor its PATH. */
    get environment() {
        const home = join(this.data, 'home');
        const path = [join(SETUP, 'node/bin'), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
        return { ...this.extra, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, PATH: path, LANG: 'C.UTF-8', SHELL: '/bin/bash' };
    }

    get folders() {
        return ['--user-data-dir', this.data, '--extensions-dir', join(this.data, 'extensions')];
    }

    async start(vsix) {
        // Settings that belong to a machine are read from Machine in a remote window, all others from User.
        for (const scope of ['User', 'Machine', 'home']) {
            mkdirSync(join(this.data, scope), { recursive: true });
            writeFileSync(join(this.data, scope, 'settings.json'), JSON.stringify(this.settings));
        }
        const install = spawnSync('node', [ENTRY, ...this.folders, '--install-extension', vsix], { env: this.environment, encoding: 'utf8', timeout: 60000 });
        if (install.status !== 0) {
            throw new Error(`the extension cannot be installed: ${install.stdout}${install.stderr}`);
        }
        this.port = await freePort();
        const quiet = ['--auth', 'none', '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override', ...this.options];
        const address = ['--bind-addr', `127.0.0.1:${this.port}`];
        this.process = spawn('node', [ENTRY, ...quiet, ...address, ...this.folders], { env: this.environment, detached: true });
        this.process.stdout.on('data', (text) => (this.output += text));
        this.process.stderr.on('data', (text) => (this.output += text));
        await until('code-server answers', () => answers(this.port), 60);
    }

    /** A file of this run. */
    file(name, text) {
        const path = join(this.data, name);
        writeFileSync(path, text);
        return path;
    }

    /** A program of this run. */
    program(name, text) {
        const path = this.file(name, text);
        chmodSync(path, 0o755);
        return path;
    }

    /** A copy of some files as a workspace. */
    workspace(name, files) {
        const folder = join(this.data, name);
        mkdirSync(folder);
        for (const [target, source] of Object.entries(files)) {
            mkdirSync(dirname(join(folder, target)), { recursive: true });
            cpSync(source, join(folder, target));
        }
        return folder;
    }

    /** The ends of the logs that say why something failed. */
    logs() {
        const files = globSync(join(this.data, 'logs/**/*.log')).filter((file) => /exthost|Torch/.test(file));
        return files.map((file) => `--- ${file}\n${readFileSync(file, 'utf8').slice(-3000)}`).join('\n');
    }

    /** Signals all that it started; false when there is nothing left. */
    signal(name) {
        try {
            return process.kill(-this.process.pid, name);
        } catch {
            return false;
        }
    }

    /** Ends it with all that it started, which write to its folder to the last, and then removes that. */
    async stop() {
        if (this.process && this.signal('SIGTERM')) {
            await until('all of its processes end', () => !this.signal(0), 10).catch(() => this.signal('SIGKILL'));
        }
        if (!process.env.KEEP) {
            rmSync(this.data, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
        }
    }
}

export async function browser() {
    const quiet = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--disable-quic', '--no-first-run'];
    const closed = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
    return chromium.launch({ executablePath: '/usr/bin/chromium', args: [...quiet, ...closed] });
}

/** A window of VS Code, and what a person does in it. */
export class Window {
    constructor(page) {
        this.page = page;
    }

    static async open(chrome, code, folder) {
        const context = await chrome.newContext({ viewport: { width: 1400, height: 860 } });
        const window = new Window(await context.newPage());
        await window.page.goto(`http://127.0.0.1:${code.port}/?folder=${folder}`);
        await window.page.waitForSelector('.monaco-workbench .explorer-folders-view .monaco-list-row', { timeout: 60000 });
        return window;
    }

    async shot(name) {
        // Hovers and lists fade in; a picture of the half of it would be of no use.
        await this.page.waitForTimeout(350);
        mkdirSync(SHOTS, { recursive: true });
        await this.page.screenshot({ path: join(SHOTS, `${name}.png`) });
    }

    async file(name) {
        await this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first().dblclick({ timeout: 30000 });
        await this.page.waitForSelector(`.tab.active:has-text("${name}")`, { timeout: 20000 });
        await this.page.waitForSelector('.editor-instance .view-line', { timeout: 20000 });
    }

    /** Chooses a command by its title, as in the palette. */
    async command(title) {
        await this.page.keyboard.press('F1');
        await this.page.waitForSelector('.quick-input-widget input');
        await this.page.keyboard.type(title);
        await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor({ timeout: 10000 });
        await this.page.keyboard.press('Enter');
        // A command may open the same widget again for a question of its own.
        const asked = () => this.page.locator('.quick-input-widget:visible input').first().inputValue({ timeout: 100 });
        await until('the palette closes', () => asked().then((text) => !text.startsWith('>'), () => true));
    }

    /** Puts the cursor at a line and column, both from 1. */
    async goto(line, column = 1) {
        await this.page.keyboard.press('Control+g');
        await this.page.waitForSelector('.quick-input-widget input');
        await this.page.keyboard.type(`${line}:${column}`);
        await this.page.locator('.quick-input-list .monaco-list-row', { hasText: /line/i }).first().waitFor({ timeout: 10000 });
        await this.page.keyboard.press('Enter');
        await this.page.waitForSelector('.quick-input-widget', { state: 'hidden' });
    }

    /** The lines on the screen, with hints, as a person reads them. */
    async text() {
        const lines = await this.page.locator('.editor-instance .view-line').evaluateAll((all) =>
            all.map((line) => ({ top: parseFloat(line.style.top), text: line.textContent })).sort((a, b) => a.top - b.top),
        );
        return lines.map((line) => line.text.replaceAll('\u00a0', ' ')).join('\n');
    }

    async sees(what, seconds = 20) {
        return until(`"${what}" in the editor`, async () => (await this.text()).includes(what), seconds);
    }

    /** Points at the last word `word` of the visible line that holds `line`. */
    async hover(line, word) {
        await this.page.mouse.move(5, 855);
        const spans = this.page.locator('.editor-instance .view-line', { hasText: line }).first().locator('span span', { hasText: word });
        const box = await spans.last().boundingBox();
        const text = await spans.last().textContent();
        const middle = (text.lastIndexOf(word) + word.length / 2) / text.length;
        await this.page.mouse.move(box.x + box.width * middle, box.y + box.height / 2, { steps: 4 });
    }

    hoverText() {
        return this.page.locator('.monaco-hover:visible').allTextContents().then((texts) => texts.join('\n'));
    }

    async hoverSays(what, seconds = 20) {
        const missed = async () => `"${what}" in a hover; seen: ${await this.hoverText()}`;
        return until(missed, async () => (await this.hoverText()).includes(what), seconds);
    }

    toasts() {
        return this.page.locator('.notification-toast').allInnerTexts().then((texts) => texts.join('\n'));
    }

    /** Goes back to an open file, from a page that has the keyboard. */
    async back(name) {
        await this.page.locator('.tab', { hasText: name }).first().click();
        await this.page.waitForSelector(`.tab.active:has-text("${name}")`, { timeout: 10000 });
        await until('the file has the keyboard', () => this.page.locator('.editor-instance .monaco-editor.focused').count());
    }

    /** Closes the tab whose title holds a text. */
    async close(title) {
        const tab = this.page.locator('.tab', { hasText: title }).last();
        await tab.hover();
        await tab.locator('.tab-actions .action-label').first().click({ timeout: 5000 });
        await tab.waitFor({ state: 'detached', timeout: 10000 });
    }

    /** The text of a page or a report, which sit in frames of their own. */
    async preview() {
        const texts = await Promise.all(
            this.page.frames().slice(1).map((frame) => frame.locator('body.vscode-body main').allInnerTexts().catch(() => [])),
        );
        return texts.flat().join('\n').trim();
    }

    async previewSays(what, seconds = 20) {
        const missed = async () => `"${what}" in a page; seen: ${(await this.preview()).slice(0, 400)}`;
        return until(missed, async () => (await this.preview()).includes(what), seconds);
    }

    /** What a selector finds in the pages that are open, the first of it. */
    async inPreview(selector, options) {
        return until(`${selector} in a page`, async () => {
            for (const frame of this.page.frames().slice(1)) {
                const found = frame.locator(`body.vscode-body ${selector}`, options).first();
                if (await found.isVisible().catch(() => false)) {
                    return found;
                }
            }
        });
    }

    /** The text in the status bar. */
    status() {
        return this.page.locator('.part.statusbar .statusbar-item', { hasText: /torch|Torch/ }).allInnerTexts().then((texts) => texts.join('\n'));
    }

    /** Answers the question whether code may be run. */
    async answer(button) {
        await this.page.locator('.monaco-dialog-box .monaco-button', { hasText: button }).click({ timeout: 15000 });
        await this.page.waitForSelector('.monaco-dialog-box', { state: 'detached' });
    }

    /** What is on the screen, in words, for a failure. */
    async describe() {
        const problems = await this.page.locator('.markers-panel .monaco-list-row').allTextContents();
        const squiggles = await this.page.locator('[class*="squiggly-"]').count();
        return [`text: ${await this.text()}`, `hover: ${await this.hoverText()}`, `toasts: ${await this.toasts()}`, `squiggles: ${squiggles}`, `problems: ${problems.join(' | ')}`, `preview: ${(await this.preview()).slice(0, 1500)}`].join('\n');
    }
}
