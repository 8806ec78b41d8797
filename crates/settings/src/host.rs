//! What a home does as a host.

use std::path::PathBuf;

use serde::Deserialize;
use serde_yaml::Spanned;

use super::Fault;
use postrider_kernel::text::printable;
use postrider_mail::address::parse_address;
use postrider_referee::record::Clock;

/// How a host behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSettings {
    /// Whether the mail system delivers `games+anything@` to `games@`; otherwise tokens stand in subjects.
    pub plus: bool,
    /// The clock of a game for which none is asked; `None` for none.
    pub clock: Option<String>,
    /// How many letters a person may cause in a day.
    pub letters_a_day: u32,
    /// How many people get their first letter in a day.
    pub first_letters_a_day: u32,
    /// What strangers may cause.
    pub limits: HostLimits,
    /// Whether the host claims time by itself in games for which nothing else is asked.
    pub forfeit: bool,
    /// The address of whoever runs the host, who is told of games that cannot be played.
    pub operator: Option<String>,
    /// The fingerprint of the host's key, so that a home that has lost it is known as such.
    pub key: Option<String>,
    /// What shows whether the host's secret is the right one.
    pub secret: Option<String>,
    /// The folder for a copy of each letter that is sent.
    pub copies: Option<PathBuf>,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            plus: true,
            clock: Some("5d leave 30d".to_owned()),
            letters_a_day: 40,
            first_letters_a_day: 200,
            limits: HostLimits::default(),
            forfeit: true,
            operator: None,
            key: None,
            secret: None,
            copies: None,
        }
    }
}

/// What strangers may cause at a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostLimits {
    /// How many letters in a day are answered of which nothing shows who wrote them, of one mailbox.
    pub unproven_answers: u32,
    /// How many invitations of one person to people who have never answered may be open, and how many may be sent in a day.
    pub open_invitations: u32,
    pub invitations_a_day: u32,
    /// After how many of them in a row that came to nothing there are none for a month.
    pub invitations_in_vain: u32,
    /// How many people of one domain who have never answered are invited in a day by people whose invitations nobody has accepted yet.
    pub invitations_to_a_domain: u32,
    /// How many days pass before somebody who has never answered is invited again, and how often that is done in all.
    pub days_between_invitations: u32,
    pub invitations_in_all: u32,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self {
            unproven_answers: 3,
            open_invitations: 3,
            invitations_a_day: 5,
            invitations_in_vain: 5,
            invitations_to_a_domain: 10,
            days_between_invitations: 30,
            invitations_in_all: 3,
        }
    }
}

/// The part `host` of the settings file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenHost {
    plus: Option<bool>,
    clock: Option<Spanned<String>>,
    letters_a_day: Option<u32>,
    first_letters_a_day: Option<u32>,
    unproven_answers_a_day: Option<u32>,
    open_invitations: Option<u32>,
    invitations_a_day: Option<u32>,
    invitations_in_vain: Option<u32>,
    invitations_to_a_domain_a_day: Option<u32>,
    days_between_invitations: Option<u32>,
    invitations_in_all: Option<u32>,
    forfeit: Option<bool>,
    operator: Option<Spanned<String>>,
    key: Option<String>,
    secret_check: Option<String>,
    copies: Option<PathBuf>,
}

impl WrittenHost {
    /// Fills in what is not said; a fault if the clock is none.
    pub(super) fn settled(self) -> Result<HostSettings, Fault> {
        let usual = HostSettings::default();
        let clock = match self.clock {
            None => usual.clock,
            Some(clock) if clock.value == "none" => None,
            Some(clock) => {
                Clock::read(&clock.value).map_err(|misfit| {
                    let (text, at) = (printable(&clock.value).into_owned(), misfit.offset + 1);
                    Fault(
                        clock.referenced,
                        format!("the clock `{text}` does not fit at character {at}: expected {}", misfit.expected),
                    )
                })?;
                Some(clock.value)
            }
        };
        if let Some(operator) = &self.operator {
            parse_address(&operator.value).map_err(|error| Fault(operator.referenced, error.to_string()))?;
        }
        Ok(HostSettings {
            key: self.key,
            secret: self.secret_check,
            copies: self.copies,
            operator: self.operator.map(|operator| operator.value),
            plus: self.plus.unwrap_or(usual.plus),
            clock,
            letters_a_day: self.letters_a_day.unwrap_or(usual.letters_a_day),
            first_letters_a_day: self.first_letters_a_day.unwrap_or(usual.first_letters_a_day),
            limits: HostLimits {
                unproven_answers: self.unproven_answers_a_day.unwrap_or(usual.limits.unproven_answers),
                open_invitations: self.open_invitations.unwrap_or(usual.limits.open_invitations),
                invitations_a_day: self.invitations_a_day.unwrap_or(usual.limits.invitations_a_day),
                // One that came to nothing says nothing of the next; none at all is what `open-invitations: 0` is for.
                invitations_in_vain: self.invitations_in_vain.unwrap_or(usual.limits.invitations_in_vain).max(1),
                invitations_to_a_domain: self
                    .invitations_to_a_domain_a_day
                    .unwrap_or(usual.limits.invitations_to_a_domain),
                days_between_invitations: self
                    .days_between_invitations
                    .unwrap_or(usual.limits.days_between_invitations),
                invitations_in_all: self.invitations_in_all.unwrap_or(usual.limits.invitations_in_all),
            },
            forfeit: self.forfeit.unwrap_or(usual.forfeit),
        })
    }
}
