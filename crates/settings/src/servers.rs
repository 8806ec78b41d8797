//! What the settings of mail servers have in common: their names, ports, time limits and logins.

use std::net::IpAddr;
use std::time::Duration;

use serde_yaml::Spanned;

use super::{Fault, Login, PasswordSource, Tls};

/// How long to wait for a mail server at each step by default.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest wait that can be set, in seconds.
const MAX_TIMEOUT: u64 = 3600;

/// The name of a mail server, which must be this machine for an unencrypted connection.
pub(super) fn settle_host(host: Spanned<String>, example: &str, tls: Option<&Spanned<Tls>>) -> Result<String, Fault> {
    if host.value.is_empty() || host.value.chars().any(|c| c.is_whitespace() || c.is_control() || c == '/') {
        let message = format!("`host` is the name or address of a mail server, as in `{example}`");
        return Err(Fault(host.referenced, message));
    }
    if let Some(written) = tls.filter(|tls| tls.value == Tls::None && !is_loopback(&host.value)) {
        return Err(Fault(
            written.referenced,
            "`tls: none` is for servers on this machine alone (localhost, 127.0.0.1, ::1): write `starttls` or \
             `implicit`"
                .to_owned(),
        ));
    }
    Ok(host.value)
}

pub(super) fn settle_port(port: Option<Spanned<u16>>, usual: u16) -> Result<u16, Fault> {
    match port {
        Some(port) if port.value == 0 => Err(Fault(port.referenced, "no server has port 0".to_owned())),
        Some(port) => Ok(port.value),
        None => Ok(usual),
    }
}

pub(super) fn settle_timeout(timeout: Option<Spanned<u64>>) -> Result<Duration, Fault> {
    match timeout {
        Some(timeout) if timeout.value == 0 || timeout.value > MAX_TIMEOUT => {
            Err(Fault(timeout.referenced, format!("`timeout` is a number of seconds from 1 to {MAX_TIMEOUT}")))
        }
        Some(timeout) => Ok(Duration::from_secs(timeout.value)),
        None => Ok(TIMEOUT),
    }
}

pub(super) fn settle_login(
    user: Option<Spanned<String>>,
    env: Option<Spanned<String>>,
    command: Option<Spanned<Vec<String>>>,
) -> Result<Option<Login>, Fault> {
    let password = match (env, command) {
        (None, None) => None,
        (Some(_), Some(command)) => {
            return Err(Fault(
                command.referenced,
                "the password comes from one place: keep `password-env` or `password-command`".to_owned(),
            ));
        }
        (Some(env), None) => {
            // The value is not shown, because someone may have put the password there.
            if !is_variable(&env.value) {
                return Err(Fault(
                    env.referenced,
                    "`password-env` is the name of an environment variable (letters, digits and `_`), not the password"
                        .to_owned(),
                ));
            }
            Some((env.referenced, PasswordSource::Env(env.value)))
        }
        (None, Some(command)) => {
            let location = command.referenced;
            Some((location, PasswordSource::Command(words(command, "password-command")?)))
        }
    };
    match (user, password) {
        (None, None) => Ok(None),
        (Some(user), Some((_, password))) => Ok(Some(Login { user: user.value, password })),
        (Some(user), None) => Err(Fault(
            user.referenced,
            "a login needs a password: name an environment variable with `password-env`, or a program that prints it \
             with `password-command`"
                .to_owned(),
        )),
        (None, Some((location, _))) => {
            Err(Fault(location, "a login needs `user`, the name that the server knows you by".to_owned()))
        }
    }
}

pub(super) fn words(command: Spanned<Vec<String>>, key: &str) -> Result<Vec<String>, Fault> {
    if command.value.first().is_none_or(String::is_empty) || command.value.iter().any(|word| word.contains('\0')) {
        return Err(Fault(
            command.referenced,
            format!("`{key}` is a list of a program and its arguments, as in `[program, argument]`"),
        ));
    }
    Ok(command.value)
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether `host` names this machine: `localhost`, an address in 127.0.0.0/8, or `::1`.
#[must_use]
pub fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}
