//! What is made of the time of day: who stores it leaves what any other who does so about then leaves, too.

use std::collections::BTreeSet;

use robust_models::Value as ModelValue;

use crate::mir::{CallTarget, Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind};
use crate::world::points::points_to::{Flow, InstId};

/// The class of updates that note what time it is: of two that come close to each other, either may be the last.
pub(crate) const STAMP: &str = "stamp";

/// More places than this are not followed from a value to the clock.
const MAX_STEPS: usize = 64;

/// Whether a value is what a clock says, or is made of that and of constants alone.
pub(crate) fn tells_time(flow: &Flow<'_>, inst: InstId, operand: &Operand) -> bool {
    let mut search = Search { flow, asked: BTreeSet::new() };
    search.operand(inst, operand) == Source::Clock
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// From the text alone.
    Constant,
    /// From a clock, too.
    Clock,
    /// From elsewhere, too.
    Other,
}

struct Search<'f, 'a> {
    flow: &'f Flow<'a>,
    asked: BTreeSet<(InstId, Local)>,
}

impl Search<'_, '_> {
    fn operand(&mut self, inst: InstId, operand: &Operand) -> Source {
        operand.place().map_or(Source::Constant, |place| self.place(inst, place))
    }

    fn place(&mut self, inst: InstId, place: &Place) -> Source {
        if place.projection.iter().any(|step| matches!(step, Projection::Deref | Projection::Index(_))) {
            return Source::Other;
        }
        self.local(inst, place.local)
    }

    /// The worst of all that a local is given.
    fn local(&mut self, inst: InstId, local: Local) -> Source {
        let body = self.flow.body_of(inst);
        if (1..=body.arg_count).contains(&local.0) || self.asked.len() > MAX_STEPS {
            return Source::Other;
        }
        if !self.asked.insert((inst, local)) {
            return Source::Constant;
        }
        let mut worst = Source::Constant;
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if place.local == local {
                    worst = worst.max(self.rvalue(inst, rvalue));
                }
                if matches!(rvalue, Rvalue::Ref(crate::mir::BorrowKind::Mut, of) if of.local == local) {
                    return Source::Other;
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind
                && call.dest.local == local
            {
                worst = worst.max(self.called(inst, index, call));
            }
        }
        worst
    }

    fn rvalue(&mut self, inst: InstId, rvalue: &Rvalue) -> Source {
        match rvalue {
            Rvalue::Use(operand)
            | Rvalue::Cast(_, operand, _)
            | Rvalue::Wrap(operand, _)
            | Rvalue::Unary(_, operand) => self.operand(inst, operand),
            Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) | Rvalue::Discriminant(place) => {
                self.place(inst, place)
            }
            Rvalue::Binary(_, operands) => {
                self.operand(inst, &operands.0).max(self.operand(inst, &operands.1))
            }
            Rvalue::Aggregate(_, operands) => self.all(inst, operands.iter()),
            _ => Source::Other,
        }
    }

    fn all<'o>(&mut self, inst: InstId, operands: impl Iterator<Item = &'o Operand>) -> Source {
        operands.map(|operand| self.operand(inst, operand)).max().unwrap_or(Source::Constant)
    }

    /// What the call that ends a block gives: what a function of this crate returns, or what a library makes of its arguments.
    fn called(&mut self, inst: InstId, block: usize, call: &CallTarget) -> Source {
        let flow = self.flow;
        let Some(info) = flow.calls.get(&(inst, block as u32)) else { return Source::Other };
        if info.poll.is_some() {
            return Source::Other;
        }
        let model = flow.model_of(info).and_then(|model| model.value);
        if model == Some(ModelValue::Time) {
            return Source::Clock;
        }
        if info.foreign.is_some() {
            let given = self.all(inst, call.args.iter());
            // What has no arguments has what it gives from elsewhere.
            return if call.args.is_empty() { Source::Other } else { given };
        }
        let returned = info.callees.iter().map(|callee| self.local(*callee, Local::RETURN)).max();
        returned.unwrap_or(Source::Other)
    }
}
