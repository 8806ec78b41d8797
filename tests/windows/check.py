"""Plays with the program for Windows under Wine, and compares it with the one for this machine.

What Wine cannot show: what a power cut leaves, access lists beyond owner and everybody (it keeps them as the modes of this machine), real
virus scanners and synchronisers, the consoles of Windows and Ctrl-C in them, git for Windows with its own sh.
"""

import os
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

WINE, BIN, NATIVE, PLACE = sys.argv[1], Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
PLAYERS = ("Ada Quill <ada@example.org>", "Bram Post <bram@example.net>")
# After so many entries the side that is due resigns: not every random game comes to an end.
MOST = 8
ROUNDS = int(os.environ.get("POSTRIDER_KILLS", "40"))
chance = random.Random(int(os.environ.get("POSTRIDER_SEED", "38")))


def check(holds, *told):
    if not holds:
        print("\n".join(map(str, told)))
        raise SystemExit("this does not hold; see above")


# What Wine says of itself, on the standard error of the program that it runs.
OF_WINE = re.compile(r"^[0-9a-f]{4}:err:.*\n", re.M)


class Run:
    """A program that has run to its end: its exit code, and what it printed."""

    def __init__(self, program, words, home, folder, given=None):
        self.words = words
        self.tried(program, home, folder, given)
        # What is run here never ends with 1 in silence. If Wine does, on a busy machine, the program has not begun: were it otherwise,
        # the second time would tell.
        if program == "windows" and self.code == 1 and not self.out + self.err:
            print("Wine has not started the program, which is tried once more:", words, self.wine, flush=True)
            self.tried(program, home, folder, given)

    def tried(self, program, home, folder, given):
        wine = [WINE, str(BIN / "postrider.exe")] if program == "windows" else [NATIVE]
        done = subprocess.run(
            wine + [str(word) for word in self.words],
            env=environment(home) | {"WINEDEBUG": "-all,err+all"},
            cwd=folder,
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            timeout=120,
        )
        self.code = done.returncode
        self.out = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
        said = done.stderr.decode("utf-8", "replace").replace("\r\n", "\n")
        self.wine, self.err = "".join(OF_WINE.findall(said)), OF_WINE.sub("", said)

    def done(self):
        check(self.code == 0, self.words, self.code, self.out, self.err)
        check("\\\\?\\" not in self.out + self.err, "a path as no player knows it", self.out, self.err)
        return self.out


def environment(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("POSTRIDER_")}
    return kept | {"POSTRIDER_HOME": str(home)}


def lines(text):
    return [line for line in text.splitlines() if line]


class Player:
    """A player with a home, in which either program may be used."""

    def __init__(self, folder, number):
        self.home = folder / f"home-{number}"
        self.home.mkdir(parents=True)
        name, email = PLAYERS[number].rstrip(">").split(" <")
        (self.home / "settings.yaml").write_text(f"name: {name}\nemail: {email}\n")
        self.games = self.home / "data" / "games"
        self.program = "windows"

    def run(self, *words, given=None):
        return Run(self.program, words, self.home, self.home, given)

    def moved_to(self, program):
        """From here on this program is used in the home."""
        self.program = program
        if program == "native":
            # Wine gives to the owner's group what it gives to the owner, and a disk from Windows has no modes at all; a secret that others
            # may read is refused. As its error says, this closes it.
            subprocess.run(["chmod", "-R", "go=", str(self.home)], check=True)

    def letters(self):
        return sorted((self.home / "data" / "outbox").glob("*.eml"))

    def take_letters(self):
        for letter in self.letters():
            yield letter.read_bytes()
            letter.unlink()


def chosen(player, game, side):
    """An entry that may be made now."""
    entry = ""
    for _ in range(40):
        words = ["moves", game] + ([entry] if entry else [])
        listed = lines(player.run(*words).done())
        if not listed:
            return entry
        first = {"white": "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2", "black": "deploy Pf6 We5 Lc6 Ld5 Sb6 Sd6 Aa5"}
        if listed[0].startswith("deploy") and " " not in listed[0]:
            return first[side]
        last = next((line for line in listed if line == "end"), None)
        pick = last if last and chance.random() < 0.7 else chance.choice(listed)
        entry = f"{entry}; {pick}" if entry else pick
        if player.stepwise and pick != "end":
            continue
        return entry
    return entry


def whole_game(name, sides, options, moved):
    """A whole game between two homes by letters. If `moved`, the first home is used by both programs in turn."""
    folder = PLACE / f"{name}-{'moved' if moved else 'here'}"
    players = [Player(folder, number) for number in (0, 1)]
    game = f"{name}-windows-1"
    for player in players:
        player.stepwise = name == "mission-combat"
        if options:
            player.run("key", "new").done()
    ada, bram = players
    ada.games.mkdir(parents=True)
    record = ada.games / f"{game}.pbem"
    words = ["new", name, "--id", game, "-o", record]
    for side, player in zip(sides, PLAYERS):
        words += ["--player", f"{side}={player}"]
    for option in options:
        words += ["--option", option]
    ada.run(*words).done()
    ada.run("send", game).done()
    entries = 0
    for turn in range(4 * MOST):
        due = re.search(r"(\S+) due", ada.run("verify", record).done()) if turn == 0 else due
        for number, player in enumerate(players):
            for letter in player.take_letters():
                other = players[1 - number]
                taken = other.run("receive", "-", given=letter).done()
                if not (other.games / f"{game}.pbem").exists():
                    other.run("accept", game).done()
        copies = [(player.games / f"{game}.pbem").read_bytes() for player in players]
        check(copies[0] == copies[1], "the copies differ", taken, copies[0].decode(), copies[1].decode())
        verdict = Run("native", ["verify", record], ada.home, folder).done()
        check(": legal" in verdict, verdict)
        due = re.search(r"(\S+) due", verdict)
        if not due:
            break
        side = due.group(1)
        player = players[sides.index(side)]
        if moved:
            ada.moved_to(chance.choice(["windows", "native"]))
        if player.run("answer", game, "--send").code != 0:
            entry = "resign" if entries >= MOST else chosen(player, game, side)
            made = player.run("move", game, entry)
            check(made.code == 0, entry, made.out, made.err)
            if chance.random() < 0.15 and not options:
                before = player.games / f"{game}.pbem"
                check(before.read_bytes() != copies[0], "nothing was entered")
                player.run("undo", game).done()
                check(before.read_bytes() == copies[0], "undo did not restore the record")
                player.run("move", game, entry).done()
            player.run("send", game).done()
        entries += 1
    else:
        check(False, f"{game} did not end")
    ada.moved_to("windows")
    audited = ada.run("audit", game)
    # Resigned: what was sealed is in order as far as it was opened, and not all of it was.
    native = Run("native", ["audit", record], ada.home, folder)
    check((audited.code, audited.out) == (native.code, native.out), audited.code, audited.out, audited.err, native.code)
    doctor = bram.run("doctor")
    check(doctor.code == 0, doctor.out, doctor.err)
    left = [path for path in folder.rglob("*") if path.name.endswith((".tmp", ".lock", ".old"))]
    check(not left, "left behind:", left)
    print(f"{name}: {entries} entries, {'both programs in one home' if moved else 'Windows alone'}, ended: {verdict.strip()}")


def samples():
    """Both programs say the same of every sample."""
    home = PLACE / "samples"
    home.mkdir(parents=True)
    found = sorted(path for path in Path("examples").rglob("*.pbem"))
    check(len(found) > 10, found)
    for words in (["verify", *found], ["verify", "--json", *found], ["verify", "examples"], ["table", *found], ["export", *found]):
        pair = [Run(program, words, home, ".") for program in ("windows", "native")]
        said = [(run.code, run.out.replace("\\\\", "/").replace("\\", "/"), run.err.replace("\\", "/")) for run in pair]
        said[1] = tuple(text.replace("\\\\", "/").replace("\\", "/") if isinstance(text, str) else text for text in said[1])
        check(said[0] == said[1], words[:2], *said)
    for path in found:
        for words in (["show"], ["log"], ["replay"], ["clock"]):
            if chance.random() < 0.2:
                native = Run("native", [*words, path], home, ".")
                # On a busy machine Wine itself may not start a program; what only reads can be tried again.
                for _ in range(2):
                    windows = Run("windows", [*words, path], home, ".")
                    if (windows.code, windows.out) == (native.code, native.out):
                        break
                    print("another answer:", words, path, windows.code, windows.err, windows.wine)
                check(windows.code == native.code and windows.out == native.out, words, path, windows.out, native.out)
    print(f"{len(found)} samples: both programs say the same")


def begun(name):
    player = Player(PLACE / name, 0)
    player.games.mkdir(parents=True)
    record = player.games / "asalto-files-1.pbem"
    words = ["new", "asalto", "--id", "asalto-files-1", "-o", record]
    words += ["--player", f"besiegers={PLAYERS[0]}", "--player", f"defenders={PLAYERS[1]}"]
    player.run(*words).done()
    return player, record


def entry_for(player, record):
    return next(line for line in lines(player.run("moves", record).done()))


def side_due(record, home):
    found = re.search(r"(\S+) due", Run("native", ["verify", record], home, home).done())
    return found and found.group(1)


def kills():
    """A program that is killed leaves the old record or the new one, and no lock."""
    player, record = begun("kills")
    # How long a move takes here, so that kills come at any moment of it.
    usual = time.monotonic()
    player.run("move", "--for", side_due(record, player.home), record, entry_for(player, record)).done()
    usual = (time.monotonic() - usual) / 3
    made = 0
    for number in range(ROUNDS):
        before = record.read_bytes()
        side = side_due(record, player.home)
        if side is None:
            player, record = begun(f"kills-{number}")
            before, side = record.read_bytes(), side_due(record, player.home)
        words = ["move", "--for", side, record, entry_for(player, record)]
        program = subprocess.Popen(
            [WINE, str(BIN / "postrider.exe"), *map(str, words)],
            env=environment(player.home),
            cwd=player.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(chance.uniform(0.05, 0.05 + 2 * usual))
        program.send_signal(signal.SIGKILL)
        program.wait()
        after = record.read_bytes()
        made += after != before
        new = after.removeprefix(before).splitlines(keepends=True)
        whole = [line for line in new if line.endswith(b"\n") and not line.startswith(b"= ")]
        check(after.startswith(before) and len(whole) <= 1 and after.endswith(b"\n"), "torn", before, after)
        check(": legal" in Run("native", ["verify", record], player.home, player.home).done(), after)
    check(0 < made, "no program came so far as to write")
    # The lock of the last one is gone, and so, after a while, is what it was writing.
    for path in player.games.iterdir():
        if path.name.endswith(".tmp"):
            os.utime(path, (time.time() - 120, time.time() - 120))
    side = side_due(record, player.home)
    if side:
        player.run("move", "--for", side, record, entry_for(player, record)).done()
    left = sorted(path.name for path in player.games.iterdir())
    check(left == [record.name], left)
    print(f"{ROUNDS} kills: {made} wrote before, {ROUNDS - made} did not; every record is whole")


def at_once():
    """Of programs that enter at the same time, one does and the others are refused."""
    player, record = begun("at-once")
    for _ in range(4):
        side, entry = side_due(record, player.home), entry_for(player, record)
        lengths = record.read_bytes().count(b"\n")
        programs = [
            subprocess.Popen(
                [WINE, str(BIN / "postrider.exe"), "move", "--for", side, str(record), entry],
                env=environment(player.home),
                cwd=player.home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for _ in range(6)
        ]
        said = [program.communicate(timeout=120)[1].decode(errors="replace") for program in programs]
        codes = [program.returncode for program in programs]
        check(codes.count(0) == 1 and record.read_bytes().count(b"\n") == lengths + 1, codes, *said, record.read_text())
    print("6 programs at once, 4 times: one entered each time")


def held():
    """What another program has open is waited for; if it stays so, that is said, and nothing has changed."""
    player, record = begun("held")
    for milliseconds, code in ((1500, 0), (60000, 2)):
        before, entry, side = record.read_bytes(), entry_for(player, record), side_due(record, player.home)
        holder = subprocess.Popen(
            [WINE, str(BIN / "holder.exe"), "Z:" + str(record).replace("/", "\\"), str(milliseconds)], stdout=subprocess.PIPE
        )
        check(holder.stdout.readline().strip() == b"held", "the file could not be held")
        run = player.run("move", "--for", side, record, entry)
        holder.kill()
        holder.wait()
        check(run.code == code, run.code, run.out, run.err)
        check((record.read_bytes() == before) == (code != 0), "changed or not changed", run.err)
        check(code == 0 or "another program" in run.err, run.err)
    print("a record that another program has open is waited for, and the failure is explained")


def pipes():
    """Whole sessions through pipes, and records in the encodings of Windows."""
    player, record = begun("pipes")
    text = record.read_text()
    for encoding in ("utf-16", "utf-16-be"):
        mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
        verdict = player.run("verify", "-", given=mark + text.encode(encoding)).done()
        check(": legal" in verdict, verdict)
    crlf = player.games / "crlf.pbem"
    crlf.write_bytes(text.replace("\n", "\r\n").encode())
    same = [Run(program, ["verify", crlf], player.home, player.home) for program in ("windows", "native")]
    check((same[0].code, same[0].out) == (same[1].code, same[1].out), same[0].out, same[1].out)
    crlf.unlink()
    other = Player(PLACE / "pipes", 1)
    other.games.mkdir(parents=True)
    copy = other.games / record.name
    copy.write_bytes(record.read_bytes())
    entry = entry_for(other, copy)
    played = other.run("play", copy, given=f"{entry}\r\nquit\r\n".encode())
    check(played.code == 0 and copy.read_bytes().count(b"\n") == text.count("\n") + 1, played.code, played.out, played.err)
    # A reader that goes away is no error.
    short = subprocess.run(
        f"'{WINE}' '{BIN}/postrider.exe' perft --game asalto 1 | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", env=environment(player.home), capture_output=True,
    )
    check(b"panicked" not in short.stderr, short.stderr)
    print("pipes: UTF-16, CRLF and a session of `play`")


def profile():
    """Without POSTRIDER_HOME everything is in the user's profile."""
    folder = PLACE / "profile"
    folder.mkdir(parents=True)
    kept = environment("")
    del kept["POSTRIDER_HOME"]
    made = subprocess.run(
        [WINE, str(BIN / "postrider.exe"), "key", "new"], env=kept, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL
    )
    check(made.returncode == 0, made.stdout, made.stderr)
    found = list(Path(os.environ["WINEPREFIX"]).rglob("AppData/Roaming/postrider/**/keys/*"))
    check(found, "no key in %APPDATA%", made.stdout, made.stderr)
    print("the home is in %APPDATA%")


def mode(path):
    return path.stat().st_mode & 0o777


def rights():
    """What is the player's alone is nobody else's: access lists, which are the modes of this machine here."""
    folder = PLACE / "rights"
    player = Player(folder, 0)
    player.run("key", "new").done()
    keys = player.home / "data" / "keys"
    own = keys / "own.pem"
    record = player.home / "sealed.pbem"
    words = ["new", "assassyn", "--id", "assassyn-rights-1", "-o", record, "--option", "deployment=sealed"]
    words += ["--player", f"white={PLAYERS[0]}", "--player", f"black={PLAYERS[1]}"]
    player.run(*words).done()
    player.run("move", "--for", "white", record, "deploy Pa1 Wb2 Lc1 Ld2 Sc2 Se1 Af2").done()
    secret = player.home / "data" / "secrets" / "assassyn-rights-1.white"
    private = [own, secret]
    for path in private:
        # Wine gives to the owner's group what it gives to the owner.
        for closed in (path, path.parent):
            check(mode(closed) & 0o607 == 0o600, "others may read it", closed, oct(mode(closed)))
    # Both systems read what the other has closed.
    shown = player.run("key", "show").done()
    player.moved_to("native")
    check(player.run("key", "show").done() == shown, "another key")
    player.moved_to("windows")
    check(player.run("key", "show").done() == shown, "another key")
    # What others may read is refused, and what to type is said; what is closed again is taken.
    for path, opened, words in (
        (own, 0o604, ["key", "backup", "backup.pem"]),
        (keys, 0o705, ["key", "backup", "backup.pem"]),
        (secret, 0o604, ["secret", "export", "backup.txt"]),
    ):
        before = mode(path)
        path.chmod(opened)
        said = player.run(*words)
        check(said.code == 2 and "others may read" in said.err and 'icacls "Z:' in said.err, path, said.code, said.out, said.err)
        check("/grant:r" in said.err and "S-1-5-" in said.err, said.err)
        path.chmod(before)
    own.chmod(0o604)
    check("others may read it" in player.run("doctor").out, "the doctor finds nothing")
    own.chmod(0o600)
    # Settings name programs to run.
    settings = player.home / "settings.yaml"
    settings.chmod(0o666)
    said = player.run("status")
    check(said.code == 2 and "can be written by everybody" in said.err and "icacls" in said.err, said.code, said.err)
    settings.chmod(0o644)
    player.run("status").done()
    print("keys and secrets: for their owner alone, and refused where others may read them")


def impostors():
    """A program is never looked for where the player happens to be: a repository or a zip may hold anything."""
    folder = PLACE / "impostors"
    home = folder / "home"
    named = folder / "a folder with spaces"
    for made in (home, named):
        made.mkdir(parents=True)
    for name in ("git.exe", "sh.exe", "less.exe", "openssl.exe", "icacls.exe"):
        shutil.copy(BIN / "impostor.exe", folder / name)
    said = Run("windows", ["git", "check", "."], home, folder)
    check("impostor" not in said.out + said.err and said.code != 0, said.code, said.out, said.err)
    check("git" in said.err, said.err)
    # On the PATH it is found, whatever the folder is called.
    shutil.copy(BIN / "impostor.exe", named / "git.exe")
    kept = environment(home) | {"WINEPATH": "Z:" + str(named).replace("/", "\\")}
    done = subprocess.run(
        [WINE, str(BIN / "postrider.exe"), "git", "check", "."], env=kept, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL
    )
    check(b"impostor" in done.stdout + done.stderr, done.stdout, done.stderr)
    print("git: found on the PATH, and never in the folder where one happens to be")


def typed_at_a_console(words, home, typed):
    """What a console shows while this is typed, each time a question stands there, and how the program ends."""
    process, console = pty.fork()
    if process == 0:
        os.chdir(home)
        os.execve(WINE, [WINE, str(BIN / "postrider.exe"), *words], environment(home) | {"TERM": "xterm"})
    shown, asked, end = b"", 0, time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([console], [], [], 0.2)[0]:
            continue
        try:
            read = os.read(console, 4096)
        except OSError:
            break
        if not read:
            break
        shown += read
        questions = len(re.findall(rb"(?:passphrase for|passphrase of|the same again)[^:]*:", shown))
        while asked < min(questions, len(typed)):
            # Until somebody waits for a key, Wine leaves the terminal beneath it as it was, and that shows what is typed.
            time.sleep(1)
            os.write(console, typed[asked])
            asked += 1
    os.close(console)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code, shown.decode("utf-8", "replace")


def passphrases():
    """A passphrase is typed at the console, which does not show it."""
    player = Player(PLACE / "passphrases", 0)
    # With a slip that is taken back.
    right = b"Gr\xc3\xbc\xc3\x9fe ausx\x7f Wien\r"
    code, shown = typed_at_a_console(["key", "new", "--passphrase"], player.home, [right, right])
    own = player.home / "data" / "keys" / "own.pem"
    check(code == 0 and own.exists() and b"OPENSSH PRIVATE KEY" in own.read_bytes(), code, shown)
    check("passphrase for" in shown and "Wien" not in shown and "Gr" not in shown, "it was shown", shown)
    check(mode(own) & 0o607 == 0o600, "others may read it", oct(mode(own)))
    print("passphrases: typed at the console, and not shown")


def package():
    """What is handed out works where it was unpacked; opened by a double click it plays and then leaves a prompt."""
    found = list((BIN.parent / "unpacked folder").glob("postrider-*"))
    if not found:
        return print("the zip is passed over")
    [folder] = found
    home = PLACE / "package"
    home.mkdir(parents=True)

    def run(*words, given=b""):
        command = [WINE, *map(str, words)]
        done = subprocess.run(command, env=environment(home), cwd=folder, input=given, capture_output=True, timeout=120)
        return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace").replace("\r\n", "\n")

    program = folder / "postrider.exe"
    code, said = run(program, "verify", "examples\\asalto\\fifteen-captures.pbem")
    check(code == 0 and ": legal" in said, code, said)
    for name in ("README.md", "START.txt", "install.ps1", "LICENSE-MIT", "LICENSE-APACHE", "notation/asalto.md"):
        check((folder / name).stat().st_size > 0, name)
    # From a shell, how to begin is all that it says without arguments.
    code, said = run(program)
    closes = "`exit` closes this window"
    check(code == 0 and "To begin" in said and closes not in said, code, said)
    windows = "Z:" + str(folder).replace("/", "\\")
    command = [WINE, str(BIN / "explorer.exe"), windows + "\\postrider.exe", windows]
    opened = subprocess.Popen(
        command, env=environment(home), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    # What is typed for the prompt comes when play has ended, which would read it otherwise.
    opened.stdin.write(b"exit\r\n")
    opened.stdin.flush()
    said = ""
    while closes not in said and (line := opened.stdout.readline()):
        said += line.decode("utf-8", "replace")
    check("you have no games yet" in said and "To begin" in said and closes in said, said)
    prompt = opened.communicate(b"postrider --version\r\nexit\r\n", timeout=120)[0].decode("utf-8", "replace")
    # The prompt finds the program by its name.
    version = run(program, "--version")[1].strip()
    check(opened.returncode == 0 and version.startswith("postrider ") and version in prompt, opened.returncode, version, prompt)
    print("the zip: unpacked, used, opened by a double click")


PLACE.mkdir(parents=True)
started = time.monotonic()
for part in (
    package,
    samples,
    pipes,
    profile,
    rights,
    impostors,
    passphrases,
    held,
    at_once,
    kills,
    lambda: whole_game("asalto", ["besiegers", "defenders"], [], False),
    lambda: whole_game("assideum", ["white", "black"], [], True),
    lambda: whole_game("subsume", ["white", "black"], [], True),
    lambda: whole_game("assassyn", ["white", "black"], ["deployment=sealed"], True),
    lambda: whole_game("mission-combat", ["marines", "portalists"], ["sealed-decks=2"], True),
):
    part()
    print(f"    ({time.monotonic() - started:.0f} s)", flush=True)
print("Windows: all that Wine can show holds")
