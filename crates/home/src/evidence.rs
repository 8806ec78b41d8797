//! Finds, describes and stores proof that a player signed two contradicting things.

use crate::keys::{statements, trust};
use crate::office::{Notice, Office, Trouble, name};
use postrider_kernel::Side;
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::text::printable;
use postrider_referee::sealing::PublicKey;
use postrider_referee::verdict::{Evidence, Opened, evidence};

/// Looks for evidence against a player in two copies of a game, each with a name for it, and keeps both if there is any, because
/// together they prove it. If there is none, nothing is done or said.
///
/// # Errors
/// If the copies cannot be kept.
pub fn keep(office: &Office<'_>, id: &str, copies: [(&str, &[u8]); 2], dry_run: bool) -> Result<(), Trouble> {
    let [(first, one), (second, other)] = copies;
    let Ok(found) = evidence(one, other) else { return Ok(()) };
    let Some(text) = in_words(office, &found, one, [first, second]) else { return Ok(()) };
    office.tell(Notice::note(format!("{id}: {text}")));
    if dry_run {
        return Ok(());
    }
    let folder = office.folders().evidence();
    office.disk().private_folder(&folder).map_err(|error| Trouble::of(format!("{}: {error}", folder.display())))?;
    let mut kept = Vec::new();
    for (which, record) in copies {
        // Made only of the game's validated id and a number.
        let path = folder.join(format!("{id}.{}.{which}.pbem", found.number()));
        office.disk().put_private(&path, record).map_err(Trouble::File)?;
        kept.push(name(&path));
    }
    office.tell(Notice::note(advice!["both records are kept as evidence: ", Act::Evidence(kept)]));
    Ok(())
}

/// Describes the evidence against a player, for anybody to check; `record` is one of the two.
#[must_use]
pub fn in_words(office: &Office<'_>, found: &Evidence, record: &[u8], names: [&str; 2]) -> Option<String> {
    let opened = Opened::new(record).ok();
    let header = opened.as_ref().map(|opened| &opened.header);
    // In a hosted game it may be the host who has signed, and no word is said against the player.
    let who = |side: Side, key: &PublicKey| {
        let Some(header) = header else { return String::new() };
        let side = header.info.sides[side.index()];
        match trust::by_host(header, Some(key)) {
            true => format!("the host, who signs for {}, has", side.named()),
            false => format!("{} {}", side.named(), side.verb("have", "has")),
        }
    };
    let (mut text, versions, key) = match found {
        Evidence::Double(found) => (
            format!("{} signed two different entries {}", who(found.side, &found.key), found.number),
            &found.versions,
            found.key,
        ),
        Evidence::Pasts(found) => (
            format!(
                "{} signed a receipt for entry {}, and also signed what follows another version, which differs from entry {} on",
                who(found.side, &found.key),
                found.entry,
                found.differs
            ),
            &found.versions,
            found.key,
        ),
        _ => return None,
    };
    text.push_str(&format!(" by the key {}\nkey {}\n", key.fingerprint(), key.text()));
    for (name, version) in names.into_iter().zip(versions) {
        let what = if version.line.starts_with('#') { "receipt" } else { "entry  " };
        text.push_str(&format!(
            "\n{name}\n  {what}    {}\n  signed     {}\n  signature  {}\n",
            printable(&version.line),
            version.text,
            version.signature
        ));
    }
    if let Some(since) = statements::since(&office.statements(), &key.fingerprint()) {
        text.push_str(&format!("\nIt is a key {since}: somebody else who has it may have signed one of the two.\n"));
    }
    if let Evidence::Pasts(found) = found {
        for (name, line) in names.into_iter().zip(&found.lines) {
            let line = line.as_deref().map_or_else(|| "(nothing)".into(), printable);
            text.push_str(&format!("\nentry {} in {name}: {line}", found.differs));
        }
        text.push_str(&format!(
            "\n\nIt proves that {} had both, on one machine or on two. Who made those entries is proven only where they are signed.\n",
            who(found.side, &found.key)
        ));
    }
    Some(text)
}
