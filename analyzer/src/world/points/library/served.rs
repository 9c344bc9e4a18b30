//! What libraries are given to call: values of types of the crates' own that implement a library's trait. Who hands such a value
//! over to a library's function has its methods called, by whom and when the library likes: a service, a message handler, a
//! language server. The traits of the standard library are no such thing; what is done with them is seen.

use std::collections::BTreeSet;
use std::rc::Rc;

use robust_models::{Models, TypeKind};

use crate::mir::{Body, BodyKind, Path, Ty, TyKind};

use crate::world::points::bodies::{BodyId, Code};
use crate::world::points::calls::Site;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::{any_part, parts};

/// Types within types are looked at this deep.
const MAX_DEPTH: u32 = 4;

/// Methods that libraries call on what they are given, and the types that have them.
#[derive(Debug, Default)]
pub(crate) struct Served {
    /// Names of the types.
    types: BTreeSet<String>,
    methods: BTreeSet<BodyId>,
}

/// How libraries come to have values of a type.
#[derive(Debug, Default)]
pub(crate) struct HandedOver {
    /// The place where they call its methods, if a model says so.
    pub place: Option<Rc<str>>,
    /// The calls that hand such a value over.
    pub sites: BTreeSet<(InstId, u32)>,
    /// Something that they call returns one.
    pub is_returned: bool,
}

impl Served {
    /// Of all implementations.
    pub fn find(code: &Code<'_>, models: &Models) -> Served {
        let clones = code.implementors(|tr| tr.last() == "Clone");
        let mut served = Served::default();
        for (number, body) in code.bodies.iter().enumerate() {
            if let Some(ty) = served_type(code, models, body, &clones) {
                served.types.insert(ty.to_owned());
                served.methods.insert(BodyId(number as u32));
            }
        }
        served
    }

    /// Whether a library may call a function as a method of what it is given.
    pub fn has(&self, id: BodyId) -> bool {
        self.methods.contains(&id)
    }

    /// The values of such types in what is given away, with their types.
    fn within(&self, flow: &Flow<'_>, locs: &[LocId], ty: &Ty, depth: u32, found: &mut Vec<(LocId, Ty)>) {
        if depth > MAX_DEPTH {
            return;
        }
        if flow.kind(ty) == Some(TypeKind::Pointer) {
            let Some(to) = flow.pointee(ty) else { return };
            self.within(flow, &flow.heap.behind(locs), &to, depth + 1, found);
        } else if ty.as_path().is_some_and(|path| self.types.contains(path.last()))
            && flow.code.has_fields(ty)
        {
            found.extend(locs.iter().map(|loc| (*loc, ty.clone())));
        } else {
            parts(ty).into_iter().for_each(|part| self.within(flow, locs, part, depth + 1, found));
        }
    }
}

/// The type whose method a library calls this function as. By exclusive reference it can be called while others are only on
/// clones.
fn served_type<'b>(
    code: &Code<'_>,
    models: &Models,
    body: &'b Body,
    clones: &BTreeSet<String>,
) -> Option<&'b str> {
    let qself = body.path.qself.as_ref().filter(|_| matches!(body.kind, BodyKind::Fn))?;
    let name = qself.ty.as_path().filter(|_| code.is_own(&qself.ty))?.last();
    qself.tr.as_ref().filter(|tr| !code.is_own_trait(tr) && !is_standard(models, tr))?;
    let is_method = body.locals.get(1).is_some_and(|local| local.name.as_deref() == Some("self"));
    let receiver = body.inputs().next().filter(|_| is_method)?;
    let alone = !matches!(&**receiver, TyKind::Ref { mutable: false, .. });
    let sole = alone && !clones.contains(name);
    (!sole).then_some(name)
}

fn is_standard(models: &Models, tr: &Path) -> bool {
    let plain = tr.plain();
    is_standard_path(&plain) || models.tr(&plain).is_some_and(|(name, _)| is_standard_path(name))
}

/// Whether a whole path is one of the standard library.
pub(crate) fn is_standard_path(path: &str) -> bool {
    ["std::", "core::", "alloc::"].iter().any(|own| path.starts_with(own))
}

/// Notes what a library's function is given of which it may call methods, at this place.
pub(crate) fn given(flow: &mut Flow<'_>, site: &Site, place: Option<&str>) {
    if flow.served.types.is_empty() {
        return;
    }
    let mut found = Vec::new();
    for (locs, ty) in &site.args {
        if let Some(ty) = ty {
            flow.served.within(flow, locs, ty, 0, &mut found);
        }
    }
    // What a function that it is given makes, it has as well.
    let callees = flow
        .calls
        .get(&(site.inst, site.block))
        .map_or_else(Vec::new, |info| info.callees.iter().copied().collect());
    for callee in callees {
        let result = flow.local(callee, 0);
        if let Some(ty) = flow.local_ty(callee, 0) {
            flow.served.within(flow, &[result], &ty, 0, &mut found);
        }
    }
    for (loc, ty) in found {
        flow.provided.entry(ty.to_string()).or_default().insert(loc);
        hand_over(flow, &ty, place.map(Rc::from)).sites.insert((site.inst, site.block));
    }
}

/// Notes that a library has values of a type. Where two have some, the one decides of which it is known where it calls them.
fn hand_over<'f>(flow: &'f mut Flow<'_>, ty: &TyKind, place: Option<Rc<str>>) -> &'f mut HandedOver {
    let name = ty.as_path().map_or_else(String::new, |path| path.last().to_owned());
    let known = flow.handed_over.entry(name).or_default();
    known.place = known.place.take().or(place);
    known
}

/// Notes what a method returns that a library calls: it has that as well, and calls it at the same place.
pub(crate) fn returned(flow: &mut Flow<'_>, id: BodyId, place: Option<&Rc<str>>) {
    let code = flow.code;
    let Some(result) = code.body(id).locals.first() else { return };
    let mut found = Vec::new();
    any_part(&result.ty, &mut |part| {
        let is_served = part.as_path().is_some_and(|path| flow.served.types.contains(path.last()));
        found.extend((is_served && code.has_fields(part)).then(|| part.clone()));
        false
    });
    found.iter().for_each(|ty| hand_over(flow, ty, place.cloned()).is_returned = true);
}
