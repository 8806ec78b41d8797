//! A connection to a mail server, within limits that the server cannot exceed: each exchange as a whole has a deadline,
//! however slowly bytes trickle in, and lines have a maximum length. This holds before and after the connection is
//! encrypted.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use postrider_disk::files::read_record;
use postrider_kernel::text::printable;

/// The slowest pace in bytes per second at which a letter may continue past the deadline of an exchange: a server that
/// keeps it up is slow, one that does not is stalling.
const PACE: u64 = 32 << 10;
/// How long one connection may last. The next run continues where this one stopped.
const LONGEST: Duration = Duration::from_secs(3600);

/// The socket below a connection: each read and write waits at most until the deadline.
struct Socket {
    tcp: TcpStream,
    /// When the exchange began.
    begun: Instant,
    /// How long it may take, in addition to the time for `bulk`.
    timeout: Duration,
    /// How many bytes of this exchange get extra time.
    bulk: u64,
    /// How many bytes of it have been transferred.
    passed: u64,
    /// When the connection ends in any case.
    end: Instant,
}

impl Socket {
    /// Returns the time that is left.
    ///
    /// # Errors
    /// If there is none.
    fn left(&self) -> io::Result<Duration> {
        let extra = Duration::from_millis(self.passed.min(self.bulk).saturating_mul(1000) / PACE);
        let now = Instant::now();
        let deadline = self.begun.checked_add(self.timeout + extra).unwrap_or(self.end).min(self.end);
        match deadline.checked_duration_since(now) {
            // The system does not accept a timeout of zero.
            Some(left) if left >= Duration::from_millis(1) => Ok(left),
            _ => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.tcp.set_read_timeout(Some(self.left()?))?;
        let read = self.tcp.read(buffer)?;
        self.passed += read as u64;
        Ok(read)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tcp.set_write_timeout(Some(self.left()?))?;
        let written = self.tcp.write(bytes)?;
        self.passed += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}

enum Stream {
    Plain(Socket),
    Encrypted(Box<StreamOwned<ClientConnection, Socket>>),
}

impl Stream {
    fn socket(&mut self) -> &mut Socket {
        match self {
            Self::Plain(socket) => socket,
            Self::Encrypted(stream) => &mut stream.sock,
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Encrypted(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Encrypted(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Encrypted(stream) => stream.flush(),
        }
    }
}

/// A connection to a mail server.
pub(crate) struct Wire(BufReader<Stream>);

impl Wire {
    /// Connects to the first of these addresses that answers. Together they have the time of one exchange.
    ///
    /// # Errors
    /// The system's errors for the last address.
    pub(crate) fn connect(addresses: &[SocketAddr], timeout: Duration) -> io::Result<Self> {
        let begun = Instant::now();
        let mut last = io::Error::new(io::ErrorKind::NotFound, "it has no address");
        for (at, address) in addresses.iter().enumerate() {
            let left = timeout.saturating_sub(begun.elapsed());
            // An address that does not answer leaves half of the time to the others.
            let share = if at + 1 == addresses.len() { left } else { left / 2 };
            if share.is_zero() {
                last = io::ErrorKind::TimedOut.into();
                break;
            }
            match TcpStream::connect_timeout(address, share) {
                Ok(tcp) => {
                    let now = Instant::now();
                    let end = now.checked_add(LONGEST).unwrap_or(now);
                    let socket = Socket { tcp, begun: now, timeout, bulk: 0, passed: 0, end };
                    return Ok(Self(BufReader::new(Stream::Plain(socket))));
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Returns whether unread bytes have arrived. Before the connection is encrypted, these would be bytes that someone
    /// injected.
    pub(crate) fn is_ahead(&self) -> bool {
        !self.0.buffer().is_empty()
    }

    /// Switches to TLS and completes the handshake, so that a refused certificate does not look like a refused login.
    ///
    /// # Errors
    /// The errors of the handshake; [`reason`] puts them into words.
    pub(crate) fn encrypt(self, config: &Arc<ClientConfig>, host: &str) -> io::Result<Self> {
        // The TLS library would panic.
        if !postrider_disk::clock::is_possible() {
            return Err(io::Error::other("the system clock is before 1970, so no certificate can be checked"));
        }
        let Stream::Plain(mut socket) = self.0.into_inner() else {
            return Err(io::Error::other("the connection is encrypted already"));
        };
        socket.begun = Instant::now();
        (socket.bulk, socket.passed) = (0, 0);
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let mut connection = ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
        connection.complete_io(&mut socket)?;
        Ok(Self(BufReader::new(Stream::Encrypted(Box::new(StreamOwned::new(connection, socket))))))
    }

    /// Begins an exchange: everything sent and received from now on shares its time. `bulk` bytes of it, those of a
    /// letter, get extra time at the slowest pace that does not count as stalling.
    pub(crate) fn begin(&mut self, timeout: Duration, bulk: usize) {
        let socket = self.0.get_mut().socket();
        socket.begun = Instant::now();
        (socket.timeout, socket.bulk, socket.passed) = (timeout, bulk as u64, 0);
    }

    /// Sends these bytes.
    ///
    /// # Errors
    /// The errors of the connection; [`io::ErrorKind::TimedOut`] after the deadline.
    pub(crate) fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        let stream = self.0.get_mut();
        stream.write_all(bytes)?;
        stream.flush()
    }

    /// Ends the connection without a word.
    pub(crate) fn hang_up(&mut self) {
        let _ = self.0.get_mut().socket().tcp.shutdown(std::net::Shutdown::Both);
    }

    /// Waits until the server says something, at most this long. Returns whether it did; nothing of it is taken.
    ///
    /// # Errors
    /// The errors of the connection; [`io::ErrorKind::UnexpectedEof`] if the server closed it.
    pub(crate) fn wait(&mut self, most: Duration) -> io::Result<bool> {
        self.begin(most, 0);
        match self.0.fill_buf() {
            Ok([]) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads up to the end of a line, or `limit` bytes, and appends them to `to`.
    ///
    /// # Errors
    /// As [`Self::say`].
    pub(crate) fn line(&mut self, to: &mut Vec<u8>, limit: usize) -> io::Result<()> {
        self.0.by_ref().take(limit as u64).read_until(b'\n', to).map(|_| ())
    }

    /// Reads `count` bytes, or up to the end, and appends them to `to`.
    ///
    /// # Errors
    /// As [`Self::say`].
    pub(crate) fn bytes(&mut self, to: &mut Vec<u8>, count: usize) -> io::Result<()> {
        self.0.by_ref().take(count as u64).read_to_end(to).map(|_| ())
    }
}

/// Returns the system's certificate authorities and those in the file `ca`.
///
/// # Errors
/// Why they cannot be used.
pub(crate) fn authorities(ca: Option<&Path>) -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    // One odd certificate among the system's does not matter.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca {
        let pem = read_record(path).map_err(|error| error.to_string())?;
        let before = roots.len();
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            let certificate = certificate.map_err(|_| "its certificates cannot be read".to_owned())?;
            roots.add(certificate).map_err(|_| "its certificates cannot be read".to_owned())?;
        }
        // A file without any certificate would otherwise be accepted silently.
        if roots.len() == before {
            return Err("it holds no certificate in PEM form".to_owned());
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

/// Says that a server takes no password but only a login by tokens, and what helps. It follows the server's name.
pub(crate) fn only_tokens(name: &str) -> String {
    format!(
        "takes no password but only {name}, for which a program must be registered with the provider, so none was sent. What helps: an \
         app password, if your provider has them; a program on this machine that logs in for others (DavMail, email-oauth2-proxy), \
         with its host and port in the settings; or a program that fetches and sends your mail (`postrider setup` shows how)"
    )
}

/// Says why a connection failed, and what could be set under `section` of the settings; the advice may be empty.
pub(crate) fn reason(error: &io::Error, section: &str, timeout: Duration) -> (String, String) {
    let plain = |text: &str| (text.to_owned(), String::new());
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            return plain(&format!("no whole answer came within {timeout:?}"));
        }
        io::ErrorKind::UnexpectedEof => return plain("it closed the connection"),
        _ => {}
    }
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(fault)) => match fault {
            CertificateError::UnknownIssuer => (
                "its certificate comes from an authority unknown here".to_owned(),
                format!("if the server has its own authority, name its file by `ca` under `{section}` in the settings"),
            ),
            // The name in the certificate could be one that an impostor has a certificate for, so it is never
            // suggested.
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => (
                "its certificate is for another name, so this may not be your server, and no password was sent"
                    .to_owned(),
                format!("look up with your provider which name belongs under `{section}`, `host` in the settings"),
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                plain("its certificate has expired, or the clock here is wrong")
            }
            _ => plain(&error.to_string()),
        },
        Some(rustls::Error::InvalidMessage(_)) => {
            ("it does not speak TLS".to_owned(), format!("look at `port` and `tls` under `{section}` in the settings"))
        }
        _ => plain(&printable(&error.to_string())),
    }
}
