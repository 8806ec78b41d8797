"""Prints the position after each entry, and draws the last one: positions.py RECORD PICTURE"""

import sys
from pathlib import Path

import postrider

game = postrider.open(Path(sys.argv[1]).read_bytes())
for row in postrider.export(game.record, positions=True).entries:
    print(row.number, row.side, row.actions, row.position, sep="  ")
Path(sys.argv[2]).write_text(game.position().svg, encoding="utf-8")
