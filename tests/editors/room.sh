# A room of its own for an editor: an empty home, a PATH with the server and nothing of the user's. To be sourced; sets
# ROOT (the repository), SETUP, SHOTS, WORK (removed at the end) and PATH. TORCH_HANDBOOK=/path/to/torch-handbook tests another server.
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(dirname "$(dirname "$HERE")")
PYTHON=${PYTHON:-$ROOT/.venv/bin/python}
SETUP="$HERE/.setup"
SHOTS="$HERE/.shots"
SCRIPT="$ROOT/tests/scripts/train_shapes.py"
[ -x "$PYTHON" ] || { echo "$PYTHON is not there: make the environment first, or set PYTHON to a Python with torch-handbook installed"; exit 2; }

WORK=$(mktemp -d)
leave() { rm -rf "$WORK"; }
trap leave EXIT

mkdir -p "$SHOTS" "$WORK/home" "$WORK/bin" "$WORK/project"
ln -s "${TORCH_HANDBOOK:-$(dirname "$PYTHON")/torch-handbook}" "$WORK/bin/torch-handbook"
cp "$SCRIPT" "$WORK/project/train.py"
# Not the environment's bin on PATH: editors would start the linters and servers that are there, too.
export HOME="$WORK/home" LANG=C.UTF-8 PATH="$WORK/bin:/usr/bin:/bin" VIRTUAL_ENV="$(dirname "$(dirname "$PYTHON")")"
export XDG_CONFIG_HOME="$HOME" XDG_DATA_HOME="$HOME" XDG_STATE_HOME="$HOME" XDG_CACHE_HOME="$HOME"
cd "$WORK/project"
