#!/bin/bash
# Uses the Neovim plugin in a terminal and keeps pictures of what a person sees, in tests/editors/.shots.
# NVIM_BINARY is another Neovim than that of the environment; fails when something does not appear in time.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/../screen.sh"

cat >"$WORK/init.lua" <<LUA
vim.opt.rtp:prepend("$ROOT/editors/neovim")
vim.o.swapfile, vim.o.number, vim.o.signcolumn, vim.o.termguicolors = false, true, "yes", true
vim.cmd.colorscheme("habamax")
vim.api.nvim_set_hl(0, "FloatBorder", { link = "NormalFloat" })
vim.diagnostic.config({ virtual_text = true, severity_sort = true })
vim.o.winborder, vim.o.linebreak, vim.o.hlsearch = "rounded", true, false
vim.o.completeopt = "menuone,noselect,popup"
LUA
starts "${NVIM_BINARY:-$(dirname "$PYTHON")/nvim}" -u "$WORK/init.lua" train.py

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
echo "pictures: $SHOTS"
