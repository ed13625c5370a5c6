#!/bin/bash
# Sets up real editors and tests in them, one after the other, and says how each went. usage: run.sh EDITOR...
# A failure of one keeps none of the others from being tried; the run fails in the end.
set -uo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
LIMIT=600 # seconds for one editor, however many versions of it
results=() failed=0
[ $# -gt 0 ] || { echo "say which: vscode, jupyterlab, neovim, emacs, helix, vim"; exit 2; }

for editor in "$@"; do
    echo "== $editor"
    started=$SECONDS
    if ! bash "$HERE/setup.sh" "$editor"; then
        outcome="could not be set up"
    elif script="$HERE/$editor/run.sh" && { [ -e "$script" ] || script="$HERE/$editor.sh"; } && timeout -k 10 $LIMIT bash "$script"; then
        outcome="passed"
    else
        outcome="FAILED"
    fi
    [ "$outcome" = passed ] || failed=1
    results+=("$(printf '%-12s %-20s %4d s' "$editor" "$outcome" $((SECONDS - started)))")
done
printf '%s\n' "" "${results[@]}"
exit $failed
