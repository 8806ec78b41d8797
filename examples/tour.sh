#!/bin/sh
# The main job on a real record, from reading to mailing, without any setup: verifies a record, appends a move, shows the
# board, and writes the letter to the opponent into a local outbox. Works on a copy in a folder of its own, which it names.
#
#   sh examples/tour.sh            builds the program with cargo and runs it
#   POSTRIDER=… sh examples/tour.sh    runs this program instead
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
POSTRIDER_HOME=$folder/home
export POSTRIDER_HOME
cp "$here/asalto/open-game.pbem" "$folder/game.pbem"
if [ -z "${POSTRIDER:-}" ]; then
    cargo build --locked --manifest-path "$here/../Cargo.toml"
    POSTRIDER=${CARGO_TARGET_DIR:-$here/../target}/debug/postrider
fi
cd "$folder"
run() {
    printf '\n$ postrider'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9._/-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$POSTRIDER" "$@" 2>&1
}
run verify game.pbem
printf '\nA move that breaks a rule is refused, and the rule is named:\n'
run move game.pbem b4-a4 || true
printf '\nA legal one is appended, and the letter to the opponent written:\n'
run move game.pbem e3-d4 --message 'your turn' --send
printf '\nEverything is in %s\n' "$folder"
cat <<NEXT

What to do next, with $POSTRIDER as \`postrider\` until \`cargo install --path . --locked\` has installed it:
  postrider learn asalto        learn a game in small tasks
  postrider practice asalto     play against the machine
  postrider setup               say who you are and how your mail goes; then invite a friend:
  postrider invite 'Bram Post <bram@example.net>' asalto
NEXT
