"""Homes of every kind, made and played on. At each mark the home that one program has made may be handed to the other."""

import email
import email.policy
import json
import random
import re
from urllib.parse import unquote

import letters
from place import ROOT
from records import GAMES

ADA, BRAM, CLEO = "Ada Quill <ada@example.org>", "Bram Post <bram@example.net>", "Cleo Verne <cleo@example.com>"
DECKS = """\
marines:
  units:
    - {slug: guard, copies: 6, type: standard, defence: 10, weapon: standard, damage: 10, ranged: true}
  events:
    - {slug: blast, copies: 14, effect: damage, target: standard, points: 20}
    - {slug: snare, copies: 10, effect: trap}
portalists:
  units:
    - {slug: shade, copies: 6, type: standard, defence: 10, weapon: standard, damage: 10, speed: true}
  events:
    - {slug: gust, copies: 12, effect: damage, target: standard, points: 20}
    - {slug: pit, copies: 12, effect: trap}
"""


def home(t, name, person, more="", key=True):
    """A home with a folder of games, and a key."""
    who, address = person.rstrip(">").split(" <")
    t.write(f"{name}/settings.yaml", f"name: {who}\nemail: {address}\ngames: games\n{more}")
    t.path(f"{name}/games").mkdir()
    if key:
        t.run("key", "new", home=name)


def taken(t, folder):
    """The letters in a folder, which is emptied."""
    found = []
    for path in t.files(folder):
        if path.suffix == ".eml" and "drafts" not in path.parts:
            found.append(path.read_bytes())
            path.unlink()
    return found


def letters_of(t, name):
    return taken(t, f"{name}/data/outbox")


class Two:
    """Two players, each with a home, who play by letters; the newest entry of each comes from what the program lists."""

    def __init__(self, t, game, seed, keys=True, more=""):
        self.t, self.game, self.chance = t, game, random.Random(f"{game} {seed}")
        self.id, self.more = f"{game}-guarded-game", ()
        for name, person in (("ada", ADA), ("bram", BRAM)):
            home(t, name, person, more, keys)

    def file(self, name):
        return f"{name}/games/{self.id}.pbem"

    def carry(self, *options):
        """Takes letters to and fro until there are none."""
        for _ in range(12):
            moved = False
            for name, other in (("ada", "bram"), ("bram", "ada")):
                for letter in letters_of(self.t, name):
                    self.t.run("receive", *options, home=other, given=letter)
                    moved = True
            if not moved:
                return

    def begin(self, *options):
        self.t.run("invite", BRAM, self.game, "--id", self.id, *options, home="ada")
        self.carry()
        self.t.mark()
        self.t.run("accept", self.id, home="bram")

    def due(self):
        """Whose entry is due, from the status of Ada's home."""
        said = self.t.run("status", "--json", "--all", home="ada").lines()
        for line in said:
            game = json.loads(line) if line.startswith("{") else {}
            if game.get("id") == self.id:
                if game.get("result"):
                    return None
                return "ada" if game.get("due") == game.get("you") else "bram"
        return None

    def chosen(self, name, attempt):
        """An entry that may be made, put together from what the program lists; stepwise games have a few actions in one."""
        file, typed = self.id, []
        for _ in range(40):
            step = self.t.run("moves", file, *(["; ".join(typed)] if typed else []), home=name, look=False)
            listed = [line for line in step.lines() if "<" not in line]
            may_end = "may also end here" in step.said or "complete" in step.said
            if not listed or may_end and self.chance.randrange(3) == 0:
                break
            bold = [line for line in listed if "x" in line or line.startswith(("attack", "draw", "end"))]
            typed.append(self.chance.choice(bold if bold and self.chance.randrange(2) else listed))
            if self.game in ("asalto", "assideum", "assassyn"):
                break
        return "; ".join(said_for(action, attempt) for action in typed)

    def play(self, entries, every=8):
        """So many entries at most; the letters go to and fro, and now and then there is a mark."""
        made = 0
        for at in range(entries):
            name = self.due()
            if name is None:
                break
            step = self.t.run("answer", self.id, "--send", home=name)
            if step.code != 0:
                for attempt in range(4):
                    step = self.t.run("move", self.id, self.chosen(name, attempt), "--send", *self.more, home=name)
                    if step.code == 0:
                        break
            if step.code != 0:
                self.t.run("move", self.id, "resign", "-y", "--send", home=name)
            made += step.code == 0
            self.carry()
            if at % every == every // 2:
                self.t.mark()
        self.t.counts["entries"] = self.t.counts.get("entries", 0) + made

    def look(self):
        """What is said of the game at its end or in the middle, in both homes."""
        for name in ("ada", "bram"):
            for words in (
                ("show", self.id), ("show", self.id, "--as", "public", "--json"), ("log", self.id, "--words"), ("audit", self.id),
                ("clock", self.id), ("verify", "--trusted", self.file(name)), ("doctor",), ("invitations",), ("undo", "-n", self.id), ("send", "-n", self.id),
                ("key", "show"), ("own", self.id),
            ):  # fmt: skip
                self.t.run(*words, home=name, look=words[0] == "show")


# What a player types for a word of the list that stands for many entries: white, and then black.
DEPLOY = ("deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1", "deploy Pa6 Wb6 Lc6 Ld6 Sa5 Sb5 Af6")


def said_for(action, attempt):
    return DEPLOY[attempt % 2] if action == "deploy" else action


def correspondence(game, keys, entries, *options):
    def case(t):
        two = Two(t, game, entries, keys)
        if "--decks" in options:
            t.write("decks.yaml", DECKS)
        two.begin(*options)
        two.play(entries)
        two.look()
        t.mark()
        due = two.due()
        if due:
            t.run("countersign", two.file("bram" if due == "ada" else "ada"), "--send", home="bram" if due == "ada" else "ada")
            two.carry()
            t.run("move", two.id, "resign", "-y", "--send", home=due)
        two.carry()
        t.run("secret", "publish", two.file("ada"), "--send", home="ada")
        two.carry()
        t.run("secret", "publish", two.file("bram"), "--send", home="bram")
        two.carry("--answer")
        two.look()

    return case


def conditions(t):
    """Prepared replies, drafts, entries taken back."""
    two = Two(t, "asalto", 1)
    two.begin("--clock", "5d leave 30d")
    t.run("move", two.id, "place c6 e6", "--send", home="bram")
    two.carry()
    t.run("move", two.id, "c4-c5", "--message", "the gate!", "--send", home="ada")
    t.run("if", two.id, "c6-d6", "e4-e5", "e6xe4xc4xc6", "c3-c4", home="ada")
    t.run("if", two.id, "c6-b6", "e4-e5", home="ada")
    t.run("if", two.id, "c6-c7", "d4-d5", "--json", home="ada")
    t.mark()
    t.run("if", two.id, "--json", home="ada")
    t.run("if", two.id, "--remove", "c6-c7", home="ada")
    two.carry()
    t.run("move", two.id, "c6-d6", home="bram")
    t.run("undo", two.id, home="bram")
    t.run("move", two.id, "c6-d6", "--send", home="bram")
    t.mark()
    two.carry("--answer")
    t.run("if", two.id, home="ada")
    t.run("undo", two.id, "--unsent", home="ada")
    t.run("move", two.id, "e6xe4xc4xc6; leave 7d", "--send", home="bram")
    two.carry("--answer", "--countersign")
    t.mark()
    t.run("if", two.id, "--clear", home="ada")
    t.later(days=12)
    t.run("status", "--remind", home="bram")
    t.run("status", "--remind", "--send", home="bram")
    t.run("status", "--all", "--json", home="ada")
    t.later(days=9)
    t.run("move", two.id, "claim time", "-y", "--send", home="bram")
    two.carry()
    t.mark()
    t.run("receive", "--agree", two.id, home="ada")
    two.look()


def restored(t):
    """A home is lost and comes back: from a backup under a passphrase, and a record from what is known of it."""
    t.write("phrase", "correct horse\n")
    t.path("new/games").mkdir(parents=True)
    two = Two(t, "assassyn", 2)
    two.begin()
    two.play(5, every=4)
    for name in ("ada", "bram"):
        t.run("backup", f"{name}.backup", "--passphrase-from", f"cat {t.path('phrase')}", home=name)
        t.run("secret", "export", f"{name}.secrets", home=name)
        t.run("key", "backup", f"{name}.key", home=name)
        t.run("key", "export", f"{name}.pem", home=name)
        t.run("key", "revoke", "--in-advance", f"{name}.revoked", home=name)
    t.mark()
    t.run("restore", "ada.backup", "--passphrase-from", f"cat {t.path('phrase')}", home="new")
    t.run("doctor", home="new")
    t.run("key", "show", home="new")
    t.run("status", "--all", "--json", home="new")
    t.run("show", two.id, home="new")
    # The old home of Ada is gone; her record is damaged in the new one.
    t.path("ada").rename(t.path("gone"))
    t.path("new").rename(t.path("ada"))
    t.run("status", home="ada")
    t.mark()
    two.play(1)
    two.more = ("--only-here",)
    two.play(3, every=9)
    for path in t.files("ada", f"{two.id}.pbem")[:1]:
        path.write_bytes(path.read_bytes()[:-40])
        file = path.relative_to(t.folder)
        t.run("verify", file, home="ada")
        t.run("move", file, "resign", "-y", home="ada")
        t.run("restore", file, home="ada")
        t.run("show", file, home="ada")
    two.play(3, every=9)
    two.look()
    # A third home has but the key and the secrets.
    home(t, "third", ADA, key=False)
    t.run("key", "import", "ada.key", home="third")
    t.run("secret", "import", "ada.secrets", home="third")
    t.run("key", "show", home="third")
    t.run("key", "take", "bram.revoked", home="third")
    t.run("doctor", "--json", home="third")


def locked(t):
    """Keys with a passphrase, with a successor, withdrawn, trusted and no longer."""
    t.write("phrase", "correct horse battery\n")
    more = f"passphrase-command: [cat, {t.path('phrase')}]\n"
    two = Two(t, "asalto", 4, False, more)
    for name in ("ada", "bram"):
        t.run("key", "new", "--passphrase-from", f"cat {t.path('phrase')}", home=name)
    two.begin()
    t.mark()
    shown = t.run("key", "show", home="ada")
    print_of_ada = re.search(r"fingerprint +(\S+)", shown.said)
    if print_of_ada:
        t.run("key", "trust", "ada@example.org", print_of_ada.group(1), home="bram")
    two.play(4, every=3)
    t.run("key", "rotate", home="bram")
    two.play(2, every=9)
    t.mark()
    t.run("key", "show", home="bram")
    t.run("key", "untrust", "ada@example.org", home="bram")
    t.run("invite", ADA, "assideum", "--id", "assideum-with-another-key", home="bram")
    two.carry()
    t.run("accept", home="ada")
    t.run("key", "revoke", "--now", home="bram")
    two.play(2, every=9)
    two.look()


def held(t):
    """Letters that wait: for the player to agree, for a time to come, for the right one of two keys; two entries for one turn."""
    game, id = "home-ada/games/game.pbem", "asalto-whose-seat"
    home(t, "home-ada", ADA)
    players = ("--player", f"defenders={ADA}", "--player", f"besiegers={BRAM}")
    t.run("new", "asalto", "--id", id, "-o", game, *players, home="home-ada")
    t.run("move", game, "place c6 e6", "--send", home="home-ada")
    record = t.read(game)
    invitation = letters_of(t, "home-ada")
    home(t, "mallory", BRAM)
    t.write("mallory/games/game.pbem", record)
    t.run("move", "mallory/games/game.pbem", "c4-c5", "--send", home="mallory")
    home(t, "bram", BRAM)
    for letter in invitation:
        t.run("receive", home="bram", given=letter)
    t.run("accept", id, home="bram")
    t.run("move", id, "b4-c5", "--send", home="bram")
    forged, answer = letters_of(t, "mallory"), letters_of(t, "bram")
    for letter in forged:
        t.run("receive", home="home-ada", given=letter)
    t.run("status", "--all", home="home-ada")
    t.mark()
    t.run("receive", "--agree", id, home="home-ada")
    for letter in answer:
        t.run("receive", home="home-ada", given=letter)
    t.mark()
    shown = t.run("key", "show", home="bram")
    right = re.search(r"fingerprint +(\S+)", shown.said)
    t.run("receive", "--seat", "0000-0000-0000-0000-0000-0000-0000-0000", home="home-ada")
    t.run("receive", "--seat", right.group(1) if right else "none", home="home-ada")
    t.run("move", game, "c6-d6", "--send", home="home-ada")
    for letter in letters_of(t, "home-ada"):
        t.run("receive", home="bram", given=letter)
    t.mark()
    # Two signed entries for one turn.
    for path in t.files("bram/games", ".pbem"):
        t.write("copy/game.pbem", path.read_bytes())
    t.run("move", id, "e4-e5", "--send", home="bram")
    t.write("bram/other.pbem", t.read("copy/game.pbem"))
    t.run("move", "bram/other.pbem", "d4-d5", "--only-here", "--accept-rewritten", "--send", home="bram")
    for letter in letters_of(t, "bram"):
        t.run("receive", home="home-ada", given=letter)
    t.run("evidence", f"bram/games/{id}.pbem", "bram/other.pbem", home="home-ada")
    t.run("doctor", home="home-ada")
    t.run("status", "--all", "--json", home="home-ada")
    # An entry from the future waits for its time.
    letters.bram(t, 1)
    t.write("ahead.eml", (ROOT / "tests/data/mail/ahead-of-the-clock.eml").read_bytes())
    t.run("receive", "ahead.eml")
    t.mark()
    t.later(days=400)
    t.run("receive", "ahead.eml")
    t.run("status", "--all")


MILL = "games@example.com"


class Letter:
    def __init__(self, data):
        mail = email.message_from_bytes(data, policy=email.policy.default)
        self.data, self.subject, self.id = data, mail["Subject"] or "", mail["Message-ID"] or ""
        self.to, self.sender = (re.sub(r".*<|>.*", "", str(mail[name] or "")) for name in ("To", "From"))
        self.sender = re.sub(r".*<|>.*", "", str(mail["Reply-To"] or mail["From"] or ""))
        text, html = mail.get_body(("plain",)), mail.get_body(("html",))
        self.text = text.get_content() if text else ""
        self.taps = re.findall(r'href="(mailto:[^"]*)"', html.get_content()) if html else []


def hosted(game, entries):
    """A host, and two people with nothing but mail: one replies, the other taps links. Somebody else is forgotten."""

    def case(t):
        t.run("host", "setup", "--yes", "--name", "The Mill", "--email", MILL, "--outbox", "outbox", home="mill")
        count = 0
        people = {"ada@example.org": ADA, "bram@example.net": BRAM, "cleo@example.com": CLEO}

        def sent(*options):
            return [Letter(data) for folder in ("outbox", "mill/outbox", "mill/data/outbox") for data in taken(t, folder)]

        def deliver(person, to, subject, text, more=""):
            nonlocal count
            count += 1
            message = (
                f"From: {person}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{count}@people.example>\r\n{more}"
                f"Date: {t.now.strftime('%a, %d %b %Y %H:%M:%S +0000')}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
            )
            t.run("host", "receive", "-", home="mill", given=message)
            return sent()

        def reply(letter, text):
            quoted = "".join(f"> {line}\r\n" for line in letter.text.splitlines()[:8])
            return deliver(
                people[letter.to], letter.sender, f"Re: {letter.subject}", f"{text}\r\n\r\nOn Tue, The Mill <{MILL}> wrote:\r\n{quoted}",
                f"In-Reply-To: {letter.id}\r\n",
            )  # fmt: skip

        def tap(letter, link):
            to, rest = link.replace("&amp;", "&").removeprefix("mailto:").split("?", 1)
            fields = dict(field.split("=", 1) for field in rest.split("&"))
            return deliver(people[letter.to], unquote(to), unquote(fields.get("subject", "")), unquote(fields.get("body", "")))

        waiting = deliver(CLEO, MILL, "help", "")
        waiting += deliver(CLEO, MILL, "play asalto", "")
        waiting = [answer for letter in waiting[-1:] for answer in reply(letter, "yes")]
        waiting = deliver(ADA, MILL, f"play {game} with bram@example.net", "Hello")
        t.mark()
        waiting = [answer for letter in waiting for answer in reply(letter, "yes")]
        waiting = [answer for letter in waiting if letter.to == "bram@example.net" for answer in reply(letter, "accept")]
        made, chance = 0, random.Random(game)
        for at in range(entries):
            turn = [letter for letter in waiting if "It is your turn" in letter.text]
            if not turn:
                break
            letter = turn[-1]
            t.later(hours=1)
            id = re.search(r"\[pbem\] (\S+)", letter.subject)
            record = next(iter(t.files("mill/data/games", f"{id.group(1)}.pbem" if id else ".pbem")), None)
            listed = t.run("moves", record.relative_to(t.folder), home="mill", look=False).lines() if record else []
            entry = chance.choice(listed) if listed else "resign"
            entry = said_for(entry, at)
            if at == 2:
                reply(letter, "zz9 to the moon")
            bodies = {unquote(link.replace("&amp;", "&").partition("body=")[2].partition("&")[0]): link for link in letter.taps}
            waiting = tap(letter, bodies[entry]) if entry in bodies and at % 2 else reply(letter, entry)
            made += any("It is your turn" in one.text for one in waiting)
            if at in (3, entries - 3):
                t.mark()
        t.counts["entries"] = made
        for letter in [letter for letter in waiting if "It is your turn" in letter.text][-1:]:
            waiting = reply(letter, "resign")
        for letter in waiting[:1]:
            reply(letter, "standings")
            reply(letter, "again")
        t.later(days=40)
        t.run("host", "receive", "--only-due", home="mill")
        sent()
        t.mark()
        for words in (("status",), ("games", "--json"), ("people", "--json"), ("forget", "cleo@example.com"), ("people",)):
            t.run("host", *words, home="mill")
        t.run("doctor", home="mill")
        t.run("page", "mill/data/games", "-o", "site", home="mill")
        t.run("verify", "-v", "mill/data/games", home="mill")

    return case


def session(t):
    """What is typed at the prompt of `play`, and a game of both sides at one machine."""
    home(t, "home", ADA)
    for game, typed in (
        ("asalto", "help\nplace c6 e6\nmoves\nc4-c5\nrules T20\nb4-a4\nundo\nc4-c5\nboard\nlog\nnext\nquit\n"),
        ("subsume", "+a1A\nnext\nend\nmoves\nwords\nquit\n"),
        ("assassyn", "help\ndeploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1\nmoves\nquit\n"),
        ("assideum", "moves\nhelp\nresign\nyes\nquit\n"),
        ("mission-combat", "toss\nmoves\nquit\n"),
    ):
        id, file = f"{game}-at-one-machine", f"home/games/{game}-at-one-machine.pbem"
        sides = {"asalto": ("besiegers", "defenders"), "mission-combat": ("marines", "portalists")}.get(game, ("white", "black"))
        t.run("new", game, "--id", id, "--player", f"{sides[0]}={ADA}", "--player", f"{sides[1]}={BRAM}", "-o", file)
        t.run("play", "--no-mail", "--both", id, given=typed)
    t.mark()
    for game in GAMES:
        t.run("play", "--no-mail", f"{game}-at-one-machine", given="message hello\nmoves\nboard\nsend\nno\nquit\n")
        t.run("show", f"{game}-at-one-machine", "--words")
    t.run("play", given="quit\n")
    t.run("status", "--all")
    t.run("doctor")


ANSWERS = (
    ("Ada Quill", "ada@example.org", "games", "file", "", "files", "no", "yes"),
    ("Ada Quill", "ada@example.org", "", "file", "out", "files", "yes", "yes"),
    ("Ada", "ada@example.org", "", "file", "", "files", "no", "no"),
    ("Ada", "nobody", "ada@example.org", "", "pigeon"),
)
AGAIN = ("", "-", "", "file", "../outbox", "files", "no", "yes")


def settings(t):
    """Settings asked for, written, changed and tested; a host's too."""
    for at, answers in enumerate(ANSWERS):
        name = f"home{at}"
        t.run("setup", home=name, given="".join(f"{line}\n" for line in answers))
        t.mark()
        t.run("setup", home=name, given="".join(f"{line}\n" for line in AGAIN))
        t.run("setup", "--check", home=name)
        t.run("doctor", home=name)
    t.write("home/settings.yaml", (ROOT / "examples/settings.yaml").read_bytes())
    t.run("status")
    t.run("doctor", "--json")
    t.run("host", "setup", home="host", given="The Mill\ngames@example.com\n\n\n\n\n\n\n")
    t.run("host", "setup", "--yes", "--name", "M", "--email", MILL, "--no-plus", "--inbox", "in", "--outbox", "out", home="host2")
    t.run("host", "status", "--json", home="host2")


def repositories(t):
    """Games in a repository: hooks, checks, history, two branches merged, entries taken from a remote."""
    t.write(".gitconfig", "[user]\nname = Ada Quill\nemail = ada@example.org\n[init]\ndefaultBranch = main\n[gc]\nauto = 0\n")
    home(t, "home", ADA, key=False)
    head = "---\npbem: 1\ngame: asalto\nid: asalto-in-git\nplayers:\n  besiegers: {name: Ada Quill, email: ada@example.org}\n"
    head += "  defenders: {name: Bram Post, email: bram@example.net}\nstarted: 2026-11-21\n---\n"
    lines = letters.ENTRIES
    t.write("home/games/game.pbem", head + lines[0])
    # The files of git itself have times in them: only what the program prints and the records are looked at.
    at = {"folder": "home/games", "look": False}
    t.shell("git init -q --template= . && mkdir -p .git/hooks && postrider git setup && git add -A && git commit -qm one", **at)
    t.mark()
    t.shell("cat .git/hooks/* .gitattributes; git config --list --local", **at)
    t.write("home/games/game.pbem", head + "".join(lines[:2]))
    t.shell("postrider git check --staged; git add -A; postrider git check --staged --json -v; git commit -qm two", **at)
    t.shell("git branch other; git clone -q . ../../bram", **at)
    t.write("home/games/game.pbem", head + "".join(lines[:3]))
    t.shell("git commit -qam three; postrider git check main~2..main -v; postrider git history", **at)
    t.write("home/games/game.pbem", head + lines[0])
    t.shell("git add -A; git commit -qm shorter; git checkout -q -f .", **at)
    t.mark()
    t.write("home/games/game.pbem", head + "".join(lines[:3]))
    t.write("bram/game.pbem", head + "".join(lines[:4]))
    t.shell("cd ../../bram && git commit -qam four; cd - >/dev/null; git remote add bram ../../bram", **at)
    t.run("receive", "--git", "bram", look=False, folder="home/games")
    t.shell("cat game.pbem; git fetch -q bram; git merge -q bram/main; cat game.pbem; postrider git history --json", **at)
    t.write("base", head + "".join(lines[:2]))
    t.write("ours", head + "".join(lines[:3]))
    t.write("theirs", head + "".join(lines[:4]))
    t.run("git", "merge", "base", "ours", "theirs", "game.pbem", look=False)
    t.write("theirs", head + "".join(lines[:2]) + "3 defenders c6-b6 @2026-11-22T20:40:00Z\n")
    t.run("git", "merge", "base", "ours", "theirs", "game.pbem", look=False)
    t.shell("cat ours base theirs", look=False)
    t.shell("postrider git setup --check; postrider git setup --remove; cat .gitattributes; ls .git/hooks", **at)


def in_a_page(game, entries):
    """Homes that a page keeps: the module of the app that the program writes does what a page asks of it, and keeps files in a store.
    The program plays on from a page's backup."""

    def case(t):
        chance = random.Random(game)

        def ask(name, *deeds):
            return answers(t, name, deeds)

        for name, person, address in (("ada", "Ada", "ada@example.org"), ("bram", "Bram", "bram@example.net")):
            ask(name, {"do": "settle", "name": person, "email": address}, {"do": "key", "what": "make", "passphrase": None})
        side = {"asalto": "besiegers", "mission-combat": "marines"}.get(game, "white")
        made = ask("ada", {"do": "begin", "game": game, "side": side, "name": "Bram", "email": "bram@example.net"})
        id = (made[-1].get("done") or {}).get("game")
        t.mark()

        def carry(name, other):
            for answer in ask(name, {"do": "letter", "game": id}):
                for letter in answer.get("letters", []):
                    ask(other, {"do": "receive", "base64": letter["message"]}, {"do": "look"})

        carry("ada", "bram")
        ask("bram", {"do": "accept", "game": id})
        played = 0
        for at in range(entries):
            found = ask("ada", {"do": "game", "game": id})[-1].get("done") or {}
            if found.get("over"):
                break
            name, other = ("ada", "bram") if found.get("is_mine") else ("bram", "ada")
            done = ask(name, {"do": "answer", "game": id})[-1]
            begun = ""
            for _ in range(30 if "done" not in done else 0):
                following = ask(name, {"do": "next", "game": id, "begun": begun, "seed": at})[-1].get("done") or {}
                listed = following.get("actions", [])
                if not listed:
                    break
                action = chance.choice(listed)
                examples = following.get("words", {}).get(action)
                if examples and action != "accept":
                    action = chance.choice(examples)
                begun = "; ".join(filter(None, [begun, action]))
                done = ask(name, {"do": "enter", "game": id, "typed": begun})[-1]
                if "done" in done:
                    break
            played += "done" in done
            carry(name, other)
            if at == entries // 2:
                t.mark()
        t.counts["entries"] = played
        ask("ada", {"do": "prepare", "game": id, "entries": []}, {"do": "undo", "game": id}, {"do": "audit", "game": id})
        kept = ask("ada", {"do": "backup", "passphrase": "a phrase"})[-1].get("done") or {}
        t.mark()
        text = next((value for value in kept.values() if isinstance(value, str) and "BEGIN" in value), "")
        ask("other", {"do": "restore", "backup": text, "passphrase": "a phrase"}, {"do": "look"}, {"do": "game", "game": id})
        t.write("page.backup", text, 0o600)
        t.write("phrase", "a phrase\n")
        t.run("restore", "page.backup", "--passphrase-from", f"cat {t.path('phrase')}", home="program")
        for words in (("status", "--all"), ("show", id), ("log", id), ("key", "show"), ("doctor",), ("move", id, "resign", "-y", "--send")):
            t.run(*words, home="program")

    return case


def answers(t, name, deeds):
    """What the module says to these, and the store after it."""
    t.later(minutes=5)
    request = json.dumps({"store": str(t.path(f"{name}.store")), "now": t.now.strftime("%Y-%m-%dT%H:%M:%SZ"), "seed": f"{name} {len(t.steps)}", "deeds": deeds})
    script = ROOT / "tests/guard/page.mjs"
    if t.which not in t.apps:
        # The app of the program that is used now.
        t.run("page", "--app", "-o", f"../app-{t.which}", look=False)
        t.apps[t.which] = next((t.bin.parent / f"app-{t.which}").glob("*.wasm.gz"), None)
    step = t.step(["node", str(script), str(t.apps[t.which])], f"page of {name}: {json.dumps(deeds)[:200]}", name, request, {"LD_PRELOAD": ""}, ".", True)
    return json.loads(step.out) if step.code == 0 else [{}]


def homes(quick):
    """Every kind of home: a name and what is done in it."""
    found = [
        ("asalto, signed", correspondence("asalto", True, 8 if quick else 24)),
        ("conditions", conditions),
        ("held letters", held),
        ("hosted asalto", hosted("asalto", 6 if quick else 14)),
    ]
    if quick:
        return found
    return found + [
        ("asalto, not signed", correspondence("asalto", False, 12)),
        ("asalto, by mail", correspondence("asalto", False, 8, "--by-mail")),
        ("assideum, signed", correspondence("assideum", True, 16)),
        ("assassyn, sealed", correspondence("assassyn", True, 24)),
        ("assassyn, open", correspondence("assassyn", True, 8, "--open")),
        ("subsume, sealed", correspondence("subsume", True, 18, "--option", "turn-limit=8")),
        ("mission-combat, sealed", correspondence("mission-combat", True, 30, "--decks", "decks.yaml")),
        ("mission-combat, default decks", correspondence("mission-combat", True, 14)),
        ("restored", restored),
        ("locked keys", locked),
        ("hosted assassyn", hosted("assassyn", 12)),
        ("hosted subsume", hosted("subsume", 8)),
        ("session", session),
        ("settings", settings),
        ("repositories", repositories),
        ("page asalto", in_a_page("asalto", 8)),
        ("page assassyn", in_a_page("assassyn", 10)),
    ]
