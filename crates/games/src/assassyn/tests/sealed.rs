//! Sealed play through the rules alone, with invented facts: rules neither hash nor roll.

use super::*;
use postrider_kernel::{Faces, Facts, Lost, Payloads, SealPlace};

/// Accepts every opening whose nonce is all `0a`, has seen the seal of all `5e`, and throws what it was given.
struct MadeUp(Vec<u32>);

impl Facts for MadeUp {
    fn publish(&mut self, _: Side, _: &str, seal: &Seal) -> Option<SealPlace> {
        (seal.0 != [0x5e; 32]).then_some(SealPlace::NONE)
    }

    fn opens(&mut self, _: Side, _: &str, _: &str, _: &Seal, nonce: &Nonce) -> bool {
        nonce.0 == [0x0a; 16]
    }

    fn throw(&mut self, _: &str, _: &Nonce, _: &Salt, _: &[u32]) -> Faces {
        self.0.iter().copied().collect()
    }
}

fn sealed(position: &str) -> Assassyn {
    Assassyn::start(&Start::sealed(&Options::default(), Some(position))).expect("a position")
}

fn seal(byte: &str) -> String {
    format!("seal:{}", byte.repeat(32))
}

fn enter(game: &mut Assassyn, entry: &str, offers: bool, throws: &[u32]) -> Result<String, &'static str> {
    let mut facts = MadeUp(throws.to_vec());
    let turn = Turn { actions: &read(entry), offers, facts: &mut facts };
    game.try_turn(turn).map(|_| game.position()).map_err(|illegal| illegal.rule.code)
}

/// The same on a copy.
fn rule(game: &Assassyn, entry: &str) -> Result<String, &'static str> {
    enter(&mut game.clone(), entry, false, &[7, 5])
}

const START: &str = "white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white";

fn pending() -> Assassyn {
    let mut game = sealed(START);
    enter(&mut game, &format!("Lc1xc5 {}", seal("ab")), false, &[]).expect("a challenge");
    enter(&mut game, &format!("accept salt:{}", "00".repeat(16)), false, &[]).expect("an acceptance");
    game
}

#[test]
fn z11_a_challenge_and_only_a_challenge_carries_a_seal() {
    let game = sealed(START);
    assert_eq!(rule(&game, "Lc1xc5"), Err("Z5"));
    assert!(rule(&game, &format!("Lc1xc5 {}", seal("ab"))).is_ok());
    assert_eq!(rule(&game, &format!("Lc1-c4 {}", seal("ab"))), Err("Z5"));
    assert_eq!(rule(&game, &format!("Ab2*b3 {}", seal("ab"))), Err("Z5"));
    let game = sealed("white Pa1 Lc1; black Pf6 Ac5; to play white");
    assert_eq!(
        rule(&game, &format!("Lc1xc5 {}", seal("ab"))),
        Err("Z5"),
        "a move that kills an Assassin is not a challenge"
    );
    assert!(rule(&game, "Lc1xc5").is_ok());
}

#[test]
fn z6_a_seal_that_was_used_before_is_refused() {
    assert_eq!(rule(&sealed(START), &format!("Lc1xc5 {}", seal("5e"))), Err("Z6"));
}

#[test]
fn z11_challenges_are_counted_also_when_void() {
    let mut game = sealed(START);
    enter(&mut game, &format!("Lc1xc5 {}", seal("ab")), false, &[]).expect("a challenge");
    assert_eq!(game.roll_label(), "roll.1");
    enter(&mut game, "Lc5-d5", false, &[]).expect("an escape");
    enter(&mut game, &format!("Lc5xd5 {}", seal("cd")), false, &[]).expect("a second challenge");
    assert_eq!(game.roll_label(), "roll.2");
}

#[test]
fn z12_the_acceptance_has_its_salt_and_offers_no_draw() {
    let mut game = sealed(START);
    enter(&mut game, &format!("Lc1xc5 {}", seal("ab")), false, &[]).expect("a challenge");
    let salted = format!("accept salt:{}", "00".repeat(16));
    assert_eq!(rule(&game, "accept"), Err("Z5"));
    assert_eq!(rule(&game, "accept roll 7 5"), Err("Z5"), "stated throws belong to open play");
    assert_eq!(enter(&mut game.clone(), &salted, true, &[]), Err("Z12"));
    assert_eq!(
        rule(&game, &salted).as_deref(),
        Ok("white Pa1 Lc5 Ab2; black Pf6 Lc5 Sb3; to play white; challenge c1xc5; accepted")
    );
}

#[test]
fn z11_an_escape_by_a_challenge_carries_the_next_seal() {
    let mut game = sealed("white Pa1 Lc1 Lf5; black Pf6 Wc5; to play white");
    enter(&mut game, &format!("Lc1xc5 {}", seal("ab")), false, &[]).expect("a challenge");
    assert_eq!(rule(&game, "Wc5xf5"), Err("Z5"));
    assert_eq!(completed(&game, "Wc5xf5"), (format!("Wc5xf5 {}", seal("ab")), "seal roll.2 roll".into()));
    enter(&mut game, &format!("Wc5xf5 {}", seal("cd")), false, &[]).expect("an escape by a challenge");
    assert_eq!(game.roll_label(), "roll.2");
    enter(&mut game, &format!("accept salt:{}", "00".repeat(16)), false, &[]).expect("an acceptance");
    assert_eq!(game.position(), "white Pa1 Lc5 Lf5; black Pf6 Wf5; to play black; challenge c5xf5; accepted");
}

#[test]
fn d3_stated_dice_of_a_sealed_record_are_those_of_open_play() {
    let stated = options(&[("deployment", "sealed"), ("dice", "stated")]);
    let mut game = Assassyn::start(&Start::sealed(&stated, None)).expect("a start");
    let open = format!(" open:{}", "0a".repeat(16));
    let white = "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1";
    assert_eq!(rule(&game, white), Err("Z14"), "the deployment is sealed all the same");
    for entry in [seal("ab"), seal("cd"), format!("{white}{open}"), format!("deploy Pf6 We6 Lc6 Ld6 Se5 Sf5 Aa6{open}")]
    {
        enter(&mut game, &entry, false, &[]).unwrap_or_else(|code| panic!("{entry}: {code}"));
    }
    assert_eq!(rule(&game, &format!("accept salt:{}", "00".repeat(16))), Err("D33"));
    assert_eq!(rule(&game, &format!("Lc1xc6 {}", seal("ef"))), Err("Z5"));
    assert_eq!(rule(&game, &format!("Lc1-c2 {}", seal("ef"))), Err("Z5"));
    assert_eq!(rule(&game, &seal("ef")), Err("Z5"));
    assert_eq!(completed(&game, "Lc1xc6"), ("Lc1xc6".into(), String::new()));
    enter(&mut game, "Lc1xc6", false, &[]).expect("a challenge without a seal");
    assert_eq!(rule(&game, &format!("accept salt:{}", "00".repeat(16))), Err("Z5"));
    assert_eq!(rule(&game, "accept"), Err("N3"));
    assert_eq!(rule(&game, "accept roll 13 1"), Err("N3"));
    assert_eq!(rule(&game, &format!("open:{}; Lc6-c5", "0a".repeat(16))), Err("Z5"));
    assert_eq!(completed(&game, "accept"), ("accept".into(), String::new()));
    // An offer may accompany the acceptance.
    enter(&mut game, "accept roll 10 5", true, &[]).expect("an acceptance with an offer");
    assert!(game.position().ends_with("to play white"));
    // Without a sealed deployment nothing is sealed at all.
    let plain = options(&[("dice", "stated")]);
    let mut game = Assassyn::start(&Start::sealed(&plain, Some(START))).expect("a position");
    enter(&mut game, "Lc1xc5", false, &[]).expect("a challenge");
    enter(&mut game, "accept roll 7 5", false, &[]).expect("an acceptance");
}

#[test]
fn z12_z13_the_dice_are_opened_before_anything_else() {
    let game = pending();
    let open = format!("open:{}", "0a".repeat(16));
    assert_eq!(rule(&game, "Pa1-a2"), Err("Z12"));
    assert_eq!(rule(&game, &format!("Pa1-a2; {open}")), Err("Z12"));
    assert_eq!(rule(&game, &format!("open:{}; Pa1-a2", "0b".repeat(16))), Err("Z3"));
    assert_eq!(rule(&game, &open), Err("Z13"), "the game goes on, so a turn follows");
    assert_eq!(rule(&game, &format!("{open}; {open}")), Err("Z5"));
    assert_eq!(rule(&game, &format!("{open}; Pa1-a2; Ab2-c3")), Err("D5"));
    assert_eq!(rule(&game, &format!("{open}; Pa1-a3")), Err("D10"), "the turn is judged after the dice");
    // The challenger won by 2: slightly wounded, and for it the turn counts as a turn at rest (D51).
    assert_eq!(
        rule(&game, &format!("{open}; Pa1-a2")).as_deref(),
        Ok("white Pa2 Lc5 Ab2; black Pf6 Sb3; to play black")
    );
    assert!(game.claim(Claim::Quiet).is_err(), "nothing is claimed while dice are pending");
    let mut opened = game.clone();
    enter(&mut opened, &format!("{open}; Pa1-a2"), false, &[7, 5]).expect("an opening and a turn");
    let captions = opened.view(Viewer::Public).captions;
    assert!(captions.iter().any(|(label, text)| *label == "thrown" && text.starts_with("7 by the challenger, 5")));
}

#[test]
fn z13_an_opening_that_ends_the_game_is_alone() {
    let mut game = sealed("white Pa1 Wd6; black Pe6; to play white");
    enter(&mut game, &format!("Wd6xe6 {}", seal("ab")), false, &[]).expect("a challenge");
    enter(&mut game, &format!("accept salt:{}", "00".repeat(16)), false, &[]).expect("an acceptance");
    let open = format!("open:{}", "0a".repeat(16));
    assert_eq!(enter(&mut game.clone(), &format!("{open}; Pa1-a2"), false, &[18, 3]), Err("Z13"));
    assert_eq!(enter(&mut game, &open, false, &[18, 3]).as_deref(), Ok("white Pa1 We6; black; to play white"));
    assert_eq!(game.outcome(), Some(Outcome::Win(WHITE, "prince")));
}

#[test]
fn z14_both_seal_and_then_both_open() {
    let mut game = Assassyn::start(&Start::sealed(&options(&[("deployment", "sealed")]), None)).expect("a start");
    let open = format!(" open:{}", "0a".repeat(16));
    let white = "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1";
    assert_eq!(rule(&game, white), Err("Z14"));
    enter(&mut game, &seal("ab"), false, &[]).expect("a seal");
    assert_eq!(game.position(), "white; black; to play black; deploying", "seals are not shown");
    assert!(!game.owes_forced_answer(), "a deployment is chosen (E13)");
    enter(&mut game, &seal("cd"), false, &[]).expect("a seal");
    assert_eq!(rule(&game, &seal("ef")), Err("Z14"), "a second seal");
    assert!(game.owes_forced_answer(), "an opening and nothing else (E13)");
    assert_eq!(rule(&game, white), Err("Z14"));
    assert_eq!(rule(&game, &format!("deploy Pa1 Wb1 Lc1 Ld3 Sa2 Sb2 Af1{open}")), Err("D4"));
    assert_eq!(rule(&game, &format!("{white} open:{}", "0b".repeat(16))), Err("Z3"));
    enter(&mut game, &format!("{white}{open}"), false, &[]).expect("an opening");
    enter(&mut game, &format!("deploy Pf6 We6 Lc6 Ld6 Se5 Sf5 Aa6{open}"), false, &[]).expect("an opening");
    assert!(!game.deploying && !game.owes_forced_answer());
}

/// Has no secret, but records what it was asked for.
#[derive(Default)]
struct Asked(Vec<String>);

impl Keeper for Asked {
    fn seal(&mut self, label: &str, payload: &str) -> Result<Seal, Lost> {
        self.0.push(format!("seal {label} {payload}"));
        Ok(Seal([0xab; 32]))
    }

    fn open(&mut self, label: &str, payload: &str, _: &Seal) -> Result<Nonce, Lost> {
        self.0.push(format!("open {label} {payload}"));
        Ok(Nonce([0x0a; 16]))
    }

    fn recall(&mut self, label: &str, _: &Seal, payloads: &Payloads<'_>) -> Result<(String, Nonce), Lost> {
        self.0.push(format!("recall {label}"));
        let mut first = None;
        payloads(&mut |payload| {
            first = Some(payload.to_owned());
            true
        });
        Ok((first.expect("a payload"), Nonce([0x0a; 16])))
    }

    fn below(&mut self, _: u32) -> Result<u32, Lost> {
        Ok(0)
    }

    fn salt(&mut self) -> Result<Salt, Lost> {
        self.0.push("salt".into());
        Ok(Salt([0; 16]))
    }
}

fn completed(game: &Assassyn, typed: &str) -> (String, String) {
    let mut keeper = Asked::default();
    let typed = if typed.is_empty() { Vec::new() } else { read(typed) };
    let entry = game.complete(&typed, &mut keeper).expect("an entry");
    (write(&entry), keeper.0.join(", "))
}

#[test]
fn missing_seals_salts_and_openings_are_worked_out() {
    let game = sealed(START);
    assert_eq!(completed(&game, "Lc1xc5"), (format!("Lc1xc5 {}", seal("ab")), "seal roll.1 roll".into()));
    assert_eq!(completed(&game, "Lc1-c4"), ("Lc1-c4".into(), String::new()));
    assert_eq!(completed(&game, ""), (String::new(), String::new()), "nothing is forced");
    let given = format!("Lc1xc5 {}", seal("cd"));
    assert_eq!(completed(&game, &given), (given.clone(), String::new()), "what is there stays");
    let assassin = sealed("white Pa1 Lc1; black Pf6 Ac5; to play white");
    assert_eq!(completed(&assassin, "Lc1xc5"), ("Lc1xc5".into(), String::new()));
    let game = pending();
    let open = format!("open:{}", "0a".repeat(16));
    assert_eq!(completed(&game, "Pa1-a2"), (format!("{open}; Pa1-a2"), "open roll.1 roll".into()));
    assert_eq!(completed(&game, "").0, open);
    let mut forced = sealed("white Pe1 La3; black Pa6 Sb6 Ab5; to play white");
    enter(&mut forced, &format!("La3xa6 {}", seal("ab")), false, &[]).expect("a challenge");
    assert_eq!(completed(&forced, "").1, "salt", "without an escape the acceptance is forced");
    let mut deployment = Assassyn::start(&Start::sealed(&options(&[("deployment", "sealed")]), None)).expect("a start");
    let white = "deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1";
    assert_eq!(completed(&deployment, white), (seal("ab"), "seal deploy Pa1 Wb1 Lc1 Ld1 Sa2 Sb2 Af1".into()));
    let illegal = deployment.complete(&read("deploy Pa1 Wb1 Lc1 Ld3 Sa2 Sb2 Af1"), &mut Asked::default());
    assert!(
        matches!(illegal, Err(Incomplete::Illegal(illegal)) if illegal.rule.code == "D4"),
        "it could not be opened"
    );
    enter(&mut deployment, &seal("ab"), false, &[]).expect("a seal");
    enter(&mut deployment, &seal("cd"), false, &[]).expect("a seal");
    let (entry, asked) = completed(&deployment, "");
    assert!(
        entry.starts_with("deploy Pa1 ") && entry.contains(" open:") && asked == "recall deploy",
        "{entry} {asked}"
    );
}
