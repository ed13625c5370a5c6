#!/bin/bash
# eglot in real Emacs, without a screen: the machine's own, which has the oldest eglot that we serve, and that of Debian 13.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../room.sh"

for emacs in "$(command -v emacs)" "$SETUP/trixie/bin/emacs"; do
    "$emacs" --version | head -1
    cp "$SCRIPT" train.py
    timeout 300 "$emacs" -q --batch -l "$HERE/emacs/test.el" train.py
done
