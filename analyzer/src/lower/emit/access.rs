//! The statements that accesses become, those of tracked variables above all.

use crate::ir::{BinOp, Block, ClassId, Expr, LOWER, Mode, PlaceId, RAISE, StmtKind, Value, VarId};

use crate::lower::emit::emitter::{Build, Emitter};
use crate::lower::sharing::followed::Followed;
use crate::world::actions::effects::{Touch, Tracked};
use crate::world::points::heap::LocId;

impl Emitter<'_, '_> {
    /// The statements of an access to a shared variable in a block of the body.
    pub fn access(
        &mut self,
        build: &mut Build,
        block: usize,
        index: usize,
        (touch, tracked, locs): (&Touch, Option<&Tracked>, &[LocId]),
        place: Option<PlaceId>,
    ) -> Block {
        let var = VarId(index as u32);
        let shared = &self.sharing.vars[index];
        let tracked = tracked.filter(|tracked| shared.domain.is_none_or(|followed| followed.fits(tracked)));
        match (shared.domain, tracked) {
            (_, Some(Tracked::Inside)) => {}
            (Some(followed), Some(tracked)) => {
                let access = self.tracked(build, block, index, (tracked, followed.is_truth()), place);
                let reads =
                    matches!(tracked, Tracked::Get(_) | Tracked::Is(..) | Tracked::Tag(..) | Tracked::Absent);
                return if reads { access } else { self.alone(index, place, access) };
            }
            (None, Some(tracked @ Tracked::Exchange(..))) => {
                let access = self.tracked(build, block, index, (tracked, false), place);
                return self.alone(index, place, access);
            }
            _ => {}
        }
        let kind = match (shared.raised, tracked) {
            (Some(value), Some(Tracked::Set(..))) => {
                StmtKind::Update(var, self.program.class(if value { RAISE } else { LOWER }))
            }
            // What is read is any value, but what depends on it is known.
            (Some(_), Some(Tracked::Get(local))) => {
                StmtKind::SetLocal(build.local(format!("v{}", local.0), true), Expr::Var(var))
            }
            (_, Some(Tracked::Inside)) if *touch == Touch::Write => match self.there(locs, index) {
                Some(there) => StmtKind::SetVar(var, Expr::Const(there)),
                None => StmtKind::Write(var),
            },
            _ => untracked(touch, var, |class| self.program.class(class)),
        };
        let access = vec![self.stmt(place, kind)];
        if *touch == Touch::Read { access } else { self.alone(index, place, access) }
    }

    /// What a followed variable is where something is changed that is in it, in these locations.
    fn there(&self, locs: &[LocId], index: usize) -> Option<Value> {
        match self.sharing.vars[index].domain? {
            Followed::Presence { .. } => Some(Value::Bool(true)),
            Followed::Variant { .. } => self.sharing.variant_of(self.flow, locs, index).map(Value::Int),
            Followed::Truth { .. } | Followed::Number { .. } => None,
        }
    }

    /// A write, kept out of what a comparison proves to be free of writes.
    fn alone(&mut self, index: usize, place: Option<PlaceId>, mut out: Block) -> Block {
        if let Some(&lock) = self.compared_locks.get(&index) {
            let first = self.stmt(place, StmtKind::Acquire(lock, Mode::Exclusive));
            let last = self.stmt(place, StmtKind::Release(lock));
            out.insert(0, first);
            out.push(last);
        }
        out
    }

    fn tracked(
        &mut self,
        build: &mut Build,
        block: usize,
        index: usize,
        (tracked, bool): (&Tracked, bool),
        place: Option<PlaceId>,
    ) -> Block {
        let var = VarId(index as u32);
        let value =
            |number: i128| Expr::Const(if bool { Value::Bool(number != 0) } else { Value::Int(number) });
        let mut out = Vec::new();
        match tracked {
            Tracked::Inside => {}
            Tracked::Is(numbers, local, as_it_is) => {
                let local = build.local(format!("v{}", local.0), true);
                let same = |number: &i128| {
                    Expr::Binary(BinOp::Eq, Box::new(Expr::Var(var)), Box::new(value(*number)))
                };
                let one_of = |a, b| Expr::Binary(BinOp::Or, Box::new(a), Box::new(b));
                let is = numbers.iter().map(same).reduce(one_of);
                let is = is.unwrap_or(Expr::Const(Value::Bool(false)));
                let told = if *as_it_is { is } else { Expr::Not(Box::new(is)) };
                out.push(self.stmt(place, StmtKind::SetLocal(local, told)));
            }
            Tracked::Get(local) => {
                let local = build.local(format!("v{}", local.0), bool);
                out.push(self.stmt(place, StmtKind::SetLocal(local, Expr::Var(var))));
            }
            Tracked::Tag(local, as_it_is) => {
                let local = build.local(format!("v{}", local.0), true);
                let there = Expr::Var(var);
                let told = if *as_it_is { there } else { Expr::Not(Box::new(there)) };
                out.push(self.stmt(place, StmtKind::SetLocal(local, told)));
            }
            Tracked::SetTag(there) => {
                out.push(self.stmt(place, StmtKind::SetVar(var, value(i128::from(*there)))));
            }
            Tracked::Supplied => {
                let put = vec![self.stmt(place, StmtKind::SetVar(var, value(1)))];
                out.push(self.stmt(place, StmtKind::If(Expr::Var(var), Vec::new(), put)));
            }
            Tracked::Taken => {
                out.push(self.stmt(place, StmtKind::Assume(Expr::Var(var))));
                out.push(self.stmt(place, StmtKind::SetVar(var, value(0))));
            }
            Tracked::Emptied => {
                let taken = vec![self.stmt(place, StmtKind::SetVar(var, value(0)))];
                out.push(self.stmt(place, StmtKind::If(Expr::Var(var), taken, Vec::new())));
            }
            Tracked::Absent => {
                out.push(self.stmt(place, StmtKind::Assume(Expr::Not(Box::new(Expr::Var(var))))));
            }
            Tracked::Set(new, None) => {
                out.push(self.stmt(place, StmtKind::SetVar(var, value(*new))));
            }
            Tracked::Set(new, Some(old)) if bool => {
                // Storing what is there already changes nothing, and learns only that someone else was first.
                let old = build.local(format!("v{}", old.0), true);
                let same = Expr::Binary(BinOp::Eq, Box::new(Expr::Var(var)), Box::new(value(*new)));
                let before = |new: bool| Expr::Const(Value::Bool(new));
                let done = vec![
                    self.stmt(place, StmtKind::Assume(Expr::Not(Box::new(same.clone())))),
                    self.stmt(place, StmtKind::SetVar(var, value(*new))),
                    self.stmt(place, StmtKind::SetLocal(old, before(*new == 0))),
                ];
                let done = self.atomic(index, place, done);
                let not = self.failed(build, block, index, ((old, *new != 0), Some(same)), place);
                return vec![self.stmt(place, StmtKind::If(Expr::Any, done, not))];
            }
            Tracked::Set(new, Some(old)) => {
                let old = build.local(format!("v{}", old.0), bool);
                out.push(self.stmt(place, StmtKind::SetLocal(old, Expr::Var(var))));
                out.push(self.stmt(place, StmtKind::SetVar(var, value(*new))));
            }
            Tracked::Exchange(values, done) => {
                // An attempt that fails is void: whoever cares tries again.
                let done = build.local(format!("v{}", done.0), true);
                let (mut success, mut other) = (Vec::new(), None);
                match values {
                    Some((old, new)) if self.sharing.vars[index].domain.is_some() => {
                        let same = Expr::Binary(BinOp::Eq, Box::new(Expr::Var(var)), Box::new(value(*old)));
                        other = Some(Expr::Not(Box::new(same.clone())));
                        success.push(self.stmt(place, StmtKind::Assume(same)));
                        success.push(self.stmt(place, StmtKind::SetVar(var, value(*new))));
                        success = self.atomic(index, place, success);
                    }
                    _ => success.push(self.stmt(place, StmtKind::Write(var))),
                }
                let told = StmtKind::SetLocal(done, Expr::Const(Value::Bool(true)));
                success.push(self.stmt(place, told));
                let failure = self.failed(build, block, index, ((done, false), other), place);
                return vec![self.stmt(place, StmtKind::If(Expr::Any, success, failure))];
            }
        }
        self.atomic(index, place, out)
    }

    /// Statements on a variable, as one where some operation reads and writes it at once.
    pub fn atomic(&mut self, index: usize, place: Option<PlaceId>, mut out: Block) -> Block {
        if let Some(&lock) = self.atomic_locks.get(&index) {
            let first = self.stmt(place, StmtKind::Acquire(lock, Mode::Exclusive));
            let last = self.stmt(place, StmtKind::Release(lock));
            out.insert(0, first);
            out.push(last);
        }
        out
    }
}

fn untracked(touch: &Touch, var: VarId, class: impl FnOnce(&str) -> ClassId) -> StmtKind {
    match touch {
        Touch::Read => StmtKind::Read(var),
        Touch::Write => StmtKind::Write(var),
        Touch::Update(name) => StmtKind::Update(var, class(name)),
    }
}
