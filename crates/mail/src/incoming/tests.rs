use super::*;

const RECORD: &str = "---\npbem: 1\ngame: asalto\n---\n1 defenders place c6 e6\n";

fn mail(head: &str, body: &str) -> Mail {
    read(format!("From: Ada <ada@example.org>\r\nSubject: x\r\n{head}\r\n\r\n{body}").as_bytes())
}

#[test]
fn the_fields_of_a_message_are_read() {
    let mail = read(
        b"From: =?utf-8?q?Ad=C3=A4?= <ada@example.org>\nSubject: =?utf-8?b?UmU6IFtwYmVtXQ==?=\n asalto\nDate: Sat, 21 Nov 2026 \
          12:15:00 +0200\nMessage-ID: <one@example.org>\nIn-Reply-To: <b@x.y>\nReferences: <a@x.y>\n <b@x.y>\nAuto-Submitted: \
          auto-replied\n\nc4-c5\n",
    );
    assert_eq!(mail.from.as_deref(), Some("ada@example.org"));
    assert_eq!(mail.subject, "Re: [pbem] asalto");
    assert_eq!(mail.date.map(|time| time.to_string()).as_deref(), Some("2026-11-21T10:15:00Z"));
    assert_eq!(mail.message_id.as_deref(), Some("one@example.org"));
    assert_eq!(mail.answers, ["b@x.y", "b@x.y", "a@x.y"]);
    assert!(mail.auto && mail.fault.is_none());
    assert_eq!(mail.text, Some(Text { text: "c4-c5\n".to_owned(), form: Form::Fixed }));
}

#[test]
fn a_message_with_two_senders_has_none() {
    for head in [
        "From: a@b.c, d@e.f",
        "From: a@b.c\nFrom: d@e.f",
        "From: nobody",
        "To: a@b.c",
        "From: a b@c.d",
        "From : a@b.c\nFrom: d@e.f",
        "From: a@b.c\n From: d@e.f",
        "From: <d\\@e.f>",
        "From: g: d@e.f;",
    ] {
        assert_eq!(read(format!("{head}\n\nx").as_bytes()).from, None, "{head}");
    }
}

#[test]
fn dates_that_do_not_exist_are_ignored() {
    for date in ["Sat, 31 Feb 2026 10:00:00 +0000", "Sat, 21 Nov 2026 25:00:00 +0000", "yesterday", ""] {
        assert_eq!(read(format!("Date: {date}\n\n").as_bytes()).date, None, "{date}");
    }
}

#[test]
fn a_record_is_found_whatever_its_part_is_called_with_its_bytes_unchanged() {
    let latin = [RECORD.as_bytes(), b"# caf\xe9\n"].concat();
    let encoded = data_encoding::BASE64.encode(&latin);
    for kind in
        ["text/plain; charset=utf-8", "application/octet-stream", "text/x-chess", "application/x-pbem; name=foto.jpg"]
    {
        let found = mail(&format!("Content-Type: {kind}\r\nContent-Transfer-Encoding: base64"), &encoded);
        assert_eq!(found.records.first(), Some(&latin), "{kind}");
    }
    // Some program may have called it a picture; what does not begin like a record is none, whatever its name.
    let found = mail("Content-Type: image/png; name=a.pbem\r\nContent-Transfer-Encoding: base64", &encoded);
    assert!(found.records.first() == Some(&latin) && found.names_record);
    let none = mail("Content-Type: image/png; name=a.pbem\r\nContent-Transfer-Encoding: base64", "iVBORw0KGgo=");
    assert!(none.records.is_empty() && none.names_record);
}

#[test]
fn quoted_printable_is_decoded_byte_for_byte() {
    let body =
        RECORD.replace("c6 e6", "c6=20=\r\ne6").replace("---", "=2D--").replace('\n', "  \r\n").replace("=  ", "=");
    let found = mail("Content-Transfer-Encoding: quoted-printable", &body);
    assert_eq!(found.records, [RECORD.replace('\n', "\r\n").into_bytes()], "{body}");
    assert!(mail("Content-Transfer-Encoding: quoted-printable", "---\r\npbem=zz").records.is_empty());
}

#[test]
fn parts_that_are_not_closed_are_a_fault() {
    let head = "Content-Type: multipart/mixed; boundary=b";
    let whole = format!("--b\r\n\r\nhello\r\n--b\r\nContent-Type: text/plain\r\n\r\n{RECORD}\r\n--b--\r\n");
    assert_eq!(mail(head, &whole).records.len(), 1);
    assert!(mail(head, &whole).fault.is_none());
    assert!(mail(head, whole.trim_end().trim_end_matches("--b--")).fault.is_some());
    assert!(mail("Content-Type: multipart/mixed", &whole).fault.is_some());
    // A line that only begins like the boundary does not separate parts.
    assert_eq!(mail(head, &whole.replace("hello", "--bb")).text.unwrap().text, "--bb");
}

#[test]
fn depth_and_number_of_parts_are_capped() {
    let message = "Content-Type: message/rfc822\n\n".repeat(100_000) + "Subject: inmost\n\nx";
    assert!(read(message.as_bytes()).fault.unwrap().contains("deep"));
    let many = "--b\n\nx\n".repeat(100_000) + "--b--\n";
    let fault = mail("Content-Type: multipart/mixed; boundary=b", &many).fault;
    assert!(fault.unwrap().contains("parts"));
    let long = "X-Long: x\n".repeat(20_000);
    assert!(mail(&long, "").fault.unwrap().contains("header"));
}

#[test]
fn the_text_is_the_senders_own() {
    let parts = |inner: &str| mail("Content-Type: multipart/mixed; boundary=b", &format!("--b\n{inner}\n--b--\n"));
    let html = "Content-Type: text/html\n\n<p>c4-c5</p><blockquote>d4-d5</blockquote>";
    let text = parts(html).text.unwrap();
    assert_eq!((own_lines(&text), text.form), (vec!["c4-c5".to_owned()], Form::Html));
    let gmail = "Content-Type: text/html\n\n<div>c4-c5</div><div class=\"gmail_quote\">On x wrote: d4-d5</div>";
    assert_eq!(own_lines(&parts(gmail).text.unwrap()), ["c4-c5"]);
    // The plain text is preferred, wherever it is.
    let both = format!("{html}\n--b\nContent-Type: text/plain; format=flowed\n\nb4-b5");
    let text = parts(&both).text.unwrap();
    assert_eq!((text.text.as_str(), text.form), ("b4-b5", Form::Flowed(false)));
    // An attached message was written by someone else.
    for attached in [
        "Content-Type: text/plain; name=notes.txt\n\nc4-c5",
        "Content-Disposition: inline; filename=\"n.txt\"\n\nc4-c5",
    ] {
        assert_eq!(parts(attached).text, None, "{attached}");
    }
    for attached in ["Content-Disposition: attachment\n\nc4-c5", "Content-Type: message/rfc822\n\nSubject: x\n\nc4-c5"]
    {
        assert_eq!(parts(attached).text, None, "{attached}");
    }
}

#[test]
fn a_saved_record_is_reported_as_not_being_a_message() {
    for record in ["---\npbem: 1\n---\n", "---\r\npbem: 1\r\n---\r\n"] {
        let mail = read(record.as_bytes());
        assert!(mail.records.is_empty(), "{record:?}");
        assert!(mail.fault.is_some_and(|fault| fault.starts_with("it is a record, not a message")), "{record:?}");
    }
}
