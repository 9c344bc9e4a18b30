//! What types say about references: whether there may be some in a value, and whether a library's function that is given one gets at anything
//! that others may have.

use robust_models::TypeKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mir::{Path, Ty, TyKind};

use crate::world::actions::guards::holds_guard;
use crate::world::points::points_to::Flow;
use crate::world::points::types::parts;

/// Types that consist of types are looked into this deep; what is deeper may be anything.
const MAX_DEPTH: u32 = 8;

/// What is known of a type.
#[derive(Clone, Copy)]
pub(in crate::world::values) struct Kind {
    /// There may be references in its values.
    pub refers: bool,
    /// References may be put behind those in its values.
    pub nested: bool,
    /// Something may be changed by what is in its values: there is more in them than shared references.
    pub changes: bool,
}

/// What types say about references.
pub(in crate::world::values) struct Types<'f, 'a> {
    flow: &'f Flow<'a>,
    known: FxHashMap<Ty, Kind>,
}

impl<'f, 'a> Types<'f, 'a> {
    pub fn new(flow: &'f Flow<'a>) -> Self {
        Types { flow, known: FxHashMap::default() }
    }

    pub fn of(&mut self, ty: &Ty) -> Kind {
        if let Some(known) = self.known.get(ty) {
            return *known;
        }
        let kind = Kind { refers: self.refers(ty, 0), nested: self.nested(ty), changes: self.changes(ty) };
        self.known.insert(ty.clone(), kind);
        kind
    }

    /// Whether there are references in a value of this type, and nothing can be changed by any of them.
    pub fn is_to_read(&mut self, ty: &Ty) -> bool {
        let kind = self.of(ty);
        kind.refers && !kind.changes
    }

    /// Whether there may be references in a value of this type.
    fn refers(&self, ty: &Ty, depth: u32) -> bool {
        self.any(ty, &mut FxHashSet::default(), depth, &|_, _| None)
    }

    /// Whether there may be references in what references in a value of this type lead to.
    fn nested(&self, ty: &Ty) -> bool {
        self.any(ty, &mut FxHashSet::default(), 0, &|ty, depth| match ty {
            TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } => Some(self.refers(to, depth + 1)),
            // A view borrows what its type arguments are of.
            TyKind::Path(path) if self.owned(ty).is_none() && self.is_view(path) => {
                Some(parts(ty).into_iter().any(|part| self.refers(part, depth + 1)))
            }
            _ => None,
        })
    }

    /// Whether there may be anything but shared references in a value of this type that leads somewhere: behind a shared reference nothing is
    /// changed without asking a lock or a cell. A copy of a box is the compiler's way to what is in it.
    fn changes(&self, ty: &Ty) -> bool {
        self.any(ty, &mut FxHashSet::default(), 0, &|ty, _| match ty {
            TyKind::Ref { mutable, .. } => Some(*mutable),
            TyKind::Path(_) => self.is_unique(ty).then_some(true),
            _ => None,
        })
    }

    /// Whether there may be references in a value of this type; what is behind a trait, in what the value owns, is not known to the one who
    /// has it either.
    pub fn lends(&self, ty: &Ty) -> bool {
        self.any(ty, &mut FxHashSet::default(), 0, &|ty, _| matches!(ty, TyKind::Dyn(_)).then_some(false))
    }

    /// Whether a library that gives this may only lend it, or what it leads to: there may be references in it. What nobody knows has none to
    /// what is known.
    pub fn may_be_lent(&self, ty: &Ty) -> bool {
        self.any(ty, &mut FxHashSet::default(), 0, &|ty, _| self.flow.heap.is_unknown(ty).then_some(false))
    }

    /// Whether whoever has this pointer has alone what it leads to.
    pub fn is_unique(&self, ty: &TyKind) -> bool {
        self.flow.model(ty).is_some_and(|model| model.kind == Some(TypeKind::Pointer) && model.unique)
    }

    /// Whether a library's function that is given this may get at what others have, too, behind what it is given, or what that refers to: by
    /// pointers that are kept there. It knows nothing of what is in types of others.
    pub fn hides(&self, ty: &Ty) -> bool {
        match &**ty {
            TyKind::Ref { to, .. } => self.keeps(to, 0),
            _ => self.keeps(ty, 0),
        }
    }

    fn keeps(&self, ty: &Ty, depth: u32) -> bool {
        let inside = || depth > MAX_DEPTH || parts(ty).into_iter().any(|part| self.keeps(part, depth + 1));
        match &**ty {
            TyKind::Prim(_) | TyKind::Never | TyKind::FnDef(..) | TyKind::FnPtr(_) => false,
            TyKind::Dyn(_) | TyKind::Closure { .. } => false,
            TyKind::Tuple(_) | TyKind::Slice(_) | TyKind::Array(..) => inside(),
            TyKind::Path(path) if path.qself.is_none() && self.flow.code.types.param(ty).is_none() => {
                match self.flow.model(ty) {
                    Some(model) if model.raw || model.holds_pointer => true,
                    Some(model) if model.kind == Some(TypeKind::Pointer) && !model.unique => true,
                    Some(_) => inside(),
                    None if self.flow.code.is_own(ty) => false,
                    None => !self.is_complete(path) || inside(),
                }
            }
            _ => true,
        }
    }

    /// Whether what a library's function does to a value of this type, or one that it refers to, it does to that value, and not to one that
    /// it is a handle of.
    pub fn is_inline(&self, ty: &Ty) -> bool {
        match &**ty {
            TyKind::Ref { to, .. } => self.is_inline(to),
            TyKind::Prim(_) | TyKind::FnDef(..) | TyKind::Closure { .. } => true,
            TyKind::Tuple(_) | TyKind::Slice(_) | TyKind::Array(..) => true,
            TyKind::Path(path) if path.qself.is_none() && self.flow.code.types.param(ty).is_none() => {
                match self.flow.model(ty) {
                    Some(model) if model.raw || model.holds_pointer => false,
                    Some(model) => match model.kind {
                        Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Container | TypeKind::Guard) => true,
                        Some(TypeKind::Pointer) => model.unique,
                        Some(TypeKind::Atomic) => {
                            let numbers = parts(ty).into_iter().all(|part| matches!(**part, TyKind::Prim(_)));
                            self.is_complete(path) && numbers
                        }
                        Some(TypeKind::Handle | TypeKind::Nothing) => false,
                        None => self.is_complete(path),
                    },
                    None => self.flow.code.is_own(ty) || self.is_complete(path),
                }
            }
            _ => false,
        }
    }

    /// Whether something is so of a type, or of one of those that its values own. What is not known to own anything may be anything.
    fn any(
        &self,
        ty: &Ty,
        seen: &mut FxHashSet<Ty>,
        depth: u32,
        is: &dyn Fn(&TyKind, u32) -> Option<bool>,
    ) -> bool {
        if depth > MAX_DEPTH {
            return true;
        }
        if !seen.insert(ty.clone()) {
            return false;
        }
        match &**ty {
            TyKind::Prim(_) | TyKind::Never | TyKind::FnDef(..) | TyKind::FnPtr(_) => false,
            _ => is(ty, depth).unwrap_or_else(|| {
                let owned = self.owned(ty);
                owned.is_none_or(|owned| owned.iter().any(|part| self.any(part, seen, depth + 1, is)))
            }),
        }
    }

    /// The types of what a value of this type owns; none where that is not known, or there are references among it.
    fn owned(&self, ty: &TyKind) -> Option<Vec<Ty>> {
        let parts = || parts(ty).into_iter().cloned().collect();
        match ty {
            TyKind::Tuple(_) | TyKind::Slice(_) | TyKind::Array(..) => Some(parts()),
            TyKind::Path(path) if path.qself.is_none() && self.flow.code.types.param(ty).is_none() => {
                match self.flow.model(ty) {
                    Some(model) if model.raw || model.borrow.is_some() || model.holds_pointer => None,
                    Some(model) => match model.kind {
                        Some(TypeKind::Nothing) => Some(Vec::new()),
                        Some(TypeKind::Guard) => None,
                        Some(TypeKind::Pointer) if !self.is_shared_or_unique(path, model) => None,
                        Some(_) => Some(parts()),
                        None => parts().is_empty().then(Vec::new),
                    },
                    None if self.flow.code.is_own(ty) => {
                        let fields = self.flow.code.field_types(ty)?;
                        Some(fields.into_iter().map(|(_, field)| field).collect())
                    }
                    // A library knows no types of its users, nor references to them, but those that it is told.
                    None => parts().is_empty().then(Vec::new),
                }
            }
            _ => None,
        }
    }

    /// Whether a pointer leads to what is had without asking whether others have it.
    fn is_shared_or_unique(&self, path: &Path, model: &robust_models::Type) -> bool {
        model.unique || model.counted || model.borrow.is_none() && self.is_complete(path)
    }

    /// Whether a type belongs to a library of which all types are known that change through `&`, or lead into those.
    fn is_complete(&self, path: &Path) -> bool {
        path.segments.first().is_some_and(|first| self.flow.models.is_complete(&first.name))
    }

    /// Whether a type that is not known to own what it is made of is known to borrow it.
    fn is_view(&self, path: &Path) -> bool {
        path.qself.is_none() && self.is_complete(path)
    }

    /// Whether a function that is given a value of this type, or a reference to one, gets at nothing but what that owns, or borrows, without
    /// asking a lock, a cell, or nobody knows whom.
    pub fn is_plain(&self, ty: &Ty) -> bool {
        let ty = match &**ty {
            TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } => return self.is_plain(to),
            TyKind::Slice(of) | TyKind::Array(of, _) => return self.leads_nowhere(of, 0),
            TyKind::Tuple(parts) => return parts.iter().all(|part| self.leads_nowhere(part, 0)),
            TyKind::Path(path) if path.qself.is_none() => {
                let known = match self.flow.model(ty) {
                    Some(model) => match model.kind {
                        Some(TypeKind::Container) => !model.raw,
                        Some(TypeKind::Pointer) => !model.raw && self.is_shared_or_unique(path, model),
                        Some(TypeKind::Nothing) => true,
                        Some(_) => false,
                        None => self.is_complete(path) && !model.thread_local,
                    },
                    None => self.flow.code.is_own(ty) || self.is_complete(path),
                };
                if !known {
                    return false;
                }
                ty
            }
            TyKind::Prim(_) | TyKind::Never | TyKind::FnDef(..) | TyKind::FnPtr(_) => return true,
            TyKind::Closure { .. } | TyKind::Coroutine(_) => return true,
            _ => return false,
        };
        !holds_guard(self.flow, ty) && parts(ty).into_iter().all(|part| self.leads_nowhere(part, 0))
    }

    /// Whether a value of this type, in another one, is no guard, nor like one: what is seen through it would be what it guards.
    fn leads_nowhere(&self, ty: &Ty, depth: u32) -> bool {
        if depth > MAX_DEPTH || holds_guard(self.flow, ty) {
            return false;
        }
        let inside = || parts(ty).into_iter().all(|part| self.leads_nowhere(part, depth + 1));
        match &**ty {
            TyKind::Path(path) if path.qself.is_none() => match self.flow.model(ty) {
                Some(model) => match model.kind {
                    Some(TypeKind::Pointer) => self.is_shared_or_unique(path, model) && inside(),
                    // What is in there is had by asking it.
                    Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic) => true,
                    Some(_) => inside(),
                    None => self.is_complete(path) && inside(),
                },
                None => {
                    self.flow.code.is_own(ty) || parts(ty).is_empty() || self.is_complete(path) && inside()
                }
            },
            TyKind::Ptr { .. } | TyKind::Other(_) => false,
            TyKind::Dyn(_) | TyKind::Impl(_) => true,
            _ => inside(),
        }
    }
}
