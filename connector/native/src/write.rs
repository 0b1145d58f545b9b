//! How a converter writes the values of a field.

/// The ways of writing; `Python` calls the converter for each value.
#[derive(Clone, Copy, PartialEq)]
pub enum Write {
    Plain,
    Base64,
    Unscaled,
    Double,
    Float,
    Python,
}

impl Write {
    /// Returns the way of a name; an unknown one is Python's.
    pub fn named(name: Option<&str>) -> Write {
        match name {
            Some("plain") => Write::Plain,
            Some("base64") => Write::Base64,
            Some("unscaled") => Write::Unscaled,
            Some("double") => Write::Double,
            Some("float") => Write::Float,
            _ => Write::Python,
        }
    }
}
