//! A player of Mission: Combat! who fights: picks one of the possible next actions in such a way that games come to an
//! end.

/// The portalists' units; all others are the marines'.
const PORTALISTS: [&str; 8] = [
    "shade",
    "portal-trooper",
    "psionic-fanatic",
    "psionic-priest",
    "exorcist",
    "rift-stalker",
    "gate-breaker",
    "warp-colossus",
];

pub use postrider_testing::random::Stream;

/// The areas with units of the side's enemies, from a position line.
fn areas_with_enemies(position: &str, side: &str) -> Vec<String> {
    let parts = position
        .split("; ")
        .filter(|part| part.get(..2).is_some_and(|code| code.bytes().all(|c| c.is_ascii_uppercase())));
    let hostile = |unit: &str| {
        let slug = unit.split(['.', ':', '<', '!', '~', '^']).next().unwrap_or_default();
        PORTALISTS.contains(&slug) == (side == "marines")
    };
    parts.filter(|part| part.split(' ').skip(1).any(hostile)).map(|part| part[..2].to_owned()).collect()
}

/// The points that an action deals.
fn points(action: &str) -> u32 {
    action
        .split(' ')
        .filter(|word| !word.starts_with("open:"))
        .filter_map(|word| word.split_once(':')?.1.parse::<u32>().ok())
        .sum()
}

/// Picks an action; `position` is the position before the entry.
pub fn pick<'a>(list: &'a [String], position: &str, side: &str, stream: &mut Stream) -> &'a str {
    let enemies = areas_with_enemies(position, side);
    let worth = |action: &String, stream: &mut Stream| {
        let word = action.split(' ').next().unwrap_or_default();
        let base = match word {
            "attack" => 900 + 20 * points(action),
            "event" => 800 + 20 * points(action),
            "move" if enemies.iter().any(|area| action.ends_with(area.as_str())) => 600,
            "play" => 500,
            "draw" if position.contains(&format!("hand {side} 0")) || stream.below(4) == 0 => 650,
            "draw" => 100,
            "move" => 300,
            "end" => 1,
            _ => 400,
        };
        base + stream.below(120) as u32
    };
    let mut best = (0, 0);
    for (nth, action) in list.iter().enumerate() {
        best = best.max((worth(action, stream), nth));
    }
    &list[best.1]
}
