//! Boolean functions as and-inverter graphs with structural hashing: equal subterms are one node, constants fold away.

use rustc_hash::FxHashMap;

use crate::ir::INTEGER_BITS;

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
    /// Bits of an integer; what goes beyond is cut off.
    pub(super) integer_bits: u32,
}

impl Default for Circuit {
    fn default() -> Self {
        Circuit::new(INTEGER_BITS)
    }
}

impl Circuit {
    /// A circuit with nothing in it, whose integers are cut to so many bits. Fewer than [`INTEGER_BITS`] are wrong, and for
    /// tests of the tests only.
    pub fn new(integer_bits: u32) -> Circuit {
        Circuit { nodes: vec![Node::True], inputs: 0, ands: FxHashMap::default(), integer_bits }
    }

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
