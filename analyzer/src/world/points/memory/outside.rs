//! What functions that are called from outside are given: one object per type, and one per field behind it.

use std::collections::VecDeque;
use std::rc::Rc;

use robust_models::TypeKind;

use crate::mir::{BodyKind, Path, Ty, TyKind};

use crate::world::api::is_shared_pointer;
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
    for number in parameters(flow, inst) {
        let local = flow.local(inst, number);
        if let Some(ty) = flow.local_ty(inst, number) {
            outside(flow, flow.world_of(inst), (local, ""), &ty, 0);
        }
    }
}

/// The numbers of the parameters that callers fill: a closure or a future brings what it has captured.
fn parameters(flow: &Flow<'_>, inst: InstId) -> std::ops::RangeInclusive<u32> {
    let body = flow.body_of(inst);
    let own = matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. });
    1 + u32::from(own)..=body.arg_count
}

/// As [`outside_arguments`], of a public function: what it takes by value or by exclusive reference the call has to itself,
/// and only what that points to is shared with other calls.
pub(crate) fn public_arguments(flow: &mut Flow<'_>, inst: InstId) {
    let world = flow.world_of(inst);
    for number in parameters(flow, inst) {
        let local = flow.local(inst, number);
        let Some(ty) = flow.local_ty(inst, number) else { continue };
        if flow.code.has_fields(&ty) {
            let shared = object(flow, world, &ty);
            alone_with(flow, world, (shared, local), &ty, Way::begin(&ty.to_string(), 0).to(&ty));
            continue;
        }
        let Some(to) = exclusive(flow, &ty) else {
            outside(flow, world, (local, ""), &ty, 0);
            continue;
        };
        alone_behind(flow, world, local, &to, Way::begin(&to.to_string(), 0));
    }
}

/// What a call has to itself: it shares with others what that points to, unless that is the only pointer there is.
fn alone_with(flow: &mut Flow<'_>, world: u32, (shared, alone): (LocId, LocId), ty: &Ty, way: Way) {
    let goes_on = way.level < MAX_LEVEL && !flow.has_no_room();
    let owner = &**ty;
    // What a library's type wraps is in the same place.
    let fields = flow.code.field_types(owner).filter(|_| goes_on && flow.code.has_fields(owner));
    if let Some(fields) = fields {
        for (field, ty) in fields {
            let part = Part::of(owner, field);
            let way = way.field(&field_name(flow, shared, &part));
            let parts = (flow.heap.child(shared, &part, Some(&ty)), flow.heap.child(alone, &part, Some(&ty)));
            // What is folded, here or further up, was looked at there.
            let is_folded = flow.heap.within(shared).any(|above| above == parts.0)
                && flow.heap.within(alone).any(|above| above == parts.1);
            if !is_folded && !flow.heap.is_data(&ty) {
                alone_with(flow, world, parts, &ty, way);
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
            alone_behind(flow, world, alone, &to, way.deref());
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
        alone_behind(flow, world, pointer, &to, Way::begin(&to.to_string(), 0));
    }
}

/// What the only pointer to it points to.
fn alone_behind(flow: &mut Flow<'_>, world: u32, pointer: LocId, to: &Ty, mut way: Way) {
    let tr = known_by(to);
    if let Some(objects) = tr.and_then(|tr| way.within(tr)) {
        objects.into_iter().for_each(|object| flow.heap.point(pointer, object));
        return;
    }
    let known = tr.map(|tr| flow.code.types_with(tr)).unwrap_or_default();
    way = way.of_any(&known);
    let several = known.len() > 1;
    let types = if known.is_empty() { vec![to.clone()] } else { known };
    let way_to = |way: &Way, ty: &Ty| if several { way.at(ty) } else { way.clone() };
    let object = |flow: &mut Flow<'_>, path: String, ty: &Ty| {
        flow.heap.root(Root::Alone(path, world), || Some(ty.clone()))
    };
    let all: Vec<LocId> = types.iter().map(|ty| object(flow, way_to(&way, ty).path, ty)).collect();
    if let Some(tr) = tr {
        way = way.through(tr, &all);
    }
    for (ty, alone) in types.into_iter().zip(all) {
        let way = way_to(&way, &ty).to(&ty);
        flow.heap.point(pointer, alone);
        if !flow.is_new(alone) {
            continue;
        }
        if flow.code.has_fields(&ty) {
            let shared = self::object(flow, world, &ty);
            alone_with(flow, world, (shared, alone), &ty, way);
        } else {
            let way = if is_shared_pointer(flow, &ty) {
                Way::begin("", 1).to(&ty)
            } else {
                Way { level: 1, ..way }
            };
            spread(flow, world, Reached { loc: alone, ty, way });
        }
    }
}

/// The trait that a value is known by alone.
fn known_by(ty: &Ty) -> Option<&Path> {
    match &**ty {
        TyKind::Dyn(traits) => traits.first(),
        _ => None,
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
        // What a pointer leads to is the same object, whatever leads to the pointer: `&Arc<T>` and `&T` are both to what callers have one of.
        let path = if is_shared_pointer(flow, ty) { "" } else { &path };
        spread(flow, world, Reached { loc: object, ty: ty.clone(), way: Way::begin(path, 1).to(ty) });
    }
    object
}

/// A location that callers have, and its type.
pub(crate) struct Reached {
    loc: LocId,
    ty: Ty,
    way: Way,
}

/// How something is reached from what callers have.
#[derive(Clone)]
struct Way {
    path: String,
    /// How many pointers it is behind.
    level: u32,
    behind: Option<Rc<Behind>>,
    /// The value that it is in a field of, by type, and the field.
    within: Option<(Ty, String)>,
}

/// The values known by a trait alone that something is behind, the next ones first.
struct Behind {
    tr: Path,
    objects: Vec<LocId>,
    above: Option<Rc<Behind>>,
}

impl Way {
    fn begin(path: &str, level: u32) -> Way {
        Way { path: path.to_owned(), level, behind: None, within: None }
    }

    /// The same, at a value of a type.
    fn to(self, ty: &Ty) -> Way {
        Way { within: Some((ty.clone(), String::new())), ..self }
    }

    fn field(&self, name: &str) -> Way {
        let within = self.within.as_ref().map(|(ty, fields)| (ty.clone(), format!("{fields}.{name}")));
        Way { path: format!("{}.{name}", self.path), within, ..self.clone() }
    }

    /// In what wraps it.
    fn inside(&self) -> Way {
        Way { level: self.level + 1, ..self.clone() }
    }

    /// Behind a pointer.
    fn deref(&self) -> Way {
        let within = self.within.as_ref().map(|(ty, fields)| (ty.clone(), format!("{fields}*")));
        Way { path: format!("{}*", self.path), level: self.level + 1, within, behind: self.behind.clone() }
    }

    /// The same for all values of these types that have such a field: of what adds something to another one, whatever adds what.
    fn of_any(self, types: &[Ty]) -> Way {
        match &self.within {
            Some((ty, fields)) if types.len() > 1 && types.contains(ty) => {
                Way { path: fields.clone(), ..self }
            }
            _ => self,
        }
    }

    /// At the object of this type among several.
    fn at(&self, ty: &Ty) -> Way {
        Way { path: format!("{ty}:{}", self.path), ..self.clone() }
    }

    /// The objects behind a trait that this is within, where it is. What is known by its trait alone and has such values in it (what adds
    /// something to another one, what has several of them) leads to ever more otherwise: those in it are taken for those that it is one of.
    fn within(&self, tr: &Path) -> Option<Vec<LocId>> {
        let all = std::iter::successors(self.behind.as_deref(), |behind| behind.above.as_deref());
        all.into_iter().find(|behind| behind.tr == *tr).map(|behind| behind.objects.clone())
    }

    /// The same, of one of these objects.
    fn through(self, tr: &Path, objects: &[LocId]) -> Way {
        let behind = Behind { tr: tr.clone(), objects: objects.to_vec(), above: self.behind };
        Way { behind: Some(Rc::new(behind)), ..self }
    }
}

/// What a location that callers have holds, level by level: what there is too much of is not told apart.
pub(crate) fn outside(flow: &mut Flow<'_>, world: u32, (loc, path): (LocId, &str), ty: &Ty, level: u32) {
    spread(flow, world, Reached { loc, ty: ty.clone(), way: Way::begin(path, level) });
}

fn spread(flow: &mut Flow<'_>, world: u32, reached: Reached) {
    let mut parts = VecDeque::from([reached]);
    let mut left = MAX_PARTS;
    while let Some(part) = parts.pop_front() {
        if part.way.level > MAX_LEVEL {
            continue;
        }
        if left == 0 || flow.has_no_room() {
            flow.not_told_apart();
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
    let (filled, empty): (Vec<_>, Vec<_>) = open.into_iter().partition(|(_, reached)| {
        let targets = flow.heap.targets(reached.loc);
        flow.pointee(&reached.ty).is_none_or(|to| targets.iter().any(|target| may_be(flow, *target, &to)))
    });
    drop(filled);
    for (world, reached) in empty {
        spread(flow, world, reached);
    }
    flow.heap.version != before
}

fn part_of_outside(
    flow: &mut Flow<'_>,
    world: u32,
    Reached { loc, ty, way }: Reached,
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
            if way.path.is_empty() && known.is_some_and(|known| known.unique) {
                // Given away: nobody else has it.
                return;
            }
            if let Some(tr) = known_by(&to) {
                if let Some(objects) = way.within(tr) {
                    objects.into_iter().for_each(|object| flow.heap.point(loc, object));
                    return;
                }
                // One object per type that it may be.
                let types = flow.code.types_with(tr);
                let way = way.deref().of_any(&types);
                let one = |ty: Ty| {
                    let path = way.at(&ty).path;
                    let object = flow.heap.root(Root::Outside(path, world), || Some(ty.clone()));
                    flow.heap.point(loc, object);
                    (object, ty)
                };
                let all: Vec<(LocId, Ty)> = types.into_iter().map(one).collect();
                if !all.is_empty() {
                    let objects: Vec<LocId> = all.iter().map(|(object, _)| *object).collect();
                    let way = way.through(tr, &objects);
                    for (loc, ty) in all.into_iter().filter(|(loc, _)| flow.is_new(*loc)) {
                        open.push_back(Reached { loc, way: way.at(&ty).to(&ty), ty });
                    }
                    return;
                }
            }
            // One object per type of parameter; one per field behind it.
            if way.path.is_empty() {
                let object = object(flow, world, &to);
                flow.heap.point(loc, object);
                return;
            }
            let way = way.deref();
            let object = flow.heap.root(Root::Outside(way.path.clone(), world), || Some(to.clone()));
            flow.heap.point(loc, object);
            open.push_back(Reached { loc: object, ty: to, way });
        }
        Some(TypeKind::Container | TypeKind::Atomic) if flow.model(&ty).is_some_and(|model| model.many) => {
            for part in parts(&ty).into_iter().cloned() {
                for part in components(flow, Reached { loc, ty: part, way: way.inside() }) {
                    let is_pointer = matches!(&*part.ty, TyKind::Path(_))
                        && flow.kind(&part.ty) == Some(TypeKind::Pointer);
                    if is_pointer {
                        flow.collections.push((world, part));
                    } else {
                        open.push_back(part);
                    }
                }
            }
        }
        None if matches!(&*ty, TyKind::Tuple(_)) => {
            open.extend(components(flow, Reached { loc, ty, way }));
        }
        Some(TypeKind::Lock | TypeKind::Container | TypeKind::Cell) | None if !flow.code.has_fields(&ty) => {
            let parts = parts(&ty).into_iter();
            open.extend(parts.map(|part| Reached { loc, ty: part.clone(), way: way.inside() }));
        }
        Some(_) => {}
        None => {
            let owner = ty;
            let Some(fields) = flow.code.field_types(&owner) else { return };
            // What values of two types have in fields of one name is two things.
            let way = if way.path.is_empty() { Way { path: owner.to_string(), ..way } } else { way };
            for (field, ty) in fields {
                let part = Part::of(&owner, field);
                let child = flow.heap.child(loc, &part, Some(&ty));
                // What holds no pointers has nothing behind it.
                if child != loc && !flow.heap.is_data(&ty) {
                    let way = way.field(&field_name(flow, loc, &part));
                    open.push_back(Reached { loc: child, ty, way });
                }
            }
        }
    }
}

/// What a value is made of if it is a tuple, each in a place of its own; else the value.
fn components(flow: &mut Flow<'_>, whole: Reached) -> Vec<Reached> {
    let TyKind::Tuple(parts) = &*whole.ty else { return vec![whole] };
    let mut found = Vec::new();
    for (number, ty) in parts.iter().enumerate() {
        let loc = flow.heap.child(whole.loc, &Part::numbered(number as u32), Some(ty));
        // What holds no pointers has nothing behind it.
        if loc != whole.loc && !flow.heap.is_data(ty) {
            let way = whole.way.field(&number.to_string());
            found.extend(components(flow, Reached { loc, ty: ty.clone(), way }));
        }
    }
    found
}
