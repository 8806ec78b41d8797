#!/usr/bin/env bash
# Ends what start.sh FOLDER started, by the process ids that stand in FOLDER; mail and logs stay.
set -u
cd "$1" || exit 1
for file in postfix/spool/pid/master.pid dovecot/run/master.pid; do
    [ -f "$file" ] || continue
    id=$(tr -d '[:space:]' <"$file")
    kill "$id" 2>/dev/null || continue
    for _ in $(seq 100); do
        kill -0 "$id" 2>/dev/null || break
        sleep 0.1
    done
done
exit 0
