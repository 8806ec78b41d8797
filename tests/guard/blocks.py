"""The console blocks of the README, docs/ and notation/: each command, in order, in one folder."""

import shutil

from place import ROOT
from records import fences

FIRST = (
    "---\npbem: 1\ngame: asalto\nid: asalto-first-game\nplayers:\n  besiegers: {name: Ada Quill}\n  defenders: {name: Bram Post}\n"
    "started: 2026-11-21\n---\n1 defenders place c6 e6\n2 besiegers c4-c5\n3 defenders c6-d6; huff d6\n4 besiegers e4-e5\n"
    "5 defenders e6xe4xc4xc6\n6 besiegers c3-c4\n7 defenders c6-c5\n8 besiegers e3-d4\n9 defenders c5xc3; huff c3\n"
)


def commands(page):
    found = []
    for word, _, text in fences(page):
        if word == "console":
            found += [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    return found


def pages():
    """Every page with console blocks, and its commands."""
    found = [(page, commands(page)) for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "notation").glob("*.md"))]]
    return [(page, lines) for page, lines in found if lines]


def furnished(t):
    """What the pages expect to be there."""
    for name in ("game.pbem", "first.pbem"):
        t.write(name, FIRST)
    shutil.copy(ROOT / "examples/asalto/open-game.pbem", t.path("running.pbem"))
    for path in sorted((ROOT / "examples/mail-setup").iterdir()):
        shutil.copy(path, t.path(path.name))
    letter = (ROOT / "examples/mail-setup/letter.eml").read_text()
    t.write("games/bram.pbem", letter[letter.index("---\npbem") : letter.index("2 besiegers c4-c5 @")])


def run(lines, bare):
    """`bare`: a page that begins with nothing, and makes what it needs."""

    def case(t):
        if not bare:
            furnished(t)
        for at, line in enumerate(lines):
            # The other program takes over twice: after a third, or after two.
            if at in (len(lines) // 3, 2 * len(lines) // 3):
                t.mark()
            t.shell(line, home="home" if bare else ".")

    return case


def tour(t):
    t.shell(f"sh {ROOT}/examples/tour.sh | sed 's/tmp\\.[A-Za-z0-9]*/FOLDER/'", env={"POSTRIDER": "postrider"}, look=False)
