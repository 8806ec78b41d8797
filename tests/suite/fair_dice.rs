//! Shows that the dice are fair: a million dice of each kind, what one side alone can influence, attempts to cheat, and
//! a script that repeats the dice without this program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use postrider_kernel::{Facts, Nonce, Salt, Seal, Side};
use postrider_referee::sealing::{Seals, Secret, seals};
use postrider_referee::verdict::{Opened, Ruling, verify};
use postrider_testing::sample::rounds;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

const GAME: &str = "assassyn-fair-dice";

/// A fixed stream, in pieces of 32 bytes.
fn bytes(stream: &str, nth: u64) -> [u8; 32] {
    Sha256::digest(format!("{stream} {nth}")).into()
}

fn salt(stream: &str, nth: u64) -> Salt {
    let mut salt = [0; 16];
    salt.copy_from_slice(&bytes(stream, nth)[..16]);
    Salt(salt)
}

/// The value that chi-square with this many degrees of freedom exceeds in about 3 of 100,000 cases (Wilson and
/// Hilferty).
fn bound(freedom: f64) -> f64 {
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + 4.0 * part.sqrt()).powi(3)
}

/// Checks that counts are consistent with equally likely cells.
fn assert_even(counts: &[u64], what: &str) {
    let total: u64 = counts.iter().sum();
    let expected = total as f64 / counts.len() as f64;
    let chi: f64 = counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum();
    let bound = bound(counts.len() as f64 - 1.0);
    assert!(chi < bound, "{what}: chi-square {chi:.1}, expected below {bound:.1}");
    assert!(chi > 0.0, "{what}: too even to be true");
}

/// The faces of a challenge, from the challenger's secret and the other side's salt.
fn roll(secret: &Secret, label: &str, salt: &Salt, dice: &[u32; 2]) -> [u32; 2] {
    let faces = seals::throw(GAME, label, &secret.nonce(GAME, "white", label), salt, dice);
    [faces[0], faces[1]]
}

/// The same, by the path through a record: the seal is published and opened, and the dice are thrown.
fn roll_in_a_record(secret: &Secret, label: &str, salt: &Salt, dice: &[u32; 2]) -> [u32; 2] {
    let mut facts = Seals::new(GAME, ["white", "black"]);
    let nonce = secret.nonce(GAME, "white", label);
    let seal = seals::seal(GAME, "white", label, "roll", &nonce);
    assert!(
        facts.publish(Side::First, label, &seal).is_some() && facts.opens(Side::First, label, "roll", &seal, &nonce)
    );
    let faces = facts.throw(label, &nonce, salt, dice);
    [faces[0], faces[1]]
}

/// Throws two dice many times and counts every pair of faces.
fn pairs(dice: [u32; 2], times: u64, throw: impl Fn(u64) -> [u32; 2] + Sync) -> Vec<u64> {
    let cells = (dice[0] * dice[1]) as usize;
    let empty = || vec![0u64; cells];
    let count = |mut counts: Vec<u64>, nth| {
        let [first, second] = throw(nth);
        counts[((first - 1) * dice[1] + second - 1) as usize] += 1;
        counts
    };
    let add = |left: Vec<u64>, right: Vec<u64>| left.iter().zip(right).map(|(left, right)| left + right).collect();
    (0..times).into_par_iter().fold(empty, count).reduce(empty, add)
}

#[test]
fn z8_a_million_dice_of_each_kind_are_even_and_the_two_of_a_throw_independent() {
    // Half a million throws of each pair of kinds: a million dice of each kind.
    // A normal run makes a tenth of them.
    let times = rounds(50_000, 500_000);
    for dice in [[10, 12], [12, 20], [20, 10]] {
        let stream = format!("{dice:?}");
        let counts = pairs(dice, times, |nth| {
            let part = bytes(&stream, nth);
            let mut salt = Salt([0; 16]);
            salt.0.copy_from_slice(&part[16..]);
            // Secret and salt are independent because the secret is hashed once more.
            let secret = Secret::take(&mut Sha256::digest(part).into());
            let faces = roll(&secret, "roll.1", &salt, &dice);
            if nth % 100 == 0 {
                assert_eq!(faces, roll_in_a_record(&secret, "roll.1", &salt, &dice));
            }
            faces
        });
        let [first, second] = dice.map(|sides| sides as usize);
        let rows: Vec<u64> = counts.chunks(second).map(|row| row.iter().sum()).collect();
        let columns: Vec<u64> = (0..second).map(|column| counts.iter().skip(column).step_by(second).sum()).collect();
        assert_even(&rows, &format!("the d{first}"));
        assert_even(&columns, &format!("the d{second}"));
        assert_even(&counts, &format!("a d{first} and a d{second} together"));
    }
}

#[test]
fn z9_neither_side_alone_can_choose_its_part_to_its_liking() {
    let dice = [12, 10];
    for trial in 0..2 {
        // The challenger's contribution is fixed; the other side tries consecutive salts.
        let secret = Secret::take(&mut bytes("challenger", trial));
        let counts = pairs(dice, 36_000, |nth| roll(&secret, "roll.1", &Salt(u128::from(nth).to_be_bytes()), &dice));
        assert_even(&counts, "salts tried one after another");
        // The salt is fixed; the challenger tries secret after secret.
        let fixed = salt("challenged", trial);
        let counts =
            pairs(dice, 36_000, |nth| roll(&Secret::take(&mut bytes("secrets", nth)), "roll.1", &fixed, &dice));
        assert_even(&counts, "secrets tried one after another");
        // One secret, one salt, challenge after challenge.
        let counts = pairs(dice, 36_000, |nth| roll(&secret, &format!("roll.{nth}"), &fixed, &dice));
        assert_even(&counts, "challenges one after another");
    }
    // The salt's own digits say nothing about the face: for each of the 16 first digits, all faces are equally likely.
    let counts = pairs([16, 12], 48_000, |nth| {
        let salt = salt("digits", nth);
        let [face, _] = roll(&Secret::take(&mut bytes("digits of", nth)), "roll.1", &salt, &dice);
        [u32::from(salt.0[0] >> 4) + 1, face]
    });
    assert_even(&counts, "a salt's first digit and the face");
}

#[test]
fn z1_the_seal_says_nothing_of_the_dice() {
    let counts = pairs([16, 10], 48_000, |nth| {
        let secret = Secret::take(&mut bytes("sealed", nth));
        let Seal(seal) = seals::seal(GAME, "white", "roll.1", "roll", &secret.nonce(GAME, "white", "roll.1"));
        let [face, _] = roll(&secret, "roll.1", &Salt([0; 16]), &[10, 12]);
        [u32::from(seal[31] & 15) + 1, face]
    });
    assert_even(&counts, "a seal's last digit and the face");
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn sample() -> String {
    fs::read_to_string(data("tests/data/assassyn/sealed/sealed-101.pbem")).expect("a record")
}

/// The lines of a record up to but excluding the entry `entry`.
fn up_to(record: &str, entry: &str) -> String {
    let (before, _) = record.split_once(&format!("\n{entry} ")).expect("an entry");
    format!("{before}\n")
}

fn rule(record: &str) -> (Option<u32>, &'static str) {
    let verdict = verify(record.as_bytes());
    assert_eq!(verdict.ruling, Ruling::Illegal, "{record}");
    (verdict.errors[0].entry, verdict.errors[0].rule.expect("a rule"))
}

const SEAL: &str = "5c469cd6cb5a22b4f79619565abaa7776d2204835f9f46eab169d6c31b189c19";
const SALT: &str = "a32e69083d235422537696b2c9498373";
const NONCE: &str = "8413719fc8c41148e3e72329e0c10829";

#[test]
fn the_challenger_cannot_roll_again_with_another_nonce_or_seal() {
    let record = sample();
    // A different nonce does not open the seal.
    let other = record.replace(NONCE, "8413719fc8c41148e3e72329e0c1082a");
    assert_eq!(rule(&other), (Some(7), "Z3"));
    // Replacing the first seal makes a different entry 5, which the answer that the opponent holds does not follow; and
    // the old nonce does not open the new seal either.
    let other = record.replace(SEAL, &"ab".repeat(32));
    assert_eq!(rule(&other), (Some(7), "Z3"));
    // There is no room for a second seal for the same challenge: first the answer is due, then the opening.
    let start = up_to(&record, "6");
    assert_eq!(rule(&format!("{start}6 white Sf4xe5 seal:{}\n", "cd".repeat(32))), (Some(6), "E2"));
    let start = up_to(&record, "7");
    assert_eq!(rule(&format!("{start}7 white Le1xe5 seal:{}\n", "cd".repeat(32))), (Some(7), "Z12"));
    assert_eq!(rule(&format!("{start}7 white seal:{}\n", "cd".repeat(32))), (Some(7), "Z12"));
    // A seal that was used before is not new, whoever copies it.
    let start = up_to(&record, "9");
    assert_eq!(rule(&format!("{start}9 white Le1xe5 seal:{SEAL}\n")), (Some(9), "Z6"));
}

#[test]
fn an_opening_comes_when_it_is_due_and_not_later_or_earlier() {
    let record = sample();
    let start = up_to(&record, "7");
    // The turn first and the opening in a later entry: refused at once.
    assert_eq!(
        rule(&format!("{start}7 white Pe2-d2\n8 black Sc5xf2\n9 white open:{NONCE}; Le1-e2\n")),
        (Some(7), "Z12")
    );
    assert_eq!(rule(&format!("{start}7 white Pe2-d2; open:{NONCE}\n")), (Some(7), "Z12"));
    // Nothing is due before the acceptance, nor after the opening.
    let early = up_to(&record, "6");
    assert_eq!(rule(&format!("{early}6 black open:{NONCE}; Pe5-d4\n")), (Some(6), "Z5"));
    let late = up_to(&record, "9");
    assert_eq!(rule(&format!("{late}9 white open:{NONCE}; Le1-d1\n")), (Some(9), "Z5"));
    // An offer with the acceptance would give the challenger a choice.
    assert_eq!(rule(&format!("{early}6 black accept salt:{SALT}; draw?\n")), (Some(6), "Z12"));
    assert_eq!(rule(&format!("{early}6 black accept\n")), (Some(6), "Z5"));
    // A player who refuses to open can resign, or run out of time.
    assert_eq!(verify(format!("{start}7 white resign\n").as_bytes()).ruling, Ruling::Legal);
    assert_eq!(rule(&format!("{start}7 white draw!\n")), (Some(7), "E5"));
}

#[test]
fn an_edited_salt_throws_other_dice_and_cannot_be_aimed() {
    let record = sample();
    let thrown = |record: &str| {
        let mut opened = Opened::new(record.as_bytes()).expect("a record");
        opened.replay(7);
        opened.table.seals().expect("a sealed record").thrown().first().map(|thrown| thrown.faces.to_vec())
    };
    assert_eq!(thrown(&record), Some(vec![1, 10]));
    // A player who changes the salt once the dice are open has a different entry 6 from the opponent: the chains of
    // digests, which every letter names, part there.
    let edited = record.replace(SALT, &"00".repeat(16));
    let digest = |record: &str| {
        let opened = Opened::new(record.as_bytes()).expect("a record");
        let mut link = postrider_referee::sealing::begin(opened.frame.header.text(opened.text));
        for line in record.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).take(6) {
            link = link.then(line);
        }
        link.digest()
    };
    assert_ne!(digest(&record), digest(&edited));
    assert_ne!(thrown(&edited), thrown(&record));
    // Before the opening, different salts lead to all pairs of faces, so none can be predicted.
    let nonce = Nonce(data_encoding::HEXLOWER.decode(NONCE.as_bytes()).expect("digits").try_into().expect("16 bytes"));
    let throw =
        |nth: u128| seals::throw("assassyn-sealed-000101", "roll.1", &nonce, &Salt(nth.to_be_bytes()), &[10, 10]);
    let seen: std::collections::BTreeSet<_> = (0..400).map(|nth| throw(nth).to_vec()).collect();
    assert!(seen.len() > 90, "{} of 100 pairs", seen.len());
}

#[test]
fn a_seal_is_of_its_game_its_side_and_its_label() {
    let record = sample();
    assert_eq!(rule(&record.replace("assassyn-sealed-000101", "assassyn-sealed-000102")), (Some(7), "Z3"));
    let secret = Secret::take(&mut [7; 32]);
    let nonce = secret.nonce(GAME, "white", "roll.1");
    let seal = seals::seal(GAME, "white", "roll.1", "roll", &nonce);
    let mut facts = Seals::new(GAME, ["white", "black"]);
    assert!(facts.opens(Side::First, "roll.1", "roll", &seal, &nonce));
    assert!(!facts.opens(Side::Second, "roll.1", "roll", &seal, &nonce));
    assert!(!facts.opens(Side::First, "roll.2", "roll", &seal, &nonce));
    assert!(!facts.opens(Side::First, "roll.1", "rolls", &seal, &nonce));
}

#[cfg(unix)]
mod script {
    use super::*;

    fn run(record: &Path) -> (bool, String) {
        let output = Command::new("sh")
            .arg(data("examples/assassyn/recompute-dice.sh"))
            .arg(record)
            .output()
            .expect("a shell with sha256sum and awk");
        (output.status.success(), String::from_utf8(output.stdout).expect("UTF-8"))
    }

    #[test]
    fn the_script_finds_the_dice_that_the_program_finds() {
        let mut records = vec![data("examples/assassyn/sealed-game.pbem")];
        records
            .extend(["101", "107", "109"].map(|name| data(&format!("tests/data/assassyn/sealed/sealed-{name}.pbem"))));
        for path in records {
            let source = fs::read(&path).expect("a record");
            let mut opened = Opened::new(&source).expect("a record");
            assert_eq!(opened.replay(u32::MAX).ruling, Ruling::Legal);
            let thrown: Vec<_> = opened.table.seals().expect("a sealed record").thrown().to_vec();
            let (sound, text) = run(&path);
            assert!(sound, "{}: {text}", path.display());
            let lines: Vec<_> = text.lines().collect();
            assert_eq!(lines.len(), thrown.len(), "{}: {text}", path.display());
            for (line, thrown) in lines.iter().zip(&thrown) {
                let [first, second] = thrown.dice[..] else { panic!("two dice") };
                assert!(line.starts_with(&format!("{} {} seal:ok ", thrown.entry, thrown.label)), "{line}");
                assert!(line.contains(&format!(" d{first}={} ", thrown.faces[0])), "{line} {thrown:?}");
                assert!(
                    format!("{line} ").contains(&format!(" d{first}:d{second}={} ", thrown.faces[1])),
                    "{line} {thrown:?}"
                );
            }
        }
    }

    #[test]
    fn the_script_finds_a_false_opening() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("false.pbem");
        fs::write(&path, sample().replace(NONCE, "8413719fc8c41148e3e72329e0c1082a")).expect("a record");
        let (sound, text) = run(&path);
        assert!(!sound && text.contains("7 roll.1 seal:WRONG"), "{text}");
    }
}
