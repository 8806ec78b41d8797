//! `postrider invite`.

use std::process::ExitCode;

use serde::Serialize;

pub(crate) use crate::cli::hints::{Failure, name, shell};
use crate::cli::home::office;
use crate::cli::out::print;
use crate::cli::{input, refusals};
use crate::commands::accept;
use crate::commands::new;
use crate::commands::send;
use postrider_home::send::letters::SendOptions;
use postrider_kernel::Side;
use postrider_kernel::text::printable;

/// Invite somebody to a game by mail; accept or decline invitations
#[derive(Debug, clap::Args)]
#[command(after_help = include_str!("help/invite.txt"))]
pub(crate) struct Args {
    /// Your opponent: the mail address, or a name with the address in angle brackets
    #[arg(value_name = "NAME <MAIL>")]
    opponent: String,
    /// The game
    game: String,
    /// Your own side; by default the first one that `postrider games` names
    #[arg(long = "as", value_name = "SIDE")]
    side: Option<String>,
    #[command(flatten)]
    given: new::Given,
}

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    state: postrider_board::report::State<'a>,
    you: Option<&'static str>,
    sent: Option<send::Sent<'a>>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    // Both orders are understood: which of the two is the game is seen by its name.
    let (opponent, game) = match (input::game_named(&args.opponent), input::game_named(&args.game)) {
        (Some(_), None) => (&args.game, &args.opponent),
        _ => (&args.opponent, &args.game),
    };
    let info = input::game(game)?.info();
    let office = office()?;
    let settings = office.settings()?;
    let players = new::against_me(info, opponent, args.side.as_deref(), settings)?;
    if players.iter().any(|(_, email)| email.is_none()) {
        let failure =
            Failure::trouble("a letter needs two addresses: yours is in the settings, your opponent's is typed");
        return Err(failure.hint(match settings.email {
            None => "`postrider setup` asks for yours".to_owned(),
            Some(_) => format!("`postrider invite 'Bram Post <bram@example.net>' {}`", info.name),
        }));
    }
    let begun = new::record(game, &args.given, players, false)?;
    let Some(path) = &begun.path else {
        return Err(Failure::trouble("an invitation is sent from a file: it cannot go to standard output"));
    };
    let origin = name(path);
    let source = input::record(path)?;
    let desk = refusals::legal(&source, &origin)?;
    let own = crate::cli::home::side(&desk.opened);
    let due = desk.opened.table.standing().due.side;
    let word = |side: Side| info.sides[side.index()];
    let you = own.map(|own| format!("; you are {}", word(own).named())).unwrap_or_default();
    errln!("{origin} written{you}; {} {} to begin", word(due).named(), word(due).verb("are", "is"));
    if let Some(needed) = new::needed(&desk.opened) {
        err!("{}", crate::cli::hints::fitting(&format!("{needed}\n")));
    }
    let sent = send::deliver(&desk, path, &SendOptions::default()).map_err(|failure| match failure {
        Failure::Trouble(what, _) => Failure::trouble(what).hint(format!(
            "the record is safe in {}; `postrider send {}` sends the invitation",
            printable(&origin),
            shell(path)
        )),
        failure => failure,
    });
    if args.given.json {
        print(postrider_board::report::line(&Report {
            state: postrider_board::report::State::of(&origin, &desk.opened.header, &desk.opened.table.standing()),
            you: own.map(|own| word(own).word),
            sent: sent.as_ref().ok().and_then(send::sent),
        }))?;
    }
    err!("{}", crate::cli::hints::fitting(&send::told(&sent?)));
    // Of a game that the opponent begins, all that comes next has been said.
    if own == Some(due) {
        errln!("{}", accept::next_step(&desk.opened, own, path, settings));
    }
    Ok(ExitCode::SUCCESS)
}
