# A terminal (tmux) in a room of its own, and what a person does and sees in it. To be sourced.
. "$(dirname "${BASH_SOURCE[0]}")/room.sh"

SOCKET="$WORK/tmux"
leave() {
    tmux -S "$SOCKET" kill-server 2>/dev/null || true
    rm -rf "$WORK"
}

screen() { tmux -S "$SOCKET" "$@"; }
keys() { screen send-keys "$@"; }
shown() { screen capture-pane -p; }

# Starts a program in a terminal of 130 columns and 36 lines, with all colours.
starts() {
    export TERM=xterm-256color COLORTERM=truecolor
    screen -f /dev/null new-session -d -x 130 -y 36 "$*"
    screen set -g default-terminal tmux-256color
    screen set -ga terminal-overrides ',*:Tc'
}

# Ends the test: what comes after a step that failed means nothing.
fails() {
    echo "FAILED: $1"
    shown
    exit 1
}

# Waits until a text stands on the screen; after some seconds the test has failed, and the screen is shown.
sees() {
    local end=$((SECONDS + ${2:-30}))
    until shown | grep -qF -- "$1"; do
        if [ $SECONDS -ge $end ]; then
            fails "not on the screen: $1"
        fi
        sleep 0.05
    done
    echo "ok $1"
}

# Waits until a text is gone from the screen.
misses() {
    local end=$((SECONDS + ${2:-30}))
    while shown | grep -qF -- "$1"; do
        if [ $SECONDS -ge $end ]; then
            fails "still on the screen: $1"
        fi
        sleep 0.05
    done
    echo "ok, gone: $1"
}

# Waits until the screen stays as it is: it is drawn in steps.
settles() {
    local before='' now end=$((SECONDS + 5))
    now=$(shown)
    while [ "$now" != "$before" ] && [ $SECONDS -lt $end ]; do
        before=$now
        sleep 0.2
        now=$(shown)
    done
}

# A text stands on the screen once, and not twice.
sees_once() {
    sees "$@"
    settles
    local count
    count=$(shown | grep -cF -- "$1" || true)
    [ "$count" -le 1 ] || fails "$count times on the screen: $1"
}

# A text is not there, now that everything is.
lacks() {
    settles
    if shown | grep -qF -- "$1"; then fails "on the screen: $1"; else echo "ok, not there: $1"; fi
}

# Keeps a picture of the screen.
shot() {
    local style='font:14px DejaVu Sans Mono,monospace;line-height:17px;margin:4px;color:#bcbcbc'
    settles
    screen capture-pane -p -e | aha --black | sed "s/<pre>/<pre style=\"$style\">/; s/background-color:black/background:#1c1c1c/; s/<\/head>/<style>span{padding-bottom:1px}<\/style>&/" >"$WORK/$1.html"
    timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-background-networking --window-size=1110,630 --hide-scrollbars \
        --screenshot="$SHOTS/$1.png" "file://$WORK/$1.html" >/dev/null 2>&1 || echo "no picture of $1"
}
