//! What a function decides once, and goes by several times: `let enough = left >= n; if enough { left -= n }; enough`.

use std::collections::{BTreeMap, BTreeSet};

use crate::mir::{Body, Local, Operand, Place, Rvalue, TerminatorKind};
use crate::world::points::aggregates::only_definition;
use crate::world::values::components::is_lent;

/// So often a truth value is copied, or turned round, before somebody goes by it.
const MOST_COPIES: usize = 6;

/// Comparisons that several branches go by, be it of whoever is told the outcome.
pub(crate) fn comparisons(body: &Body) -> BTreeSet<Local> {
    let asked = switches(body).chain([Local::RETURN]).filter_map(|local| comparison(body, local));
    let mut times: BTreeMap<Local, usize> = BTreeMap::new();
    asked.for_each(|comparison| *times.entry(comparison).or_default() += 1);
    times.retain(|_, times| *times > 1);
    times.into_keys().collect()
}

/// Whether what a function returns is something that it has gone by itself: a comparison, an option or a result.
pub(crate) fn returns_what_was_asked(body: &Body) -> bool {
    let Some((place, Rvalue::Use(operand))) = only_definition(body, Local::RETURN) else { return false };
    let Some(returned) = whole(operand).filter(|_| place.projection.is_empty()) else { return false };
    let made = comparison(body, returned);
    let is_asked = |local: Local| {
        let variant = || match only_definition(body, local) {
            Some((_, Rvalue::Discriminant(of))) => of.as_local() == Some(returned),
            _ => false,
        };
        made.is_some() && comparison(body, local) == made || variant()
    };
    switches(body).any(is_asked)
}

/// The locals that branches go by.
fn switches(body: &Body) -> impl Iterator<Item = Local> + '_ {
    let blocks = body.blocks.iter().filter(|block| !block.cleanup);
    blocks.filter_map(|block| match &block.terminator.kind {
        TerminatorKind::SwitchInt { on, .. } => on.place()?.as_local(),
        _ => None,
    })
}

/// The comparison that a truth value comes from.
fn comparison(body: &Body, local: Local) -> Option<Local> {
    let mut local = local;
    for _ in 0..MOST_COPIES {
        let (place, rvalue) = only_definition(body, local)?;
        if !place.projection.is_empty() || is_lent(body, local) {
            return None;
        }
        local = match rvalue {
            Rvalue::Use(operand) => whole(operand)?,
            Rvalue::Unary(operator, operand) if &**operator == "Not" => whole(operand)?,
            Rvalue::Binary(operator, _) if matches!(&**operator, "Eq" | "Ne" | "Lt" | "Le" | "Gt" | "Ge") => {
                return Some(local);
            }
            _ => return None,
        };
    }
    None
}

fn whole(operand: &Operand) -> Option<Local> {
    operand.place().and_then(Place::as_local)
}
