//! What a local may be given, way by way: what one return gives is not put together with what another one gives.

use rustc_hash::FxHashSet;

use crate::ir::BasisId;
use crate::mir::{CallTarget, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind};

use crate::lower::sharing::basis::Search;
use crate::world::points::points_to::InstId;
use crate::world::values::depend::{Node, Outcomes, Set, Way};
use crate::world::values::inline_readers::Origin;

/// Locals that are gone through one after the other, calls included.
const MAX_DEPTH: usize = 12;

/// Of a local with more ways than this, they are put together.
const MAX_WAYS: usize = 200;

impl Search<'_, '_> {
    /// The outcomes in a local, apart for each way in which it gets its value.
    pub fn alternatives(&self, inst: InstId, local: Local) -> Vec<Outcomes> {
        let mut search =
            Alternatives { search: self, depth: 0, known: FxHashSet::default(), found: Vec::new() };
        search.local(inst, local);
        if search.found.len() > MAX_WAYS {
            search.found.clear();
            search.together(self.nodes_in(inst, &Place::from(local)), Vec::new());
        }
        search.found
    }
}

struct Alternatives<'s, 'a, 'b> {
    search: &'s Search<'a, 'b>,
    depth: usize,
    /// Locals whose ways are found, or looked for: there are many ways to a local.
    known: FxHashSet<(InstId, Local)>,
    found: Vec<Outcomes>,
}

impl Alternatives<'_, '_, '_> {
    fn local(&mut self, inst: InstId, local: Local) {
        if self.found.len() > MAX_WAYS || !self.known.insert((inst, local)) {
            return;
        }
        if self.depth >= MAX_DEPTH || !self.is_given_whole(inst, local) {
            return self.together(self.search.nodes_in(inst, &Place::from(local)), Vec::new());
        }
        self.depth += 1;
        let body = self.search.flow.body_of(inst);
        for block in self.search.cfg(inst).reached.iter().copied() {
            let data = &body.blocks[block];
            for (at, statement) in data.statements.iter().enumerate() {
                match &statement.kind {
                    StatementKind::Assign(place, rvalue) if place.local == local => {
                        self.rvalue((inst, block, at), rvalue);
                    }
                    _ => {}
                }
            }
            match &data.terminator.kind {
                TerminatorKind::Call(call) if call.dest.local == local => self.call(inst, block, call),
                _ => {}
            }
        }
        self.depth -= 1;
    }

    /// Whether a local gets its value by assignments and calls, and never a part of it.
    fn is_given_whole(&self, inst: InstId, local: Local) -> bool {
        let body = self.search.flow.body_of(inst);
        let (mut given, mut in_parts) = (false, false);
        let mut note = |place: &Place| {
            if place.local == local {
                given = true;
                in_parts |= !place.projection.is_empty();
            }
        };
        for block in &self.search.cfg(inst).reached {
            let data = &body.blocks[*block];
            for statement in &data.statements {
                if let StatementKind::Assign(place, _) = &statement.kind {
                    note(place);
                }
            }
            if let TerminatorKind::Call(call) = &data.terminator.kind {
                note(&call.dest);
            }
        }
        given && !in_parts
    }

    fn rvalue(&mut self, at: Origin, rvalue: &Rvalue) {
        let inst = at.0;
        let one = match rvalue {
            Rvalue::Use(operand) | Rvalue::Cast(_, operand, _) => Some(operand),
            // `Some(value)`, `Poll::Ready(value)`.
            Rvalue::Aggregate(_, operands) if operands.len() == 1 => operands.first(),
            _ => None,
        };
        match one.map(Operand::place) {
            Some(None) => {}
            Some(Some(place)) if place.as_local().is_some() => self.local(inst, place.local),
            _ => self.together(self.search.mentioned(inst, rvalue), self.search.made_by(at)),
        }
    }

    fn call(&mut self, inst: InstId, block: usize, call: &CallTarget) {
        let info = self.search.flow.calls.get(&(inst, block as u32));
        let own =
            info.filter(|info| !info.callees.is_empty() && info.foreign.is_none() && info.poll.is_none());
        match own {
            Some(info) => info.callees.iter().for_each(|callee| self.local(*callee, Local::RETURN)),
            None => {
                let places = call.args.iter().filter_map(Operand::place);
                let nodes = places.flat_map(|place| self.search.nodes_in(inst, place)).collect();
                let end = self.search.flow.body_of(inst).blocks[block].statements.len();
                self.together(nodes, self.search.made_by((inst, block, end)));
            }
        }
    }

    fn together(&mut self, nodes: Vec<Node>, mut accesses: Vec<BasisId>) {
        let mut outcomes = Outcomes::default();
        nodes.into_iter().for_each(|node| _ = outcomes.add(&self.search.depend.of(node), Way::Value));
        accesses.sort_unstable();
        outcomes.data.add(&Set::Some(accesses));
        self.found.push(outcomes);
    }
}
