#!/bin/sh
# Recomputes seals and dice of a sealed record of Assassyn's Dagger with only sha256sum and awk, to check them without
# trusting any program: the rules are Z1, Z3 and Z8 of notation/sealing.md.
#
#   sh recompute-dice.sh game.pbem
#
# Prints one line per opening: its entry, the label, the first faces of a d10, a d12 and a d20 that begin the throw, and
# those of a second die after each, as
#
#   7 roll.1 seal:ok d10=3 d10:d10=10 d10:d12=12 d10:d20=20 d12=11 d12:d10=10 ...
#
# where `d12:d20=20` says that a d20 thrown after a d12 shows 20. Which two dice were thrown follows from the pieces that fight.
# A line with seal:WRONG, and the exit code 1, mean that an opening does not fit the seal that was published.
set -eu

record=${1:?usage: recompute-dice.sh RECORD}
id=$(awk '$1 == "id:" { print $2; exit }' "$record")
bad=0

hash() { # the SHA-256 of a text, without a line end behind it
    printf '%s' "$1" | sha256sum | cut -c1-64
}

# Each line: entry, side, then `seal`, `salt` or `open` and its digits.
steps=$(awk '
    /^---/ { dashes++; next }
    dashes == 2 && /^[1-9]/ {
        line = $0
        sub(/ \{.*/, "", line)
        count = split(line, word, / /)
        for (i = 3; i <= count; i++) {
            sub(/;$/, "", word[i])
            if (word[i] ~ /^(seal|salt|open):/) {
                kind = substr(word[i], 1, 4)
                if (word[3] == "deploy" || (word[3] ~ /^seal:/)) kind = kind "-deploy"
                print word[1], word[2], kind, substr(word[i], 6)
            }
        }
    }' "$record")

faces() { # one or two dice: reads words in hexadecimal, says what they show
    awk -v dice="$1" '
        function value(hex,    i, n) {
            n = 0
            for (i = 1; i <= 8; i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
            return n
        }
        BEGIN { count = split(dice, sides, ":"); at = 1 }
        at <= count {
            word = value($1)
            whole = int(4294967296 / sides[at]) * sides[at]
            if (word < whole) { face = word % sides[at] + 1; at++ }
        }
        END { print face }'
}

rolls=0
# Entries stand in order, so the last seal and the last salt before an opening are those that it belongs to.
while read -r entry side kind digits; do
    case $kind in
    seal) rolls=$((rolls + 1)) seal=$digits ;;
    salt) salt=$digits ;;
    open)
        # A new challenge may stand in the same entry, behind the opening: the seal seen last is still the old one.
        label=roll.$rolls
        verdict=ok
        [ "$(hash "pbem1|$id|$side|$label|roll|$digits")" = "$seal" ] || { verdict=WRONG bad=1; }
        words=$(for c in 0 1 2 3; do
            hash "pbem1|$id|dice|$label|$digits|$salt|$c" | awk '{ for (i = 1; i <= 64; i += 8) print substr($0, i, 8) }'
        done)
        line="$entry $label seal:$verdict"
        for first in 10 12 20; do
            line="$line d$first=$(printf '%s\n' "$words" | faces "$first")"
            for second in 10 12 20; do
                line="$line d$first:d$second=$(printf '%s\n' "$words" | faces "$first:$second")"
            done
        done
        printf '%s\n' "$line"
        ;;
    esac
done <<STEPS
$steps
STEPS
exit "$bad"
