"""What the tests share: the samples, and the program that the package is held to."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted([*(ROOT / "tests/data").rglob("*.pbem"), *(ROOT / "examples").rglob("*.pbem")])


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Any]]:
    """Runs the program, in a home where nobody has played, and returns what it prints as JSON."""
    path = os.environ.get("POSTRIDER_PROGRAM")
    if path is None:
        pytest.skip("POSTRIDER_PROGRAM does not say where the program is that the package is held to")
    binary = Path(path).resolve()
    home = tmp_path_factory.mktemp("home")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("POSTRIDER_", "XDG_"))}

    def run(*args: object, codes: tuple[int, ...] = (0,)) -> list[Any]:
        done = subprocess.run(
            [binary, *map(str, args)], cwd=ROOT, env={**kept, "HOME": str(home)}, capture_output=True, encoding="utf-8"
        )
        assert done.returncode in codes, (args, done.returncode, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run
