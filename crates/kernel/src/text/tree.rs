//! Structured text (a header, a list of cards) as a tree of texts with their places, whichever reader produced it.

use std::borrow::Cow;

use super::Span;

/// A value and its place, in bytes from the start of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// The place.
    pub span: Span,
    /// The value.
    pub value: Value<'a>,
}

/// The kinds of value. Every scalar is a text; its field decides what type it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A scalar.
    Text(Cow<'a, str>),
    /// Keys and values, in order.
    Map(Vec<(Node<'a>, Node<'a>)>),
    /// Values, in order.
    List(Vec<Node<'a>>),
    /// No value.
    Nothing,
}
