#!/bin/sh
# Checks the signatures of a record with only openssl, sha256sum and awk, without trusting any program that plays: the rules are
# E10, Z30 to Z33 and, for a game with a host, Z38 of notation/sealing.md and notation/record.md.
#
#   sh check-signatures.sh game.pbem
#
# Prints one line per entry: its number, its side, and `ok` with the fingerprint of the key that it was checked with (`ok by the host` where
# the host signs for a side without a key), `unsigned` (for a side without a key in a game without a host) or what is WRONG; the exit code is 1 if
# anything is. What is hashed is the canonical spelling of an entry: run
# `postrider archive fmt` on a record with shorthands first, which keeps all signatures valid. It does not check whether the moves are legal, nor
# what only a game knows: its options, position, decks and layout. A result line that follows from the last entry (E5 to E7) is held to it; of
# any other it is said on standard error that it is not checked.
#
# A record can be made to say one thing to one reader and another to the next. So everything is first held to the grammar of
# notation/record.md, and the header to the one form that `postrider new` writes, one line per player and one for the host: if anything is
# different, nothing is checked, and the exit code is 2.
set -eu
LC_ALL=C
export LC_ALL

record=${1:?usage: check-signatures.sh RECORD}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

refuse() { # says why nothing was checked
    echo "$record: $1: nothing was checked" >&2
    exit 2
}

cat -- "$record" >"$folder/record"
[ "$(wc -c <"$folder/record")" -le 4194304 ] || refuse "over 4 MiB"
# Some programs read a text only up to the first of these.
tr -d '\000' <"$folder/record" | cmp -s - "$folder/record" || refuse "a zero byte"

# Takes the record apart: `header`, `line.N` without its line end, and in `list` for each entry its number, side, key declared and
# signature, with `-` for what is not there. Line ends are read as LF. What is of no form known here goes into `odd`.
awk -v folder="$folder" '
    function odd(what) { print "line " NR " is not as it should be: " what > (folder "/odd"); failed = 1; exit 2 }
    function entry() {
        if (number != "") print number, side, declared, signature > (folder "/list")
        number = ""
    }
    # A number of these characters, all of them such.
    function all(text, kind, count) { return length(text) == count && text !~ ("[^" kind "]") }
    # Text in double quotes on one line, without escapes, is as good as a word.
    function unquoted(text) { gsub(/"[^"\\]*"/, "x", text); return text }
    # Words and numbers, in lists and maps at most: no quotation that goes on, no comment, no anchor, nothing folded.
    function plain(text) {
        text = unquoted(text)
        if (text ~ /["\047#&*!|>%@`\\]/ || text ~ /: *[-?:]/) return 0
        while (sub(/\{[^{}\[\]]*\}/, "x", text) || sub(/\[[^{}\[\]]*\]/, "x", text)) continue
        return text !~ /[{}\[\]]/
    }
    # The same word twice in a map means one thing to one reader, and another to the next.
    function named(where, text) {
        if (!match(text, /^ *[A-Za-z0-9_-]+:/)) return
        text = where "/" substr(text, 1, RLENGTH); gsub(/ /, "", text)
        if (text in had) odd("a word twice in a map")
        had[text] = 1
    }
    function sides(game) {
        if (game == "asalto") return "besiegers defenders"
        if (game == "mission-combat") return "marines portalists"
        if (game ~ /^(assideum|assassyn|subsume)$/) return "white black"
        odd("a game that this script does not know")
    }
    # A player, or the host on the line of its field: what stands in the braces. The key is left in `key`.
    function person(line) {
        key = ""
        if (match(line, /, key: [A-Za-z0-9+\/=]+}$/)) key = substr(line, RSTART + 7, RLENGTH - 8)
        else if (match(line, /, key: "[A-Za-z0-9+\/=]+"}$/)) key = substr(line, RSTART + 8, RLENGTH - 10)
        if (key != "") {
            if (!is_key(key)) odd("a key")
            line = substr(line, 1, RSTART - 1) "}"
        }
        line = unquoted(line)
        if (line !~ /^  [a-z]+: {name: [^-?~,{}"#&*!|>%@\047`:\\ ][^,{}"#&*!|>%\047`:\\]*(, email: [^-?~,{}"#&*!|>%@\047`:\\ ][^,{}"#&*!|>%\047`:\\]*)?}$/)
            odd("a player")
    }
    function player(line) {
        word = line; sub(/^  /, "", word); sub(/:.*/, "", word)
        if (word in seated) odd("a player twice")
        seated[word] = 1; seats++
        person(line)
        if (key == "") return
        owned[key] = 1
        print word, key > (folder "/keys")
    }
    # A day of the calendar, as 2026-11-21.
    function is_day(text,    year, month, day, days) {
        if (text !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/) return 0
        year = substr(text, 1, 4) + 0; month = substr(text, 6, 2) + 0; day = substr(text, 9, 2) + 0
        if (month < 1 || month > 12) return 0
        days = month == 2 ? 28 + ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0) : 30 + ((month < 8) == (month % 2 == 1))
        return day >= 1 && day <= days
    }
    # A time control: 5d, 50d/10, 30d+1d, and behind it leave and the time for forced answers.
    function is_clock(text) {
        gsub(/"/, "", text)
        return text ~ /^[1-9][0-9]*[dh]([\/][1-9][0-9]*|\+[1-9][0-9]*[dh])?( leave [1-9][0-9]*[dh])?( forced [1-9][0-9]*[dh])?$/
    }
    # What a result line says must follow from the last entry where that can be seen without knowing the game.
    function result_line(text,    winner, verb, how, other) {
        sub(/^= /, "", text)
        if (!match(text, /: /)) odd("a result")
        winner = substr(text, 1, RSTART - 1); how = substr(text, RSTART + 2)
        if (how !~ /^[a-z][a-z -]*$/) odd("a result")
        if (winner == "draw") {
            if (how == "agreed" && last !~ /(^|; )draw!$/) odd("a draw that nobody accepted")
            if (how ~ /^(resigned|time)$/) odd("a result")
        }
        else {
            verb = winner; sub(/^[a-z]+ /, "", verb); sub(/ .*/, "", winner)
            if (!(winner in seated) || verb != (winner ~ /s$/ ? "win" : "wins")) odd("a result")
            if (how == "agreed") odd("a result")
            if (how == "resigned" && (last !~ /(^|; )resign$/ || side == winner)) odd("a result without a resignation")
            if (how == "time" && (last != "claim time" || side != winner)) odd("a result without a claim of time")
        }
        if (how ~ /^(repetition|quiet)$/ && last ~ /^claim / && last != "claim " how) odd("a result of another claim")
        if (last ~ /(^|; )resign$/ && how != "resigned") odd("a result of another kind")
        if (last == "claim time" && how != "time") odd("a result of another kind")
        if (how !~ /^(resigned|time|agreed)$/) print how > (folder "/unchecked")
    }
    # Base64 with its padding, the unused bits zero.
    function is_key(text) {
        return length(text) == 44 && text ~ /[AEIMQUYcgkosw048]=$/ && all(substr(text, 1, 43), "A-Za-z0-9+/", 43)
    }
    function is_signature(text) {
        return length(text) == 88 && text ~ /[AQgw]==$/ && all(substr(text, 1, 86), "A-Za-z0-9+/", 86)
    }
    length($0) > 65536 { odd("a line over 64 KiB") }
    { sub(/\r$/, "") }
    /[\001-\010\013-\037\177]|\302[\200-\237]|\342\200[\250\251]/ { odd("a control character") }
    /\t/ { odd("a tab") }
    {
        rest = $0
        gsub(/[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]/, "", rest)
        gsub(/\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277]/, "", rest)
        if (rest ~ /[\200-\377]/) odd("what is not UTF-8")
    }
    NR == 1 && $0 != "---" { odd("a record begins with `---`") }
    $0 == "---" && dashes < 2 { dashes++; next }
    dashes == 1 {
        print > (folder "/header")
        head_of += length($0) + 1
        if (head_of > 65536) odd("a header over 64 KiB")
        if ($0 ~ /^(---|\.\.\.|%)/) odd("the end of a text within the header")
        if ($0 == "") next
        if ($0 ~ /^#/) next
        if ($0 ~ /^[a-z]/) {
            if (!match($0, /^[a-z]+:/)) odd("what is no field")
            field = substr($0, 1, RLENGTH - 1)
            value = substr($0, RLENGTH + 1)
            if (field in had) odd("the field `" field "` twice")
            had[field] = 1
            if (value != "" && value !~ /^ [^ ]/) odd("a field and its value")
            sub(/^ /, "", value)
            if (field == "pbem") { if (value != "1") odd("the version") }
            else if (field == "game") game = value
            else if (field == "id") {
                if (value !~ /^[a-z0-9-]+$/ || length(value) < 8 || length(value) > 64) odd("the id")
                # Without quotes these could be a number, a date or nothing.
                if (value !~ /^[a-z]/ || value ~ /^(true|false|null|yes|no|on|off)$/) odd("the id")
                print value > (folder "/id")
            }
            else if (field == "players") { if (value != "") odd("the players") }
            else if (field == "started") { if (!is_day(value)) odd("the date") }
            else if (field == "host") {
                person("  host: " value)
                if (key == "") odd("a host without a key")
                hosts = key
                print key > (folder "/host")
            }
            else if (field ~ /^(clock|rules|secrecy|title|setup|options|tags|decks|layout)$/) {
                if (value ~ /^"/) { if (value !~ /^"[^"\\]*"$/) odd("a text") }
                else if (value ~ /^[-?:,~\047]/ || !plain(value)) odd("a text")
                else if (value ~ /^[{\[]/) {
                    if (value !~ /[}\]]$/) odd("a list")
                    count_of = split(substr(value, 2, length(value) - 2), parts, ", ")
                    for (one = 1; one <= count_of; one++) named(field, parts[one])
                }
                else if (value ~ /:( |$)/) odd("a text")
                if (value == "" && field !~ /^(options|tags|decks|layout)$/) odd("a field without a value")
                if (field == "rules" && value != "1") odd("the edition of the rules")
                if (field == "secrecy" && value !~ /^"?(open|sealed)"?$/) odd("the secrecy")
                if (field == "clock" && !is_clock(value)) odd("the clock")
            }
            else odd("a field that is not known here")
            within = value == "" ? field : ""
        }
        else if (within == "players") player($0)
        else if (within == "" || $0 !~ /^ +(- )?[A-Za-z0-9_{]/ || !plain($0)) odd("a line that belongs to no field")
        else if ($0 ~ /^  [^ ]/) { beneath = ""; named(within, substr($0, 3)); beneath = $1 }
        else named(within beneath, $0)
        next
    }
    dashes < 2 { odd("what is before the header") }
    result && $0 != "" && !/^#/ { odd("what is below the result") }
    /^  ~ / {
        if (!below) odd("a signature that is not directly below its entry")
        signature = substr($0, 5); below = 0
        if (!is_signature(signature)) odd("a signature")
        next
    }
    { below = 0 }
    $0 == "" || /^#/ { next }
    /^= [^ ]/ { result_line($0); result = 1; next }
    /^[1-9][0-9]* [a-z]+ [^ ]/ {
        entry()
        if (last ~ /(^|; )(resign|draw!)$/ || last ~ /^claim (time|repetition|quiet)$/) odd("an entry after the end")
        number = ++count; side = $2; declared = "-"; signature = "-"; below = 1
        if (NF < 3 || $1 != number "") odd("an entry whose number is not " number)
        if (!(side in seated)) odd("a side")
        text = $0
        # The message, then the time, come off the end; what is left is the actions.
        if (text ~ /[{}]/ && !sub(/ \{[^{}]*\}$/, "", text)) odd("a message")
        if (text ~ /@[0-9]*-/ || text ~ / @/) {
            if (!match(text, / @[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z$/)) odd("a time")
            at = substr(text, RSTART + 2)
            text = substr(text, 1, RSTART - 1)
            if (!is_day(substr(at, 1, 10)) || substr(at, 12, 2) > "23") odd("a time")
            if (at < before) odd("a time before that of the entry before")
            before = at; timed++
        }
        if (timed != 0 && timed != number) odd("times of some entries only")
        if (timed == 0 && "clock" in had) odd("an entry without a time in a game with a clock")
        if (text ~ /  | $|[{}~"\\`]|;[^ ]|;$| ;|[\200-\377]/) odd("the actions")
        sub(/^[1-9][0-9]* [a-z]+ /, "", text)
        if (text ~ /^key /) {
            declared = substr(text, 5); sub(/;.*/, "", declared)
            if (!is_key(declared)) odd("a key")
            if (text !~ /; /) odd("a key without a move")
            sub(/^key [^;]*; /, "", text)
        }
        if (text ~ /(^|; )key( |;|$)/) odd("a key that is not the first action")
        last = text
        if (hosts != "" && $0 !~ / @[0-9][0-9TZ:-]*( \{[^{}]*\})?$/) odd("an entry without a time in a game with a host")
        printf "%s", $0 > (folder "/line." number)
        next
    }
    { odd("it is no entry, signature, remark or result") }
    END {
        if (failed) exit 2
        if (!NR) odd("it is empty")
        if (dashes < 2) odd("the header does not end")
        if (result && !count) odd("a result without an entry")
        split("pbem game id players started", needed, " ")
        for (one in needed) if (!(needed[one] in had)) odd("the header has no `" needed[one] "`")
        split(sides(game), both, " ")
        if (hosts != "" && hosts in owned) odd("a host with the key of a player")
        if (seats != 2 || !(both[1] in seated) || !(both[2] in seated)) odd("the players")
        entry()
    }' "$folder/record" || refuse "$(head -n 1 "$folder/odd" 2>/dev/null || echo 'it cannot be read')"

: >>"$folder/list"
: >>"$folder/keys"
: >>"$folder/made"
: >>"$folder/host"
host=$(cat "$folder/host")
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

hex() { # base64 in hexadecimal digits
    printf '%s' "$1" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n'
}

over() { # whether a coordinate in hexadecimal digits is not below 2^255 - 19
    case $1 in
    e[d-f]ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff[7f]f | \
    f?ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff[7f]f) return 0 ;;
    esac
    return 1
}

fingerprint() { # of a key in base64
    printf '%s' "$1" | openssl base64 -d -A | sha256sum | cut -c1-32 | sed 's/..../&-/g; s/-$//'
}

check() { # entry N of SIDE: what there is to say of it
    if [ "$declared" != - ]; then
        if grep -q "^$side " "$folder/keys" || grep -qx "$side" "$folder/made"; then
            echo "WRONG: a key that may not stand here"
            return
        fi
        if [ "$declared" = "$host" ]; then
            echo "WRONG: the host's key for a player"
            return
        fi
        echo "$side $declared" >>"$folder/keys"
    fi
    key=$(sed -n "s/^$side //p" "$folder/keys")
    who=
    if [ -z "$key" ] && [ -n "$host" ]; then
        key=$host who="the host, "
    fi
    if [ -z "$key" ]; then
        if [ "$signature" = - ]; then echo unsigned; else echo "WRONG: a signature of a side without a key"; fi
        return
    fi
    if [ "$signature" = - ]; then
        echo "WRONG: not signed"
        return
    fi
    if weak "$key" || over "$(hex "$key")"; then
        echo "WRONG: a weak key"
        return
    fi
    # The first half is a point too.
    half=$(hex "$signature" | cut -c1-64)
    if weak "$(bytes "$half" | openssl base64 -A)" || over "$half"; then
        echo "WRONG: a weak signature"
        return
    fi
    # An Ed25519 key in PEM is these twelve bytes, and the key.
    printf -- '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA%s\n-----END PUBLIC KEY-----\n' "$key" >"$folder/key.pem"
    printf '%s' "$signature" | openssl base64 -d -A >"$folder/signature"
    printf 'pbem1|%s|%s|%s' "$id" "$number" "$digest" >"$folder/text"
    if openssl pkeyutl -verify -pubin -inkey "$folder/key.pem" -rawin -in "$folder/text" -sigfile "$folder/signature" \
        >/dev/null 2>&1; then
        echo "ok by $who$(fingerprint "$key")"
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
[ ! -e "$folder/unchecked" ] || echo "the result is not checked: whether the game is over as it says takes its rules (postrider verify)" >&2
exit "$bad"
