//! Updates in the text of a body: `*p += 1` reads and writes one place by an operator that commutes.

use std::collections::BTreeMap;

use crate::mir::{Body, Local, Place, Rvalue, StatementKind};

/// Read-modify-writes of one place in the text of a body: `*p += 1`.
pub(crate) struct Updates {
    found: BTreeMap<(usize, usize), Half>,
}

/// One of the two statements of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Read,
    Write(&'static str),
}

impl Updates {
    pub fn find(body: &Body) -> Self {
        let mut found = BTreeMap::new();
        // Where each temporary is computed from a place and something else by a commuting operator.
        let mut computed: BTreeMap<Local, (usize, usize, Place, &'static str)> = Default::default();
        for (index, block) in body.blocks.iter().enumerate() {
            for (at, statement) in block.statements.iter().enumerate() {
                let StatementKind::Assign(place, Rvalue::Binary(operator, operands)) = &statement.kind else {
                    continue;
                };
                let Some(class) = class(operator) else { continue };
                let Some(source) = operands.0.place() else { continue };
                if let Some(local) = place.as_local() {
                    computed.insert(local, (index, at, source.clone(), class));
                } else if source == place {
                    found.insert((index, at), Half::Write(class));
                }
            }
        }
        for (index, block) in body.blocks.iter().enumerate() {
            for (at, statement) in block.statements.iter().enumerate() {
                let StatementKind::Assign(place, Rvalue::Use(operand)) = &statement.kind else { continue };
                let Some(from) = operand.place() else { continue };
                if let Some((read_block, read_at, source, class)) = computed.get(&from.local)
                    && source == place
                    && !place.projection.is_empty()
                {
                    found.insert((*read_block, *read_at), Half::Read);
                    found.insert((index, at), Half::Write(class));
                }
            }
        }
        Updates { found }
    }

    pub fn class(&self, block: usize, at: usize) -> Option<Half> {
        self.found.get(&(block, at)).cloned()
    }
}

fn class(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "Add" | "AddWithOverflow" | "AddUnchecked" | "Sub" | "SubWithOverflow" | "SubUnchecked" => "add",
        "BitOr" => "or",
        "BitAnd" => "and",
        "BitXor" => "xor",
        "Mul" | "MulWithOverflow" => "mul",
        _ => return None,
    })
}

/// Which way a sum goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    More,
    Less,
}

/// Whether an operator adds or takes away.
pub(crate) fn direction(operator: &str) -> Option<Direction> {
    match operator {
        "Add" | "AddWithOverflow" | "AddUnchecked" => Some(Direction::More),
        "Sub" | "SubWithOverflow" | "SubUnchecked" => Some(Direction::Less),
        _ => None,
    }
}
