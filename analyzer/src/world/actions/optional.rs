//! Options and results that get their value on several ways: which of both they are is followed, so that who asks later goes
//! on as the way before says, and what a guard in one of them holds is held only if it is there.

use std::collections::{BTreeMap, BTreeSet};

use crate::mir::{
    AggregateKind, Body, BorrowKind, Local, Operand, Place, Projection, Rvalue, Statement, StatementKind,
    TerminatorKind, TyKind,
};

use crate::world::actions::guards::holds_guard;
use crate::world::actions::outcome;
use crate::world::points::points_to::{Flow, InstId};

/// The locals of a body of which it is followed whether there is something.
#[derive(Debug, Default)]
pub(crate) struct Optional {
    locals: BTreeSet<Local>,
    /// By tuple that is made on several ways: the locals that its fields are moved to. They are what they are as soon as it is made.
    tuples: BTreeMap<Local, Vec<(u32, Local)>>,
    /// Options of guards that are not followed, since others fill them.
    filled: BTreeSet<Local>,
}

impl Optional {
    /// Finds them in the body of an instance.
    pub fn find(flow: &Flow<'_>, inst: InstId) -> Self {
        let body = flow.body_of(inst);
        let is_optional = |local: Local| {
            let path = body.locals.get(local.0 as usize).and_then(|decl| decl.ty.as_path());
            path.is_some_and(|path| matches!(path.last(), "Option" | "Result"))
        };
        if !(0..body.locals.len() as u32).any(|local| is_optional(Local(local))) {
            return Optional::default();
        }
        let definitions = Definitions::of(body);
        let several = |local: Local| definitions.count.get(&local).is_some_and(|count| *count > 1);
        let mut found = Optional::default();
        for (local, made) in &definitions.made {
            if !is_optional(*local) || !several(*local) {
                continue;
            }
            let holds = || flow.local_ty(inst, local.0).is_some_and(|ty| holds_guard(flow, &ty));
            let told = || made.iter().any(|rvalue| outcome::of(outcome::source(body, rvalue)).is_some());
            if made.len() > 1 && holds() || !definitions.lent.contains(local) && told() {
                found.locals.insert(*local);
            }
        }
        for local in definitions.borrowed.iter().filter(|local| is_optional(**local)) {
            let made = definitions.made.get(local).map_or(0, Vec::len);
            if !found.locals.contains(local) && definitions.count.get(local) == Some(&made) {
                found.filled.insert(*local);
            }
        }
        for (local, made) in &definitions.made {
            let ([Rvalue::Use(Operand::Move(place))], true) = (&made[..], is_optional(*local)) else {
                continue;
            };
            if let [Projection::Field(number, _)] = &place.projection[..]
                && several(place.local)
                && definitions.is_tuple(body, place.local)
                && !definitions.lent.contains(local)
            {
                found.locals.insert(*local);
                found.tuples.entry(place.local).or_default().push((*number, *local));
            }
        }
        found
    }

    /// Whether it is followed whether there is something in a local.
    pub fn contains(&self, local: Local) -> bool {
        self.locals.contains(&local)
    }

    /// Whether a local is an option that this body makes, and lends to others to be filled.
    pub fn is_filled_by_others(&self, local: Local) -> bool {
        self.filled.contains(&local)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.locals.is_empty()
    }

    /// The locals of which an assignment says whether there is something; `None`: not known.
    pub fn set_by(&self, body: &Body, place: &Place, rvalue: &Rvalue) -> Vec<(Local, Option<bool>)> {
        let Some(local) = place.as_local() else { return Vec::new() };
        if let Some(parts) = self.tuples.get(&local) {
            let Rvalue::Aggregate(_, operands) = rvalue else { return Vec::new() };
            let told = |number: u32| {
                let moved = Rvalue::Use(operands.get(number as usize)?.clone());
                outcome::of(outcome::source(body, &moved))
            };
            return parts.iter().map(|(number, local)| (*local, told(*number))).collect();
        }
        let of_tuple = self.tuples.values().flatten().any(|(_, part)| *part == local);
        if of_tuple || !self.locals.contains(&local) {
            return Vec::new();
        }
        vec![(local, outcome::of(outcome::source(body, rvalue)))]
    }
}

/// Where the locals of a body get their values.
#[derive(Default)]
pub(super) struct Definitions<'b> {
    /// How often a local is set as a whole.
    pub count: BTreeMap<Local, usize>,
    /// By local: what statements set it to.
    pub made: BTreeMap<Local, Vec<&'b Rvalue>>,
    /// Locals of which a part is set, and those that are lent to be changed by anything but a call that is given the loan.
    pub changed: BTreeSet<Local>,
    pub lent: BTreeSet<Local>,
    /// Locals that are lent to be changed.
    pub borrowed: BTreeSet<Local>,
}

impl<'b> Definitions<'b> {
    pub fn of(body: &'b Body) -> Self {
        let mut found = Definitions::default();
        let blocks = || body.blocks.iter().filter(|block| !block.cleanup);
        let calls = blocks().filter_map(|block| match &block.terminator.kind {
            TerminatorKind::Call(call) => Some(call),
            _ => None,
        });
        let mut given: BTreeSet<Local> = BTreeSet::new();
        for call in calls {
            given.extend(call.args.iter().filter_map(|arg| arg.place()?.as_local()));
            match call.dest.as_local() {
                Some(local) => *found.count.entry(local).or_default() += 1,
                None => _ = found.changed.insert(call.dest.local),
            }
        }
        for Statement { kind, .. } in blocks().flat_map(|block| &block.statements) {
            let StatementKind::Assign(place, rvalue) = kind else { continue };
            match place.as_local() {
                Some(local) => {
                    *found.count.entry(local).or_default() += 1;
                    found.made.entry(local).or_default().push(rvalue);
                }
                None => _ = found.changed.insert(place.local),
            }
            if let Rvalue::Ref(BorrowKind::Mut, of) = rvalue {
                found.borrowed.extend(of.as_local());
            }
            match rvalue {
                Rvalue::Ref(BorrowKind::Mut, of)
                    if of.as_local().is_some()
                        && !place.as_local().is_some_and(|loan| given.contains(&loan)) =>
                {
                    found.lent.insert(of.local);
                }
                Rvalue::RawPtr { place: of, .. } => _ = found.lent.insert(of.local),
                _ => {}
            }
        }
        found
    }

    /// Whether a local is a tuple that is only ever made as a whole, and moved out of.
    fn is_tuple(&self, body: &Body, local: Local) -> bool {
        let ty = body.locals.get(local.0 as usize).map(|decl| &*decl.ty);
        let made = self.made.get(&local);
        let whole = |rvalue: &&Rvalue| matches!(rvalue, Rvalue::Aggregate(kind, _) if matches!(**kind, AggregateKind::Tuple));
        matches!(ty, Some(TyKind::Tuple(_)))
            && made.is_some_and(|made| made.iter().all(whole) && self.count.get(&local) == Some(&made.len()))
            && !self.changed.contains(&local)
            && !self.lent.contains(&local)
    }
}
