//! Several sealed decks per side (Z25 to Z28, M59, M60): a player who stacks one of them is caught, unless exactly that
//! one is picked.

use crate::correspondence::{Keys, forced, wish};
use postrider_archive::standings::Gathered;
use postrider_games::mission_combat::board::decks::default_decks;
use postrider_kernel::{Lost, Seal, Seed, Seeded, Side};
use postrider_referee::desk::export::{Wanted, rows};
use postrider_referee::desk::{Desk, audit};
use postrider_referee::sealing::{KeyStore, NotSigned, PublicKey, Secret, decks, seals};
use postrider_referee::verdict::{Opened, Ruling, verify};

const MARINES: &str = "marines";

fn header(id: &str, count: u32) -> String {
    format!(
        "---\npbem: 1\ngame: mission-combat\nid: {id}\nplayers:\n  marines: {{name: Ada}}\n  portalists: {{name: Bram}}\n\
         started: 2026-11-21\nclock: 10d\noptions: {{start: marines, sealed-decks: {count}}}\nsecrecy: sealed\n---\n"
    )
}

/// A deck of the first generation.
fn first(deck: u32) -> Seeded {
    Seeded { deck, generation: 1 }
}

/// The cards of a side in the order of its list.
fn cards(side: Side) -> Vec<String> {
    let list = default_decks();
    let all = list.of(side).iter();
    all.flat_map(|card| std::iter::repeat_n(card.slug.clone(), card.copies as usize)).collect()
}

/// A cheat who writes the marines' entries by hand, with freely chosen seeds and seals for each deck.
struct Cheat {
    id: String,
    count: u32,
    seeds: Vec<Seed>,
    decks: Vec<Vec<Seal>>,
    roots: Vec<String>,
}

impl Cheat {
    /// With all decks as they should be.
    fn honest(id: &str, count: u32, number: u64) -> Self {
        let secret = Keys::of(number, false).secret;
        let laid = cards(Side::First);
        let laid: Vec<&str> = laid.iter().map(String::as_str).collect();
        let seeds: Vec<_> = (1..=count).map(|deck| decks::seed(&secret, id, MARINES, first(deck), None)).collect();
        let decks: Vec<_> = seeds.iter().map(|seed| decks::seals(seed, id, MARINES, 1, &laid)).collect();
        let mut cheat = Self { id: id.into(), count, seeds, decks, roots: Vec::new() };
        cheat.roots = (1..=count).map(|deck| cheat.root(deck)).collect();
        cheat
    }

    fn deck(&mut self, number: u32) -> &mut Vec<Seal> {
        &mut self.decks[number as usize - 1]
    }

    fn root(&self, number: u32) -> String {
        decks::root(&self.id, MARINES, first(number), &self.decks[number as usize - 1]).to_string()
    }

    /// Computes the root of a deck again from its present seals.
    fn rooted(mut self, number: u32) -> Self {
        self.roots[number as usize - 1] = self.root(number);
        self
    }

    /// Seals these cards as the deck with a number, with the nonces from its seed.
    fn stack(mut self, number: u32, cards: &[&str]) -> Self {
        let (id, seed) = (self.id.clone(), self.seeds[number as usize - 1]);
        let seal = |(card, place): (&&str, u32)| {
            let label = format!("deck.1.{place}");
            seals::seal(&id, MARINES, &label, card, &decks::nonce(&seed, &id, MARINES, &label))
        };
        *self.deck(number) = cards.iter().zip(1..).map(seal).collect();
        self.rooted(number)
    }

    fn first(&self) -> String {
        let roots: Vec<_> = self.roots.iter().map(|root| format!("root:{root}")).collect();
        format!("{}1 marines roots {} @2026-11-21T00:00:00Z\n", header(&self.id, self.count), roots.join(" "))
    }

    fn third(&self, picked: u32) -> String {
        let others = (1..=self.count).filter(|number| *number != picked);
        let seeds: Vec<_> = others.map(|number| format!("seed:{}", self.seeds[number as usize - 1])).collect();
        let seals: Vec<_> = self.decks[picked as usize - 1].iter().map(|seal| format!("seal:{seal}")).collect();
        let positions: Vec<_> = (1..=30).map(|place| place.to_string()).collect();
        format!(
            "3 marines seeds {}; deck {}; pick 1; deal {}; hand 5 @2026-11-21T02:00:00Z\n",
            seeds.join(" "),
            seals.join(" "),
            positions.join(" ")
        )
    }

    /// Begins a game with an honest opponent with this number; returns the record, and which deck was picked.
    fn begin(&self, opponent: u64) -> (String, u32) {
        let answer = forced(self.first().as_bytes(), 1, &mut Keys::of(opponent, false)).expect("all is forced");
        let record = String::from_utf8(answer.record).expect("UTF-8");
        let picked = record.split("; pick ").nth(1).and_then(|rest| rest.split(';').next()).expect("a pick");
        let picked = picked.parse().expect("a number");
        (format!("{record}{}", self.third(picked)), picked)
    }

    /// Begins games until a deck other than this one is picked; returns the rule that refuses the third entry, and why.
    fn caught(&self, stacked: u32) -> (&'static str, String) {
        let (record, _) =
            (1..).map(|opponent| self.begin(opponent)).find(|(_, picked)| *picked != stacked).expect("one");
        let verdict = verify(record.as_bytes());
        assert_eq!(verdict.ruling, Ruling::Illegal, "{record}");
        let error = &verdict.errors[0];
        assert_eq!(error.entry, Some(3), "{}", error.message);
        (error.rule.expect("a rule"), error.message.clone())
    }

    /// The same, if exactly that deck is picked.
    fn picked(&self, stacked: u32) -> String {
        let mut games = (1..200).map(|opponent| self.begin(opponent));
        games.find(|(_, picked)| *picked == stacked).expect("it is picked some time").0
    }
}

#[test]
fn z25_z26_z27_honest_decks_are_legal_whichever_is_picked() {
    let cheat = Cheat::honest("mission-honest-decks", 4, 1);
    let mut picks = std::collections::BTreeSet::new();
    for opponent in 1..12 {
        let (record, picked) = cheat.begin(opponent);
        let verdict = verify(record.as_bytes());
        assert_eq!(verdict.ruling, Ruling::Legal, "{:?}", verdict.errors);
        picks.insert(picked);
    }
    assert!(picks.len() > 2, "{picks:?}");
}

#[test]
fn z27_a_deck_stacked_in_any_way_is_named_when_another_is_picked() {
    const STACKED: u32 = 2;
    let honest = || Cheat::honest("mission-stacked-deck", 4, 1);
    let all = cards(Side::First);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let with = |place: usize, card: &str| -> Vec<String> {
        let mut cards: Vec<String> = all.iter().map(|card| (*card).to_owned()).collect();
        cards[place] = card.to_owned();
        cards
    };
    let stacked = |cards: Vec<String>| {
        let cards: Vec<&str> = cards.iter().map(String::as_str).collect();
        honest().stack(STACKED, &cards)
    };
    let one_kind = vec![all[0]; 30];
    let other_seed = |mut cheat: Cheat| {
        cheat.seeds[STACKED as usize - 1] = Seed([7; 32]);
        cheat
    };
    let swapped = |mut cheat: Cheat| {
        cheat.roots.swap(0, STACKED as usize - 1);
        cheat
    };
    let dropped = |mut cheat: Cheat| {
        cheat.deck(STACKED).pop();
        cheat.rooted(STACKED)
    };
    let doubled = |mut cheat: Cheat| {
        let deck = cheat.deck(STACKED);
        deck[1] = deck[0];
        cheat.rooted(STACKED)
    };
    let made_up = |mut cheat: Cheat| {
        cheat.roots[STACKED as usize - 1] = "5e".repeat(32);
        cheat
    };
    let of_another_number = |mut cheat: Cheat| {
        let deck = cheat.deck(STACKED).clone();
        cheat.roots[STACKED as usize - 1] = decks::root(&cheat.id, MARINES, first(3), &deck).to_string();
        cheat
    };
    let of_the_other_side = |mut cheat: Cheat| {
        let deck = cheat.deck(STACKED).clone();
        cheat.roots[STACKED as usize - 1] = decks::root(&cheat.id, "portalists", first(STACKED), &deck).to_string();
        cheat
    };
    let cases: Vec<(&str, Cheat)> = vec![
        ("one kind of card", honest().stack(STACKED, &one_kind)),
        ("a card once too often", stacked(with(29, "assault-walker"))),
        ("a card of no list", stacked(with(3, "dragon"))),
        ("a card of the other side", stacked(with(3, "exorcist"))),
        ("the right cards in the order of the list", honest().stack(STACKED, &all)),
        ("29 cards", dropped(honest())),
        ("a seal twice", doubled(honest())),
        ("another seed than it was made with", other_seed(honest())),
        ("two roots in each other's place", swapped(honest())),
        ("a root of nothing", made_up(honest())),
        ("the root of another number", of_another_number(honest())),
        ("the root of the other side", of_the_other_side(honest())),
    ];
    for (what, cheat) in cases {
        let (rule, message) = cheat.caught(STACKED);
        let named = message.contains("the seed of deck 2 does not give its root");
        let named =
            named || what.starts_with("two roots") && message.contains("the seed of deck 1 does not give its root");
        assert!(rule == "Z27" && named, "{what}: {rule}: {message}");
    }
}

#[test]
fn z27_the_picked_deck_is_fixed_by_its_root() {
    type Change = fn(&mut Vec<Seal>);
    let honest = Cheat::honest("mission-other-deck", 4, 1);
    let (record, picked) = honest.begin(3);
    assert_eq!(verify(record.as_bytes()).ruling, Ruling::Legal);
    let two = |deck: &mut Vec<Seal>| deck.swap(0, 1);
    let another = |deck: &mut Vec<Seal>| deck[4] = Seal([9; 32]);
    let fewer = |deck: &mut Vec<Seal>| deck.truncate(29);
    let changes: [(Change, &str); 3] = [(two, "Z27"), (another, "Z27"), (fewer, "M51")];
    for (change, rule) in changes {
        let mut cheat = Cheat::honest("mission-other-deck", 4, 1);
        change(cheat.deck(picked));
        let verdict = verify(cheat.begin(3).0.as_bytes());
        let error = &verdict.errors[0];
        assert_eq!((error.entry, error.rule), (Some(3), Some(rule)), "{}", error.message);
    }
}

#[test]
fn z27_a_cheat_who_stacks_one_of_sixteen_gets_away_with_it_once_in_sixteen() {
    let one_kind = [cards(Side::First).first().map(String::as_str).expect("a card"); 30].map(str::to_owned);
    let one_kind: Vec<&str> = one_kind.iter().map(String::as_str).collect();
    let mut passed = 0;
    const GAMES: u64 = 128;
    for game in 0..GAMES {
        // Each time the cheat chooses another deck to stack, and the opponent's secret is different.
        let stacked = 1 + (game * 7 % 16) as u32;
        let cheat = Cheat::honest("mission-one-of-sixteen", 16, game + 1).stack(stacked, &one_kind);
        let (record, picked) = cheat.begin(1000 + game);
        let verdict = verify(record.as_bytes());
        let legal = verdict.ruling == Ruling::Legal;
        assert_eq!(legal, picked == stacked, "{:?}", verdict.errors);
        passed += u64::from(legal);
    }
    // Eight are expected; more than 18, or fewer than one, would happen once in a few thousand runs with other numbers.
    assert!((1..=18).contains(&passed), "{passed} of {GAMES}");
}

fn audited(record: &str, secrets: [&Secret; 2]) -> audit::Report {
    let [marines, portalists] = secrets.map(|secret| secret.reveal().to_string());
    let text = format!("{record}# secret marines {marines}\n# secret portalists {portalists}\n");
    let mut opened = Opened::new(text.as_bytes()).expect("a record");
    let verdict = opened.replay(u32::MAX);
    assert_eq!(verdict.ruling, Ruling::Legal, "{:?}", verdict.errors);
    audit::report(&opened).expect("a sealed record")
}

#[test]
fn m58_z28_the_picked_deck_is_found_stacked_by_the_secret_at_the_end() {
    const STACKED: u32 = 3;
    let opponent = Keys::of(1, false).secret;
    let all = cards(Side::First);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let one_kind = vec![all[0]; 30];
    for (deck, said) in [
        (&one_kind, "generation 1 of the deck did not hold what it should"),
        (&all, "generation 1 of the deck held what it should, but not in the order that its seed gives (Z25)"),
    ] {
        let cheat = Cheat::honest("mission-picked-deck", 4, 1).stack(STACKED, deck);
        let record = cheat.picked(STACKED);
        assert_eq!(verify(record.as_bytes()).ruling, Ruling::Legal);
        let report = audited(&record, [&Keys::of(1, false).secret, &opponent]);
        assert!(!report.sound && report.text.contains(&format!("marines: {said}")), "{}", report.text);
    }
    let honest = Cheat::honest("mission-picked-deck", 4, 1).picked(STACKED);
    let report = audited(&honest, [&Keys::of(1, false).secret, &opponent]);
    let held = "marines: generation 1 of the deck held exactly what it should, 30 in all";
    assert!(report.sound && report.text.contains(held), "{}", report.text);
}

/// Has a secret other than the one in the record, and does not say so.
struct Stranger;

impl KeyStore for Stranger {
    fn secret(&mut self, _: bool) -> Result<Option<Secret>, Lost> {
        Ok(Some(Keys::of(7, false).secret))
    }

    fn random(&mut self) -> Result<[u8; 16], Lost> {
        Ok([7; 16])
    }

    fn key(&mut self, declared: Option<PublicKey>) -> Result<Option<PublicKey>, NotSigned> {
        Ok(declared)
    }
}

#[test]
fn z28_the_same_turn_made_again_is_the_same_and_another_game_has_other_decks() {
    let marked = |record: &[u8], mark: &str| -> Vec<String> {
        let made = forced(record, 1, &mut Keys::of(5, true)).expect("forced");
        made.actions.split([' ', ';']).filter(|word| word.starts_with(mark)).map(str::to_owned).collect()
    };
    let record = header("mission-made-again", 16);
    let roots = marked(record.as_bytes(), "root:");
    assert_eq!((roots.len(), &marked(record.as_bytes(), "root:")), (16, &roots), "on any machine");
    for other in [header("mission-made-anew", 16), record.replace("clock: 10d", "clock: 9d")] {
        assert!(marked(other.as_bytes(), "root:").iter().all(|root| !roots.contains(root)));
    }
    let first = forced(record.as_bytes(), 0, &mut Keys::of(5, true)).expect("forced").record;
    let second = forced(&first, 1, &mut Keys::of(6, true)).expect("forced").record;
    assert_eq!(marked(&second, "seed:").len(), 15);
    assert_eq!(marked(&second, "seed:"), marked(&second, "seed:"));
    assert_eq!(marked(&second, "seal:").len(), 30, "the seals of one deck are in the record");
    // A secret that does not belong to the roots reveals nothing.
    let desk = Desk::open(&second).expect("a legal record");
    let refused = desk.answer(&wish("", 2), &mut Stranger).err().expect("refused");
    assert!(refused.to_string().contains("was not sealed with the secret of"), "{refused}");
}

#[test]
fn z9_who_stops_where_something_was_to_be_shown_is_named_and_counted() {
    let owing = |record: &str| {
        let mut opened = Opened::new(record.as_bytes()).expect("a record");
        let verdict = opened.replay(u32::MAX);
        assert_eq!(verdict.ruling, Ruling::Legal, "{:?}", verdict.errors);
        let row = rows(None, record.as_bytes(), Wanted::default());
        let owed = audit::owed_at_end(&opened.table.standing())
            .map(|(side, what)| (opened.header.info.sides[side.index()].word, what));
        assert_eq!(row.game.owed_by.zip(row.game.owed), owed);
        assert_eq!(row.owing.map(|side| opened.header.info.sides[side.index()].word), owed.map(|(side, _)| side));
        let report = audit::report(&opened).expect("a sealed record").text;
        assert_eq!(report.contains("Ended while"), owed.is_some(), "{report}");
        (owed, report)
    };
    // Seeds: the marines resign, or let the time run out, when theirs are due.
    let cheat = Cheat::honest("mission-owing-seeds", 4, 1);
    let (record, _) = cheat.begin(2);
    let (two, _) = record.split_at(record.find("\n3 marines").expect("the third entry") + 1);
    for end in ["3 marines resign @2026-11-21T02:00:00Z\n", "3 portalists claim time @2026-12-21T02:00:00Z\n"] {
        let (owed, report) = owing(&format!("{two}{end}"));
        assert_eq!(owed, Some(("marines", "seeds")), "{report}");
        assert!(report.starts_with("mission-owing-seeds: seals 0, throws 0, roots 8\n"), "{report}");
        assert!(
            report.contains("Ended while the marines owed seeds: what was sealed there was never shown (Z9)"),
            "{report}"
        );
    }
    // Nothing is owed by who resigns before anything is picked, and nothing by who resigns in a turn.
    let (one, _) = record.split_at(record.find("\n2 portalists").expect("the second entry") + 1);
    assert_eq!(owing(&format!("{one}2 portalists resign @2026-11-21T02:00:00Z\n")).0, None);
    // An opening: the challenger in Assassyn's Dagger knows the dice before anybody else.
    let dice = |end: &str| {
        format!(
            "---\npbem: 1\ngame: assassyn\nid: assassyn-owing-dice\nplayers:\n  white: {{name: Ada}}\n  black: {{name: Bram}}\nstarted: \
             2026-11-21\nsecrecy: sealed\nsetup: \"white Pa1 Lc1 Ab2; black Pf6 Lc5 Sb3; to play white\"\n---\n1 white Lc1xc5 \
             seal:c86457b54e5e673d7cdb2b2c8ba605a2add47e1d1d55fd431ddf366e509e69d4\n{end}"
        )
    };
    let accepted = "2 black accept salt:0217f7a3ec02ae16bcebb0859ee192aa\n3 white resign\n";
    assert_eq!(owing(&dice(accepted)).0, Some(("white", "an opening")));
    assert_eq!(owing(&dice("2 black resign\n")).0, None);
    // They are counted for the player.
    let mut gathered = Gathered::default();
    gathered.add(&rows(None, dice(accepted).as_bytes(), Wanted::default()));
    let standings = gathered.tables(None).standings;
    let counted: Vec<_> = standings.iter().map(|row| (row.name.as_str(), row.owing)).collect();
    assert_eq!(counted, [("Bram", 0), ("Ada", 1)]);
}
