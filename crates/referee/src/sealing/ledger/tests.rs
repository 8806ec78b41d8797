//! Tests of the ledger.

use super::*;

#[test]
fn z6_a_seal_of_a_refused_entry_has_not_stood() {
    let mut seals = Seals::new("game", ["white", "black"]);
    let [one, other] = [1, 2].map(|byte| Seal([byte; 32]));
    let is_new = |seals: &mut Seals, side, label, seal: &Seal| seals.publish(side, label, seal).is_some();
    assert!(is_new(&mut seals, Side::First, "token.1", &one) && !is_new(&mut seals, Side::First, "token.1", &one));
    seals.forget();
    assert!(seals.published().is_empty() && is_new(&mut seals, Side::Second, "token.1", &one));
    seals.keep(1, None);
    assert!(!is_new(&mut seals, Side::First, "token.2", &one));
    assert!(is_new(&mut seals, Side::First, "token.2", &other));
    assert_eq!(seals.published().len(), 1, "what the entry in hand adds is not among them yet");
    seals.forget();
    assert!(!is_new(&mut seals, Side::First, "token.2", &one));
    assert!(is_new(&mut seals, Side::First, "token.3", &other));
    seals.keep(2, None);
    let published = seals.published();
    let labels: Vec<_> = published.iter().map(|one| (one.label.as_str(), one.entry)).collect();
    assert_eq!(labels, [("token.1", 1), ("token.3", 2)]);
}

#[test]
fn the_newest_closed_seal_of_a_side_is_as_in_the_list() {
    let mut seals = Seals::new("game", ["white", "black"]);
    seals.commit(Side::First, Commitment([1; 32]));
    let nonce = Nonce([5; 16]);
    for nth in 1..=9u8 {
        let side = if nth % 3 == 1 { Side::Second } else { Side::First };
        let label = format!("token.{nth}");
        let seal = seals::seal("game", seals.word(side), &label, "spy", &nonce);
        seals.publish(side, &label, &seal).expect("a new one");
        seals.keep(2 * u32::from(nth) - 1, Some([nth; 32]));
        assert!(nth % 4 != 0 || seals.opens(side, &label, "spy", &seal, &nonce));
        seals.keep(2 * u32::from(nth), None);
        for side in Side::BOTH {
            let list = seals.published();
            let newest = list.into_iter().rfind(|one| one.side == side && one.opened.is_none());
            assert_eq!(seals.newest_closed(side), newest, "{nth}");
        }
    }
}

#[test]
fn z21_the_chain_is_kept_for_the_seals_of_a_side_that_has_committed() {
    let mut seals = Seals::new("game", ["white", "black"]);
    seals.commit(Side::Second, Commitment([1; 32]));
    for nth in 1..=6 {
        let side = if nth % 2 == 1 { Side::First } else { Side::Second };
        seals.publish(side, "token.1", &Seal([nth; 32])).expect("a new one");
        seals.keep(u32::from(nth), Some([nth; 32]));
    }
    assert_eq!(seals.kept.befores.len(), 3);
    for nth in 1..=6 {
        let side = if nth % 2 == 1 { Side::First } else { Side::Second };
        let origin = seals.origin(side, &Seal([nth; 32])).expect("its own");
        assert_eq!(origin.before, (nth % 2 == 0).then_some([nth; 32]));
    }
    let befores: Vec<_> = seals.published().iter().map(|one| one.before.map(|before| before[0])).collect();
    assert_eq!(befores, [None, Some(2), None, Some(4), None, Some(6)]);
}
