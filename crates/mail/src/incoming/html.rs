//! The text of an HTML document as its writer sees it: without what is hidden, struck out or quoted. In place of a
//! quotation there is a line that begins with `>`, as in plain text.

use mail_parser::decoders::html::html_to_text;

/// How deep elements are followed; deeper ones count as part of the one that contains them.
const MAX_OPEN: usize = 500;
/// The longest tag in which quotes are respected, in characters.
const LONGEST_TAG: usize = 4096;
/// Elements without an end tag.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
/// Elements that are not shown, or not as text.
const UNSEEN: &[&str] = &[
    "head", "title", "style", "script", "template", "object", "svg", "select", "textarea", "noframes", "xml", "s",
    "del", "strike", "o:p",
];
/// Elements whose content is not markup.
const RAW: &[&str] = &["title", "style", "script", "textarea", "xml"];
/// Elements that begin on a new line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "blockquote",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "li",
    "main",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
];
/// Classes and ids that mail programs give to quotations.
const QUOTES: &[&str] = &[
    "gmail_attr",
    "yahoo_quoted",
    "protonmail_quote",
    "tutanota_quote",
    "zmail_extra",
    "moz-cite-prefix",
    "moz-email-headers-table",
    "quote-pgp",
    "x-apple-quote",
    "mail_android_quote",
    "replied_message",
    "mailbox_quote",
    "cite",
];
/// Classes, ids and styles that mark the beginning of a quotation that runs to the end.
const ENDS: &[&str] = &[
    "appendonsend",
    "divrplyfwdmsg",
    "reference-message-container",
    "ms-outlook-mobile-reference-message",
    "moz-forward-container",
    "outlookmessageheader",
    "border-top:solid",
    "border:none;border-top",
    "mail-editor-reference-message",
];
/// Styles that hide an element.
const HIDING: &[&str] = &[
    "display:none",
    "visibility:hidden",
    "visibility:collapse",
    "mso-hide:",
    "line-through",
    "color:transparent",
    "text-indent:-",
    "left:-9",
    "top:-9",
];
/// What stands in place of a quotation: a line of it, so that what names its writer above stands above quoted text.
const QUOTATION: &str = "<br>&gt; ...<br>";
/// Sizes of zero, unless another digit follows.
const NOTHING: &[&str] =
    &["font-size:0", "max-height:0", "max-width:0", "opacity:0", ";height:0", "\"height:0", ";width:0", "\"width:0"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Yes,
    No,
}

/// Returns the visible text.
pub(super) fn visible_text(html: &str) -> String {
    let mut shown = String::with_capacity(html.len());
    let mut open: Vec<(String, Seen)> = Vec::new();
    let last_quotation = html.to_ascii_lowercase().rfind("<blockquote").unwrap_or(0);
    let mut rest = html;
    while !rest.is_empty() {
        let at = rest.find('<').unwrap_or(rest.len());
        let (text, behind) = rest.split_at(at);
        let is_seen = open.iter().all(|(_, seen)| *seen == Seen::Yes);
        if is_seen {
            let is_laid_out = open.iter().any(|(name, _)| name == "pre");
            shown.push_str(&text.replace('\n', if is_laid_out { "<br>" } else { " " }));
        }
        if behind.is_empty() {
            break;
        }
        if let Some(comment) = behind.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| comment.get(end + 3..).unwrap_or_default());
            continue;
        }
        let Some(end) = end_of_tag(behind) else {
            // There is no further tag.
            if is_seen {
                shown.push_str(&behind.replace('<', "&lt;"));
            }
            break;
        };
        let (tag, behind) = behind.split_at(end);
        rest = behind;
        let tag = tag.trim_start_matches('<').trim_end_matches('>').to_lowercase();
        let (is_end, tag) = tag.strip_prefix('/').map_or((false, tag.as_str()), |tag| (true, tag));
        let name: String = tag.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == ':').collect();
        if name.is_empty() {
            // A bracket in the text: an arrow, or a declaration.
            if is_seen && !tag.starts_with(['!', '?']) {
                shown.push_str("&lt;");
                shown.push_str(tag);
            }
            continue;
        }
        if is_seen && (BLOCKS.contains(&name.as_str()) || name == "br") {
            shown.push_str("<br>");
        } else if is_seen && name == "td" {
            shown.push(' ');
        }
        if is_end {
            if let Some(at) = open.iter().rposition(|(other, _)| *other == name) {
                open.truncate(at);
            }
            continue;
        }
        let attributes = tag.get(name.len()..).unwrap_or_default();
        let dense: String = attributes.chars().filter(|c| !c.is_whitespace()).collect();
        if is_seen && (name == "hr" || ENDS.iter().any(|mark| dense.contains(mark))) {
            break;
        }
        if VOID.contains(&name.as_str()) || tag.ends_with('/') {
            continue;
        }
        if RAW.contains(&name.as_str()) {
            let ends = |at: &usize| {
                rest.get(at + 2..at + 2 + name.len()).is_some_and(|other| other.eq_ignore_ascii_case(&name))
            };
            let end = rest.match_indices("</").map(|(at, _)| at).find(ends);
            rest = end.map_or("", |at| rest.get(at..).unwrap_or_default());
        }
        // In Gmail, what is between two quotations of one reply is in the same element.
        let is_quote = name == "blockquote"
            || QUOTES.iter().any(|mark| dense.contains(mark))
            || (dense.contains("gmail_quote") && last_quotation < html.len() - rest.len());
        if is_quote && is_seen {
            shown.push_str(QUOTATION);
        }
        let unseen = is_quote || UNSEEN.contains(&name.as_str()) || is_hidden(attributes, &dense);
        if open.len() < MAX_OPEN {
            open.push((name, if unseen { Seen::No } else { Seen::Yes }));
        }
    }
    html_to_text(&shown)
}

/// Returns the length of the tag at the beginning of a text; a `>` in quotes does not end it.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices().take(LONGEST_TAG) {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if text.get(..at).is_some_and(|before| before.ends_with('=')) => quote = Some(c),
            (None, '>') => return Some(at + 1),
            _ => {}
        }
    }
    // A quote that is never closed.
    text.find('>').map(|at| at + 1)
}

fn is_hidden(attributes: &str, dense: &str) -> bool {
    // The attribute itself, and not a word in the value of another one.
    let mut outside = String::new();
    let mut quoted = None;
    for c in attributes.chars() {
        match (quoted, c) {
            (Some(open), c) if c == open => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quoted = Some(c),
            (None, c) => outside.push(c),
        }
    }
    let is_marked = outside.split_whitespace().any(|word| word == "hidden" || word.starts_with("hidden="));
    let is_nothing = |size: &&str| {
        dense.match_indices(*size).any(|(at, _)| {
            let behind = dense.get(at + size.len()..).unwrap_or_default();
            let number = behind.trim_start_matches(['0', '.']);
            !number.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    is_marked || HIDING.iter().any(|style| dense.contains(style)) || NOTHING.iter().any(is_nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(html: &str) -> String {
        visible_text(html).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hidden_text_is_not_read() {
        for hidden in [
            "<p hidden>d4-d5</p>",
            "<p style='visibility: hidden'>d4-d5</p>",
            "<span style=\"font-size:0\">d4-d5</span>",
            "<span style=\"FONT-SIZE: 0px; color: red\">d4-d5</span>",
            "<span style=\"mso-hide:all\">d4-d5</span>",
            "<div style=\"display:none\">a<div>b</div>d4-d5</div>",
            "<div style=\"max-height:0;overflow:hidden\">d4-d5</div>",
            "<span style='opacity:0.0'>d4-d5</span>",
            "<s>d4-d5</s>",
            "<del>d4-d5</del>",
            "<!-- d4-d5 -->",
            "<!--[if mso]><p>d4-d5</p><![endif]-->",
            "<script>if (1 < 2) d4-d5</script>",
            "<style>d4-d5</style>",
        ] {
            assert_eq!(
                words(&format!("<html><head><title>d4-d5</title></head><body>{hidden}<p>c4-c5</p>")),
                "c4-c5",
                "{hidden}"
            );
        }
        for seen in [
            "<p style='font-size:0.9em'>c4-c5</p>",
            "<p class=hidden-xs style='opacity:0.8'>c4-c5",
            "<p title='hidden'>c4-c5",
        ] {
            assert_eq!(words(seen), "c4-c5", "{seen}");
        }
    }

    #[test]
    fn quotations_leave_a_mark_and_the_text_after_them_is_read() {
        assert_eq!(
            words("<p>On Monday Bram wrote:</p><blockquote>d4-d5<blockquote>x</blockquote></blockquote>c4-c5"),
            "On Monday Bram wrote: > ... c4-c5"
        );
        assert_eq!(words("c4-c5<hr><b>From:</b> Bram<br>d4-d5"), "c4-c5");
        assert_eq!(words("<div>c4-c5</div><div id=\"divRplyFwdMsg\">d4-d5"), "c4-c5");
        let gmail = "<div class=gmail_quote><div class=gmail_attr>On x:</div><blockquote class=gmail_quote>d4-d5</blockquote><div>c4-c5</div></div>";
        assert_eq!(words(gmail), "> ... > ... c4-c5");
    }

    #[test]
    fn parsing_odd_markup_ends() {
        for html in ["<", "<a", "<p title='>", "</", "a < b > c4-c5", "<![CDATA[", &"<div>".repeat(2000), "<b/>", "<>"]
        {
            let _ = visible_text(html);
        }
        assert_eq!(words("3 < 4 c4-c5"), "3 < 4 c4-c5");
    }
}
