//! What is made of parts: locals (`let (a, b) = { .. (x, y) }`, `let found = if .. { Some(x) } else { None }`), and structs and enums of the
//! program, wherever they go. What goes into one part says nothing of the others.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::mir::{
    AggregateKind, BasicBlock, Body, Local, Name, Operand, Path, Place, Projection, Rvalue, StatementKind,
    TerminatorKind,
};
use crate::world::points::bodies::Code;
use crate::world::values::depend::{FieldId, Fields, FieldsId};

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

/// The way to a place by fields of structs and enums of the program.
#[derive(Clone, Copy)]
pub(crate) struct ByFields {
    /// The outermost one.
    pub first: FieldId,
    /// All of them.
    pub all: FieldsId,
}

/// The parts of a body's locals, by number, as far as they are made of parts and taken apart; and the fields on the way to its places.
pub(crate) struct Parts {
    of: BTreeMap<Local, BTreeMap<Part, u32>>,
    fields: FxHashMap<Place, ByFields>,
    /// By the local that is made a struct or enum of the program, the variant, and the number of the field.
    made: FxHashMap<(Local, Name, usize), ByFields>,
    /// By the local that is an enum of the program: which variant it is.
    variants: FxHashMap<Local, FieldsId>,
}

impl Parts {
    /// Those of a body's locals and places.
    pub fn of(code: &Code<'_>, body: &Body, numbers: &mut Fields) -> Parts {
        let mut made_of_parts = BTreeSet::new();
        let mut of = BTreeMap::<Local, BTreeMap<Part, u32>>::new();
        let (mut fields, mut made) = (FxHashMap::default(), FxHashMap::default());
        let mut variants = FxHashMap::default();
        for block in body.blocks.iter().filter(|block| !block.cleanup) {
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                match (rvalue, place.as_local()) {
                    (Rvalue::Aggregate(kind, operands), Some(local)) => match owner(code, body, local) {
                        Some(owner) => {
                            let Some(variant) = variant(code, body, local, kind) else { continue };
                            for field in 0..operands.len() {
                                let first = numbers.field(owner.plain(), variant.clone(), field as u32);
                                let all = numbers.way(&[first]);
                                made.insert((local, variant.clone(), field), ByFields { first, all });
                            }
                        }
                        None => _ = is_parted(kind) && made_of_parts.insert(local),
                    },
                    (Rvalue::Discriminant(of), _) => {
                        if let Some(local) = of.as_local()
                            && let Some(owner) = owner(code, body, local)
                        {
                            variants.insert(local, numbers.variant(owner.plain()));
                        }
                    }
                    _ => {}
                }
            }
            for place in places(block) {
                let way = fields_to(code, body, place, numbers);
                if let Some(first) = way.first() {
                    fields.insert(place.clone(), ByFields { first: *first, all: numbers.way(&way) });
                }
                if let Some(part) = Part::of(place) {
                    let known = of.entry(place.local).or_default();
                    let next = known.len() as u32;
                    known.entry(part).or_insert(next);
                }
            }
        }
        // What callers know is the whole.
        of.retain(|local, _| local.0 > body.arg_count && made_of_parts.contains(local));
        Parts { of, fields, made, variants }
    }

    /// The fields on the way to a place of the body.
    pub fn fields(&self, place: &Place) -> Option<ByFields> {
        self.fields.get(place).copied()
    }

    /// All such places.
    pub fn places(&self) -> impl Iterator<Item = (&Place, ByFields)> {
        self.fields.iter().map(|(place, by)| (place, *by))
    }

    /// The field that a local gets, if it is a struct or enum of the program, as this one of what it is made of.
    pub fn made_field(&self, local: Local, kind: &AggregateKind, field: usize) -> Option<ByFields> {
        let AggregateKind::Adt { path, .. } = kind else { return None };
        let of = |variant: Name| self.made.get(&(local, variant, field)).copied();
        of(Name::from(path.last())).or_else(|| of(Name::default()))
    }

    /// Whether a local is made a struct or enum of the program.
    pub fn is_made_of_fields(&self, local: Local, kind: &AggregateKind) -> bool {
        self.made_field(local, kind, 0).is_some()
    }

    /// How it is found which variant a local is, if it is an enum of the program.
    pub fn variant(&self, local: Local) -> Option<FieldsId> {
        self.variants.get(&local).copied()
    }

    /// The same of all of them.
    pub fn variants(&self) -> impl Iterator<Item = (Local, FieldsId)> {
        self.variants.iter().map(|(local, by)| (*local, *by))
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

/// The struct or enum of the program that a local is.
fn owner<'b>(code: &Code<'_>, body: &'b Body, local: Local) -> Option<&'b Path> {
    let ty = &body.locals.get(local.0 as usize)?.ty;
    ty.as_path().filter(|path| code.tells_fields_apart(path))
}

/// The variant that a local is made; none of a struct, and nothing where that is not known.
fn variant(code: &Code<'_>, body: &Body, local: Local, kind: &AggregateKind) -> Option<Name> {
    let AggregateKind::Adt { path, .. } = kind else { return None };
    let ty = &body.locals.get(local.0 as usize)?.ty;
    let is_variant = match code.variants(ty) {
        Some(variants) => Some(variants.iter().any(|(name, _)| **name == *path.last())),
        None => ty.as_path().map(|of| of.last() != path.last()),
    };
    is_variant.map(|is| if is { Name::from(path.last()) } else { Name::default() })
}

/// The fields of structs and enums of the program on the way to a place, the outermost one first.
fn fields_to(code: &Code<'_>, body: &Body, place: &Place, numbers: &mut Fields) -> Vec<FieldId> {
    let mut way = Vec::new();
    if place.projection.iter().any(|step| matches!(step, Projection::Field(..))) {
        body.fields_in(place, &mut |of, (variant, number), _| {
            if code.tells_fields_apart(of) {
                way.push(numbers.field(of.plain(), variant, number));
            }
        });
    }
    way
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
