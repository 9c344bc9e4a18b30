//! Code that is given away for good: to a function of a library that no model knows, which keeps it and runs it when it likes. It
//! owns all that it has captured, and what it ends with does not come out of the call, nor of what the call makes.

use robust_models::TypeKind;

use crate::mir::{Body, BodyKind, Path, Prim, Ty, TyKind};

use crate::world::points::bodies::BodyId;
use crate::world::points::calls::{Held, Site, code_in};
use crate::world::points::heap::{LocId, Value};
use crate::world::points::library::callbacks::{gives_output, is_callable, is_future, is_future_itself};
use crate::world::points::points_to::Flow;
use crate::world::points::served::is_standard_path;
use crate::world::points::types::{Subst, any_part, parts, substitute};

/// What becomes of an argument that is code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GivenAway {
    /// It is called for whatever comes, as often as that comes: once it is done with what came before, or at any time.
    Handler {
        /// One call after the other.
        in_turn: bool,
    },
    /// It runs once.
    Task,
}

/// Whether a function belongs to a library that no model knows: `plain` is its path as text.
pub(super) fn is_unknown(flow: &Flow<'_>, path: &Path, plain: &str) -> bool {
    let tr = path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
    let is_own = tr.map_or_else(|| flow.code.is_local(path), |tr| flow.code.is_own_trait(tr));
    let library = plain.split("::").next().filter(|_| !is_own && !is_standard_path(plain));
    library.is_some_and(|name| !flow.models.is_known_crate(name))
}

/// The arguments of a call of such a function that what it makes has for its handlers, by number: its type says that it has such a
/// value.
pub(super) fn kept_for_handlers(flow: &Flow<'_>, site: &Site) -> Vec<usize> {
    let dest = site.dest.1.as_ref().filter(|dest| flow.code.is_foreign(dest));
    let Some(dest) = dest else { return Vec::new() };
    let kept = |(number, held): (usize, &Held)| {
        let ty = held.1.as_ref()?;
        let value = if flow.kind(ty) == Some(TypeKind::Pointer) { flow.pointee(ty)? } else { ty.clone() };
        let is_own = flow.code.is_own(&value) && flow.code.has_fields(&value);
        (is_own && parts(dest).into_iter().any(|part| part == ty)).then_some(number)
    };
    site.args.iter().enumerate().filter_map(kept).collect()
}

/// The arguments of a call of such a function that are given away, by number.
pub(super) fn arguments(flow: &Flow<'_>, site: &Site) -> Vec<(usize, GivenAway)> {
    let args = site.args.iter().enumerate();
    args.filter_map(|(number, held)| Some((number, given_away(flow, site, held)?))).collect()
}

fn given_away(flow: &Flow<'_>, site: &Site, held: &Held) -> Option<GivenAway> {
    let (locs, Some(ty)) = held else { return None };
    let by_value = !matches!(&**ty, TyKind::Ref { .. });
    if !by_value || !(is_callable(ty) || is_boxed(ty) || is_future(flow, ty)) {
        return None;
    }
    let dest = site.dest.1.as_ref()?;
    let found = code_in(flow, locs, 2);
    let mut kinds = found.iter().map(|(holder, value)| match value {
        Value::Body(id, subst, ..) if owns_all(flow, *holder) => kept(flow, site, (*id, subst), (ty, dest)),
        Value::Fn(path) => {
            let id = flow.code.resolve(path, flow.home_of(site.inst)).into_iter().next()?;
            kept(flow, site, (id, &Subst::default()), (ty, dest))
        }
        _ => None,
    });
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

/// Whether a type is that of boxed code.
fn is_boxed(ty: &TyKind) -> bool {
    matches!(ty, TyKind::Path(path) if matches!(path.last(), "Box" | "Arc" | "Rc")
        && path.type_args().any(|inner| is_callable(inner)))
}

/// Whether code has captured no references: who is given it can keep it.
fn owns_all(flow: &Flow<'_>, holder: LocId) -> bool {
    let borrows = |part: LocId| {
        let ty = flow.heap.get(part).ty.clone();
        ty.is_some_and(
            |ty| matches!(&*ty, TyKind::Ref { to, .. } if !matches!(&**to, TyKind::Prim(Prim::Str))),
        )
    };
    flow.heap.get(holder).children.iter().all(|(_, part)| !borrows(*part))
}

/// What a function does with this code, which it is given as a `ty`, if it keeps it: it gives `dest`.
fn kept(
    flow: &Flow<'_>,
    site: &Site,
    (id, subst): (BodyId, &Subst),
    (ty, dest): (&Ty, &Ty),
) -> Option<GivenAway> {
    let body = flow.code.body(id);
    let is_future = matches!(body.kind, BodyKind::Coroutine { .. });
    let output = substitute(&body.locals.first()?.ty, subst);
    // What holds the code, or a future, runs it where that is run.
    let lazy = any_part(dest, &mut |part| {
        matches!(part, TyKind::Closure { .. } | TyKind::FnDef(..)) || is_future_itself(part)
    });
    if lazy {
        return None;
    }
    if is_future {
        // Nobody who is on an executor waits for a future by blocking.
        let blocks = gives_output(flow, site, id, subst) && !flow.body_of(site.inst).is_future();
        return (!blocks).then_some(GivenAway::Task);
    }
    if !output.is_unit() && any_part(dest, &mut |part| *part == *output) {
        return None;
    }
    let makes_future = any_part(&output, &mut is_future_itself);
    Some(match called_as(ty, body) {
        // Its future is what matters, which handlers have.
        CalledAs::Once if !makes_future => GivenAway::Task,
        by => GivenAway::Handler { in_turn: by == CalledAs::Mut && !makes_future },
    })
}

/// The trait by which code is called: closures have that which is asked for where they are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CalledAs {
    Shared,
    Mut,
    Once,
}

fn called_as(ty: &Ty, body: &Body) -> CalledAs {
    let boxed = ty.as_path().into_iter().flat_map(|path| path.type_args());
    let named = boxed.chain([ty]).find_map(|ty| match &**ty {
        TyKind::Dyn(traits) => traits.iter().find_map(|tr| match tr.last() {
            "Fn" => Some(CalledAs::Shared),
            "FnMut" => Some(CalledAs::Mut),
            "FnOnce" => Some(CalledAs::Once),
            _ => None,
        }),
        _ => None,
    });
    named.unwrap_or_else(|| called_itself(body))
}

/// The same, of what is not boxed.
fn called_itself(body: &Body) -> CalledAs {
    let own = body.locals.get(1).filter(|_| matches!(body.kind, BodyKind::Closure { .. }));
    match own.map(|own| &*own.ty) {
        Some(TyKind::Ref { mutable: true, .. }) => CalledAs::Mut,
        Some(TyKind::Closure { .. }) => CalledAs::Once,
        _ => CalledAs::Shared,
    }
}

/// Whether a closure is called by exclusive reference: its calls come one after the other.
pub(crate) fn takes_turns(body: &Body) -> bool {
    called_itself(body) == CalledAs::Mut
}
