//! Questions and answers, at a terminal or from a pipe.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, IsTerminal as _};

use crate::cli::hints;
use crate::cli::hints::Failure;
use crate::cli::out::print;
use crate::cli::view;
use postrider_board::render::sheet::folded;
use postrider_kernel::text::printable;
use postrider_settings::{Tls, is_loopback};

/// The answer that goes back a question.
const BACK: &str = "<";

/// The answer that asks what a question means.
const WHAT: &str = "?";

/// How often a question is repeated after an invalid answer that comes from a pipe.
const MOST_TRIES: usize = 5;

/// A question, and what is said of it to somebody who answers `?`.
#[derive(Clone, Copy)]
pub(super) struct Asked(pub(super) &'static str, pub(super) &'static str);

/// Asks on standard output and reads from standard input.
///
/// The answers are kept, so that `<` goes back a question: everything is asked again, and what was answered before that question
/// answers itself. What was answered to the questions from there on is offered again.
pub(super) struct Asker {
    line: String,
    given: Vec<String>,
    /// What was last typed in answer to each question, after so many choices of a list: the questions about the server that takes letters
    /// are those about the one that has them. It stays while another way is tried.
    earlier: BTreeMap<(usize, &'static str), String>,
    /// How many of those given have answered in this round, and how many of these were choices of a list.
    at: usize,
    choices: usize,
    /// Whether the player went back.
    back: bool,
    /// Whether somebody sits there who can try again.
    terminal: bool,
}

/// Shows a text, folded to fit the terminal.
pub(super) fn say(text: impl AsRef<str>) -> Result<(), Failure> {
    print(hints::within(text.as_ref(), view::columns().unwrap_or(usize::MAX)))
}

/// The only line of a list whose text has this word.
fn only_one_that_says<'l>(list: &'l [(String, &'static str)], word: &str) -> Option<&'l (String, &'static str)> {
    let mut saying = list
        .iter()
        .filter(|(label, _)| label.split(|c: char| !c.is_alphanumeric()).any(|part| part.eq_ignore_ascii_case(word)));
    saying.next().filter(|_| saying.next().is_none())
}

impl Asker {
    pub(super) fn new() -> Self {
        let terminal = io::stdin().is_terminal();
        Self {
            line: String::new(),
            given: Vec::new(),
            earlier: BTreeMap::new(),
            at: 0,
            choices: 0,
            back: false,
            terminal,
        }
    }

    /// Asks whether to go through the questions again, which offer what was answered; from a pipe nobody is asked.
    pub(super) fn again(&mut self) -> Result<bool, Failure> {
        if !self.terminal {
            return Ok(false);
        }
        let question = Asked(
            "Go through the questions again, with your answers in brackets?",
            "With `no` the program ends, and what you have typed is gone.",
        );
        let again = self.yes(question, true)?;
        self.given.clear();
        (self.at, self.choices) = (0, 0);
        Ok(again)
    }

    /// The failure of answers that do not fit together: at a terminal, everything is asked again with these answers in brackets.
    pub(super) fn misfit(&mut self, why: &str) -> Failure {
        let what = format!("these do not fit: {}", printable(why));
        if self.terminal {
            errln!("{what}");
            self.given.clear();
            self.back = true;
        }
        Failure::trouble(what)
    }

    /// Returns whether what follows was answered before, and so is not said again.
    pub(super) fn is_again(&self) -> bool {
        self.at < self.given.len()
    }

    /// Returns whether the failure just now was the wish to go back a question; then everything is asked from the start.
    pub(super) fn goes_back(&mut self) -> bool {
        (self.at, self.choices) = (0, 0);
        std::mem::take(&mut self.back)
    }

    /// Reads one answer, without its line end.
    fn answer(&mut self) -> Result<&str, Failure> {
        self.line.clear();
        let read = io::stdin().lock().read_line(&mut self.line);
        match read {
            Ok(0) => Err(Failure::trouble("the answers ended before the questions: nothing more was written")),
            Ok(_) => Ok(self.line.trim()),
            Err(error) => Err(Failure::trouble(format!("no answer can be read: {error}"))),
        }
    }

    /// Asks until the answer is valid. `known` is the default for pressing Enter.
    pub(super) fn text(
        &mut self,
        Asked(question, about): Asked,
        known: Option<&str>,
        fits: &dyn Fn(&str) -> Result<(), String>,
    ) -> Result<String, Failure> {
        if let Some(given) = self.given.get(self.at) {
            self.at += 1;
            return Ok(given.clone());
        }
        let earlier = self.earlier.get(&(self.choices, question)).filter(|answer| fits(answer).is_ok());
        let known = earlier.cloned().or_else(|| known.map(str::to_owned));
        let known = known.filter(|known| !known.is_empty());
        let mut tries = 0;
        while self.terminal || tries < MOST_TRIES {
            let offer = known.as_deref().map(|known| format!(" [{}]", printable(known))).unwrap_or_default();
            say(format!("{question}{offer}: "))?;
            let typed = self.answer()?.to_owned();
            let answer = match (typed.as_str(), &known) {
                (WHAT, _) => {
                    say(format!("  {about}\n"))?;
                    continue;
                }
                (BACK, _) if self.given.is_empty() => {
                    say("  this is the first question\n")?;
                    tries += 1;
                    continue;
                }
                (BACK, _) => {
                    self.given.pop();
                    self.back = true;
                    return Err(Failure::trouble("back"));
                }
                ("", Some(known)) => known.clone(),
                ("", None) => {
                    say("  an answer is needed; `?` says more\n")?;
                    tries += 1;
                    continue;
                }
                (answer, _) => answer.to_owned(),
            };
            match fits(&answer) {
                Ok(()) => {
                    // What was offered may be something else the next time.
                    if !typed.is_empty() {
                        self.earlier.insert((self.choices, question), answer.clone());
                    }
                    self.given.push(answer.clone());
                    self.at = self.given.len();
                    return Ok(answer);
                }
                Err(why) => say(format!("  {}\n", printable(&why)))?,
            }
            tries += 1;
        }
        Err(Failure::trouble("no answer fits: nothing more was written"))
    }

    /// Like [`Self::text`], but `-`, or an empty answer without a default, leaves it empty.
    pub(super) fn optional(
        &mut self,
        question: Asked,
        known: Option<&str>,
        fits: &dyn Fn(&str) -> Result<(), String>,
    ) -> Result<Option<String>, Failure> {
        let known = Some(known.filter(|known| !known.is_empty()).unwrap_or("-"));
        let answer = self.text(question, known, &|text| if text == "-" { Ok(()) } else { fits(text) })?;
        Ok(Some(answer).filter(|answer| answer != "-"))
    }

    /// Asks for one item of a list, by number or word; Enter takes the first. Returns the word.
    pub(super) fn choice(
        &mut self,
        Asked(question, about): Asked,
        list: &[(String, &'static str)],
    ) -> Result<&'static str, Failure> {
        if !self.is_again() {
            say(format!("\n{question}\n"))?;
            for (index, (label, word)) in list.iter().enumerate() {
                // Below each other, beside their words.
                let room = view::columns().unwrap_or(usize::MAX).saturating_sub(15).max(20);
                let label = folded(&printable(label), room).join(&format!("\n{:15}", ""));
                say(format!("  {}  {word:9} {label}\n", index + 1))?;
            }
        }
        let chosen = |text: &str| {
            let by_number = text.parse::<usize>().ok().and_then(|number| list.get(number.checked_sub(1)?));
            let by_word = || list.iter().find(|(_, word)| *word == text);
            by_number.or_else(by_word).or_else(|| only_one_that_says(list, text)).map(|(_, word)| *word)
        };
        const WHICH: &str = "Number or word";
        let answer = self.text(Asked(WHICH, about), Some("1"), &|text| match chosen(text) {
            Some(_) => Ok(()),
            None => Err(format!("type a number from 1 to {}, or one of the words", list.len())),
        })?;
        let word = chosen(&answer).unwrap_or_default();
        // The next list may have another number for it.
        if let Some(earlier) = self.earlier.get_mut(&(self.choices, WHICH)) {
            word.clone_into(earlier);
        }
        self.choices += 1;
        Ok(word)
    }

    /// Asks how the connection to a server is encrypted.
    pub(super) fn word(&mut self, question: Asked, known: Tls, host: &str) -> Result<Tls, Failure> {
        let answer = self.text(question, Some(known.word()), &|text| match Tls::named(text) {
            None => Err("type starttls, implicit or none".into()),
            Some(Tls::None) if !is_loopback(host) => {
                Err(format!("{host} is not this machine: without TLS everybody on the way could read it"))
            }
            Some(_) => Ok(()),
        })?;
        Ok(Tls::named(&answer).unwrap_or(known))
    }

    /// Asks yes or no.
    pub(super) fn yes(&mut self, question: Asked, known: bool) -> Result<bool, Failure> {
        let offer = if known { "yes" } else { "no" };
        let read = |text: &str| match text.to_ascii_lowercase().as_str() {
            "y" | "yes" => Some(true),
            "n" | "no" => Some(false),
            _ => None,
        };
        let answer =
            self.text(question, Some(offer), &|text| read(text).map(|_| ()).ok_or_else(|| "type yes or no".into()))?;
        Ok(read(&answer).unwrap_or(known))
    }
}
