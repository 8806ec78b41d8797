#!/usr/bin/env python3
"""Reads a block of entries (rules B1 to B5 of notation/mail.md) without any program that plays.

    read-block.py LETTER [RECORD]

Prints the lines of the entries that stand in a text, and with a record whether the block continues it. It reads a block as it was
written, not what mail programs make of one (B6): `postrider receive` does that. The exit code is 1 if anything does not fit.
"""
import base64, hashlib, re, sys, zlib

MOST = 128 * 1024
# Entries, each with a signature or none, and a result.
GRAMMAR = r"(?:\d+ [^\0-\x1f\x7f-\x9f]+\n(?:  ~ [^\0-\x1f\x7f-\x9f]+\n)?)+(?:= [^\0-\x1f\x7f-\x9f]+\n)?"


def digest(before, line):
    return hashlib.sha256(before + line.encode()).digest()


def entry_lines(lines):
    return [line for line in lines if line[:1].isdigit()]


def read(text):
    """The id, the numbers of the first and last entry, the digest before the first, and the lines."""
    found = re.search(r"-----BEGIN PBEM ENTRIES ([a-z0-9-]{8,64}) ([1-9]\d*)-([1-9]\d*)-----\n([A-Za-z0-9+/=\n]*)"
                      r"-----END PBEM ENTRIES ([0-9a-f]{16})-----", text)
    if not found:
        raise ValueError("there is no block (B1)")
    game, first, last = found[1], int(found[2]), int(found[3])
    content = base64.b64decode(found[4].replace("\n", ""), validate=True)
    if hashlib.sha256(content[:-4]).digest()[:4] != content[-4:]:
        raise ValueError("the check does not fit (B5)")
    form, before, rest = content[0], content[1:33], content[33:-4]
    if form == 2:
        unpacking = zlib.decompressobj(-15)
        rest = unpacking.decompress(rest, MOST + 1)
        if len(rest) <= MOST and (not unpacking.eof or unpacking.unused_data):
            raise ValueError("it cannot be unpacked (B3)")
    elif form != 1:
        raise ValueError("its form is not known (B3)")
    if len(rest) > MOST:
        raise ValueError("it holds too much (B4)")
    text = rest.decode()
    lines = text.split("\n")[:-1]
    numbers = [line.split(" ")[0] for line in entry_lines(lines)]
    if not re.fullmatch(GRAMMAR, text) or numbers != [str(number) for number in range(first, last + 1)]:
        raise ValueError("it does not hold just the entries that it names (B2)")
    after = before
    for line in entry_lines(lines):
        after = digest(after, line)
    if after.hex()[:16] != found[5]:
        raise ValueError("the digest after its entries is another one (B1)")
    return game, first, last, before, lines


def main():
    game, first, last, before, lines = read(open(sys.argv[1], encoding="utf-8").read())
    print("\n".join(lines))
    if len(sys.argv) > 2:
        _, header, body = open(sys.argv[2], encoding="utf-8").read().split("---\n", 2)
        chain = hashlib.sha256(header.encode()).digest()
        for line in entry_lines(body.splitlines())[: first - 1]:
            chain = digest(chain, line)
        if chain != before:
            raise ValueError(f"what it continues is not {sys.argv[2]} up to entry {first - 1}")
        print(f"# {game}: entries {first} to {last} continue the record", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except (ValueError, zlib.error) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
