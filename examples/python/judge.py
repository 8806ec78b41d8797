"""Judges what is typed: judge.py RECORD ENTRY. A refusal says which rule is broken, and what would be legal."""

import sys
from pathlib import Path

import postrider

record = Path(sys.argv[1]).read_bytes()
try:
    print(postrider.judge(record, sys.argv[2]).line)
except postrider.Refused as refused:
    print(refused)
    print("legal:", ", ".join(refused.legal[:5]), "…")
