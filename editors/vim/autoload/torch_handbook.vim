" What the commands do: they ask the server through ALE, and show what it answers in a window beside the code.

" The project's folder: the first with one of its files, or else that of the file itself.
function! torch_handbook#root(buffer) abort
    let l:root = ale#python#FindProjectRoot(a:buffer)
    return !empty(l:root) ? l:root : fnamemodify(bufname(a:buffer), ':p:h')
endfunction

function! torch_handbook#benchmark(first, last) abort
    echo 'Torch Handbook: the benchmark is running'
    call s:ask('benchmark', [s:uri(), {'line': a:first - 1, 'endLine': a:last - 1, 'show': v:false}], function('s:show'))
endfunction

function! torch_handbook#summary() abort
    call s:ask('summary', [s:uri(), {'line': line('.') - 1, 'character': 0, 'show': v:false}], function('s:show'))
endfunction

function! torch_handbook#page(name) abort
    call s:ask('page', [a:name], function('s:show'))
endfunction

" A message or a whole traceback; without one what was yanked last.
function! torch_handbook#explain(text) abort
    call s:ask('explain', [empty(a:text) ? getreg('"') : a:text], function('s:show'))
endfunction

function! torch_handbook#search(words) abort
    call s:ask('search', [a:words], function('s:choose'))
endfunction

function! s:uri() abort
    return ale#util#ToURI(expand('%:p'))
endfunction

" The Python file that a command is about: this one, or any other that is open.
function! s:file() abort
    let l:files = filter([bufnr('%')] + range(1, bufnr('$')), 'bufloaded(v:val) && getbufvar(v:val, "&filetype") is# "python"')
    return empty(l:files) ? 0 : l:files[0]
endfunction

function! s:ask(command, arguments, Then) abort
    let l:buffer = s:file()
    if !l:buffer
        return s:say('open a Python file first')
    endif
    let l:message = [0, 'workspace/executeCommand', {'command': 'torch-handbook.' . a:command, 'arguments': a:arguments}]
    call ale#lsp_linter#SendRequest(l:buffer, 'torch_handbook', l:message, {response -> s:answered(response, a:Then)})
endfunction

function! s:answered(response, Then) abort
    let l:answer = get(a:response, 'result', v:null)
    if type(l:answer) isnot v:t_dict
        call s:say(get(get(a:response, 'error', {}), 'message', 'the server sent no answer'))
    elseif get(l:answer, 'ok') || !empty(get(l:answer, 'report', ''))
        call a:Then(l:answer)
    else
        call s:say(get(l:answer, 'problem', 'the server sent no answer'))
    endif
endfunction

function! s:say(sentence) abort
    redraw
    echo 'Torch Handbook: ' . a:sentence
endfunction

" A page or a report in a window that q closes. ALE takes plain text, so there is some.
function! s:show(answer) abort
    let l:text = get(a:answer, 'plain', get(a:answer, 'markdown', get(a:answer, 'report', '')))
    let l:name = escape('torch-handbook: ' . a:answer.title, ' \|"*?[]')
    let l:old = bufnr('^torch-handbook: ' . escape(a:answer.title, '*?[]{},\') . '$')
    if l:old > 0
        execute 'bwipeout!' l:old
    endif
    execute 'botright' (&columns >= 150 ? 'vnew' : 'new') l:name
    setlocal buftype=nofile bufhidden=wipe noswapfile nonumber norelativenumber nolist signcolumn=no wrap linebreak
    call setline(1, split(l:text, "\n", 1))
    setlocal nomodifiable nomodified
    nnoremap <buffer> <silent> q :close<CR>
endfunction

function! s:choose(answer) abort
    let l:pages = a:answer.results
    if empty(l:pages)
        return s:say('no page has any of these words')
    endif
    let l:lines = map(copy(l:pages), {index, page -> s:line(index + 1, page)})
    " The answer came from a job: what is typed can only be asked for when that is over.
    call timer_start(0, {-> s:chosen(l:pages, inputlist(['Pages'] + l:lines[: &lines - 4]))})
endfunction

function! s:line(number, page) abort
    let l:text = printf('%d. %s  %s', a:number, a:page.name, empty(a:page.title) ? a:page.summary : a:page.title)
    return strdisplaywidth(l:text) < &columns ? l:text : strcharpart(l:text, 0, &columns - 2) . '…'
endfunction

function! s:chosen(pages, number) abort
    redraw
    if a:number > 0 && a:number <= len(a:pages)
        call torch_handbook#page(a:pages[a:number - 1].name)
    endif
endfunction
