//! By which way an event comes to what it has to do with: from which of its arguments, through which fields (an *access path*).

use std::collections::BTreeSet;

use crate::ir::AccessPath;
use crate::mir::{Place, Projection, Rvalue, StatementKind, TerminatorKind};

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::values::fresh::Fresh;

/// What leads to more locations than this may lead anywhere.
const MOST_BEHIND: usize = 1 << 8;

/// The one access path of an access to what callers have given, if it has just one, without elements of collections on the way.
pub(crate) fn access_path(
    search: &Search<'_, '_>,
    fresh: &Fresh<'_, '_, '_>,
    at: AccessAt,
) -> Option<AccessPath> {
    // Of what the code makes itself, it is known what is one and what is not.
    let flow = search.flow;
    let is_given = |root: &Root| matches!(root, Root::Outside(..) | Root::Alone(..));
    if !search.locs(at).iter().all(|loc| is_given(&flow.heap.get(*loc).root)) {
        return None;
    }
    let (inst, place) = accessed(search, at)?;
    let mut given = fresh.given(inst, place)?.into_iter();
    let (event, argument, fields) = given.next()?;
    // What a framework hands out is the same for all.
    let handed = flow
        .local_ty(event, argument + 1)
        .is_some_and(|ty| flow.model(ty.peel_refs()).is_some_and(|model| model.handed));
    given.next().is_none().then_some(AccessPath { argument, fields, anew: argument > 0 && !handed })
}

/// The place that an access is to, or a reference to it.
pub(crate) fn accessed<'s>(
    search: &'s Search<'_, '_>,
    (inst, block, number): AccessAt,
) -> Option<(InstId, &'s Place)> {
    let step = &search.facts.effects[inst.0 as usize][block][number];
    let data = &search.flow.body_of(inst).blocks[block];
    let place = match (data.statements.get(step.at).map(|statement| &statement.kind), &data.terminator.kind) {
        (Some(StatementKind::Assign(place, _)), _) if place.projection.contains(&Projection::Deref) => place,
        (Some(StatementKind::Assign(_, rvalue)), _) => match rvalue {
            Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) | Rvalue::Discriminant(place) => place,
            Rvalue::Use(operand) => operand.place()?,
            _ => return None,
        },
        // What a function is about comes first; what else it is given may lead to the same.
        (None, TerminatorKind::Call(call)) => {
            let (first, rest) = call.args.split_first()?;
            let locs = search.locs((inst, block, number));
            let is_apart = |place: &Place| !leads_to(search.flow, inst, place, locs);
            rest.iter().filter_map(|arg| arg.place()).all(is_apart).then(|| first.place()).flatten()?
        }
        _ => return None,
    };
    Some((inst, place))
}

/// Whether what is in a local leads to one of these, or to too much to tell.
fn leads_to(flow: &Flow<'_>, inst: InstId, place: &Place, locs: &[LocId]) -> bool {
    let mut work: Vec<LocId> = flow.heap.find(&Root::Local(inst, place.local.0)).into_iter().collect();
    let mut known: BTreeSet<LocId> = work.iter().copied().collect();
    while let Some(loc) = work.pop() {
        if locs.contains(&loc) || known.len() > MOST_BEHIND {
            return true;
        }
        let here = flow.heap.get(loc);
        let next = here.points_to.iter().chain(here.children.values()).copied();
        work.extend(next.filter(|loc| known.insert(*loc)));
    }
    false
}
