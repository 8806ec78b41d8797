"""Letters: what comes of each message of the repository in Bram's home, and of mutants of them."""

import random
import re

from place import ROOT
from records import positions

ID = "asalto-20261121-mail01"


def constants():
    """Bram's game, as the tests of the program write it."""
    source = (ROOT / "tests/suite/letters/mod.rs").read_text()
    source = re.sub(r"\\\n\s*", "", source)
    header = re.search(r'HEADER: &str = "(.*?)";', source, re.S).group(1).encode().decode("unicode_escape")
    game = re.search(r"GAME: \[&str; \d+\] = \[(.*?)\];", source, re.S).group(1)
    return header, [line.encode().decode("unicode_escape") for line in re.findall(r'"(.*?)",', game)]


HEADER, ENTRIES = constants()


def bram(t, entries, more=""):
    t.write("home/settings.yaml", f"name: Bram Post\nemail: bram@example.net\ngames: ../games\n{more}")
    t.write("games/ours.pbem", HEADER + "".join(ENTRIES[:entries]))


def one(message, here):
    def case(t):
        bram(t, here)
        t.write("letter.eml", message)
        t.run("receive", "-n", "letter.eml")
        t.run("receive", "--json", "-n", given=message)
        t.mark()
        t.run("receive", given=message)
        t.run("receive", "--answer", "--countersign", "letter.eml")
        t.run("receive", "--strict", "--json", given=message)
        t.run("invitations", "--json")
        t.run("status", "--all")

    return case


def corpus():
    """Every message in tests/data/mail, with how many entries are here when it comes."""
    found = []
    for line in (ROOT / "tests/data/mail/outcomes.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, here, *_ = line.split(" | ")
            found.append((name, (ROOT / f"tests/data/mail/{name}.eml").read_bytes(), int(here)))
    for path in sorted((ROOT / "examples/mail-setup").glob("*.eml")):
        found.append((path.name, path.read_bytes(), 1))
    for path in sorted((ROOT / "fuzz/corpus/message").glob("*")):
        found.append((f"fuzz {path.name}", path.read_bytes(), 1))
    return found


def in_a_folder(messages):
    """Messages as a Maildir."""
    return {f"mail/new/{at:04}": message for at, message in enumerate(messages)}


def mutants(some, number):
    """Changed letters, all in one mailbox; nothing is done, then everything."""

    def case(t):
        made = []
        for name, message, _ in some:
            chance = random.Random(name)
            lines = message.split(b"\n")
            for _ in range(number):
                new, at = list(lines), chance.randrange(len(lines))
                kind = chance.randrange(5)
                if kind == 0:
                    del new[at]
                elif kind == 1:
                    new.insert(at, chance.choice(lines))
                elif kind == 2:
                    new = new[: at + 1]
                elif kind == 3:
                    new[at] = new[at].replace(chance.choice([b"=", b"a", b":", b"-", b"@"]), chance.choice([b"", b"==", b"x", b"\xff"]))
                else:
                    other = chance.randrange(len(lines))
                    new[at], new[other] = new[other], new[at]
                made.append(b"\n".join(new))
        t.counts = {"letters": len(made)}
        bram(t, 1, "mail: {plain-replies: draft}\n")
        for path, message in in_a_folder(made).items():
            t.write(path, message)
        for folder in ("cur", "tmp"):
            t.path(f"mail/{folder}").mkdir()
        t.run("receive", "-n", "mail")
        t.mark()
        t.run("receive", "--json", "mail")
        t.run("status", "--all")

    return case


def replies_of_programs():
    found = []
    for part in (ROOT / "tests/data/replies/programs.txt").read_text().split("=== ")[1:]:
        title, message = part.split("\n", 1)
        name = title.split(" | ")[0]
        subject = "" if message.startswith("Subject: ") else f"Subject: Re: [pbem] {ID} #1 defenders: place c6 e6\n"
        sender = "" if "From: mallory" in message else "From: Ada Quill <ada@example.org>\n"
        found.append(
            f"{sender}To: bram@example.net\n{subject}Date: Sun, 22 Nov 2026 08:02:11 +0000\n"
            f"Message-ID: <{name}@example.org>\nMIME-Version: 1.0\n{message}".encode()
        )
    return found


def answered(messages):
    """Replies of mail programs, each of them in Bram's home as it was before."""

    def case(t):
        for message in messages:
            bram(t, 1, "mail: {plain-replies: draft}\n")
            t.run("receive", given=message)
            t.run("show", "games/ours.pbem", look=False)
        t.mark()
        t.run("send", "--draft", "games/ours.pbem")
        t.run("doctor")

    return case


def in_words(record, replies):
    """What a person may type in a position: read without doing anything, then some of it for good."""

    def case(t):
        id = re.search(r"^id: (.*)$", record, re.M).group(1)
        entries = re.findall(r"^(\d+) (\S+) (.*)$", record, re.M)
        players = re.findall(r"^  (\w+): \{name: ([^,}]+), email: ([^}]+)\}", record, re.M)
        if not entries or len(players) != 2:
            return
        number, side, _ = entries[-1]
        due = next(player for player in players if player[0] != side)
        home = next(player for player in players if player[0] == side)
        t.write("home/settings.yaml", f"name: {home[1]}\nemail: {home[2]}\ngames: ../games\nmail: {{plain-replies: draft}}\n")
        t.write("games/game.pbem", record)
        made = []
        for at, reply in enumerate(replies):
            text = reply.replace("⏎", "\n")
            made.append(
                f"From: {due[1]} <{due[2]}>\nTo: {home[2]}\nSubject: Re: [pbem] {id} #{number} {side}: it\n"
                f"Date: Sun, 22 Nov 2026 08:02:11 +0000\nMessage-ID: <{at}@example.org>\nMIME-Version: 1.0\n"
                f"Content-Type: text/plain; charset=utf-8\n\n{text}\n".encode()
            )
        t.counts = {"letters": len(made)}
        for path, message in in_a_folder(made).items():
            t.write(path, message)
        for folder in ("cur", "tmp"):
            t.path(f"mail/{folder}").mkdir()
        t.run("receive", "-n", "mail")
        for message in made[::40]:
            t.write("games/game.pbem", record)
            t.run("receive", given=message)
        t.run("send", "games/game.pbem")

    return case


def all_positions():
    return [
        (f"{path.stem} {name}", record, replies)
        for path in sorted((ROOT / "tests/data/replies").glob("*.txt"))
        if path.stem != "programs"
        for name, record, replies in positions(path)
    ]
