//! Which objects a called function is about, as far as its caller knows: what its parameters point to, of all that they may
//! point to.

use std::collections::BTreeSet;

use crate::mir::{BodyKind, CallTarget, Callee};

use crate::world::actions::choice::Choices;
use crate::world::points::calls::CALL;
use crate::world::points::heap::{LocId, Root};
use crate::world::points::points_to::{Flow, InstId};

/// This many parts of what an argument leads to are looked at.
const PARTS: usize = 16;

/// What a call says of a holder that its callee has not chosen itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    /// That holder: a parameter, or a local of the caller that an argument leads to.
    pub to: LocId,
    /// Whose choice, in the caller, says what it points to.
    pub by: Option<LocId>,
    /// The targets of the holder that this call leaves.
    pub among: Vec<LocId>,
}

impl Choices<'_> {
    /// What a call says of the holders that its callees have not chosen themselves.
    pub fn given_to(
        &mut self,
        flow: &mut Flow<'_>,
        call: &CallTarget,
        callees: &BTreeSet<InstId>,
    ) -> Vec<Given> {
        let mut found = Vec::new();
        if matches!(&call.callee, Callee::Fn { path, .. } if CALL.contains(&&*path.plain())) {
            return found;
        }
        for (number, arg) in (1..).zip(&call.args) {
            let (locs, _) = flow.operand(self.inst, arg);
            let behind: BTreeSet<LocId> = flow.heap.behind(&locs).into_iter().collect();
            for callee in callees {
                let body = flow.body_of(*callee);
                let plain = matches!(body.kind, BodyKind::Fn) && body.arg_count as usize == call.args.len();
                let Some(to) = flow.heap.find(&Root::Local(*callee, number)).filter(|_| plain) else {
                    continue;
                };
                let mut among = flow.heap.targets(to);
                if among.len() > 1 {
                    among.retain(|target| behind.contains(target));
                    let by = if among.len() > 1 { self.of_operand(flow, arg) } else { None };
                    found.push(Given { to, by, among });
                }
            }
            for to in local_holders(flow, &behind) {
                let (by, among) = (self.root(flow, to, 0), flow.heap.targets(to));
                found.push(Given { to, by, among });
            }
        }
        found
    }
}

/// The locals, and parts of locals, among some locations and what is in them that are holders.
fn local_holders(flow: &Flow<'_>, behind: &BTreeSet<LocId>) -> Vec<LocId> {
    let is_local = |loc: &LocId| matches!(*flow.heap.get(*loc).root, Root::Local(..));
    let mut parts: Vec<LocId> = behind.iter().copied().filter(is_local).collect();
    let mut at = 0;
    while let Some(part) = parts.get(at).copied().filter(|_| at < PARTS) {
        parts.extend(flow.heap.get(part).children.values());
        at += 1;
    }
    parts.retain(|part| flow.heap.get(*part).points_to.len() > 1);
    parts
}
