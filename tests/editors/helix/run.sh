#!/bin/bash
# Helix in a terminal, with the configuration that we tell people to take.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../screen.sh"

hx="$SETUP/forky/bin/hx"
"$hx" --version
mkdir -p "$XDG_CONFIG_HOME/helix"
cp "$ROOT/editors/helix/languages.toml" "$XDG_CONFIG_HOME/helix/"
sed -n '/^```toml/,/^```/p' "$ROOT/editors/helix/README.md" | sed '/^```/d' >"$XDG_CONFIG_HOME/helix/config.toml"
"$hx" --health python | grep -F torch-handbook
starts "$hx" train.py

look() { keys Escape Escape "/$1" Enter; } # goes to what is searched for
command() { keys Escape Escape ":$1" Enter; }

sees "import torch"
look "running_loss .= loss"
sees_once "grows a graph through every loss" 60
look "features = F.relu"
sees_once "takes 576 features" 60
sees "25, 16]"
shot helix-1-open
look "Conv2d"
keys Space k
sees "in_channels"
sees "⚠"
lacks '```'
lacks '**Shapes'
shot helix-2-hover
look "running_loss .= loss"
keys Space a
sees "detach()"
shot helix-3-actions
keys Enter
sees "+= loss.detach()"
misses "grows a graph through every loss"
look "return F.softmax"
keys O "x = F.softm"
sees "log_softmax"
keys Tab
sees "⚠"
shot helix-4-completion
keys Escape Escape u
look "return torch.einsum"
keys x Space a
sees "Benchmark this against its replacement"
shot helix-5-choices
keys Down Enter
sees "edian" 90
shot helix-6-benchmark
command "buffer-close"
look "nn.Conv2d"
keys g D
sees "pages/torch.nn._Conv2d.md"
shot helix-7-page
command "buffer-close"
command "lsp-workspace-command"
sees "torch-handbook.page"
shot helix-8-commands
keys "torch-handbook.page" Enter
sees_once "to open a page, go to the declaration"
shot helix-9-command
command "q!"
echo "pictures: $SHOTS"
