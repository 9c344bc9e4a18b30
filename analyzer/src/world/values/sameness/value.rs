//! Which value a local holds, as far as two places can be known to hold the same one.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::Value as ModelValue;

use crate::mir::{
    AggregateKind, Body, BodyKind, CallTarget, Callee, ConstKind, Local, Name, Operand, Place, Projection,
    Rvalue, StatementKind, TerminatorKind,
};

use crate::world::facts::Facts;
use crate::world::points::bodies::BodyId;
use crate::world::points::points_to::{Flow, InstId};

/// Steps from a value to where it comes from.
pub(in crate::world::values) const MAX_STEPS: u32 = 24;

/// A value: two places with the same one hold equal values in one run of the instances in question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    Number(i128),
    Text(String),
    /// What this local was given, once.
    Of(InstId, Local),
    /// What is in the option, or the result, that this local was given.
    In(InstId, Local),
    /// What a value of this type that is dropped has in this field.
    Kept(String, u32),
    /// What is in this field of what a parameter was given, or refers to.
    Part(InstId, Local, u32),
    /// A tuple of these.
    Tuple(Vec<Known>),
}

/// How a local gets its value.
pub(in crate::world::values) enum Definition<'b> {
    Param(u32),
    Rvalue(usize, &'b Rvalue),
    Call(usize, &'b CallTarget),
}

/// What is asked of a local.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::world::values) enum Wanted {
    /// Its value.
    Itself,
    /// What it refers to.
    Behind,
}

/// Follows values to where they come from.
pub(crate) struct Values<'s, 'a> {
    pub(in crate::world::values) flow: &'s Flow<'a>,
    pub(in crate::world::values) facts: &'s Facts,
    /// By instance: where it is called or started.
    callers: BTreeMap<InstId, Vec<(InstId, u32)>>,
    /// By body: the instance that stands for all of them.
    pub(in crate::world::values) first: BTreeMap<BodyId, InstId>,
    /// By definition: where closures and futures are made, each place in the text once.
    pub(in crate::world::values) makers: Makers<'a>,
}

/// Where closures and futures are made, by their bodies' definitions: in an instance, by this.
type Makers<'a> = BTreeMap<Name, Vec<(InstId, &'a Rvalue)>>;

/// Of the instances of one body, `first` stands for all, where it has one.
fn makers<'a>(flow: &Flow<'a>, first: &BTreeMap<BodyId, InstId>) -> Makers<'a> {
    let mut of: BTreeMap<BodyId, InstId> = first.clone();
    for (index, instance) in flow.instances.iter().enumerate() {
        of.entry(instance.body).or_insert(InstId(index as u32));
    }
    let mut makers = Makers::new();
    for inst in of.into_values() {
        let blocks = flow.body_of(inst).blocks.iter().filter(|block| !block.cleanup);
        for statement in blocks.flat_map(|block| &block.statements) {
            if let StatementKind::Assign(_, rvalue @ Rvalue::Aggregate(kind, _)) = &statement.kind
                && let AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. } = &**kind
            {
                makers.entry(body.clone()).or_default().push((inst, rvalue));
            }
        }
    }
    makers
}

impl<'s, 'a> Values<'s, 'a> {
    /// `run` are the instances that events and tasks run.
    pub fn new(flow: &'s Flow<'a>, facts: &'s Facts, run: &BTreeSet<InstId>) -> Self {
        let mut callers: BTreeMap<InstId, Vec<(InstId, u32)>> = BTreeMap::new();
        for ((inst, block), info) in flow.calls.iter().filter(|((inst, _), _)| run.contains(inst)) {
            for callee in info.callees.iter().chain(&info.spawned) {
                callers.entry(*callee).or_default().push((*inst, *block));
            }
        }
        let mut first = BTreeMap::new();
        for inst in run {
            first.entry(flow.instances[inst.0 as usize].body).or_insert(*inst);
        }
        let makers = makers(flow, &first);
        Values { flow, facts, callers, first, makers }
    }

    /// The value of an operand.
    pub fn operand(&self, inst: InstId, operand: &Operand) -> Option<Known> {
        self.operand_in(inst, operand, MAX_STEPS)
    }

    /// The calls in the text that run or start an instance.
    pub fn callers(&self, inst: InstId) -> Option<&[(InstId, u32)]> {
        self.callers.get(&inst).map(Vec::as_slice)
    }

    /// The function in whose text an instance's body is: of a closure or a future the one that it is written in.
    pub fn function(&self, inst: InstId) -> BodyId {
        let mut at = inst;
        // Texts are in one another only so deep.
        for _ in 0..MAX_STEPS {
            let body = self.flow.body_of(at);
            let maker = self.makers.get(&body.def).and_then(|makers| makers.first());
            match maker {
                Some((maker, _)) if body.kind != BodyKind::Fn => at = *maker,
                _ => break,
            }
        }
        self.flow.instances[at.0 as usize].body
    }

    /// What an operand refers to.
    pub fn behind(&self, inst: InstId, operand: &Operand) -> Option<Known> {
        let local = operand.place()?.as_local()?;
        self.local(inst, local, Wanted::Behind, MAX_STEPS)
    }

    /// The values that an operand has in it, as far as its body puts it together: it, and the parts that it is made of.
    pub fn contents(&self, inst: InstId, operand: &Operand) -> BTreeSet<Known> {
        let body = self.flow.body_of(inst);
        let (mut found, mut met) = (BTreeSet::new(), BTreeSet::new());
        let mut work = vec![operand];
        while let Some(operand) = work.pop() {
            found.extend(self.operand(inst, operand));
            let local = operand.place().and_then(|place| place.as_local());
            match local.filter(|local| met.insert(*local)).and_then(|local| definition(body, local)) {
                Some(Definition::Rvalue(_, Rvalue::Use(operand))) => work.push(operand),
                Some(Definition::Rvalue(_, Rvalue::Aggregate(_, parts))) => work.extend(parts),
                Some(Definition::Call(block, call)) if self.copies(inst, block, call, Wanted::Itself) => {
                    work.extend(call.args.first());
                }
                _ => {}
            }
        }
        found
    }

    pub(in crate::world::values) fn operand_in(
        &self,
        inst: InstId,
        operand: &Operand,
        fuel: u32,
    ) -> Option<Known> {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.place(inst, place, fuel),
            Operand::Const(constant) => match &constant.kind {
                ConstKind::Int(value) => Some(Known::Number(*value)),
                ConstKind::Str(text) => Some(Known::Text(text.to_string())),
                _ => None,
            },
        }
    }

    fn place(&self, inst: InstId, place: &Place, fuel: u32) -> Option<Known> {
        let fuel = fuel.checked_sub(1)?;
        match &place.projection[..] {
            [] => self.local(inst, place.local, Wanted::Itself, fuel),
            [Projection::Deref] => self.local(inst, place.local, Wanted::Behind, fuel),
            [first, Projection::Field(number, _), rest @ ..]
                if place.local == Local(1) && *first == Projection::Deref && is_deref(rest) =>
            {
                self.captured(inst, *number, fuel)
                    .or_else(|| self.kept(inst, *number))
                    .or_else(|| self.part(inst, place.local, *number, fuel))
            }
            [Projection::Field(number, _), rest @ ..] if place.local == Local(1) && is_deref(rest) => {
                let part = || self.part(inst, place.local, *number, fuel).filter(|_| rest.is_empty());
                self.captured(inst, *number, fuel).or_else(part)
            }
            // What is in an option that a dropped value has.
            [
                Projection::Deref,
                Projection::Field(number, _),
                Projection::Downcast(_),
                Projection::Field(0, _),
            ] if place.local == Local(1) => self.kept(inst, *number),
            [Projection::Field(number, _)] | [Projection::Deref, Projection::Field(number, _)] => {
                self.part(inst, place.local, *number, fuel)
            }
            [Projection::Deref, Projection::Field(capture, _), Projection::Field(number, _)]
            | [Projection::Field(capture, _), Projection::Field(number, _)]
                if place.local == Local(1) =>
            {
                self.part_of_capture(inst, *capture, *number, fuel)
            }
            [Projection::Downcast(variant), Projection::Field(field, _)] => {
                self.payload(inst, place.local, self.inside(inst, place.local, variant, *field)?, fuel)
            }
            _ => None,
        }
    }

    fn local(&self, inst: InstId, local: Local, wanted: Wanted, fuel: u32) -> Option<Known> {
        let fuel = fuel.checked_sub(1)?;
        let body = self.flow.body_of(inst);
        let definition = definition(body, local)?;
        // What it is given in each round is the same if that comes from outside of the loop.
        let again = match definition {
            Definition::Rvalue(block, _) | Definition::Call(block, _) => self.facts.comes_again(inst, block),
            Definition::Param(_) => false,
        };
        // What is behind a reference that came from somewhere may be another value each time.
        let stays = wanted == Wanted::Itself || matches!(definition, Definition::Param(_));
        let one = self.first.get(&self.flow.instances[inst.0 as usize].body).copied().unwrap_or(inst);
        let own = (stays && !again).then_some(Known::Of(one, local));
        match definition {
            Definition::Param(number) => match self.caller(inst) {
                Some(_) if matches!(body.kind, BodyKind::Closure { .. }) => {
                    self.handed(inst, number, fuel).or(own)
                }
                Some((caller, call)) if call.args.len() == body.arg_count as usize => {
                    self.operand_in(caller, call.args.get(number as usize)?, fuel).or(own)
                }
                _ => own,
            },
            Definition::Rvalue(_, Rvalue::Use(operand) | Rvalue::Cast(_, operand, _)) => {
                let place = operand.place().and_then(|place| place.as_local());
                match (wanted, place) {
                    (Wanted::Behind, Some(local)) => self.local(inst, local, wanted, fuel),
                    (Wanted::Behind, None) => self.behind_captured(inst, operand.place()?, fuel),
                    (Wanted::Itself, _) => self.operand_in(inst, operand, fuel).or(own),
                }
            }
            // Lent on: the same reference.
            Definition::Rvalue(_, Rvalue::Ref(_, Place { local, projection }))
                if **projection == [Projection::Deref] && wanted == Wanted::Itself =>
            {
                self.local(inst, *local, wanted, fuel).or(own)
            }
            Definition::Rvalue(_, Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place)) => {
                self.place(inst, place, fuel).or(own)
            }
            Definition::Call(block, call) if self.copies(inst, block, call, wanted) => {
                self.operand_in(inst, call.args.first()?, fuel).or(own)
            }
            Definition::Rvalue(_, Rvalue::Aggregate(kind, parts))
                if matches!(**kind, AggregateKind::Tuple) =>
            {
                let known = parts.iter().map(|part| self.operand_in(inst, part, fuel));
                known.collect::<Option<_>>().map(Known::Tuple).or(own)
            }
            _ => own,
        }
    }

    /// What a closure or future captured under this number.
    fn captured(&self, inst: InstId, number: u32, fuel: u32) -> Option<Known> {
        let (maker, operand) = self.capture(inst, number)?;
        self.operand_in(maker, operand, fuel)
    }

    /// What a closure or future captured a reference to, if a place is that reference.
    fn behind_captured(&self, inst: InstId, place: &Place, fuel: u32) -> Option<Known> {
        let ([Projection::Field(number, _)] | [Projection::Deref, Projection::Field(number, _)]) =
            place.projection[..]
        else {
            return None;
        };
        let (maker, operand) = self.capture(inst, number).filter(|_| place.local == Local(1))?;
        self.local(maker, operand.place()?.as_local()?, Wanted::Behind, fuel)
    }

    /// The one call in the text that runs or starts an instance.
    pub fn caller(&self, inst: InstId) -> Option<(InstId, &'a CallTarget)> {
        let callers = self.callers.get(&inst)?;
        let text = |(caller, block): &(InstId, u32)| (self.flow.instances[caller.0 as usize].body, *block);
        let &(caller, block) = callers.first()?;
        if callers.iter().any(|other| text(other) != text(&(caller, block))) {
            return None;
        }
        match &self.flow.body_of(caller).blocks.get(block as usize)?.terminator.kind {
            TerminatorKind::Call(call) => Some((caller, call)),
            _ => None,
        }
    }

    /// Whether the call that ends a block makes something equal to its first argument, or refers to it, or only that says what it
    /// makes: a text of a number, say.
    pub(in crate::world::values) fn copies(
        &self,
        inst: InstId,
        block: usize,
        call: &CallTarget,
        wanted: Wanted,
    ) -> bool {
        // What a trait's method means, it means whoever implements it.
        let of_trait = || match &call.callee {
            Callee::Fn { path, .. } => self.flow.models.function(&path.plain())?.value,
            Callee::Value(_) => None,
        };
        let value = self.flow.model_at(inst, block).and_then(|model| model.value);
        let Some(value) = value.or_else(of_trait) else { return false };
        let one = call.args.len() == 1 && wanted == Wanted::Itself;
        value == ModelValue::Copy || value == ModelValue::Distinct && one
    }
}

/// The call that an operand is the result of, and the block that it ends; none where that is not clear.
pub(crate) fn result_of<'b>(body: &'b Body, operand: &Operand) -> Option<(usize, &'b CallTarget)> {
    let mut local = operand.place()?.as_local()?;
    for _ in 0..MAX_STEPS {
        match definition(body, local)? {
            Definition::Call(block, call) => return Some((block, call)),
            Definition::Rvalue(_, Rvalue::Use(operand)) => local = operand.place()?.as_local()?,
            Definition::Rvalue(..) | Definition::Param(_) => return None,
        }
    }
    None
}

/// What a local is given, if that is one value that no call gives.
pub(crate) fn given(body: &Body, local: Local) -> Option<&Rvalue> {
    match definition(body, local)? {
        Definition::Rvalue(_, rvalue) => Some(rvalue),
        Definition::Call(..) | Definition::Param(_) => None,
    }
}

fn is_deref(rest: &[Projection]) -> bool {
    rest.iter().all(|step| *step == Projection::Deref)
}

/// The one definition of a local that has just one.
pub(in crate::world::values) fn definition(body: &Body, local: Local) -> Option<Definition<'_>> {
    let mut found = (1..=body.arg_count).contains(&local.0).then(|| Definition::Param(local.0 - 1));
    for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assign(place, rvalue) => {
                    if place.local == local && !place.projection.contains(&Projection::Deref) {
                        if found.is_some() {
                            return None;
                        }
                        found = Some(Definition::Rvalue(index, rvalue));
                    }
                    // Whoever has it borrowed may change it.
                    if let Rvalue::Ref(crate::mir::BorrowKind::Mut, of) = rvalue
                        && of.as_local() == Some(local)
                    {
                        return None;
                    }
                }
                StatementKind::SetDiscriminant(place, _) if place.local == local => return None,
                _ => {}
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind
            && call.dest.local == local
        {
            if found.is_some() {
                return None;
            }
            found = Some(Definition::Call(index, call));
        }
    }
    found
}
