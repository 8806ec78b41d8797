//! Letters of a host that are sent back or on, to itself or to another host, whole and without a mark: what they list is nobody's wish and
//! no entry.

use super::people::{Hosted, Letter, to};
use super::{ADA, ADDRESSES, BRAM, begun, chosen, from};
use postrider_mail::incoming;
use postrider_referee::verdict::verify;
use postrider_testing::random::Stream;

const CLEO: &str = "Cleo Hart <cleo@example.com>";
const GAMES: [&str; 5] = ["asalto", "assideum", "assassyn", "subsume", "mission-combat"];

/// Letters of a host of every kind, but those about positions of sealed games.
fn of_every_kind(host: &Hosted) -> Vec<Letter> {
    let mut all = Vec::new();
    for words in ["help", "games", "rules asalto", "rules asalto T21", "standings", "my games", "play asalto", "hello?"]
    {
        // To somebody of whom nothing shows that he has written, and to somebody who is known.
        host.deliver(&host.fresh(&format!("Dora <dora{}@example.com>", all.len()), words, ""));
        all.extend(host.letters());
        all.extend(host.asked(CLEO, words));
    }
    host.later(86_400);
    for words in
        ["play subsume with dan@example.com as white clock 5d", "name Cleo", "key none", "withdraw", "play chess"]
    {
        all.extend(host.asked(CLEO, words));
    }
    let (id, letters) = begun(host, "asalto");
    let due = letters.iter().find(|letter| letter.text.contains("It is your turn")).expect("a turn").clone();
    let waits = letters.iter().find(|letter| letter.to != due.to).expect("the other").clone();
    all.extend(letters);
    for (letter, words) in [
        (&due, "z9-q0"),
        (&due, "place a3 b3"),
        (&due, "not yet"),
        (&due, "undo"),
        (&due, "how do I play?"),
        (&due, "e6-e5"),
        (&waits, "quit"),
        (&waits, "resign"),
        (&waits, "take it back"),
        (&waits, "Nice to meet you!"),
    ] {
        host.later(700);
        host.deliver(&host.reply(from(&letter.to), letter, words));
        all.extend(host.letters());
    }
    all.extend(host.asked(CLEO, &format!("watch {id}")));
    all
}

/// A letter as it is sent on: from whom, to which address, the headers of what it answers, and its text or HTML.
fn sent_on(host: &Hosted, sender: &str, answers: Option<&Letter>, letter: &Letter, is_html: bool) -> Vec<u8> {
    let fresh = String::from_utf8(host.fresh(sender, "SUBJECT", "BODY")).expect("text");
    let (form, body) = if is_html { ("html", &letter.html) } else { ("plain", &letter.text) };
    let mut message = fresh.replace("text/plain", &format!("text/{form}")).replace("BODY", body);
    if let Some(answers) = answers {
        message = message
            .replace("To: games@example.com", &format!("To: {}", answers.from))
            .replace("SUBJECT", &format!("Re: {}", answers.subject))
            .replace("Date:", &format!("In-Reply-To: <{}>\r\nDate:", answers.id));
    }
    message.replace("SUBJECT", &letter.subject).into_bytes()
}

#[test]
fn no_letter_of_a_host_is_a_wish_to_another_host_whatever_stands_above_its_lists() {
    let one = Hosted::new();
    let mut letters = of_every_kind(&one);
    assert!(letters.len() > 35, "{}", letters.len());
    // A sentence that stood there before, and one with which programs quote.
    let help = letters.iter().find(|letter| letter.subject == "How to play here by letters").expect("help").clone();
    let end = help.text.find("says:").expect("its sentence") + "says:".len();
    let start = help.text.find("A letter with").expect("its sentence");
    for above in
        ["Write one of these on the first line of a letter, or in its subject:", "Well:", "On Monday Ada wrote:"]
    {
        letters.push(Letter { text: format!("{}{above}{}", &help.text[..start], &help.text[end..]), ..help.clone() });
        letters.push(Letter { text: format!("{above}{}", &help.text[end..]), ..help.clone() });
    }
    let mut wrong = Vec::new();
    for letter in &letters {
        for is_html in [false, true] {
            if is_html && letter.html.is_empty() {
                continue;
            }
            let two = Hosted::plain();
            two.deliver(&sent_on(&two, "The Mill <mill@one.example>", None, letter, is_html));
            let mut answers = two.letters();
            // From somebody who is known to have answered.
            let known = two.asked(CLEO, "help");
            two.deliver(&sent_on(&two, CLEO, Some(to(&known, "cleo@example.com")), letter, is_html));
            answers.extend(two.letters());
            let is_asked = |answer: &&Letter| answer.subject != "How to play here by letters";
            if let Some(answer) = answers.iter().find(is_asked) {
                let lines = incoming::own_lines(
                    incoming::read(&sent_on(&two, CLEO, None, letter, is_html)).text.as_ref().expect("a text"),
                );
                wrong.push(format!("{} ({is_html}): {}: {lines:?}", letter.subject, answer.subject));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_stands_above_or_below_a_letter_that_is_sent_back_without_a_mark_is_read() {
    for is_above in [true, false] {
        let host = Hosted::plain();
        let known = host.asked(CLEO, "help");
        let help = to(&known, "cleo@example.com");
        let text = match is_above {
            true => format!("Hello,\n\nplay asalto\n\nCleo\n\n{}", help.text),
            false => format!("{}\n\nplay asalto\n", help.text),
        };
        host.deliver(&sent_on(&host, CLEO, Some(help), &Letter { text, ..help.clone() }, false));
        let answer = host.letter_to("cleo@example.com");
        assert!(answer.text.contains("You are waiting for somebody"), "{is_above}: {}", answer.text);
    }
}

#[test]
fn an_invitation_that_is_sent_back_is_neither_a_yes_nor_a_no() {
    for is_html in [false, true] {
        let host = Hosted::new();
        let letters = host.asked(ADA, "play asalto with bram@example.net");
        let invitation = to(&letters, ADDRESSES[1]);
        host.deliver(&sent_on(&host, BRAM, Some(invitation), invitation, is_html));
        let again = host.letter_to(ADDRESSES[1]);
        assert!(again.subject.contains("an invitation"), "{}", again.subject);
    }
}

#[test]
fn no_letter_about_a_game_makes_an_entry_where_it_is_sent_back_in_whatever_form() {
    let marks = ["", "    ", ": ", "# ", "% ", "} ", "* ", "- ", "+ ", "Ada> ", "\u{bb} ", "| "];
    for (nth, game) in GAMES.into_iter().enumerate() {
        let host = if nth == 0 { Hosted::new() } else { Hosted::plain() };
        let (id, letters) = begun(&host, game);
        let mut last = [to(&letters, ADDRESSES[0]).clone(), to(&letters, ADDRESSES[1]).clone()];
        let mut stream = Stream(nth as u64 + 1);
        for step in 0..4 {
            let Some((side, entry)) = chosen(&host, &id, &mut stream) else { break };
            let seat = usize::from(last[1].text.contains("It is your turn"));
            let (letter, player) = (last[seat].clone(), [ADA, BRAM][seat]);
            host.later(700);
            host.deliver(&host.reply(player, &letter, "z9-q0"));
            let back = host.letter_to(&letter.to);
            let before = verify(&host.record(&id)).entries;
            for (which, whole) in [&letter, &back].into_iter().enumerate() {
                let mark = |mark: &str| whole.text.lines().map(|line| format!("{mark}{line}\r\n")).collect::<String>();
                let mut forms: Vec<(Letter, bool)> = marks
                    .iter()
                    .skip(2 * step)
                    .step_by(if step == 0 { 1 } else { 5 })
                    .map(|one| (Letter { text: mark(one), ..whole.clone() }, false))
                    .collect();
                if !whole.html.is_empty() {
                    forms.push((whole.clone(), true));
                }
                for (sent, is_html) in forms {
                    host.later(700);
                    host.deliver(&sent_on(&host, player, Some(whole), &sent, is_html));
                    let now = verify(&host.record(&id)).entries;
                    let _ = host.letters();
                    let shown = &sent.text[..sent.text.len().min(40)];
                    assert_eq!(
                        now,
                        before,
                        "{game}, {step}, {which}, html {is_html}: {shown:?}: {}",
                        String::from_utf8_lossy(&host.record(&id))
                    );
                }
            }
            host.later(700);
            host.deliver(&host.reply(player, &last[seat], &entry));
            let _ = side;
            for letter in host.letters() {
                let seat = usize::from(letter.to == ADDRESSES[1]);
                last[seat] = letter;
            }
        }
    }
}
