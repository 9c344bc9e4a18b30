//! What functions that are called from outside are given: one object per type, and one per field behind it.

use std::collections::VecDeque;

use robust_models::TypeKind;

use crate::mir::{BodyKind, Ty, TyKind};

use crate::world::points::foreign::copy_all;
use crate::world::points::heap::{LocId, Part, Root};
use crate::world::points::names::field_name;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::transfer::may_be;
use crate::world::points::types::parts;

/// Pointers within pointers are followed this deep; fields within fields as deep as locations go.
const MAX_LEVEL: u32 = 4;

/// So many parts of one object are told apart. Types that consist of one another have many more.
const MAX_PARTS: usize = 1 << 12;

/// Binds the parameters of a function that is called from outside to one object per type.
pub(crate) fn outside_arguments(flow: &mut Flow<'_>, inst: InstId) {
    let body = flow.body_of(inst);
    let skip = if matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. }) { 1 } else { 0 };
    for number in skip..body.arg_count {
        let local = flow.local(inst, number + 1);
        if let Some(ty) = flow.local_ty(inst, number + 1) {
            outside(flow, flow.world_of(inst), (local, ""), &ty, 0);
        }
    }
}

/// As [`outside_arguments`], of a public function: what it takes by value or by exclusive reference the call has to itself,
/// and only what that points to is shared with other calls.
pub(crate) fn public_arguments(flow: &mut Flow<'_>, inst: InstId) {
    let body = flow.body_of(inst);
    let world = flow.world_of(inst);
    for number in 1..=body.arg_count {
        let local = flow.local(inst, number);
        let Some(ty) = flow.local_ty(inst, number) else { continue };
        if flow.code.has_fields(&ty) {
            let shared = object(flow, world, &ty);
            alone_with(flow, world, (shared, local, &ty.to_string()), &ty, 0);
            continue;
        }
        let Some(to) = exclusive(flow, &ty) else {
            outside(flow, world, (local, ""), &ty, 0);
            continue;
        };
        alone_behind(flow, world, (local, &to.to_string()), &to, 0);
    }
}

/// What a call has to itself: it shares with others what that points to, unless that is the only pointer there is.
fn alone_with(
    flow: &mut Flow<'_>,
    world: u32,
    (shared, alone, path): (LocId, LocId, &str),
    ty: &Ty,
    level: u32,
) {
    let goes_on = level < MAX_LEVEL && !flow.has_no_room();
    let owner = &**ty;
    let fields = flow.code.field_types(owner).filter(|_| goes_on);
    if let Some(fields) = fields {
        for (field, ty) in fields {
            let part = Part::of(owner, field);
            let path = format!("{path}.{}", field_name(flow, shared, &part));
            let parts = (flow.heap.child(shared, &part, Some(&ty)), flow.heap.child(alone, &part, Some(&ty)));
            if parts != (shared, alone) && !flow.heap.is_data(&ty) {
                alone_with(flow, world, (parts.0, parts.1, &path), &ty, level);
            }
        }
        return;
    }
    match exclusive(flow, ty) {
        Some(to) if goes_on => {
            // Which of all that is known by its traits it is, only whoever made it knows.
            if matches!(*to, TyKind::Dyn(_)) {
                flow.handed.insert((shared, alone));
            }
            alone_behind(flow, world, (alone, &format!("{path}*")), &to, level + 1);
        }
        _ => {
            flow.handed.insert((shared, alone));
            flow.heap.copy(shared, alone);
        }
    }
}

/// What unknown code lends exclusively to what it calls.
pub(crate) fn lent_alone(flow: &mut Flow<'_>, world: u32, pointer: LocId, ty: &Ty) {
    if let Some(to) = exclusive(flow, ty) {
        alone_behind(flow, world, (pointer, &to.to_string()), &to, 0);
    }
}

/// What the only pointer to it points to.
fn alone_behind(flow: &mut Flow<'_>, world: u32, (pointer, path): (LocId, &str), to: &Ty, level: u32) {
    let known = match &**to {
        TyKind::Dyn(traits) => traits.first().map(|tr| flow.code.types_with(tr)).unwrap_or_default(),
        _ => Vec::new(),
    };
    let several = known.len() > 1;
    let types = if known.is_empty() { vec![to.clone()] } else { known };
    for ty in types {
        let path = if several { format!("{ty}:{path}") } else { path.to_owned() };
        let alone = flow.heap.root(Root::Alone(path.clone(), world), || Some(ty.clone()));
        flow.heap.point(pointer, alone);
        if !flow.is_new(alone) {
            continue;
        }
        if flow.code.has_fields(&ty) {
            let shared = object(flow, world, &ty);
            alone_with(flow, world, (shared, alone, &path), &ty, level);
        } else {
            outside(flow, world, (alone, &path), &ty, 1);
        }
    }
}

/// What a type is the only pointer to.
fn exclusive(flow: &Flow<'_>, ty: &Ty) -> Option<Ty> {
    match &**ty {
        TyKind::Ref { mutable, to } => mutable.then(|| to.clone()),
        TyKind::Path(path) if flow.kind(ty) == Some(TypeKind::Container) => {
            exclusive(flow, path.type_args().next()?)
        }
        _ => {
            let unique = flow.model(ty).is_some_and(|model| model.unique);
            flow.pointee(ty).filter(|_| unique)
        }
    }
}

/// The object of a type that callers have.
pub(crate) fn object(flow: &mut Flow<'_>, world: u32, ty: &Ty) -> LocId {
    let path = ty.to_string();
    let object = flow.heap.root(Root::Outside(path.clone(), world), || Some(ty.clone()));
    if flow.is_new(object) {
        outside(flow, world, (object, &path), ty, 1);
    }
    object
}

/// A location, the path that leads to it, its type, and how deep it is.
pub(crate) type Reached = (LocId, String, Ty, u32);

/// What a location that callers have holds, level by level: what there is too much of is not told apart.
pub(crate) fn outside(flow: &mut Flow<'_>, world: u32, (loc, path): (LocId, &str), ty: &Ty, level: u32) {
    let mut parts = VecDeque::from([(loc, path.to_owned(), ty.clone(), level)]);
    let mut left = MAX_PARTS;
    while let Some(part) = parts.pop_front() {
        if part.3 > MAX_LEVEL {
            continue;
        }
        if left == 0 || flow.has_no_room() {
            flow.coarse += 1;
            return;
        }
        left -= 1;
        part_of_outside(flow, world, part, &mut parts);
    }
}

/// What collections hold pointers to that callers have: what the program itself puts there, else one object. Whether there is
/// any such.
pub(crate) fn in_collections(flow: &mut Flow<'_>) -> bool {
    let open = std::mem::take(&mut flow.collections);
    let before = flow.heap.version;
    // All that nothing was put into so far, before it is looked at what that changes.
    let (filled, empty): (Vec<_>, Vec<_>) = open.into_iter().partition(|(_, (loc, _, ty, _))| {
        let targets = flow.heap.targets(*loc);
        flow.pointee(ty).is_none_or(|to| targets.iter().any(|target| may_be(flow, *target, &to)))
    });
    drop(filled);
    for (world, (loc, path, ty, level)) in empty {
        outside(flow, world, (loc, &path), &ty, level);
    }
    flow.heap.version != before
}

fn part_of_outside(
    flow: &mut Flow<'_>,
    world: u32,
    (loc, path, ty, level): Reached,
    open: &mut VecDeque<Reached>,
) {
    if let Some(given) = flow.provided.get(&ty.to_string()).cloned() {
        copy_all(flow, &given.into_iter().collect::<Vec<_>>(), &[loc]);
        return;
    }
    match flow.kind(&ty) {
        Some(TypeKind::Pointer) => {
            let Some(to) = flow.pointee(&ty) else { return };
            if let Some(given) = flow.provided.get(&to.to_string()).cloned() {
                given.into_iter().for_each(|given| flow.heap.point(loc, given));
                return;
            }
            let known = ty.as_path().and_then(|path| crate::world::points::types::model(flow.models, path));
            if path.is_empty() && known.is_some_and(|known| known.unique) {
                // Given away: nobody else has it.
                return;
            }
            if let TyKind::Dyn(traits) = &*to
                && let Some(tr) = traits.first()
            {
                // One object per type that it may be.
                let types = flow.code.types_with(tr);
                for ty in &types {
                    let path = format!("{ty}:{path}*");
                    let object = flow.heap.root(Root::Outside(path.clone(), world), || Some(ty.clone()));
                    flow.heap.point(loc, object);
                    open.push_back((object, path, ty.clone(), level + 1));
                }
                if !types.is_empty() {
                    return;
                }
            }
            // One object per type of parameter; one per field behind it.
            if path.is_empty() {
                let object = object(flow, world, &to);
                flow.heap.point(loc, object);
                return;
            }
            let path = format!("{path}*");
            let object = flow.heap.root(Root::Outside(path.clone(), world), || Some(to.clone()));
            flow.heap.point(loc, object);
            open.push_back((object, path, to, level + 1));
        }
        Some(TypeKind::Container | TypeKind::Atomic) if flow.model(&ty).is_some_and(|model| model.many) => {
            for part in parts(&ty).into_iter().cloned() {
                let pointer =
                    matches!(&*part, TyKind::Path(_)) && flow.kind(&part) == Some(TypeKind::Pointer);
                let part = (loc, path.clone(), part, level + 1);
                if pointer {
                    flow.collections.push((world, part));
                } else {
                    open.push_back(part);
                }
            }
        }
        Some(TypeKind::Lock | TypeKind::Container | TypeKind::Cell) | None if !flow.code.has_fields(&ty) => {
            open.extend(parts(&ty).into_iter().map(|part| (loc, path.clone(), part.clone(), level + 1)));
        }
        Some(_) => {}
        None => {
            let owner = ty;
            let Some(fields) = flow.code.field_types(&owner) else { return };
            for (field, ty) in fields {
                let part = Part::of(&owner, field);
                let child = flow.heap.child(loc, &part, Some(&ty));
                // What holds no pointers has nothing behind it.
                if child != loc && !flow.heap.is_data(&ty) {
                    let path = format!("{path}.{}", field_name(flow, loc, &part));
                    open.push_back((child, path, ty, level));
                }
            }
        }
    }
}
