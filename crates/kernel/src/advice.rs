//! Advice for a refusal: words for people, with the actions they may take as data. The front end that shows the advice decides how
//! an action is taken: by a command, a button or a letter.

/// Something that a player may do. Games have the names that the caller used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The name of a game, as one writes it.
    Name(String),
    /// Accept an invitation, maybe as a side.
    Accept(String, Option<&'static str>),
    /// Take an invitation that holds entries of one's own side.
    AcceptEntries(String),
    /// List the invitations.
    Invitations,
    /// Decline an invitation.
    Decline(String),
    /// Decline all invitations of one mailbox.
    DeclineFrom(String),
    /// Tell whose side is one's own.
    Own(String, &'static str),
    /// Look at the board.
    Show(String),
    /// List what may be entered.
    Moves(String),
    /// Make an entry: the game, and the entry if it is known.
    Move(String, Option<Again>),
    /// Make one's turn, of which a part is forced.
    Turn(String),
    /// Make an entry of one's own choice, and send it.
    MoveAndSend,
    /// Enter what is foreseen or forced.
    Answer(String),
    /// Take back an entry that was not sent.
    Undo(String),
    /// Mail a game.
    Send(String),
    /// Make an entry again with the present time, which a host has asked back, and mail it.
    DateAnew(String),
    /// Mail the answer that was drafted in a game.
    SendDraft(String),
    /// See the replies that are prepared.
    Conditions(String),
    /// Go on with a game against the machine.
    Practice(String),
    /// Judge a record, and show what is wrong.
    Verify(String),
    /// Judge records, and say how far each goes.
    Judge,
    /// Bring a record back as it was last known.
    Restore(String),
    /// Check by a published secret what was sealed.
    Audit(String),
    /// Publish a secret.
    PublishSecret(String),
    /// Bring a secret back from a backup.
    ImportSecret,
    /// Copy a secret into a backup.
    ExportSecret,
    /// Look at one's key.
    ShowKey,
    /// Make a key.
    NewKey,
    /// Make the successor of a key.
    RotateKey,
    /// Bring a key back from a backup.
    ImportKey,
    /// Trust a key: whose, its fingerprint, and whether in place of another.
    TrustKey(String, String, bool),
    /// Trust some key.
    TrustAKey,
    /// Look at two records that contradict each other.
    Evidence(Vec<String>),
    /// Begin a game: its name.
    New(Option<&'static str>),
    /// Begin a game again, with the options of one's own choice.
    BeginAnother,
    /// Begin a game that is played with nothing but letters.
    NewByMail,
    /// Invite somebody to a game.
    Invite(&'static str),
    /// Read mail again, now or later.
    Receive,
    /// Take what was held back in a game: its id, and the digits that name what is held.
    Agree(String, String),
    /// Say which of two keys is the right one.
    Seat,
    /// Give one's settings.
    Setup,
    /// Read the rule of a rulebook, or all of it.
    Rules(&'static str, Option<&'static str>),
    /// Set up a git repository of games.
    GitSetup,
    /// List the games that are known.
    Games,
    /// Check decks in a file.
    CheckDecks(String),
    /// Go on here with a game whose file is lost, because nothing was signed elsewhere that is not here: its id.
    Stay(String),
    /// Begin all over, or do a thing in a way that one has to ask for.
    Insist(Insist),
}

/// An entry that is to be made again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Its actions.
    pub actions: String,
    /// Its time.
    pub time: Option<String>,
    /// Its message.
    pub message: Option<String>,
}

impl Again {
    /// An entry with these actions, made now and without a message.
    #[must_use]
    pub fn of(actions: &str) -> Self {
        Self { actions: actions.to_owned(), time: None, message: None }
    }
}

/// What one has to ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Insist {
    /// Take the file as it is.
    Rewritten,
    /// Go on in spite of a key.
    DespiteKey,
    /// One has made no entries elsewhere.
    OnlyHere(String),
    /// Enter for this side.
    For(&'static str),
    /// Play this side.
    As(&'static str),
    /// Give the time of an entry.
    Time,
    /// What gives the time of an entry.
    OfTime,
    /// The same, with an example of how it is written.
    ThisTime,
    /// Give a message.
    Message,
    /// Declare no key.
    Unsigned,
    /// Give the opponent's address.
    To,
    /// Send or push once more.
    Force,
    /// Choose another place for a file.
    Output,
    /// Play a game that is not sealed, or do not.
    Open,
    /// Give an id.
    Id,
    /// Nothing was signed elsewhere in a game that is handed over.
    NowhereElse,
    /// No other machine has taken a game out of its file.
    Untaken,
    /// Give the passphrase.
    Passphrase,
}

/// A part of advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(String),
    /// Something to do.
    Act(Act),
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Act> for Part {
    fn from(act: Act) -> Self {
        Self::Act(act)
    }
}

impl From<Insist> for Part {
    fn from(insist: Insist) -> Self {
        Self::Act(Act::Insist(insist))
    }
}

/// Advice: words, and what one may do among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice(pub Vec<Part>);

impl Advice {
    /// Everything that it says may be done.
    pub fn acts(&self) -> impl Iterator<Item = &Act> {
        self.0.iter().filter_map(|part| match part {
            Part::Act(act) => Some(act),
            Part::Text(_) => None,
        })
    }

    /// Returns the advice in words; `write` writes each act.
    pub fn in_words(&self, write: impl Fn(&Act) -> String) -> String {
        self.0
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Act(act) => write(act),
            })
            .collect()
    }

    /// The same advice with more behind it.
    #[must_use]
    pub fn and(mut self, more: Advice) -> Self {
        self.0.extend(more.0);
        self
    }
}

impl<T: Into<Part>> From<T> for Advice {
    fn from(part: T) -> Self {
        Self(vec![part.into()])
    }
}

/// Advice of several parts, in order: words and acts.
#[macro_export]
macro_rules! advice {
    ($($part:expr),+ $(,)?) => {
        $crate::advice::Advice(vec![$($crate::advice::Part::from($part)),+])
    };
}
