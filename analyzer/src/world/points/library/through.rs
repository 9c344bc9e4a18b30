//! What library functions call of what they are given: methods of traits that the crates implement. A sum asks an iterator for its
//! items, wherever in an adaptor that is; a text that is formatted calls `fmt`; a sort compares.
//!
//! Only methods are followed that do something which must not be done anywhere, or access what others may change meanwhile: very many types can be
//! printed and compared, and hardly any of that matters.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::mir::{
    AggregateKind, Callee, Path, QSelf, Rvalue, Segment, StatementKind, TerminatorKind, Ty, TyKind,
};

use crate::world::points::bodies::{BodyId, Code};
use crate::world::points::calls::Site;
use crate::world::points::foreign::{model_key, of_impl};
use crate::world::points::given::{Captures, Given};
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{Subst, any_part, fits, unify};
use robust_models::{Function, Models, TypeKind};

/// Pointers that are followed to what is behind a trait object: a reference to a box of it.
const BEHIND: usize = 2;

/// The trait of futures.
const FUTURE: [&str; 3] = ["std", "future", "Future"];

/// Runs the methods that a library's function calls of its arguments, or to make its result.
pub(crate) fn through(flow: &mut Flow<'_>, site: &Site, methods: &[String]) {
    if flow.asking().is_empty() {
        return;
    }
    let mut given = all_parts(site.args.iter().filter_map(|(_, ty)| ty.as_ref()));
    given.extend(behind_dyn(flow, site));
    let made = all_parts(site.dest.1.iter());
    let home = flow.home_of(site.inst);
    for (tr, name) in methods.iter().filter_map(|method| method.rsplit_once("::")) {
        let tr = Path { qself: None, segments: tr.split("::").map(segment).collect() };
        for ty in given.iter().chain(&made) {
            let qself = QSelf { ty: ty.clone(), tr: Some(tr.clone()) };
            let path = Path { qself: Some(Box::new(qself)), segments: vec![segment(name)] };
            for id in flow.code.resolve(&path, home) {
                if flow.asking().contains(&id) && is_of(flow.code, id, &given) {
                    run(flow, site, id, ty);
                }
            }
        }
    }
}

/// The `poll` of a future that is written by hand, in an instance of its own.
pub(crate) fn by_hand(flow: &mut Flow<'_>, site: &Site, locs: &[LocId], ty: &Ty) -> Vec<InstId> {
    let tr = Path { qself: None, segments: FUTURE.iter().copied().map(segment).collect() };
    let own = all_parts(std::iter::once(ty)).into_iter().filter(|part| flow.code.has_fields(part));
    let home = flow.home_of(site.inst);
    let mut found = Vec::new();
    for part in own.collect::<Vec<_>>() {
        let qself = QSelf { ty: part.clone(), tr: Some(tr.clone()) };
        let path = Path { qself: Some(Box::new(qself)), segments: vec![segment("poll")] };
        for id in flow.code.resolve(&path, home) {
            let callee = instance(flow, site, id, &part);
            let own = flow.local(callee, 1);
            locs.iter().for_each(|loc| flow.heap.point(own, *loc));
            found.push(callee);
        }
    }
    found
}

/// The instance of a method of a type that a call runs.
fn instance(flow: &mut Flow<'_>, site: &Site, id: BodyId, ty: &Ty) -> InstId {
    let mut subst = Subst::new();
    if let Some(qself) = &flow.code.body(id).path.qself {
        unify(&flow.code.types, &qself.ty, ty, &mut subst);
    }
    let context = flow.context_of(site.inst, site.block, id);
    let made = (Rc::new(subst), Given::new(Vec::new(), &Captures::default()));
    flow.instance_given(flow.world_of(site.inst), id, context, made, None)
}

fn segment(name: &str) -> Segment {
    Segment { name: name.into(), args: Vec::new() }
}

/// All types that these are made of.
fn all_parts<'t>(types: impl Iterator<Item = &'t Ty>) -> Vec<Ty> {
    let mut found: Vec<Ty> = Vec::new();
    for ty in types {
        any_part(ty, &mut |part| {
            if matches!(part, TyKind::Path(_) | TyKind::Prim(_)) && found.iter().all(|known| **known != *part)
            {
                found.push(Ty::from(part.clone()));
            }
            false
        });
    }
    found
}

/// The types of what is behind the trait objects that a call is given.
fn behind_dyn(flow: &Flow<'_>, site: &Site) -> Vec<Ty> {
    let mut found: Vec<Ty> = Vec::new();
    for (locs, ty) in &site.args {
        let is_open = |ty: &Ty| any_part(ty, &mut |part| matches!(part, TyKind::Dyn(_)));
        if !ty.as_ref().is_some_and(is_open) {
            continue;
        }
        let mut level = locs.clone();
        for _ in 0..BEHIND {
            level = flow.heap.behind(&level);
            let types = level.iter().filter_map(|loc| flow.heap.get(*loc).ty.clone());
            found.extend(types.filter(|ty| flow.code.has_fields(ty)));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether what an implementation is about (`From<T>`) is something that is given.
fn is_of(code: &Code<'_>, id: BodyId, given: &[Ty]) -> bool {
    let tr = code.body(id).path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
    let mut about = tr.into_iter().flat_map(|tr| tr.type_args());
    about.all(|arg| given.iter().any(|ty| fits(&code.types, arg.peel_refs(), ty, 0).is_some()))
}

fn run(flow: &mut Flow<'_>, site: &Site, id: BodyId, ty: &Ty) {
    let callee = instance(flow, site, id, ty);
    let is_method = flow.local_ty(callee, 1).is_some_and(|ty| matches!(&*ty, TyKind::Ref { .. }));
    let own = flow.local(callee, 1);
    for (locs, arg) in &site.args {
        let is_ref = matches!(arg.as_deref(), Some(TyKind::Ref { .. }));
        let values = if is_ref { flow.heap.behind(locs) } else { locs.clone() };
        for value in values {
            if is_method { flow.heap.point(own, value) } else { flow.heap.copy(value, own) }
        }
    }
    flow.info(site.inst, site.block).callees.insert(callee);
}

/// The bodies that do something which asks for a place, or access what is shared, or whose callees do, as far as names tell.
pub(crate) fn asking(code: &Code<'_>, models: &Models) -> FxHashSet<BodyId> {
    let mut callers: Vec<Vec<BodyId>> = vec![Vec::new(); code.bodies.len()];
    let mut work = Vec::new();
    for (number, body) in code.bodies.iter().enumerate() {
        let (id, home) = (BodyId(number as u32), code.home[number]);
        for block in &body.blocks {
            for statement in &block.statements {
                if let StatementKind::Assign(_, Rvalue::Aggregate(kind, _)) = &statement.kind
                    && let AggregateKind::Closure { body: def, .. }
                    | AggregateKind::Coroutine { body: def, .. } = &**kind
                    && let Some(made) = code.def(def, home)
                {
                    callers[made.0 as usize].push(id);
                }
            }
            let TerminatorKind::Call(call) = &block.terminator.kind else { continue };
            let Callee::Fn { path, .. } = &call.callee else { continue };
            if asks(models, path) {
                work.push(id);
            } else {
                code.resolve(path, home).iter().for_each(|callee| callers[callee.0 as usize].push(id));
            }
        }
    }
    let mut found = FxHashSet::default();
    while let Some(id) = work.pop() {
        if found.insert(id) {
            work.extend(callers[id.0 as usize].iter().copied());
        }
    }
    found
}

/// Whether a library function asks for a place, or accesses what is shared.
fn asks(models: &Models, path: &Path) -> bool {
    let plain = path.plain();
    let model = models.function(&model_key(models, path, &plain));
    let access = |model: &Function| model.access.as_ref().is_some_and(|access| !access.is_empty());
    if model.is_some_and(|model| model.acquire.is_some() || access(model) && is_shared(models, path)) {
        return true;
    }
    let first = path.segments.first().map_or("", |segment| &*segment.name);
    if !models.may_have_effect(first, path.last()) {
        return false;
    }
    let effect = models.effect(&model_key(models, path, &plain)).or_else(|| models.effect(&plain));
    let own = path.qself.as_ref().and_then(|qself| qself.ty.peel_refs().as_path());
    let effect = own.and_then(|ty| models.effect(&format!("{}::{}", ty.plain(), path.last()))).or(effect);
    effect.is_some_and(|effect| effect.blocks.is_some() || effect.needs.is_some() || effect.refuses.is_some())
}

/// Whether a method is one of what others may change meanwhile.
fn is_shared(models: &Models, path: &Path) -> bool {
    let of = path.segments.len().saturating_sub(1);
    let ty = Path { qself: None, segments: path.segments[..of].to_vec() };
    let own = path.qself.as_ref().and_then(|qself| qself.ty.peel_refs().as_path());
    let kind = crate::world::points::types::model(models, own.unwrap_or(&ty)).and_then(|ty| ty.kind);
    matches!(kind, Some(TypeKind::Lock | TypeKind::Atomic | TypeKind::Cell))
}

/// What a call of a library's function calls of what it is given.
pub(crate) fn methods<'m>(models: &'m Models, path: &Path, plain: &str) -> &'m [String] {
    let first = path.segments.first().map_or("", |segment| &*segment.name);
    if !models.may_have_effect(first, path.last()) {
        return &[];
    }
    let effect = models.effect(plain).or_else(|| models.effect(&of_impl(plain)?));
    effect.and_then(|effect| effect.through.as_deref()).unwrap_or_default()
}
