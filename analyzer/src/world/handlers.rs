//! What libraries call: functions and closures that were registered with them, methods of traits implemented for them,
//! functions that take what only they make; and what code in other languages calls.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use robust_models::{EventSource, On};

use crate::mir::{BodyKind, Crate};

use crate::world::api::{is_handler, run_futures};
use crate::world::points::bodies::BodyId;
use crate::world::points::callbacks::is_future;
use crate::world::points::foreign_callers::ForeignCallers;
use crate::world::points::given_away;
use crate::world::points::outside::{outside_arguments, public_arguments};
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::served::returned;
use crate::world::units::{Phase, Unit};

/// Rounds of looking for handlers that register handlers.
const ROUNDS: usize = 4;

/// What nothing more is known of than that it is called.
const CALLED: EventSource = EventSource { on: On::Any, once: false, what: String::new(), at: None };

/// Finds them all, and follows them. `world` is the program that those run in which nobody registers.
pub(crate) fn handlers(
    flow: &mut Flow<'_>,
    world: u32,
    crates: &[Arc<Crate>],
    foreign: &ForeignCallers,
    open: impl Fn(BodyId) -> bool,
) -> Vec<Unit> {
    let mut found = declared(flow, world, crates, foreign, open);
    let mut known: BTreeSet<InstId> = found.iter().map(|unit| unit.inst).collect();
    let mut done = 0;
    for _ in 0..ROUNDS {
        found.extend(registered(flow).into_iter().filter(|unit| known.insert(unit.inst)));
        if found.len() == done {
            break;
        }
        // What a library has of the crates' own was bound already.
        for unit in found[done..].iter().filter(|unit| unit.phase == Phase::Event) {
            outside_arguments(flow, unit.inst);
        }
        flow.run();
        if run_futures(flow, &mut found[done..]) {
            flow.run();
        }
        done = found.len();
    }
    note_registered(flow, &found);
    found
}

/// Notes of each call that registers some of these units which those are.
fn note_registered(flow: &mut Flow<'_>, units: &[Unit]) {
    let mut by_function: BTreeMap<InstId, InstId> = BTreeMap::new();
    for unit in units {
        by_function.insert(flow.function_of(unit.inst), unit.inst);
    }
    let mut registered: BTreeMap<(InstId, u32), BTreeSet<InstId>> = BTreeMap::new();
    for (site, info) in &flow.calls {
        for event in info.events.iter().filter_map(|function| by_function.get(function)) {
            registered.entry(*site).or_default().insert(*event);
        }
    }
    for (function, event) in by_function {
        let body = flow.instances[function.0 as usize].body;
        let of = flow.code.body(body).path.qself.as_ref().and_then(|qself| qself.ty.as_path());
        let handed = of.filter(|_| flow.served.has(body)).and_then(|of| flow.handed_over.get(of.last()));
        for site in handed.filter(|handed| !handed.is_returned).into_iter().flat_map(|handed| &handed.sites) {
            registered.entry(*site).or_default().insert(event);
        }
    }
    flow.registered = registered;
}

/// Functions and closures that were given to a registration.
fn registered(flow: &Flow<'_>) -> Vec<Unit> {
    let mut found = Vec::new();
    for ((by, _), info) in flow.calls.iter().filter(|(_, info)| !info.events.is_empty()) {
        let given_by = Some(*by);
        let model = info.model.as_ref().and_then(|key| flow.models.function(key));
        let event = model.and_then(|model| model.event.as_ref());
        let Some(by) = info.foreign.as_ref().or(info.model.as_ref()) else { continue };
        let by = format!("given to `{by}`");
        found.extend(info.events.iter().map(|handler| {
            let actor = takes_turns(flow, *handler);
            Unit { given_by, actor, ..unit(*handler, event.unwrap_or(&CALLED), &by) }
        }));
    }
    found
}

/// Whether a handler is called once it is done with the call before: it is called by exclusive reference, and nothing of it is left
/// to do later.
fn takes_turns(flow: &Flow<'_>, handler: InstId) -> bool {
    let makes_future = || flow.local_ty(handler, 0).is_none_or(|ty| is_future(flow, &ty));
    flow.in_turn.contains(&handler) || given_away::takes_turns(flow.body_of(handler)) && !makes_future()
}

/// Methods of implementations of a library's trait, functions whose parameters say that a library calls them, and those
/// `open` ones that foreign code calls.
fn declared(
    flow: &mut Flow<'_>,
    world: u32,
    crates: &[Arc<Crate>],
    foreign: &ForeignCallers,
    open: impl Fn(BodyId) -> bool,
) -> Vec<Unit> {
    let mut found = Vec::new();
    let mut may_serve = Vec::new();
    let models = flow.models;
    for index in 0..flow.code.bodies.len() {
        let id = BodyId(index as u32);
        let body = flow.code.body(id);
        if !matches!(body.kind, BodyKind::Fn)
            || matches!(&*crates[flow.code.home[index]].kind, "custom-build")
        {
            continue;
        }
        if let Some(why) = foreign.why(id).filter(|_| open(id)) {
            let inst = flow.instance(world, id, Vec::new(), Rc::default(), None);
            found.push(Unit { why: why.into(), ..unit(inst, &CALLED, why) });
            continue;
        }
        let tr = body.path.qself.as_ref().and_then(|qself| qself.tr.as_ref());
        let tr = tr.filter(|tr| !flow.code.is_own_trait(tr)).map(|tr| tr.plain());
        let implemented = tr.and_then(|tr| models.tr(&tr));
        let implemented = implemented.and_then(|(name, tr)| Some((name, tr.event.as_ref()?)));
        let implemented = implemented.filter(|(name, event)| event.on != On::Actor || is_handler(body, name));
        let (event, by) = if let Some((name, event)) = implemented {
            (event, format!("a method of `{name}`"))
        } else {
            let mut inputs = body.inputs().filter_map(|ty| ty.as_path()).map(|path| path.plain());
            let marked = inputs.find_map(|name| Some((models.ty(&name)?.event.as_ref()?, name)));
            let Some((event, name)) = marked else {
                if flow.served.has(id) && (open(id) || !body.public) {
                    may_serve.push(id);
                }
                continue;
            };
            (event, format!("it takes a `{name}`"))
        };
        let inst = flow.instance(world, id, Vec::new(), Rc::default(), None);
        found.push(unit(inst, event, &by));
    }
    found.extend(serving(flow, world, may_serve));
    found
}

/// Of these, the methods of what libraries were given, and of what those methods give them.
fn serving(flow: &mut Flow<'_>, world: u32, mut rest: Vec<BodyId>) -> Vec<Unit> {
    let mut found = Vec::new();
    loop {
        let known = found.len();
        rest.retain(|id| match served(flow, world, *id) {
            Some(unit) => {
                found.push(unit);
                false
            }
            None => true,
        });
        if found.len() == known {
            return found;
        }
    }
}

/// A method of what a library was given, which it calls.
fn served(flow: &mut Flow<'_>, world: u32, id: BodyId) -> Option<Unit> {
    let qself = flow.code.body(id).path.qself.as_ref()?;
    let at = flow.handed_over.get(qself.ty.as_path()?.last())?.place.clone();
    let by = format!("a method of `{}`, which a library was given", qself.tr.as_ref()?.plain());
    let inst = flow.instance(world, id, Vec::new(), Rc::default(), None);
    public_arguments(flow, inst);
    returned(flow, id, at.as_ref());
    Some(Unit { at, why: by.clone(), phase: Phase::Task, ..unit(inst, &CALLED, &by) })
}

fn unit(inst: InstId, event: &EventSource, by: &str) -> Unit {
    let what = if event.what.is_empty() { "handler" } else { &event.what };
    Unit {
        inst,
        part: None,
        phase: Phase::Event,
        event: true,
        once: event.once,
        actor: false,
        on: event.on,
        at: event.at.as_deref().map(Rc::from),
        why: format!("{what}: {by}"),
        parent: None,
        shared: false,
        given_by: None,
        idle: false,
        started: false,
    }
}
