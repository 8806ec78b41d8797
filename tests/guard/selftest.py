"""Gives the guard programs that do one thing otherwise, and expects it to complain about just that.

    python3 tests/guard/selftest.py PROGRAM
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

GUARD = Path(__file__).with_name("run.py")
RECORD = "record: examples/asalto/open-game.pbem"
# What is changed: a name, lines of a shell around the program, the cases that are tried, and what the guard has to say.
CHANGES = [
    ("one word of what is printed", 'if [ "$1" = clock ]; then "$real" "$@" | sed "s/left/spare/"; exit; fi', RECORD, "standard output"),
    ("a line on standard error", 'if [ "$1" = log ]; then echo "note: new" >&2; fi', RECORD, "+ note: new"),
    ("an exit code", 'if [ "$1" = replay ]; then "$real" "$@"; exit 3; fi', RECORD, "exit code: 0, then 3"),
    ("what is in a file", 'if [ "$1" = picture ]; then "$real" "$@" || exit; echo >> board.svg; exit; fi', RECORD, "file board.svg"),
    ("the mode of a file", 'if [ "$1" = page ]; then "$real" "$@" || exit; chmod 600 game.html; exit; fi', RECORD, "game.html: file of mode 644, then file of mode 600"),
    ("a file more", 'if [ "$1" = page ]; then touch more; fi', RECORD, "more: only the second writes it"),
    ("a file less", 'if [ "$1" = page ]; then "$real" "$@"; rm -f game.html; exit 0; fi', RECORD, "game.html: only the first writes it"),
    # It notes outside the place which settings it has written itself, and reads no other.
    (
        "a home of the other program's is not understood",
        'if [ "$1" = setup ]; then\n'
        '  file=$POSTRIDER_HOME/settings.yaml mine=$TMPDIR/mine\n'
        '  if [ -e "$file" ] && [ "$(stat -c "%i %y" "$file")" != "$(cat "$mine")" ]; then echo "whose is this?"; exit 2; fi\n'
        '  "$real" "$@"; code=$?; stat -c "%i %y" "$file" >"$mine" 2>/dev/null; exit $code\n'
        'fi',
        "homes: settings",
        "whose is this?",
    ),
]


def guarded(old, new, only, *more):
    done = subprocess.run([sys.executable, str(GUARD), old, new, "--only", only, *more], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    program = os.path.realpath(sys.argv[1])
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, lines, only, expected in CHANGES:
            wrapper = Path(folder, "wrapper")
            wrapper.write_text(f'#!/bin/sh\nreal={program}\n{lines}\nexec "$real" "$@"\n')
            wrapper.chmod(0o755)
            code, said = guarded(program, str(wrapper), only)
            if code != 1 or expected not in said:
                failed.append(f"{name}: it ended with {code} and said\n{said}")
        code, said = guarded(program, program, RECORD)
        if code != 0 or "all 1 cases are the same" not in said:
            failed.append(f"the program itself: it ended with {code} and said\n{said}")
        code, said = guarded(program, str(Path(folder, "nothing")), RECORD)
        if code != 2:
            failed.append(f"no program at all: it ended with {code} and said\n{said}")
    print("\n".join(failed) or f"the guard noticed each of {len(CHANGES)} changes, and nothing where nothing had changed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
