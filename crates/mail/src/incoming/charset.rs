//! The character sets of texts, as mail programs name and misname them.

use mail_parser::decoders::charsets::map::charset_decoder;

/// Names that programs write for a character set which is known by another name, in small letters with `_` for `-`.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("cp50220", "iso_2022_jp"),
    ("cp50221", "iso_2022_jp"),
    ("cp50222", "iso_2022_jp"),
    ("iso_2022_jp_1", "iso_2022_jp"),
    ("iso_2022_jp_2", "iso_2022_jp"),
    ("iso_2022_jp_3", "iso_2022_jp"),
    ("iso_2022_jp_2004", "iso_2022_jp"),
    ("iso_2022_jp_ms", "iso_2022_jp"),
    ("iso2022_jp", "iso_2022_jp"),
    ("iso2022jp", "iso_2022_jp"),
    ("shiftjis", "shift_jis"),
    ("cp932", "shift_jis"),
    ("windows_932", "shift_jis"),
    ("eucjp", "euc_jp"),
    ("eucjp_ms", "euc_jp"),
    ("cp51932", "euc_jp"),
    ("euckr", "euc_kr"),
    ("x_euc_kr", "euc_kr"),
    ("ks_c_5601", "euc_kr"),
    ("cp949", "euc_kr"),
    ("ms949", "euc_kr"),
    ("uhc", "euc_kr"),
    ("euc_cn", "gb18030"),
    ("euccn", "gb18030"),
    ("gb_18030", "gb18030"),
    ("gb2312_80", "gb18030"),
    ("x_big5", "big5"),
    ("cp950", "big5"),
    ("ms950", "big5"),
    ("windows_950", "big5"),
    ("utf8", "utf_8"),
];
/// The sets whose every byte is a character of its own, and which programs name although the text is UTF-8.
const MISNAMED: &[&str] = &[
    "us_ascii",
    "ascii",
    "ansi_x3.4_1968",
    "iso_8859_1",
    "latin1",
    "windows_1252",
    "cp1252",
    "unknown",
    "unknown_8bit",
    "x_unknown",
    "binary",
    "",
];
const ESCAPE: u8 = 0x1b;
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;

/// Decodes a text in the named character set. Undecodable bytes become replacement characters.
pub(super) fn decoded(bytes: &[u8], named: Option<&str>) -> String {
    let name = named.unwrap_or_default().trim().trim_matches(['"', '\'']).to_ascii_lowercase().replace('-', "_");
    let name = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name.as_str(), |(_, name)| name);
    let (name, bytes): (_, std::borrow::Cow<'_, [u8]>) = match name {
        "hz_gb_2312" | "hz" | "hz_gb2312" => ("gb18030", unshifted_hz(bytes).into()),
        "iso_2022_kr" | "csiso2022kr" | "iso2022kr" => ("euc_kr", unshifted(bytes).into()),
        name => (name, bytes.into()),
    };
    let is_utf8 = || std::str::from_utf8(&bytes).ok().filter(|_| MISNAMED.contains(&name) || is_narrow(name));
    if let Some(text) = is_utf8() {
        return text.to_owned();
    }
    match charset_decoder(name.as_bytes()) {
        Some(decoder) => decoder(&bytes),
        None => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

/// Whether every byte is a character of its own: hardly any text in such a set is UTF-8 by chance.
fn is_narrow(name: &str) -> bool {
    ["iso_8859_", "iso8859_", "windows_125", "cp125", "latin"].iter().any(|start| name.starts_with(start))
}

/// HZ (RFC 1843) as the bytes of GB 2312: between `~{` and `~}` the high bits are missing.
fn unshifted_hz(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut rest, mut is_out) = (bytes, false);
    while let [first, behind @ ..] = rest {
        let second = behind.first().copied();
        let used = match (is_out, *first, second) {
            (false, b'~', Some(b'{')) => {
                is_out = true;
                2
            }
            (true, b'~', Some(b'}')) => {
                is_out = false;
                2
            }
            (false, b'~', Some(b'~')) => {
                out.push(b'~');
                2
            }
            // The next line goes on with this one.
            (false, b'~', Some(b'\n')) => 2,
            // Two bytes are a sign, whatever they are.
            (true, first @ 0x21..=0x7e, Some(second @ 0x21..=0x7e)) => {
                out.extend([first | 0x80, second | 0x80]);
                2
            }
            (_, byte, _) => {
                // A line ends what is shifted, whatever was forgotten.
                is_out &= byte != b'\n';
                out.push(byte);
                1
            }
        };
        rest = rest.get(used..).unwrap_or_default();
    }
    out
}

/// ISO-2022-KR (RFC 1557) as the bytes of EUC-KR: what stands between the shift codes gets the high bits.
fn unshifted(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut rest, mut is_out) = (bytes, false);
    while let [first, behind @ ..] = rest {
        let (taken, used) = match (*first, behind) {
            (ESCAPE, [b'$', b')', b'C', ..]) => (None, 4),
            (SHIFT_OUT, _) => {
                is_out = true;
                (None, 1)
            }
            (SHIFT_IN, _) => {
                is_out = false;
                (None, 1)
            }
            (b'\n', _) => {
                is_out = false;
                (Some(b'\n'), 1)
            }
            (byte @ 0x21..=0x7e, _) if is_out => (Some(byte | 0x80), 1),
            (byte, _) => (Some(byte), 1),
        };
        out.extend(taken);
        rest = rest.get(used..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_east_asia_are_decoded_by_the_names_that_programs_write() {
        let cases: &[(&str, &[u8], &str)] = &[
            ("gb2312", b"\xa3\xe3\xa3\xb4\xa3\xad\xa3\xe3\xa3\xb5", "\u{ff43}\u{ff14}\u{ff0d}\u{ff43}\u{ff15}"),
            ("GBK", b"\xb7\xa2\xbc\xfe\xc8\xcb\xa3\xba", "发件人："),
            ("gb18030", b"\xb7\xa2\xbc\xfe\xc8\xcb", "发件人"),
            ("x-gbk", b"\xb7\xa2\xbc\xfe\xc8\xcb", "发件人"),
            ("big5", b"\xa7A\xa6n\xa1A", "你好，"),
            ("cp950", b"\xa7A\xa6n", "你好"),
            ("iso-2022-jp", b"\x1b$B:9=P?M\x1b(B: x", "差出人: x"),
            ("CP50221", b"\x1b$B:9=P?M\x1b(B", "差出人"),
            ("Shift_JIS", b"\x8d\xb7\x8fo\x90l", "差出人"),
            ("windows-31j", b"\x8d\xb7\x8fo\x90l", "差出人"),
            ("euc-jp", b"\xba\xb9\xbd\xd0\xbf\xcd", "差出人"),
            ("euc-kr", b"\xbe\xc8\xb3\xe7", "안녕"),
            ("ks_c_5601-1987", b"\xbe\xc8\xb3\xe7", "안녕"),
            ("iso-2022-kr", b"\x1b$)C\x0e>H3g\x0f c4-c5\n", "안녕 c4-c5\n"),
            ("hz-gb-2312", b"~{7\"<~HK~}: a~~b\n", "发件人: a~b\n"),
            ("HZ", b"~{7\"<~\nx", "发件\nx"),
        ];
        for (name, bytes, text) in cases {
            assert_eq!(decoded(bytes, Some(name)), *text, "{name}");
        }
    }

    #[test]
    fn utf_8_is_read_where_it_is_called_something_smaller() {
        for name in [
            None,
            Some("us-ascii"),
            Some("ISO-8859-1"),
            Some("windows-1252"),
            Some("iso-8859-15"),
            Some("unknown-8bit"),
        ] {
            assert_eq!(decoded("c4–c5".as_bytes(), name), "c4–c5", "{name:?}");
        }
        assert_eq!(decoded(b"caf\xe9", Some("iso-8859-1")), "café");
        assert_eq!(decoded(b"c4\x96c5", Some("us-ascii")), "c4–c5");
    }

    #[test]
    fn no_bytes_are_too_odd_to_be_decoded() {
        let names =
            ["gb18030", "gbk", "big5", "iso-2022-jp", "shift_jis", "euc-jp", "euc-kr", "hz", "iso-2022-kr", "x", ""];
        for name in names {
            for first in 0..=u8::MAX {
                for second in [0, 0x0e, 0x1b, b'$', b'~', b'{', 0x80, 0xa1, 0xff] {
                    for bytes in
                        [&[first][..], &[first, second], &[second, first, second, first], &[ESCAPE, b'$', first]]
                    {
                        assert!(decoded(bytes, Some(name)).len() <= bytes.len() * 4, "{name}: {bytes:?}");
                    }
                }
            }
            assert_eq!(decoded(b"", Some(name)), "");
        }
    }
}
