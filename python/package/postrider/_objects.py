"""What the referee answers, as plain objects. Their members have the names that the program's JSON and tables have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Ruling = Literal["legal", "illegal", "malformed", "unjudged"]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a record, where, and what would be right."""

    entry: int | None
    """The entry, from 1."""
    line: int | None
    """The line, from 1."""
    column: int | None
    """The column, from 1, in characters."""
    rule: str | None
    """The rule that is broken; None if the text does not fit the grammar."""
    message: str


@dataclass(frozen=True, slots=True)
class Key:
    """The public key of a player."""

    key: str
    """In base64."""
    fingerprint: str
    """In the form in which people compare it."""


@dataclass(frozen=True, slots=True)
class Signatures:
    """Who signs a record."""

    checked: Literal["all", "newest"]
    keys: dict[str, Key | None]
    """The name of each side, and the key that has signed for it."""
    declared: dict[str, Key]
    """The keys that are declared for sides and have signed nothing."""


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on a record: what `postrider verify --json` prints."""

    verdict: Ruling
    game: str | None
    """The game's name."""
    entries: int
    """How many entries are legal, from the first."""
    due: str | None
    """The side whose entry is due."""
    result: str | None
    """How the game ended."""
    signatures: Signatures | None
    errors: list[Fault]
    """What is wrong: nothing if the record is legal."""
    excerpts: list[str]
    """The first of the faults, with their lines and carets."""
    more: int
    """How many faults have no excerpt."""
    summary: str
    """The verdict in one line."""

    @property
    def legal(self) -> bool:
        """Whether every entry is legal."""
        return self.verdict == "legal"

    def __str__(self) -> str:
        return self.summary


def report_of(answer: dict[str, Any]) -> Report:
    told: dict[str, Any] = answer["report"]
    signatures: dict[str, Any] | None = told["signatures"]
    return Report(
        verdict=told["verdict"],
        game=told["game"],
        entries=told["entries"],
        due=told["due"],
        result=told["result"],
        signatures=Signatures(
            signatures["checked"],
            {side: key and Key(**key) for side, key in signatures["keys"].items()},
            {side: Key(**key) for side, key in signatures.get("declared", {}).items()},
        )
        if signatures
        else None,
        errors=[Fault(**fault) for fault in told["errors"]],
        excerpts=answer["excerpts"],
        more=answer["more"],
        summary=answer["summary"],
    )


@dataclass(frozen=True, slots=True)
class Player:
    """A player, as the header names one."""

    side: str
    name: str
    email: str | None
    key: str | None
    """The fingerprint of the key that the header declares."""
    signed: bool
    """Whether a signature by the declared key is there; true if none is declared."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a record, in canonical spelling."""

    number: int
    side: str
    actions: str
    brief: str
    """The actions without seals and openings."""
    told: str
    """The actions as the other side is told of them: in a practice game less than the whole, until it is over."""
    time: str | None
    message: str | None
    left: str | None
    """What it left on the side's clock."""


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks after the last entry."""

    left: dict[str, str]
    """What each side has left, in words."""
    deadline: str | None
    """When the side that is due runs out of time."""


@dataclass(frozen=True, slots=True)
class End:
    """How a game ended, as data."""

    winner: str | None
    """None if it is a draw."""
    reason: str


def end_of(answer: dict[str, Any] | None) -> End | None:
    return End(**answer) if answer else None


@dataclass(frozen=True, slots=True)
class Standing:
    """How a game stands."""

    entries: int
    due: str | None
    """The side whose entry is due; None if the game is over."""
    what: str
    """What is due of it."""
    task: str
    """The same as its player is told it: ``move a besieger``."""
    outcome: str | None
    """How the game ended, in words."""
    end: End | None
    offer: str | None
    """The side that has offered a draw."""
    clocks: Clocks | None
    last: str | None
    """The time of the last entry."""
    timed: bool
    """Whether an entry may have a time."""


def standing_of(answer: dict[str, Any]) -> Standing:
    told = dict(answer)
    clocks: dict[str, Any] | None = told.pop("clocks")
    left = {one["side"]: one["left"] for one in clocks["left"]} if clocks else {}
    end = end_of(told.pop("end"))
    return Standing(clocks=Clocks(left, clocks["deadline"]) if clocks else None, end=end, **told)


@dataclass(frozen=True, slots=True)
class Practice:
    """What the header of a practice game says of the machine."""

    side: str
    """The side that the machine plays."""
    own: str
    """The player's."""
    level: int
    seed: int


@dataclass(frozen=True, slots=True)
class Next:
    """What may follow the beginning of an entry."""

    actions: list[str]
    whole: bool
    """Whether the entry may end here."""
    words: dict[str, list[str]]
    """Words among the actions that stand for very many entries, with examples of these."""
    thrown: list[str]
    """In a practice game, words among the actions for what is thrown or drawn by its seed."""
    says: dict[str, str]
    """At the beginning of an entry, what those actions do whose notation does not say it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A legal entry."""

    number: int
    side: str
    actions: str
    """In canonical spelling."""
    line: str
    """The line of the record."""
    outcome: str | None
    """How it ends the game, if it does, in words."""
    end: End | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A mail that carries an entry to the opponent, whose `postrider receive` takes it."""

    to: str | None
    subject: str
    actions: str
    body: str
    block: str | None


@dataclass(frozen=True, slots=True)
class Appended(Judged):
    """A legal entry, and the record with it."""

    record: bytes
    """Begins with the bytes of the record before."""
    reply: Reply | None
    """None in a practice game."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A new record."""

    record: bytes
    notice: str | None
    """What is to be known about a game with these options."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on a board of points or squares."""

    place: str
    name: str
    letter: str
    side: str


@dataclass(frozen=True, slots=True)
class Target:
    """A place in a picture, by the name that entries have for it."""

    name: str
    area: tuple[int, int, int, int]
    """Left, top, width, height."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a stack."""

    sign: str
    name: str


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack of tokens."""

    place: str
    size: int
    side: str
    tokens: list[Token]
    """From bottom to top; of a tall stack the upper ones."""
    below: int
    """How many more are below them."""
    controlled: bool
    """Whether its side controls it."""
    short: int
    """How many tokens it lacks for that."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position as everybody sees it, and in a practice game its player. A notebook shows its picture."""

    entry: int
    position: str
    """The position line."""
    words: str
    width: int
    height: int
    targets: list[Target]
    pieces: list[Piece]
    stacks: list[Stack]
    svg: str

    def __str__(self) -> str:
        return self.words

    def _repr_svg_(self) -> str:
        return self.svg


def position_of(answer: dict[str, Any]) -> Position:
    told = dict(answer)
    targets = [Target(one["name"], tuple(one["area"])) for one in told.pop("targets")]
    stacks = [
        Stack(tokens=[Token(**token) for token in one["tokens"]], **{key: one[key] for key in one if key != "tokens"})
        for one in told.pop("stacks")
    ]
    return Position(targets=targets, pieces=[Piece(**one) for one in told.pop("pieces")], stacks=stacks, **told)


@dataclass(frozen=True, slots=True)
class GameOption:
    """An option of a game's rules."""

    name: str
    values: str
    """What it may be, in words."""
    words: list[str]
    """What it may be, if that is one of some words."""
    default: str
    about: str


@dataclass(frozen=True, slots=True)
class GameInfo:
    """A game that the referee knows."""

    name: str
    title: str
    about: str
    sides: list[str]
    sealable: bool
    """Whether it can be played with sealed dice or hidden things."""
    stepwise: bool
    """Whether its turns are too long to be listed whole: the lists have single actions."""
    options: list[GameOption]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule, or a whole rulebook."""

    title: str
    """The title of the rulebook."""
    text: str
    """In Markdown."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game as a row of a table: what `postrider archive export` prints. `notation/archive.md` explains every column."""

    path: str | None
    id: str | None
    game: str | None
    edition: int | None
    title: str | None
    options: str | None
    secrecy: Literal["open", "sealed"] | None
    first_side: str | None
    first_name: str | None
    first_key: str | None
    second_side: str | None
    second_name: str | None
    second_key: str | None
    started: str | None
    ended: str | None
    entries: int
    result: str | None
    winner: str | None
    how: str | None
    verdict: Ruling
    signatures: Literal["both", "first", "second", "none"] | None
    declared: Literal["both", "first", "second"] | None
    owed_by: str | None
    owed: str | None
    first_seconds: int | None
    second_seconds: int | None
    fault_rule: str | None
    fault_entry: int | None
    fault: str | None
    first_email: str | None = None
    """Only if addresses were asked for."""
    second_email: str | None = None


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry as a row of a table: what `postrider archive export --entries` prints."""

    path: str | None
    id: str
    game: str
    number: int
    side: str
    actions: str
    time: str | None
    clock_left: int | None
    """Seconds on the side's clock after the entry."""
    message: str | None
    signed: bool
    position: str | None = None
    """Only if positions were asked for."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A record as rows, up to its first fault."""

    game: GameRow
    entries: list[EntryRow]
    practice: bool
    """Whether it is a practice game against the machine, which `postrider archive export` leaves out."""
