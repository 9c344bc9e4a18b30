//! What a copy to a location carries along, judged by the location's type.
//!
//! A location stands for all that any value there may hold, and wrappers share it with what they wrap. So a copy that is made in doubt
//! (what a future gives may come from anywhere in it) would put the fields of one type among those of another, and pointers where
//! there are numbers. They are never read there as what they are, and only grow.

use std::cell::RefCell;
use std::collections::BTreeSet;

use robust_models::{Models, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mir::{Name, Path, Prim, Ty, TyKind};

use crate::world::points::bodies::Code;
use crate::world::points::heap::{HOLDERS, INNER, Part, Value};
use crate::world::points::transfer::{RESULTS, may_hold_code};
use crate::world::points::types::{any_part, carries, kind, model, parts};

/// What may be in a location of some type, beside fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holds {
    /// Pointers that are not those of a field.
    pointers: bool,
    /// Pointers, be it those of a field.
    any_pointers: bool,
    /// Closures, futures and function items.
    code: bool,
}

impl Holds {
    /// Whether pointers may go there, rather than into fields: of what lies deepest, these are not told apart.
    pub fn points(self, is_deepest: bool) -> bool {
        self.pointers || is_deepest && self.any_pointers
    }

    /// Whether there are no pointers, be it in fields.
    pub fn is_data(self) -> bool {
        !self.any_pointers
    }

    /// Whether this value may. What stands for a wait, or for a number, may be anywhere.
    pub fn value(self, value: &Value) -> bool {
        self.code || !matches!(value, Value::Body(..) | Value::Fn(_))
    }
}

/// Judges copies.
pub(crate) struct Passages<'a> {
    code: &'a Code<'a>,
    models: &'a Models,
    /// Names of the types that are something to be told.
    told: BTreeSet<String>,
    holds: RefCell<FxHashMap<Ty, Holds>>,
    /// By type of the location, and by owner of the part.
    parts: RefCell<FxHashMap<(Ty, Name), bool>>,
}

impl<'a> Passages<'a> {
    pub fn new(code: &'a Code<'a>, models: &'a Models) -> Self {
        let told = code.implementors(|tr| tells(models, tr));
        Passages { code, models, told, holds: RefCell::default(), parts: RefCell::default() }
    }

    /// What may be in a location of this type: anything, where it is not known.
    pub fn holds(&self, to: Option<&Ty>) -> Holds {
        let Some(to) = to else { return Holds { pointers: true, any_pointers: true, code: true } };
        if let Some(known) = self.holds.borrow().get(to) {
            return *known;
        }
        let any_pointers = !self.is_data(to);
        let pointers = any_pointers && self.may_point(to);
        let holds =
            Holds { pointers, any_pointers, code: may_hold_code(self.models, to) || self.is_parameter(to) };
        self.holds.borrow_mut().insert(to.clone(), holds);
        holds
    }

    /// Whether a location of this type may have this part: some value that may be there is of its owner's type.
    pub fn has(&self, to: Option<&Ty>, part: &Part) -> bool {
        let Some(to) = to.filter(|_| ![INNER, HOLDERS, RESULTS].contains(&&*part.owner)) else { return true };
        let key = (to.clone(), part.owner.clone());
        if let Some(known) = self.parts.borrow().get(&key) {
            return *known;
        }
        let is_one = |of: &TyKind| self.is_anything(of) || self.is_owner(of, &part.owner);
        // Code goes where the box that it is in goes, and what it has captured goes with it.
        let has = match part.owner.is_empty() {
            true => any_part(to, &mut |of| is_one(of)),
            false => self.has_by_value(to, &is_one),
        };
        self.parts.borrow_mut().insert(key, has);
        has
    }

    /// Whether a field of a type has a location of its own. Of a struct of another crate those have that are locks, atomics or cells and that these
    /// crates name: what else is in there, which its own crate may put anywhere, is not told apart.
    pub fn tells_apart(&self, owner: &TyKind, field: &TyKind) -> bool {
        let own_place =
            || matches!(kind(self.models, field), Some(TypeKind::Lock | TypeKind::Atomic | TypeKind::Cell));
        self.code.has_fields(owner) || self.is_open_to_others(owner) && own_place()
    }

    /// Whether a type is one of another crate of which nothing is known but what these crates do with its fields.
    fn is_open_to_others(&self, ty: &TyKind) -> bool {
        let unknown = |path: &Path| path.qself.is_none() && model(self.models, path).is_none();
        self.code.is_foreign(ty) && ty.as_path().is_some_and(unknown)
    }

    fn is_owner(&self, ty: &TyKind, owner: &Name) -> bool {
        match ty {
            TyKind::Path(path) => {
                path.last() == &**owner && (self.code.has_fields(ty) || self.is_open_to_others(ty))
            }
            _ => owner.is_empty() && self.code.has_fields(ty),
        }
    }

    /// Whether values of a type hold no pointers. A number of a pointer's size may be one.
    fn is_data(&self, ty: &TyKind) -> bool {
        match ty {
            TyKind::Prim(prim) => !matches!(prim.as_str(), "usize" | "isize"),
            TyKind::Path(path) if path.qself.is_some() => false,
            TyKind::Path(_) if self.code.has_fields(ty) => self.is_inert(ty, &mut FxHashSet::default()),
            _ if self.is_pointer(ty) => self.is_told(ty, &mut FxHashSet::default()),
            TyKind::Path(path) if parts(ty).is_empty() => {
                !carries(ty) || path.segments.len() > 1 && model(self.models, path).is_none()
            }
            // A view of numbers, an iterator, holds pointers.
            TyKind::Path(path) => {
                model(self.models, path).is_some_and(wraps)
                    && parts(ty).into_iter().all(|part| self.is_data(part))
            }
            TyKind::Tuple(parts) => parts.iter().all(|part| self.is_data(part)),
            TyKind::Slice(of) | TyKind::Array(of, _) => self.is_data(of),
            _ => false,
        }
    }

    /// Whether values of a type are only told of, or are data: nothing in them is changed by one who shares them, no code is in them, and
    /// all that they point to is something to be told, and as inert as they are. Errors are, whose causes are errors: what any of
    /// them may have as its cause is any of them, and there are more ways through these than can be told apart. What is being asked about
    /// is taken for inert within itself.
    fn is_inert(&self, ty: &TyKind, asked: &mut FxHashSet<TyKind>) -> bool {
        let text =
            |pointer: &TyKind| parts(pointer).first().is_some_and(|to| ***to == TyKind::Prim(Prim::Str));
        match ty {
            TyKind::Prim(_) | TyKind::Never => true,
            TyKind::Tuple(_) | TyKind::Slice(_) | TyKind::Array(..) => {
                parts(ty).into_iter().all(|part| self.is_inert(part, asked))
            }
            _ if self.is_pointer(ty) => text(ty) || self.is_told(ty, asked),
            TyKind::Path(_) if self.is_chosen(ty) => false,
            TyKind::Path(path) if self.code.has_fields(ty) => {
                let fields = self.code.field_types(ty).unwrap_or_default();
                !self.code.droppers.contains(path.last())
                    && (!asked.insert(ty.clone())
                        || fields.iter().all(|(_, field)| self.is_inert(field, asked)))
            }
            TyKind::Path(_) if parts(ty).is_empty() => self.is_data(ty),
            TyKind::Path(path) => {
                model(self.models, path).is_some_and(wraps)
                    && parts(ty).into_iter().all(|part| self.is_inert(part, asked))
            }
            _ => false,
        }
    }

    /// Whether a pointer is to something to be told: of which nothing else is known, or that is inert and shared by all who have such
    /// pointers, so that nobody changes it. What is borrowed, or had alone, may be what a lock guards.
    fn is_told(&self, pointer: &TyKind, asked: &mut FxHashSet<TyKind>) -> bool {
        match parts(pointer).first().map(|to| &***to) {
            Some(TyKind::Dyn(traits)) => traits.iter().any(|tr| tells(self.models, tr)),
            Some(to @ TyKind::Path(path)) if self.code.has_fields(to) => {
                let counted = pointer.as_path().and_then(|path| model(self.models, path));
                counted.is_some_and(|model| model.counted)
                    && self.told.contains(path.last())
                    && self.is_inert(to, asked)
            }
            _ => false,
        }
    }

    fn is_pointer(&self, ty: &TyKind) -> bool {
        kind(self.models, ty) == Some(TypeKind::Pointer)
    }

    /// Whether a location of a type may hold pointers itself: those of a value with fields are in its fields.
    fn may_point(&self, ty: &TyKind) -> bool {
        match ty {
            // What closures and futures of libraries hold is not told apart.
            TyKind::Closure { .. } | TyKind::Coroutine(_) => true,
            TyKind::Path(path) if !self.code.has_fields(ty) => match model(self.models, path) {
                Some(model) if wraps(model) => parts(ty).into_iter().any(|part| self.may_point(part)),
                _ => true,
            },
            TyKind::Slice(of) | TyKind::Array(of, _) => self.may_point(of),
            _ => !self.code.has_fields(ty),
        }
    }

    /// Whether it is not known what values of a type are, be they in something that wraps them.
    pub fn is_unknown(&self, ty: &TyKind) -> bool {
        match ty {
            TyKind::Impl(_) | TyKind::Other(_) | TyKind::Dyn(_) => true,
            TyKind::Path(_) if self.is_chosen(ty) => true,
            TyKind::Path(path) if !self.code.has_fields(ty) => {
                model(self.models, path).is_some_and(wraps)
                    && parts(ty).into_iter().any(|part| self.is_unknown(part))
            }
            TyKind::Slice(of) | TyKind::Array(of, _) => self.is_unknown(of),
            _ => false,
        }
    }

    /// Whether whoever uses a type chooses it.
    fn is_chosen(&self, ty: &TyKind) -> bool {
        ty.as_path().is_some_and(|path| path.qself.is_some()) || self.code.types.param(ty).is_some()
    }

    /// Whether a part of a type is chosen by whoever uses it.
    fn is_parameter(&self, ty: &TyKind) -> bool {
        any_part(ty, &mut |part| self.is_chosen(part))
    }

    /// Whether values of a type may be of any type.
    fn is_anything(&self, ty: &TyKind) -> bool {
        matches!(ty, TyKind::Impl(_) | TyKind::Other(_) | TyKind::Dyn(_)) || self.is_chosen(ty)
    }

    /// Whether one is such a type that may be in a location of a type: what a pointer points to is elsewhere, but what a type of a library is made of
    /// that no model knows may be there itself, or behind a pointer that it holds.
    fn has_by_value(&self, ty: &TyKind, is_one: &dyn Fn(&TyKind) -> bool) -> bool {
        let is_unknown = |path: &Path| !self.code.has_fields(ty) && model(self.models, path).is_none();
        is_one(ty)
            || match ty {
                _ if self.is_pointer(ty) => false,
                TyKind::Path(path) if is_unknown(path) => any_part(ty, &mut |part| is_one(part)),
                _ => parts(ty).into_iter().any(|part| self.has_by_value(part, is_one)),
            }
    }
}

/// Whether what implements a trait is something to be told.
fn tells(models: &Models, tr: &Path) -> bool {
    models.tr(&tr.plain()).is_some_and(|(_, tr)| tr.told)
}

/// Whether a type holds nothing but values of the types that it is made of.
fn wraps(model: &robust_models::Type) -> bool {
    model.kind == Some(TypeKind::Container) && !model.holds_pointer
}
