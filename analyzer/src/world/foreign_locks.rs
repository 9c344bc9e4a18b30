//! Locks that no model knows, found by what Rust says of them.
//!
//! Who is given a value, and lends it out to be changed to whoever has a shared reference, lends it to one holder at a time: anything else
//! would be unsound. So a library's type is a lock of what is in it if it is made of that value (`Lock::new(value)`, which a pool of values
//! is not) and has a function that gives, for `&self`, a guard that leads to that value as `&mut` (by `DerefMut`). Its guards that lead
//! to that value as `&` only are shared: meanwhile nobody can have the other kind.
//!
//! What else the library does with such a guard may release it for a while, as a condition variable does: it is taken to do so.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Acquire, Flow, Function, Library, Mode, Models, OneOrMany, Type, TypeKind, When};

use crate::mir::{Body, CallTarget, Callee, Operand, Path, TerminatorKind, Ty, TyKind};
use crate::world::points::bodies::Code;
use crate::world::points::served::is_standard_path;
use crate::world::points::types::any_part;

/// The models, and those of such locks.
pub(crate) fn with_locks(code: &Code<'_>, models: &Models) -> Models {
    let mut all = models.clone();
    let found = Lending::find(code, models);
    if !found.locks.is_empty() {
        all.push(found.library());
    }
    all
}

/// Types of libraries of which no model tells anything, and which certainly change what is in them for whoever has a shared reference: they
/// take such a value then, or lend it to be changed. Nobody knows when; the `models` are those with locks.
pub(crate) fn changing(code: &Code<'_>, models: &Models) -> BTreeSet<String> {
    let calls: Vec<Call<'_>> = code.bodies.iter().flat_map(|body| calls(code, models, body)).collect();
    let leading: BTreeSet<(String, Ty)> = calls.iter().flat_map(Call::leads).collect();
    let changes = |call: &Call<'_>| {
        let (owner, values) = call.receiver()?;
        let taken = || call.args[1..].iter().flatten().any(|arg| is_data(arg) && values.contains(arg));
        let lends = |ty: &TyKind| {
            let path = ty.as_path()?.plain();
            Some(values.iter().any(|value| leading.contains(&(path.clone(), value.clone()))))
        };
        let (mut again, mut lent) = (false, false);
        any_part(call.result.as_ref()?, &mut |part| {
            again |= part.as_path().is_some_and(|path| path.plain() == owner);
            lent |= lends(part).unwrap_or(false);
            false
        });
        // Who gives a changed copy of itself leaves itself as it was.
        (!again && (lent || taken())).then_some(owner)
    };
    let is_unknown = |path: &String| {
        let krate = path.split("::").next().unwrap_or(path);
        models.ty(path).is_none() && !models.is_known_crate(krate) && !is_standard_path(path)
    };
    calls.iter().filter(|call| call.path.qself.is_none()).filter_map(changes).filter(is_unknown).collect()
}

/// Whether a type is that of something to be kept.
fn is_data(ty: &TyKind) -> bool {
    !matches!(ty, TyKind::Prim(_) | TyKind::Ref { .. } | TyKind::Closure { .. } | TyKind::FnDef(..))
}

/// What is known of types that lend.
#[derive(Default)]
struct Lending {
    /// Types that are made of a value: with the value's type, and the function.
    made: BTreeMap<(String, Ty), BTreeSet<String>>,
    /// Types of guards, with the type that they lead to: how they hold it.
    guards: BTreeMap<(String, Ty), Mode>,
    /// Functions of a type that give a guard, how it holds the value, and whether they may give none.
    giving: BTreeMap<String, (Mode, bool)>,
    /// Types of guards that functions of locks give.
    given_out: BTreeSet<String>,
    /// Functions that are given a guard: which argument it is.
    given: BTreeMap<String, usize>,
    /// Types that are locks.
    locks: BTreeSet<String>,
    /// Their functions that call what they are given.
    calling: BTreeSet<String>,
}

impl Lending {
    fn find(code: &Code<'_>, models: &Models) -> Lending {
        let mut found = Lending::default();
        let calls: Vec<Call<'_>> = code.bodies.iter().flat_map(|body| calls(code, models, body)).collect();
        for call in &calls {
            found.note_made(call);
            found.note_guard(call, models);
        }
        for mode in [Mode::Exclusive, Mode::Shared] {
            for call in &calls {
                found.note_giving(call, mode);
            }
        }
        for call in &calls {
            found.note_given(call);
        }
        found
    }

    /// `Lock::new(value)`.
    fn note_made(&mut self, call: &Call<'_>) {
        let Some((owner, values)) = call.result.as_ref().and_then(|ty| holder(ty)) else { return };
        let given = values.into_iter().filter(|value| call.args.iter().flatten().any(|arg| arg == value));
        for value in given {
            self.made.entry((owner.clone(), value)).or_default().insert(call.path.plain());
        }
    }

    /// `DerefMut::deref_mut(&mut guard)`, `Deref::deref(&guard)`.
    fn note_guard(&mut self, call: &Call<'_>, models: &Models) {
        let mode = match call.path.last() {
            _ if call.path.qself.is_none() => return,
            "deref_mut" => Mode::Exclusive,
            "deref" => Mode::Shared,
            _ => return,
        };
        let Some(guard) = call.args.first().and_then(|arg| Some(arg.as_ref()?.peel_refs())) else { return };
        let Some(path) = guard.as_path() else { return };
        let Some(TyKind::Ref { to, .. }) = call.result.as_deref() else { return };
        if call.code.is_foreign(guard) && models.ty(&path.plain()).is_none() {
            let known = self.guards.entry((path.plain(), to.clone())).or_insert(mode);
            if mode == Mode::Exclusive {
                *known = mode;
            }
        }
    }

    /// `lock.lock()`, `lock.try_lock()`. Who only ever lends to look at is no lock.
    fn note_giving(&mut self, call: &Call<'_>, mode: Mode) {
        let Some((lock, values)) = call.receiver() else { return };
        let Some(result) = call.result.as_deref().and_then(TyKind::as_path) else { return };
        if mode == Mode::Shared && !self.locks.contains(&lock) {
            return;
        }
        let made = |value: &&Ty| self.made.contains_key(&(lock.clone(), Ty::clone(value)));
        let value = |path: &Path| {
            let leads = |value: &&Ty| self.guards.get(&(path.plain(), Ty::clone(value))) == Some(&mode);
            path.plain() != lock && values.iter().filter(made).any(|value| leads(&value))
        };
        let inner = || result.type_args().filter_map(|ty| ty.as_path()).find(|path| value(path));
        let guard = if value(result) { Some((result, false)) } else { inner().map(|path| (path, true)) };
        if let Some((guard, maybe)) = guard {
            self.giving.insert(call.path.plain(), (mode, maybe));
            self.given_out.insert(guard.plain());
            self.locks.insert(lock);
        }
    }

    /// What else is done with a guard, or called by a lock.
    fn note_given(&mut self, call: &Call<'_>) {
        let name = call.path.plain();
        let is_guard = |ty: &Ty| {
            let path = ty.peel_refs().as_path().map(Path::plain);
            path.is_some_and(|path| self.given_out.contains(&path))
        };
        let changes = |ty: &Ty| !matches!(&**ty, TyKind::Ref { mutable: false, .. });
        let guard =
            call.args.iter().position(|arg| arg.as_ref().is_some_and(|ty| is_guard(ty) && changes(ty)));
        let is_code = |ty: &Ty| match &**ty {
            TyKind::Closure { .. } => true,
            TyKind::Path(path) => path.qself.is_none() && path.segments.len() == 1 && path.args().is_empty(),
            _ => false,
        };
        if call.path.qself.is_some() || self.giving.contains_key(&name) {
        } else if let Some(guard) = guard {
            self.given.insert(name, guard);
        } else if call.receiver().is_some_and(|(lock, _)| self.locks.contains(&lock))
            && call.args.iter().flatten().any(is_code)
        {
            self.calling.insert(name);
        }
    }

    fn library(self) -> Library {
        let acquire = |mode, when, lock| Some(Acquire { mode, when, lock, at_once: false });
        let ty = |path, kind| Type { path: OneOrMany::One(path), kind: Some(kind), ..Type::default() };
        let of_locks = self.made.into_iter().filter(|((owner, _), _)| self.locks.contains(owner));
        let making: BTreeSet<String> = of_locks.flat_map(|(_, functions)| functions).collect();
        let making = making.into_iter().map(|path| Function {
            path: OneOrMany::One(path),
            flow: Some(Flow::Wrap),
            access: Some(Vec::new()),
            ..Function::default()
        });
        let locks = self.locks.into_iter().map(|path| ty(path, TypeKind::Lock));
        let guards = self.given_out.into_iter().map(|path| ty(path, TypeKind::Guard));
        let giving = self.giving.into_iter().map(|(path, (mode, maybe))| Function {
            path: OneOrMany::One(path),
            acquire: acquire(mode, if maybe { When::Try } else { When::Call }, 0),
            access: Some(Vec::new()),
            ..Function::default()
        });
        let given = self.given.into_iter().map(|(path, guard)| Function {
            path: OneOrMany::One(path),
            release: Some(guard),
            acquire: acquire(Mode::Exclusive, When::Call, guard),
            waits: true,
            access: Some(Vec::new()),
            ..Function::default()
        });
        let calling = self.calling.into_iter().map(|path| Function {
            path: OneOrMany::One(path),
            acquire: acquire(Mode::Exclusive, When::During, 0),
            ..Function::default()
        });
        Library {
            library: "locks that are no library's".to_owned(),
            types: locks.chain(guards).collect(),
            functions: making.chain(giving).chain(given).chain(calling).collect(),
            ..Library::default()
        }
    }
}

/// A call of a library's function that has no model.
struct Call<'c> {
    code: &'c Code<'c>,
    path: &'c Path,
    args: Vec<Option<Ty>>,
    result: Option<Ty>,
}

impl Call<'_> {
    /// The type that a method is called on by shared reference, with the types in it.
    fn receiver(&self) -> Option<(String, Vec<Ty>)> {
        match pinned(self.args.first()?.as_deref()?) {
            TyKind::Ref { mutable: false, to } => holder(to),
            _ => None,
        }
    }
}

impl Call<'_> {
    /// The types that the call, which may change one of a library's types, leads to in order to change them: `as_mut` of a guard.
    fn leads(&self) -> Vec<(String, Ty)> {
        let guard = || holder(pinned(self.args.first()?.as_deref()?).peel_refs());
        let Some(((guard, values), result)) = guard().zip(self.result.as_ref()) else { return Vec::new() };
        let mut found = Vec::new();
        any_part(result, &mut |part| {
            if let TyKind::Ref { mutable: true, to } = part
                && values.contains(to)
            {
                found.push((guard.clone(), to.clone()));
            }
            false
        });
        found
    }
}

fn calls<'c>(code: &'c Code<'c>, models: &Models, body: &'c Body) -> Vec<Call<'c>> {
    let blocks = body.blocks.iter().filter(|block| !block.cleanup);
    let unknown = |call: &'c CallTarget| {
        let Callee::Fn { path, .. } = &call.callee else { return None };
        let is_named = path.qself.is_none();
        let own = code.is_local(path) || path.segments.len() < 2;
        if is_named && (own || models.function(&path.plain()).is_some()) {
            return None;
        }
        let ty = |operand: &Operand| match operand {
            Operand::Const(constant) => constant.ty.clone(),
            Operand::Copy(place) | Operand::Move(place) => {
                body.locals.get(place.as_local()?.0 as usize).map(|decl| decl.ty.clone())
            }
        };
        let result = call.dest.as_local().and_then(|local| body.locals.get(local.0 as usize));
        let result = result.map(|decl| decl.ty.clone());
        Some(Call { code, path, args: call.args.iter().map(ty).collect(), result })
    };
    let calls = blocks.filter_map(|block| match &block.terminator.kind {
        TerminatorKind::Call(call) => unknown(call),
        _ => None,
    });
    calls.collect()
}

/// The pointer in a `Pin`; any other type is itself.
fn pinned(ty: &TyKind) -> &TyKind {
    let inner = ty
        .as_path()
        .and_then(|path| path.type_args().next())
        .filter(|inner| matches!(***inner, TyKind::Ref { .. }));
    inner.map_or(ty, |inner| inner)
}

/// What may hold values of which types: a type with its arguments.
fn holder(ty: &TyKind) -> Option<(String, Vec<Ty>)> {
    let path = ty.as_path().filter(|path| path.qself.is_none() && path.segments.len() > 1)?;
    Some((path.plain(), path.type_args().cloned().collect()))
}
