//! Whole games of all five kinds by letters alone, between people who answer as people do: above and below what they quote, in HTML, in
//! other languages, with thanks, signatures and capitals, and with questions in between.

use postrider_referee::verdict::{Ruling, verify};
use postrider_testing::random::Stream;

use super::people::{Hosted, Letter, flat, id_of, to};
use super::{ADA, ADDRESSES, BRAM, chosen, first_side};

/// The most entries of a game.
const MOST: usize = 12;

/// How somebody answers a letter: the body of the message, and whether it is HTML. `QUOTE` stands for the letter, marked, `COPY` for the
/// letter as it is, `HTML` for it in HTML, and `MOVE` for the entry.
struct Manner {
    name: &'static str,
    body: &'static str,
    is_html: bool,
    /// How the entry is written.
    typed: fn(&str) -> String,
}

const fn manner(name: &'static str, body: &'static str) -> Manner {
    Manner { name, body, is_html: false, typed: str::to_owned }
}

const MANNERS: &[Manner] = &[
    manner("alone", "MOVE"),
    manner("above the letter", "MOVE\n\nOn Wed, 25 Nov 2026 at 12:00, The Mill <games@example.com> wrote:\n\nQUOTE"),
    manner("below the letter", "On 25/11/2026 12:00, The Mill wrote:\nQUOTE\n\nMOVE"),
    manner(
        "below the letter in German",
        "Am 25.11.26 um 12:00 schrieb The Mill:\nQUOTE\n\nMOVE\n\nViele Gr\u{fc}\u{df}e\nBram",
    ),
    manner(
        "above the letter in French",
        "Bonjour,\n\nMOVE\n\nMerci, \u{e0} bient\u{f4}t !\n\nLe mer. 25 nov. 2026 \u{e0} 12:00, The Mill <games@example.com> a \u{e9}crit :\n\nQUOTE",
    ),
    manner(
        "as Outlook does",
        "Hi,\n\nMOVE\n\nBest regards,\nBram Post\n\n-----Original Message-----\nFrom: The Mill <games@example.com>\nSent: Wednesday, November 25, 2026 \
         12:00 PM\nTo: Bram Post\nSubject: Re: your game\n\nCOPY",
    ),
    manner(
        "as Outlook does in German",
        "MOVE\n\nGru\u{df} Bram\n\n________________________________\nVon: The Mill <games@example.com>\nGesendet: Mittwoch, 25. November 2026 12:00\nAn: \
         Bram Post\nBetreff: Re: your game\n\nCOPY",
    ),
    manner(
        "with a signature",
        "MOVE\n\n-- \nAda Quill\n12 Mill Lane, Ely\nTel. +44 1353 000000\n\nOn 25 Nov 2026 The Mill wrote:\nQUOTE",
    ),
    manner(
        "from a telephone",
        "MOVE\n\nSent from my iPhone\n\n> On 25 Nov 2026, at 12:00, The Mill <games@example.com> wrote:\n> \nQUOTE",
    ),
    manner("with thanks above", "Thanks for the quick reply!\n\nMOVE\n\nOn 25 Nov 2026 The Mill wrote:\nQUOTE"),
    manner("with a greeting and a name", "Dear Bram,\n\nMOVE\n\nAll the best\nAda"),
    manner("with please", "MOVE please\n\nOn 25 Nov 2026 The Mill wrote:\nQUOTE"),
    manner("with a smiley", "MOVE :-)"),
    manner("with a full stop", "MOVE."),
    manner("introduced", "My move: MOVE"),
    Manner { typed: str::to_uppercase, ..manner("in capitals", "MOVE") },
    Manner { typed: str::to_lowercase, ..manner("in small letters", "MOVE\n\nOn 25 Nov 2026 The Mill wrote:\nQUOTE") },
    Manner {
        is_html: true,
        ..manner(
            "in HTML above the letter",
            "<div dir=\"ltr\">MOVE<div><br></div><div>Cheers, Ada</div></div><br><div class=\"gmail_quote\"><div dir=\"ltr\" class=\"gmail_attr\">On Wed, \
             25 Nov 2026 at 12:00, The Mill &lt;<a href=\"mailto:games@example.com\">games@example.com</a>&gt; wrote:<br></div><blockquote \
             class=\"gmail_quote\">HTML</blockquote></div>",
        )
    },
    Manner {
        is_html: true,
        ..manner(
            "in HTML below the letter",
            "<p>On 25/11/2026 12:00, The Mill wrote:</p><blockquote type=\"cite\">HTML</blockquote><p>Thanks!</p><p>MOVE</p>",
        )
    },
    Manner {
        is_html: true,
        ..manner(
            "in HTML as Outlook does",
            "<div class=WordSection1><p class=MsoNormal>MOVE<o:p></o:p></p><p class=MsoNormal>&nbsp;</p><div><div style='border:none;border-top:solid \
             #E1E1E1 1.0pt'><p class=MsoNormal><b>From:</b> The Mill &lt;games@example.com&gt;<br><b>Sent:</b> Wednesday, November 25, 2026 12:00 \
             PM<br><b>To:</b> Ada Quill<br><b>Subject:</b> your game</p></div></div>HTML</div>",
        )
    },
];

/// What people write in between, which enters nothing, and what one of the letters that follow says.
const BETWEEN: &[(&str, &[&str])] = &[
    ("how do I play?", &["Reply with your move on a line of its own", "has yet to move. You get a letter then"]),
    ("undo", UNDO),
    ("Sorry, I am busy this week, I will move on Sunday", PASSED_ON),
    ("Undo my last move please", UNDO),
    ("pause", &["You may take leave, which stops your clock"]),
    ("What does this picture show?", PASSED_ON),
    ("quit", &["To give up this game, reply \"resign\""]),
    ("show", &["It is your turn", "is to move next"]),
    ("rules", &["Reply with your move on a line of its own", "has yet to move. You get a letter then"]),
    ("How long do I have?", PASSED_ON),
];

const UNDO: &[&str] = &["A move cannot be taken back here", "nothing to take back"];
const PASSED_ON: &[&str] = &["writes to you:", "was not passed on to"];

/// Letters as their readers see them.
fn told(letters: &[Letter]) -> String {
    letters.iter().map(|letter| format!("{}\n{}", letter.to, letter.text)).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A reply in a manner.
fn reply(host: &Hosted, from: &str, letter: &Letter, manner: &Manner, entry: &str) -> Vec<u8> {
    let typed = (manner.typed)(entry);
    let quoted: String = letter.text.lines().map(|line| format!("> {line}\n")).collect();
    let inner = letter.html.split("<body>").nth(1).and_then(|rest| rest.split("</body>").next());
    let shown = inner.map_or_else(|| format!("<pre>{}</pre>", escaped(&letter.text)), str::to_owned);
    let body = match manner.is_html {
        true => manner.body.replace("HTML", &shown).replace("MOVE", &escaped(&typed)),
        false => manner.body.replace("QUOTE", &quoted).replace("COPY", &letter.text).replace("MOVE", &typed),
    };
    let whole = String::from_utf8(host.reply(from, letter, "")).expect("text");
    let head = whole.split("\r\n\r\n").next().expect("a head");
    let form = if manner.is_html { "text/html" } else { "text/plain" };
    format!("{}\r\n\r\n{}\r\n", head.replace("text/plain", form), body.replace('\n', "\r\n")).into_bytes()
}

/// Games in which each answers in the next manner, and in between says something else.
#[derive(Default)]
struct Played {
    stumbles: Vec<String>,
    /// How many entries were made, and how often something was said in between.
    made: usize,
    said: usize,
}

/// A game that is played by letters.
struct Correspondence<'h> {
    host: &'h Hosted,
    game: &'static str,
    id: String,
    /// The last letter to each.
    last: [Letter; 2],
}

impl<'h> Correspondence<'h> {
    fn begun(host: &'h Hosted, game: &'static str) -> Self {
        host.asked(ADA, "Hello! I would like to play here.");
        let letters = host.asked(ADA, &format!("play {game} with bram@example.net as {}", first_side(game)));
        host.deliver(&host.reply(BRAM, to(&letters, ADDRESSES[1]), "Yes, gladly!"));
        let letters = host.letters();
        assert_eq!(letters.len(), 2, "{game}: {}", told(&letters));
        let last = ADDRESSES.map(|address| to(&letters, address).clone());
        Self { host, game, id: id_of(&letters[0]), last }
    }

    /// Somebody writes two hours later; the letters that follow.
    fn write(&mut self, message: &[u8]) -> Vec<Letter> {
        self.host.deliver(message);
        let letters = self.host.letters();
        for letter in &letters {
            self.last[usize::from(letter.to == ADDRESSES[1])] = letter.clone();
        }
        self.host.later(7_200);
        letters
    }

    /// Something is said that is no entry.
    fn say(&mut self, who: usize, (words, answers): (&str, &[&str]), played: &mut Played) {
        let record = self.host.record(&self.id);
        let letters = self.write(&self.host.reply([ADA, BRAM][who], &self.last[who], words));
        let is_answered = letters.iter().any(|letter| answers.iter().any(|answer| flat(&letter.text).contains(answer)));
        let is_entered = self.host.record(&self.id) != record;
        if is_entered || !is_answered {
            let what = if is_entered { "it entered something" } else { "it was not answered" };
            played.stumbles.push(format!("{}: {words}: {what}:\n{}", self.game, told(&letters)));
        }
        played.said += 1;
    }

    /// An entry is made in a manner.
    fn enter(&mut self, who: usize, entry: &str, manner: &Manner, played: &mut Played) {
        let before = entries_of(self);
        let letters = self.write(&reply(self.host, [ADA, BRAM][who], &self.last[who], manner, entry));
        if entries_of(self) == before {
            played.stumbles.push(format!("{}: {}: {entry}\n{}", self.game, manner.name, told(&letters)));
            self.write(&self.host.reply([ADA, BRAM][who], &self.last[who], entry));
        }
        let record = String::from_utf8_lossy(&self.host.record(&self.id)).into_owned();
        if !record.contains("secrecy: sealed") && !record.contains(&format!(" {entry} @")) {
            played.stumbles.push(format!("{}: {}: not {entry}:\n{record}", self.game, manner.name));
        }
        played.made += 1;
    }

    /// Who waits gives up, and the other moves: the game is over.
    fn end(&mut self, (who, entry): (usize, &str), played: &mut Played) {
        let waits = 1 - who;
        let noted = self.write(&self.host.reply([ADA, BRAM][waits], &self.last[waits], "I resign, well played!"));
        assert!(flat(&told(&noted)).contains("Noted: you resign."), "{}", told(&noted));
        let letters = self.write(&self.host.reply([ADA, BRAM][who], &self.last[who], entry));
        if letters.len() != 2 || !letters.iter().all(|letter| letter.text.contains("The game is over")) {
            played.stumbles.push(format!("{}: it is not over: {entry}\n{}", self.game, told(&letters)));
        }
        assert_eq!(verify(&self.host.record(&self.id)).ruling, Ruling::Legal);
    }
}

/// How many entries a game has.
fn entries_of(game: &Correspondence<'_>) -> u32 {
    verify(&game.host.record(&game.id)).entries
}

#[test]
fn people_play_whole_games_of_each_kind_whichever_way_they_answer() {
    let mut played = Played::default();
    for (game, seed) in [("asalto", 1), ("assideum", 14), ("assassyn", 3), ("subsume", 8), ("mission-combat", 5)] {
        // Pictures take the longest, so that one game has them.
        let host = if game == "assassyn" { Hosted::new() } else { Hosted::plain() };
        let mut letters = Correspondence::begun(&host, game);
        let mut stream = Stream(seed);
        for nth in 0..MOST {
            let Some((side, entry)) = chosen(&host, &letters.id, &mut stream) else { break };
            // Now who is due says something, now who waits, now nobody.
            let who = side.index();
            if let Some(speaks) = [Some(who), Some(1 - who), None][nth % 3] {
                letters.say(speaks, BETWEEN[played.said % BETWEEN.len()], &mut played);
            }
            letters.enter(who, &entry, &MANNERS[played.made % MANNERS.len()], &mut played);
        }
        if let Some((side, entry)) = chosen(&host, &letters.id, &mut stream) {
            letters.end((side.index(), &entry), &mut played);
        }
    }
    let Played { stumbles, made, said } = played;
    assert!(stumbles.is_empty(), "{} stumbles:\n{}", stumbles.len(), stumbles.join("\n----\n"));
    assert!(made >= 2 * MANNERS.len() && said >= 3 * BETWEEN.len(), "{made} {said}");
}
