//! Reads a YAML tree, reporting every fault at its place.

use postrider_kernel::text::{Node, Span, Value};

/// The faults found, each with its place.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<(Span, String)>);

impl Faults {
    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the faults, in the order of their places.
    #[must_use]
    pub fn into_sorted(mut self) -> Vec<(Span, String)> {
        self.0.sort_by_key(|(span, _)| *span);
        self.0
    }
}

/// Reads a tree.
pub(in crate::mission_combat) struct NodeReader<'f> {
    faults: &'f mut Faults,
}

impl<'f> NodeReader<'f> {
    pub(in crate::mission_combat) fn new(faults: &'f mut Faults) -> Self {
        Self { faults }
    }

    pub(in crate::mission_combat) fn fault(&mut self, span: Span, message: impl Into<String>) {
        self.faults.0.push((span, message.into()));
    }

    /// The values of a map in the order of `known`. Unknown or duplicate keys are faults.
    pub(in crate::mission_combat) fn fields<'n, 'a, const N: usize>(
        &mut self,
        node: &'n Node<'a>,
        known: [&'static str; N],
        of: &str,
    ) -> [Option<&'n Node<'a>>; N] {
        let mut fields = [None; N];
        let Value::Map(pairs) = &node.value else {
            self.fault(node.span, format!("{of} is a map with the fields {}", known.join(", ")));
            return fields;
        };
        for (key, value) in pairs {
            let name = if let Value::Text(name) = &key.value { name.as_ref() } else { "" };
            match known.iter().zip(&mut fields).find(|(field, _)| **field == name) {
                None => {
                    self.fault(key.span, format!("{of} has no field `{name}`; its fields are {}", known.join(", ")));
                }
                Some((_, Some(_))) => self.fault(key.span, format!("the field `{name}` appears twice")),
                Some((_, field)) => *field = Some(value),
            }
        }
        fields
    }

    /// A required field; if it is missing, the fault is at `node`.
    pub(in crate::mission_combat) fn needed<'n, 'a>(
        &mut self,
        field: Option<&'n Node<'a>>,
        node: &Node<'_>,
        name: &str,
        of: &str,
    ) -> Option<&'n Node<'a>> {
        if field.is_none() && matches!(node.value, Value::Map(_)) {
            self.fault(node.span, format!("{of} has no `{name}`"));
        }
        field
    }

    pub(in crate::mission_combat) fn list<'n, 'a>(&mut self, node: &'n Node<'a>, name: &str) -> &'n [Node<'a>] {
        if let Value::List(list) = &node.value {
            return list;
        }
        self.fault(node.span, format!("`{name}` is a list"));
        &[]
    }

    pub(in crate::mission_combat) fn text<'n>(&mut self, node: &'n Node<'_>, name: &str) -> Option<&'n str> {
        if let Value::Text(text) = &node.value {
            return Some(text);
        }
        self.fault(node.span, format!("`{name}` is a text"));
        None
    }

    /// A whole number from 1 to 999, without a leading zero.
    pub(in crate::mission_combat) fn figure(&mut self, node: &Node<'_>, name: &str) -> Option<u32> {
        let text = self.text(node, name)?;
        let spelled = !text.starts_with('0') && text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| spelled);
        if number.is_none() {
            self.fault(node.span, format!("`{name}` is a whole number from 1 to 999, not `{text}`"));
        }
        number
    }

    /// `true` or `false`; false if the field is missing.
    pub(in crate::mission_combat) fn flag(&mut self, field: Option<&Node<'_>>, name: &str) -> bool {
        let Some(node) = field else { return false };
        match self.text(node, name) {
            Some("true") => true,
            Some("false") | None => false,
            Some(text) => {
                let message = format!("`{name}` is true or false, not `{text}`");
                self.fault(node.span, message);
                false
            }
        }
    }
}
