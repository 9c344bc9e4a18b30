//! Locals that are made of parts: `let (a, b) = { .. (x, y) }`, `let handle = if .. { Own(x) } else { Theirs(y) }`. What goes into one part
//! says nothing of the others.

use std::collections::{BTreeMap, BTreeSet};

use crate::mir::{
    AggregateKind, BasicBlock, Body, Local, Name, Operand, Place, Projection, Rvalue, StatementKind,
    TerminatorKind,
};

/// A field, of a variant if it is an enum's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    variant: Option<Name>,
    field: u32,
}

impl Part {
    /// The part of its local that a place is in.
    fn of(place: &Place) -> Option<Part> {
        match &place.projection[..] {
            [Projection::Field(field, _), ..] => Some(Part { variant: None, field: *field }),
            [Projection::Downcast(variant), Projection::Field(field, _), ..] => {
                Some(Part { variant: Some(variant.clone()), field: *field })
            }
            _ => None,
        }
    }
}

/// The parts of a body's locals, by number, as far as they are made of parts and taken apart.
pub(crate) struct Parts {
    of: BTreeMap<Local, BTreeMap<Part, u32>>,
}

impl Parts {
    pub fn of(body: &Body) -> Parts {
        let (mut made, mut parts) = (BTreeSet::new(), BTreeMap::<Local, BTreeMap<Part, u32>>::new());
        for block in body.blocks.iter().filter(|block| !block.cleanup) {
            for statement in &block.statements {
                if let StatementKind::Assign(place, Rvalue::Aggregate(kind, _)) = &statement.kind
                    && is_parted(kind)
                {
                    made.extend(place.as_local());
                }
            }
            for place in places(block) {
                if let Some(part) = Part::of(place) {
                    let known = parts.entry(place.local).or_default();
                    let next = known.len() as u32;
                    known.entry(part).or_insert(next);
                }
            }
        }
        // What callers know is the whole.
        parts.retain(|local, _| local.0 > body.arg_count && made.contains(local));
        Parts { of: parts }
    }

    /// The number of the part that a place is in; none of what is no such local, or is all of it.
    pub fn part(&self, place: &Place) -> Option<u32> {
        self.of.get(&place.local)?.get(&Part::of(place)?).copied()
    }

    /// The numbers of a local's parts, none of another local.
    pub fn all(&self, local: Local) -> std::ops::Range<u32> {
        0..self.of.get(&local).map_or(0, BTreeMap::len) as u32
    }

    /// The number of the part that a local gets as this field of what it is made of; none where nobody takes that out by itself.
    pub fn made(&self, local: Local, kind: &AggregateKind, field: usize) -> Option<u32> {
        let parts = self.of.get(&local)?;
        let variant = |part: &Part| match (&part.variant, kind) {
            (None, _) => true,
            (Some(variant), AggregateKind::Adt { path, .. }) => path.last() == &**variant,
            (Some(_), _) => false,
        };
        let found = parts.iter().find(|(part, _)| part.field as usize == field && variant(part));
        found.filter(|_| is_parted(kind)).map(|(_, number)| *number)
    }
}

/// Whether what is made so has its parts as fields.
fn is_parted(kind: &AggregateKind) -> bool {
    matches!(kind, AggregateKind::Tuple | AggregateKind::Adt { .. })
}

/// The places that a block mentions.
fn places(block: &BasicBlock) -> Vec<&Place> {
    let mut found = Vec::new();
    for statement in &block.statements {
        if let StatementKind::Assign(place, rvalue) = &statement.kind {
            found.push(place);
            found.extend(rvalue.places());
        }
    }
    match &block.terminator.kind {
        TerminatorKind::Call(call) => {
            found.extend(call.args.iter().filter_map(Operand::place));
            found.push(&call.dest);
        }
        TerminatorKind::SwitchInt { on, .. } => found.extend(on.place()),
        TerminatorKind::Assert { cond, .. } => found.extend(cond.place()),
        TerminatorKind::Yield { value, .. } => found.extend(value.place()),
        TerminatorKind::Drop { place, .. } => found.push(place),
        _ => {}
    }
    found
}
