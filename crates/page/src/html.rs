//! Markup. Whatever comes from a record, a file name or a message goes through [`Html::text`] and can only become text;
//! anything written verbatim must be part of this program.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use data_encoding::BASE64;

use postrider_board::picture::escaped;
use postrider_kernel::text::printable;

/// A piece of a page.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Adds markup that is part of this program.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds text, in an element or inside the quotes of an attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        // Characters that control a terminal or change the direction of writing are shown as their numbers here too.
        for (nth, line) in text.split('\n').enumerate() {
            if nth > 0 {
                self.0.push('\n');
            }
            self.0.push_str(&escaped(&printable(line)));
        }
        self
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: impl Into<i64>) -> &mut Self {
        self.0.push_str(&number.into().to_string());
        self
    }

    /// Adds bytes as base64, whose characters have no meaning in markup.
    pub(super) fn base64(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.push_str(&BASE64.encode(bytes));
        self
    }

    /// Adds the address of a text file that is inside the page: percent-encoded where that is shorter, as it is for most records, or
    /// else in base64. Spaces stay as they are, which browsers keep; an `@` does not, so that collectors of mail addresses find none.
    pub(super) fn text_file(&mut self, bytes: &[u8]) -> &mut Self {
        const KEPT: [bool; 256] = {
            let (mut kept, mut byte) = ([false; 256], 0_u8);
            let others = b" -_.~!$*+,;:=?/()";
            while byte < 128 {
                kept[byte as usize] = byte.is_ascii_alphanumeric();
                byte += 1;
            }
            let mut nth = 0;
            while nth < others.len() {
                kept[others[nth] as usize] = true;
                nth += 1;
            }
            kept
        };
        let kept = |byte: u8| KEPT[usize::from(byte)];
        let length = bytes.len() + 2 * bytes.iter().filter(|&&byte| !kept(byte)).count();
        // A space at the end would be cut off.
        if length > bytes.len().div_ceil(3) * 4 || bytes.ends_with(b" ") {
            return self.raw("data:text/plain;charset=utf-8;base64,").base64(bytes);
        }
        self.raw("data:text/plain;charset=utf-8,");
        self.0.reserve(length);
        let mut rest = bytes;
        while !rest.is_empty() {
            let plain = rest.iter().position(|&byte| !kept(byte)).unwrap_or(rest.len());
            let (before, behind) = rest.split_at(plain);
            // What is kept is ASCII.
            self.0.push_str(std::str::from_utf8(before).unwrap_or_default());
            rest = behind;
            if let [byte, behind @ ..] = rest {
                self.0.push('%');
                self.0.extend([byte >> 4, byte & 15].map(|digit| char::from(b"0123456789ABCDEF"[usize::from(digit)])));
                rest = behind;
            }
        }
        self
    }

    /// Adds drawings: elements of SVG whose attributes are this program's words and numbers, and whose texts are escaped.
    pub(super) fn drawn(&mut self, svg: &str) -> &mut Self {
        self.0.push_str(svg);
        self
    }

    /// Adds a style sheet or a script of this program.
    pub(super) fn own(&mut self, code: &str) -> &mut Self {
        self.0.push_str(code);
        self
    }

    /// Adds another piece.
    pub(super) fn add(&mut self, other: Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }

    /// Finds which classes elements have together, as far as all of them are `known`, each with its rule. Returns a short class for each
    /// combination, and the style sheet of these.
    pub(super) fn combined(&self, known: &BTreeMap<String, String>) -> (BTreeMap<String, String>, String) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for value in self.0.split(" class=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            if value.split(' ').all(|class| known.contains_key(class)) {
                *counts.entry(value).or_default() += 1;
            }
        }
        let mut values: Vec<(&str, usize)> = counts.into_iter().collect();
        values.sort_by_key(|(value, count)| (Reverse(*count), *value));
        let (mut classes, mut style) = (BTreeMap::new(), String::new());
        // No other class begins with a capital.
        let names = (0_u32..).flat_map(|round| {
            ('A'..='Z').map(move |letter| if round == 0 { letter.to_string() } else { format!("{letter}{round}") })
        });
        for (class, (value, _)) in names.zip(values) {
            let rules: Vec<&str> = value.split(' ').filter_map(|class| known.get(class)).map(String::as_str).collect();
            let _ = write!(style, ".{class}{{{}}}", rules.join(";"));
            classes.insert(value.to_owned(), class);
        }
        (classes, style)
    }

    /// Leaves out the quotes around values that need none, writes coordinates with commas instead of spaces so that they need none, and
    /// replaces combinations of classes ([`Html::combined`]). Every `<` in markup begins an element, and no value contains a quote,
    /// because [`Html::text`] escapes both.
    pub(super) fn unquoted(self, classes: &BTreeMap<String, String>) -> Self {
        let mut out = String::with_capacity(self.0.len());
        let mut rest = self.0.as_str();
        while let Some((text, tag)) = rest.split_once('<') {
            out.push_str(text);
            out.push('<');
            rest = element(tag, classes, &mut out);
        }
        out.push_str(rest);
        Self(out)
    }
}

/// Writes an element, from behind its `<`, without needless quotes; returns what follows its values.
fn element<'a>(tag: &'a str, classes: &BTreeMap<String, String>, out: &mut String) -> &'a str {
    let mut rest = tag;
    loop {
        let Some(at) = rest.find(['"', '>']) else { return rest };
        let (head, tail) = rest.split_at(at);
        let value = tail.strip_prefix('"').and_then(|tail| tail.split_once('"'));
        let Some((value, after)) = value else { return rest };
        out.push_str(head);
        let coordinates = [" d=", " viewBox="].iter().any(|name| head.ends_with(name));
        let class = if head.ends_with(" class=") { classes.get(value) } else { None };
        let value = match class {
            Some(class) => class.clone(),
            None if coordinates => value.replace(' ', ","),
            None => value.to_owned(),
        };
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"#.,:;-_()".contains(&byte)) {
            out.push_str(&value);
            // A slash would belong to the value.
            if after.starts_with('/') {
                out.push(' ');
            }
        } else {
            let _ = write!(out, "\"{value}\"");
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_left_out_where_nothing_changes_without_them() {
        let unquoted = |markup: &'static str| {
            let mut html = Html::default();
            html.raw(markup);
            html.unquoted(&BTreeMap::new()).into_string()
        };
        assert_eq!(
            unquoted("<a href=\"#e1\" class=\"b c\">\"x\" = <b id=\"y\">1</b></a>"),
            "<a href=#e1 class=\"b c\">\"x\" = <b id=y>1</b></a>"
        );
        assert_eq!(
            unquoted(
                "<svg viewBox=\"0 0 9 9\"><path class=\"fa k2\" d=\"m1 2l-3 4z\"/><use href=\"#A\"/><p title=\"\">"
            ),
            "<svg viewBox=0,0,9,9><path class=\"fa k2\" d=m1,2l-3,4z /><use href=#A /><p title=\"\">"
        );
        let mut html = Html::default();
        html.raw("<p title=\"").text("a\"b>c d=\"1 2\" `'=").raw("\">").text("<p id=\"x\">");
        assert_eq!(
            html.unquoted(&BTreeMap::new()).into_string(),
            "<p title=\"a&quot;b&gt;c d=&quot;1 2&quot; `'=\">&lt;p id=&quot;x&quot;&gt;"
        );
    }

    #[test]
    fn classes_that_elements_have_together_become_one() {
        let rule = |class: &str, rule: &str| (class.to_owned(), rule.to_owned());
        let known = BTreeMap::from([rule("fa", "fill:red"), rule("k2", "stroke-width:2")]);
        let mut html = Html::default();
        html.raw("<p class=\"fa\"><b class=\"fa k2\"/><i class=\"fa k2\"/><u class=\"fa when\">").text("class=\"fa\"");
        let (classes, style) = html.combined(&known);
        assert_eq!(style, ".A{fill:red;stroke-width:2}.B{fill:red}");
        assert_eq!(
            html.unquoted(&classes).into_string(),
            "<p class=B><b class=A /><i class=A /><u class=\"fa when\">class=&quot;fa&quot;"
        );
    }

    #[test]
    fn a_file_inside_a_page_is_percent_encoded_or_in_base64() {
        let file = |text: &str| {
            let mut html = Html::default();
            html.text_file(text.as_bytes());
            html.into_string()
        };
        assert_eq!(
            file("email: ada@example.org\n1 besiegers c4-c5; huff d6; c5-c6 {\"a\" <b>&#%}\n"),
            "data:text/plain;charset=utf-8,email: ada%40example.org%0A1 besiegers c4-c5; huff d6; c5-c6 %7B%22a%22 %3Cb%3E%26%23%25%7D%0A"
        );
        assert_eq!(file("\u{20ac}\u{20ac}"), "data:text/plain;charset=utf-8;base64,4oKs4oKs");
        assert_eq!(file("abc "), "data:text/plain;charset=utf-8;base64,YWJjIA==");
    }

    #[test]
    fn text_is_never_markup() {
        let mut html = Html::default();
        html.raw("<p title=\"").text("\" onload=\"x").raw("\">").text("</p><script>\u{202e}&\u{7}").raw("</p>");
        assert_eq!(
            html.into_string(),
            "<p title=\"&quot; onload=&quot;x\">&lt;/p&gt;&lt;script&gt;\\u{202e}&amp;\\u{7}</p>"
        );
    }
}
