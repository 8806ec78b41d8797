//! A host in memory, and people who write to it as people do.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use postrider_disk::disk::Memory;
use postrider_disk::folders::Folders;
use postrider_home::office::{Clock, Front, Locked, Notice, Office, Pages, Ports, Post, Randomness, Trouble};
use postrider_home::send::transport::{Receipt, SendError};
use postrider_host::{Done, Host};
use postrider_kernel::Side;
use postrider_mail::Message;
use postrider_mail::incoming;
use postrider_referee::record::Time;
use postrider_referee::sealing::SecretKey;
use postrider_settings::{GitSettings, MailSettings};
use postrider_vault::locked::LockedKey;

/// The host's address.
pub const ADDRESS: &str = "games@example.com";

/// The world around the host.
pub struct World {
    now: AtomicI64,
    random: AtomicU64,
    posted: Mutex<Vec<Vec<u8>>>,
    /// Whether the mail system refuses.
    refuses: AtomicBool,
}

impl Clock for World {
    fn now(&self) -> Time {
        Time(self.now.load(Ordering::Relaxed))
    }
}

impl Randomness for World {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        for byte in bytes {
            let next = self.random.load(Ordering::Relaxed).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            self.random.store(next, Ordering::Relaxed);
            *byte = (next >> 40) as u8;
        }
        Ok(())
    }
}

impl Pages for World {
    fn page(&self, record: &[u8], from: Side) -> Option<String> {
        postrider_page::page_of(record, from)
    }
}

impl Post for World {
    fn send(&self, letter: &Message<'_>, _: &MailSettings) -> Result<Receipt, SendError> {
        if self.refuses.load(Ordering::Relaxed) {
            return Err(SendError::NoLetters);
        }
        self.posted.lock().expect("a lock").push(letter.bytes());
        Ok(Receipt::Program("the test".to_owned()))
    }

    fn push(&self, _: &std::path::Path, _: &GitSettings, _: &str, _: (&str, &str)) -> Result<String, Trouble> {
        Err(Trouble::of("nothing is pushed"))
    }
}

impl Front for World {
    fn tell(&self, _: Notice) {}

    fn unlock(&self, _: &LockedKey) -> Result<SecretKey, Locked> {
        Err(Locked { why: "no key is locked".to_owned(), hint: Default::default() })
    }
}

/// A letter of the host's.
#[derive(Clone, Debug)]
pub struct Letter {
    pub to: String,
    pub from: String,
    pub subject: String,
    pub id: String,
    pub text: String,
    pub html: String,
    pub bytes: Vec<u8>,
}

impl Letter {
    pub fn read(bytes: Vec<u8>) -> Self {
        let mail = incoming::read(&bytes);
        let parsed = mail_parser::MessageParser::default().parse(&bytes).expect("a letter");
        Self {
            to: parsed
                .to()
                .and_then(|list| list.first())
                .and_then(|one| one.address())
                .expect("a recipient")
                .to_owned(),
            from: mail.from.clone().expect("a sender"),
            subject: parsed.subject().unwrap_or_default().to_owned(),
            id: mail.message_id.clone().expect("a Message-ID"),
            text: parsed.body_text(0).expect("a text").into_owned(),
            html: parsed.body_html(0).map(|html| html.into_owned()).unwrap_or_default(),
            bytes,
        }
    }

    /// Whether it is more than text.
    pub fn shows(&self) -> bool {
        String::from_utf8_lossy(&self.bytes).to_lowercase().contains("text/html")
    }

    /// The links to be tapped: the address, the subject and the text of the reply that each makes.
    pub fn taps(&self) -> Vec<(String, String, String)> {
        let decoded = |text: &str| {
            let mut bytes = Vec::new();
            let mut rest = text.bytes();
            while let Some(byte) = rest.next() {
                if byte == b'%' {
                    let digits: String = rest.by_ref().take(2).map(char::from).collect();
                    bytes.push(u8::from_str_radix(&digits, 16).expect("two digits"));
                } else {
                    bytes.push(byte);
                }
            }
            String::from_utf8(bytes).expect("UTF-8")
        };
        let links = self.html.split("href=\"mailto:").skip(1).filter_map(|rest| rest.split('"').next());
        let tap = |link: &str| {
            let link = link.replace("&amp;", "&");
            let (to, rest) = link.split_once("?subject=").expect("a subject");
            let (subject, rest) = rest.split_once("&body=").expect("a text");
            let body = rest.split("&In-Reply-To").next().expect("a text");
            (decoded(to), decoded(subject), decoded(body))
        };
        links.map(tap).collect()
    }
}

/// A host's home in memory.
pub struct Hosted {
    pub memory: Memory,
    pub folders: Folders,
    pub world: World,
    letters: Mutex<VecDeque<Letter>>,
    count: AtomicU64,
    /// A letter to each who has asked for something, to which the next wish is a reply.
    asked: Mutex<BTreeMap<String, Letter>>,
}

impl Hosted {
    pub fn new() -> Self {
        Self::with("")
    }

    /// A host whose letters have no pictures, which take the longest to make.
    pub fn plain() -> Self {
        Self::with("mail:\n  letter: text\n")
    }

    /// A host with further lines in its settings.
    pub fn with(settings: &str) -> Self {
        Self::set_up(&format!("{settings}host:\n  plus: true\n"))
    }

    /// A host with further lines in its settings, and in the part of them that is about hosts.
    pub fn with_lines(settings: &str, host: &str) -> Self {
        Self::set_up(&format!("{settings}host:\n  plus: true\n{host}"))
    }

    /// A host with further lines in the part of its settings that is about hosts.
    pub fn with_host(settings: &str) -> Self {
        Self::set_up(&format!("mail:\n  letter: text\nhost:\n  plus: true\n{settings}"))
    }

    /// A host whose mail system does not deliver `games+anything@` to `games@`.
    pub fn without_plus() -> Self {
        Self::set_up("host:\n  plus: false\n")
    }

    fn set_up(settings: &str) -> Self {
        let memory = Memory::new();
        let folders = Folders::in_memory(&memory);
        let text = format!("name: The Mill\nemail: {ADDRESS}\n{settings}");
        folders.disk.private_folder(&folders.config).expect("a folder");
        folders.disk.create_private(&folders.settings_file(), text.as_bytes()).expect("settings");
        let host = Self::at(memory);
        Host::set_up(&host.office(), false).expect("a key and a secret");
        host
    }

    /// A host whose files are there.
    pub fn at(memory: Memory) -> Self {
        let folders = Folders::in_memory(&memory);
        Self::in_folders(memory, folders)
    }

    /// A host whose home is on the disk.
    #[cfg(unix)]
    pub fn at_home(home: &std::path::Path) -> Self {
        Self::in_folders(Memory::new(), Folders::at(home))
    }

    fn in_folders(memory: Memory, folders: Folders) -> Self {
        let world = World {
            now: AtomicI64::new(1_795_600_000),
            random: AtomicU64::new(5),
            posted: Mutex::default(),
            refuses: AtomicBool::new(false),
        };
        Self { memory, folders, world, letters: Mutex::default(), count: AtomicU64::new(0), asked: Mutex::default() }
    }

    pub fn office(&self) -> Office<'_> {
        let world = &self.world;
        Office::new(
            self.folders.clone(),
            Ports { clock: world, randomness: world, post: world, pages: world, front: world },
        )
    }

    /// Lets all that is drawn at random from now on be other than it would be.
    pub fn draw(&self, seed: u64) {
        self.world.random.store(seed, Ordering::Relaxed);
    }

    /// Lets time pass, in which the host has run as it should.
    pub fn later(&self, seconds: i64) {
        self.away(seconds);
        let file = self.folders.host().join("runs");
        if let Ok(bytes) = self.folders.disk.read(&file, 1024) {
            let mut runs: serde_json::Value = serde_json::from_slice(&bytes).expect("a note");
            runs["ran"] = serde_json::json!(self.world.now().0);
            self.folders.disk.put_private(&file, runs.to_string().as_bytes()).expect("a note");
        }
    }

    /// Lets time pass in which nothing runs.
    pub fn away(&self, seconds: i64) {
        self.world.now.fetch_add(seconds, Ordering::Relaxed);
    }

    pub fn refuse(&self, refuses: bool) {
        self.world.refuses.store(refuses, Ordering::Relaxed);
    }

    /// Hands a message over, and lets the host do what is to be done.
    pub fn deliver(&self, message: &[u8]) -> Done {
        let office = self.office();
        let host = Host::open(&office).expect("a host");
        host.take(message).expect("it is taken");
        let done = host.run(&|_| {}).expect("a run");
        self.collect();
        done
    }

    /// Lets the host do what is to be done without a message.
    pub fn run(&self) -> Done {
        let office = self.office();
        let done = Host::open(&office).expect("a host").run(&|_| {}).expect("a run");
        self.collect();
        done
    }

    fn collect(&self) {
        let mut letters = self.letters.lock().expect("a lock");
        letters.extend(std::mem::take(&mut *self.world.posted.lock().expect("a lock")).into_iter().map(Letter::read));
    }

    /// All letters that came since the last call.
    pub fn letters(&self) -> Vec<Letter> {
        self.collect();
        self.letters.lock().expect("a lock").drain(..).collect()
    }

    /// The one letter that came, to this address.
    pub fn letter_to(&self, address: &str) -> Letter {
        let mut letters = self.letters();
        assert_eq!(letters.len(), 1, "{:?}", letters.iter().map(|one| (&one.to, &one.subject)).collect::<Vec<_>>());
        let letter = letters.remove(0);
        assert_eq!(letter.to, address, "{}", letter.subject);
        letter
    }

    fn next_id(&self) -> String {
        format!("m{}@mail.example.org", self.count.fetch_add(1, Ordering::Relaxed))
    }

    /// A letter that answers none.
    pub fn fresh(&self, from: &str, subject: &str, text: &str) -> Vec<u8> {
        let id = self.next_id();
        format!(
            "From: {from}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\nMessage-ID: <{id}>\r\nDate: {}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n",
            self.world.now().utc().expect("a date").to_rfc2822()
        )
        .into_bytes()
    }

    /// A reply to a letter as mail programs make it, with the letter quoted.
    pub fn reply(&self, from: &str, to: &Letter, text: &str) -> Vec<u8> {
        let id = self.next_id();
        let quoted: String = to.text.lines().take(12).map(|line| format!("> {line}\r\n")).collect();
        format!(
            "From: {from}\r\nTo: {}\r\nSubject: Re: {}\r\nMessage-ID: <{id}>\r\nIn-Reply-To: <{}>\r\nReferences: <{}>\r\nDate: {}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
             {text}\r\n\r\nOn Wed, 25 Nov 2026 at 12:00, The Mill <{ADDRESS}> wrote:\r\n{quoted}",
            to.from, to.subject, to.id, to.id, self.world.now().utc().expect("a date").to_rfc2822()
        )
        .into_bytes()
    }

    /// A reply that a tap makes: a new letter, with no thread.
    pub fn tap(&self, from: &str, letter: &Letter, body: &str) -> Vec<u8> {
        let taps = letter.taps();
        let found = taps.iter().find(|(_, _, text)| text == body);
        let (to, subject, body) = found.unwrap_or_else(|| panic!("no tap says {body}: {taps:?}"));
        let id = self.next_id();
        format!(
            "From: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{id}>\r\nDate: {}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n",
            self.world.now().utc().expect("a date").to_rfc2822()
        )
        .into_bytes()
    }

    /// The record of a game.
    pub fn record(&self, id: &str) -> Vec<u8> {
        let games: PathBuf = self.folders.games();
        self.folders.disk.read_record(&games.join(format!("{id}.pbem"))).expect("a record")
    }

    /// Asks for something, by a fresh letter at first and by replies from then on, says yes if asked whether it was meant, and returns all
    /// letters that follow.
    pub fn asked(&self, from: &str, words: &str) -> Vec<Letter> {
        let address = from.split('<').nth(1).map_or(from, |rest| rest.trim_end_matches('>'));
        let known = self.asked.lock().expect("a lock").get(address).cloned();
        self.deliver(&match &known {
            Some(letter) => self.reply(from, letter, words),
            None => self.fresh(from, words, ""),
        });
        let letters = self.letters();
        let Some(question) = letters.iter().find(|letter| postrider_mail::address::is_same(&letter.to, address)) else {
            return letters;
        };
        self.asked.lock().expect("a lock").insert(address.to_owned(), question.clone());
        if !question.subject.starts_with("Was it you?") {
            return letters;
        }
        self.deliver(&self.reply(from, question, "yes"));
        self.letters()
    }
}

/// A text on one line.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The id of the game that a letter is about.
pub fn id_of(letter: &Letter) -> String {
    let rest = letter.subject.split("[pbem] ").nth(1).unwrap_or_else(|| panic!("no game: {}", letter.subject));
    rest.split_whitespace().next().expect("an id").to_owned()
}

/// The letter to an address.
pub fn to<'l>(letters: &'l [Letter], address: &str) -> &'l Letter {
    let found: Vec<&Letter> = letters.iter().filter(|letter| letter.to == address).collect();
    let told = || letters.iter().map(|one| (&one.to, &one.subject)).collect::<Vec<_>>();
    assert_eq!(found.len(), 1, "{address}: {:?}", told());
    found[0]
}
