#!/bin/sh
# Installs postrider below a prefix: `./install.sh`, `./install.sh --prefix ~/.local`. uninstall.sh takes it away again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=/usr/local
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) prefix=${2:?a folder is needed behind --prefix} && shift 2 ;;
    --prefix=*) prefix=${1#--prefix=} && shift ;;
    *) sed -n '2s/^# //p' "$0" && exit 2 ;;
    esac
done
mkdir -p "$prefix" 2>/dev/null || true
if ! [ -w "$prefix" ]; then
    echo "$prefix cannot be written to: run this as root, or choose another folder with --prefix ~/.local" >&2
    exit 1
fi
cd "$here"
find bin share -type f | while IFS= read -r file; do
    mkdir -p "$prefix/$(dirname "$file")"
    # Beside its place and then moved there: a program that is running is not written over.
    cp "$file" "$prefix/$file.new"
    mv -f "$prefix/$file.new" "$prefix/$file"
done
echo "installed: $prefix/bin/postrider"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "put $prefix/bin on your PATH to call it as postrider" ;;
esac
