#!/bin/bash
# Unpacks programs of another Debian suite, with all that they need, into a folder of their own; the machine's own packages stay
# as they are. usage: debian_tree.sh SUITE FOLDER PACKAGE...; afterwards the programs are links and scripts in FOLDER/bin.
# Needs apt, dpkg and patchelf. The mirror is the one that this machine is set to use; versions are those that the suite has.
set -euo pipefail

SUITE=$1 FOLDER=$2
shift 2
APT="$FOLDER/apt" ROOT="$FOLDER/root"

# Both forms that apt knows: "deb [options] URL suite …" and "URIs: URL …".
MIRROR=$(find /etc/apt/sources.list /etc/apt/sources.list.d -type f \( -name '*.list' -o -name '*.sources' \) -exec cat {} + 2>/dev/null |
    grep -E '^(deb|URIs:)[[:space:]]' | grep -oE '[a-z+]+://[^] ]*/debian/?([[:space:]]|$)' | head -1 | tr -d '[:space:]' || true)
[ -n "$MIRROR" ] || { echo "no mirror of Debian is set up in /etc/apt, so $* of its suite $SUITE cannot be had"; exit 1; }
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

rm -rf "$FOLDER"
mkdir -p "$APT/none" "$APT/lists/partial" "$APT/cache/archives/partial" "$ROOT" "$FOLDER/bin"
: >"$APT/status"
echo "deb $([ -e $KEYRING ] && echo "[signed-by=$KEYRING]") $MIRROR $SUITE main" >"$APT/sources.list"
cat >"$APT/apt.conf" <<CONF
Dir::Etc::sourcelist "$APT/sources.list";
Dir::Etc::sourceparts "$APT/none";
Dir::Etc::preferencesparts "$APT/none";
Dir::State::lists "$APT/lists";
Dir::State::status "$APT/status";
Dir::Cache "$APT/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
CONF
export APT_CONFIG="$APT/apt.conf"
apt-get -qq update || { echo "the suite $SUITE of Debian cannot be had from the mirror of this machine"; exit 1; }
apt-get -qq -y --download-only -o Debug::NoLocking=1 install "$@" || { echo "the suite $SUITE of Debian does not offer: $*"; exit 1; }
for package in "$APT"/cache/archives/*.deb; do
    dpkg-deb --extract "$package" "$ROOT"
done
rm -rf "$APT"

# A program looks for its loader and its libraries in the tree. What it starts itself, such as our server, runs as on the machine.
LOADER=$(find "$ROOT" -name 'ld-linux*.so*' | head -1)
LIBRARIES=$(find "$ROOT" -name 'libc.so.6' -printf '%h\n' | head -1)

# The program behind a name, through links, which are absolute in packages.
real() {
    local path=$1
    while [ -L "$path" ]; do
        local target
        target=$(readlink "$path")
        case $target in /*) path=$ROOT$target ;; *) path=$(dirname "$path")/$target ;; esac
    done
    echo "$path"
}

# A script in FOLDER/bin that starts a program with an option of its own, or none, and some variables set.
offer() {
    local name=$1 program=$2 option=$3
    shift 3
    patchelf --set-interpreter "$LOADER" --force-rpath --set-rpath "$LIBRARIES" "$program"
    {
        echo '#!/bin/sh'
        for variable in "$@"; do echo "export $variable"; done
        echo "exec '$program' ${option:+'$option'} \"\$@\""
    } >"$FOLDER/bin/$name"
    chmod +x "$FOLDER/bin/$name"
}

if [ -e "$ROOT/usr/bin/nvim" ]; then
    offer nvim "$(real "$ROOT/usr/bin/nvim")" "" "VIMRUNTIME='$ROOT/usr/share/nvim/runtime'"
fi
if [ -e "$ROOT/usr/bin/hx" ]; then
    offer hx "$(real "$ROOT/usr/bin/hx")" "" "HELIX_RUNTIME='$ROOT/usr/lib/hx/runtime'"
fi
emacs=$(find "$ROOT/usr/bin" -name emacs-nox)
if [ -n "$emacs" ]; then
    share=$(find "$ROOT/usr/share/emacs" -maxdepth 1 -name '[0-9]*')
    memory=$(find "$ROOT/usr/libexec/emacs" -name '*.pdmp') # what Emacs has loaded before it starts
    lisp=$(find "$share/lisp" -type d -not -name obsolete | paste -sd:)
    offer emacs "$emacs" "--dump-file=$memory" "EMACSLOADPATH='$lisp'" "EMACSDATA='$share/etc'" "EMACSPATH='$(dirname "$memory")'"
fi
