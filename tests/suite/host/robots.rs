//! Programs that answer letters and do not say so, and other hosts: nobody writes to them without end.

use super::people::{ADDRESS, Hosted, Letter, to};
use super::{ADA, ADDRESSES, BRAM, begun, from};
use postrider_referee::verdict::verify;

const DAY: i64 = 86_400;

/// How many letters an address gets that answers each of them by a program, in so many rounds.
fn answered(host: &Hosted, first: &Letter, rounds: u32, pause: i64, text: &dyn Fn(u32) -> String) -> (u32, u32) {
    let robot = format!("Desk <{}>", first.to);
    let (mut got, mut others, mut last) = (0, 0, first.clone());
    for round in 0..rounds {
        host.later(pause);
        host.deliver(&host.reply(&robot, &last, &text(round)));
        let letters = host.letters();
        others += letters.iter().filter(|letter| letter.to != first.to).count() as u32;
        // It answers letters, and writes none by itself.
        let Some(next) = letters.into_iter().rev().find(|letter| letter.to == first.to) else { break };
        got += 1;
        last = next;
    }
    (got, others)
}

#[test]
fn a_ticket_system_that_is_invited_gets_one_answer() {
    for (pause, text) in [
        (2, &(|nth| format!("Thank you! Your ticket {nth} was received.")) as &dyn Fn(u32) -> String),
        (2 * DAY, &|nth| format!("Thank you! Your ticket {nth} was received.")),
        (2 * DAY, &|nth| format!("Ticket {}", "again and ".repeat(nth as usize))),
    ] {
        let host = Hosted::plain();
        let letters = host.asked(ADA, "play asalto with desk@example.net");
        let (got, others) = answered(&host, to(&letters, "desk@example.net"), 26, pause, text);
        assert_eq!((got, others), (1, 0));
    }
}

#[test]
fn what_asks_for_nothing_is_answered_once_if_it_comes_again_or_too_fast() {
    let away = |_: u32| "I am out of the office until Monday, and will answer then.".to_owned();
    for (pause, text) in
        [(DAY / 2, &away as &dyn Fn(u32) -> String), (5, &|nth| "I am away. ".repeat(nth as usize + 1))]
    {
        // In a game.
        let host = Hosted::with_host("  letters-a-day: 1000\n  clock: 300d\n");
        let (id, letters) = begun(&host, "asalto");
        let due = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
        assert_eq!(answered(&host, &due, 20, pause, text), (1, 1));
        // A person's entry is taken all the same, and answered.
        host.deliver(&host.reply(from(&due.to), &due, "place c6 e6"));
        let letters = host.letters();
        assert_eq!((letters.len(), verify(&host.record(&id)).entries), (2, 1));
        // Outside of games.
        let host = Hosted::plain();
        let letters = host.asked(BRAM, "standings");
        assert_eq!(answered(&host, to(&letters, ADDRESSES[1]), 20, pause, text), (1, 0));
    }
}

#[test]
fn a_person_who_chats_is_passed_on() {
    let host = Hosted::with_host("  clock: 300d\n");
    let (_, letters) = begun(&host, "asalto");
    let ada = to(&letters, ADDRESSES[0]).clone();
    for (nth, words) in
        ["Nice to meet you!", "How are you?", "Nice to meet you!", "Well played."].into_iter().enumerate()
    {
        host.later(600);
        host.deliver(&host.reply(ADA, &ada, words));
        let letters = host.letters();
        assert!(to(&letters, ADDRESSES[1]).text.contains(words), "{nth}");
    }
}

/// A host that others know by another address.
struct Neighbour {
    host: Hosted,
    address: &'static str,
}

impl Neighbour {
    /// Hands over what another one has written to this one; `bare`: its way takes off what says that a program wrote it.
    fn gets(&self, by: &Self, letter: &Letter, bare: bool) {
        let text = String::from_utf8(letter.bytes.clone()).expect("text").replace(ADDRESS, by.address);
        let text = text.replace("games+", &format!("{}+", by.address.split('@').next().expect("a name")));
        let text = text
            .replace(self.address, ADDRESS)
            .replace("@example.com", &by.address[by.address.find('@').expect("an @")..]);
        let text = text.replace(
            &format!("To: games{}", &by.address[by.address.find('@').expect("an @")..]),
            &format!("To: {ADDRESS}"),
        );
        let drop = ["Auto-Submitted", "Precedence", "Message-ID", "List-Unsubscribe"];
        let lines =
            text.split_inclusive("\r\n").filter(|line| !bare || !drop.iter().any(|name| line.starts_with(name)));
        self.host.deliver(lines.collect::<String>().as_bytes());
    }
}

#[test]
fn two_hosts_do_not_write_to_each_other_twice_and_end_soon_where_nothing_shows_what_they_are() {
    for (nth, words) in
        ["help", "games", "standings", "rules asalto", "my games", "play asalto", "hello"].into_iter().enumerate()
    {
        for bare in [false, true] {
            let one = Neighbour { host: Hosted::plain(), address: "one@one.example" };
            let two = Neighbour { host: Hosted::plain(), address: "two@two.example" };
            // Somebody lets each of them hear from the other, again and again.
            let mut counts = [0, 0];
            for round in 0..if nth == 0 { 10 } else { 6 } {
                for (nth, (here, there)) in [(&one, &two), (&two, &one)].into_iter().enumerate() {
                    here.host.later(DAY);
                    there.host.later(DAY);
                    if round == 0 {
                        here.host.deliver(&here.host.fresh(&format!("Games <{}>", there.address), words, ""));
                    }
                    for letter in here.host.letters() {
                        assert!(
                            letter.to.starts_with(there.address.split('@').next().expect("a name")),
                            "{}",
                            letter.to
                        );
                        counts[nth] += 1;
                        there.gets(here, &letter, bare);
                    }
                }
            }
            assert!(counts.iter().all(|count| *count <= if bare { 3 } else { 1 }), "{words}, {bare}: {counts:?}");
        }
    }
}
