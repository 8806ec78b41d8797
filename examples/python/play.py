"""Plays a game of random moves and writes its record: play.py GAME SEED"""

import random
import sys

import postrider

chance = random.Random(int(sys.argv[2]))
info = next(game for game in postrider.games() if game.name == sys.argv[1])
record = postrider.begin(info.name, id="a-random-game", started="2026-11-21", players={side: side for side in info.sides}).record
while moves := postrider.moves(record):
    record = postrider.append(record, chance.choice(moves)).record
print(record.decode(), end="")
