//! Which object a method is called on: instances are told apart by it, so that what a method locks and what it then touches
//! belong to the same object.
//!
//! This is object sensitivity (Milanova, Rountev, Ryder, ISSTA 2002), beside the call sites that tell instances apart anyway.

use crate::mir::{BodyKind, Operand, Ty, TyKind};

use robust_models::TypeKind;

use crate::world::points::aggregates::is_option;
use crate::world::points::bodies::BodyId;
use crate::world::points::calls::Held;
use crate::world::points::heap::{LocId, Part, Root};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{Subst, substitute};

/// A call on more objects than this is one call.
const OBJECTS: usize = 4;
/// How long a chain of objects is: one that a method of the next one made.
const CHAIN: u32 = 1;
/// Types of parts are looked into this deep.
const LENT: u32 = 4;

/// The method that made a closure or a future.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Maker {
    /// What the method was called on.
    pub object: LocId,
    /// The capture that is the pointer to it.
    pub field: Option<u32>,
}

impl Maker {
    /// The maker of what an instance makes with these captures; none when it is no method of a known object.
    pub fn new(flow: &Flow<'_>, inst: InstId, captures: &[Operand]) -> Option<Maker> {
        let object = flow.instances[inst.0 as usize].of?;
        let is_function = matches!(flow.body_of(inst).kind, BodyKind::Fn);
        let receiver = |capture: &Operand| match capture {
            Operand::Copy(place) | Operand::Move(place) => place.as_local().is_some_and(|local| local.0 == 1),
            Operand::Const(_) => false,
        };
        let field = captures.iter().position(receiver).filter(|_| is_function);
        Some(Maker { object, field: field.map(|number| number as u32) })
    }
}

/// What a body is about that was made by `maker` and is called by `caller`: whoever is not called on an object works for the
/// one that its caller is about.
pub(crate) fn of(flow: &Flow<'_>, maker: Option<Maker>, caller: InstId) -> Option<LocId> {
    maker.map(|maker| maker.object).or(flow.instances[caller.0 as usize].of)
}

/// What tells a body that is called there on this object from others of it.
pub(crate) fn context(
    flow: &Flow<'_>,
    (inst, block): (InstId, u32),
    (id, subst): (BodyId, &Subst),
    of: Option<LocId>,
) -> Vec<(BodyId, u32)> {
    match of.is_some() && flow.is_getting_scarce() && tells_apart(flow, id, subst) {
        true => Vec::new(),
        false => flow.context_of(inst, block, id),
    }
}

/// Whether the object that a method is called on tells all its calls apart: it is given nothing else that leads anywhere, and makes
/// nothing that could be told by who had it made. Who calls it makes no difference then to what points where; which of its looks is whose
/// is not told any more, so it counts where room is getting scarce only.
fn tells_apart(flow: &Flow<'_>, id: BodyId, subst: &Subst) -> bool {
    let body = flow.code.body(id);
    let Some((output, inputs)) = body.locals.split_first() else { return false };
    let mut others = inputs.iter().take(body.arg_count as usize).skip(1);
    others.all(|decl| flow.heap.is_data(&substitute(&decl.ty, subst)))
        && lends(flow, &substitute(&output.ty, subst), 0)
}

/// Whether values of a type are nothing but references, and data.
fn lends(flow: &Flow<'_>, ty: &Ty, depth: u32) -> bool {
    let within = |part: &Ty| lends(flow, part, depth + 1);
    match &**ty {
        _ if flow.heap.is_data(ty) => true,
        _ if depth > LENT => false,
        TyKind::Ref { .. } => true,
        TyKind::Tuple(parts) => parts.iter().all(within),
        TyKind::Path(path) if is_option(ty) => path.type_args().all(within),
        TyKind::Path(_) if flow.code.has_fields(ty) => {
            let fields = flow.code.field_types(ty);
            fields.is_some_and(|fields| fields.iter().all(|(_, ty)| within(ty)))
        }
        _ => false,
    }
}

/// The instance that names what is allocated in this one. A method of an object from outside allocates the same for whoever
/// calls it: what is made when it is first needed is the same one for all. Where room is scarce, a function allocates the same
/// whoever calls it.
pub(crate) fn allocator(flow: &Flow<'_>, inst: InstId) -> InstId {
    let instance = &flow.instances[inst.0 as usize];
    if !flow.tells_objects_apart() {
        return flow.first_of_body.get(&(instance.world, instance.body)).copied().unwrap_or(inst);
    }
    match instance.of {
        Some(of) if matches!(*flow.heap.get(of).root, Root::Outside(..)) => {
            flow.first.get(&instance.for_all()).copied().unwrap_or(inst)
        }
        _ => inst,
    }
}

/// The objects that a call is about.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    /// Those that are told apart.
    apart: Vec<LocId>,
    /// Whether there are others.
    others: bool,
}

impl Objects {
    /// Whether the call about `of` is the one that is about the object `to`.
    pub fn is_meant(&self, of: Option<LocId>, to: LocId) -> bool {
        match of {
            Some(of) => of == to,
            None => !self.apart.contains(&to),
        }
    }
}

/// The calls that one call stands for.
pub(crate) fn each(objects: &Objects) -> impl Iterator<Item = Option<LocId>> + use<> {
    let others = objects.others.then_some(None);
    objects.apart.clone().into_iter().map(Some).chain(others)
}

/// The objects that a call with this first argument is about, of those that are meant.
pub(crate) fn of_call(flow: &Flow<'_>, receiver: Option<&Held>, is_meant: impl Fn(LocId) -> bool) -> Objects {
    let none = Objects { apart: Vec::new(), others: true };
    let Some((locs, Some(ty))) = receiver else { return none };
    if flow.kind(ty) != Some(TypeKind::Pointer) || is_code(ty) {
        return none;
    }
    let mut targets = flow.heap.behind(locs);
    targets.retain(|target| is_meant(*target));
    targets.sort_unstable();
    targets.dedup();
    let (apart, others): (Vec<LocId>, Vec<LocId>) =
        targets.into_iter().partition(|target| chain(flow, *target).is_some_and(|length| length <= CHAIN));
    if apart.len() > OBJECTS {
        return none;
    }
    let others = !others.is_empty() || apart.is_empty();
    Objects { apart, others }
}

fn is_code(ty: &TyKind) -> bool {
    matches!(
        ty.peel_refs(),
        TyKind::Closure { .. } | TyKind::Coroutine(_) | TyKind::FnDef(..) | TyKind::FnPtr(_)
    )
}

/// How many objects made one another, this one last; none for what is no object but a variable.
fn chain(flow: &Flow<'_>, object: LocId) -> Option<u32> {
    match &*flow.heap.get(object).root {
        Root::Outside(..) | Root::Alone(..) | Root::Static(..) => Some(0),
        Root::Heap(inst, _) => match flow.instances[inst.0 as usize].of {
            None => Some(0),
            Some(maker) => Some(1 + chain(flow, maker)?),
        },
        Root::Local(..) | Root::Item(..) | Root::ThreadLocal(_) => None,
    }
}

/// Copies captures: of the pointer to the object, only the pointer to the one it was made by.
pub(crate) fn copy_captures(flow: &mut Flow<'_>, from: LocId, to: LocId, maker: Maker) {
    let part = maker.field.map(Part::numbered);
    flow.heap.copy_but(from, to, part.as_ref());
    let Some((part, child)) = part.and_then(|part| {
        let child = *flow.heap.get(from).children.get(&part)?;
        Some((part, child))
    }) else {
        return;
    };
    let ty = flow.heap.get(child).ty.clone();
    let into = flow.heap.child(to, &part, ty.as_ref());
    let only = flow.heap.get(child).points_to.contains(&maker.object);
    if into != to {
        flow.heap.copy_some(child, into, |target| !only || target == maker.object);
    }
}
