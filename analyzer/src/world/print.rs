//! The world in text form, as `dump --stage world` shows it: who runs, and what each block does to which locations.

use std::fmt::Write;

use crate::world::actions::effects::{Action, Step, Touch};
use crate::world::facts::Facts;
use crate::world::points::heap::LocId;
use crate::world::points::names;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::units::Units;

/// Events, tasks and the functions that they run, each block with its actions. A location is its name in the user's words, its
/// number and its type.
pub(crate) fn text(flow: &Flow<'_>, facts: &Facts, units: &Units) -> String {
    let mut out = String::new();
    for unit in &units.units {
        let kind = if unit.event { "event" } else { "task" };
        let once = if unit.once { ", once" } else { "" };
        let part = unit.part.map_or_else(String::new, |block| format!(", the loop at bb{block}"));
        let line = format!("{kind} {}{part}{once}: {}", function(flow, unit.inst), unit.why);
        let _ = writeln!(out, "{line}");
    }
    for (number, effects) in facts.effects.iter().enumerate() {
        let inst = InstId(number as u32);
        if effects.iter().all(Vec::is_empty) {
            continue;
        }
        let of =
            flow.instances[number].of.map_or_else(String::new, |of| format!(" of {}", location(flow, of)));
        let _ = writeln!(out, "\nfunction {}{of}", function(flow, inst));
        for (block, steps) in effects.iter().enumerate().filter(|(_, steps)| !steps.is_empty()) {
            let _ = writeln!(out, "  bb{block} -> {:?}", facts.cfgs[number].succs[block]);
            for step in steps {
                let line = flow.body_of(inst).user_span(crate::mir::Block(block as u32), step.at);
                let _ = writeln!(out, "    {}:{}: {}", line.file, line.line, action(flow, step));
            }
        }
    }
    out
}

fn function(flow: &Flow<'_>, inst: InstId) -> String {
    format!("`{}` ({})", flow.body_of(inst).name, inst.0)
}

fn location(flow: &Flow<'_>, loc: LocId) -> String {
    let ty = flow.heap.get(loc).ty.as_ref().map_or_else(|| "?".to_owned(), |ty| ty.to_string());
    format!("`{}` ({}: {ty})", names::name(flow, loc), loc.0)
}

fn locations(flow: &Flow<'_>, locs: &[LocId]) -> String {
    let all: Vec<String> = locs.iter().map(|loc| location(flow, *loc)).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

fn action(flow: &Flow<'_>, step: &Step) -> String {
    let text = match &step.action {
        Action::Access { touch, locs, tracked, .. } => {
            let verb = match touch {
                Touch::Read => "reads".to_owned(),
                Touch::Write => "writes".to_owned(),
                Touch::Update(class) => format!("updates ({class})"),
            };
            let tracked = tracked.as_ref().map_or_else(String::new, |tracked| format!(" as {tracked:?}"));
            format!("{verb} {}{tracked}", locations(flow, locs))
        }
        Action::Acquire { locks, mode } => format!("acquires ({mode:?}) {}", locations(flow, locks)),
        Action::Release { locks } => format!("releases {}", locations(flow, locks)),
        Action::Rely { locs } => format!("relies on {}", locations(flow, locs)),
        Action::Call { callees, times, .. } => {
            let callees: Vec<String> = callees.iter().map(|callee| function(flow, *callee)).collect();
            format!("calls ({times:?}) {}", callees.join(", "))
        }
        Action::Spawn { tasks, scoped, .. } => {
            let tasks: Vec<String> = tasks.iter().map(|task| function(flow, *task)).collect();
            let scoped = if *scoped { " in a scope" } else { "" };
            format!("starts {}{scoped}", tasks.join(", "))
        }
        Action::Register { events } => {
            let events: Vec<String> = events.iter().map(|event| function(flow, *event)).collect();
            format!("registers {}", events.join(", "))
        }
        other => format!("{other:?}"),
    };
    match step.only_if {
        Some((local, true)) => format!("{text} if _{} succeeded", local.0),
        Some((local, false)) => format!("{text} unless _{} succeeded", local.0),
        None => text,
    }
}
