//! What is known of a body's locals when its statements are made: values of flags, whether calls succeeded.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::walk::locals_in;
use crate::ir::{BinOp, Expr, INTEGERS, LocalId, Value};
use crate::mir::{
    AggregateKind, BorrowKind, CallTarget, Local, Operand, Place, Prim, Projection, Rvalue, Statement,
    StatementKind, TerminatorKind, TyKind,
};

use crate::lower::emit::emitter::{Build, Emitter};
use crate::world::actions::cfg::whole_result;
use crate::world::actions::effects::{Action, Tracked};
use crate::world::actions::enums::is_enum;
use crate::world::points::aggregates::only_definition;
use crate::world::points::given;
use crate::world::points::points_to::InstId;

impl<'a> Emitter<'_, 'a> {
    /// The block whose call fills a local, with the call.
    fn call_of(&self, build: &Build, local: Local) -> Option<(usize, &'a CallTarget)> {
        let blocks = self.flow.body_of(build.inst).blocks.iter().enumerate();
        blocks.filter(|(_, block)| !block.cleanup).find_map(|(index, block)| match &block.terminator.kind {
            TerminatorKind::Call(call) if call.dest.as_local() == Some(local) => Some((index, &**call)),
            _ => None,
        })
    }

    /// Whether a call succeeded, asked by a function: `result.is_ok()`.
    fn asked(&self, build: &Build, local: Local) -> Option<Expr> {
        let (block, call) = self.call_of(build, local)?;
        let ty = self.flow.place_ty(build.inst, &call.dest)?;
        if !matches!(&*ty, TyKind::Prim(Prim::Bool)) {
            return None;
        }
        Some(self.answered(build, block)).filter(|answer| *answer != Expr::Any)
    }

    /// What the call that ends a block answers, if it asks whether something succeeded.
    pub fn answered(&self, build: &Build, block: usize) -> Expr {
        if crate::world::actions::outcome::fails(self.flow, build.inst, block) {
            return Expr::Const(Value::Bool(false));
        }
        match crate::world::actions::outcome::asked_for(self.flow, build.inst, block) {
            Some(true) => self.first_succeeded(build, block),
            Some(false) => match self.first_succeeded(build, block) {
                Expr::Any => Expr::Any,
                known => Expr::Not(Box::new(known)),
            },
            None => Expr::Any,
        }
    }

    /// Whether the first argument of the call that ends a block is `Ok` or `Some`, as far as that is known.
    pub fn first_succeeded(&self, build: &Build, block: usize) -> Expr {
        let first = |call: &CallTarget| call.args.first()?.place()?.as_local();
        self.local_succeeded(build, block, first)
    }

    /// Whether the call that ends a block returned `Ok` or `Some`, as far as that is known.
    pub fn result_succeeded(&self, build: &Build, block: usize) -> Expr {
        self.local_succeeded(build, block, |call| call.dest.as_local())
    }

    /// The same of one of the locals that the call that ends a block has to do with.
    fn local_succeeded(
        &self,
        build: &Build,
        block: usize,
        of: impl Fn(&CallTarget) -> Option<Local>,
    ) -> Expr {
        let body = self.flow.body_of(build.inst);
        let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind else { return Expr::Any };
        of(call).and_then(|local| self.succeeded(build, local, 0)).unwrap_or(Expr::Any)
    }

    /// The locals of an instance of which it was guessed whether there is something.
    fn guessed(&self, inst: InstId) -> impl Iterator<Item = Local> + use<'_, 'a> {
        self.facts.effects[inst.0 as usize].iter().flatten().filter_map(|step| match step.action {
            Action::Guess(local) | Action::Holds { local, .. } => Some(local),
            _ => None,
        })
    }

    /// Whether the call that ends a block ends the task where there is nothing, `get(&key).unwrap()`, and guesses may say so.
    pub fn asserts(&self, inst: InstId, block: usize) -> bool {
        let model = self.flow.model_at(inst, block);
        model.is_some_and(|model| model.value == Some(robust_models::Value::Asserts))
            && self.guessed(inst).next().is_some()
    }

    /// What is so behind such a call, where nothing but a guess is known of what it is given.
    pub fn asserted(&self, build: &Build, block: usize) -> Option<Expr> {
        let known = self.asserts(build.inst, block).then(|| self.first_succeeded(build, block))?;
        let mut guessed = self.guessed(build.inst).filter_map(|local| build.known(local));
        guessed.any(|local| known == Expr::Local(local)).then_some(known)
    }

    /// The local that the call that ends a block fills with what is `Ok` or `Some` if its first argument is.
    pub fn same_as_first(&self, inst: InstId, block: usize) -> Option<Local> {
        let same = self.flow.model_at(inst, block)?.value == Some(robust_models::Value::Same);
        match &self.flow.body_of(inst).blocks[block].terminator.kind {
            TerminatorKind::Call(call) => call.dest.as_local().filter(|_| same),
            _ => None,
        }
    }

    /// Whether the call that a result (or a reference to one) comes from succeeded.
    pub fn succeeded(&self, build: &Build, local: Local, depth: u32) -> Option<Expr> {
        let guessed =
            self.facts.effects[build.inst.0 as usize].iter().flatten().any(|step| match &step.action {
                Action::Access { tracked: Some(Tracked::Exchange(_, done)), .. } => *done == local,
                Action::Guess(result)
                | Action::Flag(result, _)
                | Action::Variant(result, _)
                | Action::Holds { local: result, .. }
                | Action::Call { result: Some(result), .. } => *result == local,
                _ => false,
            });
        if guessed || build.known(local).is_some() {
            return build.known(local).map(Expr::Local);
        }
        if depth > 6 {
            return None;
        }
        if let Some((block, call)) = self.call_of(build, local) {
            let key = self.flow.calls.get(&(build.inst, block as u32))?.model.as_deref()?;
            let same = self.flow.models.function(key)?.value == Some(robust_models::Value::Same);
            let first = call.args.first().filter(|_| same)?;
            return self.succeeded(build, first.place()?.as_local()?, depth + 1);
        }
        let (_, rvalue) = only_definition(self.flow.body_of(build.inst), local)?;
        match rvalue {
            Rvalue::Use(operand) => {
                self.succeeded(build, self.taken_apart(build, operand.place()?)?, depth + 1)
            }
            Rvalue::Ref(_, place) => self.succeeded(build, place.as_local()?, depth + 1),
            _ => None,
        }
    }

    /// The local whose value a place has: itself, what an awaited future is ready with, or what a tuple was made of that is taken apart there.
    fn taken_apart(&self, build: &Build, place: &Place) -> Option<Local> {
        let [Projection::Field(number, _)] = place.projection[..] else { return whole_result(place) };
        let body = self.flow.body_of(build.inst);
        let (made, Rvalue::Aggregate(kind, operands)) = only_definition(body, place.local)? else {
            return None;
        };
        let is_lent = |statement: &Statement| match &statement.kind {
            StatementKind::Assign(_, Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { place: of, .. }) => {
                of.local == place.local
            }
            _ => false,
        };
        let lent = body.blocks.iter().flat_map(|block| &block.statements).any(is_lent);
        let tuple = matches!(**kind, AggregateKind::Tuple) && made.projection.is_empty() && !lent;
        operands.get(number as usize).filter(|_| tuple)?.place()?.as_local()
    }

    /// The local of the program for a local that is followed: a truth value, or the number of a variant.
    pub fn followed(&self, build: &mut Build, local: Local) -> LocalId {
        build.local(format!("v{}", local.0), !is_enum(self.flow, build.inst, local))
    }

    /// The locals of a body whose value is followed and asked for anywhere: by a branch, by what is done only if a call
    /// succeeded, by whoever is told what the body returns.
    pub fn watched(&self, build: &Build) -> BTreeSet<Local> {
        let body = self.flow.body_of(build.inst);
        let effects = &self.facts.effects[build.inst.0 as usize];
        let mut all = build.clone();
        let mut followed: BTreeMap<LocalId, Local> = BTreeMap::new();
        let mut watched = BTreeSet::from([Local::RETURN]);
        for step in effects.iter().flatten() {
            if let Action::Flag(local, _)
            | Action::Variant(local, _)
            | Action::Guess(local)
            | Action::Holds { local, .. } = step.action
            {
                followed.insert(self.followed(&mut all, local), local);
            }
            watched.extend(step.only_if.map(|(local, _)| local));
        }
        let mut asked = BTreeSet::new();
        for &block in &self.facts.cfgs[build.inst.0 as usize].reached {
            let value = match &body.blocks[block].terminator.kind {
                TerminatorKind::SwitchInt { on, .. } => on
                    .place()
                    .and_then(|place| place.as_local())
                    .and_then(|local| self.value(&all, local, 0))
                    .map(|(value, _)| value),
                TerminatorKind::Call(_)
                    if effects[block].iter().any(|step| matches!(step.action, Action::Call { .. })) =>
                {
                    Some(self.first_succeeded(&all, block))
                }
                TerminatorKind::Call(_) => Some(self.answered(&all, block)),
                _ => None,
            };
            value.iter().for_each(|value| locals_in(value, &mut asked));
        }
        watched.extend(asked.iter().filter_map(|local| followed.get(local)));
        watched
    }

    /// A local's value in terms of locals that are followed; whether it is a `bool`.
    pub fn value(&self, build: &Build, local: Local, depth: u32) -> Option<(Expr, bool)> {
        if let Some(known) = build.known(local) {
            return Some((Expr::Local(known), *build.types.get(&known)?));
        }
        if depth > 6 {
            return None;
        }
        if let Some(value) = self.asked(build, local) {
            return Some((value, true));
        }
        self.defined(build, local, depth)
    }

    /// The truth value that a statement assigns, or whether what it assigns is a success.
    pub fn assigned(&self, build: &Build, block: usize, at: usize) -> Expr {
        let statement = self.flow.body_of(build.inst).blocks[block].statements.get(at);
        let Some(StatementKind::Assign(place, rvalue)) = statement.map(|statement| &statement.kind) else {
            return Expr::Any;
        };
        let from = match rvalue {
            Rvalue::Use(operand) => operand.place().and_then(Place::as_local),
            _ => None,
        };
        let is_bool =
            self.flow.place_ty(build.inst, place).is_some_and(|ty| matches!(&*ty, TyKind::Prim(Prim::Bool)));
        let known = match (is_bool, from) {
            (true, Some(from)) => self.value(build, from, 0).map(|(value, _)| value),
            (true, None) => {
                let whole = place.as_local().and_then(|local| self.defined(build, local, 0));
                whole.filter(|(_, bool)| *bool).map(|(value, _)| value)
            }
            (false, from) => from.and_then(|from| self.succeeded(build, from, 0)),
        };
        known.unwrap_or(Expr::Any)
    }

    /// The value that a local is given by the one statement that gives it one.
    fn defined(&self, build: &Build, local: Local, depth: u32) -> Option<(Expr, bool)> {
        let (place, rvalue) = only_definition(self.flow.body_of(build.inst), local)?;
        if !place.projection.is_empty() {
            return None;
        }
        let of = |operand: &Operand| self.value(build, self.taken_apart(build, operand.place()?)?, depth + 1);
        match rvalue {
            Rvalue::Use(operand) => of(operand),
            Rvalue::Unary(operator, operand) if operator == "Not" => {
                let (value, bool) = of(operand)?;
                bool.then(|| (Expr::Not(Box::new(value)), true))
            }
            Rvalue::Binary(operator, operands) => {
                let (value, bool) = of(&operands.0)?;
                let other = match (bool, given::number(self.flow, build.inst, &operands.1)?) {
                    (true, value) => Value::Bool(value != 0),
                    (false, value) if INTEGERS.contains(&value) => Value::Int(value),
                    (false, _) => return None,
                };
                let same = |a: Expr, b: Expr| Expr::Binary(BinOp::Eq, Box::new(a), Box::new(b));
                match &**operator {
                    "Eq" => Some((same(value, Expr::Const(other)), true)),
                    "Ne" => Some((Expr::Not(Box::new(same(value, Expr::Const(other)))), true)),
                    "Lt" if !bool => {
                        let less = Expr::Binary(BinOp::Lt, Box::new(value), Box::new(Expr::Const(other)));
                        Some((less, true))
                    }
                    "Gt" if !bool => {
                        let less = Expr::Binary(BinOp::Lt, Box::new(Expr::Const(other)), Box::new(value));
                        Some((less, true))
                    }
                    _ => None,
                }
            }
            Rvalue::Discriminant(place) => {
                let result = place.as_local()?;
                let ty = self.flow.local_ty(build.inst, result.0)?;
                // What is known of an await is what comes of it, not whether it came yet.
                let polls = self.facts.cfgs[build.inst.0 as usize].polls;
                if !polls && crate::world::actions::cfg::is_poll(&ty) {
                    return None;
                }
                let succeeded = self.succeeded(build, result, 0)?;
                if is_enum(self.flow, build.inst, result) {
                    return Some((succeeded, false));
                }
                // `Ok` and `Continue` come first, `Some` comes second.
                let second = ty.as_path().is_some_and(|path| path.last() == "Option");
                Some((if second { succeeded } else { Expr::Not(Box::new(succeeded)) }, true))
            }
            _ => None,
        }
    }
}
