"""Reads the lists of crates that packages have as a checker of such lists does, and holds them to the lock file: crates.py FILE…"""

import json
import re
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

lock = Path("Cargo.lock").read_text()
locked = set(re.findall(r'^name = "(.*)"\nversion = "(.*)"$', lock, re.M))
# What comes from elsewhere has a checksum there; the program's own crates have none.
foreign = set(re.findall(r'^name = "(.*)"\nversion = "(.*)"\nsource = .*\nchecksum = ', lock, re.M))
found = {}
for name in map(Path, sys.argv[1:]):
    text = name.read_text()
    error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
    if error is not None:
        raise SystemExit(f"{name}: {error}")
    read = json.loads(text)
    crates = {(one["name"], one["version"]) for one in read["components"]}
    if not crates <= locked or len(crates) < 100 or len(crates) != len(read["components"]):
        raise SystemExit(f"{name}: {len(crates)} crates, not in the lock file: {sorted(crates - locked)}")
    bare = {(one["name"], one["version"]) for one in read["components"] if "hashes" not in one}
    if bare != crates - foreign or not all(crate.startswith("postrider-") for crate, _ in bare):
        raise SystemExit(f"{name}: crates without a checksum: {sorted(bare)}; not from elsewhere: {sorted(crates - foreign)}")
    found["windows" if "windows" in name.name else "linux"] = {name for name, _ in crates}
# What is for one system alone is in its list alone.
if "windows" in found and not ("dunce" in found["windows"] and "signal-hook" in found["linux"] - found["windows"]):
    raise SystemExit("a list is not of its own system")
print(f"{len(sys.argv) - 1} lists of crates are what a checker of such lists accepts")
