//! `postrider perft`.

use std::process::ExitCode;

use super::hints::Failure;
use super::{input, print};

/// Count sequences of legal entries, for comparison with other programs
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "postrider perft [OPTIONS] <GAME> <DEPTH>\n       postrider perft [OPTIONS] --game <GAME> <DEPTH>",
    after_help = "\
Examples:
  postrider perft asalto 4
  postrider perft --game asalto --position '.../D.D/BB...BB/BBBBBBB/BBBBBBB/BBB/BBB b' 5
  postrider perft asalto 3 --option huff=strict --divide
  postrider perft mission-combat 3 --grain 10     only splits whose shares are multiples of 10"
)]
pub(super) struct Args {
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
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
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
    let mut table = input::table(game, &options, args.position.as_deref())?;
    input::set_grain(table.as_mut(), args.grain)?;
    if args.divide {
        let list = table.divide(depth);
        let lines: String = list.iter().map(|(entry, nodes)| format!("{entry}: {nodes}\n")).collect();
        print(lines)?;
    }
    print(format!("{}\n", table.perft(depth)))?;
    Ok(ExitCode::SUCCESS)
}
