pub use std::io::{self, Read};

use crate::files::GROWING;
use crate::files::{one, path};
use postrider_home::receive::inbox::*;
use postrider_home::receive::received::Mark;
use postrider_mail::incoming::MAX_MESSAGE;

/// Collects what it takes.
#[derive(Default)]
struct Pile {
    known: Vec<Mark>,
    taken: Vec<(String, Vec<u8>)>,
    again: bool,
    passed: Vec<String>,
}

impl Taker for Pile {
    type Stop = InboxError;

    fn knows(&self, mark: &Mark) -> bool {
        !self.again && self.known.contains(mark)
    }

    fn take(&mut self, place: &str, mark: Option<Mark>, message: &[u8]) -> Result<(), InboxError> {
        self.known.extend(mark);
        self.taken.push((place.to_owned(), message.to_vec()));
        Ok(())
    }

    fn pass(&mut self, fault: &InboxError) {
        self.passed.push(fault.to_string());
    }
}

fn texts(pile: &Pile) -> Vec<String> {
    pile.taken.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect()
}

#[test]
fn an_mbox_is_split_into_messages_and_unescaped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mbox");
    std::fs::write(
        &file,
        "From a@b Sat Nov 21 10:00:00 2026\nSubject: 1\n\n>From here\n>>From there\n> From\nFrom line without a gap\n\nFrom c@d \
         Sat Nov 21 10:00:00 2026\r\nSubject: 2\r\n\r\nx\r\n",
    )
    .unwrap();
    let mut pile = Pile::default();
    path(&file, &mut pile).unwrap();
    assert_eq!(
        texts(&pile),
        ["Subject: 1\n\nFrom here\n>From there\n> From\nFrom line without a gap\n", "Subject: 2\r\n\r\nx\r\n"]
    );
    assert!(pile.taken[1].0.ends_with("mbox, message 2"));
    path(&file, &mut pile).unwrap();
    assert_eq!(pile.taken.len(), 2, "what is known is not taken again");
}

#[test]
fn a_single_message_loses_only_the_delivery_agents_line() {
    let mut pile = Pile::default();
    one(&b"From a@b Sat Nov 21 10:00:00 2026\nSubject: 1\n\nFrom x\n"[..], "standard input", &mut pile).unwrap();
    assert_eq!(texts(&pile), ["Subject: 1\n\nFrom x\n"]);
}

#[test]
fn a_message_that_is_too_large_is_cut_and_the_rest_skipped() {
    let line = [b'x'; 1 << 20];
    let endless = std::iter::repeat_n(&line[..], 40)
        .fold(Box::new(io::empty()) as Box<dyn Read>, |chain, part| Box::new(chain.chain(part)) as Box<dyn Read>);
    let mut pile = Pile::default();
    one(endless, "standard input", &mut pile).unwrap();
    assert_eq!(pile.taken[0].1.len(), MAX_MESSAGE + 1);
}

#[test]
fn a_maildir_is_read_and_left_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["new", "cur", "tmp"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    for (name, text) in [
        ("new/2.x.host", "two"),
        ("cur/1.x.host:2,S", "one"),
        ("cur/3.x.host:2,ST", "dustbin"),
        ("cur/4.x.host:2,D", "draft"),
        ("new/.hidden", "hidden"),
        ("tmp/5.x.host", "not there yet"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let mut pile = Pile::default();
    path(folder.path(), &mut pile).unwrap();
    assert_eq!(texts(&pile), ["one", "two"]);
    // After a mail program has shown it, it is still the same message.
    std::fs::rename(folder.path().join("new/2.x.host"), folder.path().join("cur/2.x.host:2,S")).unwrap();
    path(folder.path(), &mut pile).unwrap();
    assert_eq!(pile.taken.len(), 2);
    pile.again = true;
    path(folder.path(), &mut pile).unwrap();
    assert_eq!(pile.taken.len(), 4);
    let none = folder.path().join("tmp");
    assert!(matches!(path(&none, &mut pile), Err(InboxError::NoMaildir(_))));
}

#[cfg(unix)]
#[test]
fn a_message_that_cannot_be_read_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("new");
    std::fs::create_dir(&new).unwrap();
    std::os::unix::fs::symlink("1.\u{1b}loop", new.join("1.\u{1b}loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", new.join("2.dangling")).unwrap();
    std::fs::write(new.join("3.message"), "Subject: 3\n\nx\n").unwrap();
    let mut pile = Pile::default();
    path(folder.path(), &mut pile).unwrap();
    assert_eq!(texts(&pile), ["Subject: 3\n\nx\n"]);
    assert!(pile.passed.len() == 1 && pile.passed[0].contains("1.\\u{1b}loop cannot be read"), "{:?}", pile.passed);
}

#[test]
fn an_unfinished_last_message_of_a_growing_mbox_is_left_for_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mbox");
    let first = "From a@b Sat Nov 21 10:00:00 2026\nSubject: 1\n\nx\n\n";
    let second = "From a@b Sat Nov 21 10:00:00 2026\nSubject: 2\nContent-Type: multipart/mixed; Boundary=\"=_1\"\n\n--=_1\n\nx\n\
                  --=_1--\n";
    let whole = format!("{first}{second}\n");
    for cut in first.len() + 5..whole.len() {
        let mut pile = Pile::default();
        std::fs::write(&file, &whole[..cut]).unwrap();
        path(&file, &mut pile).unwrap();
        // The last line end may be missing: an empty line is not needed behind a message that is closed.
        let finished = cut >= first.len() + second.len();
        // Until the line between them is whole, and a header line stands below it, it could be a line of the first message.
        let parted = whole[..cut].contains("2026\nSubject: 2")
            || (whole[..cut].ends_with("2026") || whole[..cut].ends_with("2026\n"));
        let counts = (pile.taken.len(), pile.passed.len());
        assert!(
            if finished { counts == (2, 0) } else { counts.1 == 1 && counts.0 <= 1 },
            "{cut}: {counts:?} {:?}",
            pile.passed
        );
        if !finished {
            let number = counts.0 + 1;
            assert!(
                pile.passed[0].contains(&format!("mbox, message {number}: it ends in the middle")),
                "{:?}",
                pile.passed
            );
            assert!(!parted || number == 2, "{cut}: {:?}", pile.passed);
        }
        std::fs::write(&file, &whole).unwrap();
        path(&file, &mut pile).unwrap();
        assert_eq!(texts(&pile).len(), 2, "{cut}: each is taken once");
    }
    // What nobody has written to for long is all there is.
    std::fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    let then = std::time::SystemTime::now() - GROWING * 2;
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(then).unwrap();
    let mut pile = Pile::default();
    path(&file, &mut pile).unwrap();
    assert_eq!((pile.taken.len(), pile.passed.len()), (2, 0));
}

/// The messages of an mbox with this text, twice: nobody reads one again.
fn split(mbox: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mbox");
    std::fs::write(&file, mbox).unwrap();
    let mut pile = Pile::default();
    path(&file, &mut pile).unwrap();
    path(&file, &mut pile).unwrap();
    assert!(pile.passed.is_empty(), "{:?}", pile.passed);
    texts(&pile)
}

#[test]
fn an_mbox_without_empty_lines_between_its_messages_is_split() {
    for mark in ["From - Mon Nov 23 08:00:00 2026", "From a@b Mon Nov 23 08:00:00 +0000 2026"] {
        let mbox =
            format!("{mark}\nX-Mozilla-Status: 0001\n\nhello\n{mark}\nSubject: 2\n\nc4-c5\n{mark}\nSubject: 3\n\n\n");
        assert_eq!(split(&mbox), ["X-Mozilla-Status: 0001\n\nhello\n", "Subject: 2\n\nc4-c5\n", "Subject: 3\n\n"]);
    }
}

#[test]
fn a_sentence_that_begins_with_from_does_not_end_a_message_of_an_mbox() {
    let mark = "From a@b Mon Nov 23 08:00:00 2026";
    let one = "Subject: 1\n\nHi!\n\nFrom here on it is hard.\n\nFrom Monday, 23 Nov 2026 at 10:00 I am away\nc4-c5\n";
    assert_eq!(split(&format!("{mark}\n{one}\n{mark}\nSubject: 2\n\nx\n")), [one, "Subject: 2\n\nx\n"]);
}

#[test]
fn the_length_that_an_mbox_names_is_believed_where_a_message_ends_there() {
    let mark = "From a@b Mon Nov 23 08:00:00 2026";
    let body = "Hi!\n\nFrom a@b Mon Nov 23 08:00:00 2026\nFrom: eve@example.org\n\n>From me\nc4-c5\n";
    let (length, last) = (body.len(), format!("{mark}\nSubject: 2\n\nx\n"));
    let one = |length: usize| format!("Subject: 1\nContent-Length: {length}\n\n{body}");
    for gap in ["", "\n", "\n\n"] {
        assert_eq!(
            split(&format!("{mark}\n{}{gap}{last}", one(length))),
            [one(length), "Subject: 2\n\nx\n".to_owned()],
            "{gap:?}"
        );
        assert_eq!(split(&format!("{mark}\n{}{gap}", one(length))), [one(length)], "{gap:?}");
    }
    // Without the last line end, which belongs to the mailbox as well.
    assert_eq!(split(&format!("{mark}\n{}{last}", one(length - 1)))[0], one(length - 1));
    assert_eq!(split(&format!("{mark}\nContent-Length: 0\n\n\n{last}"))[0], "Content-Length: 0\n\n");
    // Any other length is wrong: too short, too long, longer than the mailbox, no number.
    for wrong in ["3", "4", "85", "9999", "99999999999", "-1", "x"] {
        let text = format!("{mark}\nSubject: 1\nContent-Length: {wrong}\n\nHi!\n>From me\n\n{last}");
        let first = format!("Subject: 1\nContent-Length: {wrong}\n\nHi!\nFrom me\n");
        assert_eq!(split(&text), [first, "Subject: 2\n\nx\n".to_owned()], "{wrong}");
    }
    // A length that reaches to the end of a later message hides none: what lies between is escaped otherwise.
    let text = format!("{mark}\nSubject: 1\nContent-Length: 4\n\nHi!\n\n{last}");
    assert_eq!(split(&text), ["Subject: 1\nContent-Length: 4\n\nHi!\n", "Subject: 2\n\nx\n"]);
}

#[test]
fn an_endless_input_ends() {
    let mut pile = Pile::default();
    one(io::repeat(b'x'), "standard input", &mut pile).unwrap();
    assert_eq!(pile.taken[0].1.len(), MAX_MESSAGE + 1);
}
