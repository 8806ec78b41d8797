use mail_parser::{MessageParser, MimeHeaders};
use proptest::prelude::*;

use super::*;
use crate::incoming;

const GAME: &str = "asalto-20261121-7k3q9x";
const RECORD: &[u8] = b"---\npbem: 1\n---\n1 defenders place c6 e6 {sch\xc3\xb6n}\n";

fn letter() -> Letter<'static, 'static> {
    Letter {
        from: Party { name: "Ada Quill", address: "ada@example.org" },
        to: Party { name: "Bram Post", address: "bram@example.net" },
        game: GAME,
        entry: 3,
        thread: None,
        side: "defenders",
        actions: "c6-d6; huff d6",
        digest: [0xab; 32],
        earlier: &[],
        date: DateTime::from_timestamp(1_795_600_000, 0).unwrap(),
        text: "It is your move.\n",
        html: None,
        record: RECORD,
        attached: true,
        page: None,
        auto: false,
        seat: Seat::default(),
    }
}

fn text_of(letter: &Letter<'_, '_>) -> String {
    String::from_utf8(letter.build().unwrap().bytes()).unwrap()
}

/// The header lines, each unfolded.
fn headers(text: &str) -> Vec<String> {
    text.split("\r\n\r\n").next().unwrap().replace("\r\n ", " ").lines().map(str::to_owned).collect()
}

fn header<'a>(headers: &'a [String], name: &str) -> Option<&'a str> {
    headers.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// A letter as a mail program reads it: the names of its header fields, sender, recipient, subject, text, and the name
/// and bytes of the attachment.
struct Read {
    fields: Vec<String>,
    from: (Option<String>, String),
    to: (Option<String>, String),
    subject: String,
    text: String,
    name: String,
    record: Vec<u8>,
}

fn read(bytes: &[u8]) -> Read {
    let mail = MessageParser::default().parse(bytes).unwrap();
    let party = |address: Option<&mail_parser::Address<'_>>| {
        let address = address.unwrap();
        assert_eq!(address.iter().count(), 1);
        let first = address.first().unwrap();
        (first.name().map(str::to_owned), first.address().unwrap().to_owned())
    };
    assert_eq!(mail.attachment_count(), 1);
    let attachment = mail.attachment(0).unwrap();
    Read {
        fields: mail.headers().iter().map(|header| header.name().to_owned()).collect(),
        from: party(mail.from()),
        to: party(mail.to()),
        subject: mail.subject().unwrap().to_owned(),
        text: mail.body_text(0).unwrap().into_owned(),
        name: attachment.attachment_name().unwrap().to_owned(),
        record: attached(bytes, attachment),
    }
}

/// Returns the bytes of the attachment. The parser shows it as text, from which anything that is not UTF-8 is gone.
fn attached(bytes: &[u8], part: &mail_parser::MessagePart<'_>) -> Vec<u8> {
    let body = &bytes[part.raw_body_offset() as usize..part.raw_end_offset() as usize];
    let digits: Vec<u8> = body.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let record = data_encoding::BASE64.decode(&digits).unwrap();
    assert_eq!(part.contents(), String::from_utf8_lossy(&record).as_bytes());
    record
}

const FIELDS: [&str; 7] = ["Date", "From", "To", "Subject", "Message-ID", "MIME-Version", "Content-Type"];

fn assert_sound(bytes: &[u8]) {
    assert!(bytes.is_ascii());
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.split("\r\n").all(|line| line.len() <= 998 && !line.contains(['\r', '\n', '\0'])), "{text}");
}

#[test]
fn a_letter_has_its_headers_its_text_and_its_record() {
    let text = text_of(&letter());
    assert_sound(text.as_bytes());
    let headers = headers(&text);
    assert_eq!(header(&headers, "From"), Some("\"Ada Quill\" <ada@example.org>"));
    assert_eq!(header(&headers, "To"), Some("\"Bram Post\" <bram@example.net>"));
    assert_eq!(header(&headers, "Subject"), Some("[pbem] asalto-20261121-7k3q9x #3 defenders: c6-d6; huff d6"));
    assert_eq!(header(&headers, "Date"), Some("Wed, 25 Nov 2026 09:46:40 +0000"));
    let id = "<asalto-20261121-7k3q9x.3.abababababababab@postrider.invalid>";
    assert_eq!(header(&headers, "Message-ID"), Some(id));
    for absent in ["In-Reply-To", "References", "Auto-Submitted"] {
        assert_eq!(header(&headers, absent), None);
    }
    let read = read(text.as_bytes());
    assert_eq!(read.text, "It is your move.\r\n");
    assert_eq!(read.name, "asalto-20261121-7k3q9x.pbem");
    assert_eq!(read.record, RECORD);
    let message = letter().build().unwrap();
    assert_eq!(
        (message.message_id().as_str(), message.local_part()),
        (id, "asalto-20261121-7k3q9x.3.abababababababab")
    );
    assert_eq!((message.game(), message.entry(), message.to()), (GAME, 3, "bram@example.net"));
    assert_eq!(message_id(GAME, 3, &[0xab; 32]), id);
}

#[test]
fn the_record_is_plain_text_in_base64() {
    let text = text_of(&letter());
    let part = text.split("\r\n--=_abababababababab\r\n").nth(2).unwrap();
    let (head, body) = part.split_once("\r\n\r\n").unwrap();
    let mut lines: Vec<_> = head.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "Content-Disposition: attachment; filename=\"asalto-20261121-7k3q9x.pbem\"",
            "Content-Transfer-Encoding: base64",
            "Content-Type: text/plain; charset=utf-8",
        ]
    );
    let body = body.split("\r\n--").next().unwrap().replace("\r\n", "");
    assert_eq!(data_encoding::BASE64.decode(body.as_bytes()).unwrap(), RECORD);
}

#[test]
fn the_same_data_give_the_same_bytes() {
    assert_eq!(letter().build().unwrap().bytes(), letter().build().unwrap().bytes());
    assert_eq!(letter().build().unwrap().length(), letter().build().unwrap().bytes().len());
}

#[test]
fn an_automatic_answer_is_marked_as_such() {
    let text = text_of(&Letter { auto: true, ..letter() });
    assert_eq!(header(&headers(&text), "Auto-Submitted"), Some("auto-replied"));
}

#[test]
fn an_invitation_has_entry_0() {
    let invitation = Letter { entry: 0, side: "", actions: "", ..letter() };
    assert_eq!(invitation.subject(), "[pbem] asalto-20261121-7k3q9x #0");
    assert_eq!(invitation.message_id(), "<asalto-20261121-7k3q9x.0.abababababababab@postrider.invalid>");
}

#[test]
fn an_invitation_says_in_its_subject_who_invites_to_what_and_a_reply_to_it_names_its_game() {
    let subject = invitation("Ada Quill", "Asalto", GAME, 0);
    assert_eq!(subject, "Ada Quill invites you to a game of Asalto [pbem] asalto-20261121-7k3q9x #0");
    assert_eq!(Letter { thread: Some(&subject), ..letter() }.subject(), subject);
    let longest = "x".repeat(64);
    for (name, game) in
        [("Ada", GAME), ("", GAME), ("[pbem] asalto-another #9\r\nBcc: a@b", GAME), ("Ada", longest.as_str())]
    {
        let subject = invitation(name, "Assassyn's Dagger", game, 1);
        let sent = Letter { thread: Some(&subject), ..letter() }.subject();
        assert!(!sent.contains(['\r', '\n']) && sent.contains("to a game of Assassyn's Dagger"), "{sent:?}");
        let mail = incoming::read(format!("Subject: Re: {sent}\n\nhello\n").as_bytes());
        let answered = incoming::answered(&mail).expect("a letter");
        assert_eq!((answered.game.as_str(), answered.entry), (game, 1), "{sent}");
    }
}

#[test]
fn letters_of_a_game_are_one_thread() {
    let ids: Vec<String> = (0..50).map(|entry| message_id(GAME, entry, &[7; 32])).collect();
    let refer = |count: usize| {
        let text = text_of(&Letter { entry: 60, earlier: &ids[..count], ..letter() });
        assert_sound(text.as_bytes());
        let headers = headers(&text);
        let split = |name| -> Vec<String> {
            header(&headers, name).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
        };
        (split("In-Reply-To"), split("References"))
    };
    assert_eq!(refer(0), (vec![], vec![]));
    assert_eq!(refer(2), (ids[1..2].to_vec(), ids[..2].to_vec()));
    assert_eq!(refer(21), (ids[20..21].to_vec(), ids[..21].to_vec()));
    let capped: Vec<String> = ids[..1].iter().chain(&ids[30..50]).cloned().collect();
    assert_eq!(refer(50), (ids[49..50].to_vec(), capped));
}

#[test]
fn message_ids_of_others_are_used_only_if_well_formed() {
    let own = letter().message_id();
    let earlier: Vec<String> = [
        "<a@b>",
        "<a@b>\r\nBcc: <eve@example.com>",
        "<a b@c>",
        "a@b",
        "<>",
        "<<a@b>>",
        "<schön@b>",
        own.as_str(),
        "<c.d=e@[127.0.0.1]>",
    ]
    .iter()
    .map(|id| (*id).to_owned())
    .chain([format!("<{}@b>", "x".repeat(300))])
    .collect();
    let headers = headers(&text_of(&Letter { earlier: &earlier, ..letter() }));
    assert_eq!(header(&headers, "References"), Some("<a@b> <c.d=e@[127.0.0.1]>"));
    assert_eq!(header(&headers, "In-Reply-To"), Some("<c.d=e@[127.0.0.1]>"));
}

#[test]
fn a_subject_is_shortened_at_a_character() {
    let long = "e2-e4 ".repeat(50);
    let subject = Letter { actions: &long, ..letter() }.subject();
    assert!(subject.starts_with("[pbem] asalto-20261121-7k3q9x #3 defenders: e2-e4 e2-e4"), "{subject}");
    assert!(subject.ends_with('…') && subject.chars().count() <= 78, "{subject}");
    let wide = "é—漢🂡".repeat(50);
    let subject = Letter { actions: &wide, ..letter() }.subject();
    assert_eq!(subject.chars().count(), 78);
    // However long the id is, some of the actions are shown.
    let game = "a".repeat(64);
    let subject = Letter { game: &game, side: "marines", actions: &long, ..letter() }.subject();
    assert!(subject.ends_with(" #3 marines: e2-e4 e2-e4 e2-…"), "{subject}");
    assert_eq!(read(&Letter { actions: &wide, ..letter() }.build().unwrap().bytes()).subject.chars().count(), 78);
}

#[test]
fn nothing_in_a_name_or_an_action_becomes_a_header() {
    let attacks = [
        "x\r\nBcc: eve@example.com",
        "x\nBcc: eve@example.com",
        "x\rBcc: eve@example.com",
        "x\r\n\r\nbody",
        "x\0y",
        "x\u{85}Bcc: eve@example.com",
        "x\u{2028}Bcc: eve@example.com",
        "x\u{b}\u{c}Bcc: eve@example.com",
        "\" <eve@example.com>, \"",
        "a>, <eve@example.com",
        "\\",
        "\\\"",
        "=?utf-8?q?x=0D=0ABcc:_eve@example.com?=",
        "=?utf-8?b?DQpCY2M6IGV2ZUBleGFtcGxlLmNvbQ==?=",
        "\u{202e}gro.elpmaxe@ada",
        "\u{1b}[2J",
        "(comment) ; : @ , [x]",
    ];
    for attack in attacks {
        let letter = Letter {
            from: Party { name: attack, ..letter().from },
            to: Party { name: attack, ..letter().to },
            side: attack,
            actions: attack,
            text: attack,
            ..letter()
        };
        let bytes = letter.build().unwrap().bytes();
        assert_sound(&bytes);
        let read = read(&bytes);
        let mut fields = read.fields.clone();
        fields.sort_unstable();
        let mut expected = FIELDS.map(str::to_owned);
        expected.sort_unstable();
        assert_eq!(fields, expected, "{attack:?}");
        assert_eq!((read.from.1.as_str(), read.to.1.as_str()), ("ada@example.org", "bram@example.net"), "{attack:?}");
        let steering = |text: &str| text.chars().any(steers);
        assert!(!steering(read.from.0.as_deref().unwrap_or_default()), "{attack:?}: {:?}", read.from.0);
        assert!(!steering(&read.subject), "{attack:?}: {:?}", read.subject);
        assert!(!steering(&read.text.replace("\r\n", "")), "{attack:?}: {:?}", read.text);
        assert_eq!(read.record, RECORD);
    }
}

#[test]
fn invalid_addresses_are_refused() {
    let refused = [
        "",
        "ada",
        "@example.org",
        "ada@",
        "ada@example.org\r\nBcc: eve@example.com",
        "ada@example.org\n",
        "ada@example.org, eve@example.com",
        "Ada <ada@example.org>",
        "<ada@example.org>",
        "-oQ/tmp@example.org",
        "a b@example.org",
        "\"a b\"@example.org",
        "ada@exa mple.org",
        "ada@example.org\0",
        "ada\u{202e}@example.org",
        "ada@@example.org",
    ];
    for address in refused {
        let from = Letter { from: Party { name: "", address }, ..letter() }.build().unwrap_err();
        assert!(matches!(from, LetterError::From(_)), "{address:?}");
        let to = Letter { to: Party { name: "", address }, ..letter() }.build().unwrap_err();
        assert!(matches!(to, LetterError::To(_)), "{address:?}");
        assert!(
            to.to_string().starts_with("the recipient: `") && !to.to_string().chars().any(char::is_control),
            "{to}"
        );
    }
    assert!(parse_address(&format!("{}@example.org", "a".repeat(300))).is_err());
    for address in ["ada@example.org", "a.b+c@example.org", "a@localhost", "a@[127.0.0.1]", "ada@bücher.example"] {
        assert!(parse_address(address).is_ok(), "{address}");
    }
}

#[test]
fn names_of_all_scripts_arrive() {
    let long = "Wilhelmina ".repeat(30);
    let unbroken = "é".repeat(500);
    for name in
        ["Ada", "Zoë Krüger", "李小龙", "Ада Квилл", "O'Neil, Ada \"the rook\" <x>", "A. B. 9", "🂡", &long, &unbroken]
    {
        let bytes = Letter { from: Party { name, ..letter().from }, ..letter() }.build().unwrap().bytes();
        assert_sound(&bytes);
        assert_eq!(read(&bytes).from.0.unwrap(), shorten(name.trim(), NAME), "{name}");
    }
    for name in ["", "  ", "\r\n\t"] {
        let bytes = Letter { from: Party { name, ..letter().from }, ..letter() }.build().unwrap().bytes();
        assert_eq!(read(&bytes).from, (None, "ada@example.org".to_owned()));
    }
}

#[test]
fn a_text_that_contains_the_boundary_changes_it() {
    let stem = format!("=_{}", "ab".repeat(8));
    for text in [format!("--{stem}\n\nforged\n--{stem}--\n"), format!("--{stem}\n--{stem}_1_\n--{stem}_2_--\n")] {
        let bytes = Letter { text: &text, ..letter() }.build().unwrap().bytes();
        let read = read(&bytes);
        assert_eq!(read.text, text.replace('\n', "\r\n"));
        assert_eq!(read.record, RECORD);
    }
}

#[test]
fn a_record_of_any_bytes_arrives() {
    let records: [&[u8]; 6] = [
        b"",
        b"no line end",
        b"\r\n\r\n.\r\n",
        b"From x\n.\n--=_abababababababab--\n",
        &[0, 255, 13, 10, 26],
        &[b'x'; 5000],
    ];
    for record in records {
        let bytes = Letter { record, ..letter() }.build().unwrap().bytes();
        assert_sound(&bytes);
        assert_eq!(read(&bytes).record, record);
    }
}

#[test]
fn an_invalid_game_id_makes_no_letter() {
    for game in
        ["", "short", "../../../etc", "asalto 20261121", "asalto-2026\r\nBcc: x", "Asalto-20261121", &"a".repeat(65)]
    {
        assert_eq!(Letter { game, ..letter() }.build().unwrap_err(), LetterError::GameId, "{game:?}");
    }
    let game = "a".repeat(64);
    assert_eq!(read(&Letter { game: &game, ..letter() }.build().unwrap().bytes()).name, format!("{game}.pbem"));
}

#[test]
fn dates_that_cannot_be_written_in_mail_are_refused() {
    for seconds in [-1, END_OF_DATES as i64, 8_000_000_000_000] {
        let date = DateTime::from_timestamp(seconds, 0).unwrap();
        assert_eq!(Letter { date, ..letter() }.build().unwrap_err(), LetterError::Date);
    }
    for seconds in [0, END_OF_DATES as i64 - 1] {
        assert!(Letter { date: DateTime::from_timestamp(seconds, 0).unwrap(), ..letter() }.build().is_ok());
    }
}

#[test]
fn a_text_of_many_scripts_and_long_lines_arrives() {
    let text = format!("a\tb\n漢字 {}\n\n. \nFrom here\n", "x".repeat(3000));
    let bytes = Letter { text: &text, ..letter() }.build().unwrap().bytes();
    assert_sound(&bytes);
    assert_eq!(read(&bytes).text, text.replace('\t', "    ").replace('\n', "\r\n"));
}

proptest! {
    #[test]
    fn any_text_makes_a_sound_letter(
        name in any::<String>(), side in any::<String>(), actions in any::<String>(), text in any::<String>(),
        record in any::<Vec<u8>>(), earlier in any::<Vec<String>>(),
    ) {
        let from = Party { name: &name, ..letter().from };
        let to = Party { name: &side, ..letter().to };
        let letter = Letter { from, to, side: &side, actions: &actions, text: &text, record: &record, earlier: &earlier, ..letter() };
        let bytes = letter.build().unwrap().bytes();
        assert_sound(&bytes);
        let read = read(&bytes);
        prop_assert_eq!(read.record, record);
        prop_assert_eq!(read.from.1, "ada@example.org");
        prop_assert_eq!(read.to.1, "bram@example.net");
        prop_assert_eq!(read.fields.len(), FIELDS.len());
    }

    #[test]
    fn any_address_is_read_or_refused(address in "[ -~]{0,12}@[ -~]{0,12}|\\PC*") {
        if let Ok(read) = parse_address(&address) {
            // As it was typed, but for a domain beyond ASCII.
            prop_assert_eq!(read.to_string(), crate::address::in_ascii(&address));
            let bytes = Letter { to: Party { name: "", address: &address }, ..letter() }.build().unwrap().bytes();
            prop_assert!(!bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"Bcc")));
        }
    }
}

/// Notes the length of the longest piece that is written.
#[derive(Default)]
struct Longest(usize, Vec<u8>);

impl Write for Longest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.max(bytes.len());
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_letter_is_written_in_pieces_with_the_record_as_the_library_encodes_it() {
    let record: Vec<u8> = (0..1_000_000_u32).map(|nth| (nth.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let page = "<p>a\u{0}page</p>\n";
    for length in [0, 1, 2, 56, 57, 58, 114, LINE * LINES - 1, LINE * LINES, LINE * LINES + 1, record.len()] {
        let record = &record[..length];
        let encoded = Body::new_with_encoding(record.to_vec(), ContentTransferEncoding::Base64).unwrap().into_vec();
        for page in [None, Some(page)] {
            let message = Letter { record, page, text: "a\u{0}b\n", ..letter() }.build().unwrap();
            let mut written = Longest::default();
            message.write_to(&mut written).unwrap();
            assert_eq!(written.1, message.bytes());
            assert!(written.0 < 100_000, "{}", written.0);
            let Content::Made(mail) = &message.mail else { panic!("it was kept") };
            let whole = lettre::Message::formatted(mail);
            let place = whole.iter().rposition(|byte| *byte == super::RECORD).unwrap();
            assert_eq!(written.1, [&whole[..place], &encoded, &whole[place + 1..]].concat());
            assert!(!written.1.contains(&super::RECORD), "{length}");
        }
    }
}
