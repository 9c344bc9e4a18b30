//! By which way an event comes to what it has to do with: from which of its arguments, through which fields (an *access path*).

use crate::ir::AccessPath;
use crate::mir::{Place, Projection, Rvalue, StatementKind, TerminatorKind};

use crate::lower::sharing::basis::{AccessAt, Search};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::values::fresh::Fresh;

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
        // What a function is about comes first; what else it is given may be had to do with as well.
        (None, TerminatorKind::Call(call)) => {
            let (first, rest) = call.args.split_first()?;
            let plain = |place: &Place| !leads_on(search.flow, inst, place);
            rest.iter().filter_map(|arg| arg.place()).all(plain).then(|| first.place()).flatten()?
        }
        _ => return None,
    };
    Some((inst, place))
}

/// Whether what is in a local points to anything.
fn leads_on(flow: &Flow<'_>, inst: InstId, place: &Place) -> bool {
    let mut work: Vec<LocId> = flow.heap.find(&Root::Local(inst, place.local.0)).into_iter().collect();
    while let Some(loc) = work.pop() {
        let here = flow.heap.get(loc);
        if !here.points_to.is_empty() {
            return true;
        }
        work.extend(here.children.values());
    }
    false
}
