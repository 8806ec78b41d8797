"""Has what forges use read what postrider prints for them: SARIF by a model of its schema, JUnit by a reader, hooks by pre-commit.

usage: check.py PROGRAM; the Python that runs it has sarif-pydantic, junitparser and pre-commit.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import junitparser
import sarif_pydantic

PROGRAM = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parents[2]
# What a stranger may call a file.
STRANGE = ["::error file=x::y.pbem", "a&b<c>'\"\u202e.pbem", "100%0A, \u00e4.pbem"]


def run(*args, code=0, cwd=None, env=None):
    done = subprocess.run([str(arg) for arg in args], cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == code, (args, done.returncode, done.stdout, done.stderr)
    return done.stdout


def records(folder):
    """A folder of records, legal and not, under names of every kind; returns how many of them are illegal."""
    refused = 0
    for number, record in enumerate(sorted((ROOT / "examples").glob("*/*.pbem"))):
        refused += record.name.startswith("refused-")
        shutil.copy(record, folder / f"{number:02} {record.name}")
    for name in STRANGE:
        (folder / name).write_text("---\nno record\u202e <&>\n")
    return refused + len(STRANGE)


def sarif(folder, refused):
    text = run(PROGRAM, "verify", "--format", "sarif", ".", code=1, cwd=folder)
    log = sarif_pydantic.Sarif.model_validate_json(text)
    [log_run] = log.runs
    told = {row["path"]: row["errors"] for row in map(json.loads, run(PROGRAM, "verify", "--json", ".", code=1, cwd=folder).splitlines())}
    results = json.loads(text)["runs"][0]["results"]
    assert len(results) == sum(map(len, told.values())), "a result for each fault"
    assert len({result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}) == refused
    described = {rule.id for rule in log_run.tool.driver.rules}
    for result in log_run.results:
        assert result.rule_id in described or result.rule_id in ("malformed", "unjudged"), result
    for rule in json.loads(text)["runs"][0]["tool"]["driver"]["rules"]:
        assert rule["help"]["text"] and rule["shortDescription"]["text"].startswith(rule["id"]), rule


def junit(folder, refused):
    file = folder.parent / "games.xml"
    file.write_text(run(PROGRAM, "verify", "--format", "junit", ".", code=1, cwd=folder), encoding="utf-8")
    [suite] = junitparser.JUnitXml.fromfile(str(file))
    cases = list(suite)
    assert suite.tests == len(cases) == len(list(folder.iterdir())), "a case for each record"
    assert suite.failures == sum(bool(case.result) for case in cases) == refused, (suite.failures, refused)
    assert suite.errors == 0
    assert all(case.time > 0 for case in cases) and abs(suite.time - sum(case.time for case in cases)) < 0.001


def pre_commit(folder):
    """Runs the hooks in a repository of games, with the program that is tested as the one that is installed."""
    hooks, games = folder / "hooks", folder / "games"
    for repository in (hooks, games):
        repository.mkdir()
        run("git", "init", "-q", "-b", "main", repository)
        run("git", "-C", repository, "config", "user.email", "ada@example.org")
        run("git", "-C", repository, "config", "user.name", "Ada Quill")
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    (hooks / ".pre-commit-hooks.yaml").write_text(text)
    # The program on the PATH is of the version of the hooks, so none is built.
    (hooks / "packaging").mkdir()
    shutil.copy(ROOT / "packaging/hook", hooks / "packaging/hook")
    shutil.copy(ROOT / "Cargo.toml", hooks / "Cargo.toml")
    run("git", "add", ".", cwd=hooks)
    run("git", "commit", "-q", "-m", "hooks", cwd=hooks)
    revision = run("git", "rev-parse", "HEAD", cwd=hooks).strip()
    ids = [line.split()[-1] for line in text.splitlines() if line.startswith("- id:")]
    config = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": [{"id": name} for name in ids]}]}
    (games / ".pre-commit-config.yaml").write_text(json.dumps(config))
    path = os.pathsep.join([str(PROGRAM.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "PRE_COMMIT_HOME": str(folder / "cache")}

    def commit(code):
        run("git", "add", "-A", cwd=games)
        return run("pre-commit", "run", code=code, cwd=games, env=env)

    legal = ROOT / "examples/asalto/fifteen-captures.pbem"
    shutil.copy(legal, games / "game.pbem")
    assert commit(0).count("Passed") == len(ids)
    run("git", "commit", "-q", "-m", "a game", cwd=games)
    shutil.copy(ROOT / "examples/asalto/refused-never-backwards.pbem", games / "game.pbem")
    said = commit(1)
    assert said.count("T21") == 1 and said.count("Failed") == 1, f"one fault is told once: {said}"
    (games / "game.pbem").unlink()
    assert "Failed" in commit(1), "a record is removed"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "records"
        folder.mkdir()
        refused = records(folder)
        sarif(folder, refused)
        junit(folder, refused)
        pre_commit(Path(name))
    print("forges: SARIF, JUnit and the hooks are read as they are meant")


main()
