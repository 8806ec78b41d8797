#!/usr/bin/env python3
"""Reads a block of entries (rules B1 to B5 and B8 of notation/mail.md) without any program that plays.

    read-block.py LETTER [RECORD]

Prints the lines of the entries that stand in a text, or a whole record if the block begins a game, and with a record whether the block
continues it. It reads a block as it was
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


def checked(letters):
    """The byte for the form, and what stands between it and the check."""
    content = base64.b64decode(letters.replace("\n", ""), validate=True)
    if hashlib.sha256(content[:-4]).digest()[:4] != content[-4:]:
        raise ValueError("the check does not fit (B5)")
    return content[0], content[1:-4]


def unpacked(content, form, plain, packed):
    if form == packed:
        unpacking = zlib.decompressobj(-15)
        content = unpacking.decompress(content, MOST + 1)
        if len(content) <= MOST and (not unpacking.eof or unpacking.unused_data):
            raise ValueError("it cannot be unpacked (B3)")
    elif form != plain:
        raise ValueError("its form is not known (B3)")
    if len(content) > MOST:
        raise ValueError("it holds too much (B4)")
    return content


def read_game(text):
    """The record that a block holds which begins a game (B8); None if there is no such block."""
    found = re.search(r"-----BEGIN PBEM GAME ([a-z0-9-]{8,64}) (0|[1-9]\d*)-----\n([A-Za-z0-9+/=\n]*)"
                      r"-----END PBEM GAME ([0-9a-f]{16})-----", text)
    if not found:
        return None
    form, content = checked(found[3])
    content = unpacked(content, form, 3, 4)
    length = int.from_bytes(content[:2], "big")
    header, body = content[2:][:length].decode(), content[2 + length:].decode()
    if len(header.encode()) != length or "---" in header.split("\n") or f"id: {found[1]}" not in header.split("\n"):
        raise ValueError("it does not hold the header of its game (B8)")
    lines = body.split("\n")[:-1]
    numbers = [line.split(" ")[0] for line in entry_lines(lines)]
    if body and not re.fullmatch(GRAMMAR, body) or numbers != [str(number) for number in range(1, int(found[2]) + 1)]:
        raise ValueError("it does not hold just the entries that it names (B2)")
    after = hashlib.sha256(header.encode()).digest()
    for line in entry_lines(lines):
        after = digest(after, line)
    if after.hex()[:16] != found[4]:
        raise ValueError("the digest after its entries is another one (B8)")
    return f"---\n{header}---\n{body}"


def read(text):
    """The id, the numbers of the first and last entry, the digest before the first, and the lines."""
    found = re.search(r"-----BEGIN PBEM ENTRIES ([a-z0-9-]{8,64}) ([1-9]\d*)-([1-9]\d*)-----\n([A-Za-z0-9+/=\n]*)"
                      r"-----END PBEM ENTRIES ([0-9a-f]{16})-----", text)
    if not found:
        raise ValueError("there is no block (B1)")
    game, first, last = found[1], int(found[2]), int(found[3])
    form, content = checked(found[4])
    before, rest = content[:32], unpacked(content[32:], form, 1, 2)
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
    text = open(sys.argv[1], encoding="utf-8").read()
    record = read_game(text)
    if record is not None:
        print(record, end="")
        return
    game, first, last, before, lines = read(text)
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
