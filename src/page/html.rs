//! Markup. Whatever comes from a record, a file's name or a message goes through [`Html::text`] and can be nothing but text; what is
//! written as it is must be a part of this program.

use data_encoding::BASE64;

use crate::picture::escaped;
use crate::text::printable;

/// A piece of a page.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Adds markup that stands in this program.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Adds text, in an element or within the quotes of an attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        // Signs that steer a terminal, or turn the direction of what follows, are shown as their numbers here too.
        let lines: Vec<_> = text.split('\n').map(|line| escaped(&printable(line))).collect();
        self.0.push_str(&lines.join("\n"));
        self
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: impl Into<i64>) -> &mut Self {
        self.0.push_str(&number.into().to_string());
        self
    }

    /// Adds bytes as base64, whose characters mean nothing in markup.
    pub(super) fn base64(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.push_str(&BASE64.encode(bytes));
        self
    }

    /// Adds what the pictures made: paths and references, of numbers alone.
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
