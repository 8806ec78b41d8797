//! The words of people and mail programs, in the languages that are read. They stand in `notation/words`, one file a language; here they
//! become one table, and no code knows a language. Read when the first word is looked up.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use postrider_notation::words::LANGUAGES;

/// Makes the meanings with their names in the files.
macro_rules! meanings {
    ($($meaning:ident = $name:literal,)*) => {
        /// What words are for; `notation/words/en.txt` says it of each.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Meaning {
            $($meaning,)*
        }

        /// All meanings, by their names.
        const MEANINGS: &[(&str, Meaning)] = &[$(($name, Meaning::$meaning),)*];
    };
}

meanings! {
    // What mail programs write.
    Sender = "sender",
    Field = "field",
    Wrote = "wrote",
    Opening = "opening",
    OpeningLate = "opening-late",
    BehindWrote = "behind-wrote",
    HourWord = "hour-word",
    HourSign = "hour-sign",
    Quoting = "quoting",
    Speaker = "speaker",
    OldLetter = "old-letter",
    SentWith = "sent-with",
    Device = "device",
    Notice = "notice",
    NoticePart = "notice-part",
    NoticeLabel = "notice-label",
    NoticeWord = "notice-word",
    NoticeWordWeak = "notice-word-weak",
    OfOneself = "of-oneself",
    // What people write round an entry: words that stand for a mark of the notation.
    To = "to",
    Takes = "takes",
    Jumps = "jumps",
    From = "from",
    On = "on",
    And = "and",
    AndLater = "and-later",
    Then = "then",
    First = "first",
    Move = "move",
    Facing = "facing",
    North = "north",
    East = "east",
    South = "south",
    West = "west",
    One = "one",
    Two = "two",
    Three = "three",
    Four = "four",
    Five = "five",
    Six = "six",
    Seven = "seven",
    Eight = "eight",
    Put = "put",
    PutBeside = "put-beside",
    // What people write round an entry: words that leave it as it is.
    Greeting = "greeting",
    Thanks = "thanks",
    Courtesy = "courtesy",
    Please = "please",
    Harmless = "harmless",
    Corrects = "corrects",
    // What people write round an entry: words by which it is only mentioned.
    Doubt = "doubt",
    Retracts = "retracts",
    Question = "question",
    Asked = "asked",
    GameEnd = "game-end",
    // What is said in words that are known as a whole.
    EndTurn = "end-turn",
    NotAll = "not-all",
    Resigns = "resigns",
    Draw = "draw",
    OffersDraw = "offers-draw",
    AcceptsDraw = "accepts-draw",
    Agrees = "agrees",
    AgreesBeside = "agrees-beside",
    Declines = "declines",
    NotYet = "not-yet",
    WantsUndo = "wants-undo",
    WantsDraw = "wants-draw",
    WantsToStop = "wants-to-stop",
    WantsPause = "wants-pause",
    WantsHelp = "wants-help",
}

/// The words of each meaning, sorted.
type Table = BTreeMap<Meaning, Vec<&'static str>>;

static TABLE: LazyLock<Table> = LazyLock::new(|| table(LANGUAGES.iter().map(|(_, text)| *text)));

impl Meaning {
    /// The words and phrases that have it, in all languages, sorted.
    pub(crate) fn words(self) -> &'static [&'static str] {
        TABLE.get(&self).map_or(&[], Vec::as_slice)
    }

    /// Whether a word or a phrase, in small letters, has it.
    pub(crate) fn has(self, word: &str) -> bool {
        self.words().binary_search(&word).is_ok()
    }

    /// Whether a text begins with one of its phrases, as words.
    pub(crate) fn begins(self, text: &str) -> bool {
        self.words().iter().any(|phrase| {
            let rest = text.strip_prefix(phrase);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    }
}

/// Meanings that are another one too, so that a word stands in one list.
const IMPLIED: [(Meaning, Meaning); 3] =
    [(Meaning::AndLater, Meaning::And), (Meaning::Retracts, Meaning::Doubt), (Meaning::Please, Meaning::Harmless)];

/// The words of some files.
fn table(texts: impl Iterator<Item = &'static str>) -> Table {
    let mut table = Table::new();
    for (name, word) in texts.flat_map(words) {
        if let Some((_, meaning)) = MEANINGS.iter().find(|(known, _)| *known == name) {
            table.entry(*meaning).or_default().push(word);
        }
    }
    for (meaning, implied) in IMPLIED {
        let words = table.get(&meaning).cloned().unwrap_or_default();
        table.entry(implied).or_default().extend(words);
    }
    for words in table.values_mut() {
        words.sort_unstable();
        words.dedup();
    }
    table
}

/// The words of a file, each with the name of the list in which it stands.
fn words(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut name = "";
    text.lines().filter(|line| !line.starts_with('#')).flat_map(move |line| {
        let words = match line.split_once(':').filter(|_| !line.starts_with(' ')) {
            Some((begun, words)) => {
                name = begun;
                words
            }
            None => line,
        };
        let list = name;
        words.split('|').map(str::trim).filter(|word| !word.is_empty()).map(move |word| (list, word))
    })
}

#[cfg(test)]
mod tests;
