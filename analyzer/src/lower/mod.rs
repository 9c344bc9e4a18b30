//! From MIR and models to programs of events, tasks, locks and shared variables.
//!
//! In order: [`crate::world`] says who is meant by a path, what points where, who calls whom, what each block does to shared
//! state and which events and tasks there are; [`sharing`] what is shared between them; [`emit`] makes statements;
//! [`crate::ir::passes`] leave out what cannot matter.
//!
//! **Invariants.** Nothing here panics on odd input. No library is named in code: what a function of another crate does is
//! in `robust_models` or follows from its types. Unwinding is left out: a panic ends its task.

mod begun;
pub(crate) mod emit;
pub(crate) mod sharing;
mod split;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use robust_models::{Models, On};
use serde::{Deserialize, Serialize};

use crate::check::Options;
use crate::confinement::{self, Confinement};
use crate::ir::{ProcId, Program, SourcePlace, VarId};
use crate::lifecycle::{self, Lifecycle};
use crate::limits::Limits;
use crate::mir::{self, BodyKind};

use crate::filter::held;
use crate::ir::passes::callers::leave_out;
use crate::ir::passes::{alike, compact, merge_events, raise, resolve_choices, simplify};
use crate::lower::begun::{Explored, Subject};
use crate::lower::emit::all_elements;
use crate::lower::emit::emitter::Emitter;
use crate::lower::emit::kept_guards;
use crate::lower::sharing::basis::Bases;
use crate::lower::sharing::share::Sharing;
use crate::lower::sharing::whose::Whose;
use crate::world::actions::by_hand;
use crate::world::actions::effects::Action;
use crate::world::actions::of_callers::OfCallers;
use crate::world::actions::replaced;
use crate::world::facts::Facts;
use crate::world::foreign_locks::{changing, with_locks};
use crate::world::points::bodies::{BodyId, Code};
use crate::world::points::escape::Same;
use crate::world::points::points_to::Flow;
use crate::world::units::{Phase, Unit, UnitId};
use crate::world::{api, coverage, print};

pub use crate::world::coverage::Usage;
pub use crate::world::event_config::{Function, Told, ToldEvent, Unmatched, Wanted};

/// Each stage may take this part of the time that is left when it begins.
const PART: f64 = 0.4;
/// As may what makes statements of what the others found.
const EMITTED: f64 = 0.6;

/// A program, and what there is to say about how it came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lowered {
    /// What the solver sees: only what can matter.
    pub program: Program,
    /// All events that were found, those without effect on shared state included.
    pub events: Vec<EventInfo>,
    /// Counts for the summary.
    pub statistics: Statistics,
    /// What could not be read or was given up on.
    pub not_analysed: Vec<mir::NotAnalysed>,
    /// What the user named in words on events and these crates do not have.
    pub unmatched: Vec<Unmatched>,
    /// The functions that use locks, atomics or cells.
    pub usages: Vec<Usage>,
    /// Functions without body or model, with the number of calls.
    pub opaque: BTreeMap<String, u64>,
    /// What runs where it should not.
    #[serde(default)]
    pub confinement: Confinement,
    /// Which tasks do not end, or are not heard of, as they should.
    #[serde(default)]
    pub lifecycle: Lifecycle,
    /// Whether there was no time for all of it: another run may come further.
    #[serde(default)]
    pub late: bool,
    /// Whether there are so many pointers that little was told apart.
    #[serde(default)]
    pub coarse: bool,
}

/// An event and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventInfo {
    /// Its name, that of its procedure if it is in the program.
    pub name: String,
    /// Which rule made it an event.
    pub why: String,
    /// Where it is in the source.
    pub place: Option<SourcePlace>,
    /// The executor's name; none: any thread.
    pub executor: Option<String>,
    /// It happens at most once.
    pub once: bool,
    /// The program starts it itself; else something outside does.
    #[serde(default)]
    pub started: bool,
    /// The loop in the function of which it is a round, by the number that the compiler gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_of: Option<usize>,
}

/// What tells an event from others: the name of the function, its file and line, and the loop in it.
pub type EventKey = (String, Option<(String, u32)>, Option<usize>);

impl EventInfo {
    /// What tells it from other events. A function that is called in several contexts, whose names have numbers then, or by several
    /// programs, is one event.
    pub fn key(&self) -> EventKey {
        let numbered = self.name.rsplit_once('#');
        let numbered = numbered.filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
        let name = numbered.map_or(&*self.name, |(name, _)| name);
        let place = self.place.as_ref().map(|place| (place.file.clone(), place.line));
        (name.to_owned(), place, self.round_of)
    }
}

/// What was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Bodies read.
    pub bodies: u64,
    /// Bodies that events and tasks run.
    pub functions: u64,
    /// Their statements and terminators.
    pub statements: u64,
    /// Events found.
    pub events: u64,
    /// Tasks that events start.
    pub tasks: u64,
    /// Locks that are acquired somewhere.
    pub locks: u64,
    /// Variables that more than one event or task accesses and some event or task changes.
    pub shared_variables: u64,
    /// Accesses to what a lock guards that were found without that lock: no race is looked for in them.
    pub unguarded: u64,
}

/// Which executions of crates are meant. An executable and those who call into its libraries from elsewhere share nothing,
/// so they can be lowered apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// All.
    #[default]
    All,
    /// Those of executables.
    Executables,
    /// Those of others who call into libraries whose handlers are some executable's.
    Callers,
}

/// Lowers crates that are to be analysed together.
pub fn lower(crates: &[Arc<mir::Crate>], models: &Models) -> Lowered {
    let limits = Limits::of_memory(Options::default().memory);
    lower_told(crates, models, &Told::default(), Scope::All, limits)
}

/// Lowers crates that are to be analysed together, with the user's word on their events.
pub fn lower_told(
    crates: &[Arc<mir::Crate>],
    models: &Models,
    told: &Told,
    scope: Scope,
    limits: Limits,
) -> Lowered {
    let code = Code::new(crates);
    let models = &with_locks(&code, models);
    let subject = Subject { code: &code, models, crates, told, scope, limits };
    let Explored { mut flow, units, mut heard, mut facts } = Explored::new(subject);
    // What is asked of everything cannot be asked of a part.
    let whole = facts.left_out.is_empty() && units.left_out.is_empty();
    let mut cut = Vec::new();
    flow.next_stage(PART);
    let confinement = match whole {
        true => confinement::confine(&flow, &facts, &units, crates),
        false => Confinement::default(),
    };
    if flow.next_stage(PART) || !whole {
        cut.push("not all of what runs where it should not was looked for");
    }
    // Where pointers were cut, only what the text alone says is said of tasks.
    let lifecycle = match whole || flow.lacks_pointers() {
        true => lifecycle::examine(&flow, &facts, &units, crates),
        false => Lifecycle::default(),
    };
    if flow.next_stage(PART) || !whole {
        cut.push("not all of what becomes of its tasks was looked for");
    }
    let of_callers = OfCallers::find(&mut flow, &facts, &units);
    replaced::insert(&flow, &mut facts);
    let same = Same::new(&flow);
    api::forget_making(&flow, &mut facts, &units, &same);
    let by_hand = by_hand::find(&flow);
    let sharing = Sharing::find(&flow, &facts, &units, (&by_hand, same), &heard.guards());
    if flow.next_stage(PART) {
        cut.push("it was not found out what its functions share");
    }
    let bases = Bases::find(&flow, &facts, &units, &sharing);
    if flow.next_stage(EMITTED) {
        cut.push("not all of what its accesses depend on was found out");
    }
    let mut emitter = Emitter::new(&flow, (&facts, &of_callers), &units, &sharing, &bases);
    emitter.run();
    emitter.beside_main();
    emitter.with_own();
    kept_guards::follow(&mut emitter);
    let mut gone = leave_out(&mut emitter.program, &emitter.missing);
    emitter.wholes();
    // Which locks are kept from round to round is seen as long as there are rounds.
    let elsewhere = emitter.elsewhere(&Whose::new(&flow, &facts, &units, &sharing));
    all_elements::take_all(&mut emitter.program);
    heard.arrange(&mut emitter);
    let told_events = heard.events(&emitter);
    let mut actors = std::mem::take(&mut emitter.actors);
    let started: BTreeSet<VarId> = emitter.started.values().copied().collect();
    for (index, lock) in sharing.guards(&flow) {
        emitter.program.vars[index].guard = emitter.locks.get(&lock).copied();
    }
    let mut program = std::mem::take(&mut emitter.program);
    program.bases = emitter.bases();
    let mut events = events(&emitter, &program);
    let mut statistics = Statistics {
        bodies: code.bodies.len() as u64,
        functions: units.bodies(&flow).len() as u64,
        statements: units.bodies(&flow).into_iter().map(|id| statements(code.body(id))).sum(),
        events: 0,
        tasks: units.units.iter().filter(|unit| !unit.event).count() as u64,
        locks: count_locks(&facts),
        shared_variables: sharing.vars.len() as u64,
        unguarded: 0,
    };
    let mut not_analysed: Vec<mir::NotAnalysed> =
        crates.iter().flat_map(|krate| krate.not_analysed.iter().cloned()).collect();
    let unmatched = heard.unmatched;
    let names: Vec<&str> = crates.iter().map(|krate| &*krate.name).collect();
    let usages = coverage::usages(&flow, &facts, &units, &names);
    let whole_name = crates.first().map_or_else(String::new, |krate| krate.name.to_string());
    let mut of_all = flow.left_out();
    let lacked = flow.lacked();
    if !facts.left_out.is_empty() {
        of_all.push(format!("{lacked}: {} of its calls were not looked into", facts.left_out.len()));
    }
    of_all.extend(cut.into_iter().map(|what| format!("{lacked}: {what}")));
    if !units.left_out.is_empty() {
        let (units, memory) = (units.left_out.len(), limits.megabytes());
        of_all.push(format!(
            "{units} of its events and tasks run more than there is time or memory for (--memory {memory})"
        ));
    }
    if elsewhere > 0 {
        of_all.push(format!("{elsewhere} of its events were not looked at with the lock of another object"));
    }
    let of_all = of_all.into_iter().map(|reason| (whole_name.clone(), reason));
    let by_hand = by_hand::types(&by_hand, &facts).into_iter().map(|name| {
        let reason = "it is written by hand around unsafe cells or raw pointers";
        (format!("the synchronisation of `{name}`"), reason.into())
    });
    let changing = changing(&code, models).into_iter().map(|name| {
        let reason = "it changes behind shared references, and no model says how";
        (format!("what is in `{name}`"), reason.into())
    });
    let reasons = heard.problems.into_iter().chain(of_all).chain(by_hand).chain(changing);
    not_analysed.extend(reasons.map(|(name, reason)| left_out(name, reason)));
    for inst in &emitter.flattened {
        let body = flow.body_of(*inst);
        not_analysed.push(mir::NotAnalysed {
            name: body.name.to_string(),
            reason: "its control flow is too large: its actions are taken in any order".into(),
            detail: None,
            span: body.span.clone(),
        });
    }
    simplify::simplify(&mut program, &started, &told_events, limits.deadline);
    let unresolved = resolve_choices::resolve(&mut program, limits.deadline);
    alike::alike(&mut program, limits.deadline);
    simplify::simplify(&mut program, &started, &told_events, limits.deadline);
    let late = flow.was_late() || !unresolved.is_empty();
    gone.extend(unresolved);
    let lacked = if late { "timeout".to_owned() } else { flow.lacked() };
    not_analysed.extend(gone.iter().map(|proc| {
        let reason = format!("{lacked}: not all of what it does was looked at");
        left_out(program.proc(*proc).name.clone(), reason)
    }));
    split::split(&mut program, &mut events, &mut actors);
    split::one_at_a_time(&mut program, &actors);
    let merged = merge_events::merge(&mut program, &started);
    forget_merged(&mut events, &program, &merged);
    statistics.events = events.iter().map(EventInfo::key).collect::<BTreeSet<_>>().len() as u64;
    raise::raise(&mut program);
    compact::compact(&mut program);
    flow.next_stage(1.0);
    match held::changed(&program, || flow.is_late_by_now()) {
        Some((changed, much)) => {
            program.changed = changed;
            if much > 0 {
                let reason = format!(
                    "what {much} of its events and tasks change together is too much to be found out"
                );
                not_analysed.push(left_out(whole_name, reason));
            }
        }
        None => {
            let reason = "timeout: what its functions change together was not found out".into();
            not_analysed.push(left_out(whole_name, reason));
        }
    }
    statistics.unguarded = held::unguarded(&program, || flow.is_late_by_now());
    let late = late || flow.was_late();
    let opaque = opaque(&flow);
    Lowered {
        program,
        events,
        statistics,
        not_analysed,
        unmatched,
        usages,
        opaque,
        confinement,
        lifecycle,
        late,
        coarse: flow.is_coarse(),
    }
}

/// The world of crates in text form: events, tasks, and what each block of the functions that they run does to which locations.
/// The arguments are those of [`lower_told`].
pub fn world(
    crates: &[Arc<mir::Crate>],
    models: &Models,
    told: &Told,
    scope: Scope,
    limits: Limits,
) -> String {
    let code = Code::new(crates);
    let models = &with_locks(&code, models);
    let Explored { flow, units, facts, .. } =
        Explored::new(Subject { code: &code, models, crates, told, scope, limits });
    print::text(&flow, &facts, &units)
}

/// What is said of something that has no place of its own.
fn left_out(name: String, reason: String) -> mir::NotAnalysed {
    mir::NotAnalysed { name, reason, detail: None, span: mir::Span::default() }
}

/// Where execution begins: `main` of each program, and what registrations and the public API add once they are known.
fn beginnings(flow: &mut Flow<'_>, crates: &[Arc<mir::Crate>]) -> Vec<Unit> {
    let mut begins = Vec::new();
    for index in 0..flow.code.bodies.len() {
        let id = BodyId(index as u32);
        let body = flow.code.body(id);
        let krate = &crates[flow.code.home[index]];
        let runs = !krate.is_library() && !matches!(&*krate.kind, "proc-macro" | "custom-build");
        if runs && &*body.def == "main" && matches!(body.kind, BodyKind::Fn) {
            let world = begins.len() as u32 + 1;
            let inst = flow.instance(world, id, Vec::new(), Rc::default(), None);
            begins.push(Unit {
                inst,
                part: None,
                phase: Phase::Once,
                event: true,
                once: true,
                actor: false,
                on: On::Local,
                at: None,
                why: "the program's start".into(),
                parent: None,
                shared: false,
                given_by: None,
                idle: false,
                started: false,
            });
        }
    }
    begins
}

/// How many statements and terminators a body has, unwinding apart.
fn statements(body: &mir::Body) -> u64 {
    let blocks = body.blocks.iter().filter(|block| !block.cleanup);
    blocks.map(|block| block.statements.len() as u64 + 1).sum()
}

fn count_locks(facts: &Facts) -> u64 {
    let mut locks = BTreeSet::new();
    for step in facts.effects.iter().flatten().flatten() {
        if let Action::Acquire { locks: acquired, .. } = &step.action {
            locks.extend(acquired.iter().copied());
        }
    }
    locks.len() as u64
}

fn events(emitter: &Emitter<'_, '_>, program: &Program) -> Vec<EventInfo> {
    let mut events = Vec::new();
    let all = emitter.units.units.iter().enumerate().filter(|(_, unit)| unit.event);
    let all = all.filter_map(|(number, unit)| Some((*emitter.unit_procs.get(&UnitId(number))?, unit)));
    let alike = emitter.alike_tasks.iter().map(|(proc, unit)| (*proc, &emitter.units.units[unit.0]));
    for (proc, unit) in all.chain(alike) {
        let proc = program.proc(proc);
        let on = match proc.kind {
            crate::ir::ProcKind::Event { on: crate::ir::Where::On(exec), .. } => Some(exec),
            _ => None,
        };
        events.push(EventInfo {
            name: proc.name.clone(),
            why: unit.why.clone(),
            place: proc.place.and_then(|place| program.places.get(place.index()).cloned()),
            executor: on.and_then(|exec| program.executors.get(exec.index())).map(|exec| exec.name.clone()),
            once: unit.once,
            // What is no event of the program is one that an event starts.
            started: unit.started && unit.parent.is_some() || !unit.event,
            round_of: unit.part,
        });
    }
    events
}

/// Leaves out the contexts of a function that do the same as another one of them.
fn forget_merged(events: &mut Vec<EventInfo>, program: &Program, merged: &BTreeMap<ProcId, ProcId>) {
    let number_of = events.iter().enumerate().map(|(number, event)| (event.name.as_str(), number));
    let number_of: BTreeMap<&str, usize> = number_of.collect();
    let number = |proc: &ProcId| number_of.get(program.proc(*proc).name.as_str()).copied();
    let pairs = merged.iter().filter_map(|(from, to)| Some((number(from)?, number(to)?)));
    let same = |(from, to): &(usize, usize)| events[*from].key() == events[*to].key();
    let gone: BTreeSet<usize> = pairs.filter(same).map(|(from, _)| from).collect();
    let mut number = 0..;
    events.retain(|_| number.next().is_some_and(|number| !gone.contains(&number)));
}

/// Calls of foreign functions that neither a model nor a known crate speaks for.
fn opaque(flow: &Flow<'_>) -> BTreeMap<String, u64> {
    let mut sites: BTreeSet<(BodyId, u32, &str)> = BTreeSet::new();
    for ((inst, block), info) in &flow.calls {
        let Some(name) = &info.foreign else { continue };
        let krate = name.split("::").next().unwrap_or(name);
        if info.model.is_none() && !flow.models.is_known_crate(krate) {
            sites.insert((flow.instances[inst.0 as usize].body, *block, name));
        }
    }
    let mut opaque = BTreeMap::new();
    for (_, _, name) in sites {
        *opaque.entry(name.to_owned()).or_insert(0) += 1;
    }
    opaque
}
