//! Which variant of an enum of the program a local is: what a function tells its caller, and what the ways through a body have made of one local.

use std::collections::BTreeSet;

use crate::mir::{Body, Local, Name, Place, Rvalue, TyKind};

use crate::world::actions::optional::Definitions;
use crate::world::actions::outcome;
use crate::world::points::aggregates::variant_made;
use crate::world::points::points_to::{Flow, InstId};

/// The variants of a type, if it is an enum of the program.
pub(crate) fn variants<'f>(flow: &'f Flow<'_>, ty: &TyKind) -> Option<&'f [(Name, i128)]> {
    flow.code.variants(ty).filter(|variants| variants.len() > 1)
}

/// Whether a local holds an enum of the program.
pub(crate) fn is_enum(flow: &Flow<'_>, inst: InstId, local: Local) -> bool {
    let decl = flow.body_of(inst).locals.get(local.0 as usize);
    decl.is_some_and(|decl| variants(flow, &decl.ty).is_some())
}

/// Whether an instance returns an enum, and says which variant somewhere.
pub(crate) fn tells(flow: &Flow<'_>, inst: InstId) -> bool {
    is_enum(flow, inst, Local::RETURN) && Enums::find(flow, inst).contains(Local::RETURN)
}

/// Locals of a body of which it is followed which variant they are.
#[derive(Default)]
pub(crate) struct Enums {
    locals: BTreeSet<Local>,
}

impl Enums {
    /// What is returned, and what is made in several places: as wholes only, and never lent to be changed.
    pub fn find(flow: &Flow<'_>, inst: InstId) -> Self {
        let body = flow.body_of(inst);
        if !(0..body.locals.len() as u32).any(|local| is_enum(flow, inst, Local(local))) {
            return Enums::default();
        }
        let definitions = Definitions::of(body);
        let says = |(local, made): &(&Local, &Vec<&Rvalue>)| {
            let Some(variants) = variants(flow, &body.locals[local.0 as usize].ty) else { return false };
            made.iter().any(|made| variant_made(variants, outcome::source(body, made)).is_some())
        };
        let said = definitions.made.iter().filter(says).map(|(local, _)| *local);
        let several = |local: &Local| {
            *local == Local::RETURN || definitions.count.get(local).is_some_and(|count| *count > 1)
        };
        let is_changed = |local: &Local| {
            let Definitions { changed, lent, borrowed, .. } = &definitions;
            [changed, lent, borrowed].into_iter().any(|all| all.contains(local))
        };
        Enums { locals: said.filter(|local| several(local) && !is_changed(local)).collect() }
    }

    /// Whether it is followed which variant a local is.
    pub fn contains(&self, local: Local) -> bool {
        self.locals.contains(&local)
    }

    /// The local of which an assignment says which variant it is; `None`: not known.
    pub fn set_by(
        &self,
        flow: &Flow<'_>,
        body: &Body,
        place: &Place,
        rvalue: &Rvalue,
    ) -> Option<(Local, Option<i128>)> {
        let local = place.as_local().filter(|local| self.contains(*local))?;
        let variants = variants(flow, &body.locals[local.0 as usize].ty)?;
        Some((local, variant_made(variants, outcome::source(body, rvalue))))
    }
}
