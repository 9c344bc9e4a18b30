//! Boolean functions as and-inverter graphs with structural hashing: equal subterms are one node, constants fold away.

use rustc_hash::FxHashMap;

/// A node of a circuit, possibly negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// The constant true.
    pub const TRUE: Lit = Lit(0);
    /// The constant false.
    pub const FALSE: Lit = Lit(1);

    /// The constant.
    pub fn constant(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// The node it is about.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the node's negation.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The value, if it is a constant.
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self == Lit::TRUE)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// True.
    True,
    /// A free choice, numbered from 0.
    Input(u32),
    /// Both.
    And(Lit, Lit),
}

/// A circuit; nodes come after what they are made of.
#[derive(Debug)]
pub struct Circuit {
    nodes: Vec<Node>,
    inputs: u32,
    ands: FxHashMap<(Lit, Lit), Lit>,
}

impl Default for Circuit {
    fn default() -> Self {
        Circuit { nodes: vec![Node::True], inputs: 0, ands: FxHashMap::default() }
    }
}

impl Circuit {
    /// All nodes, in topological order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The literal that a node is.
    pub fn lit(&self, node: usize) -> Lit {
        Lit((node as u32) << 1)
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.inputs as usize
    }

    fn push(&mut self, node: Node) -> Lit {
        self.nodes.push(node);
        Lit((self.nodes.len() as u32 - 1) << 1)
    }

    /// A new free choice.
    pub fn input(&mut self) -> Lit {
        self.inputs += 1;
        self.push(Node::Input(self.inputs - 1))
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (a, b) {
            (Lit::TRUE, _) => b,
            (Lit::FALSE, _) => Lit::FALSE,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => {
                if let Some(simpler) = self.absorb(a, b).or_else(|| self.absorb(b, a)) {
                    return simpler;
                }
                if let Some(&known) = self.ands.get(&(a, b)) {
                    return known;
                }
                let lit = self.push(Node::And(a, b));
                self.ands.insert((a, b), lit);
                lit
            }
        }
    }

    /// `a && (a && x)` is the latter, `a && (!a && x)` is false, `a && !(a && x)` is `a && !x`, `a && !(!a && x)` is `a`.
    fn absorb(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        let Node::And(x, y) = self.nodes[b.node()] else { return None };
        match b.is_negated() {
            false if x == a || y == a => Some(b),
            false if x == !a || y == !a => Some(Lit::FALSE),
            true if x == !a || y == !a => Some(a),
            true if x == a => Some(self.and(a, !y)),
            true if y == a => Some(self.and(a, !x)),
            _ => None,
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// If-then-else.
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b || c == Lit::TRUE {
            return a;
        }
        if c == Lit::FALSE {
            return b;
        }
        let (yes, no) = (self.and(c, a), self.and(!c, b));
        self.or(yes, no)
    }

    /// Equivalence.
    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        self.ite(a, b, !b)
    }

    /// The value of every node under an assignment to the inputs.
    pub fn evaluate(&self, inputs: &[bool]) -> Values {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = |l: Lit| values[l.node()] != l.is_negated();
            let v = match *node {
                Node::True => true,
                Node::Input(i) => inputs[i as usize],
                Node::And(a, b) => value(a) && value(b),
            };
            values.push(v);
        }
        Values(values)
    }
}

/// The values of a circuit's nodes.
pub struct Values(Vec<bool>);

impl Values {
    /// The value of a literal.
    pub fn get(&self, lit: Lit) -> bool {
        self.0[lit.node()] != lit.is_negated()
    }
}

/// Integers as bits, two's complement, least bit first; all of one width.
pub type Bits = Vec<Lit>;

impl Circuit {
    /// A constant.
    pub fn number(&self, value: i32, width: u32) -> Bits {
        (0..width).map(|i| Lit::constant(value >> i & 1 == 1)).collect()
    }

    /// The value, if it is a constant.
    pub fn as_number(&self, bits: &[Lit]) -> Option<i32> {
        let raw =
            bits.iter().enumerate().try_fold(0i64, |v, (i, b)| Some(v | (b.as_constant()? as i64) << i))?;
        let shift = 64 - bits.len();
        Some(((raw << shift) >> shift) as i32)
    }

    /// A free integer.
    pub fn free_number(&mut self, width: u32) -> Bits {
        (0..width).map(|_| self.input()).collect()
    }

    /// If-then-else on integers.
    pub fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        a.iter().zip(b).map(|(&x, &y)| self.ite(c, x, y)).collect()
    }

    /// Equality of integers.
    pub fn same(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(Lit::TRUE, |all, (&x, &y)| {
            let equal = self.equal(x, y);
            self.and(all, equal)
        })
    }

    /// `a + b + carry`, wrapped.
    fn add_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Bits {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = !self.equal(x, y);
            sum.push(!self.equal(half, carry));
            carry = self.ite(half, carry, x);
        }
        sum
    }

    /// Sum, wrapped.
    pub fn add(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        self.add_carry(a, b, Lit::FALSE)
    }

    /// How many of the literals are true; wide enough to be no negative number.
    pub fn count(&mut self, lits: &[Lit]) -> Bits {
        match lits {
            [] => vec![Lit::FALSE],
            [lit] => vec![*lit, Lit::FALSE],
            _ => {
                let (left, right) = lits.split_at(lits.len() / 2);
                let (mut a, mut b) = (self.count(left), self.count(right));
                let width = a.len().max(b.len()) + 1;
                a.resize(width, Lit::FALSE);
                b.resize(width, Lit::FALSE);
                self.add(&a, &b)
            }
        }
    }

    /// Difference, wrapped.
    pub fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let b: Bits = b.iter().map(|&l| !l).collect();
        self.add_carry(a, &b, Lit::TRUE)
    }

    /// `a < b`, signed.
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
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

    /// `lo + (a - lo) mod (hi - lo + 1)`: an integer wrapped around within a range.
    pub fn wrap_into(&mut self, a: &[Lit], lo: i32, hi: i32) -> Bits {
        let width = a.len() as u32 + 2;
        let extend = |bits: &[Lit]| [bits, &[bits[bits.len() - 1]; 2]].concat();
        let (low, size) = (self.number(lo, width), hi as i64 - lo as i64 + 1);
        let mut rest = self.subtract(&extend(a), &low);
        // Bring `a - lo` into 0..size: first up (it may be negative), then down, by halving multiples of the size.
        let multiples =
            || (0..32).map(|i| size << i).take_while(|&m| m < 1 << (width - 1)).collect::<Vec<_>>();
        for (up, m) in multiples()
            .into_iter()
            .rev()
            .map(|m| (true, m))
            .chain(multiples().into_iter().rev().map(|m| (false, m)))
        {
            let step = self.number(m as i32, width);
            if up {
                let negative = rest[width as usize - 1];
                let minus = self.number(-m as i32, width);
                // Only where it stays below the size in the end: `rest < -m + size` cannot be reached by smaller steps.
                let far = self.less(&rest, &minus);
                let added = self.add(&rest, &step);
                let needed = if m == size { negative } else { far };
                rest = self.choose(needed, &added, &rest);
            } else {
                let below = self.less(&rest, &step);
                let reduced = self.subtract(&rest, &step);
                rest = self.choose(below, &rest, &reduced);
            }
        }
        // One more time up: adding the size once may leave exactly one multiple below zero.
        let negative = rest[width as usize - 1];
        let size_bits = self.number(size as i32, width);
        let added = self.add(&rest, &size_bits);
        rest = self.choose(negative, &added, &rest);
        let mut result = self.add(&rest, &low);
        result.truncate(a.len());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_on_constants() {
        let mut c = Circuit::default();
        for a in -128..128 {
            for b in [-128, -7, -1, 0, 1, 3, 127] {
                let (x, y) = (c.number(a, 8), c.number(b, 8));
                let sum = c.add(&x, &y);
                assert_eq!(c.as_number(&sum), Some((a + b) as i8 as i32));
                let difference = c.subtract(&x, &y);
                assert_eq!(c.as_number(&difference), Some((a - b) as i8 as i32));
                assert_eq!(c.less(&x, &y).as_constant(), Some(a < b));
                assert_eq!(c.same(&x, &y).as_constant(), Some(a == b));
            }
            let bits: Vec<Lit> = (0..8).map(|i| Lit::constant(a >> i & 1 == 1)).collect();
            let ones = c.count(&bits);
            assert_eq!(c.as_number(&ones), Some((a as u8).count_ones() as i32));
            for (lo, hi) in [(0, 3), (-2, 4), (0, 0), (5, 11), (-128, 127)] {
                let x = c.number(a, 8);
                let wrapped = c.wrap_into(&x, lo, hi);
                assert_eq!(
                    c.as_number(&wrapped),
                    Some(lo + (a - lo).rem_euclid(hi - lo + 1)),
                    "{a} into {lo}..{hi}"
                );
            }
        }
    }
}
