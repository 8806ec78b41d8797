//! Multiples of a point, with which it is multiplied by additions and hardly a doubling.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity as _;

/// How many bits of a scalar one addition takes care of. Multiplying by 2⁶ is multiplying by the cofactor 8 twice.
const BITS: usize = 6;
/// How many multiples of each power are kept: with the negated ones, enough for all digits.
const MOST: usize = 1 << (BITS - 1);
/// Half of a scalar's digits. It has at most 253 bits; the last digit has room for what is carried.
const PAIRS: usize = 22;

/// The multiples 1 to 32 of P, of 64² P, of 64⁴ P and so on: 110 KiB, made by about 800 additions. The time that multiplying
/// with them takes depends on the scalar, so it is not for secret ones.
#[derive(Clone)]
pub struct Multiples(Vec<[EdwardsPoint; MOST]>);

impl Multiples {
    /// Makes the multiples of a point.
    #[must_use]
    pub fn new(point: &EdwardsPoint) -> Self {
        let mut power = *point;
        let row = |_| {
            let mut sum = EdwardsPoint::identity();
            let row = std::array::from_fn(|_| {
                sum += power;
                sum
            });
            power = times_64(times_64(power));
            row
        };
        Self((0..PAIRS).map(row).collect())
    }

    /// Returns the sum of two points multiplied by a scalar each.
    #[must_use]
    pub fn sum(factors: [(&Self, &Scalar); 2]) -> EdwardsPoint {
        let factors = factors.map(|(multiples, scalar)| (multiples, digits(scalar)));
        let add = |sum, odd: usize| {
            factors.iter().fold(sum, |sum, (multiples, digits)| multiples.add(sum, digits.iter().map(|pair| pair[odd])))
        };
        add(times_64(add(EdwardsPoint::identity(), 1)), 0)
    }

    /// Adds to a sum from each row the multiple that a digit says.
    fn add(&self, sum: EdwardsPoint, digits: impl Iterator<Item = i8>) -> EdwardsPoint {
        self.0.iter().zip(digits).fold(sum, |sum, (row, digit)| {
            match usize::from(digit.unsigned_abs()).checked_sub(1).and_then(|place| row.get(place)) {
                Some(point) if digit < 0 => sum - point,
                Some(point) => sum + point,
                None => sum,
            }
        })
    }
}

fn times_64(point: EdwardsPoint) -> EdwardsPoint {
    point.mul_by_cofactor().mul_by_cofactor()
}

/// Returns a scalar's digits of six bits, from -31 to 32, in pairs, the least significant first.
fn digits(scalar: &Scalar) -> [[i8; 2]; PAIRS] {
    let bytes = scalar.as_bytes();
    let byte = |at: usize| bytes.get(at).map_or(0, |&byte| u32::from(byte));
    let mut carried = 0;
    let mut digit = |nth: usize| {
        let bit = nth * BITS;
        let bits = (byte(bit / 8) | byte(bit / 8 + 1) << 8) >> (bit % 8) & (2 * MOST as u32 - 1);
        // At most 64. What is above 32 is taken from 64, which is carried to the next.
        let digit = bits as i8 + carried;
        carried = i8::from(digit > MOST as i8);
        digit - carried * 2 * MOST as i8
    };
    std::array::from_fn(|pair| [digit(2 * pair), digit(2 * pair + 1)])
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};

    use super::*;

    /// Scalars at the edges of the digits, of the carry and of the group, and many others.
    fn scalars() -> Vec<Scalar> {
        let mut list: Vec<_> = (0_u64..140).chain([2047, 2048, 4095, 4096, u64::MAX]).map(Scalar::from).collect();
        list.extend(list.clone().iter().map(|scalar| -scalar));
        for byte in [0x0f, 0x10, 0x84, 0x42, 0x21, 0x08, 0x55, 0xff] {
            list.push(Scalar::from_bytes_mod_order([byte; 32]));
        }
        for seed in 0..40 {
            list.push(Scalar::from_bytes_mod_order_wide(&std::array::from_fn(|at| {
                (at as u8 ^ seed).wrapping_mul(167)
            })));
        }
        list
    }

    #[test]
    fn sums_are_those_of_the_library_for_every_kind_of_point() {
        let base = Multiples::new(&ED25519_BASEPOINT_POINT);
        let point = ED25519_BASEPOINT_POINT;
        for other in [point, -point, point + EIGHT_TORSION[1], EIGHT_TORSION[3], EdwardsPoint::identity()] {
            let multiples = Multiples::new(&other);
            let scalars = scalars();
            for (one, two) in scalars.iter().zip(scalars.iter().rev()) {
                assert_eq!(
                    Multiples::sum([(&base, one), (&multiples, two)]),
                    point * one + other * two,
                    "{one:?} {two:?}"
                );
                assert_eq!(Multiples::sum([(&multiples, one), (&multiples, two)]), other * one + other * two);
            }
        }
    }
}
