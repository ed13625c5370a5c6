#!/bin/bash
# eglot in real Emacs: the machine's own, which has the oldest eglot that we serve, and that of Debian 13. First without a screen,
# then in a terminal with the lines that we tell people to write.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../screen.sh"

new="$SETUP/trixie/bin/emacs"
for emacs in "$(command -v emacs)" "$new"; do
    "$emacs" --version | head -1
    cp "$SCRIPT" train.py
    timeout 300 "$emacs" -q --batch -l "$HERE/emacs/test.el" train.py
done

cp "$SCRIPT" train.py
awk '/^```elisp/ { inside = 1; next } /^```/ && inside { exit } inside' "$ROOT/editors/emacs/README.md" |
    sed "s|~/torch-handbook|$ROOT|" >"$WORK/init.el"
starts "$new" -nw -q -l "$WORK/init.el" --eval "'(setq inhibit-startup-screen t make-backup-files nil create-lockfiles nil)'" train.py

look() { keys Escape '<' C-s "$1" Enter C-l; } # goes behind what is searched for
sees "import torch"
sees "eglot" 60
look "scores = q"
sees "25, 16]" 60
shot emacs-1-open
look "nn.Conv2d"
keys Left
sees "torch.nn.Conv2d("
keys C-h .
sees "Slides a bank"
lacks '```'
lacks '**Shapes'
shot emacs-2-hover
keys C-x 1
keys Escape x "torch-handbook-page" Enter C-a C-k "torch.nn.Linear" Enter
sees "*Torch Handbook: torch.nn.Linear*"
shot emacs-3-page
echo "pictures: $SHOTS"
