//! A header may name anybody's key: nobody is said to have signed, or to have played, whose key has signed nothing.

use crate::seats::{fingerprint, home, key};
use crate::session::Session;

const ID: &str = "asalto-framed";

/// Mallory, who begins a game with Victor's key in its header, and wins it on time; and Victor, who has never heard of it.
fn framed() -> (Session, Session) {
    let (mallory, victor) = (home("mallory@example.com"), home("victor@example.net"));
    let besiegers = format!("besiegers={}", key(&victor));
    let begin = [
        "new",
        "asalto",
        "--id",
        ID,
        "-o",
        "games/framed.pbem",
        "--clock",
        "1d",
        "--player",
        "defenders=Mallory <mallory@example.com>",
        "--player",
        "besiegers=Victor <victor@example.net>",
        "--key",
        &besiegers,
        "--key",
        "defenders=own",
    ];
    mallory.run(&begin).ok();
    mallory.run(&["move", "games/framed.pbem", "place c6 e6"]).ok();
    (mallory, victor)
}

/// Claims the game for Mallory, days later.
fn claim(mallory: &Session) {
    let mut command = mallory.command(&["move", "games/framed.pbem", "claim time"]);
    command.env("POSTRIDER_NOW", "2026-11-29T12:00:00Z");
    let done = crate::letters::run(command, b"");
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
}

#[test]
fn z32_a_key_that_has_signed_nothing_is_only_declared() {
    let (mallory, victor) = framed();
    let (print, own) = (fingerprint(&victor), fingerprint(&mallory));
    let verified = mallory.run(&["verify", "games/framed.pbem"]).ok();
    let told = format!("signed: besiegers declared, nothing signed ({print}), defenders by {own}");
    assert!(verified.contains(&told), "{verified}");
    let shown = mallory.run(&["show", "games/framed.pbem"]).ok();
    assert!(shown.contains(&format!("besiegers: {print} declared, nothing signed")), "{shown}");
    let json = mallory.run(&["verify", "--json", "games/framed.pbem"]).ok();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(json["signatures"]["keys"]["besiegers"].is_null(), "{json}");
    assert_eq!(json["signatures"]["keys"]["defenders"]["fingerprint"], own.as_str());
    assert_eq!(json["signatures"]["declared"]["besiegers"]["fingerprint"], print.as_str());
    let rows = mallory.run(&["export", "games"]).ok();
    let row: serde_json::Value = serde_json::from_str(rows.lines().next().expect("a row")).expect("JSON");
    assert!(row["first_key"].is_null() && row["declared"] == "first" && row["signatures"] == "second", "{row}");
    // Not even the key of a person whom one trusts counts.
    mallory.run(&["key", "trust", "victor@example.net", &print]).ok();
    let strict = mallory.run(&["verify", "--trusted", "games/framed.pbem"]);
    assert!(strict.code == 3 && strict.out.contains("which has signed nothing"), "{}{}", strict.out, strict.err);
}

#[test]
fn z35_a_receipt_counts_as_a_signature() {
    let (mallory, victor) = framed();
    victor.write("games/framed.pbem", mallory.read("games/framed.pbem"));
    victor.run(&["countersign", "games/framed.pbem"]).ok();
    let verified = victor.run(&["verify", "games/framed.pbem"]).ok();
    assert!(verified.contains(&format!("signed: besiegers by {}", fingerprint(&victor))), "{verified}");
    // Another's receipt does not count as one.
    let record = victor.read("games/framed.pbem");
    let receipt = record.lines().find(|line| line.starts_with("# receipt ")).expect("a receipt");
    let (head, _) = receipt.rsplit_once(' ').expect("a signature");
    let signature = record.lines().find_map(|line| line.strip_prefix("  ~ ")).expect("a signature");
    victor.write("games/framed.pbem", record.replace(receipt, &format!("{head} {signature}")));
    let verified = victor.run(&["verify", "games/framed.pbem"]).ok();
    assert!(verified.contains("signed: besiegers declared, nothing signed"), "{verified}");
}

#[test]
fn z32_nobody_loses_in_a_table_by_a_key_that_has_signed_nothing() {
    let (mallory, victor) = framed();
    claim(&mallory);
    let print = fingerprint(&victor);
    let table = mallory.run(&["table", "games", "--json"]).ok();
    assert!(!table.contains(&print) && !table.contains("victor@example.net"), "{table}");
    let table: serde_json::Value = serde_json::from_str(&table).expect("JSON");
    assert_eq!(table["games"], 0);
    assert!(table["left_out"][0][1].as_str().expect("why").starts_with("besiegers made no entry"), "{table}");
    let table = mallory.run(&["table", "games", "--json", "--no-shows"]).ok();
    assert!(!table.contains(&print) && !table.contains("victor@example.net"), "{table}");
    let table: serde_json::Value = serde_json::from_str(&table).expect("JSON");
    assert!(table["games"] == 1 && table["standings"][1]["player"] == "Victor", "{table}");
}

#[test]
fn z38_a_hosts_key_that_has_signed_nothing_is_only_declared() {
    let (mallory, host) = (home("mallory@example.com"), home("games@example.com"));
    let record = format!(
        "---\npbem: 1\ngame: asalto\nid: {ID}\nplayers:\n  besiegers: {{name: Victor}}\n  defenders: {{name: Mallory, key: {}}}\n\
         started: 2026-11-21\nclock: 1d\nhost: {{name: The Mill, email: games@example.com, key: {}}}\n---\n",
        key(&mallory),
        key(&host)
    );
    mallory.write("home/settings.yaml", "email: mallory@example.com\ngames: ../games\nname: Mallory\n");
    mallory.write("games/framed.pbem", record);
    mallory.run(&["own", "games/framed.pbem", "defenders"]).ok();
    mallory.run(&["move", "games/framed.pbem", "place c6 e6"]).ok();
    let verified = mallory.run(&["verify", "games/framed.pbem"]).ok();
    let print = fingerprint(&host);
    assert!(verified.contains(&format!("besiegers by the host, declared, nothing signed ({print})")), "{verified}");
    claim(&mallory);
    let table = mallory.run(&["table", "games"]).ok();
    assert!(table.contains("besiegers made no entry") && !table.contains("Victor"), "{table}");
}
