"""A place in which a program is run: always the same folder, time and randomness, and what is there afterwards."""

import hashlib
import os
import re
import shutil
import stat
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# How long a command may take, in seconds.
PATIENCE = 300
BEGAN = datetime(2026, 11, 24, 12, 0, tzinfo=timezone.utc)


class Step:
    """What one command said, and the files that were there after it."""

    def __init__(self, label, code, out, err, tree):
        self.label, self.code, self.out, self.err, self.tree = label, code, out, err, tree

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def said(self):
        return (self.out + self.err).decode("utf-8", "replace")

    def lines(self):
        return [line for line in self.text.splitlines() if line]


class Place:
    """A folder for one run after another, each of which begins with nothing. Programs are called `postrider` in it, whichever they are."""

    def __init__(self, root, programs, pinned):
        self.folder, self.bin = root / "place", root / "bin"
        self.programs, self.pinned = programs, pinned
        self.bin.mkdir(parents=True, exist_ok=True)
        self.steps, self.contents = [], {}
        # Where the page of each program is unpacked, once it was asked for.
        self.apps = {}

    def begin(self, name, which):
        """Empties the place for a case; `which` program is used from here on."""
        shutil.rmtree(self.folder, onerror=made_writable)
        self.folder.mkdir(parents=True)
        self.name, self.steps = name, []
        self.stage, self.turns_at, self.after = 0, None, None
        self.now = BEGAN
        self.use(which)

    def turn(self, stage, which):
        """From this mark on another program is used."""
        self.turns_at, self.after = stage, which

    def use(self, which):
        self.which = which
        link = self.bin / "postrider"
        link.unlink(missing_ok=True)
        os.link(self.programs[which], link)

    def mark(self):
        """A point at which a home made so far may be handed to the other program."""
        self.stage += 1
        if self.stage == self.turns_at:
            self.use(self.after)

    def later(self, **span):
        self.now += timedelta(**span)

    def path(self, name):
        return self.folder / name

    def write(self, name, data, mode=0o644):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        path.chmod(mode)

    def read(self, name):
        return self.path(name).read_bytes()

    def files(self, name, end=""):
        """The files in a folder of the place whose names end so, in order."""
        folder = self.path(name)
        return sorted(path for path in folder.rglob("*") if path.is_file() and path.name.endswith(end)) if folder.is_dir() else []

    def run(self, *words, home="home", given=b"", env=None, folder=".", look=True):
        """Runs the program with these words."""
        words = [str(word) for word in words]
        label = f"{home}: {' '.join(words)}"
        return self.step([str(self.bin / "postrider"), *words], label, home, given, env, folder, look)

    def shell(self, line, home="home", given=b"", env=None, folder=".", look=True):
        return self.step(["sh", "-c", line], line, home, given, env, folder, look)

    def step(self, command, label, home, given, env, folder, look):
        self.now += timedelta(minutes=1)
        given = given.encode() if isinstance(given, str) else given
        world = {
            "PATH": f"{self.bin}:{os.environ.get('PATH', '')}",
            "HOME": str(self.folder),
            "POSTRIDER_HOME": str(self.path(home)),
            "POSTRIDER_NOW": self.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "NO_COLOR": "1",
            "COLUMNS": "100",
            "TMPDIR": str(self.bin.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": f"{int(self.now.timestamp())} +0000",
            "GIT_COMMITTER_DATE": f"{int(self.now.timestamp())} +0000",
            "GUARD_SEED": f"{self.name} {len(self.steps)}",
            "LD_PRELOAD": self.pinned,
        }
        cwd = self.path(folder)
        cwd.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(command, input=given, capture_output=True, cwd=cwd, env=world | (env or {}), timeout=PATIENCE)
            # How long something took is nobody's doing.
            code, out, err = done.returncode, re.sub(rb' time="[0-9.]+"', b' time=""', done.stdout), done.stderr
        except subprocess.TimeoutExpired:
            code, out, err = "no end", b"", b""
        step = Step(label, code, out, err, self.tree() if look else {})
        self.steps.append(step)
        return step

    def tree(self):
        """What is in the place: kind, mode and digest by path. Contents are kept by digest, to be shown."""
        found = {}
        for folder, folders, files in os.walk(self.folder):
            for name in folders + files:
                path = Path(folder, name)
                # Git notes in it when files were written and where they are on the disk.
                if name == "index" and path.parent.name in (".git", "hub.git"):
                    continue
                kind = path.lstat()
                mode = f"{stat.S_IMODE(kind.st_mode):03o}"
                if stat.S_ISLNK(kind.st_mode):
                    what = ("link", "", os.readlink(path))
                elif stat.S_ISDIR(kind.st_mode):
                    what = ("folder", mode, "")
                elif stat.S_ISREG(kind.st_mode):
                    data = path.read_bytes()
                    digest = hashlib.sha256(data).hexdigest()
                    self.contents[digest] = data
                    what = ("file", mode, digest)
                else:
                    what = ("other", mode, "")
                found[str(path.relative_to(self.folder))] = what
        return found


def made_writable(function, path, _):
    """For a folder that a case has closed."""
    if os.path.lexists(path):
        os.chmod(os.path.dirname(path), 0o700)
        os.chmod(path, 0o700)
        function(path)
