//! Reads the operations that Python names: a tuple of a name and numbers or texts.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::decimal::Groups;
use crate::decode::{Decode, DecimalForm};
use crate::format::Prepared;
use crate::temporal::{Form, Fraction};
use crate::sql_text::TextForm;
use crate::text::CharTable;

/// Returns the operation of a tuple; one that is not known, or does not fit, is Python's.
pub fn operation(named: Option<&Bound<'_, PyTuple>>, size: Option<usize>, is_text: bool) -> PyResult<Decode> {
    let Some(named) = named else {
        return Ok(Decode::Python);
    };
    let name: String = named.get_item(0)?.extract()?;
    if let Some(form) = TextForm::named(&name).filter(|_| is_text) {
        return Ok(Decode::Text(form));
    }
    let found = match name.as_str() {
        "decimal" => decimal(named, size)?,
        "datetime" => with_fraction(named, size, 5)?,
        "time" | "time-of-day" => with_fraction(named, size, 3)?,
        "timestamp" => with_fraction(named, size, 4)?,
        "table" => CharTable::new(&named.get_item(1)?.extract::<String>()?).map(Decode::Table),
        "labels" => Some(Decode::Label(texts(named)?)),
        "options" => Some(Decode::Options(texts(named)?)),
        "padded" => Some(Decode::Padded(named.get_item(1)?.extract()?)),
        name => simple(name, size),
    };
    Ok(found.unwrap_or(Decode::Python))
}

/// Returns an operation without parameters, if the column has the size that it takes.
fn simple(name: &str, size: Option<usize>) -> Option<Decode> {
    let is_integer = matches!(size, Some(1..=8));
    match name {
        "signed" if is_integer => Some(Decode::Integer { signed: true }),
        "unsigned" if is_integer => Some(Decode::Integer { signed: false }),
        "truth" if is_integer => Some(Decode::NotZero),
        "bit" => Some(Decode::Bit),
        "float" if size == Some(4) => Some(Decode::Float),
        "double" if size == Some(8) => Some(Decode::Double),
        "day" if size == Some(3) => Some(Decode::Day { iso: false }),
        "iso-day" if size == Some(3) => Some(Decode::Day { iso: true }),
        "year" if size == Some(1) => Some(Decode::Year { zero: false }),
        "year-or-zero" if size == Some(1) => Some(Decode::Year { zero: true }),
        "utf8" if size.is_none() => Some(Decode::Utf8),
        "document" if size.is_none() => Some(Decode::Document),
        "bytes" => Some(Decode::Bytes),
        "reversed" => Some(Decode::Reversed),
        "geometry" if size.is_none() => Some(Decode::Geometry),
        "point" if size.is_none() => Some(Decode::Point),
        _ => None,
    }
}

fn decimal(named: &Bound<'_, PyTuple>, size: Option<usize>) -> PyResult<Option<Decode>> {
    let (_, precision, scale, form, shown): (String, usize, usize, String, usize) =
        named.extract()?;
    let form = match form.as_str() {
        "text" => DecimalForm::Text,
        "double" => DecimalForm::Double,
        _ => DecimalForm::Unscaled,
    };
    let groups = Groups::new(precision, scale).filter(|groups| Some(groups.size()) == size);
    Ok(groups.map(|groups| Decode::Decimal { groups, scale: shown, form }))
}

fn with_fraction(
    named: &Bound<'_, PyTuple>,
    size: Option<usize>,
    whole: usize,
) -> PyResult<Option<Decode>> {
    let (name, stored, parameter): (String, usize, i64) = named.extract()?;
    let fits = |fraction: &Fraction| size == Some(whole + fraction.bits as usize / 8);
    let Some(fraction) = Fraction::new(stored).filter(fits) else {
        return Ok(None);
    };
    let a_second = matches!(parameter, 1000 | 1_000_000 | 1_000_000_000);
    Ok(match name.as_str() {
        "datetime" if parameter == 0 => Some(Decode::DateTime { fraction, form: Form::Iso }),
        "datetime" if a_second => {
            Some(Decode::DateTime { fraction, form: Form::Ticks(parameter) })
        }
        "time-of-day" => Some(Decode::TimeOfDay { fraction, iso: parameter == 0 }),
        "time" if a_second => Some(Decode::Time { fraction, a_second: parameter }),
        "timestamp" if (fraction.bits == 0 || parameter > 0) && (0..=6).contains(&parameter) => {
            Some(Decode::Timestamp { fraction, shown: parameter as usize })
        }
        _ => None,
    })
}

/// Returns the texts behind the name.
fn texts(named: &Bound<'_, PyTuple>) -> PyResult<Vec<Prepared>> {
    let labels = named.iter().skip(1);
    labels.map(|label| Ok(Prepared::new(label.cast::<PyString>()?.to_cow()?.as_ref()))).collect()
}
