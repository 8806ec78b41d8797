//! `postrider perft`.

use std::io;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::hints::Failure;
use crate::cli::input;
use crate::cli::out::print;
use crate::cli::progress::Foreseen;
use postrider_kernel::Options;
use postrider_referee::desk::growth::{Growth, in_powers};
use postrider_referee::judging::Table;
use postrider_referee::registry::AnyGame;

/// Count sequences of legal entries, for comparison with other programs
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "postrider perft [OPTIONS] <GAME> <DEPTH>\n       postrider perft [OPTIONS] --game <GAME> <DEPTH>",
    after_help = include_str!("help/perft.txt")
)]
pub(crate) struct Args {
    /// The game (unless `--game` names it), and how many entries deep
    #[arg(required = true, num_args = 1..=2, value_name = "GAME DEPTH")]
    words: Vec<String>,
    /// The game
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The position to count from, instead of the game's start
    #[arg(long, value_name = "POS")]
    position: Option<String>,
    /// A rule option of the game
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<String>,
    /// Count only the ways to split points in which each share is a multiple of N (Mission: Combat!)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=999))]
    grain: Option<u32>,
    /// Count for each first entry separately
    #[arg(long)]
    divide: bool,
    /// Count however long it takes
    #[arg(long)]
    exact: bool,
}

/// A count that takes longer is estimated.
const MOST: Duration = Duration::from_secs(3600);
/// A count of a smaller depth, which is only made for an estimate, may take so long.
const MOST_BEFORE: Duration = Duration::from_secs(20);
/// If the next count takes longer than this, in seconds, the counts before it say enough about the deepest one.
const ENOUGH: f64 = 0.2;
/// So many sequences must have been counted before: the first entries of a game are unlike the others, and on a busy machine even a
/// few sequences can take long.
const SEEN: u64 = 10_000;
/// For each entry of depth, counting needs a little of the stack.
const STACK: usize = 64 << 20;

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let usage = || Failure::trouble("a game and a depth are needed").hint("`postrider perft asalto 4`");
    let (game, depth) = match (args.words.as_slice(), &args.game) {
        ([game, depth], None) => (game, depth),
        ([depth], Some(game)) => (game, depth),
        _ => return Err(usage()),
    };
    let game = input::game(game)?;
    let depth =
        depth.parse().map_err(|_| Failure::trouble(format!("`{depth}` is not a depth: a depth is a whole number")))?;
    let options = input::options(game, &args.option)?;
    let setup = Setup { game, options, position: args.position.clone(), grain: args.grain, divide: args.divide };
    // What is wrong with it is said here.
    drop(setup.table()?);
    let (rows, count) = match args.exact {
        true => setup.count(depth)?,
        false => match counted(&setup, depth) {
            Ok(Some(counted)) => counted,
            // No further thread is allowed.
            Ok(None) => setup.count(depth)?,
            Err(growth) => {
                print(format!("about {}\n", in_powers(growth.estimate(depth))))?;
                errln!(
                    "note: counting these would take more than an hour; there are {} sequences of depth {}, from which the number \
                     is estimated (`--exact` counts all the same)",
                    growth.count(),
                    growth.depth()
                );
                return Ok(ExitCode::SUCCESS);
            }
        },
    };
    let lines: String = rows.iter().map(|(entry, nodes)| format!("{entry}: {nodes}\n")).collect();
    print(format!("{lines}{count}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// What is counted from.
#[derive(Clone)]
struct Setup {
    game: &'static dyn AnyGame,
    options: Options,
    position: Option<String>,
    grain: Option<u32>,
    divide: bool,
}

/// The counts for each first entry, if they are wanted, and their sum.
type Counted = (Vec<(String, u64)>, u64);

impl Setup {
    fn table(&self) -> Result<Box<dyn Table>, Failure> {
        let mut table = input::table(self.game, &self.options, self.position.as_deref())?;
        input::set_grain(table.as_mut(), self.grain)?;
        Ok(table)
    }

    fn count(&self, depth: u32) -> Result<Counted, Failure> {
        let table = self.table()?;
        let rows = if self.divide { table.divide(depth) } else { Vec::new() };
        Ok((rows, table.perft(depth)))
    }

    /// Counts on a thread that is left to itself if it takes longer than `most`; returns `None` then. An error: there is no thread.
    fn count_within(&self, depth: u32, most: Duration, foreseen: &mut Foreseen) -> io::Result<Option<Counted>> {
        let (tell, told) = mpsc::sync_channel(1);
        let setup = self.clone();
        let count = move || {
            if let Ok(counted) = setup.count(depth) {
                // If nobody waits any more, nobody needs it.
                let _ = tell.send(counted);
            }
        };
        thread::Builder::new().stack_size(STACK).spawn(count)?;
        let began = Instant::now();
        loop {
            match told.recv_timeout(Foreseen::PERIOD) {
                Ok(counted) => return Ok(Some(counted)),
                Err(RecvTimeoutError::Timeout) if began.elapsed() < most => foreseen.draw(),
                Err(_) => return Ok(None),
            }
        }
    }
}

/// Counts, if that takes no more than an hour; otherwise returns what is known of smaller depths. `None`: there is no thread to do it.
fn counted(setup: &Setup, depth: u32) -> Result<Option<Counted>, Growth> {
    let mut growth = Growth::default();
    let small = Setup { divide: false, ..setup.clone() };
    loop {
        let next = growth.depth().saturating_add(1).min(depth);
        let is_known = growth.depth() > 0 && growth.count() >= SEEN && growth.seconds(next) > ENOUGH;
        if is_known && growth.seconds(depth) > MOST.as_secs_f64() {
            return Err(growth);
        }
        let last = next == depth || is_known;
        let (at, most, setup) = if last { (depth, MOST, setup) } else { (next, MOST_BEFORE, &small) };
        let began = Instant::now();
        let mut foreseen =
            Foreseen::of(growth.seconds(at), format!("about {} sequences", in_powers(growth.estimate(at))));
        match setup.count_within(at, most, &mut foreseen) {
            Err(_) => return Ok(None),
            Ok(None) => return Err(growth),
            Ok(counted) if last => return Ok(counted),
            Ok(Some((_, count))) => growth.add(count, began.elapsed().as_secs_f64()),
        }
    }
}
