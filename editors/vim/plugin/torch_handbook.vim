" The commands that ALE has no name for.

if exists('g:loaded_torch_handbook')
    finish
endif
let g:loaded_torch_handbook = 1

" Without this ALE keeps what the server says, such as why there is nothing to benchmark, to itself.
let g:ale_lsp_show_message_severity = get(g:, 'ale_lsp_show_message_severity', 'information')

command! -range TorchBenchmark call torch_handbook#benchmark(<line1>, <line2>)
command! TorchSummary call torch_handbook#summary()
command! -nargs=1 TorchPage call torch_handbook#page(<q-args>)
command! -nargs=+ TorchSearch call torch_handbook#search(<q-args>)
command! -range -nargs=* TorchExplain call torch_handbook#explain(<range> ? join(getline(<line1>, <line2>), "\n") : <q-args>)
