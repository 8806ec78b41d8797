//! What a game of Assassyn's Dagger consists of: what may be entered, the options, and the state of a game.

use smallvec::SmallVec;

use crate::assassyn::board::{Board, Kind, Square};
use postrider_kernel::{Nonce, Outcome, Past, Quiet, Salt, Seal, Side};

/// The attacker.
pub(in crate::assassyn) const WHITE: Side = Side::First;
/// The defender.
pub(in crate::assassyn) const BLACK: Side = Side::Second;

/// The label of a sealed deployment (Z14).
pub(in crate::assassyn) const DEPLOY: &str = "deploy";

/// What a challenge seals (Z11).
pub(in crate::assassyn) const ROLL: &str = "roll";

/// The pieces of a deployment and their squares.
pub type Deployment = SmallVec<[(Kind, Square); 7]>;

/// What a move does, according to its mark (N2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `-`: to an empty square.
    To,
    /// `x`: onto an opposing piece.
    Onto,
    /// `*`: a strike.
    Strike,
}

/// The ways to write an acceptance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// `accept`: as typed and listed; a record contains more.
    Bare,
    /// `accept roll 7 5`: open play, the challenger's throw and that of the challenged piece.
    Roll([u32; 2]),
    /// `accept salt:…`: sealed play (Z12).
    Salt(Salt),
}

/// An action as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `Lc1-c4`, `Lc1xc5`, `Ab2*b3`, a challenge in sealed play with its seal (Z11).
    Move {
        /// The piece.
        kind: Kind,
        /// Where it is.
        from: Square,
        /// What it does.
        mark: Mark,
        /// Where it goes, or strikes.
        to: Square,
        /// The seal on the dice.
        seal: Option<Seal>,
    },
    /// `accept`, and where the dice come from.
    Accept(Acceptance),
    /// `place Wc2`.
    Place(Kind, Square),
    /// `deploy Pa1 …`, with its opening if it was sealed (Z14).
    Deploy(Deployment, Option<Nonce>),
    /// `seal:…`: a sealed deployment (Z14).
    Seal(Seal),
    /// `open:…`: the challenger's contribution to the dice (Z13).
    Open(Nonce),
}

/// The ways to deploy (D4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assassyn) enum Way {
    Sequential,
    Sealed,
    Alternating,
}

/// The effect of a severe wound (D43).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assassyn) enum Severe {
    /// It subtracts 2 from the throw; against an unwounded fighter, both also die if that one throws exactly 1 less.
    Both,
    /// It subtracts 1 from the throw against an unwounded fighter, 2 against a wounded one.
    One,
    /// It subtracts 2 from the throw and has no other effect.
    Two,
}

/// The options that a record has chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::assassyn) struct Rules {
    /// The number of sides of the assassin's die (D3).
    pub(in crate::assassyn) assassin_die: u32,
    pub(in crate::assassyn) deployment: Way,
    /// Whether a challenged piece may escape by making a challenge of its own (D31).
    pub(in crate::assassyn) escape_by_challenge: bool,
    pub(in crate::assassyn) severe: Severe,
    /// After how many turns without a removal a draw may be claimed (D62).
    pub(in crate::assassyn) quiet: Option<u32>,
    /// Whether a draw may be claimed for repetition (D62).
    pub(in crate::assassyn) repetition: bool,
    /// Whether the record is sealed.
    pub(in crate::assassyn) sealed: bool,
    /// Whether throws are derived from seals and salts; otherwise they are stated (D3, N3).
    pub(in crate::assassyn) joint: bool,
}

/// A game of Assassyn's Dagger in progress.
#[derive(Clone, Debug)]
pub struct Assassyn {
    pub(in crate::assassyn) board: Board,
    /// Whether the deployment is still incomplete.
    pub(in crate::assassyn) deploying: bool,
    /// The seals over the deployments (Z14).
    pub(in crate::assassyn) deployments: [Option<Seal>; 2],
    /// What a side's own secret tells of its sealed deployment; judging never looks at it.
    pub(in crate::assassyn) own_deployment: Option<(Side, Deployment)>,
    /// How many challenges there were (Z11).
    pub(in crate::assassyn) challenges: u32,
    /// The seal of the current challenge.
    pub(in crate::assassyn) seal: Option<Seal>,
    /// The salt of the acceptance if its dice have not been opened yet (Z12).
    pub(in crate::assassyn) salt: Option<Salt>,
    /// The last throw, the challenger's first, and the challenger's side; only for display.
    pub(in crate::assassyn) thrown: Option<(Side, [u32; 2])>,
    /// Turns since the last removal (D62).
    pub(in crate::assassyn) quiet: Quiet,
    pub(in crate::assassyn) past: Past<Board>,
    pub(in crate::assassyn) outcome: Option<Outcome>,
    pub(in crate::assassyn) rules: Rules,
}
