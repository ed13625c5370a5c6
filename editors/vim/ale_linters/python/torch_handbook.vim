" The server, as ALE finds it: Python files are sent to it wherever this folder is on 'runtimepath'.

call ale#Set('python_torch_handbook_executable', 'torch-handbook')
call ale#Set('python_torch_handbook_config', {})

call ale#linter#Define('python', {
\   'name': 'torch_handbook',
\   'aliases': ['torch-handbook'],
\   'lsp': 'stdio',
\   'executable': {buffer -> ale#Var(buffer, 'python_torch_handbook_executable')},
\   'command': '%e serve',
\   'project_root': {buffer -> torch_handbook#root(buffer)},
\   'initialization_options': {buffer -> ale#Var(buffer, 'python_torch_handbook_config')},
\})
