#!/bin/bash
# Builds the VS Code extension and uses it in real VS Code (code-server in Chromium). Sets up what it needs.
# usage: vscode.sh [SCRIPT.mjs]; pictures of what was seen are in tests/editors/.shots.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(dirname "$(dirname "$HERE")")
export PYTHON=${PYTHON:-$ROOT/.venv/bin/python}
[ -x "$PYTHON" ] || { echo "$PYTHON is not there: make the environment first, or set PYTHON to a Python with torch-handbook installed"; exit 2; }

bash "$HERE/setup.sh"
export PATH="$HERE/.setup/node/bin:$PATH" npm_config_cache="$HERE/.setup/npm-cache"
cd "$ROOT/editors/vscode"
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
npm run --silent check
npm run --silent package -- --out "$HERE/.setup/torch-handbook.vsix" >"$HERE/.setup/package.log" 2>&1 || { cat "$HERE/.setup/package.log"; exit 1; }
exec timeout 600 node "$HERE/vscode/${1:-features.mjs}"
