//! Questions about types: what a type is to the heap, substitution, resemblance.

use std::collections::{BTreeMap, BTreeSet};

use robust_models::{Models, TypeKind};
use smallvec::{SmallVec, smallvec};

use crate::mir::{FnSig, GenericArg, Name, Path, QSelf, Segment, Ty, TyKind};

/// What the generic parameters of a function stand for in one of its instances.
pub(crate) type Subst = BTreeMap<Name, Ty>;

/// Names of the crates' own types, which a path of one segment means when there is one; else it is a generic parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeNames(pub BTreeSet<String>);

impl TypeNames {
    /// The parameter's name, if this is one.
    pub fn param<'t>(&self, ty: &'t TyKind) -> Option<&'t Name> {
        ty.maybe_param().filter(|name| !self.0.contains(&***name))
    }
}

/// Deeper types are not substituted: polymorphic recursion would make ever larger ones.
const MAX_DEPTH: usize = 12;
/// Larger types are not learned, for the same reason.
const MAX_SIZE: u32 = 1000;
/// Nor are types of which more than these are within one another: `impl<T: Deref> Client for T` calls itself for what `T` is a
/// reference to, and so on.
const MAX_FOLDS: u32 = 4;

/// What models say of the type with this path.
pub(crate) fn model<'m>(models: &'m Models, path: &Path) -> Option<&'m robust_models::Type> {
    match path.qself {
        Some(_) => models.ty(&path.plain()),
        None => models.type_of(path.segments.iter().map(|segment| &*segment.name)),
    }
}

/// The kind of a type, when models (or the language) say that it is more than data.
pub(crate) fn kind(models: &Models, ty: &TyKind) -> Option<TypeKind> {
    match ty {
        TyKind::Ref { .. } | TyKind::Ptr { .. } => Some(TypeKind::Pointer),
        TyKind::Path(path) if path.qself.is_none() => model(models, path).and_then(|ty| ty.kind),
        _ => None,
    }
}

/// The types a type is made of, at the first level.
pub(crate) fn parts(ty: &TyKind) -> SmallVec<[&Ty; 4]> {
    match ty {
        TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } | TyKind::Slice(to) | TyKind::Array(to, _) => {
            smallvec![to]
        }
        TyKind::Tuple(parts) => parts.iter().collect(),
        TyKind::Path(path) => {
            let args = path.segments.iter().flat_map(|segment| segment.args.iter());
            args.filter_map(|arg| match arg {
                GenericArg::Ty(ty) | GenericArg::Assoc(_, ty) => Some(ty),
                GenericArg::Const(_) => None,
            })
            .collect()
        }
        _ => SmallVec::new(),
    }
}

/// True when the type or one it is made of by value satisfies the predicate.
pub(crate) fn any_part(ty: &TyKind, test: &mut dyn FnMut(&TyKind) -> bool) -> bool {
    fn go(ty: &TyKind, test: &mut dyn FnMut(&TyKind) -> bool, depth: usize) -> bool {
        test(ty) || (depth < MAX_DEPTH && parts(ty).into_iter().any(|part| go(part, test, depth + 1)))
    }
    go(ty, test, 0)
}

/// Puts the instance's types in place of parameters.
pub(crate) fn substitute(ty: &Ty, subst: &Subst) -> Ty {
    if subst.is_empty() { ty.clone() } else { go_ty(ty, subst, 0) }
}

/// As [`substitute`], for a path.
pub(crate) fn substitute_path(path: &Path, subst: &Subst) -> Path {
    if subst.is_empty() { path.clone() } else { go_path(path, subst, 0) }
}

fn go_ty(ty: &Ty, subst: &Subst, depth: usize) -> Ty {
    if depth > MAX_DEPTH {
        return ty.clone();
    }
    if let Some(found) = ty.maybe_param().and_then(|name| subst.get(name)) {
        return found.clone();
    }
    let next = |ty: &Ty| go_ty(ty, subst, depth + 1);
    match &**ty {
        TyKind::Path(path) => Ty::from(TyKind::Path(go_path(path, subst, depth + 1))),
        TyKind::Ref { mutable, to } => Ty::from(TyKind::Ref { mutable: *mutable, to: next(to) }),
        TyKind::Ptr { mutable, to } => Ty::from(TyKind::Ptr { mutable: *mutable, to: next(to) }),
        TyKind::Slice(of) => Ty::from(TyKind::Slice(next(of))),
        TyKind::Array(of, len) => Ty::from(TyKind::Array(next(of), len.clone())),
        TyKind::Tuple(parts) if !parts.is_empty() => {
            Ty::from(TyKind::Tuple(parts.iter().map(next).collect()))
        }
        TyKind::FnDef(sig, path) => {
            Ty::from(TyKind::FnDef(go_sig(sig, subst, depth + 1), go_path(path, subst, depth + 1)))
        }
        TyKind::FnPtr(sig) => Ty::from(TyKind::FnPtr(go_sig(sig, subst, depth + 1))),
        _ => ty.clone(),
    }
}

fn go_sig(sig: &FnSig, subst: &Subst, depth: usize) -> FnSig {
    FnSig {
        inputs: sig.inputs.iter().map(|ty| go_ty(ty, subst, depth)).collect(),
        output: go_ty(&sig.output, subst, depth),
        ..sig.clone()
    }
}

fn go_path(path: &Path, subst: &Subst, depth: usize) -> Path {
    let segment = |segment: &Segment| Segment {
        name: segment.name.clone(),
        args: segment
            .args
            .iter()
            .map(|arg| match arg {
                GenericArg::Ty(ty) => GenericArg::Ty(go_ty(ty, subst, depth)),
                GenericArg::Assoc(name, ty) => GenericArg::Assoc(name.clone(), go_ty(ty, subst, depth)),
                GenericArg::Const(text) => GenericArg::Const(text.clone()),
            })
            .collect(),
    };
    Path {
        qself: path.qself.as_ref().map(|qself| {
            Box::new(QSelf {
                ty: go_ty(&qself.ty, subst, depth),
                tr: qself.tr.as_ref().map(|tr| go_path(tr, subst, depth)),
            })
        }),
        segments: path.segments.iter().map(segment).collect(),
    }
}

/// Notes what a parameter stands for, unless that is known already.
pub(crate) fn know(subst: &mut Subst, name: Name, ty: &Ty) {
    if ty.size() <= MAX_SIZE && folds(ty, ty) <= MAX_FOLDS {
        subst.entry(name).or_insert_with(|| ty.clone());
    }
}

/// How many types of one make are within one another, from a type down to another: five in `&&Option<&&&T>`, where that is of references. What
/// a type is chosen by is within it.
fn folds(of: &TyKind, ty: &TyKind) -> u32 {
    let is_alike = match (of, ty) {
        (TyKind::Path(one), TyKind::Path(other)) => one.last() == other.last(),
        _ => std::mem::discriminant(of) == std::mem::discriminant(ty),
    };
    let chosen_by = ty.as_path().and_then(|path| path.qself.as_ref()).map(|qself| &qself.ty);
    let within = parts(ty).into_iter().chain(chosen_by).map(|part| folds(of, part)).max();
    u32::from(is_alike) + within.unwrap_or_default()
}

/// Learns what parameters in `pattern` stand for when it is the type `concrete`.
pub(crate) fn unify(names: &TypeNames, pattern: &TyKind, concrete: &Ty, subst: &mut Subst) {
    fn go(names: &TypeNames, pattern: &TyKind, concrete: &Ty, subst: &mut Subst, depth: usize) {
        if depth > MAX_DEPTH || *pattern == **concrete {
            return;
        }
        if let Some(name) = names.param(pattern) {
            know(subst, name.clone(), concrete);
            return;
        }
        let (ours, theirs) = (parts(pattern), parts(concrete));
        if std::mem::discriminant(pattern) == std::mem::discriminant(&**concrete)
            && ours.len() == theirs.len()
        {
            for (our, their) in ours.into_iter().zip(theirs) {
                go(names, our, their, subst, depth + 1);
            }
        }
    }
    go(names, pattern, concrete, subst, 0);
}

/// How well a type fits a pattern with parameters, by last path segments (modules are trimmed in some names): `None` when
/// it does not, else the greater the closer.
pub(crate) fn fits(names: &TypeNames, pattern: &TyKind, ty: &TyKind, depth: usize) -> Option<u32> {
    if depth > MAX_DEPTH {
        return Some(0);
    }
    match (pattern, ty) {
        (TyKind::Path(a), TyKind::Path(b)) if a.last() == b.last() => {
            let (ours, theirs) = (parts(pattern), parts(ty));
            if ours.len() != theirs.len() {
                return Some(1);
            }
            let inner = ours.into_iter().zip(theirs).map(|(a, b)| fits(names, a, b, depth + 1));
            inner.sum::<Option<u32>>().map(|sum| sum + 2)
        }
        _ if names.param(pattern).is_some() => Some(0),
        (TyKind::Ref { mutable: a, to: x }, TyKind::Ref { mutable: b, to: y }) if a == b => {
            fits(names, x, y, depth + 1).map(|fit| fit + 1)
        }
        (TyKind::Dyn(a), TyKind::Dyn(b)) => {
            (a.first().map(Path::last) == b.first().map(Path::last)).then_some(2)
        }
        (TyKind::Ref { .. } | TyKind::Path(_) | TyKind::Dyn(_), _) => None,
        (a, b) if std::mem::discriminant(a) == std::mem::discriminant(b) => {
            let (ours, theirs) = (parts(a), parts(b));
            if ours.is_empty() && theirs.is_empty() {
                return (a == b).then_some(2);
            }
            if ours.len() != theirs.len() {
                return None;
            }
            let inner = ours.into_iter().zip(theirs).map(|(a, b)| fits(names, a, b, depth + 1));
            inner.sum::<Option<u32>>().map(|sum| sum + 1)
        }
        _ => None,
    }
}

/// Names of the types without parts that a type is made of; `None` stands for anything (parameters, opaque and `dyn`).
fn leaves(ty: &TyKind) -> Option<SmallVec<[&str; 8]>> {
    fn go<'t>(ty: &'t TyKind, out: &mut SmallVec<[&'t str; 8]>, depth: usize) -> bool {
        if depth > MAX_DEPTH || out.len() > 40 {
            return false;
        }
        match ty {
            TyKind::Prim(prim) => out.push(prim.as_str()),
            TyKind::Path(path)
                if path.qself.is_some() || ty.maybe_param().is_some_and(|name| name.len() == 1) =>
            {
                return false;
            }
            TyKind::Path(path) => {
                out.push(path.last());
                return parts(ty).into_iter().all(|part| go(part, out, depth + 1));
            }
            TyKind::Tuple(_)
            | TyKind::Ref { .. }
            | TyKind::Ptr { .. }
            | TyKind::Slice(_)
            | TyKind::Array(..) => {
                return parts(ty).into_iter().all(|part| go(part, out, depth + 1));
            }
            TyKind::Never => {}
            _ => return false,
        }
        true
    }
    let mut out = SmallVec::new();
    go(ty, &mut out, 0).then_some(out)
}

/// Whether something in a value of type `b` may end up in a value of type `a`.
pub(crate) fn related(a: &TyKind, b: &TyKind) -> bool {
    match (leaves(a), leaves(b)) {
        (Some(a), Some(b)) => a.iter().any(|name| b.contains(name)),
        _ => true,
    }
}

/// Whether a value of this type may hold pointers or code at all.
pub(crate) fn carries(ty: &TyKind) -> bool {
    match ty {
        TyKind::Prim(_) | TyKind::Never => false,
        TyKind::Tuple(parts) => parts.iter().any(|part| carries(part)),
        TyKind::Slice(of) | TyKind::Array(of, _) => carries(of),
        TyKind::Path(path) => !path.is("std::string::String"),
        _ => true,
    }
}
