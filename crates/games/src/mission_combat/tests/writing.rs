//! How actions are read and written.

use std::borrow::Cow;

use super::*;

fn hex(byte: &str, count: usize) -> String {
    byte.repeat(count)
}

#[test]
fn every_action_is_written_as_it_was_read() {
    for text in [
        "draw".to_owned(),
        "draw 2".into(),
        "draw hellfire".into(),
        "draw hellfire rifle-squad".into(),
        "keep rifle-squad".into(),
        "end".into(),
        "place portal-trooper@YA".into(),
        format!("place portal-trooper@YA open:7:{}", hex("0a", 16)),
        format!("play exorcist@RP open:2.7:{}", hex("0a", 16)),
        "event hellfire".into(),
        "event hellfire gate-breaker.1:30 warp-colossus.2:20".into(),
        format!("event trap-portal stealth-sniper.1 open:8:{}", hex("0a", 16)),
        "event gust open:3 open.2:4".into(),
        format!("event gust open:3 open:3:{}", hex("0a", 16)),
        "event gust open:3 foo:2".into(),
        "move exorcist.1>AR".into(),
        "move exorcist.1>AR paid".into(),
        "attack captain a.1:0 b.999999999:999999999".into(),
        format!("toss seal:{}", hex("0b", 32)),
        format!("toss 1 open:{}", hex("0b", 16)),
        "guess 0".into(),
        "hand 999999999".into(),
        format!("discard hellfire open:12.3:{}", hex("0b", 16)),
        format!("deck seal:{} seal:{}", hex("0b", 32), hex("0c", 32)),
        format!("shuffle seal:{}", hex("0b", 32)),
        "deal 7 1.7 2.13".into(),
    ] {
        let action = notation::read(&text).unwrap_or_else(|misfit| panic!("{text}: {misfit:?}"));
        assert_eq!(write(&[action]), text);
    }
    assert_eq!(write(&read("draw 1")), "draw");
}

#[test]
fn malformed_text_is_refused_at_its_place() {
    for (text, offset) in [
        ("", 0),
        ("draw ", 5),
        ("draw 0", 5),
        ("draw 01", 5),
        ("draw 1234567890", 5),
        ("draw Hellfire", 5),
        ("draw a b c", 8),
        ("draws", 4),
        ("keep", 4),
        ("place exorcist", 14),
        ("place exorcist@XX", 15),
        ("place exorcist@ya", 15),
        ("place exorcist@YA open:0:", 23),
        ("move exorcist.1>", 16),
        ("move exorcist.0>AR", 14),
        ("move exorcist.1>AR  paid", 18),
        ("move exorcist.1>AR free", 18),
        ("move exorcist.1>AR paid ", 23),
        ("attack exorcist.1", 17),
        ("attack exorcist.1 rifle-squad.1", 31),
        ("attack exorcist.1 rifle-squad.1:01", 32),
        ("event hellfire a.1: b", 19),
        ("end ", 3),
        ("guess 2", 6),
        ("hand 05", 5),
        ("toss 1", 6),
        ("toss seal:", 10),
        ("discard hellfire", 16),
        ("deal", 4),
        ("deal 7 0", 7),
        ("deal 0.7", 5),
        ("deck", 4),
        ("shuffle seal:0g", 14),
        ("deal 7  8", 7),
    ] {
        let misfit = notation::read(text).expect_err(text);
        assert_eq!(misfit.offset, offset, "{text}: {}", misfit.expected);
    }
}

#[test]
fn shorthands_are_spelled_out_in_full() {
    let game = on(
        "YA exorcist.1 psionic-fanatic.2 psionic-priest.1; AR stealth-special-force.3; HQ rifle-squad.1 rifle-squad.2; ap 4; to play marines",
    );
    let spelled = |entry: &str| write(&game.spell_out(&read(entry)));
    assert_eq!(
        spelled("move stealth-special-force>YA; attack stealth-special-force psionic-priest:10 exorcist:5; end"),
        "move stealth-special-force.3>YA; attack stealth-special-force.3 exorcist.1:5 psionic-priest.1:10; end"
    );
    assert_eq!(
        spelled("draw rocket-squad hellfire; keep hellfire; end"),
        "draw hellfire rocket-squad; keep hellfire; end"
    );
    // What is canonical is not written anew, and what is only out of order need not be played.
    let entry =
        read("move stealth-special-force.3>YA; attack stealth-special-force.3 exorcist.1:5 psionic-priest.1:10; end");
    assert!(matches!(game.spell_out(&entry), Cow::Borrowed(_)));
    for (typed, full) in [
        (
            "attack rifle-squad.2 psionic-priest.1:1 exorcist.1:1; end",
            "attack rifle-squad.2 exorcist.1:1 psionic-priest.1:1; end",
        ),
        ("event trap-portal psionic-priest.1 exorcist.1; end", "event trap-portal exorcist.1 psionic-priest.1; end"),
        ("draw rocket-squad hellfire; end", "draw hellfire rocket-squad; end"),
        (
            "move stealth-special-force>YA; move rifle-squad.2>AR; end",
            "move stealth-special-force.3>YA; move rifle-squad.2>AR; end",
        ),
        ("attack rifle-squad.1 exorcist:1; end", "attack rifle-squad.1 exorcist.1:1; end"),
    ] {
        assert_eq!(spelled(typed), full);
        assert!(matches!(game.spell_out(&read(full)), Cow::Borrowed(_)), "{full}");
    }
    refused(&game, "move rifle-squad>BE; end", "M26");
    assert!(rule_of(&game, "draw rocket-squad hellfire; keep hellfire; end").is_ok());
}

#[test]
fn typed_text_may_have_letters_of_either_case() {
    for (typed, mended) in [
        ("Play Exorcist@rp", "play exorcist@RP"),
        ("MOVE exorcist.1>ar", "move exorcist.1>AR"),
        ("place PORTAL-trooper@Ya open:7:0A", "place portal-trooper@YA open:7:0a"),
    ] {
        assert_eq!(notation::lenient(typed), mended);
    }
    assert!(notation::read_typed(&notation::lenient("Discard Hellfire")).is_ok());
    assert_eq!(notation::lenient("Deal"), "deal");
    assert!(notation::read("deal").is_err(), "no record has a word alone");
    for word in ["toss", "deck", "deal", "hand", "shuffle"] {
        assert_eq!(write(&[notation::read_typed(word).expect("a word")]), word);
    }
    assert_eq!(notation::lenient("deal 7"), "deal 7");
}
