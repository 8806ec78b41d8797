#!/bin/sh
# Takes away what install.sh installed: `./uninstall.sh`, `./uninstall.sh --prefix ~/.local`. Your games, keys and settings stay.
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
cd "$here"
find bin share -type f | while IFS= read -r file; do rm -f "$prefix/$file"; done
# Folders that were made for it are empty now; others are not.
find bin share -mindepth 1 -depth -type d | while IFS= read -r folder; do
    rmdir "$prefix/$folder" 2>/dev/null || true
done
rmdir "$prefix/bin" "$prefix/share" 2>/dev/null || true
echo "postrider is gone from $prefix"
