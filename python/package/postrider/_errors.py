"""What the referee refuses, as exceptions."""

from __future__ import annotations

from typing import Any

from . import _referee
from ._objects import Report


class Error(Exception):
    """What the referee refuses."""

    rule: str | None
    """The number of the rule that is broken, such as `T21`; None if no rule but the grammar is."""
    record: bytes
    """The record that was asked about."""

    @property
    def legal(self) -> list[str]:
        """What may be entered instead, as `postrider.moves` lists it."""
        return _referee.moves(self.record) or []


class RecordError(Error):
    """A record is not legal, so that what was asked of it cannot be done.

    `report` is the verdict, with all faults; `rule`, `entry`, `line` and `column` are those of the first.
    """

    def __init__(self, record: bytes, report: Report) -> None:
        super().__init__(report.summary)
        self.record = record
        self.report = report
        fault = report.errors[0] if report.errors else None
        self.rule = fault and fault.rule
        self.entry = fault and fault.entry
        self.line = fault and fault.line
        self.column = fault and fault.column
        for excerpt in report.excerpts:
            _note(self, excerpt)


class Refused(Error):
    """An entry is refused.

    `typed` is what was typed, with the message and the time if the fault is there, and `typed[start:end]` what is wrong in it. `text` is
    the text of the rule in the rulebook `book`.
    """

    def __init__(self, record: bytes, typed: str, answer: dict[str, Any]) -> None:
        self.record = record
        self.rule = answer.get("rule")
        self.message: str = answer["message"]
        named = self.rule is None or f"({self.rule})" in self.message
        super().__init__(self.message if named else f"{self.rule}: {self.message}")
        self.ruling: str | None = answer.get("ruling")
        self.book: str | None = answer.get("book")
        self.text: str | None = answer.get("text")
        self.typed: str = answer.get("typed", typed)
        # Places come in bytes.
        encoded = self.typed.encode()
        start, end = answer.get("start"), answer.get("end")
        self.start = None if start is None else len(encoded[:start].decode(errors="ignore"))
        self.end = None if end is None else len(encoded[:end].decode(errors="ignore"))
        self.excerpt: str | None = answer.get("excerpt")
        if self.excerpt:
            _note(self, self.excerpt)


def _note(error: Exception, excerpt: str) -> None:
    """Has a traceback show an excerpt, from Python 3.11 on."""
    if hasattr(error, "add_note"):
        error.add_note(excerpt)
