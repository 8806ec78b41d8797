"""Records, and what every command that reads one says about it; mutants of records."""

import json
import random
import re
from pathlib import Path

from place import ROOT

GAMES = ("asalto", "assideum", "subsume", "assassyn", "mission-combat")


def fences(page):
    """The fenced blocks of a page: the word behind the fence, the number of the line, the text."""
    word, begun, found = None, 0, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            if word is None:
                word, begun, lines = line[3:].strip(), number, []
            else:
                found.append((word, begun, "".join(f"{line}\n" for line in lines)))
                word = None
        elif word is not None:
            lines.append(line)
    return found


def records():
    """Every record of the repository: its name and its bytes."""
    found = []
    for folder in ("examples", "tests", "fuzz/corpus"):
        for path in sorted((ROOT / folder).rglob("*")):
            kept = path.suffix == ".pbem" or path.parent.name.endswith("_record") and path.is_file()
            if kept and "node_modules" not in path.parts:
                found.append((str(path.relative_to(ROOT)), path.read_bytes()))
    for page in sorted((ROOT / "notation").glob("*.md")):
        for word, line, text in fences(page):
            if word in ("pbem", "pbem-refused"):
                found.append((f"{page.relative_to(ROOT)}:{line}", text.encode()))
    for path in sorted((ROOT / "tests/data/replies").glob("*.txt")):
        for name, text, _ in positions(path):
            found.append((f"{path.relative_to(ROOT)} {name}", text.encode()))
    return found


def positions(path):
    """The positions of a page of replies: the name, the record, the replies."""
    found = []
    for part in path.read_text().split("\n== ")[1:]:
        name, rest = part.split("\n", 1)
        if "\n--\n" in rest:
            record, replies = rest.split("\n--\n", 1)
            found.append((name, record + "\n", [line.split(" | ", 1)[1] for line in replies.splitlines() if " | " in line]))
    return found


def game_of(record):
    found = re.search(rb"^game: *([a-z-]+)", record, re.M)
    return found.group(1).decode() if found else "none"


def sides_of(record):
    """The words of the sides in the header, as far as they can be seen."""
    part = re.search(rb"^players:\n((?:  .*\n)+)", record, re.M)
    return [side.decode() for side in re.findall(rb"^  ([a-z]+):", part.group(1), re.M)] if part else []


# What reads a record and says something about it. `{half}` is the number of an entry in the middle, `{side}` a side.
READERS = """
verify -v FILE
verify --json FILE
verify --newest FILE
verify --trusted FILE
show FILE
show FILE --words
show FILE --json --as public
show FILE --compact --unicode --from {side} --at {half}
show FILE --position
moves FILE
moves FILE --json
replay FILE
replay FILE --json
log FILE
log FILE --words --last 7
clock FILE
clock FILE --json
audit FILE
audit FILE --json
fmt --check FILE
fmt -
export FILE --entries --positions --addresses
evidence FILE FILE
picture FILE -o board.svg
picture FILE --look print --from {side} --at {half}
page FILE -o game.html
table FILE --format csv
fmt --faces FILE
show FILE --as {side}
""".strip().splitlines()
FEW = ("verify -v FILE", "verify --json FILE", "show FILE", "log FILE --words --last 7", "fmt --faces FILE")


def read_by_all(data, commands):
    def case(t):
        t.write("game.pbem", data)
        sides = sides_of(data) or ["white"]
        half = str(len(re.findall(rb"^[0-9]+ ", data, re.M)) // 2)
        for command in commands:
            words = [word.format(half=half, side=sides[-1]) for word in command.split()]
            words = ["game.pbem" if word == "FILE" else word for word in words]
            given = data if "-" in words else b""
            t.run(*words, given=given, look=words[0] in ("fmt", "picture", "page"))
        t.run("status", "--all", "--json", ".")

    return case


def mutants(data, number, seed):
    """Changed copies of a record, always the same ones."""
    chance = random.Random(seed)
    lines = data.split(b"\n")
    words = [word for word in re.split(rb"([ ;:,@{}\n]+)", data)]
    found = []
    for _ in range(number):
        kind = chance.randrange(12)
        at = chance.randrange(len(lines))
        new = list(lines)
        if kind == 0:
            del new[at]
        elif kind == 1:
            new.insert(at, new[at])
        elif kind == 2:
            other = chance.randrange(len(lines))
            new[at], new[other] = new[other], new[at]
        elif kind == 3:
            new = new[: at + 1]
        elif kind == 4:
            new[at] = new[at] + chance.choice([b" ", b";", b" resign", b"; draw?", b" {a word}", b" @2026-11-21T10:00:00Z", b"\r", b"\t#"])
        elif kind in (5, 6, 7):
            changed = list(words)
            change = chance.randrange(len(changed))
            changed[change] = chance.choice(words)
            found.append(b"".join(changed))
            continue
        elif kind in (8, 9):
            place = chance.randrange(max(1, len(data)))
            byte = chance.choice(b"0123456789abcdefgh xX-;:=@{}\n\t\x00\xc3\xff")
            found.append(data[:place] + bytes([byte]) + data[place + chance.randrange(2) :])
            continue
        elif kind == 10:
            digits = list(re.finditer(rb"[0-9a-h]", data))
            if digits:
                there = chance.choice(digits).start()
                found.append(data[:there] + bytes([chance.choice(b"0123456789abcdefgh")]) + data[there + 1 :])
            continue
        elif kind == 11:
            new[at] = new[at][: chance.randrange(len(new[at]) + 1)]
        found.append(b"\n".join(new))
    return found


def judged_mutants(some, number, printed):
    """Mutants of some records: all are judged, some also printed, exported and rewritten."""

    def case(t):
        lines = []
        for at, (name, data) in enumerate(some):
            for count, mutant in enumerate(mutants(data, number, name)):
                try:
                    line = {"path": f"{name} {count}", "record": mutant.decode()}
                except UnicodeDecodeError:
                    continue
                lines.append(json.dumps(line))
                if count < printed:
                    t.write(f"mutants/{at:03}-{count:03}.pbem", mutant)
        t.counts = {"mutants": len(lines)}
        t.run("verify", "--batch", given="".join(f"{line}\n" for line in lines), look=False)
        t.run("verify", "-v", "mutants", look=False)
        t.run("export", "mutants", "--entries", look=False)
        t.run("table", "mutants", look=False)
        for path in t.files("mutants", ".pbem")[:: max(1, printed)]:
            t.run("show", "--words", path.relative_to(t.folder), look=False)
            t.run("moves", path.relative_to(t.folder), look=False)
            t.run("fmt", path.relative_to(t.folder))

    return case


def archives(some):
    """All records as one folder: verdicts in every format, tables, packs made and taken apart."""

    def case(t):
        for at, (_, data) in enumerate(some):
            t.write(f"games/{at:03}.pbem", data)
        t.write("phrases.yaml", "Bram Post: [bram@example.net]\n")
        for words in (
            "verify games", "verify --json games", "verify --format github games", "verify --format junit games",
            "verify --format sarif games", "export games", "export --games --csv games", "export --entries --csv --raw games",
            "export --positions games", "table games", "table games --format markdown --top 5", "table games --json",
            "table games --alias phrases.yaml --game asalto", "fmt --check games",
        ):  # fmt: skip
            t.run(*words.split(), look=False)
        for words in (
            "export --parquet games", "pack games -o all.jsonl.zst", "pack games --split 3 -o parts.jsonl.zst", "pack games/000.pbem -o some.jsonl.zst",
        ):  # fmt: skip
            t.run(*words.split())
        t.mark()
        for words in (
            "verify all.jsonl.zst", "export --games all.jsonl.zst", "pack games --append --update -o some.jsonl.zst",
            "unpack all.jsonl.zst --list", "unpack all.jsonl.zst -o whole", "unpack some.jsonl.zst -o other", "unpack all.jsonl.zst -o other",
            "pack games --append -o all.jsonl.zst", "table all.jsonl.zst parts-1.jsonl.zst", "page games -o site",
        ):  # fmt: skip
            t.run(*words.split())

    return case
