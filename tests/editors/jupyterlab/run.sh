#!/bin/bash
# JupyterLab with jupyterlab-lsp in a browser, with the configuration that we tell people to take.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../room.sh"

export JUPYTER_CONFIG_DIR="$HOME/jupyter" JUPYTER_DATA_DIR="$HOME/jupyter-data" JUPYTER_RUNTIME_DIR="$HOME/jupyter-run" IPYTHONDIR="$HOME/ipython"
mkdir -p "$JUPYTER_CONFIG_DIR/jupyter_server_config.d"
cp "$ROOT/editors/jupyterlab/torch-handbook.json" "$JUPYTER_CONFIG_DIR/jupyter_server_config.d/"
cp "$HERE/jupyterlab/notebook.ipynb" .
"$SETUP/jupyterlab/bin/jupyter" --version | grep -E '^jupyterlab|^jupyter_server '
PATH="$SETUP/node/bin:$PATH" timeout 300 node "$HERE/jupyterlab/features.mjs" "$SETUP/jupyterlab/bin/jupyter" "$PWD"
