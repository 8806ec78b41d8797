//! Reads a security descriptor of Windows in its form as text (SDDL): the owner of the file, and whether anyone but the user, the
//! system and its administrators may read or write it. Anything not understood counts against the file.

/// What matters about a file to someone who keeps secrets in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Described {
    /// It belongs to the user or to the system.
    pub(super) own: bool,
    /// Nobody else may do anything with it.
    pub(super) private: bool,
    /// Somebody else may write to it, replace it, or let others do so.
    pub(super) writable_by_others: bool,
}

/// Read or list, write or add a file, append or add a folder, remove what is inside, and the general rights for these.
const READ_DATA: u32 = 0x1;
const WRITE: u32 = 0x2 | 0x4 | 0x40;
/// Remove it, change who may do what, take it over.
const GOVERN: u32 = 0x1_0000 | 0x4_0000 | 0x8_0000;
const GENERIC_ALL: u32 = 0x1000_0000;
const GENERIC_EXECUTE: u32 = 0x2000_0000;
const GENERIC_WRITE: u32 = 0x4000_0000;
const GENERIC_READ: u32 = 0x8000_0000;
const EXECUTE: u32 = 0x20;
/// All that is allowed: found in lists that were made by hand.
const MAXIMUM: u32 = 0x200_0000;

/// Changes a file, or lets others do so.
const CHANGES: u32 = WRITE | GOVERN | GENERIC_WRITE | GENERIC_ALL | MAXIMUM;
/// Gives something away.
const OPENS: u32 = CHANGES | READ_DATA | EXECUTE | GENERIC_READ | GENERIC_EXECUTE;

/// The system, its administrators, and the installer of its own files: they come by everything anyway.
const SYSTEM: [&str; 5] =
    ["SY", "S-1-5-18", "BA", "S-1-5-32-544", "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"];
/// Whoever owns the file, who is looked at separately, or will create one in it.
const OWNERS: [&str; 4] = ["OW", "S-1-3-4", "CO", "S-1-3-0"];

/// Reads a descriptor with owner and list; `user` is what such texts call the user.
pub(super) fn read(text: &str, user: &str) -> Described {
    let trusted = |id: &str| id == user || SYSTEM.contains(&id);
    let own = part(text, 'O').is_some_and(trusted);
    let allowed = part(text, 'D').and_then(|list| allowed(list, |id| trusted(id) || OWNERS.contains(&id)));
    // Without a list everybody may do everything.
    let allowed = allowed.unwrap_or(u32::MAX);
    Described { own, private: own && allowed & OPENS == 0, writable_by_others: allowed & CHANGES != 0 }
}

/// The part behind this letter and a colon.
fn part(text: &str, wanted: char) -> Option<&str> {
    let (mut depth, mut begin, mut before) = (0_u32, None, None);
    for (at, found) in text.char_indices() {
        match found {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ':' if depth == 0 => {
                let (letter_at, letter) = before?;
                if let Some(begin) = begin {
                    return text.get(begin..letter_at);
                }
                if letter == wanted {
                    begin = Some(at + 1);
                }
            }
            _ => {}
        }
        before = Some((at, found));
    }
    text.get(begin?..)
}

/// What a list allows to those who are not trusted; nothing if it is not understood.
fn allowed(list: &str, trusted: impl Fn(&str) -> bool) -> Option<u32> {
    let (flags, mut rest) = list.split_at(list.find('(').unwrap_or(list.len()));
    // Apart from these letters only `NO_ACCESS_CONTROL` stands there, which says that there is no list.
    if !flags.replace("AI", "").replace("AR", "").replace('P', "").trim().is_empty() {
        return None;
    }
    let mut allowed = 0;
    while let Some(inside) = rest.strip_prefix('(') {
        let end = closing(inside)?;
        let (entry, behind) = (inside.get(..end)?, inside.get(end + 1..)?);
        rest = behind;
        let mut fields = entry.splitn(7, ';');
        let mut field = || fields.next();
        let (kind, flags, rights, _, _, who) = (field()?, field()?, field()?, field()?, field()?, field()?);
        // What is only handed down to files below says nothing of this one. What is denied is not counted in anyone's favour.
        if matches!(kind, "A" | "XA" | "OA" | "ZA") && !trusted(who) && !pairs(flags).any(|flag| flag == "IO") {
            allowed |= mask(rights)?;
        }
    }
    rest.is_empty().then_some(allowed)
}

/// Where the parenthesis ends that was opened before this text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    text.char_indices().find_map(|(at, found)| {
        match found {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// A text two letters at a time.
fn pairs(text: &str) -> impl Iterator<Item = &str> {
    (0..text.len()).step_by(2).map(move |at| text.get(at..at + 2).unwrap_or("?"))
}

/// The rights of an entry: a number, or two letters for each.
fn mask(rights: &str) -> Option<u32> {
    if let Some(digits) = rights.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    if rights.starts_with(|first: char| first.is_ascii_digit()) {
        return rights.parse().ok();
    }
    pairs(rights).try_fold(0, |mask, right| {
        Some(
            mask | match right {
                "GA" => GENERIC_ALL,
                "GR" => GENERIC_READ,
                "GW" => GENERIC_WRITE,
                "GX" => GENERIC_EXECUTE,
                "FA" => 0x1f_01ff,
                "FR" => 0x12_0089,
                "FW" => 0x12_0116,
                "FX" => 0x12_00a0,
                "KA" => 0xf_003f,
                "KR" | "KX" => 0x2_0019,
                "KW" => 0x2_0006,
                "CC" => 0x1,
                "DC" => 0x2,
                "LC" => 0x4,
                "SW" => 0x8,
                "RP" => 0x10,
                "WP" => 0x20,
                "DT" => 0x40,
                "LO" => 0x80,
                "CR" => 0x100,
                "SD" => 0x1_0000,
                "RC" => 0x2_0000,
                "WD" => 0x4_0000,
                "WO" => 0x8_0000,
                _ => return None,
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: &str = "S-1-5-21-1004336348-1177238915-682003330-1001";

    fn of(text: &str) -> (bool, bool, bool) {
        let Described { own, private, writable_by_others } = read(&text.replace("ADA", ADA), ADA);
        (own, private, writable_by_others)
    }

    #[test]
    fn a_file_for_its_owner_and_the_system_is_private() {
        for list in [
            "O:ADAD:P(A;;FA;;;ADA)(A;;FA;;;SY)(A;;FA;;;BA)",
            "O:ADAG:ADAD:PAI(A;OICI;FA;;;ADA)",
            // In a profile, handed down.
            "O:BAG:ADAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;FA;;;ADA)",
            "O:SYD:(A;;0x1f01ff;;;ADA)S:AI(ML;;NW;;;LW)",
            // Nobody, which the owner can change.
            "O:ADAD:P",
            "O:ADAD:P(A;OICIIO;GA;;;CO)(A;;FA;;;OW)",
            // What folders hand down to files is looked at there.
            "O:ADAD:P(A;;FA;;;ADA)(A;OICIIO;GRGX;;;BU)",
            // Attributes tell nothing.
            "O:ADAD:P(A;;FA;;;ADA)(A;;0x120080;;;WD)",
            "O:ADAD:P(A;;FA;;;ADA)(D;;FA;;;WD)",
        ] {
            assert_eq!(of(list), (true, true, false), "{list}");
        }
    }

    #[test]
    fn what_others_may_read_is_not_private() {
        for list in [
            "O:ADAD:AI(A;ID;FA;;;ADA)(A;ID;0x1200a9;;;BU)",
            "O:ADAD:(A;;FA;;;ADA)(A;;FR;;;WD)",
            "O:ADAD:(A;;FA;;;ADA)(A;;GR;;;S-1-5-21-1-2-3-1002)",
            "O:ADAD:(A;;FA;;;ADA)(A;;CC;;;AU)",
            "O:ADAD:(A;;FX;;;WD)",
            "O:ADAD:(XA;;FR;;;WD;(@User.title==\"a (b)\"))(A;;FA;;;ADA)",
            // To deny it to some does not take it from all.
            "O:ADAD:(D;;FR;;;AN)(A;;FR;;;WD)",
        ] {
            assert_eq!(of(list), (true, false, false), "{list}");
        }
    }

    #[test]
    fn what_others_may_write_remove_or_open_to_themselves_is_seen() {
        for rights in ["FA", "FW", "GA", "GW", "DC", "LC", "DT", "SD", "WD", "WO", "0x1301bf", "0x2000000", "2", "RPSD"]
        {
            let list = format!("O:ADAD:AI(A;ID;FA;;;ADA)(A;ID;{rights};;;AU)");
            assert_eq!(of(&list), (true, false, true), "{list}");
        }
    }

    #[test]
    fn a_file_of_somebody_else_is_not_ones_own() {
        for owner in ["S-1-5-21-1004336348-1177238915-682003330-1002", "WD", "BU", ""] {
            let list = format!("O:{owner}D:P(A;;FA;;;ADA)");
            assert_eq!(of(&list), (false, false, false), "{list}");
        }
        assert_eq!(of("D:P(A;;FA;;;ADA)"), (false, false, false));
    }

    #[test]
    fn what_is_not_understood_counts_against_the_file() {
        for list in [
            "O:ADA",
            "O:ADAD:NO_ACCESS_CONTROL",
            "O:ADAD:P(A;;FA;;;ADA",
            "O:ADAD:P(A;;FA;;ADA)",
            "O:ADAD:P(A;;XX;;;BU)",
            "O:ADAD:P(A;;F;;;BU)",
            "O:ADAD:P(A;;0xfffffffff;;;BU)",
            "O:ADAD:P(A;;FA;;;ADA)and more",
            "O:ADAD:P(A;;é;;;BU)",
        ] {
            assert_eq!(of(list), (true, false, true), "{list}");
        }
        for list in ["", ")", ":", "::::", "O:D:", "D:(", "\u{202e}:", "O:ADA)D:P"] {
            assert!(!of(list).1, "{list}");
        }
    }
}
