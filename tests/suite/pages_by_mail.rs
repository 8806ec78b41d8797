//! Pages and mail: letters that bring the game as a page, and replies that a page writes, as mail programs send them on.

use std::fs;

use data_encoding::BASE64;
use mail_parser::{Message, MessageParser, MimeHeaders as _, PartType};
use postrider_requests::call;
use serde_json::{Value, json};

use crate::letters::run;
use crate::session::{Done, Session};

const NAMES: [(&str, &str); 2] = [("Ada Quill", "ada@example.org"), ("Bram Post", "bram@example.net")];

/// A player's home; letters go into its outbox.
fn player(nth: usize, mail: &str) -> Session {
    let session = Session::new();
    let (name, email) = NAMES[nth];
    session.write(
        "home/settings.yaml",
        format!("name: {name}\nemail: {email}\ngames: ../games\nmail: {{transport: file, outbox: ../outbox{mail}}}\n"),
    );
    fs::create_dir_all(session.path("games")).expect("a folder");
    session
}

/// The only letter in an outbox, which is removed from it.
fn letter(session: &Session) -> Vec<u8> {
    let letters: Vec<_> = fs::read_dir(session.path("outbox"))
        .expect("an outbox")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "eml"))
        .collect();
    let [path] = letters.as_slice() else { panic!("{letters:?}") };
    let bytes = fs::read(path).expect("a letter");
    fs::remove_file(path).expect("a file");
    bytes
}

fn receive(session: &Session, message: &[u8]) -> Done {
    let mut command = session.command(&["receive"]);
    command.env("POSTRIDER_NOW", "2026-11-24T12:00:00Z");
    run(command, message)
}

fn parsed(letter: &[u8]) -> Message<'_> {
    MessageParser::default().parse(letter).expect("a message")
}

/// The page attached to a letter.
fn page_of(letter: &[u8]) -> Option<String> {
    let message = parsed(letter);
    let page = message
        .attachments()
        .find(|part| part.attachment_name().is_some_and(|name| name.ends_with(".html")))
        .map(|part| (part.attachment_name().expect("a name").to_owned(), part.contents().to_vec()));
    let (name, bytes) = page?;
    assert!(name.starts_with("asalto-") || name.starts_with("assassyn-"), "{name}");
    assert!(parsed(letter).body_text(0).expect("a text").contains(&format!("The attached page `{name}`")));
    assert!(parsed(letter).body_html(0).expect("a page").contains(&format!("The attached page <code>{name}</code>")));
    Some(String::from_utf8(bytes).expect("UTF-8"))
}

fn new_game(session: &Session, game: &str, sides: [&str; 2], more: &[&str]) -> String {
    let players: Vec<String> =
        [0, 1].iter().map(|nth| format!("{}={} <{}>", sides[*nth], NAMES[*nth].0, NAMES[*nth].1)).collect();
    let mut args = vec!["new", game, "-o", "games/ours.pbem"];
    for player in &players {
        args.extend(["--player", player.as_str()]);
    }
    args.extend(more);
    session.run(&args).ok();
    let text = session.read("games/ours.pbem");
    text.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id").to_owned()
}

#[test]
fn a_page_goes_along_with_the_first_letter_with_each_or_with_none() {
    for (setting, first, later) in [
        ("", false, false),
        (", page: never", false, false),
        (", page: first", true, false),
        (", page: always", true, true),
    ] {
        let (ada, bram) = (player(0, setting), player(1, setting));
        let id = new_game(&ada, "asalto", ["besiegers", "defenders"], &[]);
        // The defenders begin, so Bram is invited with an empty record.
        ada.run(&["send", "games/ours.pbem"]).ok();
        let invitation = letter(&ada);
        let page = page_of(&invitation);
        assert_eq!(page.is_some(), first, "{setting}");
        if let Some(page) = page {
            assert!(page.contains("'wasm-unsafe-eval'") && page.contains(&id) && page.contains("nothing"), "{setting}");
        }
        let said = receive(&bram, &invitation).ok();
        assert!(said.contains("invit") || bram.run(&["invitations"]).ok().contains(&id), "{said}");
        bram.run(&["accept", &id]).ok();
        let game = format!("games/{id}.pbem");
        // For a player who was invited, there is nobody to whom the game could be new.
        bram.run(&["move", &game, "place c6 e6", "--send", "--at", "2026-11-22T10:00:00Z"]).ok();
        let reply = letter(&bram);
        assert_eq!(page_of(&reply).is_some(), later, "{setting}");
        let said = receive(&ada, &reply).ok();
        assert!(said.contains("accepted: 1 defenders place c6 e6"), "{said}");
        ada.run(&["move", "games/ours.pbem", "c4-c5", "--send", "--at", "2026-11-23T10:00:00Z"]).ok();
        let third = letter(&ada);
        assert_eq!(page_of(&third).is_some(), later, "{setting}");
        assert!(receive(&bram, &third).ok().contains("accepted: 2 besiegers c4-c5"));
    }
}

#[test]
fn who_begins_and_moves_first_brings_the_page_with_that_move_and_send_can_be_asked_for_it() {
    let bram = player(1, ", page: first");
    let _ = new_game(&bram, "asalto", ["besiegers", "defenders"], &[]);
    bram.run(&["move", "games/ours.pbem", "place c6 e6", "--send", "--at", "2026-11-22T10:00:00Z"]).ok();
    assert!(page_of(&letter(&bram)).is_some());
    let bram = player(1, "");
    let _ = new_game(&bram, "asalto", ["besiegers", "defenders"], &[]);
    bram.run(&["move", "games/ours.pbem", "place c6 e6", "--at", "2026-11-22T10:00:00Z"]).ok();
    bram.run(&["send", "--page", "games/ours.pbem"]).ok();
    let sent = letter(&bram);
    assert!(page_of(&sent).is_some_and(|page| page.contains("place c6 e6")));
    // A letter with a page stays far below the limits of the largest mail systems.
    assert!(sent.len() < 1_810_000, "{}", sent.len());
}

#[test]
fn the_page_of_a_sealed_game_holds_what_the_record_holds_and_nothing_else() {
    let ada = player(0, ", page: always");
    let id = new_game(&ada, "assassyn", ["white", "black"], &[]);
    let deployment = "deploy Pc1 Wd1 La1 Lf1 Sb1 Se1 Ac2";
    ada.run(&["move", "games/ours.pbem", deployment, "--send", "--at", "2026-11-22T10:00:00Z"]).ok();
    let sent = letter(&ada);
    let page = page_of(&sent).expect("a page");
    let record = ada.read("games/ours.pbem");
    let expected = ada.run(&["page", "games/ours.pbem", "--referee", "--from", "black"]).ok();
    assert!(page == expected, "the page of `postrider page`, from the other side");
    assert_eq!(crate::pages::saved(&page), record.as_bytes());
    for secret in secrets(&ada) {
        assert!(!page.contains(&secret) && !record.contains(&secret), "{id}");
    }
}

/// Everything that the program keeps in its folder of secrets, as texts that would reveal it.
fn secrets(session: &Session) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![session.path("home")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().contains("secret") {
                let text = String::from_utf8_lossy(&fs::read(&path).expect("a secret")).into_owned();
                let long = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/=-_".contains(c)));
                found.extend(long.filter(|word| word.len() >= 20).map(str::to_owned));
            }
        }
    }
    assert!(!found.is_empty(), "there are secrets");
    found
}

#[test]
fn a_letter_with_a_page_is_read_however_it_was_sent_on() {
    let bram = player(1, ", page: always");
    let id = new_game(&bram, "asalto", ["besiegers", "defenders"], &[]);
    bram.run(&["move", "games/ours.pbem", "place c6 e6", "--send", "--at", "2026-11-22T10:00:00Z"]).ok();
    let before = letter(&bram);
    let ada = player(0, ", page: always");
    receive(&ada, &before).ok();
    ada.run(&["accept", &id]).ok();
    let game = format!("games/{id}.pbem");
    ada.run(&["move", &game, "c4-c5", "--send", "--at", "2026-11-23T10:00:00Z"]).ok();
    let sent = letter(&ada);
    let ours = bram.read("games/ours.pbem");
    let record = ada.read(&game);
    let page = page_of(&sent).expect("a page");
    let base64 = |bytes: &[u8]| {
        let text = BASE64.encode(bytes);
        text.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line).into_owned() + "\r\n").collect::<String>()
    };
    let from = "From: Ada Quill <ada@example.org>\r\nTo: bram@example.net\r\nDate: Mon, 23 Nov 2026 10:01:00 +0000\r\nMIME-Version: 1.0\r\n";
    let multipart = |parts: &[String]| {
        let parts: String = parts.iter().map(|part| format!("--b\r\n{part}\r\n")).collect();
        format!("{from}Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n{parts}--b--\r\n")
    };
    let text = "Content-Type: text/plain\r\n\r\nsee below\r\n".to_owned();
    let html_part = |head: &str| {
        format!(
            "Content-Type: text/html; charset=utf-8{head}\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
            base64(page.as_bytes())
        )
    };
    let record_part = format!(
        "Content-Type: application/octet-stream; name=\"{id}.pbem\"\r\nContent-Transfer-Encoding: base64\r\n\r\n{}",
        base64(record.as_bytes())
    );
    let forwarded = format!(
        "{from}Subject: Fwd: x\r\nContent-Type: multipart/mixed; boundary=f\r\n\r\n--f\r\nContent-Type: text/plain\r\n\r\nthis came\r\n--f\r\n\
         Content-Type: message/rfc822\r\n\r\n{}\r\n--f--\r\n",
        String::from_utf8_lossy(&sent)
    );
    let attached = "\r\nContent-Disposition: attachment; filename=\"game.html\"";
    for (what, message) in [
        ("as it was sent", String::from_utf8_lossy(&sent).into_owned()),
        ("forwarded as a message", forwarded),
        ("the page before the record", multipart(&[text.clone(), html_part(attached), record_part.clone()])),
        (
            "the page shown in the letter",
            multipart(&[
                text.clone(),
                html_part("; name=\"game.html\"\r\nContent-Disposition: inline"),
                record_part.clone(),
            ]),
        ),
        ("the page without a name", multipart(&[text, html_part(""), record_part.clone()])),
        ("the page instead of a text", multipart(&[html_part(""), record_part])),
    ] {
        bram.write("games/ours.pbem", &ours);
        let bram_now = player(1, "");
        bram_now.write("games/ours.pbem", &ours);
        let done = receive(&bram_now, message.as_bytes());
        assert!(done.out.contains("accepted: 2 besiegers c4-c5"), "{what}: {}{}", done.out, done.err);
        assert_eq!(bram_now.read("games/ours.pbem"), record, "{what}");
    }
}

/// Asks the referee as a page does.
fn ask(request: &Value) -> Value {
    serde_json::from_str(&call(&request.to_string())).expect("JSON")
}

/// The beginning of an open game between the two, after some entries.
fn played(game: &Value, entries: usize, seed: &mut u64) -> String {
    let sides: Vec<&str> = game["sides"].as_array().expect("sides").iter().filter_map(Value::as_str).collect();
    let name = game["name"].as_str().expect("a name");
    let players = json!({
        sides[0]: { "name": NAMES[0].0, "email": NAMES[0].1 }, sides[1]: { "name": NAMES[1].0, "email": NAMES[1].1 },
    });
    let begun = ask(
        &json!({ "call": "begin", "game": name, "id": format!("{name}-by-page"), "started": "2026-11-21", "players": players }),
    );
    let mut record = begun["record"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
    for _ in 0..entries {
        let turn = turn(&record, seed, 3);
        let added = ask(&json!({ "call": "append", "record": record, "typed": turn, "time": "2026-11-22T10:00:00Z" }));
        record = added["record"].as_str().unwrap_or_else(|| panic!("{added}")).to_owned();
    }
    record
}

/// A turn composed action by action, with at most `most` actions where the game lets it end.
fn turn(record: &str, seed: &mut u64, most: usize) -> String {
    let mut begun: Vec<String> = Vec::new();
    for _ in 0..60 {
        let next = ask(&json!({ "call": "next", "record": record, "begun": begun.join("; "), "seed": *seed as u32 }));
        let actions: Vec<&str> =
            next["actions"].as_array().expect("actions").iter().filter_map(Value::as_str).collect();
        if next["whole"] == json!(true) && (actions.is_empty() || begun.len() >= most) {
            break;
        }
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let action = actions[usize::try_from(*seed >> 33).expect("small") % actions.len()];
        begun.push(next["words"][action][0].as_str().unwrap_or(action).to_owned());
        let whole = ask(
            &json!({ "call": "judge", "record": record, "typed": begun.join("; "), "time": "2026-11-22T10:00:00Z" }),
        );
        if whole["number"].is_number() && begun.len() >= most {
            break;
        }
    }
    begun.join("; ")
}

/// Breaks lines as a mail program does: between words, before this column; `end` is added where a line was broken. It knows nothing of
/// how entries are written in replies, because that is what it tests.
fn broken(text: &str, width: usize, end: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut column = 0;
        for word in line.split(' ') {
            let length = word.chars().count();
            if column > 0 {
                if column + 1 + length > width {
                    out.push_str(end);
                    column = 0;
                } else {
                    out.push(' ');
                    column += 1;
                }
            }
            out.push_str(word);
            column += length;
        }
        out.push('\n');
    }
    out
}

fn quoted_printable(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut column = 0;
        for byte in line.bytes() {
            if column > 71 {
                out.push_str("=\r\n");
                column = 0;
            }
            let one = if byte.is_ascii_graphic() && byte != b'=' || byte == b' ' {
                char::from(byte).to_string()
            } else {
                format!("={byte:02X}")
            };
            column += one.len();
            out.push_str(&one);
        }
        out.push_str("\r\n");
    }
    out
}

/// Adds a space before lines that a receiver could take for something else (RFC 3676).
fn stuffed(text: &str) -> String {
    let odd = |line: &str| line.starts_with([' ', '>']) || line.starts_with("From ");
    text.lines().map(|line| if odd(line) { format!(" {line}\n") } else { format!("{line}\n") }).collect()
}

fn as_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A reply with this text as various mail programs send it, each with its header fields.
fn programs(body: &str, original: &str) -> Vec<(&'static str, String)> {
    let quote: String = original.lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect();
    let above = "On Sun, Nov 22, 2026 at 11:15 AM Bram Post <bram@example.net> wrote:\n";
    let plain = "Content-Type: text/plain; charset=utf-8";
    let divs =
        |class: &str| body.lines().map(|line| format!("<div{class}>{}</div>\n", as_html(line))).collect::<String>();
    let gmail_html = format!(
        "<div dir=\"ltr\">{}</div><br><div class=\"gmail_quote\"><div class=\"gmail_attr\">{}</div><blockquote class=\"gmail_quote\">{}</blockquote></div>",
        divs(""),
        as_html(above),
        as_html(original)
    );
    vec![
        ("as it was written", format!("{plain}\n\n{body}")),
        (
            "lines end in CRLF, 8 bits",
            format!("{plain}\nContent-Transfer-Encoding: 8bit\n\n{}", body.replace('\n', "\r\n")),
        ),
        (
            "quoted-printable, the original below",
            format!(
                "{plain}\nContent-Transfer-Encoding: quoted-printable\n\n{}",
                quoted_printable(&format!("{body}\n{above}\n{quote}"))
            ),
        ),
        (
            "base64",
            format!(
                "{plain}\nContent-Transfer-Encoding: base64\n\n{}",
                BASE64.encode(format!("{body}\n-- \nAda\n").as_bytes())
            ),
        ),
        (
            "flowed, with a signature",
            format!("{plain}; format=flowed\n\n{}\n-- \nAda Quill\n", stuffed(&broken(body, 60, " \n"))),
        ),
        (
            "flowed, spaces deleted",
            format!("{plain}; format=flowed; delsp=yes\n\n{}", stuffed(&broken(body, 60, "  \n"))),
        ),
        (
            "broken hard at 76, as Gmail does, and the same as HTML",
            format!(
                "Content-Type: multipart/alternative; boundary=g\n\n--g\n{plain}\n\n{}\n{above}\n{quote}\n--g\nContent-Type: text/html; charset=utf-8\n\n{gmail_html}\n--g--",
                broken(body, 76, "\n")
            ),
        ),
        ("broken hard at 40, as old phones do", format!("{plain}\n\n{}\nSent from my phone\n", broken(body, 40, "\n"))),
        ("HTML alone, as Gmail writes it", format!("Content-Type: text/html; charset=utf-8\n\n{gmail_html}")),
        (
            "Outlook: paragraphs, and the old letter below its header",
            format!(
                "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n{}",
                quoted_printable(&format!(
                    "<html><head><style>p {{margin:0}}</style></head><body>{}<p class=MsoNormal><o:p>&nbsp;</o:p></p><div style='border:none;border-top:solid #E1E1E1 1.0pt'><p><b>From:</b> Bram Post &lt;bram@example.net&gt;<br><b>Sent:</b> Sunday, 22 November 2026 11:15<br><b>To:</b> Ada Quill<br><b>Subject:</b> x</p></div><p>{}</p></body></html>",
                    divs(" class=MsoNormal").replace("div", "p"),
                    as_html(original)
                ))
            ),
        ),
        (
            "Outlook as text: a blank line behind each line",
            format!(
                "{plain}\n\n{}\n-----Original Message-----\nFrom: Bram Post\nSent: Sunday, 22 November 2026\n{original}",
                body.replace('\n', "\n\n")
            ),
        ),
        (
            "iOS",
            format!(
                "Content-Type: text/html; charset=utf-8\n\n<html><body dir=\"auto\">{}<br id=\"lineBreakAtBeginningOfSignature\"><div dir=\"ltr\">Sent from my iPhone</div><div dir=\"ltr\"><br><blockquote type=\"cite\">{above}<br><br></blockquote></div><blockquote type=\"cite\"><div dir=\"ltr\">{}</div></blockquote></body></html>",
                divs(""),
                as_html(original)
            ),
        ),
        (
            "German, with a greeting above",
            format!(
                "{plain}\n\nHallo Bram,\n\n{body}\nAm So., 22. Nov. 2026 um 11:15 Uhr schrieb Bram Post\n<bram@example.net>:\n\n{quote}"
            ),
        ),
    ]
}

#[test]
fn a_reply_that_a_page_wrote_arrives_with_its_message_from_every_mail_program() {
    let talk = "On Monday I wrote: \u{201c}c4-c5?\u{201d} \u{2014} see [pbem] x > y, -- or <b>not</b>\u{2026} From here it is 100% = fine; if not, d4-d5 & draw?";
    let long = "Gr\u{fc}\u{df}e! \u{4f60}\u{597d} \u{1f3b2} ".to_owned()
        + &"this goes on and on, over many a line of a letter, ".repeat(8)
        + "and ends.";
    let mut seed = 20_261_122_u64;
    let games = ask(&json!({ "call": "about" }));
    let (mut replies, mut longest) = (0, 0);
    for (nth, game) in games["games"].as_array().expect("games").iter().enumerate() {
        let record = played(game, 2 + nth % 2, &mut seed);
        for (message, actions) in [(None, 3), (Some(talk), 1), (Some(long.as_str()), 3)] {
            let typed = turn(&record, &mut seed, actions);
            let added = ask(
                &json!({ "call": "append", "record": record, "typed": typed, "message": message, "time": "2026-11-23T07:00:00Z" }),
            );
            let expected = added["record"].as_str().unwrap_or_else(|| panic!("{added}"));
            let reply = &added["reply"];
            let body = reply["body"].as_str().expect("a body");
            longest = longest.max(body.len());
            let due = added["side"].as_str().expect("a side");
            let from = usize::from(game["sides"][0].as_str() != Some(due));
            let (name, email) = NAMES[from];
            assert_eq!(reply["to"], json!(NAMES[1 - from].1));
            let home = player(1 - from, ", letter: text");
            home.write("games/ours.pbem", &record);
            let original =
                "Ada,\n\nit is your turn. Legal entries: c4-c5 | d4-d5 | resign\n\n    2 besiegers c4-c5 {x}\n";
            // Without a message fewer things can go wrong.
            let each = programs(body, original).into_iter().enumerate();
            for (_, (program, sent)) in each.filter(|(nth, _)| message.is_some() || nth % 4 == 2) {
                home.write("games/ours.pbem", &record);
                let _ = fs::remove_dir_all(home.path("home/data/known"));
                let message = format!(
                    "From: {name} <{email}>\nTo: {}\nSubject: {}\nDate: Mon, 23 Nov 2026 07:00:00 +0000\nMessage-ID: <{replies}@example.org>\nMIME-Version: 1.0\n{sent}\n",
                    NAMES[1 - from].1,
                    reply["subject"].as_str().expect("a subject")
                );
                let done = receive(&home, message.as_bytes());
                let ours = home.read("games/ours.pbem");
                assert!(
                    ours.starts_with(expected),
                    "{program}: {}{}\nbody:\n{body}\nexpected:\n{}\ngot:\n{}",
                    done.out,
                    done.err,
                    expected.lines().last().unwrap_or_default(),
                    ours.lines().rev().take(2).collect::<Vec<_>>().join("\n")
                );
                replies += 1;
            }
        }
    }
    assert!(replies == 145 && longest > 300, "{replies}, {longest}");
}

#[test]
fn what_a_reply_says_beside_its_entry_is_shown() {
    let home = crate::letters::bram(1);
    let message = format!(
        "From: Ada Quill <ada@example.org>\nSubject: Re: [pbem] {}  #1\nDate: Sun, 22 Nov 2026 08:02:11 +0000\nMessage-ID: <x@example.org>\n\n\
         Hi Bram,\nc4-c5\nWe were in the hills all week.\u{7}\n",
        crate::letters::ID
    );
    let said = crate::letters::receive(&home, &[], message.as_bytes()).ok();
    assert!(said.contains("the letter also says: We were in the hills all week.\n"), "{said}");
}

/// Checks the parts of a letter with a parser other than the program's own.
#[test]
fn a_letter_without_a_page_has_its_record_alone_attached() {
    let bram = player(1, "");
    let _ = new_game(&bram, "asalto", ["besiegers", "defenders"], &[]);
    bram.run(&["move", "games/ours.pbem", "place c6 e6", "--send", "--at", "2026-11-22T10:00:00Z"]).ok();
    let sent = letter(&bram);
    let message = parsed(&sent);
    let files: Vec<_> = message.attachments().filter_map(|part| part.attachment_name()).collect();
    assert!(files.iter().all(|name| !name.ends_with(".html")), "{files:?}");
    assert!(message.attachments().all(|part| !matches!(part.body, PartType::Message(_))));
}
