//! Any bytes as a record.

use postrider_board::render::diagnostic::{excerpt, line};
use postrider_kernel::text::LineIndex;
use postrider_referee::verdict::{Evidence, Opened, Ruling, Verdict, evidence, format, verify, verify_newest};

/// A verdict on anything is well formed; a legal record has a canonical form, which is the same game; the newest
/// signatures are valid if all are.
pub fn envelope(data: &[u8]) {
    let verdict = verify(data);
    check(&verdict, data);
    signatures(&verdict, data);
    match format(data) {
        Ok(canonical) => {
            assert_eq!(verdict.ruling, Ruling::Legal);
            let again = verify(&canonical);
            assert_eq!(again.ruling, Ruling::Legal, "{:?} in {}", again.errors, String::from_utf8_lossy(&canonical));
            assert_eq!(
                (again.entries, again.outcome, again.due),
                (verdict.entries, verdict.outcome, verdict.due),
                "the canonical form is the same game"
            );
            assert!(
                format(&canonical).is_ok_and(|twice| twice == canonical),
                "the canonical form is already canonical"
            );
        }
        Err(refused) => {
            assert_ne!(verdict.ruling, Ruling::Legal, "a legal record has a canonical form");
            assert_eq!(refused.errors, verdict.errors);
        }
    }
}

/// Checks what is said about signatures when only the newest are checked, and about a record compared with itself.
fn signatures(verdict: &Verdict, data: &[u8]) {
    let newest = verify_newest(data);
    check(&newest, data);
    if verdict.ruling == Ruling::Legal || newest.ruling != Ruling::Legal {
        assert_eq!((newest.ruling, &newest.errors), (verdict.ruling, &verdict.errors));
        assert_eq!(newest.entries, verdict.entries);
    }
    if let Ok(found) = evidence(data, data) {
        assert_eq!(found, Evidence::None, "a record does not contradict itself");
    }
    if let (Some(_), Ok(canonical)) = (&verdict.signers, format(data)) {
        // Keys and chain are those of the original record.
        let end = |source: &[u8]| {
            let mut opened = Opened::with_chain(source).ok()?;
            opened.replay(u32::MAX);
            Some(opened.table.signatures()?.link())
        };
        assert_eq!(end(&canonical), end(data), "the canonical form has the same chain");
        assert_eq!(verify(&canonical).signers, verdict.signers);
    }
}

/// Checks that a verdict is well formed: its findings are inside the record, can be shown, and match its ruling.
pub fn check(verdict: &Verdict, source: &[u8]) {
    assert_eq!(verdict.ruling == Ruling::Legal, verdict.errors.is_empty(), "{:?}", verdict.errors);
    assert_eq!(verdict.ruling == Ruling::Illegal, verdict.errors.iter().any(|error| error.rule.is_some()));
    assert!(verdict.outcome.is_none() || verdict.due.is_none(), "nobody is due in a game that is over");
    let index = LineIndex::new(source);
    // Findings differ little: if there are very many, each is located, but only some are rendered.
    for (nth, error) in verdict.errors.iter().enumerate() {
        let (start, end) = (error.span.start as usize, error.span.end as usize);
        assert!(start <= end && end <= source.len(), "{error:?} is outside the {} bytes", source.len());
        assert!(!error.message.is_empty() && !error.message.ends_with('.'), "{error:?}");
        assert!(error.entry.is_none_or(|entry| (1..=verdict.entries + 1).contains(&entry)), "{error:?}");
        assert!(index.place(start) <= index.place(end), "{error:?}");
        if nth < 8 {
            for shown in
                [line(error, verdict.ruling.word()), excerpt(error, &index, "a.pbem", &["look".to_owned()], None)]
            {
                assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?} steers a terminal");
            }
            assert!(!line(error, "").contains('\n'));
        }
    }
    assert!(verdict.errors.is_sorted_by_key(|error| error.span.start), "findings are in the order of the text");
}
