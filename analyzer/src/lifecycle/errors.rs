//! Who sees a task's error: nobody, if its handle is dropped; nobody, if its result is.

use std::collections::BTreeSet;

use crate::finding::{Class, Finding, Level, Role};
use crate::mir::{Body, CoroutineKind, Operand, Place, Projection, Rvalue, TerminatorKind, Ty, TyKind};
use crate::world::points::points_to::InstId;
use crate::world::points::types::any_part;
use crate::world::values::value::given;

use super::answers::may_precede;
use super::body::{arg_places, call_at, callee_path, may_fail, sources};
use super::describe::{Describe, Violation};
use super::ends::runs;
use super::results::Joined;
use super::sites::{Sites, What, fallible};
use super::witness::Witness;

/// Moves of a value that are followed back to what it was a part of.
const MAX_MOVES: u32 = 12;

/// All errors of tasks that nobody sees.
pub(crate) fn findings(sites: &Sites<'_, '_>, describe: &Describe<'_, '_>) -> Vec<Finding> {
    let mut all = Vec::new();
    for number in 0..sites.list.len() {
        all.extend(unheard(sites, number, describe).and_then(|violation| describe.finding(violation)));
    }
    for joined in sites.joins() {
        all.extend(unread(sites, &joined, describe).and_then(|violation| describe.finding(violation)));
        all.extend(cut_short(sites, &joined, describe).and_then(|violation| describe.finding(violation)));
    }
    all
}

/// A task that may fail, for which nobody ever waits.
fn unheard(sites: &Sites<'_, '_>, number: usize, describe: &Describe<'_, '_>) -> Option<Violation> {
    let site = &sites.list[number];
    let error = site.error().filter(|error| !is_reported(sites, error))?;
    if !site.tasks.iter().any(|task| may_fail(sites.flow.body_of(*task))) {
        return None;
    }
    let is_joined = site.uses.iter().any(|one| matches!(one.what, What::Join | What::Cancel | What::Guard));
    if is_joined || site.is_lost() || site.tasks.iter().any(|task| tells(sites, *task, error)) {
        return None;
    }
    let (inst, task) = (site.insts[0], *site.tasks.first()?);
    let name = task_name(sites, task, describe);
    let shown = error.to_string();
    let keeper = super::owners::of_handle(sites, number);
    if keeper.is_some() && !site.in_set && super::owners::is_looked_at(sites, number) {
        return None;
    }
    let (class, property, witness, message) = if site.in_set {
        let message = format!("nobody sees the error of {name} (`{shown}`): nobody takes it out of its set");
        (Class::LostError, "ExceptionalAsync", Witness::LOST, message)
    } else {
        // Whose handle is kept had somebody to tell.
        let (property, witness, why) = match keeper {
            Some(keeper) => {
                let why = format!("`{keeper}` keeps its handle, and nobody ever waits for it");
                ("ExceptionalAsync", Witness::LOST, why)
            }
            None => ("NeedHandler", Witness::UNHEARD, "its handle is dropped".to_owned()),
        };
        let message = format!("nobody sees the error of {name} (`{shown}`): {why}");
        (Class::NoHandler, property, witness, message)
    };
    // Where a value is dropped nobody can wait, and there is nobody to tell.
    let in_drop = site.insts.iter().all(|inst| sites.flow.body_of(*inst).is_drop());
    let level = if site.in_set || in_drop { Level::Warn } else { Level::Deny };
    Some(Violation {
        class,
        level,
        property,
        subject: name,
        message,
        hint: "Wait for the task and look at its result, or let the task itself report the error",
        excuse: if in_drop { "where a value is dropped there may be nobody to tell" } else { "" },
        lanes: vec![describe.lane(inst), describe.lane(task)],
        witness,
        steps: vec![
            (0, Role::Offence, "starts the task".to_owned(), describe.place(inst, site.key.1)),
            (1, Role::Step, format!("may end with an error: `{shown}`"), describe.declared(task)),
        ],
    })
}

/// Whether an error of that type tells only of a panic, or that a task was cancelled.
fn is_reported(sites: &Sites<'_, '_>, error: &Ty) -> bool {
    let model = error.as_path().and_then(|path| crate::world::points::types::model(sites.flow.models, path));
    model.is_some_and(|model| model.reported)
}

/// The task in words.
fn task_name(sites: &Sites<'_, '_>, task: InstId, describe: &Describe<'_, '_>) -> String {
    let body = sites.flow.body_of(task);
    let is_block = match body.own_type().map(|ty| &**ty) {
        Some(TyKind::Coroutine(coroutine)) => coroutine.kind != CoroutineKind::AsyncFn,
        Some(TyKind::Closure { .. }) => true,
        _ => false,
    };
    if is_block { "this task".to_owned() } else { format!("`{}`", describe.name(task)) }
}

/// Whether a task shows its error to somebody before it ends with it: something that returns nothing of that type is given it.
fn tells(sites: &Sites<'_, '_>, task: InstId, error: &Ty) -> bool {
    runs(sites, task).into_iter().any(|inst| {
        let body = sites.flow.body_of(inst);
        let cfg = &sites.facts.cfgs[inst.0 as usize];
        cfg.reached.iter().any(|&block| {
            let Some(call) = call_at(body, block) else { return false };
            let is_shown = |arg: &Operand| {
                let ty = arg.place().and_then(|place| sites.flow.place_ty(inst, place));
                ty.is_some_and(|ty| matches!(&*ty, TyKind::Ref { .. }) && *ty.peel_refs() == **error)
            };
            let info = sites.flow.calls.get(&(inst, block as u32));
            if info.is_none() && sites.flow.is_cut() {
                // What was not followed may.
                return true;
            }
            let model = info.and_then(|info| sites.flow.model_of(info));
            let is_sent = |arg: &Operand| {
                let ty = arg.place().and_then(|place| sites.flow.place_ty(inst, place));
                ty.is_some_and(|ty| any_part(&ty, &mut |part| *part == **error))
                    && !arg.place().is_some_and(|place| is_found(body, place, MAX_MOVES))
            };
            let sends = model.is_some_and(|model| model.output || model.logs || model.answers.is_some());
            call.args.iter().any(is_shown) || sends && call.args.iter().any(is_sent)
        })
    })
}

/// Whether a value was a part of something else that was found, which is no error.
fn is_found(body: &Body, place: &Place, fuel: u32) -> bool {
    let variant = place.projection.iter().find_map(|step| match step {
        Projection::Downcast(variant) => Some(&**variant),
        _ => None,
    });
    match variant {
        Some(variant) => variant != "Err",
        None => match given(body, place.local) {
            Some(Rvalue::Use(Operand::Copy(of) | Operand::Move(of))) if fuel > 0 => {
                is_found(body, of, fuel - 1)
            }
            _ => false,
        },
    }
}

/// A join whose result nobody looks at.
fn unread(sites: &Sites<'_, '_>, joined: &Joined, describe: &Describe<'_, '_>) -> Option<Violation> {
    let error = fallible(&joined.output)?;
    let is_cancelled = joined.sites.iter().any(|number| {
        let site = &sites.list[*number];
        let mut cancels = site.uses.iter().filter(|one| one.what == What::Cancel);
        cancels.any(|cancel| may_precede(sites, cancel, joined, site))
    });
    if joined.read || is_cancelled || !sites.live.contains(&joined.inst) {
        return None;
    }
    let site = &sites.list[*joined.sites.first()?];
    let task = *site.tasks.first()?;
    let fails = site.tasks.iter().any(|task| may_fail(sites.flow.body_of(*task)));
    if !fails || site.tasks.iter().any(|task| tells(sites, *task, error)) {
        return None;
    }
    let name = task_name(sites, task, describe);
    let shown = error.to_string();
    let how = if joined.outer_read || joined.asserted.is_some() {
        "its own result is dropped when it has ended"
    } else {
        "its result is dropped when it has ended"
    };
    Some(Violation {
        class: Class::LostError,
        level: Level::Warn,
        property: "ExceptionalAsync",
        message: format!("nobody sees the error of {name} (`{shown}`): {how}"),
        subject: name,
        hint: "Look at the result within the result: `handle.await??`",
        excuse: "the result may be left out on purpose",
        lanes: vec![describe.lane(joined.inst), describe.lane(task)],
        witness: Witness::LOST,
        steps: vec![
            (0, Role::Start, "starts the task".to_owned(), describe.place(site.insts[0], site.key.1)),
            (1, Role::Step, format!("may end with an error: `{shown}`"), describe.declared(task)),
            (
                0,
                Role::Offence,
                "waits for the task, and drops its result".to_owned(),
                sites.joined_at(joined, describe),
            ),
        ],
    })
}

/// A loop over the results of a set that ends at the first error, with the set.
fn cut_short(sites: &Sites<'_, '_>, joined: &Joined, describe: &Describe<'_, '_>) -> Option<Violation> {
    fallible(&joined.output)?;
    let cfg = &sites.facts.cfgs[joined.inst.0 as usize];
    let around = &cfg.loops[cfg.loop_of(joined.block as usize)?];
    if !joined.of_set || !sites.live.contains(&joined.inst) {
        return None;
    }
    let body = sites.flow.body_of(joined.inst);
    // The branch on a task's own result that leads out of the loop.
    let leaves = around.iter().copied().find(|&block| {
        let TerminatorKind::SwitchInt { on, .. } = &body.blocks[block].terminator.kind else { return false };
        let outside = cfg.succs[block].iter().any(|to| !around.contains(to));
        outside && on.place().is_some_and(|place| is_of_output(sites, joined, place.local))
    })?;
    let behind = crate::world::actions::cfg::reach(
        &cfg.succs,
        cfg.succs[leaves].iter().copied().filter(|to| !around.contains(to)),
    );
    let own: BTreeSet<usize> = joined.sites.clone();
    let goes_on = own.iter().flat_map(|site| &sites.list[*site].uses).any(|one| {
        let behind = one.inst == joined.inst && behind.contains(&(one.block as usize));
        behind && matches!(one.what, What::Join | What::Cancel | What::Detach)
    });
    if goes_on {
        return None;
    }
    let site = &sites.list[*joined.sites.first()?];
    let task = *site.tasks.first()?;
    Some(Violation {
        class: Class::LostError,
        level: Level::Note,
        property: "ExceptionalAsync",
        message: format!(
            "the first error of {} ends the loop: the tasks that are left are cancelled with their set, and nobody sees their errors",
            task_name(sites, task, describe)
        ),
        subject: task_name(sites, task, describe),
        hint: "Gather the errors of all tasks, or cancel the others by name",
        excuse: "that the first error ends the others is often meant",
        lanes: vec![describe.lane(joined.inst), describe.lane(task)],
        witness: Witness::LOST,
        steps: vec![
            (0, Role::Start, "starts the task".to_owned(), describe.place(site.insts[0], site.key.1)),
            (0, Role::Step, "waits for the next task".to_owned(), describe.place(joined.inst, joined.block)),
            (
                0,
                Role::Offence,
                "leaves the loop with its error".to_owned(),
                describe.place(joined.inst, leaves as u32),
            ),
        ],
    })
}

/// Whether a local comes from the output of a join: it is its variant, or that of what `?` makes of it.
fn is_of_output(sites: &Sites<'_, '_>, joined: &Joined, local: crate::mir::Local) -> bool {
    use super::body::{Def, defs};
    use crate::mir::Rvalue;
    let body = sites.flow.body_of(joined.inst);
    defs(body, local).into_iter().any(|def| {
        let Def::Assign(Rvalue::Discriminant(place)) = def else { return false };
        let ty = sites.flow.place_ty(joined.inst, place);
        if ty.is_some_and(|ty| *ty == *joined.output) {
            return joined.carriers.contains(&place.local);
        }
        sources(body, place.local).into_iter().any(|block| {
            let is_try =
                callee_path(sites.flow, joined.inst, block).is_some_and(|path| path.last() == "branch");
            let Some(call) = call_at(body, block).filter(|_| is_try) else { return false };
            arg_places(call).any(|(_, place)| {
                let ty = sites.flow.place_ty(joined.inst, place);
                ty.is_some_and(|ty| any_part(&ty, &mut |part| *part == *joined.output))
                    && joined.carriers.contains(&place.local)
            })
        })
    })
}
