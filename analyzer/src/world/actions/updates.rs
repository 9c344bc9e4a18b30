//! Updates in the text of a body: `*p += 1` reads and writes one place by an operator that commutes, and so do `let n = *p; *p = n + 1` and
//! `*p = p.checked_sub(1)?`, `*p = p.saturating_sub(1)` and `*p = n.max(*p)`.

use std::collections::BTreeMap;

use robust_models::Value as ModelValue;

use crate::mir::{
    Body, CallTarget, Callee, Local, LocalDecl, Operand, Place, Projection, Rvalue, StatementKind,
    TerminatorKind,
};

use crate::world::points::aggregates::is_option;

/// Values are followed over no more steps than this.
const MAX_STEPS: u32 = 12;

/// Read-modify-writes of one place in the text of a body.
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
    /// `value` says what the function gives that ends a block.
    pub fn find(body: &Body, value: &dyn Fn(usize) -> Option<ModelValue>) -> Self {
        let text = Text::new(body, value);
        let mut found = BTreeMap::new();
        for (index, block) in body.blocks.iter().enumerate() {
            for (at, statement) in block.statements.iter().enumerate() {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                let Some(change) = text.change((index, at), place, rvalue) else { continue };
                found.insert((index, at), Half::Write(change.class));
                // What is looked at for nothing else is a part of the update.
                if let Some(read) = change.read.filter(|read| *read != (index, at)) {
                    found.insert(read, Half::Read);
                }
            }
        }
        Updates { found }
    }

    pub fn class(&self, block: usize, at: usize) -> Option<Half> {
        self.found.get(&(block, at)).cloned()
    }
}

/// By how much an update changes its place, and which way it goes, if it adds or takes away.
pub(crate) fn amount<'b>(
    body: &'b Body,
    value: &dyn Fn(usize) -> Option<ModelValue>,
    (at, place, rvalue): ((usize, usize), &Place, &'b Rvalue),
) -> Option<(&'b Operand, Direction)> {
    let change = Text::new(body, value).change(at, place, rvalue)?;
    Some((change.by, change.direction?))
}

/// A value that is made of what a place holds.
struct Change<'b> {
    class: &'static str,
    direction: Option<Direction>,
    by: &'b Operand,
    /// Where the place is looked at, if for nothing else.
    read: Option<(usize, usize)>,
}

/// Where a local gets its value.
#[derive(Clone, Copy)]
enum Definition<'b> {
    Statement((usize, usize), &'b Rvalue),
    Call(usize, &'b CallTarget),
}

/// The text of a body.
struct Text<'b, 'v> {
    value: &'v dyn Fn(usize) -> Option<ModelValue>,
    /// By local: its only definition.
    once: Vec<Option<Definition<'b>>>,
    /// By local: how often it is mentioned otherwise.
    uses: Vec<u32>,
    calls: Vec<&'b CallTarget>,
    locals: &'b [LocalDecl],
}

impl<'b, 'v> Text<'b, 'v> {
    fn new(body: &'b Body, value: &'v dyn Fn(usize) -> Option<ModelValue>) -> Self {
        let mut calls = Vec::new();
        let mut once = vec![None; body.locals.len()];
        let (mut defined, mut uses) = (vec![0_u32; body.locals.len()], vec![0_u32; body.locals.len()]);
        let mut define = |place: &Place, definition: Definition<'b>| {
            // What is stored behind a pointer leaves that as it is.
            if place.projection.contains(&Projection::Deref) {
                return;
            }
            let local = place.local.0 as usize;
            if let Some(count) = defined.get_mut(local) {
                *count += 1;
                once[local] = place.as_local().filter(|_| *count == 1).map(|_| definition);
            }
        };
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            let mut used = |place: &Place| {
                if let Some(count) = uses.get_mut(place.local.0 as usize) {
                    *count += 1;
                }
            };
            for (at, statement) in block.statements.iter().enumerate() {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                define(place, Definition::Statement((index, at), rvalue));
                rvalue.places().into_iter().for_each(&mut used);
            }
            match &block.terminator.kind {
                TerminatorKind::Call(call) => {
                    define(&call.dest, Definition::Call(index, call));
                    calls.push(&**call);
                    call.args.iter().filter_map(Operand::place).for_each(&mut used);
                }
                TerminatorKind::SwitchInt { on, .. } => on.place().into_iter().for_each(&mut used),
                TerminatorKind::Drop { place, .. } => used(place),
                // What is computed is asked for an overflow, too.
                _ => {}
            }
        }
        Text { value, once, uses, calls, locals: &body.locals }
    }

    fn definition(&self, local: Local) -> Option<Definition<'b>> {
        *self.once.get(local.0 as usize)?
    }

    /// The change that a statement makes of a place by what that held.
    fn change(&self, at: (usize, usize), place: &Place, rvalue: &'b Rvalue) -> Option<Change<'b>> {
        if place.projection.is_empty() {
            return None;
        }
        let (source, change) = self.computed(at, rvalue, MAX_STEPS)?;
        (source == *place || self.is_same(&source, place)).then_some(change)
    }

    /// What a value is computed of by a commuting operator, and how.
    fn computed(&self, at: (usize, usize), rvalue: &'b Rvalue, fuel: u32) -> Option<(Place, Change<'b>)> {
        let fuel = fuel.checked_sub(1)?;
        match rvalue {
            Rvalue::Binary(operator, operands) => {
                let of = operands.0.place()?;
                let (source, read) = self.looked_at(of, MAX_STEPS)?;
                let read = if of.projection.is_empty() { read } else { Some(at) };
                let (class, direction, by) = (class(operator)?, direction(operator), &operands.1);
                Some((source, Change { class, direction, by, read }))
            }
            Rvalue::Use(operand) => self.from(operand.place()?, fuel),
            _ => None,
        }
    }

    /// The same of what a place holds that is a part of a local.
    fn from(&self, place: &Place, fuel: u32) -> Option<(Place, Change<'b>)> {
        let fuel = fuel.checked_sub(1)?;
        // What goes anywhere else is seen by somebody; that there is something in a result is asked of it, too.
        let in_variant = matches!(place.projection.first(), Some(Projection::Downcast(_)));
        let told = self.uses[place.local.0 as usize] > 1 && !in_variant;
        if place.projection.contains(&Projection::Deref) || told {
            return None;
        }
        match self.definition(place.local)? {
            Definition::Statement(at, rvalue) => self.computed(at, rvalue, fuel),
            Definition::Call(block, call) => match (self.value)(block)? {
                ModelValue::Same | ModelValue::Asserts => self.from(call.args.first()?.place()?, fuel),
                value => {
                    let (class, direction) = made(value)?;
                    let [first, second] = &call.args[..] else { return None };
                    let of = |operand: &Operand| self.looked_at(operand.place()?, MAX_STEPS);
                    let is_part = |(source, _): &(Place, _)| !source.projection.is_empty();
                    let ((source, read), by) = match (of(first).filter(is_part), direction) {
                        (Some(looked), _) => (looked, second),
                        // The greater one of both, in either order.
                        (None, None) => (of(second)?, first),
                        (None, Some(_)) => return None,
                    };
                    // Whether there is as much decides something, where it is said.
                    let read = read.filter(|_| !self.is_option(&call.dest));
                    Some((source, Change { class, direction, by, read }))
                }
            },
        }
    }

    fn is_option(&self, place: &Place) -> bool {
        let decl = place.as_local().and_then(|local| self.locals.get(local.0 as usize));
        decl.is_some_and(|decl| is_option(&decl.ty))
    }

    /// The place behind a pointer that a place holds the value of, and where it is looked at, if for nothing else.
    fn looked_at(&self, place: &Place, fuel: u32) -> Option<(Place, Option<(usize, usize)>)> {
        let fuel = fuel.checked_sub(1)?;
        if !place.projection.is_empty() {
            return Some((place.clone(), None));
        }
        let Definition::Statement(at, Rvalue::Use(operand)) = self.definition(place.local)? else {
            return None;
        };
        let only = self.uses[place.local.0 as usize] == 1;
        let of = operand.place()?;
        let (source, read) = self.looked_at(of, fuel)?;
        let read = if of.projection.is_empty() { read } else { Some(at) };
        Some((source, read.filter(|_| only)))
    }

    /// Whether two places are one: that behind one guard, which was asked for it twice.
    fn is_same(&self, one: &Place, other: &Place) -> bool {
        let ([Projection::Deref, rest @ ..], [Projection::Deref, others @ ..]) =
            (&one.projection[..], &other.projection[..])
        else {
            return false;
        };
        let behind = self.lender(one.local);
        rest == others && behind.is_some() && behind == self.lender(other.local)
    }

    /// The place of the guard, or of the like, that lends what a pointer leads to.
    fn lender(&self, pointer: Local) -> Option<&'b Place> {
        let Definition::Call(_, call) = self.definition(pointer)? else { return None };
        let Callee::Fn { path, .. } = &call.callee else { return None };
        let [arg] = &call.args[..] else { return None };
        if !matches!(path.last(), "deref" | "deref_mut") {
            return None;
        }
        let lender = self.referred(arg)?;
        self.only_lends(lender.local).then_some(lender)
    }

    /// What an argument is a reference to, if that was made for it.
    fn referred(&self, arg: &Operand) -> Option<&'b Place> {
        match self.definition(arg.place()?.as_local()?)? {
            Definition::Statement(_, Rvalue::Ref(_, of)) => Some(of),
            _ => None,
        }
    }

    /// Whether a guard lends what it leads to, and is given to nobody who could give it back for a while.
    fn only_lends(&self, guard: Local) -> bool {
        let is_made_once = self.definition(guard).is_some();
        is_made_once
            && self.calls.iter().all(|call| {
                let given = |arg: &Operand| {
                    let moved = arg.place().is_some_and(|place| place.local == guard);
                    moved || self.referred(arg).is_some_and(|of| of.local == guard)
                };
                let lends = match &call.callee {
                    Callee::Fn { path, .. } => matches!(path.last(), "deref" | "deref_mut" | "drop"),
                    Callee::Value(_) => false,
                };
                lends || !call.args.iter().any(given)
            })
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

/// How what a function gives is made of its arguments, if they commute.
fn made(value: ModelValue) -> Option<(&'static str, Option<Direction>)> {
    Some(match value {
        ModelValue::Sum => ("add", Some(Direction::More)),
        ModelValue::Difference => ("add", Some(Direction::Less)),
        ModelValue::Greater => ("max", None),
        ModelValue::Lesser => ("min", None),
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
