//! What leaves a host shows nobody the token of somebody else: words are cleaned before anything is made of them, letters once more before
//! they are kept, and a token that stands in a record, where nothing can be removed, is made void.

use std::path::Path;

use serde_json::json;

use super::ailing::Look;
use super::commands::game_of;
use super::did::Did;
use super::jobs::below;
use super::letters::{Saying, state};
use super::notes::{Game, Person, State, Worth};
use super::people::tap;
use super::play::side_of;
use super::scan::{self, Form};
use super::work::Work;
use postrider_home::office::Trouble;
use postrider_home::{hosting, records};
use postrider_kernel::Side;
use postrider_mail::Html;
use postrider_mail::incoming::Mail;

/// How many words are looked up one by one; beyond that the lists of tokens are read as a whole.
const ONE_BY_ONE: usize = 2_000;
/// How often tokens are made void for what the letters about that bring.
const ROUNDS: usize = 4;

/// To whom a token belongs.
enum Owner {
    Seat(Box<Game>, usize),
    Person(Box<Person>),
    /// That cannot be known: what is noted of its game is damaged.
    Unknown,
}

impl Work<'_, '_> {
    /// Returns to whom a token belongs; `None` if it is worth nothing.
    fn owner(&self, token: &str) -> Result<Option<Owner>, Trouble> {
        Ok(match self.worth_of(token)? {
            // A game that only a word in a letter leads to is not what the letter is about.
            Some(Worth::Seat(id, side)) => match self.game_or_damage(&id)? {
                Ok(game) => game
                    .filter(|game| side < 2 && self.token_of_seat(game, side) == token)
                    .map(|game| Owner::Seat(Box::new(game), side)),
                Err(_) => Some(Owner::Unknown),
            },
            Some(Worth::Person(name)) => self
                .person_by_name(&name)?
                .filter(|person| self.token_of_person(person) == token)
                .map(|person| Owner::Person(Box::new(person))),
            None => None,
        })
    }

    /// Whether a word has a file among the tokens.
    fn is_noted(&mut self, word: &str) -> Result<bool, Trouble> {
        if self.is_written(&below("tokens", word)) {
            return Ok(true);
        }
        let shard = word.get(..2).unwrap_or_default();
        if self.looked.none.len() < ONE_BY_ONE {
            return self.is_on_disk(&below("tokens", word));
        }
        if !self.looked.lists.contains_key(shard) {
            let list = self.names_in(&Path::new("tokens").join(shard))?;
            self.looked.lists.insert(shard.to_owned(), list);
        }
        Ok(self.looked.lists.get(shard).is_some_and(|list| list.contains(word)))
    }

    /// The address of the owner of a token that is worth something.
    fn owner_of(&mut self, word: &[u8]) -> Option<String> {
        if self.looked.none.contains(word) || self.looked.trouble.is_some() {
            return None;
        }
        let token = std::str::from_utf8(word).ok()?;
        if let Some(known) = self.looked.owners.get(token) {
            return known.clone();
        }
        let found = self.is_noted(token).and_then(|noted| if noted { self.owner(token).map(Some) } else { Ok(None) });
        match found {
            Ok(None) => {
                if self.looked.none.len() < ONE_BY_ONE {
                    self.looked.none.insert(word.to_vec());
                }
                None
            }
            Ok(Some(owner)) => {
                let address = owner.map(|owner| match owner {
                    Owner::Seat(game, side) => game.seats[side].address.clone(),
                    Owner::Person(person) => person.address,
                    Owner::Unknown => String::new(),
                });
                self.looked.owners.insert(token.to_owned(), address.clone());
                address
            }
            // Nothing leaves the host while it cannot be known what it shows.
            Err(trouble) => {
                self.looked.trouble = Some(trouble);
                None
            }
        }
    }

    /// Returns words that somebody wrote without any token that is worth something.
    pub(super) fn without_tokens(&mut self, text: &str) -> String {
        self.without_foreign(text, Form::Text, None, "").unwrap_or_else(|| text.to_owned())
    }

    /// Removes from the words of a message what shows that letters went to somebody: nothing that is made of them has it.
    pub(super) fn clean(&mut self, mail: &mut Mail, lines: &mut Vec<String>) {
        mail.name = self.without_tokens(&mail.name);
        mail.subject = self.without_tokens(&mail.subject);
        self.clean_lines(lines);
    }

    /// The same of lines that somebody wrote.
    pub(super) fn clean_lines(&mut self, lines: &mut Vec<String>) {
        // A token may have been broken at the end of a line.
        let text = lines.join("\n");
        if let Some(cleaned) = self.without_foreign(&text, Form::Text, None, "") {
            *lines = cleaned.split('\n').map(str::to_owned).collect();
        }
    }

    /// A text without tokens but those of its reader; `own` is that of the letter. `None` if it has none.
    fn without_foreign(&mut self, text: &str, form: Form, reader: Option<&str>, own: &str) -> Option<String> {
        let host = self.host;
        let address = host.address.rsplit_once('@').filter(|_| host.settings.plus);
        scan::without(text, form, address, own, &mut |word| {
            word != own.as_bytes()
                && self
                    .owner_of(&word)
                    .is_some_and(|owner| !reader.is_some_and(|one| postrider_mail::address::is_same(one, &owner)))
        })
    }

    /// The text of a letter to `reader` as it may leave.
    pub(super) fn leaving(&mut self, text: &str, reader: &str, own: &str) -> String {
        self.without_foreign(text, Form::Text, Some(reader), own).unwrap_or_else(|| text.to_owned())
    }

    /// The same of a text in HTML; `None` if it may leave as it is.
    pub(super) fn leaving_html(&mut self, html: &Html, reader: &str, own: &str) -> Option<Html> {
        let page = self.without_foreign(&html.page, Form::Html, Some(reader), own)?;
        Some(Html { page, ..html.clone() })
    }

    /// Notes the tokens in what can be neither changed nor held back.
    pub(super) fn expose(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let mut found = Vec::new();
        scan::each(&text, Form::Text, &mut |word| {
            if self.owner_of(&word).is_some() {
                found.push(String::from_utf8_lossy(&word).into_owned());
            }
        });
        self.looked.exposed.extend(found);
    }

    /// Notes the tokens in a page that is attached, but for what is in it only because every page has it: the program and pictures, in words
    /// longer than anything that a player writes without a blank.
    pub(super) fn expose_page(&mut self, page: &[u8]) {
        /// The longest word that is looked at, in bytes.
        const LONGEST: usize = 4_096;
        let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let mut rest = Vec::with_capacity(page.len().min(1 << 18));
        for word in page.split_inclusive(|byte| !is_of_word(byte)).filter(|word| word.len() <= LONGEST) {
            rest.extend_from_slice(word);
        }
        let mut found = Vec::new();
        scan::each(&String::from_utf8_lossy(&rest), Form::Html, &mut |word| {
            if self.owner_of(&word).is_some() {
                found.push(String::from_utf8_lossy(&word).into_owned());
            }
        });
        self.looked.exposed.extend(found);
    }

    /// Makes void what stands in records for others to read, and writes to its owners.
    ///
    /// # Errors
    /// If something cannot be read; then nothing of this work is done.
    pub(super) fn renew(&mut self) -> Result<(), Trouble> {
        for _ in 0..ROUNDS {
            for record in self.written_records() {
                self.expose(&record);
            }
            if let Some(trouble) = self.looked.trouble.take() {
                return Err(trouble);
            }
            let exposed = std::mem::take(&mut self.looked.exposed);
            if exposed.is_empty() {
                break;
            }
            self.looked.owners.clear();
            for token in exposed {
                match self.owner(&token)? {
                    Some(Owner::Seat(game, side)) => self.renew_seat(*game, side)?,
                    Some(Owner::Person(person)) => self.renew_person(*person)?,
                    Some(Owner::Unknown) => {
                        self.log(&Did::AddressSeenNoteDamaged, json!({}));
                    }
                    None => {}
                }
            }
        }
        Ok(())
    }

    fn renew_seat(&mut self, mut game: Game, side: usize) -> Result<(), Trouble> {
        game.seats[side].generation += 1;
        self.log(&Did::AddressSeen, json!({"id": game.id}));
        let said = "Your reply address in this game is in its record, where your opponent can read it. It is void from now on: please reply to \
                    this letter, which has a new one."
            .to_owned();
        match game.state {
            State::Running | State::Over => {
                if let Err(trouble) = self.renewed_letter(&mut game, side_of(side), said) {
                    // A game that cannot be played now holds up no other.
                    if self.host.fault_of(&game.id, Look::Quick)?.is_none() {
                        return Err(trouble);
                    }
                    let said = format!(
                        "Your reply address in the game {} is in a record, where others can read it. It is void from now on; the next letter \
                         of that game has a new one.",
                        game.id
                    );
                    self.tell(&game.seats[side].address.clone(), "A reply address is void", Saying::of([said]))?;
                }
            }
            State::Invited if side != game.by => {
                if let Some(kind) = game_of(&game.game) {
                    self.invitation(&game, kind, &[])?;
                }
            }
            State::Invited | State::Declined | State::Lapsed => {}
        }
        self.keep_game(&game);
        Ok(())
    }

    fn renewed_letter(&mut self, game: &mut Game, side: Side, said: String) -> Result<(), Trouble> {
        let record = self.record(&game.id)?;
        let desk = &records::on_desk(&record, &game.id)?;
        // A program is told the address by the letter about the position.
        if !hosting::is_kept(&desk.opened, side) {
            return self.position(game, side, desk, &super::letters::Beside::default());
        }
        let standing = desk.opened.table.standing();
        let mut saying = Saying::of([said, state(&desk.opened)]);
        if standing.outcome.is_none() && standing.due.side == side {
            saying.lists = true;
            saying.begin = desk.opened.header.info.stepwise;
        }
        self.about(game, side, desk, (None, "a new address for your replies"), saying)
    }

    fn renew_person(&mut self, mut person: Person) -> Result<(), Trouble> {
        person.generation += 1;
        self.keep_person(&person);
        self.log(&Did::AddressSeen, json!({"to": person.address}));
        let said = "One of your reply addresses is in the record of a game, where others can read it. It is void from now on: please reply \
                    to this letter, which has a new one."
            .to_owned();
        let mut saying = Saying::of([said]);
        saying.taps = vec![tap("my games")];
        self.tell(&person.address, "A new address for your replies", saying)
    }
}
