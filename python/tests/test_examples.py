"""What the examples and the package's README show."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas  # type: ignore[import-untyped]
import postrider
import pytest
from conftest import ROOT, SAMPLES

SCRIPTS = ROOT / "examples/python"
TRIED: set[str] = set()


def run(name: str, *args: object) -> str:
    TRIED.add(name)
    done = subprocess.run(
        [sys.executable, SCRIPTS / name, *map(str, args)], cwd=ROOT, capture_output=True, encoding="utf-8", env={"PYTHONUTF8": "1"}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_the_readme_shows_is_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "python/README.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, "README.md", None, None)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.summarize(verbose=False) == (0, len(test.examples)) and len(test.examples) > 15


def test_an_entry_is_judged() -> None:
    record = ROOT / "examples/asalto/open-game.pbem"
    assert run("judge.py", record, "D3-D4").startswith("8 besiegers d3-d4 @")
    assert run("judge.py", record, "b4-b3").startswith("T21: b4-b3: a besieger may not go back; the besieger on b4 cannot move now\nlegal: c2-c3, ")


def test_ten_tasks_are_answered_as_in_other_languages() -> None:
    records = [ROOT / f"examples/asalto/{name}.pbem" for name in ("fifteen-captures", "refused-never-backwards", "open-game")]
    done = subprocess.run(
        [sys.executable, ROOT / "examples/languages/tasks.py", *records], capture_output=True, encoding="utf-8", env={"PYTHONUTF8": "1"}
    )
    assert done.stdout == (ROOT / "examples/languages/said.txt").read_text(encoding="utf-8"), done.stderr


def test_a_folder_is_verified() -> None:
    lines = run("verify.py", ROOT / "examples/asalto").splitlines()
    assert "fifteen-captures.pbem: legal, entries: 39" in lines and len(lines) == len(list((ROOT / "examples/asalto").glob("*.pbem")))
    assert any(line.startswith("refused-never-backwards.pbem: illegal: entry 8: T21: ") for line in lines)


def test_random_games_are_played_to_their_end() -> None:
    for seed in range(3):
        report = postrider.verify(run("play.py", "asalto", seed))
        assert report.legal and report.result is not None


def test_positions_are_printed_and_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "board.svg"
    record = ROOT / "examples/asalto/open-game.pbem"
    lines = run("positions.py", record, picture).splitlines()
    assert len(lines) == postrider.verify(record.read_bytes()).entries
    assert lines[-1].endswith(postrider.position(record.read_bytes()).position)
    assert picture.read_text(encoding="utf-8").startswith("<svg")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some hundred records: the samples that are texts, and each again as its first half."""
    path = tmp_path_factory.mktemp("archive") / "games.jsonl"
    with path.open("w", encoding="utf-8") as lines:
        for sample in SAMPLES:
            try:
                record = sample.read_bytes().decode()
            except UnicodeDecodeError:
                continue
            for name, text in ((sample, record), (sample.with_suffix(".half"), record[: len(record) // 2])):
                lines.write(json.dumps({"path": str(name.relative_to(ROOT)), "record": text}) + "\n")
    return path


def test_an_archive_is_asked_with_polars(archive: Path) -> None:
    said = run("archive.py", archive)
    assert said.count("?\n") == 5
    for answer in ("subsume", "besiegers", "captured", "T21", "place c6 e6"):
        assert answer in said, (answer, said)


def test_an_archive_is_asked_with_pandas(archive: Path) -> None:
    records = [json.loads(line) for line in archive.read_text(encoding="utf-8").splitlines()]
    assert len(records) > 600
    rows = [postrider.export(line["record"], line["path"]) for line in records]
    games = pandas.DataFrame([row.game for row in rows])
    entries = pandas.DataFrame([entry for row in rows for entry in row.entries])
    assert len(games) == len(records)
    verdicts = [postrider.verify(line["record"]).verdict for line in records]
    assert games["verdict"].value_counts().to_dict() == {verdict: verdicts.count(verdict) for verdict in set(verdicts)}
    counted: Any = entries.groupby("path")["number"].max()
    assert (games.set_index("path").loc[counted.index, "entries"] == counted).all()
    assert games.loc[games["verdict"] == "legal", "winner"].notna().sum() > 50


def test_every_example_is_tried_here() -> None:
    # It is the last of this file.
    assert TRIED == {path.name for path in SCRIPTS.glob("*.py")}
