//! Tasks that end when their owner tells them to, by a flag, which nothing makes it do before it is dropped.

use std::collections::BTreeSet;

use robust_models::OnDrop;

use crate::finding::{Class, Level, Role};
use crate::mir::{Prim, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::actions::effects::{Action, Touch};
use crate::world::points::escape::Same;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;
use crate::world::values::leaving::{Decider, decider};

use super::by_text::drops_of;
use super::describe::{Describe, Violation};
use super::ends::{Exit, Loop, Why, loops_of};
use super::owners::{HINT, is_dropped, owner_of_handle, short};
use super::sites::{Site, Sites, What};
use super::witness::Witness;

/// A task whose loop a flag alone ends, which a method of the type that keeps its handle raises: it goes on when a value of that type is dropped.
pub(super) fn told(
    sites: &Sites<'_, '_>,
    number: usize,
    site: &Site,
    describe: &Describe<'_, '_>,
) -> Option<Violation> {
    if site.on_drop != Some(OnDrop::Detach) || site.is_lost() {
        return None;
    }
    let owner = owner_of_handle(sites, number)?;
    if site.uses.iter().any(|one| matches!(one.what, What::Cancel | What::Guard)) {
        return None;
    }
    // What its own `drop` does may end the task.
    if drops_of(sites, &owner).next().is_some() || !(site.many || is_dropped(sites, &owner)) {
        return None;
    }
    let mut all =
        site.tasks.iter().flat_map(|task| loops_of(sites, *task).into_iter().map(move |one| (*task, one)));
    let (task, flags, one) = all.find_map(|(task, one)| Some((task, flags(sites, &one)?, one)))?;
    let raising = raised_by(sites, &owner, &flags)?;
    let name = short(&owner);
    let inst = site.insts[0];
    let first = one.blocks.first().copied().unwrap_or(0) as u32;
    Some(Violation {
        class: Class::OutlivesOwner,
        level: Level::Warn,
        property: "DestroyedWithOwner",
        message: format!(
            "`{name}` keeps the handle of a task that goes on until `{}` tells it to end: when it is dropped, nobody does",
            describe.name(raising)
        ),
        subject: name,
        hint: HINT,
        excuse: "whoever drops it may always have told the task to end by then",
        lanes: vec![describe.lane(inst), describe.lane(task)],
        witness: Witness::ORPHAN,
        steps: vec![
            (0, Role::Offence, "starts the task".to_owned(), describe.place(inst, site.key.1)),
            (1, Role::Hop, "loops until it is told to end".to_owned(), describe.place(one.inst, first)),
        ],
    })
}

/// The flags that end a loop, if nothing else does but an error.
fn flags(sites: &Sites<'_, '_>, one: &Loop) -> Option<BTreeSet<LocId>> {
    let mut flags = BTreeSet::new();
    for Exit { block, why } in &one.exits {
        if *why != Why::Other {
            return None;
        }
        match flag(sites, one.inst, *block) {
            Some(locs) => flags.extend(locs),
            None if is_failure(sites, one.inst, *block) => {}
            None => return None,
        }
    }
    (!flags.is_empty()).then_some(flags)
}

/// Where the truth value is that decides at the end of a block, if it is one that others have, too.
fn flag(sites: &Sites<'_, '_>, inst: InstId, block: usize) -> Option<Vec<LocId>> {
    let TerminatorKind::SwitchInt { on, .. } = &sites.flow.body_of(inst).blocks[block].terminator.kind else {
        return None;
    };
    let is_truth = matches!(&*sites.flow.place_ty(inst, on.place()?)?, TyKind::Prim(Prim::Bool));
    match decider(sites.flow, sites.facts, inst, block) {
        Decider::Access { locs, changed: false } if is_truth => Some(locs.to_vec()),
        _ => None,
    }
}

/// Whether what decides at the end of a block is whether something has failed.
fn is_failure(sites: &Sites<'_, '_>, inst: InstId, block: usize) -> bool {
    let body = sites.flow.body_of(inst);
    let TerminatorKind::SwitchInt { on, .. } = &body.blocks[block].terminator.kind else { return false };
    let Some(local) = on.place().and_then(|place| place.as_local()) else { return false };
    let is_outcome =
        |ty: &TyKind| ty.as_path().is_some_and(|path| matches!(path.last(), "Result" | "ControlFlow"));
    let mut statements = body.blocks.iter().flat_map(|block| &block.statements);
    statements.any(|statement| match &statement.kind {
        StatementKind::Assign(to, Rvalue::Discriminant(of)) if to.as_local() == Some(local) => {
            sites.flow.place_ty(inst, of).is_some_and(|ty| is_outcome(&ty))
        }
        _ => false,
    })
}

/// The method of a type that changes one of these, if no `drop` does that.
fn raised_by(sites: &Sites<'_, '_>, owner: &str, flags: &BTreeSet<LocId>) -> Option<InstId> {
    let flow = sites.flow;
    let same = Same::new(flow);
    let flags: BTreeSet<LocId> = flags.iter().map(|flag| same.of(flow, *flag)).collect();
    let mut found = None;
    for (index, effects) in sites.facts.effects.iter().enumerate() {
        let inst = InstId(index as u32);
        let changes = effects.iter().flatten().any(|step| match &step.action {
            Action::Access { touch, locs, .. } => {
                *touch != Touch::Read && locs.iter().any(|loc| flags.contains(&same.of(flow, *loc)))
            }
            _ => false,
        });
        if !changes {
            continue;
        }
        let body = flow.body_of(inst);
        if body.is_drop() {
            return None;
        }
        let given = body.inputs().next().and_then(|ty| ty.peel_refs().as_path());
        found = found.or(given.is_some_and(|path| path.plain() == owner).then_some(inst));
    }
    found
}
