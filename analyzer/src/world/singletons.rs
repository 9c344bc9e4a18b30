//! What runs once in a process: what is run to make what a static holds (`Once::call_once`, `OnceLock::get_or_init`, `LazyLock`).

use std::collections::BTreeSet;

use robust_models::Order;

use crate::mir::{BodyKind, TerminatorKind};
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{CallInfo, Flow, InstId};

/// Whether an instance is only run to make what a static holds, of those that begin something: that is done once in a process, and nobody drops it.
pub(crate) fn is_run_for_a_static(flow: &Flow<'_>, begun: &BTreeSet<InstId>, inst: InstId) -> bool {
    let is_static = |loc: &LocId| matches!(&*flow.heap.get(*loc).root, Root::Static(..));
    // The first argument of what makes it, once for all.
    let fills_static = |caller: InstId, block: u32, info: &CallInfo| {
        let initially = flow.model_of(info).and_then(|model| model.calls.as_ref());
        let receiver = match &flow.body_of(caller).blocks[block as usize].terminator.kind {
            TerminatorKind::Call(call) => call.args.first().and_then(|arg| arg.place()),
            _ => None,
        };
        let receiver = receiver.and_then(|place| flow.heap.find(&Root::Local(caller, place.local.0)));
        let cells = receiver.map(|loc| flow.heap.targets(loc)).unwrap_or_default();
        initially.is_some_and(|calls| calls.times == Order::Initially)
            && !cells.is_empty()
            && cells.iter().all(is_static)
    };
    let (mut seen, mut work) = (BTreeSet::from([inst]), vec![inst]);
    while let Some(at) = work.pop() {
        if matches!(flow.body_of(at).kind, BodyKind::Static { .. }) {
            continue;
        }
        let mut calls = flow.calls.iter().filter(|(_, info)| info.callees.contains(&at)).peekable();
        if calls.peek().is_none() || begun.contains(&at) {
            return false;
        }
        for ((caller, block), info) in calls {
            if !fills_static(*caller, *block, info) && seen.insert(*caller) {
                work.push(*caller);
            }
        }
    }
    true
}
