//! Which channel something is sent on: what both ends have in common, as far as pointers say, or the types.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Flow as ModelFlow;

use crate::lower::sharing::basis::Search;
use crate::lower::sharing::receipts::{Receipt, Receiver, present};
use crate::mir::{Body, Operand, TerminatorKind, Ty, TyKind};
use crate::world::actions::effects::Action;
use crate::world::points::heap::{LocId, Part};
use crate::world::points::points_to::InstId;
use crate::world::points::types::parts;

/// Where something is sent, by a call that ends a block.
pub(in crate::lower::sharing) struct Sending {
    pub at: (InstId, usize),
    pub locs: Vec<LocId>,
    /// What can be sent there; none for what only wakes.
    pub payload: Option<Ty>,
}

impl Sending {
    /// What is sent: the first argument is where.
    pub fn message<'a>(&self, body: &'a Body) -> Option<&'a Operand> {
        match &body.blocks.get(self.at.1)?.terminator.kind {
            TerminatorKind::Call(call) => call.args.get(1),
            _ => None,
        }
    }
}

/// All places where something is sent.
pub(in crate::lower::sharing) fn sendings(search: &Search<'_, '_>) -> Vec<Sending> {
    let mut found = Vec::new();
    for (index, effects) in search.facts.effects.iter().enumerate() {
        let inst = InstId(index as u32);
        for (block, steps) in effects.iter().enumerate() {
            let sent = steps.iter().filter_map(|step| match &step.action {
                Action::Answer { locs } => Some(locs.clone()),
                _ => None,
            });
            found.extend(sent.map(|locs| Sending {
                at: (inst, block),
                locs,
                payload: sender(search, inst, block).and_then(|ty| ty.as_path()?.type_args().next().cloned()),
            }));
        }
    }
    found
}

/// The type of what something is sent on.
fn sender(search: &Search<'_, '_>, inst: InstId, block: usize) -> Option<Ty> {
    let TerminatorKind::Call(call) = &search.flow.body_of(inst).blocks[block].terminator.kind else {
        return None;
    };
    let mut ty = search.flow.place_ty(inst, call.args.first()?.place()?)?;
    while let TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } = &*ty {
        ty = to.clone();
    }
    Some(ty)
}

/// What is known of the ends of channels from which something is received.
pub(in crate::lower::sharing) struct Channels {
    /// By what stands for such an end: what it has in common with the receiver.
    by_loc: BTreeMap<LocId, BTreeSet<LocId>>,
    /// The same by field that such an end is in: of what callers have no more is known.
    by_part: BTreeMap<Part, BTreeSet<LocId>>,
    /// Types of messages of which the program makes one channel, in the text.
    single: BTreeSet<String>,
}

impl Channels {
    pub fn new(search: &Search<'_, '_>, receipts: &[Receipt]) -> Channels {
        let received: BTreeSet<LocId> = receipts.iter().flat_map(|receipt| &receipt.locs).copied().collect();
        let (mut by_loc, mut by_part) = (BTreeMap::new(), BTreeMap::new());
        for id in search.flow.heap.ids() {
            let end = search.flow.heap.get(id);
            let far: BTreeSet<LocId> = end.points_to.intersection(&received).copied().collect();
            if far.is_empty() {
                continue;
            }
            // Tuples and what closures hold are of no type that others have, too.
            if let Some((_, part)) = end.parent.as_ref().filter(|(_, part)| !part.owner.is_empty()) {
                by_part.entry(part.clone()).or_insert_with(BTreeSet::new).extend(&far);
            }
            by_loc.entry(search.sharing.same.of(search.flow, id)).or_insert_with(BTreeSet::new).extend(far);
        }
        Channels { by_loc, by_part, single: single(search) }
    }

    /// The receipts of what is sent there.
    pub fn of<'r>(
        &self,
        search: &Search<'_, '_>,
        sending: &Sending,
        receipts: &'r [Receipt],
    ) -> Vec<&'r Receipt> {
        let of_type = |receipt: &&Receipt| match &sending.payload {
            _ if receipt.by == Receiver::Task => false,
            Some(payload) => receipt.payload.as_ref() == Some(unwrapped(payload)),
            None => {
                receipt.payload.as_ref().is_some_and(|ty| matches!(&**ty, TyKind::Tuple(of) if of.is_empty()))
            }
        };
        let receipts: Vec<&Receipt> = receipts.iter().filter(of_type).collect();
        let meets = |loc: &LocId, receipt: &Receipt| {
            let heap = &search.flow.heap;
            let far = self.by_loc.get(&search.sharing.same.of(search.flow, *loc));
            let field = heap.get(*loc).parent.as_ref().and_then(|(_, part)| self.by_part.get(part));
            let mut far = far.into_iter().chain(field).flatten();
            receipt.locs.contains(loc) || far.any(|loc| receipt.locs.contains(loc))
        };
        let met = |receipt: &&&Receipt| sending.locs.iter().any(|loc| meets(loc, receipt));
        let found: Vec<&Receipt> = receipts.iter().filter(met).copied().collect();
        let is_single = || sending.payload.as_ref().is_some_and(|ty| self.single.contains(&ty.to_string()));
        if found.is_empty() && is_single() { receipts } else { found }
    }
}

/// What is there where a message is: what an option or a result is of.
pub(in crate::lower::sharing) fn unwrapped(ty: &Ty) -> &Ty {
    match present(ty).and_then(|_| ty.as_path()?.type_args().next()) {
        Some(of) => unwrapped(of),
        None => ty,
    }
}

/// What is sent on channels of which there is one in the text for each such type.
fn single(search: &Search<'_, '_>) -> BTreeSet<String> {
    let flow = search.flow;
    let mut made: BTreeMap<String, BTreeSet<(usize, u32)>> = BTreeMap::new();
    for (&(inst, block), info) in &flow.calls {
        if flow.model_of(info).and_then(|model| model.flow) != Some(ModelFlow::Channel) {
            continue;
        }
        let TerminatorKind::Call(call) = &flow.body_of(inst).blocks[block as usize].terminator.kind else {
            continue;
        };
        let ty = flow.place_ty(inst, &call.dest);
        let end = ty.as_ref().and_then(|ty| parts(ty).first().copied().cloned());
        let payload = end.and_then(|end| end.as_path()?.type_args().next().map(|ty| ty.to_string()));
        let body = flow.instances[inst.0 as usize].body;
        if let Some(payload) = payload {
            made.entry(payload).or_default().insert((body.0 as usize, block));
        }
    }
    made.into_iter().filter(|(_, sites)| sites.len() == 1).map(|(payload, _)| payload).collect()
}
