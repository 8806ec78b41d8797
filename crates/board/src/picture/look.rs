//! Looks: which colour each ink has.

use super::list::Ink;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// How a picture looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Look {
    /// For a screen.
    #[default]
    Colour,
    /// Black on white, for paper.
    Print,
    /// On a dark background.
    Dark,
}

impl Look {
    /// Every look and its name.
    pub const ALL: [(&'static str, Self); 3] = [("colour", Self::Colour), ("print", Self::Print), ("dark", Self::Dark)];

    /// Returns the colour of an ink. The fills of the two sides differ by at least 40 in lightness (CIE L*), also for
    /// people who cannot see red, green or blue.
    #[must_use]
    pub const fn colour(self, ink: Ink) -> Colour {
        let number: u32 = match self {
            Self::Colour => match ink {
                Ink::Paper => 0xFB_F8_F2,
                Ink::Light => 0xF1_E7_D0,
                Ink::Dark => 0xDF_D0_AF,
                Ink::Region => 0xE8_B6_6B,
                Ink::Line => 0x7A_6A_52,
                Ink::Text | Ink::FirstEdge => 0x2A_24_1C,
                Ink::First => 0xFF_FB_EE,
                Ink::FirstMark => 0xA8_45_00,
                Ink::Second => 0x17_3F_6B,
                Ink::SecondEdge => 0x0B_1F_36,
                Ink::SecondMark => 0xFF_FF_FF,
                Ink::Mark => 0xC4_3C_00,
            },
            Self::Print => match ink {
                Ink::Paper | Ink::Light | Ink::First | Ink::SecondMark => 0xFF_FF_FF,
                Ink::Dark => 0xE4_E4_E4,
                Ink::Region => 0xAA_AA_AA,
                Ink::Line => 0x70_70_70,
                Ink::Text | Ink::FirstEdge | Ink::FirstMark | Ink::SecondEdge | Ink::Mark => 0x00_00_00,
                Ink::Second => 0x26_26_26,
            },
            Self::Dark => match ink {
                Ink::Paper => 0x16_19_1E,
                Ink::Light => 0x3A_41_4B,
                Ink::Dark => 0x2B_31_39,
                Ink::Region => 0x8A_66_2E,
                Ink::Line => 0x8D_96_A3,
                Ink::Text => 0xEC_EE_F1,
                Ink::First => 0xF7_EF_DB,
                Ink::FirstEdge => 0x12_14_18,
                Ink::FirstMark => 0x9A_40_00,
                Ink::Second => 0x0F_33_5A,
                Ink::SecondEdge => 0xA9_CD_F2,
                Ink::SecondMark => 0xFF_FF_FF,
                Ink::Mark => 0xFF_A0_4D,
            },
        };
        let [_, red, green, blue] = number.to_be_bytes();
        [red, green, blue]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Converts a channel to linear light.
    fn linear(channel: u8) -> f64 {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    }

    fn lightness(rgb: [f64; 3]) -> f64 {
        let luminance = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
        if luminance <= 0.008_856 { 903.3 * luminance } else { 116.0 * luminance.cbrt() - 16.0 }
    }

    /// What of linear light is seen by eyes that lack one type of cone (Viénot, Brettel and Mollon 1999; Machado 2009
    /// for the third).
    const EYES: [(&str, [[f64; 3]; 3]); 4] = [
        ("all colours", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "no red",
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
        (
            "no green",
            [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
        ),
        (
            "no blue",
            [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        ),
    ];

    fn seen(colour: Colour, eyes: &[[f64; 3]; 3]) -> f64 {
        let light = colour.map(linear);
        lightness(eyes.map(|row| (0..3).map(|at| row[at] * light[at]).sum::<f64>().max(0.0)))
    }

    #[test]
    fn the_sides_can_be_told_apart_without_colour_and_by_all_eyes() {
        for (name, look) in Look::ALL {
            for (eyes, matrix) in &EYES {
                let apart = |one, other| (seen(look.colour(one), matrix) - seen(look.colour(other), matrix)).abs();
                assert!(apart(Ink::First, Ink::Second) >= 40.0, "{name}, {eyes}");
                assert!(apart(Ink::First, Ink::FirstEdge) >= 40.0, "{name}, {eyes}");
                assert!(apart(Ink::First, Ink::FirstMark) >= 40.0, "{name}, {eyes}");
                assert!(apart(Ink::Second, Ink::SecondMark) >= 40.0, "{name}, {eyes}");
                for ground in [Ink::Paper, Ink::Light, Ink::Dark] {
                    assert!(apart(Ink::Text, ground) >= 40.0, "{name}, {eyes}, text on {ground:?}");
                    assert!(apart(Ink::Mark, ground) >= 25.0, "{name}, {eyes}, marks on {ground:?}");
                }
            }
        }
    }
}
