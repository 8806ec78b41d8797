//! Rows as a Parquet file: columns with types, packed, in row groups.

use std::io::{self, Write};
use std::sync::Arc;

use chrono::{DateTime, NaiveDate};
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;

use postrider_referee::desk::export::{Column, Kind, Row, Wanted};

/// About how many bytes of rows make a row group, which is what memory holds.
const GROUP: usize = 16 << 20;
/// The most rows of a row group.
const GROUP_ROWS: usize = 128 * 1024;

/// A Parquet file that is being written.
pub struct Table<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Cells>,
    rows: usize,
    bytes: usize,
    /// The most rows of a row group.
    most: usize,
}

/// The cells of a column that wait to be written.
struct Cells {
    name: &'static str,
    kind: Kind,
    /// For each row, 1 if there is a value.
    is_there: Vec<i16>,
    texts: Vec<ByteArray>,
    numbers: Vec<i64>,
    days: Vec<i32>,
    flags: Vec<bool>,
}

impl<W: Write + Send> Table<W> {
    /// Begins a file with the columns of these rows.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn of<R: Row>(to: W, wanted: Wanted) -> io::Result<Self> {
        let is_wanted = |(name, _): &&Column| match *name {
            "first_email" | "second_email" => wanted.addresses,
            "position" => wanted.positions,
            _ => true,
        };
        let columns: Vec<Cells> = R::COLUMNS.iter().filter(is_wanted).map(Cells::of).collect();
        let of = |cells: &Cells| {
            let kind = match cells.kind {
                Kind::Text => "BYTE_ARRAY {} (UTF8)",
                Kind::Number => "INT64 {}",
                Kind::Day => "INT32 {} (DATE)",
                Kind::Time => "INT64 {} (TIMESTAMP(MILLIS,true))",
                Kind::Flag => "BOOLEAN {}",
            };
            format!("OPTIONAL {};\n", kind.replace("{}", cells.name))
        };
        let schema = format!("message rows {{\n{}}}", columns.iter().map(of).collect::<String>());
        let schema = Arc::new(parse_message_type(&schema).map_err(failed)?);
        let packed = Compression::ZSTD(ZstdLevel::try_new(3).map_err(failed)?);
        let properties = Arc::new(WriterProperties::builder().set_compression(packed).build());
        let writer = SerializedFileWriter::new(to, schema, properties).map_err(failed)?;
        Ok(Self { writer, columns, rows: 0, bytes: 0, most: GROUP_ROWS })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, row: &impl Row) -> io::Result<()> {
        let row = serde_json::to_value(row)?;
        for cells in &mut self.columns {
            self.bytes += cells.add(row.get(cells.name));
        }
        self.rows += 1;
        if self.rows >= self.most || self.bytes >= GROUP { self.group() } else { Ok(()) }
    }

    /// Writes the last rows and the end of the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.group()?;
        self.writer.close().map_err(failed)?;
        Ok(())
    }

    /// Writes the rows that wait as a row group.
    fn group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(failed)?;
        for cells in &mut self.columns {
            if let Some(mut column) = group.next_column().map_err(failed)? {
                cells.write(column.untyped()).map_err(failed)?;
                column.close().map_err(failed)?;
            }
        }
        group.close().map_err(failed)?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl Cells {
    fn of(&(name, kind): &Column) -> Self {
        let (is_there, texts, numbers, days, flags) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { name, kind, is_there, texts, numbers, days, flags }
    }

    /// Adds a cell; returns about how many bytes it takes.
    fn add(&mut self, value: Option<&Value>) -> usize {
        let text = value.and_then(Value::as_str);
        let taken = match self.kind {
            Kind::Text => text.map(|text| {
                self.texts.push(ByteArray::from(text));
                text.len()
            }),
            Kind::Number => value.and_then(Value::as_i64).map(|number| self.number(number)),
            Kind::Time => {
                let time = text.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
                time.map(|time| self.number(time.timestamp_millis()))
            }
            Kind::Day => {
                let day = text.and_then(|text| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok());
                day.map(|day| {
                    self.days.push(day.to_epoch_days());
                    0
                })
            }
            Kind::Flag => value.and_then(Value::as_bool).map(|flag| {
                self.flags.push(flag);
                0
            }),
        };
        self.is_there.push(i16::from(taken.is_some()));
        taken.unwrap_or_default() + size_of::<ByteArray>()
    }

    fn number(&mut self, number: i64) -> usize {
        self.numbers.push(number);
        0
    }

    fn write(&mut self, column: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        let there = Some(&*self.is_there);
        match column {
            ColumnWriter::ByteArrayColumnWriter(column) => column.write_batch(&self.texts, there, None)?,
            ColumnWriter::Int64ColumnWriter(column) => column.write_batch(&self.numbers, there, None)?,
            ColumnWriter::Int32ColumnWriter(column) => column.write_batch(&self.days, there, None)?,
            ColumnWriter::BoolColumnWriter(column) => column.write_batch(&self.flags, there, None)?,
            _ => return Err(ParquetError::General("a column of another type".into())),
        };
        *self = Self::of(&(self.name, self.kind));
        Ok(())
    }
}

/// The error of the system, if that is what it was.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error.to_string()),
        },
        error => io::Error::other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor as _;

    use super::*;
    use postrider_referee::desk::export::GameRow;

    #[test]
    fn what_only_the_last_of_many_rows_have_is_not_lost() {
        let mut file = tempfile::tempfile().unwrap();
        let mut table = Table::of::<GameRow>(&mut file, Wanted::default()).unwrap();
        table.most = 500;
        let count = 2 * table.most + 20;
        for nth in 0..count {
            let late = nth + 10 >= count;
            let row = GameRow {
                first_name: Some(if nth % 2 == 0 { "null".into() } else { String::new() }),
                entries: 7,
                verdict: if late { "illegal" } else { "legal" },
                fault_rule: late.then_some("T21"),
                fault_entry: late.then_some(3),
                ..GameRow::default()
            };
            table.add(&row).unwrap();
        }
        table.finish().unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 3);
        let (mut rows, mut faults) = (0, 0);
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let at = |name: &str| row.get_column_iter().position(|(column, _)| column == name).unwrap();
            assert_eq!(row.get_string(at("first_name")).unwrap(), if rows % 2 == 0 { "null" } else { "" });
            let rule = row.get_string(at("fault_rule")).ok();
            faults +=
                usize::from(rule.is_some_and(|rule| {
                    rule == "T21" && row.get_long(at("fault_entry")).is_ok_and(|entry| entry == 3)
                }));
            rows += 1;
        }
        assert_eq!((rows, faults), (count, 10));
    }
}
