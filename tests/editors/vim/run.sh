#!/bin/bash
# Vim with ALE in a terminal, with the lines of configuration that we tell people to write.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../screen.sh"

vim --version | head -1
awk '/^```vim/ { inside = 1; next } /^```/ && inside { exit } inside' "$ROOT/editors/vim/README.md" |
    sed "s|~/torch-handbook|$ROOT|" >"$HOME/.vimrc"
echo "set noswapfile hidden mouse= ttimeoutlen=5 background=dark" >>"$HOME/.vimrc"
starts vim train.py

look() { keys Escape Escape "/$1" Enter zz; } # goes to what is searched for
command() { keys Escape Escape ":$1" Enter; }

sees "import torch"
look "loss.backward"
sees_once "grows a graph through every loss" 60
sees_once "takes 576 features" 60
shot vim-1-open
look "nn.Conv2d"
keys w w K
sees "in_channels"
sees "⚠"
lacks '```'
lacks '`'
shot vim-2-hover
keys Enter
command "only"
look "running_loss += loss"
command "ALECodeAction"
sees "detach()"
sees "Type number"
shot vim-3-actions
keys 1 Enter
sees "running_loss += loss.detach()"
misses "grows a graph through every loss"
look "return F.softmax"
keys O "x = F.softm" C-x C-o
sees "⚠ "
shot vim-4-completion
keys C-e Escape u
look "return torch.einsum"
command "TorchBenchmark"
sees "median" 90
lacks '**torch'
shot vim-5-benchmark
keys q
command "TorchPage torch.nn.Conv2d"
sees "Slides a bank"
lacks '`'
shot vim-6-page
keys q
command "TorchSearch join tensors along a new axis"
sees "1. torch.stack"
shot vim-7-search
keys 1 Enter
sees "torch.stack("
keys q
command "TorchExplain RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x256 and 400x120)"
sees "256 features arrive"
shot vim-8-explain
keys q
look "class Attention"
command "TorchSummary"
sees "Summary of Attention"
command "TorchPage torch.no.such.name"
sees "there is no page called torch.no.such.name"
command "qall!"
echo "pictures: $SHOTS"
