"""Verifies every record below a folder, on all processors: verify.py FOLDER"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import postrider

paths = sorted(Path(sys.argv[1]).rglob("*.pbem"))
with ThreadPoolExecutor() as pool:
    for path, report in zip(paths, pool.map(lambda path: postrider.verify(path.read_bytes()), paths)):
        print(f"{path.name}: {report}")
