#!/bin/bash
# Makes the README's pictures again, from what real editors and the command line show. Look at each before it is committed.
# usage: pictures.sh; a benchmark is only worth showing from a quiet machine.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(dirname "$(dirname "$HERE")")
PYTHON=${PYTHON:-$ROOT/.venv/bin/python}
PICTURES="$ROOT/editors/pictures"
export PYTHON

bash "$HERE/setup.sh" vscode vim # of which the terminal is what Neovim's pictures need
PARTS=openingAFile,hovers,completion,benchmarks,searching bash "$HERE/vscode.sh"
bash "$HERE/neovim/pictures.sh"
(cd "$ROOT" && COLUMNS=110 "$PYTHON" -m torch_handbook try tests/scripts/train_shapes.py --save "$PICTURES/try.svg" >"$HERE/.setup/try.log")

# Of all that the tests keep, what the README shows.
while read -r shown kept; do
    cp "$HERE/.shots/$kept.png" "$PICTURES/$shown.png"
done <<'END'
hover vscode-hover
diagnostics-and-shapes vscode-problems
completion vscode-completion
benchmark vscode-benchmark-report
explain vscode-explain
neovim neovim-1-open
END
if grep -lE "$HOME|$ROOT" "$PICTURES"/*.svg; then
    echo "a picture names a folder of this machine"
    exit 1
fi
echo "pictures: $PICTURES"
