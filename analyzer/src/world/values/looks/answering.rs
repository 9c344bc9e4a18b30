//! What a function that looks at something answers, for each value that it may see there: `fn is_open(&self) -> bool`.

use std::collections::{BTreeMap, BTreeSet};

use crate::mir::{BorrowKind, Local, Operand, Place, Prim, Rvalue, StatementKind, TerminatorKind, TyKind};
use crate::world::actions::effects::Tracked;
use crate::world::points::given;
use crate::world::points::points_to::{Flow, InstId};

/// Blocks that one run goes through.
const MAX_BLOCKS: usize = 64;

/// What is known of the truth value that an instance returns, if it is made of what one of its looks, at this statement, has seen.
pub(in crate::world::values) fn told(
    flow: &Flow<'_>,
    inst: InstId,
    (block, at): (usize, usize),
    tracked: &Tracked,
) -> Option<Tracked> {
    let is_truth = *flow.local_ty(inst, 0)? == TyKind::Prim(Prim::Bool);
    match tracked {
        Tracked::Get(Local::RETURN) | Tracked::Is(_, Local::RETURN, _) => Some(tracked.clone()),
        _ if !is_truth => None,
        Tracked::Get(seen) => {
            let run = Run { flow, inst, seen: *seen };
            let statement = flow.body_of(inst).blocks[block].statements.get(at);
            let variants = statement.and_then(|statement| match &statement.kind {
                StatementKind::Assign(_, Rvalue::Discriminant(of)) => {
                    flow.code.variants(&*flow.place_ty(inst, of)?)
                }
                _ => None,
            });
            if let Some(variants) = variants {
                let answers = variants.iter().map(|(_, number)| Some((*number, run.answer(*number)?)));
                let answers = answers.collect::<Option<Vec<(i128, bool)>>>()?;
                let yes = answers.into_iter().filter(|(_, yes)| *yes).map(|(number, _)| number);
                return Some(Tracked::Is(yes.collect(), Local::RETURN, true));
            }
            // All other numbers are treated alike.
            let numbers = run.numbers();
            let others = run.answer(numbers.last()?.checked_add(1)?)?;
            let answers = numbers.into_iter().map(|number| Some((number, run.answer(number)?)));
            let answers = answers.collect::<Option<Vec<(i128, bool)>>>()?;
            let told = answers.into_iter().filter(|(_, yes)| *yes != others).map(|(number, _)| number);
            Some(Tracked::Is(told.collect(), Local::RETURN, !others))
        }
        Tracked::Is(numbers, seen, as_it_is) => {
            let run = Run { flow, inst, seen: *seen };
            match (run.answer(1)?, run.answer(0)?) {
                (true, false) => Some(Tracked::Is(numbers.clone(), Local::RETURN, *as_it_is)),
                (false, true) => Some(Tracked::Is(numbers.clone(), Local::RETURN, !as_it_is)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A run of an instance in which a local is given what was seen.
struct Run<'r, 'a> {
    flow: &'r Flow<'a>,
    inst: InstId,
    seen: Local,
}

impl Run<'_, '_> {
    /// The truth value that is returned if this was seen; `None` if it depends on anything else.
    fn answer(&self, seen: i128) -> Option<bool> {
        // Branches go by bits.
        if seen < 0 {
            return None;
        }
        let body = self.flow.body_of(self.inst);
        let mut known: BTreeMap<Local, i128> = BTreeMap::new();
        let mut next = 0;
        for _ in 0..MAX_BLOCKS {
            let block = &body.blocks[next];
            for statement in &block.statements {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if let Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { place: of, .. } = rvalue
                    && of.as_local().is_some()
                {
                    return None;
                }
                let value = match place.as_local() {
                    Some(local) if local == self.seen => Some(seen),
                    Some(_) => self.value(&known, rvalue),
                    None => None,
                };
                match value {
                    Some(value) => _ = known.insert(place.local, value),
                    None => _ = known.remove(&place.local),
                }
            }
            let to = match &block.terminator.kind {
                TerminatorKind::Goto(to) | TerminatorKind::FalseEdge(to) => *to,
                TerminatorKind::Drop { target, .. } => (*target)?,
                TerminatorKind::Call(call) => {
                    known.remove(&call.dest.local);
                    if call.dest.as_local() == Some(self.seen) {
                        known.insert(self.seen, seen);
                    }
                    call.target?
                }
                TerminatorKind::SwitchInt { on, targets, otherwise } => {
                    let value = self.operand(&known, on)?;
                    let told = targets.iter().find(|(bits, _)| *bits as i128 == value);
                    told.map(|(_, to)| *to).or(*otherwise)?
                }
                TerminatorKind::Return => return known.get(&Local::RETURN).map(|value| *value != 0),
                _ => return None,
            };
            next = to.0 as usize;
        }
        None
    }

    fn value(&self, known: &BTreeMap<Local, i128>, rvalue: &Rvalue) -> Option<i128> {
        match rvalue {
            Rvalue::Use(operand) => self.operand(known, operand),
            Rvalue::Discriminant(place) => self.operand(known, &Operand::Copy(place.clone())),
            Rvalue::Unary(operator, operand) if &**operator == "Not" => {
                self.operand(known, operand).filter(|value| (0..=1).contains(value)).map(|value| 1 - value)
            }
            Rvalue::Binary(operator, operands) => {
                let [one, other] = [&operands.0, &operands.1].map(|operand| self.operand(known, operand));
                let same = one? == other?;
                match &**operator {
                    "Eq" => Some(i128::from(same)),
                    "Ne" => Some(i128::from(!same)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn operand(&self, known: &BTreeMap<Local, i128>, operand: &Operand) -> Option<i128> {
        match operand.place() {
            Some(place) => known.get(&place.as_local()?).copied(),
            None => given::number(self.flow, self.inst, operand),
        }
    }

    /// The numbers that the text tells from others.
    fn numbers(&self) -> BTreeSet<i128> {
        let blocks = self.flow.body_of(self.inst).blocks.iter().filter(|block| !block.cleanup);
        let mut found = BTreeSet::new();
        for block in blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(_, Rvalue::Binary(_, operands)) = &statement.kind {
                    let constants = [&operands.0, &operands.1].into_iter();
                    let constants = constants.filter(|operand| operand.place().is_none());
                    found.extend(constants.filter_map(|one| given::number(self.flow, self.inst, one)));
                }
            }
            if let TerminatorKind::SwitchInt { on, targets, .. } = &block.terminator.kind
                && on.place().and_then(Place::as_local).is_some()
            {
                found.extend(targets.iter().map(|(bits, _)| *bits as i128));
            }
        }
        found
    }
}
