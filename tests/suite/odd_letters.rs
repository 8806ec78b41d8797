//! Letters whose form is not what the standards say, or that no person wrote: what is whole in them is read, what may not be all is asked
//! back, and a program is not taken for a person.

use std::sync::LazyLock;

use data_encoding::BASE64;
use postrider_referee::desk::Desk;

use crate::letters::{GAME_FILE, ID, bram, receive, record};

static NEWEST: LazyLock<String> = LazyLock::new(|| {
    let source = record(1);
    let desk = Desk::open(source.as_bytes()).expect("a record");
    postrider_mail::message_id(ID, 1, desk.digests.last().expect("an entry"))
});

#[derive(Debug, PartialEq)]
enum Fate {
    Entered,
    Asked,
    Nothing,
    Refused,
}

/// What becomes of a letter of Ada's, and what is said.
fn fate(message: &str) -> (Fate, String) {
    let session = bram(1);
    let settings = session.read("home/settings.yaml");
    session.write("home/settings.yaml", settings + "mail: {plain-replies: draft}\n");
    let done = receive(&session, &[], message.as_bytes());
    let said = format!("{}{}", done.out, done.err);
    assert_eq!(done.code, 0, "{message}: {said}");
    let drafted = session.path(&format!("home/data/outbox/drafts/{ID}.2.eml")).exists();
    let fate = match (session.read(GAME_FILE) != record(1), drafted) {
        (true, _) => Fate::Entered,
        (_, true) => Fate::Asked,
        _ if said.contains("refused") => Fate::Refused,
        _ => Fate::Nothing,
    };
    (fate, said)
}

/// A reply with these header lines and this body. If they name no subject, it answers the newest letter.
fn reply(head: &str, body: &str) -> String {
    let thread = format!("Subject: Re: our game\nIn-Reply-To: {}\n", *NEWEST);
    let thread =
        if head.contains("In-Reply-To") || head.contains("References") { "Subject: Re: our game\n" } else { &thread };
    let date = if head.contains("Date:") { "" } else { "Date: Sun, 22 Nov 2026 08:02:11 +0000\n" };
    format!(
        "From: Ada Quill <ada@example.org>\nTo: bram@example.net\nMessage-ID: <m@example.org>\nMIME-Version: 1.0\n{thread}{date}{head}\n{body}"
    )
}

#[track_caller]
fn is(head: &str, body: &str, expected: Fate) -> String {
    let (fate, said) = fate(&reply(head, body));
    assert_eq!(fate, expected, "{head}{body}: {said}");
    said
}

#[test]
fn encodings_and_types_that_are_none_do_not_hide_a_move() {
    for head in ["8bits", "7-bit", "plain", "8-BIT", "utf-8"] {
        is(&format!("Content-Transfer-Encoding: {head}\n"), "c4-c5\n", Fate::Entered);
    }
    for head in ["text", "plain", "text/", "text; charset=utf-8", "text/markdown"] {
        is(&format!("Content-Type: {head}\n"), "c4-c5\n", Fate::Entered);
    }
    for charset in ["us-ascii", "iso-8859-1", "x-unknown", "windows-1252"] {
        is(&format!("Content-Type: text/plain; charset={charset}\n"), "c4\u{2013}c5\n", Fate::Entered);
    }
    is("Content-Transfer-Encoding: quoted-printable\n", "c4-c5\n\n-- \nhttp://x.example/?a=b\n", Fate::Entered);
}

#[test]
fn a_reply_is_known_by_ids_that_are_encoded_or_broken() {
    let id = NEWEST.trim_matches(['<', '>']);
    let encoded = NEWEST.replace('<', "=3C").replace('>', "=3E").replace('@', "=40");
    let (one, two) = id.split_at(20);
    for head in [
        format!("In-Reply-To: =?utf-8?q?{encoded}?=\n"),
        format!("In-Reply-To: =?UTF-8?B?{}?=\n", BASE64.encode(NEWEST.as_bytes())),
        format!("References: <{one}\n {two}>\n"),
        format!("In-Reply-To: {id}\n"),
    ] {
        is(&head, "c4-c5\n", Fate::Entered);
    }
}

#[test]
fn a_line_of_an_outer_part_ends_the_inner_ones() {
    let inner = "--bb\nContent-Type: multipart/alternative; boundary=cc\n\n--cc\nContent-Type: text/plain\n\nc4-c5\n";
    for rest in [
        "\n--bb\nContent-Type: text/plain\n\nlist footer\n--bb--\n",
        "\n--bb--\n",
        "--bb--\n--cc--\n",
        "\n--bb--FOOTER\nFOOTER\n",
    ] {
        is("Content-Type: multipart/mixed; boundary=bb\n", &format!("{inner}{rest}"), Fate::Entered);
    }
}

#[test]
fn what_may_not_be_all_that_was_typed_is_asked_back() {
    let said =
        is("Content-Type: multipart/mixed; boundary=bb\n", "--bb\nContent-Type: text/plain\n\nc4-c5\n", Fate::Asked);
    assert!(said.contains("it is cut off"), "{said}");
    is("Content-Transfer-Encoding: base64\n", "YzQt!!!!YzUK\n", Fate::Asked);
    let cut = "Content-Type: multipart/mixed; boundary=bb\n";
    let part = "--bb\nContent-Type: text/plain\n\n";
    for words in ["resign", "draw? c4-c5", "c4-c5 {see you}", "My move is c4-c5", "I do not want to play"] {
        is(cut, &format!("{part}{words}\n"), Fate::Asked);
    }
    // Whole blocks are taken.
    let source = record(2);
    let desk = Desk::open(source.as_bytes()).expect("a record");
    let block = postrider_referee::desk::block::Block::of(&desk, 2).expect("a block").text();
    is(cut, &format!("{part}{block}\n"), Fate::Entered);
    is(cut, &format!("{part}{}\n", block.lines().take(3).collect::<Vec<_>>().join("\n")), Fate::Refused);
    // Padding that is missing is nothing that is missing.
    is("Content-Transfer-Encoding: base64\n", "YzQtYzUKCg\n", Fate::Entered);
}

/// A letter with the record up to entry 2 as base64 in this frame: `RECORD` stands for it.
fn with_record(frame: &str) -> (Fate, String) {
    let encoded = BASE64.encode(record(2).as_bytes());
    let lines: Vec<String> =
        encoded.as_bytes().chunks(76).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    fate(&reply("Content-Type: multipart/mixed; boundary=bb\n", &frame.replace("RECORD", &lines.join("\n"))))
}

const FILE: &str = "Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=\"g.pbem\"\n\n";

#[test]
fn a_whole_record_is_taken_from_a_letter_with_a_fault() {
    for frame in [
        // The inner part is ended twice, or by the outer line, or a line of it stands elsewhere.
        format!(
            "--bb\nContent-Type: multipart/alternative; boundary=cc\n\n--cc\n\nhi\nFOOTER\n--bb\n{FILE}RECORD\n\n--cc--\n--bb--\n"
        ),
        format!(
            "--bb\nContent-Type: multipart/alternative; boundary=cc\n\n--bb\n\nhi\n--cc\n{FILE}RECORD\n--cc--\n--bb--\n"
        ),
        // Behind the last line.
        format!("--bb\n\nhi\n--bb--\n--bb\n{FILE}RECORD\n--bb--\n"),
        // With a footer.
        format!("--bb\n{FILE}RECORD\n\n-- \nSent by a list, see http://x.example/?a=b\n--bb--\n"),
        // Beside a part that cannot be read, or is cut off, or has no line between its parts.
        format!("--bb\nContent-Transfer-Encoding: base64\n\n!!!!\n--bb\n{FILE}RECORD\n--bb--\n"),
        format!("--bb\n{FILE}RECORD\n--bb\nContent-Type: image/png\n\nabc"),
        format!("--bb\nContent-Type: multipart/alternative\n\nx\n--bb\n{FILE}RECORD\n--bb--\n"),
        // Retyped as something else.
        format!("--bb\n{}RECORD\n--bb--\n", FILE.replace("application/octet-stream", "image/jpeg")),
        format!("--bb\n{}RECORD\n--bb--\n", FILE.replace("application/octet-stream", "video/mp4")),
    ] {
        let (fate, said) = with_record(&frame);
        assert_eq!(fate, Fate::Entered, "{frame}: {said}");
    }
}

#[test]
fn a_record_that_may_not_be_whole_is_not_taken() {
    for frame in [
        format!("--bb\n{FILE}RECORD\n"),
        format!("--bb\n\nhi\n--bb\n{FILE}RECORD"),
        format!("--bb\n{FILE}!!!!RECORD\n--bb--\n"),
        format!("--bb\n{FILE}RECORD\nRECORD\n--bb--\n"),
    ] {
        let (fate, said) = with_record(&frame);
        assert_eq!(fate, Fate::Refused, "{frame}: {said}");
    }
}

#[test]
fn a_report_is_nobodys_letter() {
    for (head, part) in [
        ("multipart/report; report-type=disposition-notification; boundary=m", "message/disposition-notification"),
        ("multipart/report; boundary=m", "message/disposition-notification"),
        ("multipart/mixed; boundary=m", "message/disposition-notification"),
        ("multipart/report; report-type=\"delivery-status\"; boundary=m", "message/delivery-status"),
    ] {
        let body = format!(
            "--m\nContent-Type: text/plain\n\nYour message was displayed.\nc4-c5\n--m\nContent-Type: {part}\n\nDisposition: manual-action/MDN-sent-manually; displayed\n\n--m--\n"
        );
        is(&format!("Content-Type: {head}\n"), &body, Fate::Nothing);
    }
    is("Content-Type: message/disposition-notification\n", "Disposition: x\nc4-c5\n", Fate::Nothing);
}

#[test]
fn a_person_is_not_taken_for_a_program() {
    for head in [
        "Auto-Submitted: no (a person wrote this)\n",
        "Auto-Submitted: no; x=\"y\"\n",
        "Precedence: bulk\nList-Id: <games.example.org>\n",
        "Precedence: list\n",
    ] {
        is(head, "c4-c5\n", Fate::Entered);
    }
    is("Auto-Submitted: auto-replied; owner=\"no\"\n", "c4-c5\n", Fate::Nothing);
    // What would be asked back is told instead, because it may be a program that answers everybody.
    let said = is("Precedence: bulk\n", "c4-c5\n", Fate::Refused);
    assert!(said.contains("`Precedence: bulk`"), "it is told: {said}");
    is("Precedence: bulk\nList-Unsubscribe: <mailto:x@example.org>\n", "c4-c5\n", Fate::Entered);
    let said = is("Precedence: list\n", "Is c4-c5 allowed?\n", Fate::Refused);
    assert!(said.contains("`Precedence`") && said.contains("write one yourself"), "{said}");
}

#[test]
fn an_unreadable_date_is_never_silently_the_time_of_reading() {
    for (head, says) in [
        (
            "Date: yesterday evening\n",
            "the date of its letter cannot be read (`yesterday evening`): entry 2 has the time at which it was read",
        ),
        ("Date: Thu, 45 Nov 2026 08:02:11 +0000\n", "cannot be read (`Thu, 45 Nov 2026 08:02:11 +0000`)"),
        ("X-Date: x\n", ""),
    ] {
        let said = is(head, "c4-c5\n", Fate::Entered);
        assert!(says.is_empty() || said.contains(says), "{said}");
    }
    let letter = reply("", "c4-c5\n").replace("Date: Sun, 22 Nov 2026 08:02:11 +0000\n", "");
    let (entered, said) = fate(&letter);
    assert!(
        entered == Fate::Entered && said.contains("its letter has no date: entry 2 has the time at which it was read"),
        "{said}"
    );
}

#[test]
fn both_forms_of_a_domain_are_one_sender() {
    let session = bram(1);
    let there = |text: &str| text.replace("ada@example.org", "ada@ex\u{e4}mple.org");
    session.write(GAME_FILE, there(&record(1)));
    let message = reply("", "c4-c5\n").replace("ada@example.org", "ada@xn--exmple-cua.org");
    let source = there(&record(1));
    let desk = Desk::open(source.as_bytes()).expect("a record");
    let newest = postrider_mail::message_id(ID, 1, desk.digests.last().expect("an entry"));
    let done = receive(&session, &[], message.replace(&*NEWEST, &newest).as_bytes());
    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
    assert!(session.read(GAME_FILE).contains("2 besiegers c4-c5"), "{}{}", done.out, done.err);
}

#[test]
fn broken_mail_of_strangers_in_a_mailbox_is_counted_and_not_told_line_by_line() {
    let session = bram(1);
    let broken = |from: &str, n: u32| {
        format!(
            "From x@y Sat Nov 21 10:00:00 2026\nFrom: {from}\nMessage-ID: <s{n}@example.com>\nSubject: [pbem] {ID} #1\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; name=a.pbem\n\nspam {n}\n\n"
        )
    };
    let mbox: String =
        (0..5).map(|n| broken("mallory@example.com", n)).collect::<String>() + &broken("ada@example.org", 9);
    session.write("mbox", mbox);
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    std::fs::File::options().write(true).open(session.path("mbox")).expect("it").set_modified(then).expect("set");
    let done = session.run(&["receive", "mbox"]);
    let said = format!("{}{}", done.out, done.err);
    assert_eq!(said.matches("mbox, message").count(), 1, "{said}");
    assert!(said.contains("5 broken messages of people who do not play here were passed over"), "{said}");
}
