//! Into a folder, or through a program of this machine.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::smtp;
use postrider_disk::files::{private_folder, put_private_by, rename_private};
use postrider_disk::system::open_with_its_program;
use postrider_home::send::transport::{Receipt, SendError};
use postrider_kernel::text::printable;
use postrider_mail::letter::Message;
use postrider_settings::{FileSettings, MailSettings, OutboxFormat, SendmailSettings};

/// Where mail systems install the program that everybody calls `sendmail`; the folder is not always in PATH.
const SENDMAIL: [&str; 2] = ["/usr/sbin/sendmail", "/usr/lib/sendmail"];
/// What makes mail programs open a letter as a draft that can be sent.
const UNSENT: &[u8] = b"X-Unsent: 1\r\n";
/// How much of a letter is passed on at a time, in bytes.
pub(crate) const PIECE: usize = 64 * 1024;
/// How much of the output of a program or server is shown, in characters.
const SAID: usize = 500;

/// Passes `message` to the transport in `settings`. Keeps no notes: see [`post`](fn@postrider_home::send::post::post).
///
/// # Errors
///
/// [`SendError`]; [`SendError::may_have_arrived`] says whether the letter may have been sent all the same.
pub fn send(message: &Message<'_>, settings: &MailSettings) -> Result<Receipt, SendError> {
    match settings {
        MailSettings::File(file) => send_file(message, file),
        MailSettings::Sendmail(sendmail) => send_program(message, sendmail),
        MailSettings::Smtp(smtp) => smtp::send(message, smtp),
        MailSettings::Git(_) => Err(SendError::NoLetters),
    }
}

fn send_file(message: &Message<'_>, settings: &FileSettings) -> Result<Receipt, SendError> {
    match settings.format {
        OutboxFormat::Eml => {
            make(&settings.outbox)?;
            let path = settings.outbox.join(message.file_name());
            put_private_by(&path, &|out| {
                if settings.open {
                    out.write_all(UNSENT)?;
                }
                message.write_to(out)
            })?;
            if !settings.open {
                return Ok(Receipt::File(path));
            }
            Ok(match open_with_its_program(&path) {
                Ok(()) => Receipt::Opened(path),
                Err(error) => Receipt::Unopened(path, error.to_string()),
            })
        }
        OutboxFormat::Maildir => send_maildir(message, &settings.outbox),
    }
}

/// Writes to `tmp` and moves the file to `new`, as Maildir requires. The name is that of the Message-ID, so the same
/// letter is never there twice.
fn send_maildir(message: &Message<'_>, maildir: &Path) -> Result<Receipt, SendError> {
    let [tmp, new, cur] = ["tmp", "new", "cur"].map(|name| maildir.join(name));
    for folder in [&tmp, &new, &cur] {
        make(folder)?;
    }
    let name = message.local_part();
    let seen = find_seen(&cur, name).map_err(|source| SendError::Folder { path: cur.clone(), source })?;
    if let Some(seen) = seen {
        return Ok(Receipt::File(seen));
    }
    let (written, path) = (tmp.join(name), new.join(name));
    put_private_by(&written, &|out| write_unix(message, out))?;
    rename_private(&written, &path)?;
    Ok(Receipt::File(path))
}

/// Finds the letter after a mail program has shown it, which moves it to `cur` and appends flags after a colon.
fn find_seen(cur: &Path, name: &str) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(cur)? {
        let path = entry?.path();
        let found = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if found.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':')) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn make(folder: &Path) -> Result<(), SendError> {
    private_folder(folder).map_err(|source| SendError::Folder { path: folder.to_owned(), source })
}

/// Writes a letter as local programs and Maildirs want it, with lines that end in LF alone. A letter contains no CR except in its line
/// ends.
fn write_unix(message: &Message<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = UnixLines(BufWriter::with_capacity(PIECE, out));
    message.write_to(&mut lines)?;
    lines.flush()
}

/// Passes on everything but CR.
struct UnixLines<W>(W);

impl<W: Write> Write for UnixLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        bytes.split(|byte| *byte == b'\r').try_for_each(|piece| self.0.write_all(piece))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn send_program(message: &Message<'_>, settings: &SendmailSettings) -> Result<Receipt, SendError> {
    let program = settings.program.clone();
    let failed = |source| SendError::Start { key: "command", program: program.clone(), source };
    // A file without a name and not a pipe: while writing to a pipe, one would have to read the program's output at the
    // same time.
    let mut file = tempfile::tempfile().map_err(failed)?;
    write_unix(message, &mut file).map_err(failed)?;
    let length = file.stream_position().and_then(|length| file.rewind().map(|()| length)).map_err(failed)?;
    let input = file.try_clone().map_err(failed)?;
    let mut child = spawn_sendmail(message, settings, input).map_err(failed)?;
    // `Child::wait_with_output` panics where a pipe cannot be read. What the program says is then unknown, and not how it ends.
    let mut errors = Vec::new();
    if let Some(mut pipe) = child.stderr.take() {
        let _ = pipe.read_to_end(&mut errors);
    }
    let status = child.wait().map_err(|source| SendError::Unknown { program: program.clone(), source })?;
    if !status.success() {
        return Err(SendError::Program { program, status, said: said(&errors) });
    }
    // The program has read up to the position in the file, which is shared.
    match file.stream_position() {
        Ok(read) if read < length => {
            Err(SendError::Program { program, status, said: "it ended before reading all of it".to_owned() })
        }
        _ => Ok(Receipt::Program(program)),
    }
}

/// Starts the program with `-i` (a line with one dot does not end the message), the sender, and after `--` the
/// recipient, which therefore cannot be an option.
fn spawn_sendmail(message: &Message<'_>, settings: &SendmailSettings, input: File) -> io::Result<std::process::Child> {
    let spawn = |program: &str| {
        let mut command = Command::new(program);
        command.args(&settings.arguments).arg("-i");
        if let Some(from) = message.envelope().from() {
            command.arg("-f").arg(from);
        }
        command.arg("--").args(message.envelope().to());
        command.stdin(input.try_clone()?).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
    };
    match spawn(&settings.program) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && settings.program == "sendmail" => {
            SENDMAIL.into_iter().find_map(|program| spawn(program).ok()).ok_or(error)
        }
        spawned => spawned,
    }
}

/// Returns the output of a program or server on one line, shortened.
pub(crate) fn said(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(SAID).collect();
    printable(&line).into_owned()
}
