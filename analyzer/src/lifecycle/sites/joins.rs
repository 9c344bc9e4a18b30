//! Where somebody waits for tasks.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Flow as ModelFlow;

use crate::ir::SourcePlace;
use crate::mir::{Place, Rvalue, Statement, StatementKind};
use crate::world::actions::cfg::reach;
use crate::world::coverage::source_place;
use crate::world::points::heap::{Field, LocId};
use crate::world::points::points_to::{CallInfo, InstId};

use super::super::body::{Def, call_at, defs, own_field};
use super::super::describe::Describe;
use super::super::ends::is_seen_through;
use super::super::owners::own_type;
use super::super::results;
use super::{Key, Sites, What};

/// Moves of a value that are followed back to the field that it comes out of.
const MAX_MOVES: u32 = 12;

impl Sites<'_, '_> {
    /// Where a join stands in the source: if a macro waits for several tasks at once, where this one is put among them.
    pub fn joined_at(&self, joined: &results::Joined, describe: &Describe<'_, '_>) -> Option<SourcePlace> {
        let (inst, block) = (joined.inst, joined.block);
        let body = self.flow.body_of(inst);
        let puts = |statement: &&Statement| {
            let StatementKind::Assign(_, rvalue) = &statement.kind else { return false };
            let place = match rvalue {
                Rvalue::Use(operand) => operand.place(),
                Rvalue::Ref(_, place) => Some(place),
                _ => None,
            };
            let tasks = place.map(|place| self.handles(&self.locs(inst, place))).unwrap_or_default();
            statement.source.span.is_own() && !tasks.is_disjoint(&joined.sites)
        };
        let before = || {
            let near = reach(&self.facts.cfgs[inst.0 as usize].preds, [block as usize]);
            near.into_iter().flat_map(|block| &body.blocks[block].statements).rfind(puts)
        };
        let is_own = body.blocks.get(block as usize)?.terminator.source.span.is_own();
        let put = if is_own { None } else { before() };
        put.and_then(|statement| source_place(&statement.source.span)).or_else(|| describe.place(inst, block))
    }

    /// The joins of all tasks, with what becomes of their results.
    pub fn joins(&self) -> Vec<results::Joined> {
        let mut all: Vec<results::Joined> = Vec::new();
        let mut known: BTreeMap<Key, usize> = BTreeMap::new();
        let uses = self.list.iter().enumerate().flat_map(|(number, site)| {
            let joins = site.uses.iter().filter(|one| one.what == What::Join);
            joins.map(move |one| (number, one.inst, one.block))
        });
        for (number, inst, block) in uses.chain(self.joins_of_fields()) {
            let key = (self.flow.instances[inst.0 as usize].body, block);
            if let Some(&at) = known.get(&key) {
                all[at].sites.insert(number);
            } else if let Some(joined) = results::joined(self, inst, block, number) {
                known.insert(key, all.len());
                all.push(joined);
            }
        }
        all
    }

    /// Waits for a task whose handle comes out of a field, of a value that callers have, in which that task's handle is kept.
    fn joins_of_fields(&self) -> Vec<(usize, InstId, u32)> {
        let mut kept: BTreeMap<(String, Field), BTreeSet<usize>> = BTreeMap::new();
        for (loc, sites) in &self.holders {
            for field in self.fields_around(*loc) {
                kept.entry(field).or_default().extend(sites);
            }
        }
        let mut found = Vec::new();
        if kept.is_empty() {
            return found;
        }
        for ((inst, block), info) in self.flow.calls.iter().filter(|((inst, _), _)| self.live.contains(inst))
        {
            let Some(place) = self.waited_for(*inst, *block, info) else { continue };
            if !self.handles(&self.locs(*inst, place)).is_empty() {
                continue;
            }
            let field = self.comes_out_of(*inst, place, MAX_MOVES);
            let tasks = field.and_then(|field| kept.get(&field));
            found.extend(tasks.into_iter().flatten().map(|task| (*task, *inst, *block)));
        }
        found
    }

    /// What a call waits for, if that is what it does.
    pub(super) fn waited_for(&self, inst: InstId, block: u32, info: &CallInfo) -> Option<&Place> {
        let call = call_at(self.flow.body_of(inst), block as usize)?;
        let model = self.flow.model_of(info).and_then(|model| model.join);
        let polls = info.poll.as_ref().is_some_and(|leaves| self.may_wait(info, leaves));
        call.args.get(model.or(polls.then_some(0))?)?.place()
    }

    /// The field of an own type that a location is, if it is one.
    pub fn field_of(&self, loc: LocId) -> Option<(String, Field)> {
        let (above, part) = self.flow.heap.get(loc).parent.as_ref()?;
        Some((own_type(self, *above)?, part.field.clone()))
    }

    /// The fields of own types that a location is in, or within.
    fn fields_around(&self, loc: LocId) -> Vec<(String, Field)> {
        self.flow.heap.within(loc).filter_map(|at| self.field_of(at)).collect()
    }

    /// The field of an own type that a value comes out of, by the moves of its body.
    fn comes_out_of(&self, inst: InstId, place: &Place, fuel: u32) -> Option<(String, Field)> {
        let body = self.flow.body_of(inst);
        let field = own_field(self.flow, body, place).map(|(field, _)| field);
        if field.is_some() || fuel == 0 {
            return field;
        }
        let [def] = defs(body, place.local)[..] else { return None };
        let from = match def {
            Def::Assign(Rvalue::Use(operand) | Rvalue::Wrap(operand, _)) => operand.place()?,
            Def::Assign(Rvalue::Ref(_, of) | Rvalue::CopyForDeref(of)) => of,
            Def::Call(block) => {
                let info = self.flow.calls.get(&(inst, block as u32));
                let takes = info.and_then(|info| self.flow.model_of(info)?.flow) == Some(ModelFlow::Take);
                let hands_on = takes || is_seen_through(self, inst, block);
                call_at(body, block).filter(|_| hands_on)?.args.first()?.place()?
            }
            Def::Assign(Rvalue::Aggregate(_, operands)) => match &operands[..] {
                [only] => only.place()?,
                _ => return None,
            },
            Def::Assign(_) => return None,
        };
        self.comes_out_of(inst, from, fuel - 1)
    }
}
