#!/bin/sh
# Checks the signatures of a record with only openssl, sha256sum and awk, without trusting any program that plays: the rules are
# E10 and Z30 to Z33 of notation/sealing.md and notation/record.md.
#
#   sh check-signatures.sh game.pbem
#
# Prints one line per entry: its number, its side, and `ok`, `unsigned` (for a side without a key) or what is WRONG; the exit code is 1
# if anything is. What is hashed is the canonical spelling of an entry: run `postrider fmt` on a record with shorthands first, which
# keeps all signatures valid. The header must be written as `postrider new` writes it, one line per player; with any other header
# nothing is checked, and the exit code is 2. It does not check whether the moves are legal.
set -eu
LC_ALL=C
export LC_ALL

record=${1:?usage: check-signatures.sh RECORD}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Takes the record apart: `header`, `line.N` without its line end, and in `list` for each entry its number, side, key declared and
# signature, with `-` for what is not there. Line ends are read as LF.
tr -d '\r' <"$record" | awk -v folder="$folder" '
    function entry() {
        if (number != "") print number, side, declared, signature > (folder "/list")
        number = ""
    }
    /^---$/ && dashes < 2 { dashes++; next }
    # YAML can say one thing in many ways, and another reader must not see another key than the program does: of the header only
    # the one form is read that `postrider new` writes, and every other is left alone.
    function odd(what) { print what > (folder "/odd") }
    function player(line) {
        word = line; sub(/^  /, "", word); sub(/:.*/, "", word)
        key = ""
        if (match(line, /, key: [A-Za-z0-9+\/=]+}$/)) key = substr(line, RSTART + 7, RLENGTH - 8)
        else if (match(line, /, key: "[A-Za-z0-9+\/=]+"}$/)) key = substr(line, RSTART + 8, RLENGTH - 10)
        if (key != "") line = substr(line, 1, RSTART - 1) "}"
        gsub(/"([^"\\]|\\.)*"/, "x", line)
        if (line !~ /^  [a-z]+: {name: [^,{}"#&*!|>%\047`]+(, email: [^,{}"#&*!|>%\047`]+)?}$/) odd("the players")
        else if (key != "") print word, key > (folder "/keys")
    }
    dashes == 1 {
        print > (folder "/header")
        if ($0 ~ /^id: [a-z0-9-]+$/) print $2 > (folder "/id")
        if ($0 ~ /^[^ #]/) {
            inside = $0 == "players:"
            value = $0; sub(/^[a-z]+: */, "", value)
            if ($0 !~ /^[a-z]+:/) odd("a line that is no field")
            if (value ~ /^"/ && value !~ /^"([^"\\]|\\.)*"$/) odd("a text of several lines")
            if (value ~ /^\047/ && value !~ /^\047([^\047]|\047\047)*\047$/) odd("a text of several lines")
            if (value ~ /^{/ && value !~ /}$/ || value ~ /^\[/ && value !~ /\]$/) odd("a list of several lines")
            if ($1 == "players:" && !inside || $1 == "id:" && $0 !~ /^id: [a-z0-9-]+$/) odd($1)
        } else if (inside && $0 != "") player($0)
        next
    }
    dashes == 2 && /^[0-9]/ {
        entry()
        number = ++count; side = $2; declared = "-"; signature = "-"
        if ($3 == "key") { declared = $4; sub(/;$/, "", declared) }
        printf "%s", $0 > (folder "/line." number)
    }
    dashes == 2 && /^  ~ / { signature = substr($0, 5) }
    END { entry() }'

: >>"$folder/list"
: >>"$folder/keys"
: >>"$folder/made"
if [ -e "$folder/odd" ] || [ ! -e "$folder/id" ]; then
    echo "$record: this header is not written as \`postrider new\` writes it ($(head -n 1 "$folder/odd" 2>/dev/null || echo 'no id')):" \
        "nothing was checked" >&2
    exit 2
fi
id=$(cat "$folder/id")

bytes() { # the bytes of hexadecimal digits
    # shellcheck disable=SC2059
    printf "$(printf '%s\n' "$1" | awk '{
        for (i = 1; i <= length($0); i += 2) {
            high = index("0123456789abcdef", substr($0, i, 1)) - 1
            low = index("0123456789abcdef", substr($0, i + 1, 1)) - 1
            printf "\\%03o", 16 * high + low
        }
    }')"
}

weak() { # whether a key is one of the few of small order, in any spelling
    case $1 in
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= | AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= | \
    7P///////////////////////////////////////38= | AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA= | \
    AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA= | 7P////////////////////////////////////////8= | \
    JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU= | JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/IU= | \
    xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o= | xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA/o= | \
    7f///////////////////////////////////////38= | 7f////////////////////////////////////////8= | \
    7v///////////////////////////////////////38= | 7v////////////////////////////////////////8=) return 0 ;;
    esac
    return 1
}

check() { # entry N of SIDE: what there is to say of it
    if [ "$declared" != - ]; then
        if grep -q "^$side " "$folder/keys" || grep -qx "$side" "$folder/made"; then
            echo "WRONG: a key that may not stand here"
            return
        fi
        echo "$side $declared" >>"$folder/keys"
    fi
    key=$(sed -n "s/^$side //p" "$folder/keys")
    if [ -z "$key" ]; then
        if [ "$signature" = - ]; then echo unsigned; else echo "WRONG: a signature of a side without a key"; fi
        return
    fi
    if [ "$signature" = - ]; then
        echo "WRONG: not signed"
        return
    fi
    if weak "$key"; then
        echo "WRONG: a weak key"
        return
    fi
    # An Ed25519 key in PEM is these twelve bytes, and the key.
    printf -- '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA%s\n-----END PUBLIC KEY-----\n' "$key" >"$folder/key.pem"
    printf '%s' "$signature" | openssl base64 -d -A >"$folder/signature"
    printf 'pbem1|%s|%s|%s' "$id" "$number" "$digest" >"$folder/text"
    if openssl pkeyutl -verify -pubin -inkey "$folder/key.pem" -rawin -in "$folder/text" -sigfile "$folder/signature" \
        >/dev/null 2>&1; then
        echo ok
    else
        echo "WRONG: the signature does not hold"
    fi
}

digest=$(sha256sum <"$folder/header" | cut -c1-64)
bad=0
while read -r number side declared signature; do
    digest=$({ bytes "$digest" && cat "$folder/line.$number"; } | sha256sum | cut -c1-64)
    # In a file, and not in a shell of its own: what it learns of keys must stay.
    check >"$folder/said"
    echo "$side" >>"$folder/made"
    echo "$number $side $(cat "$folder/said")"
    case $(cat "$folder/said") in WRONG*) bad=1 ;; esac
done <"$folder/list"
exit "$bad"
