//! Outcomes and advice as data for a page: words in which what may be done is called by its name there, and the names of what one has
//! to insist on, for buttons.

use serde_json::{Value, json};

use postrider_home::office::Trouble;
use postrider_home::receive::refusal::{Refusal, Told};
use postrider_home::receive::{Event, Here};
use postrider_kernel::advice::{Act, Advice, Insist};
use postrider_kernel::text::printable;
use postrider_referee::rulebook;
use postrider_referee::verdict::{Opened, Ruling};
use postrider_requests::{of_players, refused_entry};

/// Advice in words.
pub(super) fn advice(advice: &Advice) -> String {
    of_players(&advice.in_words(written))
}

/// What a player may do, by the name that it has in a page.
fn written(act: &Act) -> String {
    match act {
        Act::Name(name) | Act::Show(name) | Act::Moves(name) | Act::Turn(name) => name.clone(),
        Act::Accept(_, None) => "“Accept”".into(),
        Act::Accept(_, Some(side)) => format!("“Accept” as {side}"),
        Act::AcceptEntries(_) => "“Accept it with these moves”".into(),
        Act::Invitations => "“My games”".into(),
        Act::Decline(_) | Act::DeclineFrom(_) => "“Decline”".into(),
        Act::Own(_, side) => format!("“I am {side}”"),
        Act::Move(_, None) | Act::MoveAndSend => "“Enter”".into(),
        Act::Move(_, Some(again)) => format!("“{}”", printable(&again.actions)),
        Act::Answer(_) => "the button with the forced move".into(),
        Act::Undo(_) => "“Take back: it was not sent”".into(),
        Act::Send(_) | Act::SendDraft(_) => "“The letter”".into(),
        Act::DateAnew(_) => "“Date it anew”".into(),
        Act::Conditions(_) => "“Prepared replies”".into(),
        Act::Verify(_) | Act::Judge => "“The verdict”".into(),
        Act::Restore(_) => "“Restore”".into(),
        Act::Audit(_) => "“Audit”".into(),
        Act::PublishSecret(_) => "“Publish the secret”".into(),
        Act::ImportSecret => "“Import secrets”".into(),
        Act::ExportSecret => "“Back up”".into(),
        Act::ShowKey => "“Keys”".into(),
        Act::NewKey => "“Make a key”".into(),
        Act::RotateKey => "“Make a new key”".into(),
        Act::ImportKey => "“Import a key”".into(),
        Act::TrustKey(who, fingerprint, _) => format!("“Trust” {} with {fingerprint}", printable(who)),
        Act::TrustAKey => "“Trust”".into(),
        Act::Evidence(files) => files.join(" and "),
        Act::New(_) | Act::BeginAnother | Act::NewByMail | Act::Invite(_) => "“Begin”".into(),
        Act::Receive => "“A letter came”".into(),
        Act::Agree(..) => "“Take it all the same”".into(),
        Act::Seat => "“It is this key”".into(),
        Act::Setup => "“My name and address”".into(),
        Act::Rules(_, None) => "“The rules”".into(),
        Act::GitSetup => "the program".into(),
        Act::Games => "“New game”".into(),
        Act::Rules(_, Some(rule)) => format!("rule {rule}"),
        Act::CheckDecks(file) | Act::Practice(file) => file.clone(),
        Act::Stay(_) => "“Go on here”".into(),
        Act::Insist(insist) => insisted(insist).to_owned(),
    }
}

fn insisted(insist: &Insist) -> &'static str {
    match insist {
        Insist::Rewritten => "“Take the game as it is”",
        Insist::DespiteKey => "“Go on in spite of the key”",
        Insist::OnlyHere(_) | Insist::NowhereElse => "“I have made no moves elsewhere”",
        Insist::Untaken => "“No other machine has opened it”",
        Insist::For(_) | Insist::As(_) => "the other side",
        Insist::Time | Insist::OfTime | Insist::ThisTime => "a time of your own",
        Insist::Message => "the message",
        Insist::Unsigned => "“Without my key”",
        Insist::To => "the opponent's address",
        Insist::Force => "“Once more”",
        Insist::Output => "another file",
        Insist::Open => "“Open”",
        Insist::Id => "an id",
        Insist::Passphrase => "the passphrase",
    }
}

/// The names of what one may insist on, or do next, for buttons.
pub(super) fn acts(advice: &Advice) -> Vec<Value> {
    let named = |act: &Act| {
        Some(match act {
            Act::Insist(Insist::Rewritten) => json!("accept-rewritten"),
            Act::Insist(Insist::DespiteKey) => json!("despite-key"),
            Act::Insist(Insist::OnlyHere(_) | Insist::NowhereElse) => json!("only-here"),
            Act::Insist(Insist::Unsigned) => json!("unsigned"),
            Act::Insist(Insist::Force) => json!("force"),
            Act::Insist(Insist::Passphrase) => json!("passphrase"),
            Act::Insist(Insist::Untaken) => json!("untaken"),
            Act::Stay(id) => json!({ "stay": id }),
            Act::AcceptEntries(_) => json!("despite-entries"),
            Act::Undo(_) => json!("unsent"),
            Act::DateAnew(game) => json!({ "date-anew": game }),
            Act::Agree(game, digits) => json!({ "agree": game, "digits": digits }),
            Act::Accept(_, Some(side)) | Act::Own(_, side) => json!({ "side": side }),
            Act::Insist(Insist::As(side)) => json!({ "side": side }),
            Act::TrustKey(who, fingerprint, instead) => {
                json!({ "trust": who, "fingerprint": fingerprint, "instead": instead })
            }
            Act::Move(_, Some(again)) => {
                json!({ "enter": again.actions, "time": again.time, "message": again.message })
            }
            _ => return None,
        })
    };
    advice.acts().filter_map(named).collect()
}

/// Why something was not done.
pub(super) fn trouble(trouble: &Trouble) -> Value {
    let told = |what: &str, help: Option<&Advice>, rule: Option<&str>| {
        json!({
            "message": of_players(what), "advice": help.map(advice), "acts": help.map(acts).unwrap_or_default(), "rule": rule,
            "text": rule.and_then(text_of),
        })
    };
    match trouble {
        Trouble::Obstacle(what, help) => told(what, help.as_ref(), None),
        Trouble::Refused { what, advice, rule } => told(what, advice.as_ref(), *rule),
        Trouble::Entry { typed, verdict, advice: help, .. } => {
            let mut refused = refused_entry(verdict.game, typed, verdict)["refused"].take();
            refused["message"] = refused["message"].as_str().map(of_players).into();
            refused["advice"] = help.as_ref().map(advice).into();
            refused["acts"] = json!([]);
            refused
        }
        Trouble::Record { record, verdict, .. } => {
            let mut refused = told(&trouble.to_string(), None, None);
            refused["verdict"] = postrider_requests::judged(record, verdict);
            refused
        }
        Trouble::File(error) => told(&error.to_string(), None, None),
    }
}

/// The text of a rule of the envelope or of sealing.
fn text_of(rule: &str) -> Option<String> {
    let book = if rule.starts_with('Z') { "sealing" } else { "record" };
    rulebook::find(book)?.section(rule)
}

/// What is not taken of a letter, as notices: why, by which rule if there is one, what stands there instead, and what may be done.
pub(super) fn not_taken(event: &Event) -> Vec<Value> {
    let note = |text: String| json!({ "kind": "note", "text": text });
    match event {
        Event::Refused(refusal) => refused(refusal, note),
        Event::Settled { id, how, then } => vec![note(format!("{id}: {how}{}", advice(then)))],
        _ => Vec::new(),
    }
}

fn refused(refusal: &Refusal, note: impl Fn(String) -> Value) -> Vec<Value> {
    let told = refusal.told(advice).into_iter().map(|told| match told {
        Told::Why(text) => {
            let mut why = note(text);
            if let Some(rule) = refusal.why.rule() {
                why["rule"] = rule.into();
            }
            why
        }
        Told::Beside(text) => note(text),
        Told::Advice(text) => json!({ "kind": "hint", "text": text, "acts": acts(&refusal.advice) }),
    });
    told.collect()
}

/// What happened while a letter was read: the game, if it is about one, and what to say.
pub(super) fn event(event: &Event) -> Option<Value> {
    let told = |kind: &str, game: Option<&str>, text: String| Some(json!({ "kind": kind, "game": game, "text": text }));
    match event {
        Event::Statement { said, .. } => told("statement", None, advice(said)),
        Event::AskedBack { id, entry } => {
            let what = format!(
                "the host has not entered your move {entry}, because of its time: date it anew, and send the letter again"
            );
            let mut value = told("asked-back", Some(id), what)?;
            value["acts"] = acts(&Advice::from(Act::DateAnew(id.clone()))).into();
            Some(value)
        }
        Event::NothingNew { id, entries, here } => {
            let what = match here {
                Here::Further => "yours goes further",
                Here::Same => "yours is the same",
                Here::SameButRemarks => "yours is the same except for remarks",
            };
            let mut value = told("known", Some(id), format!("nothing new, up to move {entries}: {what}"))?;
            value["shows"] = (!matches!(here, Here::Further)).into();
            Some(value)
        }
        Event::Entry { id, line, invitation } => {
            let what = if *invitation { "the invitation has grown" } else { "accepted" };
            let mut value = told("entry", Some(id), format!("{what}: {}", printable(line)))?;
            value["shows"] = true.into();
            Some(value)
        }
        Event::Asides { id, last } => told("entry", Some(id), format!("accepted: what stands below move {last}")),
        Event::Seat { id, side, fingerprint, told: how } => told(
            "seat",
            Some(id),
            format!("{} {} the key {fingerprint}: {}", side.named(), side.verb("have", "has"), advice(how)),
        ),
        Event::Over { id, result } => told("over", Some(id), result.clone()),
        Event::Due { id, side, forced, .. } => {
            let forced = if *forced { ", and the move is forced" } else { "" };
            told("due", Some(id), format!("{} {} due{forced}", side.named(), side.verb("are", "is")))
        }
        Event::Invited { id, new } => {
            let moves = |made: u32| if made == 1 { "1 move".to_owned() } else { format!("{made} moves") };
            let what = new.as_ref().map(|(game, made)| format!(": {game}, {}", moves(*made))).unwrap_or_default();
            let mut value = told("invited", Some(id), format!("you are invited{what}"))?;
            value["shows"] = true.into();
            Some(value)
        }
        Event::DeclinedBefore { id } => told("declined", Some(id), "you declined this game before".into()),
        Event::Declined { id, name, .. } => told("declined", Some(id), format!("{name} does not want to play")),
        Event::NotYet { id } => told("said", Some(id), "the opponent says: not yet".into()),
        Event::Resigns { id, name, back: false } => {
            told("said", Some(id), format!("{name} resigns, which is entered as soon as you have made your move"))
        }
        Event::Resigns { id, name, back: true } => {
            told("said", Some(id), format!("{name} takes it back, and goes on with the game"))
        }
        Event::Said { id, text } => told("said", Some(id), format!("a letter without a move: {text}")),
        Event::EnteredFor { id, side, line, instead, words, beside } => {
            let mut text = format!("entered for {}: {}", side.named(), printable(line));
            text.extend(instead.iter().map(|before| format!(", in place of {before}")));
            text.extend(words.iter().map(|words| format!("; understood from “{words}”")));
            text.extend(beside.iter().map(|beside| format!("; the letter also says: {beside}")));
            told("entry", Some(id), text)
        }
        Event::Answered { id, line } => told("entry", Some(id), format!("answered: {}", printable(line))),
        Event::Receipt { entry, .. } => told("receipt", None, format!("signed a receipt for move {entry}")),
        Event::Illegal { record, verdict, .. } => {
            let id = Opened::new(record).ok().map(|opened| opened.header.id.clone().into_owned());
            let word = match verdict.ruling {
                Ruling::Legal => "refused",
                ruling => ruling.word(),
            };
            let text = of_players(&format!("refused: the game in this letter is {word}: {verdict}"));
            let mut value = told("illegal", id.as_deref(), text)?;
            value["verdict"] = postrider_requests::judged(record, verdict);
            Some(value)
        }
        Event::Failed { about, trouble: why } => {
            let mut value = trouble(why);
            value["kind"] = "failed".into();
            value["text"] = value["message"].take();
            value["about"] = about.as_deref().into();
            Some(value)
        }
        Event::Refused(_) | Event::Settled { .. } | Event::Delivered(_) | Event::Done { .. } => None,
    }
}
