//! Structured text (a header, a list of cards) as a tree of texts with their places, however it was read.

use std::borrow::Cow;

use super::Span;

/// A value and where it stands, in bytes from the start of the text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// The place.
    pub span: Span,
    /// The value.
    pub value: Value<'a>,
}

/// The kinds of value. Every scalar is a text: which type it has is for the field to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A scalar.
    Text(Cow<'a, str>),
    /// Keys and values, in order.
    Map(Vec<(Node<'a>, Node<'a>)>),
    /// Values, in order.
    List(Vec<Node<'a>>),
    /// No value stands there.
    Nothing,
}
