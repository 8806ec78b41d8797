//! The token of a reply address goes to nobody but its owner, however a mail program quotes it and wherever it stands.

use std::collections::BTreeMap;

use postrider_disk::disk::Memory;
use postrider_referee::verdict::{Ruling, verify};
use postrider_testing::sample::rounds;

use super::people::{ADDRESS, Hosted, Letter, id_of, to};
use super::{ADA, ADDRESSES, BRAM, from};

/// The ways in which an address comes into somebody's words, with `T` for the token.
const FORMS: [&str; 11] = [
    "Hi Ada, should I write to games+T@example.com?",
    "Games by mail <games+T@example.com> escribió el jue, 26 nov 2026:",
    "Am 26.11.2026 um 12:00 schrieb Die Mühle <GAMES+U@EXAMPLE.COM>",
    "Le jeu. 26 nov. 2026, The Mill (games+T@example.com) a écrit ceci",
    "2026年11月26日 The Mill <games+T@example.com> のメール",
    "see mailto:games%2BT%40example.com?subject=Re%3A%20x",
    "my address there is games+A\u{ad}B@example.com, with a soft hyphen",
    "my address there is games+A\r\nB@example.com, on two lines",
    "games=2BT=40example.com as it was encoded, or A=\r\nB",
    "only the word &#43;T or A\u{200b}B or A B counts",
    "x+T! and wide: ＋Ｗ",
];

/// A form with a token in it.
fn with(form: &str, token: &str) -> String {
    let wide: String = token.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).expect("a wide letter")).collect();
    let (half, rest) = token.split_at(7);
    let put = |c: char| match c {
        'T' => token.to_owned(),
        'U' => token.to_uppercase(),
        'A' => half.to_owned(),
        'B' => rest.to_owned(),
        'W' => wide.clone(),
        c => c.to_string(),
    };
    // Only what stands for a token is a capital letter behind a sign.
    let mut out = String::new();
    let mut before = ' ';
    for c in form.chars() {
        let stands = matches!(before, '+' | 'B' | '\u{ad}' | '\n' | '\u{200b}' | ' ' | '＋')
            && matches!(c, 'T' | 'U' | 'A' | 'B' | 'W');
        let behind = form.chars().skip_while(|other| *other != c).nth(1);
        let is_word = before == ' ' && behind.is_some_and(char::is_alphabetic);
        out.push_str(&if stands && !is_word { put(c) } else { c.to_string() });
        before = c;
    }
    out
}

/// The words of a letter, with everything decoded and nothing but letters and digits left.
fn bare(letter: &Letter) -> String {
    let parsed = mail_parser::MessageParser::default().parse(&letter.bytes).expect("a letter");
    let mut texts = vec![parsed.subject().unwrap_or_default().to_owned()];
    texts.extend(parsed.headers().iter().map(|header| format!("{:?}", header.value)));
    texts.extend(parsed.parts.iter().map(|part| String::from_utf8_lossy(part.contents()).into_owned()));
    let all = texts.join("\n").replace("%2B", "+").replace("&#43;", "+").replace("&shy;", "").replace("<wbr>", "");
    all.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

fn token_of(letter: &Letter) -> String {
    letter.from.split('+').nth(1).and_then(|rest| rest.split('@').next()).expect("a token").to_owned()
}

/// The tokens that letters have shown so far, with the address to which each went.
#[derive(Default)]
struct Known(BTreeMap<String, String>);

impl Known {
    /// Notes the letters' own tokens, and holds each letter to what others' are worth.
    fn hold(&mut self, host: &Hosted, id: &str, letters: &[Letter], about: &str) {
        for letter in letters {
            self.0.insert(token_of(letter), letter.to.clone());
        }
        for letter in letters {
            let words = bare(letter);
            for (token, owner) in self.0.iter().filter(|(_, owner)| **owner != letter.to) {
                assert!(
                    !words.contains(token) || !is_worth(host, id, owner, token),
                    "{about}: a letter to {} shows the token of {owner}: {}",
                    letter.to,
                    letter.text
                );
            }
        }
    }
}

/// Whether somebody who has this token can do anything with it in its owner's name.
fn is_worth(host: &Hosted, id: &str, owner: &str, token: &str) -> bool {
    let twin = Hosted::at(Memory::from_snapshot(host.memory.snapshot()));
    let message = twin.fresh(owner, &format!("Re: [pbem] {id} #1"), "resign");
    let message = String::from_utf8(message).expect("text");
    twin.deliver(message.replace(&format!("To: {ADDRESS}"), &format!("To: games+{token}@example.com")).as_bytes());
    let letters = twin.letters();
    !letters.iter().all(|letter| letter.text.contains("does not show that you got the last one"))
}

/// A game of Asalto that Ada begins: its id, and each one's letter.
fn begun(host: &Hosted, known: &mut Known) -> (String, Vec<Letter>) {
    let letters = host.asked(ADA, "play asalto with bram@example.net as besiegers");
    known.hold(host, "none", &letters, "an invitation");
    host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "accept"));
    let letters = host.letters();
    let id = id_of(&letters[0]);
    known.hold(host, &id, &letters, "a game that begins");
    (id, letters)
}

#[test]
fn no_letter_shows_a_token_of_somebody_else_in_whatever_form_and_place_it_was_written() {
    let places = [
        "{words}",
        "place c6 e6 {{line}}",
        "message: {line}\r\nplace c6 e6",
        "place c6 e6\r\n\r\n{words}",
        "place c6 e6 {{line}}\r\n{words}",
        "show\r\n{words}",
        "if c4-c5 then c6xc4\r\n{words}",
        "{words}\r\nplace a1 a1",
    ];
    let (mut sent, mut seen) = (0, 0);
    for form in FORMS {
        let host = Hosted::plain();
        let mut known = Known::default();
        let (id, letters) = begun(&host, &mut known);
        let files = host.memory.snapshot();
        for place in places {
            let host = Hosted::at(Memory::from_snapshot(files.clone()));
            let bram = to(&letters, ADDRESSES[1]);
            let words = with(form, &token_of(bram));
            let text = place.replace("{words}", &words).replace("{line}", &words.replace("\r\n", " "));
            host.deliver(&host.reply(BRAM, bram, &text));
            let letters = host.letters();
            assert!(!letters.is_empty(), "{place}: {words}");
            // What is no token stays.
            for passed in letters.iter().filter(|letter| place == "{words}" && letter.to == ADDRESSES[0]) {
                assert!(passed.text.contains('…'), "{words}: {}", passed.text);
                seen += 1;
            }
            sent += letters.len();
            known.hold(&host, &id, &letters, &text);
            // A letter of the host that somebody sends on by machine.
            host.deliver(&host.fresh(&format!("The Mill <{}>", bram.from), "help", ""));
            let log = host.folders.disk.read(&host.folders.host().join("log.jsonl"), 1 << 20).expect("a log");
            assert!(!String::from_utf8(log).expect("text").contains(&token_of(bram)), "{text}");
            let record = String::from_utf8(host.record(&id)).expect("text").to_lowercase();
            assert!(!record.contains(&token_of(bram)), "{record}");
            assert_eq!(verify(&host.record(&id)).ruling, Ruling::Legal, "{record}");
        }
    }
    assert!(sent >= 11 * 10 && seen >= 8, "{sent} {seen}");
}

#[test]
fn no_letter_with_pictures_and_links_shows_a_token_of_somebody_else_and_all_are_sent() {
    let mut both = 0;
    // Pages and pictures take long to make.
    let step = rounds(4, 1);
    for form in FORMS.into_iter().step_by(step) {
        let host = Hosted::new();
        let mut known = Known::default();
        let (id, letters) = begun(&host, &mut known);
        let bram = to(&letters, ADDRESSES[1]);
        let words = with(form, &token_of(bram));
        host.deliver(&host.reply(BRAM, bram, &format!("message: {}", words.replace("\r\n", " "))));
        let passed = host.letters();
        // A line that mail programs write over a quotation is nobody's words.
        assert!(!passed.is_empty(), "{words}");
        both += usize::from(passed.len() == 2);
        assert!(passed.iter().all(|letter| letter.html.contains("<img ")), "{words}");
        assert!(passed.iter().any(|letter| letter.html.contains("mailto:")), "{words}");
        known.hold(&host, &id, &passed, form);
        host.deliver(&host.reply(BRAM, to(&passed, ADDRESSES[1]), "place c6 e6"));
        let placed = host.letters();
        host.deliver(&host.reply(ADA, to(&placed, ADDRESSES[0]), "c4-c5"));
        let moved = host.letters();
        let line = words.replace("\r\n", " ");
        host.deliver(&host.reply(BRAM, to(&moved, ADDRESSES[1]), &format!("resign\r\n\r\nmessage: {line}")));
        let last = host.letters();
        assert_eq!(last.iter().filter(|letter| letter.text.contains("The game is over")).count(), 2, "{words}");
        known.hold(&host, &id, &last, form);
        // Whoever asks gets the game as a page.
        host.deliver(&host.reply(BRAM, to(&last, ADDRESSES[1]), "page"));
        let page = host.letters();
        assert!(String::from_utf8_lossy(&page[0].bytes).contains(&format!("{id}.html")), "{words}");
        known.hold(&host, &id, &page, form);
    }
    assert!(both >= 8 / step, "{both}");
}

#[test]
fn a_name_has_no_token_in_letters_records_and_subjects() {
    for form in FORMS {
        let host = Hosted::plain();
        let mut known = Known::default();
        let letters = host.asked(BRAM, "help");
        known.hold(&host, "none", &letters, "help");
        let line = |words: &str| words.replace("\r\n", " ").replace(['<', '>', '(', ')', ',', ':', '?'], "");
        let words = line(&with(form, &token_of(&letters[0])));
        host.deliver(&host.reply(BRAM, &letters[0], &format!("name {words}")));
        let told = host.letters();
        known.hold(&host, "none", &told, form);
        let from =
            format!("=?utf-8?q?{}?= <bram@example.net>", words.replace(' ', "_").replace(['\u{ad}', '\u{200b}'], ""));
        host.deliver(&host.reply(&from, &told[0], "play asalto with ada@example.org as defenders"));
        let asked = host.letters();
        known.hold(&host, "none", &asked, form);
        host.deliver(&host.reply(&from, to(&asked, ADDRESSES[1]), "yes"));
        let letters = host.letters();
        known.hold(&host, "none", &letters, form);
        host.deliver(&host.reply(ADA, to(&letters, ADDRESSES[0]), "accept"));
        let letters = host.letters();
        let id = id_of(&letters[0]);
        known.hold(&host, &id, &letters, form);
        host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "Hello!"));
        known.hold(&host, &id, &host.letters(), form);
        host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "place c6 e6"));
        known.hold(&host, &id, &host.letters(), form);
    }
}

#[test]
fn a_token_of_a_seat_whose_letters_were_proven_is_asked_back_without_the_proof() {
    let host = Hosted::with("authserv-id: mx.example.com\nmail:\n  letter: text\n");
    let proven = |message: Vec<u8>, result: &str| {
        let message = String::from_utf8(message).expect("text");
        format!("Authentication-Results: mx.example.com; dmarc={result} header.from=example.net\r\n{message}")
            .into_bytes()
    };
    let mut known = Known::default();
    let (id, letters) = begun(&host, &mut known);
    let bram = to(&letters, ADDRESSES[1]).clone();
    host.deliver(&proven(host.reply(BRAM, &bram, "How are you?"), "pass"));
    let before = to(&host.letters(), ADDRESSES[1]).clone();
    // A thief who has the token, and cannot write as the mail system of the address.
    for message in [host.reply(BRAM, &before, "resign"), proven(host.reply(BRAM, &before, "resign"), "none")] {
        host.deliver(&message);
        assert_eq!(verify(&host.record(&id)).entries, 0);
    }
    let asked = host.letters();
    assert!(!asked.is_empty() && asked.iter().all(|letter| letter.to == ADDRESSES[1]), "{asked:?}");
    let asked = &asked[0];
    assert!(asked.text.contains("Nothing was entered") && token_of(asked) != token_of(&before), "{}", asked.text);
    // Whoever reads the letters of that address goes on, with or without it.
    host.deliver(&host.reply(BRAM, asked, "place c6 e6"));
    assert_eq!(verify(&host.record(&id)).entries, 1);
    let letters = host.letters();
    assert_eq!(letters.len(), 2);
    // Where no letter was ever proven, none need be.
    host.deliver(&host.reply(from(ADDRESSES[0]), to(&letters, ADDRESSES[0]), "c4-c5"));
    assert_eq!(verify(&host.record(&id)).entries, 2);
}
