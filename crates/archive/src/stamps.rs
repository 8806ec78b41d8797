//! Time stamps of a record (RFC 3161): a third party's statement that h(n) existed at a time. They are created and
//! checked by `openssl ts`, and are in the record as remarks, `# stamp N BASE64`, outside the chain.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "`openssl` makes and checks stamps, by files that hold nothing secret and are thrown away"
)]

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};

use chrono::{NaiveDate, NaiveDateTime};
use data_encoding::{BASE64, HEXLOWER};
use serde::Serialize;

use postrider_disk::programs;
use postrider_kernel::text::printable;
use postrider_referee::desk::Desk;
use postrider_referee::record::{Item, LINE_LIMIT, Time};
use postrider_referee::sealing::Digest;
use postrider_referee::verdict::Opened;

/// Why stamps cannot be made or checked.
#[derive(Debug, thiserror::Error)]
pub enum StampError {
    /// The program that makes and checks them cannot be started, or what it prints cannot be read.
    #[error("openssl cannot be run: {0}")]
    NoOpenssl(io::Error),
    /// It was killed, so that nothing follows from what it has said or not said.
    #[error("openssl was ended by another program, or by the system: {0}")]
    Killed(ExitStatus),
    /// The program that was to ask the authority, or the one that makes and checks stamps, failed: what it said.
    #[error("{0}")]
    Failed(String),
}

impl StampError {
    /// Returns what helps, if that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoOpenssl(_) => {
                Some("time stamps are made and checked by the program openssl, which must be installed")
            }
            Self::Killed(_) => Some("try again; a system that runs out of memory ends programs"),
            Self::Failed(_) => None,
        }
    }
}

/// How such a remark begins.
const HEAD: &str = "# stamp ";
/// How many stamps of a record are checked; each takes a run of openssl.
const MOST: usize = 64;

/// A stamp in a record.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// The number of the entry.
    pub entry: u32,
    /// The reply of the authority.
    pub reply: Vec<u8>,
}

/// A stamp that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The number of the entry.
    pub entry: u32,
    /// `yes`, `if its key was not lost` or `no`.
    pub holds: &'static str,
    /// The time that it says, if it holds.
    pub time: Option<String>,
    /// The day on which the authority's certificate expired, if it has.
    pub expired: Option<String>,
}

/// What is said of the stamps of a record.
#[derive(Clone, Debug, Default)]
pub struct StampReport {
    /// Whether at least one holds and none is false.
    pub sound: bool,
    /// In words, one line each.
    pub lines: Vec<String>,
    /// The stamps, in their order.
    pub stamps: Vec<Checked>,
}

/// The result of checking a stamp.
#[derive(Clone, Debug)]
pub enum StampStanding {
    /// The entry, and everything before it, existed at this time.
    Holds(Time),
    /// The same, if nobody else has got the authority's key since: its certificate was good at that time, and has expired on this day.
    HeldThen(Time, NaiveDate),
    /// Why it proves nothing.
    Fails(String),
}

/// Returns the stamps in a record; for a remark that cannot be parsed as one, its beginning.
#[must_use]
pub fn of(opened: &Opened<'_>) -> (Vec<Stamp>, Vec<String>) {
    let (mut stamps, mut others) = (Vec::new(), Vec::new());
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        let Item::Remark(span) = item else { continue };
        let Some(rest) = span.text(opened.text).strip_prefix(HEAD) else { continue };
        let read = rest.split_once(' ').and_then(|(number, base64)| {
            let reply = BASE64.decode(base64.trim_end().as_bytes()).ok()?;
            Some(Stamp { entry: number.parse().ok()?, reply })
        });
        match read {
            Some(stamp) if stamps.len() < MOST => stamps.push(stamp),
            Some(_) => others.push(format!("more than {MOST} stamps")),
            None => others.push(printable(&rest.chars().take(20).collect::<String>()).into_owned()),
        }
    }
    (stamps, others)
}

/// Returns the remark that holds a reply; `None` if it would be longer than a line may be.
#[must_use]
pub fn remark(entry: u32, reply: &[u8]) -> Option<String> {
    let line = format!("{HEAD}{entry} {}\n", BASE64.encode(reply));
    (line.len() <= LINE_LIMIT).then_some(line)
}

/// Runs openssl with the given standard input.
fn openssl(arguments: &[&str], input: impl Into<Stdio>) -> Result<Output, StampError> {
    let output =
        programs::output(Command::new("openssl").args(arguments).stdin(input)).map_err(StampError::NoOpenssl)?;
    if output.status.code().is_some() { Ok(output) } else { Err(StampError::Killed(output.status)) }
}

/// Makes the query to an authority about a digest.
///
/// # Errors
/// If openssl does not.
pub fn query(digest: &Digest) -> Result<Vec<u8>, StampError> {
    let output = openssl(&["ts", "-query", "-digest", &HEXLOWER.encode(digest), "-sha256", "-cert"], Stdio::null())?;
    if output.status.success() { Ok(output.stdout) } else { Err(StampError::Failed(said(&output))) }
}

/// Asks an authority through a program that reads the query from standard input and prints the reply.
///
/// # Errors
/// If the program fails.
pub fn ask(query: &[u8], command: &[String]) -> Result<Vec<u8>, StampError> {
    let [program, arguments @ ..] = command else { return Err(StampError::Failed("no program is named".into())) };
    let failed = |error: io::Error| StampError::Failed(format!("{}: {error}", printable(program)));
    // An unnamed file rather than a pipe, so that neither side has to wait for the other.
    let mut file = tempfile::tempfile().map_err(failed)?;
    file.write_all(query).and_then(|()| io::Seek::rewind(&mut file)).map_err(failed)?;
    let output = programs::output(Command::new(program).args(arguments).stdin(file)).map_err(failed)?;
    if !output.status.success() {
        return Err(StampError::Failed(format!(
            "{} has ended with {}: {}",
            printable(program),
            output.status,
            said(&output)
        )));
    }
    Ok(output.stdout)
}

/// Checks that a reply stamps a digest, by an authority that the certificates in a file (PEM) vouch for; returns when. If its certificate
/// has expired since, it is judged at the time of the stamp. Lists of revoked certificates in the same file count at any time.
///
/// # Errors
/// If it cannot be checked.
pub fn check(digest: &Digest, reply: &[u8], authorities: &Path) -> Result<StampStanding, StampError> {
    let failed = |error: io::Error| StampError::Failed(error.to_string());
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    file.write_all(reply).and_then(|()| file.flush()).map_err(failed)?;
    let path = file.path().to_string_lossy();
    let ca = authorities.to_string_lossy();
    let hex = HEXLOWER.encode(digest);
    let verify = |more: &[&str]| {
        let arguments = ["ts", "-verify", "-digest", &hex, "-in", &path, "-CAfile", &ca];
        openssl(&[&arguments[..], more].concat(), Stdio::null())
    };
    let now = verify(&[])?;
    let shown = openssl(&["ts", "-reply", "-in", &path, "-text"], Stdio::null())?;
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    let Some(time) = text.lines().find_map(|line| line.trim().strip_prefix("Time stamp: ")).and_then(read_time) else {
        let why = if now.status.success() { "it has no time in it".into() } else { said(&now) };
        return Ok(StampStanding::Fails(why));
    };
    let mut standing = StampStanding::Holds(time);
    if !now.status.success() {
        let then = verify(&["-attime", &time.0.to_string()])?;
        let expired = if then.status.success() { expired_since(time, &path, authorities)? } else { None };
        match expired {
            Some(day) => standing = StampStanding::HeldThen(time, day),
            None => return Ok(StampStanding::Fails(said(&now))),
        }
    }
    let listed = std::fs::read(authorities).map_err(failed)?;
    if memchr::memmem::find(&listed, b"BEGIN X509 CRL").is_some() {
        let listed = verify(&["-no_check_time", "-crl_check"])?;
        // A list of another authority says nothing of this one.
        if !listed.status.success()
            && !String::from_utf8_lossy(&listed.stderr).contains("unable to get certificate CRL")
        {
            return Ok(StampStanding::Fails(said(&listed)));
        }
    }
    Ok(standing)
}

/// The day on which the first of the certificates that a reply and a file have expired, of those that were good at the time of the stamp.
fn expired_since(time: Time, reply: &str, authorities: &Path) -> Result<Option<NaiveDate>, StampError> {
    let failed = |error: io::Error| StampError::Failed(error.to_string());
    let run = |arguments: &[&str], input: &[u8]| -> Result<Output, StampError> {
        let mut file = tempfile::tempfile().map_err(failed)?;
        file.write_all(input).and_then(|()| io::Seek::rewind(&mut file)).map_err(failed)?;
        openssl(arguments, file)
    };
    let token = openssl(&["ts", "-reply", "-in", reply, "-token_out"], Stdio::null())?.stdout;
    let mut certificates = run(&["pkcs7", "-inform", "DER", "-print_certs"], &token)?.stdout;
    certificates.extend(std::fs::read(authorities).map_err(failed)?);
    let certificates = String::from_utf8_lossy(&certificates).into_owned();
    let now = postrider_disk::clock::now().timestamp();
    let mut ends = Vec::new();
    for one in certificates.split("-----BEGIN CERTIFICATE-----").skip(1).take(MOST) {
        let pem = format!("-----BEGIN CERTIFICATE-----{one}");
        let shown = run(&["x509", "-noout", "-enddate"], pem.as_bytes())?;
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        ends.extend(text.trim().strip_prefix("notAfter=").and_then(read_time));
    }
    let first = ends.into_iter().filter(|end| (time.0..now).contains(&end.0)).min_by_key(|end| end.0);
    Ok(first.and_then(|end| Some(end.utc()?.date_naive())))
}

/// Parses a time as openssl prints it: `Nov 22 05:46:19 2026 GMT`, perhaps with a fraction of a second.
fn read_time(text: &str) -> Option<Time> {
    let text = text.trim().strip_suffix(" GMT")?;
    let read = |form| NaiveDateTime::parse_from_str(text, form).ok();
    let time = read("%b %e %H:%M:%S %Y").or_else(|| read("%b %e %H:%M:%S%.f %Y"))?;
    Some(Time(time.and_utc().timestamp()))
}

/// The end of openssl's output, on one line.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it printed nothing");
    printable(&line.chars().take(200).collect::<String>()).into_owned()
}

/// Checks the stamps of a legal record, and describes them. An entry with a later time than its stamp was made ahead of its time.
///
/// # Errors
/// If they cannot be checked.
pub fn report(desk: &Desk<'_>, authorities: &Path) -> Result<StampReport, StampError> {
    let (stamps, others) = of(&desk.opened);
    let lines: Vec<String> = others.into_iter().map(|what| format!("a remark is not a stamp: `{what}`")).collect();
    let mut report = StampReport { sound: lines.is_empty() && !stamps.is_empty(), lines, stamps: Vec::new() };
    if stamps.is_empty() {
        report.lines.push("there is no time stamp in it".into());
    }
    let times = times(&desk.opened);
    for stamp in stamps {
        let number = stamp.entry;
        let mut checked = Checked { entry: number, holds: "no", time: None, expired: None };
        let existed = |at: Time| format!("entry {number}, and all before it, existed at {at}");
        let at = match desk.digests.get(number).map(|digest| check(digest, &stamp.reply, authorities)).transpose()? {
            None => {
                report.lines.push(format!("a stamp is of entry {number}, which is not there"));
                None
            }
            Some(StampStanding::Fails(why)) => {
                report.lines.push(format!("the stamp of entry {number} does not hold: {why}"));
                None
            }
            Some(StampStanding::Holds(at)) => {
                checked.holds = "yes";
                report.lines.push(existed(at));
                Some(at)
            }
            Some(StampStanding::HeldThen(at, day)) => {
                (checked.holds, checked.expired) = ("if its key was not lost", Some(day.to_string()));
                report.lines.push(format!(
                    "{}; the authority's certificate expired on {day}; holds if its key was not lost since",
                    existed(at)
                ));
                Some(at)
            }
        };
        report.sound &= at.is_some();
        checked.time = at.map(|at| at.to_string());
        report.stamps.push(checked);
        let later =
            (1..=number).zip(&times).filter(|(_, time)| time.zip(at).is_some_and(|(time, at)| time > at)).last();
        if let (Some((entry, Some(time))), Some(at)) = (later, at) {
            report.sound = false;
            report.lines.push(format!("entry {entry} says {time}, and already existed at {at}: its time is not true"));
        }
    }
    Ok(report)
}

/// The times of the entries.
fn times(opened: &Opened<'_>) -> Vec<Option<Time>> {
    let mut times = Vec::new();
    let mut body = opened.body();
    while let Some(item) = body.next_item() {
        if let Item::Entry(entry) = item {
            times.push(entry.time);
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_openssl_prints_them() {
        let expected = Time::read(b"2026-11-02T05:46:19Z");
        for text in ["Nov  2 05:46:19 2026 GMT", "Nov 2 05:46:19.25 2026 GMT", "Nov 02 05:46:19 2026 GMT"] {
            assert_eq!(read_time(text), expected, "{text}");
        }
        assert_eq!(read_time("Nov 2 05:46:19 2026"), None);
    }
}
