//! What closures and futures capture beyond what rustc prints. It goes through the captured variables and the captures side by side, and of one
//! variable there may be several captures, a field each (`move || me.first + me.second`): as many captures as that is more are left out, from
//! the end on. What they are, the body says, which calls them by variable and field (`me__second`).

use rustc_hash::FxHashMap;

use crate::mir::{
    AggregateKind, BasicBlock, Body, BodyKind, Local, Name, Operand, Place, Projection, Rvalue, Statement,
    StatementKind, TerminatorKind, Ty, TyKind, VarValue,
};

/// Between the parts of the name of a capture.
const BETWEEN: &str = "__";

/// A capture, as the body has it.
#[derive(Clone)]
struct Capture {
    name: Name,
    /// It is a reference to what was captured.
    by_ref: bool,
    ty: Ty,
}

/// The names of the fields of structs, by their paths, as far as the text makes such structs.
type Fields = FxHashMap<String, Vec<Name>>;

/// Adds what is left out.
pub(super) fn complete<'b>(bodies: impl Iterator<Item = &'b mut Body>) {
    let mut bodies: Vec<&mut Body> = bodies.collect();
    let captures: FxHashMap<Name, Vec<Capture>> = bodies
        .iter()
        .filter(|body| matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. }))
        .map(|body| (body.def.clone(), captures(body)))
        .collect();
    let lacks = |body: &Body| {
        made(body).any(|(_, def, operands)| {
            captures.get(def).is_some_and(|captures| captures.len() > operands.len())
        })
    };
    if !bodies.iter().any(|body| lacks(body)) {
        return;
    }
    let mut fields = Fields::default();
    bodies.iter().for_each(|body| name_fields(body, &mut fields));
    for body in bodies.iter_mut().filter(|body| lacks(body)) {
        for (at, operands) in missing(body, &captures, &fields) {
            let kind = &mut body.blocks[at.0].statements[at.1].kind;
            let StatementKind::Assign(_, Rvalue::Aggregate(kind, all)) = kind else { continue };
            if let AggregateKind::Closure { captures, .. } | AggregateKind::Coroutine { captures, .. } =
                &mut **kind
            {
                captures.extend(operands.iter().map(|(name, _)| name.clone()));
            }
            all.extend(operands.into_iter().map(|(_, operand)| operand));
        }
    }
}

/// The closures and futures that a body makes: where, their bodies, and what is printed of their captures.
fn made(body: &Body) -> impl Iterator<Item = ((usize, usize), &Name, &[Operand])> {
    let blocks = body.blocks.iter().enumerate();
    let all = blocks.flat_map(|(block, data)| {
        data.statements.iter().enumerate().map(move |(at, statement)| ((block, at), statement))
    });
    all.filter_map(|(at, statement)| match &statement.kind {
        StatementKind::Assign(_, Rvalue::Aggregate(kind, operands)) => match &**kind {
            AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. } => {
                Some((at, body, &operands[..]))
            }
            _ => None,
        },
        _ => None,
    })
}

/// What a body has captured, in order, up to the first one that it says nothing of.
fn captures(body: &Body) -> Vec<Capture> {
    let mut found: FxHashMap<u32, Capture> = FxHashMap::default();
    for var in &body.vars {
        let VarValue::Place(place) = &var.value else { continue };
        let steps = match (place.local.0, &place.projection[..]) {
            (1, [Projection::Deref, steps @ ..] | steps) => steps,
            _ => continue,
        };
        if let [Projection::Field(number, ty), rest @ ..] = steps
            && rest.iter().all(|step| *step == Projection::Deref)
        {
            let capture = Capture { name: var.name.clone(), by_ref: !rest.is_empty(), ty: ty.clone() };
            found.entry(*number).or_insert(capture);
        }
    }
    (0..).map_while(|number| found.remove(&number)).collect()
}

fn name_fields(body: &Body, names: &mut Fields) {
    for statement in body.blocks.iter().flat_map(|block| &block.statements) {
        let StatementKind::Assign(to, Rvalue::Aggregate(kind, _)) = &statement.kind else { continue };
        let AggregateKind::Adt { fields, .. } = &**kind else { continue };
        let ty = to.as_local().and_then(|local| body.locals.get(local.0 as usize));
        if let Some(path) = ty.and_then(|decl| decl.ty.as_path()).filter(|_| !fields.is_empty()) {
            names.entry(path.plain()).or_insert_with(|| fields.clone());
        }
    }
}

/// What is to be added to the closures and futures that a body makes.
fn missing(
    body: &Body,
    captures: &FxHashMap<Name, Vec<Capture>>,
    fields: &Fields,
) -> Vec<((usize, usize), Vec<(Name, Operand)>)> {
    let mut found = Vec::new();
    for (at, def, printed) in made(body) {
        let Some(captures) = captures.get(def).filter(|captures| captures.len() > printed.len()) else {
            continue;
        };
        let mut lent = lent_for(body, at, printed).into_iter();
        let mut operand = |capture: &Capture| match capture.by_ref {
            true => lent.next().map(|local| Operand::Move(Place::from(local))),
            false => captured(body, capture, fields).map(Operand::Move).or_else(|| {
                // A reference that is captured as it is.
                let is_ref = matches!(&*capture.ty, TyKind::Ref { .. });
                is_ref.then(|| lent.next().map(|local| Operand::Move(Place::from(local)))).flatten()
            }),
        };
        let rest = captures[printed.len()..].iter();
        let operands = rest.map_while(|capture| Some((capture.name.clone(), operand(capture)?)));
        found.push((at, operands.collect()));
    }
    found
}

/// The references that are made before a closure, for nothing that is printed, in order: they are for what it captures.
fn lent_for(body: &Body, (block, at): (usize, usize), printed: &[Operand]) -> Vec<Local> {
    let statements = &body.blocks[block].statements[..at];
    let lent = statements.iter().filter_map(|statement| match &statement.kind {
        StatementKind::Assign(to, Rvalue::Ref(..)) => to.as_local(),
        _ => None,
    });
    let is_printed = |local: Local| {
        printed.iter().any(|operand| operand.place().is_some_and(|place| place.local == local))
    };
    lent.filter(|local| body.locals[local.0 as usize].name.is_none())
        .filter(|local| !is_printed(*local) && !is_used(body, *local))
        .collect()
}

/// Whether anything is done with a local.
fn is_used(body: &Body, local: Local) -> bool {
    let in_place = |place: &Place| place.local == local;
    let in_operand = |operand: &Operand| operand.place().is_some_and(in_place);
    let in_statement = |statement: &Statement| match &statement.kind {
        StatementKind::Assign(to, rvalue) => {
            !to.projection.is_empty() && in_place(to) || rvalue.places().into_iter().any(in_place)
        }
        _ => false,
    };
    let in_block = |block: &BasicBlock| {
        block.statements.iter().any(in_statement)
            || match &block.terminator.kind {
                TerminatorKind::Call(call) => call.args.iter().any(in_operand),
                TerminatorKind::SwitchInt { on, .. } => in_operand(on),
                _ => false,
            }
    };
    body.blocks.iter().any(in_block)
}

/// The place that is captured as a whole: a variable, or a field of it.
fn captured(body: &Body, capture: &Capture, fields: &Fields) -> Option<Place> {
    let parts: Vec<&str> = capture.name.split(BETWEEN).collect();
    (1..=parts.len()).rev().find_map(|many| {
        let name = parts[..many].join(BETWEEN);
        let (place, ty) = variable(body, &name)?;
        field(place, ty, &parts[many..], (capture, fields))
    })
}

/// What a variable of the maker stands for, and its type, where MIR tells it.
fn variable(body: &Body, name: &str) -> Option<(Place, Option<Ty>)> {
    body.vars.iter().filter(|var| &*var.name == name).find_map(|var| {
        let VarValue::Place(place) = &var.value else { return None };
        let ty = match place.projection.last() {
            None => body.locals.get(place.local.0 as usize).map(|decl| decl.ty.clone()),
            Some(Projection::Field(_, ty)) => Some(ty.clone()),
            Some(_) => None,
        };
        Some((place.clone(), ty))
    })
}

/// The field of a place that the rest of the name of a capture leads to.
fn field(
    mut place: Place,
    mut ty: Option<Ty>,
    names: &[&str],
    (capture, fields): (&Capture, &Fields),
) -> Option<Place> {
    for (at, name) in names.iter().enumerate() {
        let mut owner = ty?;
        while let TyKind::Ref { to, .. } = &*owner.clone() {
            place.projection.push(Projection::Deref);
            owner = to.clone();
        }
        let number = match name.parse::<u32>() {
            Ok(number) => number,
            Err(_) => {
                let names = fields.get(&owner.as_path()?.plain())?;
                names.iter().position(|field| &**field == *name)? as u32
            }
        };
        // The type of what is captured is known, of what is on the way there it is not.
        let last = at + 1 == names.len();
        place.projection.push(Projection::Field(number, capture.ty.clone()));
        ty = last.then(|| capture.ty.clone());
    }
    Some(place)
}
