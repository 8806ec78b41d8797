//! Letters with a picture and with links: who gets them, what is in them, how large they are, and that every link is a
//! legal move.

use mail_parser::{MessageParser, MimeHeaders as _};
use postrider_mail::incoming::{Form, Text, own_lines};
use postrider_mail::understand::{AtDesk, ReplyContext, Understood, understand};
use postrider_mail::{Choices, MAX_HTML, links};
use postrider_referee::desk::{Desk, EntryRequest, NoKeyStore};
use postrider_referee::record::Time;
use postrider_referee::registry::GAMES;
use postrider_referee::verdict::{Opened, Ruling, verify};

use crate::session::Session;

/// The bodies that the links on a page put into a reply.
fn bodies(html: &str) -> Vec<String> {
    let links = html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let body = |link: &str| {
        let link = link.replace("&amp;", "&");
        let (_, rest) = link.split_once("&body=").expect("a body");
        decoded(rest.split('&').next().expect("a body"))
    };
    links.map(body).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((byte, tail)) = rest.split_first() {
        if *byte == b'%' {
            let digits = std::str::from_utf8(&tail[..2]).expect("two digits");
            bytes.push(u8::from_str_radix(digits, 16).expect("hexadecimal digits"));
            rest = &tail[2..];
        } else {
            bytes.push(*byte);
            rest = tail;
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// The bodies that are moves, without those that every letter offers.
fn moves(html: &str) -> Vec<String> {
    bodies(html).into_iter().filter(|body| body != "resign" && !body.trim_start().starts_with('>')).collect()
}

fn choices(record: &[u8]) -> Choices {
    let mut opened = Opened::new(record).expect("a record");
    opened.replay(u32::MAX);
    Choices::of(&opened)
}

fn entered(record: &[u8], actions: &str) -> Vec<u8> {
    let Ok(desk) = Desk::open(record) else { panic!("a record is refused") };
    // The time of the previous entry, because this does not test a clock.
    let time = desk.opened.table.standing().last.unwrap_or(Time(1_795_600_000));
    let wish = EntryRequest { actions, message: None, time, time_asked: false };
    match desk.enter(&wish, &mut NoKeyStore) {
        Ok(entered) => entered.record,
        Err(_) => panic!("a link says {actions}, which is refused after\n{}", String::from_utf8_lossy(record)),
    }
}

/// The start of a record for open play without a clock.
fn start(game: &str, sides: [&str; 2], sealable: bool) -> Vec<u8> {
    let secrecy = if sealable { "secrecy: open\n" } else { "" };
    format!(
        "---\npbem: 1\ngame: {game}\nid: {game}-by-taps\nplayers:\n  {}: {{name: Ada}}\n  {}: {{name: Bram}}\nstarted: 2026-11-21\n{secrecy}---\n",
        sides[0], sides[1]
    )
    .into_bytes()
}

#[test]
fn whole_games_are_played_by_tapping_and_every_link_is_legal() {
    let mut number = 88_172_645_463_325_252_u64;
    let mut next = |below: usize| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        usize::try_from(number % below.max(1) as u64).expect("small")
    };
    let mut tapped = 0;
    for game in GAMES {
        let info = game.info();
        let mut record = start(info.name, info.sides.map(|side| side.word), info.sealable);
        for _ in 0..14 {
            let html = links(&choices(&record), "ada@example.org", "Re: [pbem] a-game #1", Some("<a@b>")).concat();
            assert!(html.len() <= 90_000, "{}: {} bytes of links", info.name, html.len());
            let list = moves(&html);
            if list.is_empty() {
                break;
            }
            // A few of the links are tried, and one is tapped.
            for _ in 0..4 {
                entered(&record, &list[next(list.len())]);
            }
            record = entered(&record, &list[next(list.len())]);
            tapped += 1;
            if verify(&record).outcome.is_some() {
                break;
            }
        }
    }
    assert!(tapped >= 30, "{tapped}");
}

#[test]
fn every_link_of_every_open_example_is_legal() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut tried = 0;
    for game in GAMES {
        // The longest one of the game.
        let files = std::fs::read_dir(root.join(game.info().name)).expect("examples of each game").flatten();
        let records = files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|kind| kind == "pbem"));
        let open = records.map(|path| std::fs::read_to_string(path).expect("an example")).filter(|record| {
            !record.contains("\nsecrecy: sealed\n") && verify(record.as_bytes()).ruling == Ruling::Legal
        });
        let record = open.max_by_key(String::len).expect("an open example of each game");
        let lines: Vec<_> = record.lines().filter(|line| !line.starts_with('=')).collect();
        let entries: Vec<_> = (0..lines.len())
            .filter(|at| lines[*at].starts_with(|c: char| c.is_ascii_digit()) && lines[*at].contains(' '))
            .collect();
        for at in entries.iter().step_by((entries.len() / 3).max(1)) {
            let prefix = lines[..*at].join("\n") + "\n";
            let list = moves(&links(&choices(prefix.as_bytes()), "a@b.example", "s", None).concat());
            for body in list.iter().step_by((list.len() / 20).max(1)) {
                entered(prefix.as_bytes(), body);
                tried += 1;
            }
        }
    }
    assert!(tried > 80, "{tried}");
}

/// Two players with their own settings and a shared record.
fn players() -> Session {
    let session = Session::new();
    session.write("home/settings.yaml", "name: Ada Quill\nemail: ada@example.org\n");
    let mut args = vec!["new", "asalto", "-o", "game.pbem", "--id", "asalto-letters", "--clock", "5d"];
    args.extend(["--player", "besiegers=Ada Quill <ada@example.org>"]);
    args.extend(["--player", "defenders=Bram Post <bram@example.net>"]);
    session.run(&args).ok();
    session
}

#[test]
fn an_invitation_goes_to_the_other_side_whoever_begins() {
    let session = players();
    let letter = session.run(&["send", "-n", "game.pbem"]).ok();
    assert!(
        letter.contains("From: \"Ada Quill\" <ada@example.org>\r\nTo: \"Bram Post\" <bram@example.net>\r\n"),
        "{letter}"
    );
    assert!(letter.contains("Ada Quill invites you"), "{letter}");
    // The same game begun by the side that moves first.
    session.write("home/settings.yaml", "name: Bram Post\nemail: bram@example.net\n");
    let letter = session.run(&["send", "-n", "game.pbem"]).ok();
    assert!(
        letter.contains("From: \"Bram Post\" <bram@example.net>\r\nTo: \"Ada Quill\" <ada@example.org>\r\n"),
        "{letter}"
    );
    let text = letter.replace("=\r\n", "").replace("\r\n", " ");
    assert!(
        text.contains("Bram Post invites you") && text.contains("You need do nothing until the next letter."),
        "{text}"
    );
    assert!(!text.contains("mailto:"), "it is not the reader's turn");
}

#[test]
fn nobody_sends_to_himself_or_in_the_name_of_the_other() {
    let session = players();
    session.run(&["move", "game.pbem", "--for", "defenders", "place c6 e6"]).ok();
    // Bram has moved; it is Ada's turn, and she has nothing to send.
    let told = session.run(&["send", "game.pbem"]).fails(2);
    assert!(told.contains("it is your turn") && told.contains("entry 2"), "{told}");
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
    let letter = session.run(&["send", "-n", "game.pbem"]).ok();
    assert!(letter.contains("From: \"Ada Quill\"") && letter.contains("To: \"Bram Post\""), "{letter}");
    session.run(&["move", "game.pbem", "--for", "defenders", "resign"]).ok();
    // As far as anyone knows, Bram resigned; what Ada sends goes to him all the same.
    let letter = session.run(&["send", "-n", "game.pbem"]).ok();
    assert!(letter.contains("From: \"Ada Quill\"") && letter.contains("To: \"Bram Post\""), "{letter}");
}

#[test]
fn a_letter_has_text_a_page_a_picture_and_the_record() {
    let session = players();
    session.run(&["move", "game.pbem", "--for", "defenders", "place c6 e6"]).ok();
    session.run(&["move", "game.pbem", "c4-c5", "-m", "look <here> & \"there\""]).ok();
    let bytes = session.run(&["send", "-n", "game.pbem"]).ok();
    assert_eq!(bytes, session.run(&["send", "-n", "game.pbem"]).ok(), "the same bytes each time");
    assert!(bytes.len() <= 120_000, "{} bytes", bytes.len());
    let mail = MessageParser::default().parse(bytes.as_bytes()).expect("a message");
    let types: Vec<String> = mail
        .parts
        .iter()
        .filter_map(|part| {
            let kind = part.content_type()?;
            Some(format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or_default()))
        })
        .collect();
    let expected = [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "image/png",
        "text/plain",
    ];
    assert_eq!(types, expected);
    let html = mail.body_html(0).expect("a page");
    assert!(html.len() <= MAX_HTML);
    let picture = mail
        .parts
        .iter()
        .find(|part| part.content_type().is_some_and(|kind| kind.ctype() == "image"))
        .expect("a picture");
    let id = picture.content_id().expect("an id");
    assert!(html.contains(&format!("src=\"cid:{id}\"")), "{html}");
    assert!(picture.contents().starts_with(b"\x89PNG"));
    for part in [
        "look &lt;here&gt; &amp; &quot;there&quot;",
        "alt=\"Besiegers: a3,",
        "It is your turn (defenders)",
        "5 days left",
        "postrider receive",
        "subject=Re%3A%20%5Bpbem%5D%20asalto-letters%20%232%20",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(html.contains("color-scheme") && !html.contains("<script") && !html.contains("http"), "{html}");
    let listed: Vec<String> = session.run(&["moves", "game.pbem"]).ok().lines().map(str::to_owned).collect();
    let mut tapped = moves(&html);
    tapped.sort();
    assert_eq!(tapped, listed, "one link for each legal entry");
}

#[test]
fn the_parts_of_a_letter_are_a_matter_of_taste() {
    let session = players();
    session.run(&["move", "game.pbem", "--for", "defenders", "place c6 e6"]).ok();
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
    let made = |args: &[&str]| {
        let letter = session.run(&[&["send", "-n", "game.pbem"], args].concat()).ok();
        let plain = letter.replace("=\r\n", "");
        (plain.contains("image/png"), plain.contains("mailto:"), plain.contains("write just your move"))
    };
    assert_eq!(made(&[]), (true, true, true));
    assert_eq!(made(&["--letter", "picture"]), (true, false, true));
    assert_eq!(made(&["--letter", "text"]), (false, false, true));
    session.write("home/settings.yaml", "email: ada@example.org\nmail:\n  letter: text\n");
    assert_eq!(made(&[]), (false, false, true));
    assert_eq!(made(&["--letter", "taps"]), (true, true, true));
    // If replies are not read, nobody is told to send one.
    session.write("home/settings.yaml", "email: ada@example.org\nmail:\n  plain-replies: off\n");
    assert_eq!(made(&[]), (true, false, false));
}

/// What is understood of a reply whose text is `text`, and entered of it.
fn understood(record: &[u8], text: &str) -> Understood {
    let Ok(desk) = Desk::open(record) else { panic!("a record is refused") };
    let opened = &desk.opened;
    let standing = opened.table.standing();
    let turn = ReplyContext::of(opened, standing.due.side);
    let lines = own_lines(&Text { text: text.to_owned(), form: Form::Fixed });
    let time = standing.last.unwrap_or(Time(1_795_600_000));
    understand(&lines, &turn, &opened.table.moves(), &mut AtDesk(&desk, time))
}

/// Tries every tap and the example of the letter about a record, as the person who gets it would.
fn letter_works(record: &[u8]) -> usize {
    let choices = choices(record);
    let mut tried = 0;
    let html = links(&choices, "ada@example.org", "Re: [pbem] a-game #1", Some("<a@b>")).concat();
    let list = bodies(&html);
    let step = (list.len() / 12).max(1);
    let rare = |body: &String| body == "resign" || body == "draw!";
    let tapped = list.iter().enumerate().filter(|(nth, body)| nth % step == 0 || rare(body)).map(|(_, body)| body);
    for body in tapped.chain(&choices.example) {
        if body.trim_start().starts_with('>') {
            // A form to be filled in has nothing of its own.
            assert!(own_lines(&Text { text: body.clone(), form: Form::Fixed }).is_empty(), "{body}");
            continue;
        }
        match understood(record, body) {
            Understood::Entry(meant) if body != "draw!" || meant.actions == "draw!" => {
                entered(record, &meant.actions);
            }
            other => panic!("{body:?} in a letter after\n{}\n{other:?}", String::from_utf8_lossy(record)),
        }
        tried += 1;
    }
    tried
}

/// A clock asks for a time with the first entry (E3), which whoever taps does not give.
#[test]
fn the_first_entry_of_a_game_with_a_clock_is_tapped_like_that_of_any_other() {
    for game in GAMES {
        let info = game.info();
        let plain = start(info.name, info.sides.map(|side| side.word), info.sealable);
        let clocked = String::from_utf8_lossy(&plain).replacen("started:", "clock: 5d\nstarted:", 1);
        let (plain, clocked) = (choices(&plain), choices(clocked.as_bytes()));
        assert_eq!((&clocked.whole, &clocked.begun), (&plain.whole, &plain.begun), "{}", info.name);
        assert!(clocked.example.is_some() && clocked.example == plain.example, "{}", info.name);
    }
}

#[test]
fn every_letter_is_answered_by_each_of_its_own_taps_and_examples() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let (mut tried, mut offers) = (0, 0);
    for game in GAMES {
        let info = game.info();
        // The first entries, from the start.
        let mut record = start(info.name, info.sides.map(|side| side.word), info.sealable);
        for _ in 0..4 {
            tried += letter_works(&record);
            let Some(example) = choices(&record).example else {
                panic!("{}: no example after\n{}", info.name, String::from_utf8_lossy(&record))
            };
            let with_offer = format!("{example}; draw?");
            let before = record.clone();
            record = entered(&record, &example);
            // The same with an offer of a draw.
            let Ok(desk) = Desk::open(&before) else { panic!("a record is refused") };
            let time = desk.opened.table.standing().last.unwrap_or(Time(1_795_600_000));
            let wish = EntryRequest { actions: &with_offer, message: None, time, time_asked: false };
            if let Ok(offering) = desk.enter(&wish, &mut NoKeyStore).map(|entered| entered.record) {
                tried += letter_works(&offering);
                offers += 1;
                for words in ["I accept", "I accept the draw.", "yes", "Hi Bram,\ndraw!"] {
                    match understood(&offering, words) {
                        Understood::Entry(meant) => assert_eq!(meant.actions, "draw!", "{words}"),
                        other => panic!("{words}: {other:?}"),
                    }
                }
            }
        }
        // Games that were played: claims, forced answers, challenges.
        let files = std::fs::read_dir(root.join(info.name)).expect("examples of each game").flatten();
        let records = files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|kind| kind == "pbem"));
        let open = records.map(|path| std::fs::read_to_string(path).expect("an example")).filter(|record| {
            !record.contains("\nsecrecy: sealed\n")
                && !record.contains("\n  ~ ")
                && verify(record.as_bytes()).ruling == Ruling::Legal
        });
        for record in open {
            let lines: Vec<_> = record.lines().filter(|line| !line.starts_with('=')).collect();
            let entries: Vec<_> = (0..lines.len())
                .filter(|at| lines[*at].starts_with(|c: char| c.is_ascii_digit()) && lines[*at].contains(' '))
                .collect();
            for at in entries.iter().skip(1).step_by((entries.len() / 3).max(1)) {
                tried += letter_works((lines[..*at].join("\n") + "\n").as_bytes());
            }
        }
    }
    assert!(tried > 250 && offers >= 5, "{tried}, {offers}");
}

#[test]
fn the_letter_says_in_words_that_a_draw_is_offered() {
    let session = players();
    session.run(&["move", "game.pbem", "--for", "defenders", "place c6 e6"]).ok();
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
    session.run(&["move", "game.pbem", "--for", "defenders", "c6-d6; huff d6"]).ok();
    session.run(&["move", "game.pbem", "e4-e5; draw?"]).ok();
    let letter = session.run(&["send", "-n", "game.pbem"]).ok().replace("=\r\n", "").replace("\r\n", " ");
    assert!(letter.contains("Ada Quill offers you a draw. It is your turn (defenders)"), "{letter}");
    assert!(letter.contains("To accept the draw that is offered, reply `draw!`"), "{letter}");
    assert!(letter.contains("for instance: e6xe4xc4xc6"), "no example costs a piece: {letter}");
}

#[test]
fn a_tap_that_costs_a_piece_by_the_rules_says_so() {
    let session = players();
    session.run(&["move", "game.pbem", "--for", "defenders", "place c6 e6"]).ok();
    session.run(&["move", "game.pbem", "c4-c5"]).ok();
    let letter = session.run(&["send", "-n", "game.pbem"]).ok().replace("=\r\n", "");
    assert!(letter.contains("c6-d6; huff d6: costs 1 of your 2 men"), "{letter}");
    assert!(!letter.contains("c6xc4: costs"), "{letter}");
}
