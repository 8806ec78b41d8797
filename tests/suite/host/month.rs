//! A month at a host: people who play whole games and answer as people do, and with them whatever else comes by mail: strangers, forged
//! senders, floods, and programs that answer every letter. What goes out, to whom, and what is left on the disk is counted.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use postrider_mail::address::mailbox;
use postrider_referee::verdict::{Ruling, verify};
use postrider_testing::random::Stream;

use super::people::{Hosted, Letter, id_of, to};
use super::{chosen, first_side};

const HALF_A_DAY: i64 = 43_200;
/// On which day the games are given up that are not over.
const LAST_MOVES: i64 = 22;
/// On which days somebody is away, whose mail program answers.
const AWAY: std::ops::Range<i64> = 10..13;
/// On which day a flood comes, and of how many senders.
const FLOOD: (i64, usize) = (7, 250);
/// How many people get their first letter in a day.
const FIRST_LETTERS: usize = 200;
/// The mailboxes of a ticket system and of two players whose mail programs say that they are away: one with a header, one without.
const DESK: &str = "desk@tickets.example";
const AWAY_SAID: usize = 9;
const AWAY_UNSAID: usize = 8;
/// What is asked for in the names of others.
const BAIT: [&str; 5] = ["help", "play asalto", "standings", "rules asalto", "Win money at http://evil.example/x"];

fn address(player: usize) -> String {
    format!("player{player}@club{player}.example")
}

fn from(player: usize) -> String {
    format!(
        "Player {} <{}>",
        ["Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo"][player],
        address(player)
    )
}

/// A game: its id, who plays, and the last letter of each.
struct Table {
    id: String,
    players: [usize; 2],
    last: [Letter; 2],
}

struct Month {
    host: Hosted,
    day: i64,
    /// How many letters went to each mailbox on each day, and how many came in all.
    out: BTreeMap<(String, i64), usize>,
    came: usize,
    known: BTreeSet<String>,
    tickets: usize,
    stream: Stream,
}

impl Month {
    /// Delivers a message, and what programs answer to what follows, until nobody answers any more. Returns the letters.
    fn delivers(&mut self, message: Vec<u8>) -> Vec<Letter> {
        let (mut all, mut waiting) = (Vec::new(), VecDeque::from([message]));
        let mut rounds = 0;
        while let Some(message) = waiting.pop_front() {
            rounds += 1;
            assert!(rounds < 12, "it does not end: {}", String::from_utf8_lossy(&message));
            self.came += 1;
            self.host.deliver(&message);
            let letters = self.sent();
            waiting.extend(letters.iter().filter_map(|letter| self.answers(letter)));
            all.extend(letters);
        }
        all
    }

    /// Counts the letters that have gone.
    fn sent(&mut self) -> Vec<Letter> {
        let letters = self.host.letters();
        for letter in &letters {
            *self.out.entry((mailbox(&letter.to), self.day)).or_default() += 1;
        }
        letters
    }

    /// What a program answers to a letter.
    fn answers(&mut self, letter: &Letter) -> Option<Vec<u8>> {
        let to = mailbox(&letter.to);
        if to == DESK {
            self.tickets += 1;
            return Some(self.host.reply(
                &format!("Desk <{DESK}>"),
                letter,
                &format!("Thank you! Your ticket {} was received.", self.tickets),
            ));
        }
        let is_away = AWAY.contains(&self.day);
        let said = "I am out of the office and will answer next week.";
        if is_away && to == address(AWAY_UNSAID) {
            return Some(self.host.reply(&from(AWAY_UNSAID), letter, said));
        }
        (is_away && to == address(AWAY_SAID)).then(|| {
            let message = self.host.reply(&from(AWAY_SAID), letter, said);
            [&b"Auto-Submitted: auto-replied\r\n"[..], &message].concat()
        })
    }

    /// Two people begin a game.
    fn begins(&mut self, game: &str, players: [usize; 2]) -> Table {
        let [one, other] = players;
        let wish = format!("play {game} with {} as {}", address(other), first_side(game));
        let message = self.host.fresh(&from(one), &wish, "Hello");
        let letters = self.delivers(message);
        let message = self.host.reply(&from(one), to(&letters, &address(one)), "yes");
        let letters = self.delivers(message);
        let message = self.host.reply(&from(other), to(&letters, &address(other)), "Sure!\r\naccept");
        let letters = self.delivers(message);
        let last = players.map(|player| to(&letters, &address(player)).clone());
        self.known.extend(players.map(address));
        Table { id: id_of(&last[0]), players, last }
    }

    /// Whoever is due answers, in one of the ways in which people do; `false` if the game is over.
    fn moves(&mut self, table: &mut Table) -> bool {
        let Some((side, entry)) = chosen(&self.host, &table.id, &mut self.stream) else { return false };
        let nth = side.index();
        let text = match (self.day >= LAST_MOVES, self.stream.below(4)) {
            (true, _) => "resign".to_owned(),
            (false, 0) => format!("Hello!\r\n\r\n{entry}\r\n\r\nBest regards\r\n-- \r\nSent while walking"),
            (false, 1) => format!("{entry}\r\nmessage: Your turn on day {}", self.day),
            (false, _) => entry,
        };
        let message = self.host.reply(&from(table.players[nth]), &table.last[nth], &text);
        for letter in self.delivers(message).into_iter().filter(|letter| letter.subject.contains(&table.id)) {
            if let Some(nth) = table.players.iter().position(|player| address(*player) == letter.to) {
                table.last[nth] = letter;
            }
        }
        true
    }

    /// What comes on each day besides.
    fn others(&mut self) {
        let day = self.day as usize;
        // Letters in the name of somebody who never writes, and of many.
        for nth in 0..6 {
            let victim =
                if nth < 4 { format!("victim+{day}{nth}@home.example") } else { format!("v{day}{nth}@far.example") };
            let message =
                self.host.fresh(&format!("Win money <{victim}>"), BAIT[nth % 5], &"http://evil.example ".repeat(20));
            self.delivers(message);
        }
        // Somebody who writes the same twice.
        for _ in 0..2 {
            let message = self.host.fresh("Kit <kit@same.example>", "hello?", "Is anybody there?");
            self.delivers(message);
        }
        // A letter in the name of a player, without the address that only the player has got.
        let message = self.host.fresh(&from(day % 10), "resign", "resign");
        self.delivers(message);
        if self.day == FLOOD.0 {
            for nth in 0..FLOOD.1 {
                let message = self.host.fresh(&format!("flood{nth}@flood{nth}.example"), "help", "");
                self.delivers(message);
            }
        }
        // Another host, and a report of what was not delivered.
        let message =
            String::from_utf8(self.host.fresh("Other <games@other.example>", "A letter", "Hello")).expect("text");
        self.delivers(format!("Auto-Submitted: auto-generated\r\nPrecedence: bulk\r\n{message}").into_bytes());
    }
}

#[test]
fn a_month_of_games_strangers_floods_and_loops_costs_nobody_more_than_a_few_letters() {
    let mut month = Month {
        host: Hosted::plain(),
        day: 0,
        out: BTreeMap::new(),
        came: 0,
        known: BTreeSet::new(),
        tickets: 0,
        stream: Stream(11),
    };
    let games = ["asalto", "assideum", "assassyn", "subsume", "mission-combat"];
    let mut tables: Vec<Table> =
        games.iter().enumerate().map(|(nth, game)| month.begins(game, [2 * nth, 2 * nth + 1])).collect();
    // Somebody invites a ticket system, and then as many strangers as a flood has.
    let last = tables[0].last[0].clone();
    let message = month.host.reply(&from(0), &last, &format!("play asalto with {DESK}"));
    month.delivers(message);
    for nth in 0..30 {
        let message =
            month.host.reply(&from(1), &tables[0].last[1], &format!("play asalto with guest{nth}@site{nth}.example"));
        month.delivers(message);
    }
    while month.day < 30 {
        for table in &mut tables {
            month.moves(table);
        }
        month.host.later(HALF_A_DAY);
        month.host.run();
        month.sent();
        month.others();
        month.host.later(HALF_A_DAY);
        month.day += 1;
        month.host.run();
        month.sent();
    }
    // Every game was played to its end, and nothing but its players' letters made an entry.
    for table in &tables {
        let verdict = verify(&month.host.record(&table.id));
        assert_eq!(verdict.ruling, Ruling::Legal, "{}", table.id);
        assert!(verdict.outcome.is_some() && verdict.entries > 5, "{}: {}", table.id, verdict.entries);
        for last in &table.last {
            assert!(last.text.contains("The game is over"), "{}", last.text);
        }
    }
    // What a program or somebody in another's name brings to a mailbox.
    let to = |who: &str| {
        month.out.iter().filter(|((to, _), _)| to.starts_with(who)).map(|(_, count)| *count).collect::<Vec<_>>()
    };
    let most = |who: &str| to(who).into_iter().max().unwrap_or(0);
    assert!(to("desk@").iter().sum::<usize>() <= 2, "a ticket system: {:?}", to("desk@"));
    assert!(most("victim@") <= 3 && most("v") <= 3, "victims: {:?}", to("v"));
    assert!(to("kit@").iter().sum::<usize>() <= 3, "the same words again: {:?}", to("kit@"));
    assert!(to("guest").iter().sum::<usize>() <= 3, "strangers: {:?}", to("guest"));
    assert_eq!(to("games@").len(), 0, "another host");
    // Who asks for much gets an answer to each letter; others get what they play for.
    let is_flood = |(to, day): &(String, i64)| *day == 0 && *to == address(1);
    for (key, count) in month.out.iter().filter(|((to, _), _)| to.starts_with("player")) {
        assert!(*count <= if is_flood(key) { 40 } else { 6 }, "{key:?}: {count}");
    }
    // First letters of a day, and all of the flood in the end.
    for day in 0..month.day {
        let strangers = month.out.keys().filter(|(to, on)| *on == day && !month.known.contains(to)).count();
        assert!(strangers <= FIRST_LETTERS, "day {day}: {strangers}");
    }
    assert_eq!(to("flood"), vec![1; FLOOD.1]);
    // An entry is told to both; beside that nobody is written to who has not written.
    let entries: usize = tables.iter().map(|table| verify(&month.host.record(&table.id)).entries as usize).sum();
    let sent: usize = month.out.values().sum();
    assert!(sent <= month.came + entries, "{sent} letters went out, and {} came", month.came);
    // What is left on the disk.
    let files = month.host.memory.snapshot();
    let below =
        |part: &str| files.iter().filter(|(path, _)| path.contains(part)).map(|(path, _)| path).collect::<Vec<_>>();
    for part in ["/host/spool/", "/host/outgoing/", "/host/later/", "/host/job", "/host/made/", "/host/held/"] {
        assert!(below(part).is_empty(), "{:?}", below(part));
    }
    assert!(files.len() <= 6 * month.came, "{} files, and {} letters came", files.len(), month.came);
    // One note of each who got a letter, however many names were used.
    let reached = month.out.keys().map(|(to, _)| to).collect::<BTreeSet<_>>().len();
    let people = below("/host/people/").len();
    assert!(people <= reached + 3 * 30, "{people} people, and {reached} were written to");
    let log = files.iter().find(|(path, _)| path.ends_with("log.jsonl")).expect("a log");
    assert!(log.1.len() <= 400 * (month.came + sent), "{} bytes of log", log.1.len());
    assert!(!String::from_utf8_lossy(&log.1).contains("evil.example"));
}
