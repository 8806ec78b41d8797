//! The referee for Python: functions that take records as bytes and return plain objects, of which the package's own classes are
//! made. Nothing is kept between calls, and while the referee works other threads of Python run.

#![forbid(unsafe_code)]

use postrider_referee::desk::export::{EntryRow, MOST_BYTES, Wanted, rows_within};
use postrider_referee::verdict::is_practice;
use postrider_requests as interface;
use postrider_requests::{Begin, Look, Request, Try};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;
use pythonize::{depythonize, pythonize};

/// What is passed back.
type Answer<'py> = PyResult<Bound<'py, PyAny>>;

/// Asks the referee, without holding up other threads.
fn asked<'py>(py: Python<'py>, request: Request) -> Answer<'py> {
    let answer = py.detach(|| interface::answer(request)).map_err(PyValueError::new_err)?;
    match answer["error"].as_str() {
        Some(error) => Err(PyValueError::new_err(error.to_owned())),
        None => Ok(pythonize(py, &answer)?),
    }
}

/// Returns the games and their options.
#[pyfunction]
fn about(py: Python<'_>) -> Answer<'_> {
    asked(py, Request::About)
}

/// Returns the text of a rule or of a rulebook.
#[pyfunction]
fn rule(py: Python<'_>, book: String, number: Option<String>) -> Answer<'_> {
    asked(py, Request::Rule { book, number })
}

/// Begins a record.
#[pyfunction]
fn begin<'py>(py: Python<'py>, game: &Bound<'py, PyDict>) -> Answer<'py> {
    let game: Begin = depythonize(game)?;
    asked(py, Request::Begin(game))
}

/// Returns the verdict on a record, with excerpts of what is wrong.
#[pyfunction]
fn verify<'py>(py: Python<'py>, record: &[u8]) -> Answer<'py> {
    let answer = py.detach(|| interface::judged(record, &postrider_referee::verdict::verify(record)));
    Ok(pythonize(py, &answer)?)
}

/// Returns the verdicts on some records, while other threads judge others.
#[pyfunction]
fn verify_some<'py>(py: Python<'py>, records: Vec<PyBackedBytes>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let answers = py.detach(|| {
        let judge = |record: &PyBackedBytes| interface::judged(record, &postrider_referee::verdict::verify(record));
        records.iter().map(judge).collect::<Vec<_>>()
    });
    answers.iter().map(|answer| Ok(pythonize(py, answer)?)).collect()
}

/// Returns a record with its entries, and how the game stands.
#[pyfunction]
fn open(py: Python<'_>, record: String, at: Option<u32>) -> Answer<'_> {
    asked(py, Request::Open { record, at })
}

/// Returns what may be entered next, or in the place of a refused entry.
#[pyfunction]
fn moves(py: Python<'_>, record: String, at: Option<u32>) -> Answer<'_> {
    asked(py, Request::Moves { record, at })
}

/// Returns what may follow the beginning of an entry.
#[pyfunction]
fn next(py: Python<'_>, record: String, begun: String, seed: u32, at: Option<u32>) -> Answer<'_> {
    asked(py, Request::Next { record, begun, seed, at })
}

/// Returns a position as a picture, in words and as a line.
#[pyfunction]
fn position(
    py: Python<'_>,
    record: String,
    at: Option<u32>,
    begun: String,
    seen_from: Option<String>,
    look: Option<String>,
) -> Answer<'_> {
    asked(py, Request::Position(Look { record, at, begun, from: seen_from, mark: None, look }))
}

/// Judges an entry.
#[pyfunction]
fn judge(py: Python<'_>, record: String, typed: String, message: Option<String>, time: Option<String>) -> Answer<'_> {
    asked(py, Request::Judge(Try { record, typed, message, time }))
}

/// Judges an entry and adds it to the record.
#[pyfunction]
fn append(py: Python<'_>, record: String, typed: String, message: Option<String>, time: Option<String>) -> Answer<'_> {
    asked(py, Request::Append(Try { record, typed, message, time }))
}

/// Returns a record as rows: of the game and of its entries, and whether it is a practice game.
#[pyfunction]
fn export<'py>(
    py: Python<'py>,
    record: &[u8],
    path: Option<&str>,
    entries: bool,
    positions: bool,
    addresses: bool,
) -> Answer<'py> {
    let wanted = Wanted { addresses, entries: entries || positions, positions, proof: false };
    let (rows, entries, practice) = py.detach(|| {
        let mut list: Vec<EntryRow> = Vec::new();
        let rows = rows_within(MOST_BYTES, path, record, wanted, |row| {
            list.push(row);
            true
        });
        (rows, list, is_practice(record))
    });
    let answer = PyDict::new(py);
    answer.set_item("game", pythonize(py, &rows.game)?)?;
    answer.set_item("entries", pythonize(py, &entries)?)?;
    answer.set_item("practice", practice)?;
    Ok(answer.into_any())
}

/// The functions that the package `postrider` calls.
#[pymodule]
mod _referee {
    #[pymodule_export]
    use super::{about, append, begin, export, judge, moves, next, open, position, rule, verify, verify_some};
}
