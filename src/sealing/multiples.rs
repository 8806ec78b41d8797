//! Multiples of one point, with which it is multiplied by additions alone.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity as _;

/// How many bits of a scalar one addition takes care of.
const BITS: usize = 5;
/// How many multiples of each power are kept: with the negated ones, enough for all digits.
const MOST: usize = 1 << (BITS - 1);
/// The digits of a scalar, which has at most 253 bits; the last digit has room for what is carried.
const DIGITS: usize = 51;

/// The multiples 1 to 16 of P, of 32 P, of 32² P and so on: 128 KiB, made by 816 additions. Multiplying with them takes at
/// most 51 additions and no doubling. The time that takes depends on the scalar, so it is not for secret ones.
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
            power = sum + sum;
            row
        };
        Self((0..DIGITS).map(row).collect())
    }

    /// Returns a sum of points and the multiple of this one.
    #[must_use]
    pub fn add(&self, sum: EdwardsPoint, scalar: &Scalar) -> EdwardsPoint {
        let mut carried = 0;
        self.0.iter().zip(digits(scalar)).fold(sum, |sum, (row, digit)| {
            // A digit above 16 is taken from 32, which is carried to the next.
            let digit = digit + carried;
            carried = usize::from(digit > MOST);
            let (multiple, is_negated) = if digit > MOST { (2 * MOST - digit, true) } else { (digit, false) };
            match multiple.checked_sub(1).and_then(|place| row.get(place)) {
                Some(point) if is_negated => sum - point,
                Some(point) => sum + point,
                None => sum,
            }
        })
    }
}

/// Returns a scalar's digits of five bits, the least significant first.
fn digits(scalar: &Scalar) -> impl Iterator<Item = usize> {
    let bytes = scalar.as_bytes();
    (0..DIGITS).map(move |nth| {
        let bit = nth * BITS;
        let byte = |at: usize| bytes.get(at).map_or(0, |&byte| usize::from(byte));
        (byte(bit / 8) | byte(bit / 8 + 1) << 8) >> (bit % 8) & (2 * MOST - 1)
    })
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};

    use super::*;

    /// Scalars at the edges of the digits, of the carry and of the group, and many others.
    fn scalars() -> Vec<Scalar> {
        let mut list: Vec<_> = (0_u64..70).chain([1023, 1024, u64::MAX]).map(Scalar::from).collect();
        list.extend(list.clone().iter().map(|scalar| -scalar));
        for byte in [0x0f, 0x10, 0x84, 0x42, 0x21, 0x08, 0xff] {
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
    fn multiples_are_those_of_the_library_for_every_kind_of_point() {
        let base = ED25519_BASEPOINT_POINT;
        for point in [base, -base, base + EIGHT_TORSION[1], EIGHT_TORSION[3], EdwardsPoint::identity()] {
            let multiples = Multiples::new(&point);
            for scalar in scalars() {
                assert_eq!(multiples.add(base, &scalar), base + point * scalar, "{scalar:?}");
            }
        }
    }
}
