//! Integers in a circuit: two's complement, least bit first, each with as many bits as it needs.
//!
//! Widths differ from number to number, so a wide constant makes nothing wide but what is computed from it. A number is at
//! least one bit wide; what is shorter than another counts as if its last bit, the sign, were repeated.

use super::circuit::{Circuit, Lit, Values};
use crate::ir;

/// An integer.
pub type Bits = Vec<Lit>;

/// A constant, in as few bits as it fits into.
fn constant(value: i128) -> Bits {
    (0..ir::bits_of(value, value)).map(|i| Lit::constant(value >> i & 1 == 1)).collect()
}

fn sign(bits: &[Lit]) -> Lit {
    bits.last().copied().unwrap_or(Lit::FALSE)
}

/// The same integer in more bits, or what is left of it in fewer.
fn resized(bits: &[Lit], width: u32) -> Bits {
    let mut bits = bits.to_vec();
    bits.resize(width as usize, sign(&bits));
    bits
}

fn width(bits: &[Lit]) -> u32 {
    bits.len() as u32
}

/// The same integer without bits that only repeat the sign.
fn trimmed(mut bits: Bits) -> Bits {
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
    bits
}

/// The same integer, of which is known that it is in a range.
fn within(mut bits: Bits, lo: i128, hi: i128) -> Bits {
    if let Some(sign) = bits.last_mut().filter(|_| lo >= 0 || hi < 0) {
        *sign = Lit::constant(hi < 0);
    }
    trimmed(bits)
}

/// The least and the greatest integer that the bits can be.
fn range(bits: &[Lit]) -> (i128, i128) {
    let half = 1_i128 << (bits.len().max(1) - 1);
    match sign(bits).as_constant() {
        Some(true) => (-half, -1),
        Some(false) => (0, half - 1),
        None => (-half, half - 1),
    }
}

impl Values {
    /// The value of an integer.
    pub fn number(&self, bits: &[Lit]) -> i128 {
        let bit = |lit: &Lit| i128::from(self.get(*lit));
        ir::wrap(bits.iter().enumerate().map(|(i, lit)| bit(lit) << i).sum(), width(bits))
    }
}

impl Circuit {
    /// A constant.
    pub fn number(&self, value: i128) -> Bits {
        constant(ir::wrap(value, self.integer_bits))
    }

    /// The value, if it is a constant.
    pub fn as_number(&self, bits: &[Lit]) -> Option<i128> {
        let add = |v, (i, b): (usize, &Lit)| Some(v | i128::from(b.as_constant()?) << i);
        Some(ir::wrap(bits.iter().enumerate().try_fold(0, add)?, width(bits)))
    }

    /// A free integer, and the condition under which it is in a range.
    pub fn free_number(&mut self, lo: i128, hi: i128) -> (Bits, Lit) {
        let free: Bits = (0..ir::bits_of(lo, hi)).map(|_| self.input()).collect();
        let free = within(free, lo, hi);
        let (below, above) = (self.less(&free, &constant(lo)), self.less(&constant(hi), &free));
        (free, self.and(!below, !above))
    }

    /// If-then-else on integers.
    pub fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        let width = width(a).max(width(b));
        let (a, b) = (resized(a, width), resized(b, width));
        trimmed(a.into_iter().zip(b).map(|(x, y)| self.ite(c, x, y)).collect())
    }

    /// Equality of integers.
    pub fn same(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let width = width(a).max(width(b));
        let (a, b) = (resized(a, width), resized(b, width));
        a.into_iter().zip(b).fold(Lit::TRUE, |all, (x, y)| {
            let equal = self.equal(x, y);
            self.and(all, equal)
        })
    }

    /// The last bits of `a + b + carry`.
    fn add_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit, width: u32) -> Bits {
        let mut sum = Vec::with_capacity(width as usize);
        for (x, y) in resized(a, width).into_iter().zip(resized(b, width)) {
            let half = !self.equal(x, y);
            sum.push(!self.equal(half, carry));
            carry = self.ite(half, carry, x);
        }
        sum
    }

    fn sum(&mut self, a: &[Lit], b: &[Lit], width: u32) -> Bits {
        self.add_carry(a, b, Lit::FALSE, width)
    }

    fn difference(&mut self, a: &[Lit], b: &[Lit], width: u32) -> Bits {
        let b: Bits = b.iter().map(|&l| !l).collect();
        self.add_carry(a, &b, Lit::TRUE, width)
    }

    /// Bits in which the sum or difference of two integers is right, unless it is cut.
    fn wide_enough(&self, a: &[Lit], b: &[Lit]) -> u32 {
        (width(a).max(width(b)) + 1).min(self.integer_bits)
    }

    /// Sum, wrapped at the bits of an integer.
    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let width = self.wide_enough(a, b);
        trimmed(self.sum(a, b, width))
    }

    /// Difference, wrapped at the bits of an integer.
    pub fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let width = self.wide_enough(a, b);
        trimmed(self.difference(a, b, width))
    }

    /// How many of the literals are true.
    pub fn count(&mut self, lits: &[Lit]) -> Bits {
        match lits {
            [] => vec![Lit::FALSE],
            [lit] => vec![*lit, Lit::FALSE],
            _ => {
                let (left, right) = lits.split_at(lits.len() / 2);
                let (a, b) = (self.count(left), self.count(right));
                let width = width(&a).max(width(&b)) + 1;
                self.sum(&a, &b, width)
            }
        }
    }

    /// `a < b`.
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let width = width(a).max(width(b));
        let (a, b) = (resized(a, width), resized(b, width));
        let Some(sign) = a.len().checked_sub(1) else { return Lit::FALSE };
        let mut less = Lit::FALSE;
        for i in 0..a.len() {
            // The sign bit counts the other way round.
            let (x, y) = if i == sign { (b[i], a[i]) } else { (a[i], b[i]) };
            let (below, differ) = (self.and(!x, y), !self.equal(x, y));
            less = self.ite(differ, below, less);
        }
        less
    }

    /// An integer as a variable of the range `lo..hi` keeps it: [`ir::wrap_into`].
    pub fn wrap_into(&mut self, a: &[Lit], lo: i128, hi: i128) -> Bits {
        if let Some(value) = self.as_number(a) {
            return constant(ir::wrap_into(value, lo, hi));
        }
        let (least, greatest) = range(a);
        if lo <= least && greatest <= hi {
            return a.to_vec();
        }
        // The distance from `lo`, and so many times the size of the range that it is not negative.
        let size = hi - lo + 1;
        let times = (lo - least).max(0).div_euclid(size) + 1;
        let offset = if least < lo { times * size - lo } else { -lo };
        let most = greatest + offset;
        let rest = self.sum(a, &constant(offset), ir::bits_of(0, most));
        let rest = self.remainder(within(rest, 0, most), most, size);
        let value = self.sum(&rest, &constant(lo), ir::bits_of(lo, hi));
        within(value, lo, hi)
    }

    /// What is left of an integer, which is not negative and at most `most`, when it is divided by `size`.
    fn remainder(&mut self, mut rest: Bits, most: i128, size: i128) -> Bits {
        if size.count_ones() == 1 {
            let bits = size.trailing_zeros();
            rest = resized(&rest, width(&rest).max(bits + 1));
            rest.truncate(bits as usize);
            rest.push(Lit::FALSE);
            return rest;
        }
        let mut step = size;
        while step <= most / 2 {
            step *= 2;
        }
        // What is left is less than twice the step; behind the subtraction, less than the step.
        loop {
            let below = self.difference(&rest, &constant(step), ir::bits_of(-step, step - 1));
            let kept = self.choose(sign(&below), &rest, &below);
            rest = within(resized(&kept, ir::bits_of(0, step - 1)), 0, step - 1);
            if step == size {
                return rest;
            }
            step /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ir::{INTEGER_BITS, INTEGERS};

    #[test]
    fn arithmetic_on_constants() {
        let mut c = Circuit::default();
        for a in -128..128 {
            for b in [-128, -7, -1, 0, 1, 3, 127] {
                let (x, y) = (c.number(a), c.number(b));
                let sum = c.add(&x, &y);
                assert_eq!(c.as_number(&sum), Some(a + b));
                let difference = c.subtract(&x, &y);
                assert_eq!(c.as_number(&difference), Some(a - b));
                assert_eq!(c.less(&x, &y).as_constant(), Some(a < b));
                assert_eq!(c.same(&x, &y).as_constant(), Some(a == b));
            }
            let bits: Vec<Lit> = (0..8).map(|i| Lit::constant(a >> i & 1 == 1)).collect();
            let ones = c.count(&bits);
            assert_eq!(c.as_number(&ones), Some(i128::from((a as u8).count_ones())));
        }
    }

    /// Near the powers of two, and the powers themselves.
    fn integer() -> impl Strategy<Value = i128> {
        let near = (0..65_u32, -3..4_i128, any::<bool>()).prop_map(|(power, more, negative)| {
            let value = (1_i128 << power) + more;
            (if negative { -value } else { value }).clamp(*INTEGERS.start(), *INTEGERS.end())
        });
        prop_oneof![near, any::<i64>().prop_map(i128::from), any::<u64>().prop_map(i128::from)]
    }

    /// An integer that the circuit does not know, and what its inputs have to be for it to be a given one.
    fn unknown(c: &mut Circuit, value: i128, inputs: &mut Vec<bool>) -> Bits {
        let wide = ir::bits_of(value, value) + 2;
        (0..wide)
            .map(|i| {
                inputs.push(value >> i & 1 == 1);
                c.input()
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is known of them, sums, differences, comparisons and storing are those of the integers.
        #[test]
        fn arithmetic_is_that_of_integers(
            a in integer(), b in integer(), (p, q) in (integer(), integer()), known: [bool; 2], choice: bool
        ) {
            let (mut c, mut inputs) = (Circuit::default(), Vec::new());
            let [x, y] = [(a, known[0]), (b, known[1])].map(|(value, known)| match known {
                true => c.number(value),
                false => unknown(&mut c, value, &mut inputs),
            });
            inputs.push(choice);
            let chooses = c.input();
            let (lo, hi) = (p.min(q), p.max(q));
            let numbers = [
                (c.add(&x, &y), ir::wrap(a + b, INTEGER_BITS)),
                (c.subtract(&x, &y), ir::wrap(a - b, INTEGER_BITS)),
                (c.choose(chooses, &x, &y), if choice { a } else { b }),
                (c.wrap_into(&x, lo, hi), ir::wrap_into(a, lo, hi)),
                (c.wrap_into(&y, 0, hi - lo), ir::wrap_into(b, 0, hi - lo)),
            ];
            let (less, same) = (c.less(&x, &y), c.same(&x, &y));
            let values = c.evaluate(&inputs);
            for (number, expected) in numbers {
                prop_assert_eq!(values.number(&number), expected);
            }
            prop_assert_eq!((values.get(less), values.get(same)), (a < b, a == b));
        }

        #[test]
        fn free_numbers_are_those_of_the_range((p, q) in (integer(), integer()), bits: u128) {
            let (lo, hi) = (p.min(q), p.max(q));
            let mut c = Circuit::default();
            let (free, is_within) = c.free_number(lo, hi);
            let inputs: Vec<bool> = (0..c.inputs()).map(|i| bits >> i & 1 == 1).collect();
            let values = c.evaluate(&inputs);
            prop_assert_eq!(values.get(is_within), (lo..=hi).contains(&values.number(&free)));
            // And each of them can be had.
            for wanted in [lo, hi, lo + (hi - lo) / 3] {
                let inputs: Vec<bool> = (0..c.inputs()).map(|i| wanted >> i & 1 == 1).collect();
                let values = c.evaluate(&inputs);
                prop_assert!(values.get(is_within) && values.number(&free) == wanted);
            }
        }
    }

    /// What is computed is as wide as it needs to be, whatever it is compared with.
    #[test]
    fn a_wide_constant_makes_nothing_else_wide() {
        let mut c = Circuit::default();
        let (small, _) = c.free_number(0, 3);
        assert_eq!(small.len(), 3);
        let nodes = c.nodes().len();
        assert_eq!(c.less(&small, &constant(100_000)), Lit::TRUE);
        assert_eq!(c.same(&small, &constant(-1)), Lit::FALSE);
        assert!(c.nodes().len() <= nodes + small.len());
        let next = c.add(&small, &constant(1));
        assert_eq!(c.wrap_into(&next, 0, 3).len(), 3);
    }
}
