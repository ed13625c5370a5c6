#!/bin/bash
# Neovim 0.12 with the plugin, and 0.10 with the lines of our README; 0.11 is in `make test`.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../room.sh"

"$SETUP/trixie/bin/nvim" --version | head -1
awk '/^## Neovim 0.10/ { here = 1 } here && /^```lua/ { inside = 1; next } /^```/ && inside { exit } inside' \
    "$ROOT/editors/neovim/README.md" >"$WORK/init.lua"
timeout 300 "$SETUP/trixie/bin/nvim" --headless -u "$WORK/init.lua" -l "$HERE/neovim/old.lua" train.py 2>&1

"$SETUP/forky/bin/nvim" --version | head -1
cd "$ROOT"
NVIM_BINARY="$SETUP/forky/bin/nvim" timeout 300 "$PYTHON" -m pytest -q -p no:cacheprovider tests/test_neovim.py
