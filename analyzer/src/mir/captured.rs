//! Captures that rustc leaves out. It prints a closure with as many captures as it mentions variables; where several fields of one variable are
//! captured, there are more, and the last ones are not printed. What is missing is put together from the closure's body, which names all
//! of them (`this__inner` is the field `inner` of `this`), and from references that are made for a closure and used nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    AggregateKind, Body, Callee, Crate, FieldNames, Local, Name, Operand, Place, Projection, Rvalue,
    StatementKind, TerminatorKind, Ty, TyKind, VarValue,
};

/// A capture, as the closure's body has it.
struct Capture {
    /// `this__inner`
    name: Name,
    /// Its own type: a reference's, if it is captured by one.
    ty: Ty,
    by_reference: bool,
}

/// What bodies tell of fields, by the type that they are of.
#[derive(Default)]
struct Seen {
    /// The types of those that are accessed, by number.
    types: BTreeMap<String, BTreeMap<u32, Ty>>,
    /// The names, of what is constructed.
    names: BTreeMap<String, Vec<Name>>,
}

/// Adds the captures that were not printed to all closures and futures of a crate.
pub fn complete(krate: &mut Crate) {
    let captures: BTreeMap<Name, Vec<Capture>> = krate
        .bodies
        .iter()
        .filter_map(|body| Some((body.def.clone(), captures(body)?)))
        .filter(|(_, captures)| !captures.is_empty())
        .collect();
    let lacking = |rvalue: &Rvalue| -> Option<(Name, usize)> {
        let Rvalue::Aggregate(kind, parts) = rvalue else { return None };
        let (AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. }) = &**kind else {
            return None;
        };
        (captures.get(body)?.len() > parts.len()).then(|| (body.clone(), parts.len()))
    };
    let mut seen = None;
    for number in 0..krate.bodies.len() {
        let (mut found, mut uses) = (Vec::new(), None);
        for (index, block) in krate.bodies[number].blocks.iter().enumerate() {
            for (at, statement) in block.statements.iter().enumerate() {
                let StatementKind::Assign(dest, rvalue) = &statement.kind else { continue };
                let Some((closure, printed)) = lacking(rvalue) else { continue };
                let seen = seen.get_or_insert_with(|| fields_of(&krate.bodies));
                let body = &krate.bodies[number];
                let used = uses.get_or_insert_with(|| used(body));
                let maker = Maker { body, fields: &krate.fields, seen, used, dest: dest.local };
                let missing = maker.missing(&captures[&closure], printed, (index, at));
                found.push(((index, at), closure, missing));
            }
        }
        for ((index, at), closure, missing) in found {
            let statement = &mut krate.bodies[number].blocks[index].statements[at];
            if let StatementKind::Assign(_, Rvalue::Aggregate(kind, parts)) = &mut statement.kind
                && let AggregateKind::Closure { captures: names, .. }
                | AggregateKind::Coroutine { captures: names, .. } = &mut **kind
            {
                *names = captures[&closure].iter().map(|capture| capture.name.clone()).collect();
                parts.extend(missing);
                names.truncate(parts.len());
            }
        }
    }
}

/// What a closure's body says of its captures, in order, as far as it names them.
fn captures(body: &Body) -> Option<Vec<Capture>> {
    if !matches!(body.kind, super::BodyKind::Closure { .. } | super::BodyKind::Coroutine { .. }) {
        return None;
    }
    let mut by_number: BTreeMap<u32, Capture> = BTreeMap::new();
    for var in &body.vars {
        let VarValue::Place(place) = &var.value else { continue };
        if place.local != Local(1) {
            continue;
        }
        let (number, ty, rest) = match &place.projection[..] {
            [Projection::Field(number, ty), rest @ ..]
            | [Projection::Deref, Projection::Field(number, ty), rest @ ..] => (*number, ty, rest),
            _ => continue,
        };
        let by_reference = rest.first() == Some(&Projection::Deref);
        by_number.entry(number).or_insert(Capture { name: var.name.clone(), ty: ty.clone(), by_reference });
    }
    let numbers = by_number.keys().copied();
    let in_order = numbers.zip(0_u32..).take_while(|(number, expected)| number == expected).count();
    Some(by_number.into_values().take(in_order).collect())
}

/// All fields that are accessed anywhere.
fn fields_of(bodies: &[Body]) -> Seen {
    let mut seen = Seen::default();
    for body in bodies {
        for statement in body.blocks.iter().flat_map(|block| &block.statements) {
            let StatementKind::Assign(to, rvalue) = &statement.kind else { continue };
            if let Rvalue::Aggregate(kind, _) = rvalue
                && let AggregateKind::Adt { path, fields } = &**kind
                && !fields.is_empty()
            {
                seen.names.entry(path.plain()).or_insert_with(|| fields.clone());
            }
            for place in rvalue.places().into_iter().chain([to]) {
                for (at, step) in place.projection.iter().enumerate() {
                    let Projection::Field(number, ty) = step else { continue };
                    let whole = Place { local: place.local, projection: place.projection[..at].to_vec() };
                    if let Some(TyKind::Path(path)) = place_ty(body, &whole).as_deref() {
                        seen.types
                            .entry(path.plain())
                            .or_default()
                            .entry(*number)
                            .or_insert_with(|| ty.clone());
                    }
                }
            }
        }
    }
    seen
}

fn place_ty(body: &Body, place: &Place) -> Option<Ty> {
    let mut ty = body.locals.get(place.local.0 as usize)?.ty.clone();
    for step in &place.projection {
        ty = match (step, &*ty) {
            (Projection::Field(_, field), _) => field.clone(),
            (Projection::Deref, TyKind::Ref { to, .. } | TyKind::Ptr { to, .. }) => to.clone(),
            _ => return None,
        };
    }
    Some(ty)
}

/// Where a closure is made.
struct Maker<'c> {
    body: &'c Body,
    fields: &'c [FieldNames],
    seen: &'c Seen,
    /// The locals of the body whose values go anywhere.
    used: &'c BTreeSet<Local>,
    dest: Local,
}

impl Maker<'_> {
    /// The captures behind those that were printed.
    fn missing(&self, captures: &[Capture], printed: usize, at: (usize, usize)) -> Vec<Operand> {
        let mut lent: Vec<Local> = self.made_for_it(at);
        lent.reverse();
        let mut missing = Vec::new();
        for capture in &captures[printed..] {
            let is_it = |local: &Local| self.body.locals[local.0 as usize].ty == capture.ty;
            let reference = lent.last().copied().filter(|local| capture.by_reference && is_it(local));
            let operand = match reference {
                Some(local) => {
                    lent.pop();
                    Some(Operand::Move(Place::from(local)))
                }
                None => self.named(capture),
            };
            let Some(operand) = operand else { break };
            missing.push(operand);
        }
        missing
    }

    /// References that are made in front of a statement, and that nothing uses that was printed.
    fn made_for_it(&self, (block, at): (usize, usize)) -> Vec<Local> {
        let before = &self.body.blocks[block].statements[..at];
        let made = before.iter().filter_map(|statement| match &statement.kind {
            StatementKind::Assign(place, Rvalue::Ref(..)) => place.as_local(),
            _ => None,
        });
        made.filter(|local| !self.used.contains(local)).collect()
    }

    /// The variable, or the part of one, that a capture is named after.
    fn named(&self, capture: &Capture) -> Option<Operand> {
        let matching = self.body.vars.iter().filter_map(|var| {
            let VarValue::Place(place) = &var.value else { return None };
            let rest = capture.name.strip_prefix(&*var.name)?;
            (rest.is_empty() || rest.starts_with("__")).then_some((place, rest))
        });
        // The one that was declared last, of those that came before the closure.
        let (place, rest) = matching.max_by_key(|(place, rest)| {
            (std::cmp::Reverse(rest.len()), place.local < self.dest, place.local)
        })?;
        let mut place = place.clone();
        let steps: Vec<&str> = rest.split("__").filter(|step| !step.is_empty()).collect();
        let whole = place.clone();
        for (number, step) in steps.iter().enumerate() {
            let last = (number + 1 == steps.len() && !capture.by_reference).then_some(&capture.ty);
            let Some((field, ty)) = self.field(&place, step, last) else {
                return Some(Operand::Copy(whole));
            };
            place.projection.push(Projection::Field(field, ty));
        }
        let copied = matches!(*capture.ty, TyKind::Prim(_) | TyKind::Ref { .. });
        Some(if copied { Operand::Copy(place) } else { Operand::Move(place) })
    }

    /// The number and the type of a field, by its name; `is`: the type, if that is known.
    fn field(&self, of: &Place, name: &str, is: Option<&Ty>) -> Option<(u32, Ty)> {
        let ty = place_ty(self.body, of)?;
        if let TyKind::Tuple(parts) = &*ty {
            let number: u32 = name.parse().ok()?;
            return Some((number, parts.get(number as usize)?.clone()));
        }
        let path = ty.as_path()?.plain();
        let types = self.seen.types.get(&path);
        let ends = |long: &str, short: &str| {
            long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
        };
        let declared = self
            .fields
            .iter()
            .find(|fields| fields.variant.is_empty() && (ends(&path, &fields.ty) || ends(&fields.ty, &path)));
        let names = declared.map(|fields| &fields.names).or_else(|| self.seen.names.get(&path));
        let declared = names.and_then(|names| names.iter().position(|field| **field == *name));
        let number = declared.and_then(|number| u32::try_from(number).ok()).or_else(|| name.parse().ok());
        let number = number.or_else(|| {
            let mut alike = types?.iter().filter(|(_, ty)| is.is_none_or(|is| is == *ty));
            alike.next().map(|(number, _)| *number).filter(|_| alike.next().is_none())
        })?;
        let ty = is.or_else(|| types?.get(&number))?;
        Some((number, ty.clone()))
    }
}

/// The locals whose values go anywhere.
fn used(body: &Body) -> BTreeSet<Local> {
    let mut used = BTreeSet::new();
    let operand = |operand: &Operand, used: &mut BTreeSet<Local>| {
        used.extend(operand.place().map(|place| place.local));
    };
    for block in &body.blocks {
        for statement in &block.statements {
            if let StatementKind::Assign(to, rvalue) = &statement.kind {
                used.extend(rvalue.places().into_iter().map(|place| place.local));
                used.extend((!to.projection.is_empty()).then_some(to.local));
            }
        }
        match &block.terminator.kind {
            TerminatorKind::SwitchInt { on, .. } => operand(on, &mut used),
            TerminatorKind::Call(call) => {
                call.args.iter().for_each(|arg| operand(arg, &mut used));
                if let Callee::Value(callee) = &call.callee {
                    operand(callee, &mut used);
                }
            }
            TerminatorKind::Drop { place, .. } => drop(used.insert(place.local)),
            TerminatorKind::Assert { cond, .. } => operand(cond, &mut used),
            TerminatorKind::Yield { value, .. } => operand(value, &mut used),
            _ => {}
        }
    }
    used
}
