//! The header as a tree of texts with their places, however it was read.

use std::borrow::Cow;

use crate::text::Span;

/// A value of the header and where it stands, in bytes from the header's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node<'a> {
    pub span: Span,
    pub value: Value<'a>,
}

/// The kinds of value. Every scalar is a text: which type it has is for the field to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Text(Cow<'a, str>),
    Map(Vec<(Node<'a>, Node<'a>)>),
    List(Vec<Node<'a>>),
    Nothing,
}
