//! What is to be drawn. Seals and salts are left out because they say nothing.

use super::board::{Kind, SIZE, Square, Wound};
use crate::assassyn::position::state::{Assassyn, BLACK, WHITE, Way};
use postrider_kernel::scene;
use postrider_kernel::scene::{Board, Cell, Cells, Die, Piece, Scene};
use postrider_kernel::{Game as _, Side, Viewer};

impl Assassyn {
    pub(super) fn scene(&self, viewer: Viewer) -> Scene {
        let board = &self.board;
        let piece = |kind: Kind, side: Side| {
            let sign = match (kind, side) {
                (Kind::Prince, WHITE) => '♔',
                (Kind::Warrior, WHITE) => '♕',
                (Kind::Longswordsman, WHITE) => '♖',
                (Kind::Shortswordsman, WHITE) => '♗',
                (Kind::Assassin, WHITE) => '♙',
                (Kind::Prince, BLACK) => '♚',
                (Kind::Warrior, BLACK) => '♛',
                (Kind::Longswordsman, BLACK) => '♜',
                (Kind::Shortswordsman, BLACK) => '♝',
                (Kind::Assassin, BLACK) => '♟',
            };
            Piece { kind: drawing(kind), name: name(kind), letter: kind.letter(), sign, side }
        };
        let fighters = board.fighters();
        let mut cells = Vec::new();
        for at in Square::all() {
            let on = |side: Side| board.standing(side).find(|(_, _, square, _)| *square == at).map(|man| (side, man));
            // On the square of a challenge, the challenged piece comes first and the challenger is in brackets.
            let challenger = fighters.map(|fighters| fighters.challenger);
            let (first, second) = match (on(WHITE), on(BLACK)) {
                (Some(white), Some(black)) if challenger == Some(WHITE) => (Some(black), Some(white)),
                (Some(white), Some(black)) => (Some(white), Some(black)),
                (white, black) => (white.or(black), None),
            };
            let Some((side, (_, kind, _, wound))) = first else { continue };
            cells.push(Cell {
                file: at.file(),
                rank: at.rank(),
                piece: Some(piece(kind, side)),
                wound: marked(wound),
                challenger: second.map(|(side, (_, kind, _, wound))| (piece(kind, side), marked(wound))),
                ..Cell::default()
            });
        }
        let own = self.own_deployment.as_ref().filter(|(side, _)| {
            viewer == Viewer::Side(*side) && self.deploying && self.board.standing(*side).next().is_none()
        });
        if let Some((side, list)) = own {
            for &(kind, at) in list {
                let piece = Some(piece(kind, *side));
                cells.push(Cell { file: at.file(), rank: at.rank(), piece, ..Cell::default() });
            }
        }
        let mut captions = Vec::new();
        self.wounds(&mut captions);
        self.challenge_in_words(&mut captions);
        if let (Way::Sealed, true) = (self.rules.deployment, self.deploying) {
            let sealed = |side: Side| {
                let done = self.deployments.get(side.index()).is_some_and(Option::is_some);
                format!("{} {}", word(side), if done { "has sealed" } else { "has not sealed yet" })
            };
            captions.push(("deployment", format!("{}, {}", sealed(WHITE), sealed(BLACK))));
            if let Some((side, _)) = own {
                captions
                    .push(("", format!("{}'s pieces are sealed still: only {} sees them", word(*side), word(*side))));
            }
        }
        let legend = vec![
            ("P", "♔♚", "Prince"),
            ("W", "♕♛", "Warrior"),
            ("L", "♖♜", "Longswordsman"),
            ("S", "♗♝", "Shortswordsman"),
            ("A", "♙♟", "Assassin"),
            ("capitals", "♔", "White"),
            ("S(L)", "♝(♖)", "S challenged by L"),
            ("~1 ~2 ~2.1", "~1 ~2 ~2.1", "slightly wounded, severely, half healed"),
        ];
        let dice = self.thrown.map_or_else(Vec::new, |(challenger, [attacker, defender])| {
            vec![Die { side: challenger, value: attacker }, Die { side: challenger.other(), value: defender }]
        });
        let board = Board::Cells(Cells { files: SIZE, ranks: SIZE, cells });
        Scene { dice, captions, legend, ..Scene::of(Self::INFO.sides, board) }
    }

    fn wounds(&self, captions: &mut Vec<(&'static str, String)>) {
        let mut list = Vec::new();
        for side in Side::BOTH {
            for (_, kind, at, wound) in self.board.standing(side) {
                let state = match wound {
                    Wound::None => continue,
                    Wound::Slight => "slightly, one turn at rest heals it",
                    Wound::Severe => "severely, two turns at rest heal it",
                    Wound::HalfHealed => "severely and half healed, one more turn at rest heals it",
                };
                list.push(format!("{} {}{at} {state}", word(side), kind.letter()));
            }
        }
        for (nth, text) in list.into_iter().enumerate() {
            captions.push((if nth == 0 { "wounded" } else { "" }, text));
        }
    }

    fn challenge_in_words(&self, captions: &mut Vec<(&'static str, String)>) {
        if let Some((_, [attacker, defender])) = self.thrown {
            captions.push(("thrown", format!("{attacker} by the challenger, {defender} by the challenged one")));
        }
        let (Some(challenge), Some(fighters)) = (self.board.challenge, self.board.fighters()) else { return };
        let challenged = word(fighters.challenger.other());
        captions.push((
            "challenge",
            format!(
                "{} {}{} from {} against {challenged} {}{}",
                word(fighters.challenger),
                fighters.attacker.1.letter(),
                challenge.on,
                challenge.from,
                fighters.defender.1.letter(),
                challenge.on
            ),
        ));
        let dice = [fighters.attacker.1, fighters.defender.1].map(|kind| self.rules.die(kind));
        let [attacker, defender] = dice;
        let state = if self.board.accepted {
            format!("accepted: {} opens the dice, d{attacker} against d{defender}", word(fighters.challenger))
        } else if self.has_escape() {
            format!("{challenged} escapes, accepts (d{attacker} against d{defender}), or strikes the challenger")
        } else {
            format!("{challenged} has no escape and must accept (d{attacker} against d{defender})")
        };
        captions.push(("", state));
    }
}

const fn drawing(kind: Kind) -> &'static str {
    match kind {
        Kind::Prince => "prince",
        Kind::Warrior => "warrior",
        Kind::Longswordsman => "longswordsman",
        Kind::Shortswordsman => "shortswordsman",
        Kind::Assassin => "assassin",
    }
}

const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Prince => "Prince",
        Kind::Warrior => "Warrior",
        Kind::Longswordsman => "Longswordsman",
        Kind::Shortswordsman => "Shortswordsman",
        Kind::Assassin => "Assassin",
    }
}

const fn marked(wound: Wound) -> Option<scene::Wound> {
    match wound {
        Wound::None => None,
        Wound::Slight => Some(scene::Wound::Slight),
        Wound::Severe => Some(scene::Wound::Severe),
        Wound::HalfHealed => Some(scene::Wound::HalfHealed),
    }
}

fn word(side: Side) -> &'static str {
    if side == WHITE { "White" } else { "Black" }
}
