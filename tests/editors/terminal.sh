#!/bin/bash
# Uses the Neovim plugin in a terminal (tmux) and keeps pictures of what a person sees, in tests/editors/.shots.
# usage: terminal.sh [SCRIPT.py]; fails when something does not appear in time.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(dirname "$(dirname "$HERE")")
BIN=$(dirname "${PYTHON:-$ROOT/.venv/bin/python}")
SHOTS="$HERE/.shots"
WORK=$(mktemp -d)
SOCKET="$WORK/tmux"
trap 'tmux -S "$SOCKET" kill-server 2>/dev/null; rm -rf "$WORK"' EXIT

failed=0

screen() { tmux -S "$SOCKET" "$@"; }
keys() { screen send-keys "$@"; }

# Waits until a text stands on the screen; after some seconds the run has failed, and the screen is shown.
sees() {
    local end=$((SECONDS + ${2:-20}))
    until screen capture-pane -p | grep -qF -- "$1"; do
        if [ $SECONDS -ge $end ]; then
            echo "FAILED: not on the screen: $1"
            screen capture-pane -p
            failed=1
            return
        fi
        sleep 0.05
    done
    echo "ok $1"
}

shot() {
    local style='font:14px DejaVu Sans Mono,monospace;line-height:17px;margin:4px;color:#bcbcbc'
    sleep 0.3 # the screen is drawn in steps
    screen capture-pane -p -e | aha --black | sed "s/<pre>/<pre style=\"$style\">/; s/background-color:black/background:#1c1c1c/" >"$WORK/$1.html"
    chromium --headless --no-sandbox --disable-gpu --disable-background-networking --window-size=1110,630 --hide-scrollbars \
        --screenshot="$SHOTS/$1.png" "file://$WORK/$1.html" >/dev/null 2>&1
}

mkdir -p "$SHOTS" "$WORK/home"
cat >"$WORK/init.lua" <<LUA
vim.opt.rtp:prepend("$ROOT/editors/neovim")
vim.o.swapfile, vim.o.number, vim.o.signcolumn, vim.o.termguicolors = false, true, "yes", true
vim.cmd.colorscheme("habamax")
vim.diagnostic.config({ virtual_text = true, severity_sort = true })
vim.o.winborder, vim.o.linebreak, vim.o.hlsearch = "rounded", true, false
vim.o.completeopt = "menuone,noselect,popup"
LUA
cp "${1:-$ROOT/tests/scripts/train_shapes.py}" "$WORK/train.py"
export XDG_CONFIG_HOME="$WORK/home" XDG_DATA_HOME="$WORK/home" XDG_STATE_HOME="$WORK/home" XDG_CACHE_HOME="$WORK/home" HOME="$WORK/home"
export PATH="$BIN:/usr/bin:/bin" LANG=C.UTF-8 TERM=xterm-256color COLORTERM=truecolor
cd "$WORK"
screen -f /dev/null new-session -d -x 130 -y 36 "nvim -u $WORK/init.lua train.py"
screen set -g default-terminal tmux-256color
screen set -ga terminal-overrides ',*:Tc'

look() { keys Escape Escape "$1" Enter zz; } # goes to what is searched for

sees "import torch"
look "/return torch.einsum"
keys zt
sees "25, 16]" 60
sees "enchmark"
shot neovim-1-open
look "/nn.Conv2d"
keys w w K
sees "in_channels"
shot neovim-2-hover
keys Escape Escape
look "/self.fc1(tokens"
keys C-w d
sees "linear-in-features-mismatch"
shot neovim-3-warning
look "/running_loss +="
keys gra
sees "detach()"
shot neovim-4-quick-fix
keys 1 Enter
sees "running_loss += loss.detach()"
look "/return F.softmax"
keys O "x = F.so" C-x C-o
sees "⚠"
keys C-n
sees "Turns scores"
shot neovim-5-completion
keys C-e Escape u
look "/return torch.einsum"
keys ":TorchBenchmark" Enter
sees "Run it, now"
keys 1 Enter
sees "TorchBenchmarkCancel"
shot neovim-6-progress
sees "edian" 90
shot neovim-7-report
keys q ":TorchPage torch.nn.Conv2d" Enter
sees "Conv2d"
shot neovim-8-page
keys q ":checkhealth torch_handbook" Enter
sees "Python and torch" 40
shot neovim-9-health
[ $failed = 0 ] && echo "pictures: $SHOTS"
exit $failed
