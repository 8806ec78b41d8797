//! What is to be drawn, for a given viewer: the board, all stacks, and what is sealed.

use super::board::{SIZE, Square, Territory, Token};
use super::control::needed;
use super::position::word;
use super::{Phase, Subsume, WHITE};
use crate::games::kernel::{Side, Viewer};
use crate::scene::{Block, Blocks, Board, Scene};

/// The most tokens of a stack, and of numbers, that stand on one line below the board.
const TOKENS: usize = 40;
const NUMBERS: usize = 12;

type Captions = Vec<(&'static str, String)>;

impl Subsume {
    /// The board, and below it every territory with its stack, what is sealed, and the turn.
    pub(super) fn scene(&self, viewer: Viewer) -> Scene {
        let mut captions = Vec::new();
        self.territories(viewer, &mut captions);
        self.sealed_tokens(&mut captions);
        self.turn_in_words(&mut captions);
        self.framed(viewer, captions, None)
    }

    /// The same board with one territory marked and its stack in full, from the top down.
    pub(super) fn marked_scene(&self, viewer: Viewer, what: &str) -> Option<Scene> {
        let Ok(([], at)) = super::notation::square(what.as_bytes()) else { return None };
        let territory = self.state.board.at(at)?;
        let mut captions = vec![(word(territory.owner), self.heading(territory))];
        for (height, token) in (1..=territory.stack.len()).rev().zip(territory.stack.iter().rev()) {
            let state = match (token.kind(), self.known(token, viewer)) {
                (Some(kind), _) if self.rules.sealed => format!("{}, known to both", kind.word()),
                (Some(kind), _) => kind.word().to_owned(),
                (None, Some(letter)) => format!("sealed; {letter} is known to its owner only"),
                (None, None) => "sealed".to_owned(),
            };
            let top = if height == territory.stack.len() { " (top)" } else { "" };
            captions.push(("", format!("{height:>4}  token {:<5} {state}{top}", token.number)));
        }
        Some(self.framed(viewer, captions, Some(territory.corner)))
    }

    fn framed(&self, viewer: Viewer, captions: Captions, marked: Option<Square>) -> Scene {
        let blocks = self.state.board.all().map(|territory| self.block(territory, viewer, marked)).collect();
        let mut legend = vec![
            ("W 5, B 5", "W 5, B 5", "territory of White's, Black's, with 5 tokens"),
            ("*", "*", "controlled"),
            ("IADI", "IADI", "tokens bottom to top: isolationist, aggressor, advocate"),
            ("..IA", "..IA", "more below"),
        ];
        if self.rules.sealed {
            legend.push(("?", "?", "sealed token"));
            if viewer != Viewer::Public {
                legend.push(("i a d", "i a d", "sealed, known to its owner only"));
            }
        }
        Scene { board: Board::Blocks(Blocks { files: SIZE, ranks: SIZE, blocks }), captions, legend }
    }

    /// The letter of a sealed token that the viewer may know, in lower case.
    fn known(&self, token: &Token, viewer: Viewer) -> Option<char> {
        let place = token.seal()?;
        let told = |side: Side| self.confided_kind(place, side);
        let kind = match viewer {
            Viewer::Public => None,
            Viewer::Side(side) => told(side),
            Viewer::Omniscient => Side::BOTH.into_iter().find_map(told),
        };
        kind.map(|kind| kind.letter().to_ascii_lowercase())
    }

    /// A stack as the viewer may see it, bottom to top.
    fn stack(&self, territory: &Territory, viewer: Viewer) -> String {
        let sign = |token: &Token| match token.kind() {
            Some(kind) => kind.letter(),
            None => self.known(token, viewer).unwrap_or('?'),
        };
        territory.stack.iter().map(sign).collect()
    }

    fn block(&self, territory: &Territory, viewer: Viewer, marked: Option<Square>) -> Block {
        let stack = self.stack(territory, viewer);
        // A blank at the left of each line; two characters say that there are more tokens below.
        let (width, lines) = (usize::from(territory.size) * 8 - 2, usize::from(territory.size) * 3 - 2);
        let shown = match stack.len().checked_sub(width * lines) {
            None | Some(0) => stack,
            Some(more) => format!("..{}", stack.get(more + 2..).unwrap_or_default()),
        };
        let shown = shown.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line).into_owned());
        let letter = if territory.owner == WHITE { 'W' } else { 'B' };
        let star = if self.controls(territory) { " *" } else { "" };
        Block {
            file: territory.corner.file(),
            rank: territory.corner.rank(),
            size: territory.size,
            side: territory.owner,
            lines: std::iter::once(format!("{letter} {}{star}", territory.stack.len())).chain(shown).collect(),
            region: marked == Some(territory.corner),
        }
    }

    /// `c3/2  12 tokens, controlled`
    fn heading(&self, territory: &Territory) -> String {
        let needed = needed(&self.state.board, territory, self.rules.border);
        let height = territory.stack.len();
        let name = match territory.size {
            1 => territory.corner.to_string(),
            size => format!("{}/{size}", territory.corner),
        };
        let tokens = if height == 1 { "token, " } else { "tokens," };
        let control = if self.controls(territory) {
            "controlled".to_owned()
        } else {
            format!("{} short of control", needed.saturating_sub(height))
        };
        format!("{name:<4} {height:>3} {tokens} {control}")
    }

    fn territories(&self, viewer: Viewer, captions: &mut Captions) {
        for side in Side::BOTH {
            let mut label = word(side);
            for territory in self.state.board.of(side) {
                let stack = self.stack(territory, viewer);
                let mut heading = self.heading(territory);
                for line in stack.as_bytes().chunks(TOKENS) {
                    captions.push((label, format!("{heading:<35} {}", String::from_utf8_lossy(line))));
                    (label, heading) = ("", String::new());
                }
            }
        }
    }

    /// The numbers of the sealed tokens, each stack's from bottom to top.
    fn sealed_tokens(&self, captions: &mut Captions) {
        let mut label = "sealed";
        for territory in self.state.board.all().filter(|territory| territory.has_sealed()) {
            let numbers: Vec<_> = territory.stack.sealed().map(|token| token.number.to_string()).collect();
            let mut name = territory.corner.to_string();
            for line in numbers.chunks(NUMBERS) {
                let tokens = if numbers.len() == 1 { "token" } else { "tokens" };
                captions.push((label, format!("{name:<4} {tokens} {}", line.join(" "))));
                (label, name) = ("", String::new());
            }
        }
    }

    fn turn_in_words(&self, captions: &mut Captions) {
        let state = &self.state;
        if state.outcome.is_some() {
            return;
        }
        if let Some(pending) = state.pending {
            let goes_on = if pending.closed { "is then over" } else { "then goes on" };
            let (first, second) = (word(state.to_play), word(state.due()));
            captions.push((
                "conflict",
                format!("{}x{}: {second} reveals; the turn of {first} {goes_on}", pending.from, pending.to),
            ));
        } else if state.phase != Phase::Claim {
            let fought = state.board.of(state.to_play).filter(|territory| territory.fought == state.turn());
            let list: Vec<_> = fought.map(|territory| territory.corner.to_string()).collect();
            let list = if list.is_empty() { "none".to_owned() } else { list.join(" ") };
            captions.push(("fought", format!("{list}: no token of {} leaves there in this turn", word(state.to_play))));
        }
        let turns = state.turns / 2 + 1;
        captions.push((
            "turn",
            match self.rules.limit {
                Some(limit) => format!("{turns} of {limit} a side"),
                None => format!("{turns}, without a limit"),
            },
        ));
    }
}
