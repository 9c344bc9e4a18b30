//! Which variables' values are followed.

use robust_models::TypeKind;

use crate::mir::{Name, Prim, Ty, TyKind};

use crate::world::actions::effects::Tracked;
use crate::world::actions::tags::held;
use crate::world::points::aggregates::is_option;
use crate::world::points::heap::{LocId, Value};
use crate::world::points::points_to::Flow;

/// Enums with more discriminants than this are not followed.
const MAX_VARIANTS: i128 = 16;

/// What is followed of a variable; the first value, unless it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// Whether there is something.
    Presence { first: Option<bool> },
    /// A truth value.
    Truth { first: Option<bool> },
    /// Which variant an enum is: a discriminant from `lo` to `hi`.
    Variant { lo: i128, hi: i128, first: Option<i128> },
    /// A number from `lo` to `hi`.
    Number { lo: i128, hi: i128, first: i128 },
}

impl Followed {
    /// Whether the values are truth values.
    pub fn is_truth(self) -> bool {
        matches!(self, Followed::Presence { .. } | Followed::Truth { .. })
    }

    /// Whether an access is one to such a value: nobody can ask a number whether it is there.
    pub fn fits(self, tracked: &Tracked) -> bool {
        let is_presence = matches!(
            tracked,
            Tracked::Tag(..)
                | Tracked::SetTag(_)
                | Tracked::Supplied
                | Tracked::Taken
                | Tracked::Emptied
                | Tracked::Absent
        );
        !is_presence || self.is_truth()
    }

    /// Whether the first value is not known.
    pub fn is_open(self) -> bool {
        match self {
            Followed::Presence { first } | Followed::Truth { first } => first.is_none(),
            Followed::Variant { first, .. } => first.is_none(),
            Followed::Number { .. } => false,
        }
    }

    /// What is stored in a variable (`None`: something that is not known), if it is known enough to be followed. What events wait for
    /// (`guards`) is false at first, unless it is known to be otherwise; what is made again and again (`recurring`) is many things, of
    /// which each has a first value.
    pub fn find(
        flow: &Flow<'_>,
        loc: LocId,
        values: &[Option<Tracked>],
        guards: bool,
        recurring: bool,
    ) -> Option<Followed> {
        let first = first_of(flow, loc);
        if is_one_option(flow, loc) || is_one_place(flow, loc, values) {
            return presence(values, first).filter(|_| !recurring);
        }
        if let Some(variants) = single(flow, loc).and_then(|ty| flow.code.variants(&ty)) {
            return variant(variants, values, first).filter(|_| !recurring);
        }
        // What is only ever taken is there at first.
        let takes = |value: &Option<Tracked>| matches!(value, Some(Tracked::Taken | Tracked::Emptied));
        if values.iter().any(takes) {
            let only = values.iter().all(|value| takes(value) || *value == Some(Tracked::Absent));
            return only.then_some(Followed::Truth { first: Some(true) });
        }
        value(flow, loc, values, guards, recurring)
    }
}

/// What a variable is at first, if all who make it say the same (within, `None` if they do not); `None` if nobody says anything.
fn first_of(flow: &Flow<'_>, loc: LocId) -> Option<Option<i128>> {
    let mut initial = initial(flow, loc);
    initial.next().map(|first| first.filter(|_| initial.next().is_none()))
}

/// What those who make a variable put there; `None`: something that is not known.
fn initial(flow: &Flow<'_>, loc: LocId) -> impl Iterator<Item = Option<i128>> {
    flow.heap.get(loc).values.keys().filter_map(|value| match value {
        Value::Initial(value) => Some(Some(*value)),
        Value::Unknown => Some(None),
        _ => None,
    })
}

/// Whether somebody goes by what is there: what nobody asks for need not be followed.
fn is_look(value: &Tracked) -> bool {
    match value {
        Tracked::Get(_)
        | Tracked::Is(..)
        | Tracked::Tag(..)
        | Tracked::Supplied
        | Tracked::Taken
        | Tracked::Emptied
        | Tracked::Absent => true,
        Tracked::Set(_, old) => old.is_some(),
        Tracked::Exchange(..) => true,
        Tracked::SetTag(_) | Tracked::Inside => false,
    }
}

/// Which variant, where somebody stores one that is known.
fn variant(
    variants: &[(Name, i128)],
    values: &[Option<Tracked>],
    first: Option<Option<i128>>,
) -> Option<Followed> {
    let numbers = || variants.iter().map(|(_, number)| *number);
    let (lo, hi) = (numbers().min()?, numbers().max()?);
    let sets = values.iter().flatten().any(|value| matches!(value, Tracked::Set(..)));
    let sets = sets && values.iter().flatten().any(is_look);
    let first = first.flatten().filter(|first| numbers().any(|number| number == *first));
    (sets && hi - lo < MAX_VARIANTS).then_some(Followed::Variant { lo, hi, first })
}

/// Whether there is something, where somebody decides that. What is only ever filled is empty at first, or nobody would have to fill
/// it; what is only ever emptied is not.
fn presence(values: &[Option<Tracked>], first: Option<Option<i128>>) -> Option<Followed> {
    let (mut fills, mut empties, mut decides) = (false, false, false);
    if !values.iter().flatten().any(is_look) {
        return None;
    }
    for value in values {
        match value {
            Some(Tracked::SetTag(true) | Tracked::Supplied) => fills = true,
            Some(Tracked::SetTag(false) | Tracked::Taken | Tracked::Emptied) => empties = true,
            Some(Tracked::Tag(..) | Tracked::Absent | Tracked::Inside) => {}
            _ => (fills, empties) = (true, true),
        }
        decides |=
            matches!(value, Some(Tracked::SetTag(_) | Tracked::Supplied | Tracked::Taken | Tracked::Emptied));
    }
    let first = match first {
        Some(made) => made.map(|first| first != 0),
        None => (fills != empties).then_some(empties),
    };
    decides.then_some(Followed::Presence { first })
}

/// The truth values or numbers, when all that is stored is known and small.
fn value(
    flow: &Flow<'_>,
    loc: LocId,
    values: &[Option<Tracked>],
    guards: bool,
    recurring: bool,
) -> Option<Followed> {
    let mut initial = initial(flow, loc);
    // What is only ever raised, or lowered, is worth a look only if it is not so at first.
    let bool = is_bool(flow, loc);
    let sets = |to: i128| {
        values.iter().flatten().any(|value| matches!(value, Tracked::Set(value, _) if *value == to))
    };
    let flag = || !recurring && raised(flow, loc, values).is_some() && !is_among_many(flow, loc);
    let single = is_one_truth_value(flow, loc) || flag();
    let one = (sets(0) || sets(1)) && single;
    let plain = one.then(|| i128::from(!sets(1)));
    let claimed = if bool { free_at_first(values) } else { None };
    let first = initial.next().or(guards.then_some(Some(0))).or(plain.or(claimed).map(Some)).flatten();
    // Of several first values none is known.
    let first = first.filter(|_| initial.next().is_none());
    let (mut lo, mut hi) = (first.unwrap_or(0), first.unwrap_or(0));
    for value in values {
        let (a, b) = match value.as_ref()? {
            Tracked::Get(_) | Tracked::Is(..) | Tracked::Absent => continue,
            Tracked::Taken
            | Tracked::Emptied
            | Tracked::Supplied
            | Tracked::Tag(..)
            | Tracked::SetTag(_)
            | Tracked::Inside => {
                return None;
            }
            Tracked::Set(value, _) => (*value, *value),
            Tracked::Exchange(values, _) => (*values)?,
        };
        lo = lo.min(a).min(b);
        hi = hi.max(a).max(b);
    }
    match first {
        first if bool => {
            // Who raises what is raised already changes nothing: such changes commute instead.
            let one =
                first.is_some() || !recurring && raised(flow, loc, values).is_none() && !asks_again(values);
            one.then_some(Followed::Truth { first: first.map(|first| first != 0) })
        }
        Some(first) => (lo >= -1 && hi <= 8).then_some(Followed::Number { lo, hi: hi + 1, first }),
        None => None,
    }
}

/// Whether what is looked at is also exchanged: who does both only looks twice.
fn asks_again(values: &[Option<Tracked>]) -> bool {
    let any = |is: fn(&Tracked) -> bool| values.iter().flatten().any(is);
    any(|value| matches!(value, Tracked::Exchange(..))) && any(|value| matches!(value, Tracked::Get(_)))
}

/// What a truth value is at first that is claimed: whoever changes it asks whether it was otherwise before, which is worth asking only if it is
/// so at first. Of one that is looked at before it is exchanged, only that look would be made twice.
fn free_at_first(values: &[Option<Tracked>]) -> Option<i128> {
    let mut free = None;
    for value in values {
        let at_first = match value.as_ref()? {
            Tracked::Set(value @ (0 | 1), Some(_)) => 1 - value,
            Tracked::Exchange(Some((old, _)), _) => *old,
            _ => continue,
        };
        if free.replace(at_first).is_some_and(|other| other != at_first) {
            return None;
        }
    }
    free.filter(|_| !asks_again(values))
}

/// Whether a location is one option, be it in a lock or a cell, rather than all those of some collection.
fn is_one_option(flow: &Flow<'_>, loc: LocId) -> bool {
    single(flow, loc).is_some_and(|ty| is_option(&ty))
}

/// Whether a location is a library's place for one thing, which is put there and taken: one that is no option to be seen.
pub(super) fn is_one_place(flow: &Flow<'_>, loc: LocId, values: &[Option<Tracked>]) -> bool {
    let is_filled = values.contains(&Some(Tracked::SetTag(true)));
    is_filled && single(flow, loc).is_some_and(|ty| flow.kind(&ty) == Some(TypeKind::Atomic))
}

/// Whether a location is one truth value, no atomic one, be it in a lock or a cell.
pub(super) fn is_one_truth_value(flow: &Flow<'_>, loc: LocId) -> bool {
    single(flow, loc).is_some_and(|ty| matches!(&*ty, TyKind::Prim(Prim::Bool)))
}

/// The type of what is in a location, without locks and cells around it, unless it is all that some collection holds.
fn single(flow: &Flow<'_>, loc: LocId) -> Option<Ty> {
    held(flow, loc).filter(|_| !is_among_many(flow, loc))
}

/// Whether a location is, or is in, one of the things that some collection holds.
fn is_among_many(flow: &Flow<'_>, loc: LocId) -> bool {
    flow.heap.within(loc).any(|id| {
        let ty = flow.heap.get(id).ty.as_ref();
        ty.is_some_and(|ty| match &**ty {
            TyKind::Slice(_) | TyKind::Array(..) => true,
            other => flow.model(other).is_some_and(|model| model.many),
        })
    })
}

/// Whether a location holds a truth value, be it in a lock, a cell or an atomic.
fn is_bool(flow: &Flow<'_>, loc: LocId) -> bool {
    flow.heap.get(loc).ty.as_ref().is_some_and(|ty| {
        crate::world::points::types::any_part(ty, &mut |ty| matches!(ty, TyKind::Prim(Prim::Bool)))
            || ty.to_string().ends_with("Bool")
    })
}

/// The truth value that is all that is ever stored.
pub(super) fn raised(flow: &Flow<'_>, loc: LocId, values: &[Option<Tracked>]) -> Option<bool> {
    let mut stored = None;
    for value in values {
        match value.as_ref()? {
            Tracked::Get(_) | Tracked::Is(..) | Tracked::Tag(..) | Tracked::Absent => {}
            Tracked::Set(value @ (0 | 1), None) if stored.is_none_or(|stored| stored == *value) => {
                stored = Some(*value);
            }
            _ => return None,
        }
    }
    let stored = stored.filter(|_| is_bool(flow, loc))?;
    Some(stored != 0)
}
