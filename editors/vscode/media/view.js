// What a page does in its frame: words that name a page become links, and code gets buttons.
const vscode = acquireVsCodeApi();
const { insert, back, forward, names } = JSON.parse(document.getElementById('state').textContent);
const known = new Set(names);

function button(text, title, wish) {
    const made = document.createElement('button');
    Object.assign(made, { textContent: text, title });
    made.addEventListener('click', () => vscode.postMessage(typeof wish === 'function' ? wish() : wish));
    return made;
}

/** The page that a word in code style names, if it is one: "nn.Linear" as well as "torch.nn.Linear", a guide, a rule. */
function pageOf(text) {
    const name = text.replace(/\(\)$/, '');
    return [name, `torch.${name}`].find((each) => /[./-]/.test(name) && known.has(each));
}

for (const word of document.querySelectorAll('main :not(pre) > code')) {
    const name = word.closest('a, h1') ? undefined : pageOf(word.textContent);
    if (name) {
        const link = document.createElement('a');
        Object.assign(link, { href: '#', title: `Open ${name}` });
        link.addEventListener('click', (event) => {
            event.preventDefault();
            vscode.postMessage({ kind: 'page', name });
        });
        word.replaceWith(link);
        link.append(word);
    }
}

/** Of a block that shows two ways, each below a comment, the second: it is the one that is right, or faster. */
function best(code) {
    const two = /^# [^\n]+\n[\s\S]*\n\n# (?!->)[^\n]+\n(?<second>[\s\S]*)$/.exec(code);
    return two ? two.groups.second : code;
}

for (const block of document.querySelectorAll('main pre')) {
    const bar = document.createElement('div');
    bar.className = 'bar';
    if (insert && block.querySelector('.language-python')) {
        bar.append(button('Insert', 'Insert below the cursor in the code', () => ({ kind: 'insert', code: best(block.innerText) })));
    }
    bar.append(button('Copy', 'Copy all of it', () => ({ kind: 'copy', code: block.innerText })));
    const frame = document.createElement('div');
    frame.className = 'block';
    block.replaceWith(frame);
    frame.append(block, bar);
}

for (const table of document.querySelectorAll('main table')) {
    const frame = document.createElement('div');
    frame.className = 'wide';
    table.replaceWith(frame);
    frame.append(table);
}

if (insert) {
    const bar = document.createElement('nav');
    const backward = button('← Back', 'The page before', { kind: 'back' });
    const onward = button('Forward →', 'The page after', { kind: 'forward' });
    backward.disabled = !back;
    onward.disabled = !forward;
    bar.append(...(back || forward ? [backward, onward] : []), button('Search…', 'Search the handbook', { kind: 'search' }));
    document.body.prepend(bar);
}
