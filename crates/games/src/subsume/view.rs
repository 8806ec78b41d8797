//! The scene for a given viewer: the board with all stacks, what is sealed, and the turn.

use super::board::{Kind, SIZE, Square, Territory, Token};
use super::position::word;
use crate::subsume::position::state::{Phase, Subsume};
use crate::subsume::rules::control::needed;
use postrider_kernel::scene;
use postrider_kernel::scene::{Block, Blocks, Board, Scene};
use postrider_kernel::{Game as _, Side, Viewer};

/// The most numbers on one line below the board.
const NUMBERS: usize = 12;

/// The most tokens of a stack that a scene shows, from the top down. No stack of a real game is as tall.
const SHOWN: usize = 480;

type Captions = Vec<(&'static str, String)>;

impl Subsume {
    /// The board, with what is sealed and the turn below it.
    pub(super) fn scene(&self, viewer: Viewer) -> Scene {
        let mut captions = Vec::new();
        self.sealed_tokens(&mut captions);
        self.turn_in_words(&mut captions);
        self.framed(viewer, captions, None)
    }

    /// The same board with one territory highlighted and its whole stack listed from the top down.
    pub(super) fn marked_scene(&self, viewer: Viewer, what: &str) -> Option<Scene> {
        let Ok(([], at)) = super::notation::square(what.as_bytes()) else { return None };
        let territory = self.state.board.at(at)?;
        let mut captions = vec![(word(territory.owner), self.heading(territory))];
        for (height, token) in (1..=territory.stack.len()).rev().zip(territory.stack.iter().rev()) {
            let state = match (token.kind(), self.known(token, viewer)) {
                _ if self.is_veiled(token, territory.owner, viewer) => "not seen yet".to_owned(),
                (Some(kind), _) if self.rules.sealed => format!("{}, known to both", kind.word()),
                (Some(kind), _) => kind.word().to_owned(),
                (None, Some(kind)) => {
                    format!("sealed; {} is known to its owner only", kind.letter().to_ascii_lowercase())
                }
                (None, None) => "sealed".to_owned(),
            };
            let top = if height == territory.stack.len() { " (top)" } else { "" };
            captions.push(("", format!("{height:>4}  token {:<5} {state}{top}", token.number())));
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
        if self.rules.veiled && viewer != Viewer::Public {
            legend.push(("?", "?", "token of the other side that has not fought"));
        }
        if self.rules.sealed {
            legend.push(("?", "?", "sealed token"));
            if viewer != Viewer::Public {
                legend.push(("i a d", "i a d", "sealed, known to its owner only"));
            }
        }
        let board = Board::Blocks(Blocks { files: SIZE, ranks: SIZE, blocks });
        Scene { captions, legend, ..Scene::of(Self::INFO.sides, board) }
    }

    /// The kind of a sealed token, if the viewer may know it.
    fn known(&self, token: &Token, viewer: Viewer) -> Option<Kind> {
        let place = token.seal()?;
        let told = |side: Side| self.confided_kind(place, side);
        match viewer {
            Viewer::Public => None,
            Viewer::Side(side) => told(side),
            Viewer::Omniscient => Side::BOTH.into_iter().find_map(told),
        }
    }

    /// Whether a viewer may not see a token of the other side that lies open: in a veiled game, before it has fought (U57).
    fn is_veiled(&self, token: &Token, owner: Side, viewer: Viewer) -> bool {
        self.rules.veiled && viewer == Viewer::Side(owner.other()) && !Self::is_shown(token)
    }

    /// A token as the viewer may see it.
    fn token(&self, token: &Token, owner: Side, viewer: Viewer) -> scene::Token {
        if self.is_veiled(token, owner, viewer) {
            return scene::Token { letter: None, name: "", sealed: true };
        }
        let kind = token.kind().or_else(|| self.known(token, viewer));
        scene::Token {
            letter: kind.map(Kind::letter),
            name: kind.map_or("", Kind::word),
            sealed: token.kind().is_none(),
        }
    }

    fn block(&self, territory: &Territory, viewer: Viewer, marked: Option<Square>) -> Block {
        let needed = needed(&self.state.board, territory, self.rules.border);
        let short = needed.saturating_sub(territory.stack.len());
        let shown = territory.stack.iter().rev().take(SHOWN);
        let mut tokens: Vec<_> = shown.map(|token| self.token(token, territory.owner, viewer)).collect();
        tokens.reverse();
        Block {
            file: territory.corner.file(),
            rank: territory.corner.rank(),
            size: territory.size,
            side: territory.owner,
            tokens,
            below: territory.stack.len().saturating_sub(SHOWN),
            controlled: self.controls(territory),
            short: u32::try_from(short).unwrap_or(u32::MAX),
            region: marked == Some(territory.corner),
        }
    }

    /// `c3/2  12 tokens, controlled`.
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

    /// The numbers of the sealed tokens, each stack from bottom to top.
    fn sealed_tokens(&self, captions: &mut Captions) {
        let mut label = "sealed";
        for territory in self.state.board.all().filter(|territory| territory.has_sealed()) {
            let upper = territory.stack.sealed().rev().take(SHOWN);
            let mut numbers: Vec<_> = upper.map(|token| token.number().to_string()).collect();
            numbers.reverse();
            let mut name = territory.corner.to_string();
            let below = territory.stack.sealed_count() - numbers.len();
            if below > 0 {
                captions.push((label, format!("{name:<4} {below} more below these tokens")));
                (label, name) = ("", String::new());
            }
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
