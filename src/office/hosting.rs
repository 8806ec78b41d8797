//! Games that this home hosts (Z38 to Z40): it plays no side, signs for each side without a key of its own, and keeps a secret for each of
//! those.

use super::{Act, Office, Trouble};
use crate::advice::advice;
use crate::games::kernel::Side;
use crate::record::Header;
use crate::sealing::PublicKey;
use crate::verdict::Opened;

/// What a record says of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The name.
    pub name: String,
    /// The mail address.
    pub email: Option<String>,
    /// The public key.
    pub key: PublicKey,
}

/// Returns what new records say of this home as their host: the name and address in the settings, and the key here.
///
/// # Errors
/// If this is not the home of a host, or one of them is missing.
pub fn of_home(office: &Office<'_>) -> Result<Host, Trouble> {
    let settings = office.settings()?;
    if !settings.hosts {
        return Err(Trouble::of("this is not the home of a host")
            .advise("`hosts: true` in settings.yaml makes it one, which plays no side of any game"));
    }
    let name = settings.name.clone().ok_or_else(|| {
        Trouble::of("the host has no name").advise("set `name:` in settings.yaml, as players are to know the host")
    })?;
    let own = office.keyring().own()?;
    let own = own.ok_or_else(|| {
        Trouble::of("the host has no key, and signs for players who have none")
            .advise(advice![Act::NewKey, " makes one"])
    })?;
    Ok(Host { name, email: settings.email.clone(), key: own.public() })
}

/// Returns whether this home is the host of a game: its settings say that it hosts, and the header names its key. A header alone makes
/// nobody a host, because whoever begins a game writes it.
#[must_use]
pub fn keeps(office: &Office<'_>, header: &Header<'_>) -> bool {
    let Some(host) = header.host.as_deref() else { return false };
    office.settings().is_ok_and(|settings| settings.hosts) && office.own_keys().is_ok_and(|own| own.contains(&host.key))
}

/// Returns whether a side of a record that was replayed is kept by its host: it has no key of its own.
#[must_use]
pub fn is_kept(opened: &Opened<'_>, side: Side) -> bool {
    opened
        .table
        .signatures()
        .is_some_and(|signatures| signatures.host().is_some() && signatures.own_key(side).is_none())
}
