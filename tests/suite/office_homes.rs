//! A whole sealed and signed game between two homes in memory, by letters alone, through the office: no file, no process, no network.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};

use postrider_disk::disk::Memory;
use postrider_disk::folders::Folders;
use postrider_home::entry::moves;
use postrider_home::entry::moves::{Options, Outcome};
use postrider_home::entry::openings;
use postrider_home::invite::begin;
use postrider_home::invite::begin::{To, Wanted};
use postrider_home::invite::invitations;
use postrider_home::keys::Keys;
use postrider_home::office::{Clock, Front, Locked, Notice, Office, Pages, Ports, Post, Randomness, Trouble};
use postrider_home::own_game::OwnGame;
use postrider_home::receive::inbox::Taker as _;
use postrider_home::receive::{Receiving, Ways};
use postrider_home::send::letters;
use postrider_home::send::letters::{Place, SendOptions};
use postrider_home::send::transport::{Receipt, SendError};
use postrider_home::{records, secrets};
use postrider_kernel::Side;
use postrider_mail::Message;
use postrider_referee::desk::Desk;
use postrider_referee::desk::audit;
use postrider_referee::desk::audit::Proof;
use postrider_referee::record::Time;
use postrider_referee::registry;
use postrider_referee::sealing::SecretKey;
use postrider_referee::verdict::{Opened, Ruling, verify};
use postrider_settings::{GitSettings, MailSettings};
use postrider_vault::locked::LockedKey;

use postrider_testing::random::Stream;

/// The hour, which moves on with each entry, for everybody.
static HOUR: AtomicI64 = AtomicI64::new(0);

/// The world around one home.
struct World {
    seed: AtomicU8,
    posted: Mutex<Vec<Vec<u8>>>,
}

impl Clock for World {
    fn now(&self) -> Time {
        Time(1_795_000_000 + 3600 * HOUR.load(Ordering::Relaxed))
    }
}

impl Randomness for World {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), String> {
        bytes.iter_mut().for_each(|byte| *byte = self.seed.fetch_add(7, Ordering::Relaxed).wrapping_mul(31));
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

/// A home in memory, with a key of its own.
struct Home {
    memory: Memory,
    folders: Folders,
    world: World,
}

impl Home {
    fn new(name: &str, email: &str, seed: u8) -> Self {
        let memory = Memory::new();
        let folders = Folders::in_memory(&memory);
        let world = World { seed: AtomicU8::new(seed), posted: Mutex::default() };
        let settings = format!("name: {name}\nemail: {email}\n");
        folders.disk.private_folder(&folders.config).expect("a folder");
        folders.disk.create_private(&folders.settings_file(), settings.as_bytes()).expect("settings");
        let home = Self { memory, folders, world };
        home.office().keyring().make(None, &|bytes| home.world.fill(bytes)).expect("a key");
        home
    }

    fn office(&self) -> Office<'_> {
        let world = &self.world;
        Office::new(
            self.folders.clone(),
            Ports { clock: world, randomness: world, post: world, pages: world, front: world },
        )
    }

    fn file(&self, id: &str) -> PathBuf {
        let office = self.office();
        office.settings().expect("settings").games_folder().join(format!("{id}.pbem"))
    }

    /// Takes what the other home has posted.
    fn receive(&self, other: &Home) {
        let office = self.office();
        let letters = std::mem::take(&mut *other.world.posted.lock().expect("a lock"));
        assert!(!letters.is_empty(), "nothing was posted");
        let hear = |_| {};
        let mut receiving = Receiving::new(&office, Ways::default(), &hear).expect("a home");
        for letter in letters {
            receiving.take("a letter", None, &letter).expect("it is taken");
        }
        receiving.finish(false);
        assert_eq!((receiving.count().refused, receiving.troubles()), (0, 0));
    }

    /// Makes the entry that is due, forced or chosen, and mails it; returns whether the game is over.
    fn play(&self, id: &str, stream: &mut Stream, resign: bool) -> bool {
        HOUR.fetch_add(1, Ordering::Relaxed);
        let (office, file) = (self.office(), self.file(id));
        let place = Place { file: &file, name: id };
        let options = Options { send: true, sure: true, ..Options::default() };
        let take = || {
            let (lock, source) = records::take(&office, place).expect("a record");
            (Some(lock), source)
        };
        let mark = self.memory.mark();
        let _ = self.memory.opened();
        let made = match moves::answer(&office, place, false, &options, take()) {
            Ok(Outcome::Made(made)) => Ok(Outcome::Made(made)),
            _ => {
                let entry = if resign { "resign".to_owned() } else { self.choose(&file, stream) };
                let _ = self.memory.opened();
                // As the next command does.
                moves::enter(&self.office(), place, &entry, &options, take())
            }
        };
        let Outcome::Made(made) = made.unwrap_or_else(|trouble| panic!("{trouble}")) else {
            panic!("nothing was made")
        };
        assert!(made.entered.key.is_some() && made.sent.is_ok(), "{:?}", made.sent);
        self.has_read_once(mark);
        made.desk().expect("a record").opened.table.standing().outcome.is_some()
    }

    /// Since this was last asked, no file was read twice, but for notes that others may change too: they are read again before they are
    /// changed, and the lists of keys all together; and where the game is played is asked again before a signature is
    /// noted, and after.
    fn has_read_once(&self, mark: u64) {
        let written = self.memory.changes_since(mark).put;
        let has_pinned = written.iter().any(|(file, _)| file.ends_with("keys/pinned"));
        for (file, count) in self.memory.opened() {
            let is_changed = file.ends_with(".sides") && written.iter().any(|(one, _)| *one == file);
            let is_asked_again = is_changed || has_pinned && file.contains("keys/");
            let most = if file.contains("data/elsewhere/") { 3 } else { 1 + u64::from(is_asked_again) };
            assert!(count <= most, "{file} was read {count} times for one entry that was made and sent");
        }
    }

    /// An entry as a player would choose it, who sees what only that side may see.
    fn choose(&self, file: &std::path::Path, stream: &mut Stream) -> String {
        let office = self.office();
        let source = self.folders.disk.read_record(file).expect("a record");
        let desk = Desk::open(&source).expect("it is legal");
        let side = desk.opened.table.standing().due.side;
        let after = openings::after_openings(&office, &desk.opened).expect("the secret is here");
        let list = after.map_or_else(|| desk.opened.table.moves(), |after| after.moves());
        let fights: Vec<_> = list.iter().filter(|entry| entry.contains('x')).collect();
        let chosen = match fights.is_empty() || stream.below(3) == 0 {
            true => &list[stream.below(list.len())],
            false => fights[stream.below(fights.len())],
        };
        match desk.opened.header.info.samples.placeholder(chosen) {
            Some(word) if word.word != "accept" => (word.example)(side, &mut |below| stream.below(below)),
            _ => chosen.clone(),
        }
    }
}

#[test]
fn a_sealed_and_signed_game_is_played_between_two_homes_in_memory() {
    let (ada, bram) = (Home::new("Ada", "ada@example.org", 3), Home::new("Bram", "bram@example.net", 90));
    let game = registry::find("assassyn").expect("a game");
    let options = ["deployment=sealed".to_owned()];
    let wanted = Wanted { id: Some("assassyn-in-memory"), options: &options, ..Wanted::default() };
    let players = [
        ("Ada".to_owned(), Some("ada@example.org".to_owned())),
        ("Bram".to_owned(), Some("bram@example.net".to_owned())),
    ];
    let id = "assassyn-in-memory";
    let begun = begin::game(&ada.office(), game, &wanted, &players, To::Games).expect("a game");
    assert_eq!(begun.path.as_deref(), Some(&*ada.file(id)));

    // Ada invites, Bram accepts.
    let place = Place { file: &ada.file(id), name: id };
    let desk = Desk::open(begun.text.as_bytes()).expect("it is legal");
    letters::deliver(&OwnGame::new(&ada.office(), id), &desk, place, &SendOptions::default()).expect("it is sent");
    bram.receive(&ada);
    let options = invitations::Options::default();
    let accepted = invitations::accept(&bram.office(), id, &bram.file(id), &options, &mut |_| {}).expect("accepted");
    assert_eq!(accepted.own, Some(Side::Second));

    let mut stream = Stream(11);
    let (mut here, mut there) = (&ada, &bram);
    if Desk::open(&accepted.record).expect("legal").opened.table.standing().due.side == Side::Second {
        (here, there) = (there, here);
    }
    for number in 1..=40 {
        let over = here.play(id, &mut stream, number >= 30);
        there.receive(here);
        let due = |home: &Home| {
            let source = home.folders.disk.read_record(&home.file(id)).expect("a record");
            let desk = Desk::open(&source).expect("it is legal");
            let office = home.office();
            let mine = OwnGame::new(&office, id).find(&desk.opened).expect("known").expect("a side");
            // A dry look by the owner reveals nothing to the record.
            let _ = Keys::new(&office, &desk.opened, mine, true);
            mine == desk.opened.table.standing().due.side
        };
        if over {
            break;
        }
        if !due(here) {
            std::mem::swap(&mut here, &mut there);
        }
    }

    // At the end both publish, and everything is proven.
    for (home, other) in [(&ada, &bram), (&bram, &ada)] {
        let file = home.file(id);
        secrets::publish_and_send(&home.office(), Place { file: &file, name: id }).expect("it is published");
        other.receive(home);
    }
    for home in [&ada, &bram] {
        let source = home.folders.disk.read_record(&home.file(id)).expect("a record");
        let verdict = verify(&source);
        assert!(verdict.ruling == Ruling::Legal && verdict.outcome.is_some(), "{verdict}");
        let mut opened = Opened::with_chain(&source).expect("a record");
        opened.replay(u32::MAX);
        let report = audit::report(&opened).expect("a sealed game");
        assert!(matches!(report.proof, Proof::Proven), "{:?}", report.proof);
    }
}
