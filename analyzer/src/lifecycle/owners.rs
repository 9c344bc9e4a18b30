//! Whether a task ends with its owner: the struct that keeps its handle, or that shares with it what it was made for.

use std::collections::BTreeSet;

use robust_models::{OnDrop, TypeKind};

use crate::finding::{Class, Finding, Level, Role};
use crate::mir::{Body, BodyKind, TerminatorKind, TyKind};
use crate::world::actions::cfg::reach;
use crate::world::points::heap::{Field, LocId, Root};
use crate::world::points::points_to::InstId;
use crate::world::points::types::any_part;
use crate::world::singletons::is_run_for_a_static;

use super::body::call_at;
use super::by_text::{drops_of, ends_in_drop};
use super::describe::{Describe, Violation};
use super::ends::{Loop, Why, endless, loops_of};
use super::sites::{Site, Sites, What};
use super::told::told;
use super::witness::Witness;

/// What a task keeps alive is looked for in so many locations.
const REACH: usize = 256;

/// Whoever makes an owner calls what starts its task through so many calls.
const CALLS: usize = 3;

pub(super) const HINT: &str = "End the task with its owner: abort it in `Drop`, keep it in a handle or set that aborts when it is dropped, or let its loop end when it is told to";

/// All tasks that outlive their owners.
pub(crate) fn findings(sites: &Sites<'_, '_>, describe: &Describe<'_, '_>) -> Vec<Finding> {
    let mut all = Vec::new();
    for (number, site) in sites.list.iter().enumerate() {
        let found = detached(sites, number, site, describe)
            .or_else(|| told(sites, number, site, describe))
            .or_else(|| self_kept(sites, site, describe));
        all.extend(found.and_then(|violation| describe.finding(violation)));
    }
    all
}

/// A task without an end, whose handle is detached when its owner is dropped.
fn detached(
    sites: &Sites<'_, '_>,
    number: usize,
    site: &Site,
    describe: &Describe<'_, '_>,
) -> Option<Violation> {
    let ends = site.uses.iter().any(|one| matches!(one.what, What::Cancel | What::Guard | What::Join));
    if site.on_drop != Some(OnDrop::Detach) || ends || site.is_lost() {
        return None;
    }
    let (task, endless) = site.tasks.iter().find_map(|task| Some((*task, endless(sites, *task)?)))?;
    let kept = owner_of_handle(sites, number);
    let makers = || site.insts.iter().flat_map(|inst| with_callers(sites, *inst));
    let shared = || makers().find_map(|inst| owner_of_state(sites, inst, task));
    let is_kept = kept.is_some();
    let owner = kept.or_else(shared)?;
    if is_kept && ends_in_drop(sites, &owner, &fields_with(sites, number, &owner)) {
        return None;
    }
    if has_strange_drop(sites, &owner) || !(site.many || is_dropped(sites, &owner)) {
        return None;
    }
    if site.insts.iter().all(|inst| is_run_for_a_static(sites.flow, &sites.begun, *inst)) {
        return None;
    }
    let inst = site.insts[0];
    let name = short(&owner);
    let what = if is_kept {
        format!("`{name}` keeps the handle of a task that never ends: when it is dropped, the task goes on")
    } else {
        format!(
            "a task that never ends is started with each `{name}`, shares its data, and goes on when that is dropped"
        )
    };
    Some(Violation {
        class: Class::OutlivesOwner,
        level: if is_kept { Level::Deny } else { Level::Warn },
        property: "DestroyedWithOwner",
        subject: name,
        message: what,
        hint: HINT,
        excuse: if is_kept {
            ""
        } else {
            "there may never be more than one, which lives as long as the program"
        },
        lanes: vec![describe.lane(inst), describe.lane(task)],
        witness: Witness::ORPHAN,
        steps: steps(site, &endless, describe, "loops, and nothing ends the loop"),
    })
}

fn steps(
    site: &Site,
    endless: &Loop,
    describe: &Describe<'_, '_>,
    why: &str,
) -> Vec<(usize, Role, String, Option<crate::ir::SourcePlace>)> {
    let first = endless.blocks.first().copied().unwrap_or(0) as u32;
    vec![
        (0, Role::Offence, "starts the task".to_owned(), describe.place(site.insts[0], site.key.1)),
        (1, Role::Hop, why.to_owned(), describe.place(endless.inst, first)),
    ]
}

/// The name of the own type that keeps a handle.
pub(crate) fn of_handle(sites: &Sites<'_, '_>, number: usize) -> Option<String> {
    owner_of_handle(sites, number).map(|owner| short(&owner))
}

/// The own type a field of which the handle gets to.
pub(super) fn owner_of_handle(sites: &Sites<'_, '_>, number: usize) -> Option<String> {
    let heap = &sites.flow.heap;
    let mut found = None;
    for loc in sites.held_in(number) {
        if sites.is_static(loc) {
            return None;
        }
        let above = heap.within(loc).skip(1).find_map(|above| own_type(sites, above));
        found = found.or(above);
    }
    found
}

/// The fields of an own type in which, or within which, a task's handle is kept.
fn fields_with(sites: &Sites<'_, '_>, number: usize, owner: &str) -> BTreeSet<Field> {
    let within = sites.held_in(number).flat_map(|loc| sites.flow.heap.within(loc));
    let fields = within.filter_map(|loc| sites.field_of(loc));
    fields.filter(|(of, _)| of == owner).map(|(_, field)| field).collect()
}

/// Whether some function looks at the field of an own type that keeps the handle: callers have the owner, so what becomes of the handle there
/// is not followed.
pub(crate) fn is_looked_at(sites: &Sites<'_, '_>, number: usize) -> bool {
    let fields: BTreeSet<(String, Field)> =
        sites.held_in(number).filter_map(|loc| sites.field_of(loc)).collect();
    let looks = |body: &&Body| {
        let mut looks = false;
        for place in body.places() {
            // Who waits for a task has its handle, or borrows it to change it.
            let asks = |ty: &TyKind| {
                sites.flow.model(ty).is_some_and(|model| model.on_drop.is_some())
                    && body.shared().any(|other| std::ptr::eq(other, place))
            };
            body.fields_in(place, &mut |owner, field, ty| {
                looks |= fields.contains(&(owner.plain(), field)) && !asks(ty);
            });
        }
        looks
    };
    !fields.is_empty() && sites.flow.code.bodies.iter().any(looks)
}

/// The path of the own type of what is in a location, if it is one with fields.
pub(super) fn own_type(sites: &Sites<'_, '_>, loc: LocId) -> Option<String> {
    let ty = sites.flow.heap.get(loc).ty.clone()?;
    let is_own = sites.flow.code.is_own(&ty) && sites.flow.code.has_fields(&ty);
    is_own.then(|| ty.as_path().map(crate::mir::Path::plain)).flatten()
}

/// An instance, and those that call it, a few calls up: a constructor may leave it to a method to start the task.
fn with_callers(sites: &Sites<'_, '_>, inst: InstId) -> Vec<InstId> {
    let mut found = vec![inst];
    let mut next = 0;
    for _ in 0..CALLS {
        let level = found[next..].to_vec();
        next = found.len();
        for ((caller, _), info) in &sites.flow.calls {
            if info.callees.iter().any(|callee| level.contains(callee)) && !found.contains(caller) {
                found.push(*caller);
            }
        }
    }
    found
}

/// The own type that a function makes and returns while the task that it starts gets what that points to.
fn owner_of_state(sites: &Sites<'_, '_>, inst: InstId, task: InstId) -> Option<String> {
    let heap = &sites.flow.heap;
    let result = heap.find(&Root::Local(inst, 0))?;
    let ty = sites.flow.local_ty(inst, 0)?;
    let mut name = None;
    any_part(&ty, &mut |part| {
        if sites.flow.code.is_own(part) && sites.flow.code.has_fields(part) && name.is_none() {
            name = part.as_path().map(crate::mir::Path::plain);
        }
        false
    });
    let made = kept(sites, &[result]);
    let captured = kept(sites, &captures(sites, task));
    let is_new = |loc: &&LocId| {
        let root = &*heap.get(**loc).root;
        matches!(root, Root::Heap(by, _) if sites.flow.instances[by.0 as usize].body == sites.flow.instances[inst.0 as usize].body)
    };
    made.intersection(&captured).find(is_new)?;
    name
}

fn captures(sites: &Sites<'_, '_>, task: InstId) -> Vec<LocId> {
    let is_own =
        matches!(sites.flow.body_of(task).kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. });
    let own = if is_own { 1..=1 } else { 1..=sites.flow.body_of(task).arg_count };
    own.filter_map(|local| sites.flow.heap.find(&Root::Local(task, local))).collect()
}

/// All that values keep: their fields, and what they point to and own.
fn kept(sites: &Sites<'_, '_>, locs: &[LocId]) -> BTreeSet<LocId> {
    let heap = &sites.flow.heap;
    let mut seen: BTreeSet<LocId> = locs.iter().copied().collect();
    let mut work: Vec<LocId> = locs.to_vec();
    while let Some(at) = work.pop() {
        let loc = heap.get(at);
        let mut next: Vec<LocId> = loc.children.values().copied().collect();
        if loc.ty.as_ref().is_some_and(|ty| keeps_target(sites, ty)) {
            next.extend(&loc.points_to);
        }
        work.extend(next.into_iter().filter(|next| seen.len() < REACH && seen.insert(*next)));
    }
    seen
}

/// Whether a value of the type, or of what is directly in it, owns what it points to.
fn keeps_target(sites: &Sites<'_, '_>, ty: &TyKind) -> bool {
    if sites.flow.kind(ty).is_some() {
        return sites.owns(ty);
    }
    !matches!(ty, TyKind::Ref { .. } | TyKind::Ptr { .. } | TyKind::Closure { .. } | TyKind::Coroutine(_))
        && crate::world::points::types::parts(ty).into_iter().any(|part| keeps_target(sites, part))
}

/// Whether a type has a `drop` of its own of which it is not known what it does.
fn has_strange_drop(sites: &Sites<'_, '_>, owner: &str) -> bool {
    let is_seen = |number: usize| sites.flow.instances.iter().any(|inst| inst.body.0 as usize == number);
    let mut drops = drops_of(sites, owner).map(|(number, _)| number).peekable();
    drops.peek().is_some() && !drops.any(is_seen)
}

/// Whether the program goes on after it has dropped a value of the type somewhere.
pub(super) fn is_dropped(sites: &Sites<'_, '_>, owner: &str) -> bool {
    let is_owner = |ty: &TyKind| {
        !matches!(ty, TyKind::Ref { .. })
            && any_part(ty, &mut |part| part.as_path().is_some_and(|path| path.plain() == owner))
    };
    sites.live.iter().any(|inst| {
        let body = sites.flow.body_of(*inst);
        let cfg = &sites.facts.cfgs[inst.0 as usize];
        let moved = |place: &crate::mir::Place| {
            // What was moved elsewhere is not dropped here.
            !body.blocks.iter().any(|block| match &block.terminator.kind {
                TerminatorKind::Call(call) => call
                    .args
                    .iter()
                    .any(|arg| matches!(arg, crate::mir::Operand::Move(moved) if moved.local == place.local)),
                _ => false,
            })
        };
        cfg.reached.iter().any(|&block| {
            let dropped = match &body.blocks[block].terminator.kind {
                TerminatorKind::Drop { place, .. } => Some(place).filter(|place| moved(place)),
                TerminatorKind::Call(call) => {
                    let info = sites.flow.calls.get(&(*inst, block as u32));
                    let number = info.and_then(|info| sites.flow.model_of(info)?.drops);
                    number.and_then(|number| call.args.get(number)?.place())
                }
                _ => None,
            };
            let Some(ty) = dropped.and_then(|place| sites.flow.place_ty(*inst, place)) else { return false };
            is_owner(&ty) && goes_on(sites, *inst, block)
        })
    })
}

/// Whether something is called behind a block.
fn goes_on(sites: &Sites<'_, '_>, inst: InstId, block: usize) -> bool {
    let cfg = &sites.facts.cfgs[inst.0 as usize];
    let body = sites.flow.body_of(inst);
    reach(&cfg.succs, cfg.succs[block].iter().copied()).into_iter().any(|later| {
        let info = sites.flow.calls.get(&(inst, later as u32));
        call_at(body, later).is_some()
            && info.is_some_and(|info| {
                let model = sites.flow.model_of(info);
                !info.callees.is_empty() || info.poll.is_some() || model.is_some_and(|model| model.time)
            })
    })
}

/// A task that waits for a channel to be closed the other end of which it keeps itself.
fn self_kept(sites: &Sites<'_, '_>, site: &Site, describe: &Describe<'_, '_>) -> Option<Violation> {
    let ends = site.uses.iter().any(|one| matches!(one.what, What::Cancel | What::Guard));
    if ends || site.is_lost() || matches!(site.on_drop, Some(OnDrop::Abort)) {
        return None;
    }
    for task in &site.tasks {
        let all = loops_of(sites, *task);
        for one in &all {
            let mut channels = BTreeSet::new();
            let closed = !one.exits.is_empty()
                && one.exits.iter().all(|exit| match &exit.why {
                    Why::Closed(locs) => {
                        channels.extend(locs.iter().copied());
                        true
                    }
                    Why::Exhausted | Why::Other => false,
                });
            if !closed {
                continue;
            }
            if let Some((owner, sender)) = own_sender(sites, *task, &channels) {
                return violation(sites, site, *task, one, owner, &sender, describe);
            }
        }
    }
    None
}

fn violation(
    sites: &Sites<'_, '_>,
    site: &Site,
    task: InstId,
    one: &Loop,
    owner: Option<String>,
    sender: &str,
    describe: &Describe<'_, '_>,
) -> Option<Violation> {
    let dropped = owner.as_deref().is_some_and(|owner| is_dropped(sites, owner));
    if !site.many && !dropped {
        return None;
    }
    let at = describe.place(one.inst, one.exits.first().map_or(0, |exit| exit.block) as u32);
    let (subject, message) = match &owner {
        Some(owner) => {
            let name = short(owner);
            let message = format!(
                "the task ends when the last `{sender}` of its channel is dropped, but it keeps `{name}` alive, which has it: neither ever ends"
            );
            (name, message)
        }
        None => {
            let message = format!(
                "the task ends when the last `{sender}` of its channel is dropped, but it keeps one itself: it never ends"
            );
            (sender.to_owned(), message)
        }
    };
    Some(Violation {
        class: Class::OutlivesOwner,
        level: if owner.is_some() { Level::Deny } else { Level::Warn },
        property: "DestroyedWithOwner",
        subject,
        message,
        hint: "Give the task a weak pointer (`Arc::downgrade`), or a way to be told to end",
        excuse: if owner.is_some() { "" } else { "it may be meant to wait for itself" },
        lanes: vec![describe.lane(site.insts[0]), describe.lane(task)],
        witness: Witness::ORPHAN,
        steps: vec![
            (0, Role::Offence, "starts the task".to_owned(), describe.place(site.insts[0], site.key.1)),
            (1, Role::Hop, "ends its loop only when the channel is closed".to_owned(), at),
        ],
    })
}

/// A sender of one of these channels that a task keeps: the own type it is in, if that is behind a pointer, and its type.
fn own_sender(
    sites: &Sites<'_, '_>,
    task: InstId,
    channels: &BTreeSet<LocId>,
) -> Option<(Option<String>, String)> {
    let heap = &sites.flow.heap;
    let all = kept(sites, &captures(sites, task));
    let sender = all.into_iter().find(|loc| {
        let loc = heap.get(*loc);
        let closes = loc.ty.as_ref().is_some_and(|ty| sends(sites, ty));
        closes && loc.points_to.iter().any(|to| channels.contains(to))
    })?;
    let shown = heap.get(sender).ty.as_ref().and_then(|ty| ty.as_path().map(|path| short(&path.plain())));
    let is_local = matches!(&*heap.get(sender).root, Root::Local(..));
    let owner = heap.within(sender).skip(1).find_map(|above| own_type(sites, above)).filter(|_| !is_local);
    Some((owner, shown.unwrap_or_else(|| "Sender".to_owned())))
}

/// Whether a type is that of a sender, or of something that contains one.
fn sends(sites: &Sites<'_, '_>, ty: &TyKind) -> bool {
    match sites.flow.model(ty) {
        Some(model) if model.on_drop.is_some() => model.on_drop == Some(OnDrop::Close),
        Some(model) if model.kind.is_some_and(|kind| kind != TypeKind::Container) => false,
        _ => crate::world::points::types::parts(ty).into_iter().any(|part| sends(sites, part)),
    }
}

/// The last part of a path.
pub(super) fn short(path: &str) -> String {
    path.rsplit("::").next().unwrap_or(path).to_owned()
}
