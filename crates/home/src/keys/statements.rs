//! Keys that are withdrawn or have a successor (Z36, Z37): statements in letters, and the words about them.

use chrono::NaiveDate;
use zeroize::Zeroizing;

use crate::office::{Office, Trouble};
use postrider_kernel::advice;
use postrider_kernel::advice::Act;
use postrider_kernel::advice::Advice;
use postrider_kernel::text::printable;
use postrider_referee::sealing::{PublicKey, Statement, Withdrawn, withdrawn};
use postrider_vault::keyring::random_key;
use postrider_vault::locked::OwnKey;

/// Notes a letter's statements on keys that are known here: trusted ones, those that opponents used first, and the player's own. The
/// sender does not matter, because the key signs the statement. Returns what to report as new.
pub fn take_from(office: &Office<'_>, statements: &[Statement], dry_run: bool) -> Result<Vec<Advice>, Trouble> {
    let mut said = Vec::new();
    if statements.is_empty() {
        return Ok(said);
    }
    let keyring = office.keyring();
    let trusted = keyring.trusted()?;
    let own: Vec<PublicKey> = keyring.own_keys()?.iter().map(OwnKey::public).collect();
    for statement in statements {
        let key = statement.key.fingerprint();
        // The keys of strangers are no concern, and would fill the list.
        if !own.contains(&statement.key) && !trusted.iter().any(|one| one.has(&key)) {
            continue;
        }
        let is_new = if dry_run {
            let noted = keyring.statements()?;
            !noted.iter().any(|one| one.key == statement.key && one.successor == statement.successor)
        } else {
            let is_new = keyring.note(statement)?;
            office.forget_trust();
            is_new
        };
        if is_new {
            said.push(told(office, statement)?);
        }
    }
    Ok(said)
}

/// Signs that the player's key is withdrawn (Z36). `now`: it counts here from then on, and the player's letters say so; otherwise the
/// statement is only made, to be kept for the day on which it is needed.
///
/// # Errors
/// If there is no key, it is not opened, or the statement cannot be noted.
pub fn withdraw(office: &Office<'_>, now: bool) -> Result<Statement, Trouble> {
    let key = office.unlocked(office.own_key()?)?;
    let statement = Statement::withdrawal(&key, today(office)?);
    if now {
        office.keyring().note(&statement)?;
        office.forget_trust();
    }
    Ok(statement)
}

/// The result of replacing the player's key.
#[derive(Debug)]
pub struct Succession {
    /// The fingerprint of the key before.
    pub was: String,
    /// The key that new games declare from now on.
    pub key: PublicKey,
    /// The statement by which the old key names it; none where the old one is withdrawn, because its word counts for nothing.
    pub statement: Option<Statement>,
    /// Whether an earlier run was cut off, and this is the key that it made.
    pub resumed: bool,
}

/// Makes the player a new key, signed by the old one as its successor (Z37). `passphrase` returns that of the new key; its argument says
/// whether the old one is locked.
///
/// # Errors
/// If there is no key, it is not opened, or the new one cannot be stored; then the old one counts.
pub fn rotate<E: From<Trouble>>(
    office: &Office<'_>,
    passphrase: impl FnOnce(bool) -> Result<Option<Zeroizing<String>>, E>,
) -> Result<Succession, E> {
    let keyring = office.keyring();
    let old = office.own_key()?;
    let (public, is_locked) = (old.public(), matches!(old, OwnKey::Locked(_)));
    let was = public.fingerprint();
    let (statement, resumed) = match keyring.finish_succession(&public).map_err(Trouble::from)? {
        Some(statement) => (Some(statement), true),
        None => {
            let is_withdrawn = withdrawn(&keyring.statements().map_err(Trouble::from)?, &was).is_some();
            let secret = office.unlocked(old).map_err(Trouble::from)?;
            let phrase = passphrase(is_locked)?;
            let random = |bytes: &mut [u8]| office.fill(bytes);
            let new = random_key(&random).map_err(Trouble::from)?;
            let statement = (!is_withdrawn)
                .then(|| Ok::<_, Trouble>(Statement::succession(&secret, &new, today(office)?)))
                .transpose()?;
            let phrase = phrase.as_ref().map(|phrase| phrase.as_str());
            keyring.succeed(&public, &new, phrase, statement.as_ref(), &random).map_err(Trouble::from)?;
            (statement, false)
        }
    };
    office.forget_trust();
    Ok(Succession { was, key: office.own_key()?.public(), statement, resumed })
}

/// Notes the statements in a text about any key. Returns them, and whether each is new.
///
/// # Errors
/// If one cannot be noted.
pub fn take(office: &Office<'_>, text: &str) -> Result<Vec<(Statement, bool)>, Trouble> {
    let keyring = office.keyring();
    let found = Statement::find(text).into_iter();
    let noted = found.map(|one| keyring.note(&one).map(|is_new| (one, is_new))).collect::<Result<_, _>>();
    office.forget_trust();
    Ok(noted?)
}

fn today(office: &Office<'_>) -> Result<NaiveDate, Trouble> {
    let now = office.now().utc().ok_or_else(|| Trouble::of("the system clock shows no day"))?;
    Ok(now.date_naive())
}

/// Says what a statement that was noted means.
///
/// # Errors
/// If the keys here cannot be read.
pub fn told(office: &Office<'_>, statement: &Statement) -> Result<Advice, Trouble> {
    let keyring = office.keyring();
    let key = statement.key.fingerprint();
    let is_own = keyring.own_of(&statement.key)?.is_some();
    let trusted = keyring.trusted()?;
    let of = trusted.iter().find(|one| one.has(&key));
    let who = of.map_or_else(|| "your opponent".to_owned(), |one| printable(&one.who).into_owned());
    let whose = match of {
        _ if is_own => "your own key".to_owned(),
        Some(_) => format!("the key of {who}"),
        None => "a key that is not known here".to_owned(),
    };
    let statements = keyring.statements()?;
    let elsewhere = "by some way other than mail";
    Ok(match (&statement.successor, withdrawn(&statements, &key)) {
        (None, _) if is_own => advice![
            format!(
                "{whose}, {key}, was withdrawn on {}: if that was not you, somebody else has it; ",
                statement.date
            ),
            Act::RotateKey,
            " makes you another"
        ],
        (None, _) => format!(
            "{whose}, {key}, was withdrawn on {}: its owner says so, or somebody else who has it. What it signs from now on is held back until \
             you agree, and no new game with it is taken; ask {who} {elsewhere} which key comes next",
            statement.date
        )
        .into(),
        (Some(_), Some(Withdrawn::Between(one, other))) => format!(
            "two keys claim to succeed {whose}, {key}: {} and {}. One of them was named by somebody else who has it, so that it counts as \
             withdrawn; ask {who} {elsewhere} which fingerprint is right",
            one.fingerprint(),
            other.fingerprint()
        )
        .into(),
        (Some(next), Some(Withdrawn::On(date))) => format!(
            "{whose}, {key}, which was withdrawn on {date}, names {} as its successor: anybody else who has it could say so; ask {who} \
             {elsewhere} which key comes next",
            next.fingerprint()
        )
        .into(),
        (Some(next), None) if is_own => {
            format!(
                "{whose}, {key}, names {} as its successor: if that was not you, somebody else has it",
                next.fingerprint()
            )
            .into()
        }
        (Some(next), None) => advice![
            format!(
                "{whose}, {key}, names {} as its successor: ask {who} {elsewhere} whether that is theirs, then ",
                next.fingerprint()
            ),
            Act::TrustKey(who.clone(), next.fingerprint(), true)
        ],
    })
}

/// Returns the fingerprints of the keys that count as withdrawn by what was said of keys.
pub(crate) fn withdrawn_of(statements: &[Statement]) -> Vec<String> {
    let mut all: Vec<String> = statements.iter().map(|one| one.key.fingerprint()).collect();
    all.sort();
    all.dedup();
    all.retain(|key| withdrawn(statements, key).is_some());
    all
}

/// Says since when a key with this fingerprint is withdrawn, to follow its name; nothing if it is not.
pub fn since(statements: &[Statement], fingerprint: &str) -> Option<String> {
    Some(match withdrawn(statements, fingerprint)? {
        Withdrawn::On(date) => format!("which was withdrawn on {date}"),
        Withdrawn::Between(..) => "which counts as withdrawn, because it names two successors".to_owned(),
    })
}

/// Returns what the player's letters say of keys.
///
/// # Errors
/// If it cannot be read.
pub fn carried(office: &Office<'_>) -> Result<Vec<String>, Trouble> {
    let own = office.keyring().own_statements()?;
    Ok(own.iter().map(Statement::line).collect())
}
