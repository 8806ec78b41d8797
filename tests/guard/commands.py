"""Commands that need no record, or a small one: help, rules, lessons, the machine, lists, editors, settings, mistakes."""

import json
import re

from blocks import FIRST
from place import ROOT
from records import GAMES


def helps(t):
    """The help of every command and of every command below it."""
    top = t.run("--help", look=False)
    t.run("-h", look=False)
    t.run("--version", look=False)
    for name in re.findall(r"^  ([a-z]+)  ", top.text, re.M):
        for flag in ("-h", "--help"):
            said = t.run(name, flag, look=False)
        for below in re.findall(r"^  ([a-z]+)  ", said.text.partition("Commands:")[2].partition("Options:")[0], re.M):
            t.run(name, below, "--help", look=False)


MISTAKES = """
nothing
show
show nothing.pbem
show game.pbem --at 99
show game.pbem --as nobody
show game.pbem --from here
move game.pbem
move game.pbem b4-a4
move nothing.pbem c4-c5
move -n game.pbem c4-c5
moves game.pbem zz
moves --game chess
new chess --against Bram
new asalto
new asalto --against Bram --option huff=never -o new.pbem
new asalto --against Bram --id A -o new.pbem
new asalto --against Bram --clock 5x -o new.pbem
invite nobody asalto
accept nothing-here
decline nothing-here
undo game.pbem
own game.pbem white
own game.pbem besiegers
if game.pbem c4-c5
answer game.pbem
send game.pbem
send game.pbem --date-anew
send nothing
countersign game.pbem
secret publish game.pbem
secret export
key show
key trust bram@example.net 1a2b
key export key.pem
key backup key.backup
key rotate
restore nothing.backup
backup
evidence game.pbem
audit nothing.pbem
stamp game.pbem
verify
verify nothing
verify --stamps nothing.pem game.pbem
unpack game.pbem
pack nothing -o x
export nothing
decks check game.pbem
decks check nothing.yaml
picture game.pbem -o board.txt
picture nothing.pbem
page --check game.pbem
rules chess
rules asalto T999
rules T21
perft asalto x
match asalto 1 9
practice chess
review game.pbem --level 9
learn asalto 99
host status
host receive letter.eml
receive letter.eml
receive --imap
receive --git
status nothing
git check main
git setup
git history
doctor --json
setup --check
status
invitations
play
""".strip().splitlines()


def mistakes(t):
    """What is asked for wrongly, or in vain."""
    for with_settings in (False, True):
        if with_settings:
            t.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\ngames: ../games\n")
        for command in MISTAKES:
            t.write("game.pbem", FIRST)
            t.run(*command.split())
    for text in ("name: [", "email: nobody\n", "mail: {transport: pigeon}\n", "colour: blue\n", "mail: {transport: smtp}\n"):
        t.write("home/settings.yaml", text)
        for command in ("status", "doctor", "setup --check", "send game.pbem"):
            t.run(*command.split())


def rulebooks(t):
    for book in (*GAMES, "record", "sealing", "mail", "words", "playing", "practice", "git", "keys", "archive", "conditions", "host", "page"):
        said = t.run("rules", book, look=False)
        for number in re.findall(r"^#* ?([A-Z][0-9]+)\b", said.text, re.M)[::9]:
            t.run("rules", book, number, look=False)
        t.run("rules", book, "--json", look=False)
    for game in (None, *GAMES):
        t.run("games", *([game] if game else []), look=False)
    t.run("rules", look=False)
    t.run("games", "--json", look=False)


def lessons(t):
    t.run("learn", look=False)
    for game in GAMES:
        t.run("learn", game, "--list", look=False)
        t.run("learn", game, "--list", "--json", look=False)
        t.run("learn", game, "--print", "-o", f"{game}.html")
        for number in (1, 5):
            t.run("learn", game, number, given="hint\nresign\nboard\nskip\nquit\n", look=False)


def machine(game):
    def case(t):
        t.run("match", game, "1", "random", "--games", "2", "--seed", "3", "--longest", "40", "--json", look=False)
        t.run("perft", game, "2", "--divide", look=False)
        t.run("perft", "--game", game, "1", look=False)
        said = t.run("practice", game, "--level", "1", "--seed", "7", "-o", "practice.pbem", given="help\nmoves\nwords\nquit\n")
        said = t.run("moves", "practice.pbem", look=False)
        moves = "".join(f"{line}\n" for line in said.lines()[:2])
        t.mark()
        t.run("practice", "practice.pbem", given=f"{moves}undo\nquit\n")
        t.run("show", "practice.pbem", "--words")
        # No hint, and no higher level: they think for a fixed time at most, and on a busy machine two runs of one program may differ.
        t.run("practice", game, "--level", "1", "--seed", "5", given="resign\nyes\n", look=False)

    return case


def review(name, data):
    def case(t):
        t.write("game.pbem", data)
        t.run("review", "game.pbem", "--level", "1", look=False)
        t.run("review", "game.pbem", "--level", "1", "--json", look=False)

    return case


def pictures(t):
    for path in sorted((ROOT / "examples").glob("*/open-game.pbem")):
        name = path.parent.name
        t.write(f"{name}.pbem", path.read_bytes())
        for look in ("colour", "dark"):
            t.run("picture", f"{name}.pbem", "-o", f"{name}-{look}.png", "--size", "240", "--look", look)
        t.run("picture", f"{name}.pbem", "-o", f"{name}.gif", "--size", "160", "--entries", "0..3")
        for way in ("kitty", "iterm", "sixel"):
            t.run("show", f"{name}.pbem", f"--picture={way}", look=False)
        t.run("page", f"{name}.pbem", "--referee", "-o", f"{name}.html")
        t.run("page", "--check", f"{name}.html")
        t.run("page", f"{name}.pbem", "--without-addresses", "-o", f"{name}-short.html")
    t.run("page", "--app", "-o", "app")
    t.mark()
    t.run("page", "--check", "app")


def lists(t):
    t.run("decks", "show", look=False)
    for path in ("notation/mission-combat/decks.yaml", "examples/mission-combat/own-layout.pbem"):
        data = (ROOT / path).read_bytes()
        t.write("list", data)
        t.run("decks", "check", "list", look=False)
        t.run("decks", "show", "list", look=False)
        for cut in (100, 700, 1500):
            t.write("list", data[:cut] + b"x: [" + data[cut:])
            t.run("decks", "check", "list", look=False)
    for shell in ("bash", "zsh", "fish"):
        t.run("completions", shell, look=False)
    t.write("game.pbem", FIRST.rsplit("6 ", 1)[0])
    for line in ("postrider ", "postrider mo", "postrider move game.pbem ", "postrider show --", "postrider rules asalto T2", "postrider new subsume --option "):
        t.run("--", line, line.split(" ")[-1], env={"COMPLETE": "bash"}, look=False)


def editor(t):
    """An editor that opens records, changes one, and asks what there is to ask."""
    for path in sorted((ROOT / "examples").glob("*/*.pbem")):
        text = path.read_text()
        uri = f"file:///{path.parent.name}/{path.name}"
        document = {"uri": uri}
        last = {"line": max(0, len(text.splitlines()) - 1), "character": 3}
        whole = {"start": {"line": 0, "character": 0}, "end": last}
        asked = [
            ("initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
            ("initialized", None),
            ("textDocument/didOpen", {"textDocument": {**document, "languageId": "pbem", "version": 1, "text": text}}),
            ("textDocument/hover", {"textDocument": document, "position": last}),
            ("textDocument/completion", {"textDocument": document, "position": last}),
            ("textDocument/codeAction", {"textDocument": document, "range": whole, "context": {"diagnostics": []}}),
            ("textDocument/documentSymbol", {"textDocument": document}),
            ("textDocument/formatting", {"textDocument": document, "options": {"tabSize": 2, "insertSpaces": True}}),
            ("textDocument/inlayHint", {"textDocument": document, "range": whole}),
            ("textDocument/didChange", {"textDocument": {**document, "version": 2}, "contentChanges": [{"text": text + "99 nobody x\n"}]}),
            ("textDocument/completion", {"textDocument": document, "position": last}),
            ("shutdown", None),
            ("exit", None),
        ]
        given = b""
        for number, (method, params) in enumerate(asked):
            message = {"jsonrpc": "2.0", "method": method}
            if method not in ("initialized", "exit") and "/did" not in method:
                message["id"] = number
            if params is not None:
                message["params"] = params
            body = json.dumps(message).encode()
            given += b"Content-Length: %d\r\n\r\n" % len(body) + body
        t.run("lsp", given=given, look=False)
