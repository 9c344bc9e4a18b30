//! What the user says about events: which functions they are, where they run, what comes before what.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use robust_models::On;
use serde::{Deserialize, Serialize};

use crate::ir::{Domain, Expr, ProcId, ProcKind, StmtKind, Value, VarId};
use crate::mir::{self, Body, BodyKind};
use crate::nearest::nearest;

use crate::ir::passes::startup::{Setup, settle};
use crate::lower::emit::emitter::Emitter;
use crate::world::points::bodies::BodyId;
use crate::world::points::outside::outside_arguments;
use crate::world::points::points_to::Flow;
use crate::world::units::{Phase, Unit, UnitId, Units};

/// The user's word on the events of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Functions that are done with before anything else happens, in this order.
    pub setup: Vec<String>,
    /// Whether these are all events: none are looked for then.
    pub only: bool,
    /// Events.
    pub events: Vec<ToldEvent>,
}

/// The user's word on one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldEvent {
    /// The function.
    pub function: Function,
    /// Whether instances run on the one thread of the user interface (or `LocalSet`), else each on any thread.
    pub on_ui: bool,
    /// At most one instance.
    pub once: bool,
    /// The function of another event, one that happens once: this one comes after its handler ended.
    pub after: Option<String>,
    /// The shared Boolean that is true when this one comes.
    pub when: Option<String>,
}

/// How a function is named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Function {
    /// The end of its path: `on_send`, `MessageActivity::on_send`, `message::MessageActivity::on_send`.
    Named(String),
    /// It stands in this file and begins on one of these lines.
    At {
        /// The file, as the compiler names it.
        file: String,
        /// First and last line of its head.
        lines: (u32, u32),
    },
}

impl std::fmt::Display for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Function::Named(path) => f.write_str(path),
            Function::At { file, lines } => write!(f, "{file}:{}", lines.1),
        }
    }
}

/// A name in the user's word that nothing has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unmatched {
    /// What it was to be the name of.
    pub wanted: Wanted,
    /// The name.
    pub name: String,
    /// A name that is there and hardly differs.
    pub nearest: Option<String>,
}

/// What names in the user's word are names of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Wanted {
    /// A function of the program: an event, or a part of the setup.
    Function,
    /// A function that a comment is above.
    Commented,
    /// The event that another one comes after.
    Before,
    /// The shared variable that an event waits for.
    Variable,
    /// What a model speaks of.
    Modelled,
    /// A crate that a model speaks of.
    Crate,
    /// A type, of which it is said how values are made.
    Made,
    /// The function that makes them.
    Maker,
}

/// What became of the user's word.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    setup: Vec<UnitId>,
    /// The unit of each event that was found.
    events: Vec<(UnitId, ToldEvent)>,
    bodies: BTreeSet<BodyId>,
    /// Names that nothing has.
    pub unmatched: Vec<Unmatched>,
    /// What cannot be done, and why.
    pub problems: Vec<(String, String)>,
}

impl Heard {
    /// Adds a unit for each function that was named.
    pub fn new(flow: &mut Flow<'_>, crates: &[Arc<mir::Crate>], units: &mut Units, told: &Told) -> Heard {
        let mut heard = Heard::default();
        for path in &told.setup {
            let function = Function::Named(path.clone());
            let unit = |inst| unit(inst, true, true, "it comes before everything else, as configured");
            let found = heard.add(flow, crates, units, &function, unit);
            heard.setup.extend(found);
        }
        for event in &told.events {
            let why = match event.function {
                Function::Named(_) => "configured",
                Function::At { .. } => "a comment says so",
            };
            let unit =
                |inst| Unit { started: event.after.is_some(), ..unit(inst, event.once, event.on_ui, why) };
            let found = heard.add(flow, crates, units, &event.function, unit);
            heard.events.extend(found.map(|id| (id, event.clone())));
        }
        heard
    }

    /// Whether the user spoke of this body, so that no rule has to.
    pub fn has(&self, body: BodyId) -> bool {
        self.bodies.contains(&body)
    }

    fn add(
        &mut self,
        flow: &mut Flow<'_>,
        crates: &[Arc<mir::Crate>],
        units: &mut Units,
        function: &Function,
        unit: impl Fn(crate::world::points::points_to::InstId) -> Unit,
    ) -> Option<UnitId> {
        let bodies = (0..flow.code.bodies.len() as u32).map(BodyId);
        let found: Vec<BodyId> = bodies
            .filter(|&id| function.is(flow.code.body(id), &crates[flow.code.home[id.0 as usize]]))
            .collect();
        match found[..] {
            [body] => {
                let inst = flow.instance(crate::world::api::WORLD, body, Vec::new(), Rc::default(), None);
                outside_arguments(flow, inst);
                self.bodies.insert(body);
                return Some(units.add(unit(inst)));
            }
            [] => self.unmatched.push(function.unmatched(flow.code.bodies.iter().copied())),
            _ => {
                let reason = "configured as an event, but there are several such functions";
                self.problems.push((function.to_string(), reason.to_owned()));
            }
        }
        None
    }

    /// The procedures of the events.
    pub fn events(&self, emitter: &Emitter<'_, '_>) -> BTreeSet<ProcId> {
        self.events.iter().filter_map(|(unit, _)| emitter.unit_procs.get(unit).copied()).collect()
    }

    /// Names of variables that guard events.
    pub fn guards(&self) -> Vec<String> {
        self.events.iter().filter_map(|(_, event)| event.when.clone()).collect()
    }

    /// Leaves of the setup what it stored, and lets events wait for what they come after.
    pub fn arrange(&mut self, emitter: &mut Emitter<'_, '_>) {
        let is_event = |unit: &UnitId| self.events.iter().any(|(event, _)| event == unit);
        let setup = self.setup.iter().filter_map(|unit| {
            let event = *emitter.unit_procs.get(unit)?;
            Some(Setup { event, stays: is_event(unit), known: !emitter.missing.contains(&event) })
        });
        let setup: Vec<Setup> = setup.collect();
        settle(&mut emitter.program, &setup, emitter.flow.limits().deadline);
        for (unit, event) in self.events.clone() {
            let Some(&proc) = emitter.unit_procs.get(&unit) else { continue };
            let guarded = self.guard(emitter, proc, &event);
            if let Err(reason) = guarded.and_then(|()| self.follow(emitter, unit, &event)) {
                self.problems.push((event.function.to_string(), reason));
            }
        }
    }

    /// The event may only come while its variable is true.
    fn guard(
        &mut self,
        emitter: &mut Emitter<'_, '_>,
        proc: ProcId,
        event: &ToldEvent,
    ) -> Result<(), String> {
        let Some(name) = &event.when else { return Ok(()) };
        if event.after.is_some() {
            return Err("it cannot have both `when` and `after`".into());
        }
        let vars = &emitter.program.vars;
        let Some(var) = vars.iter().position(|var| ends_with(&var.name, name)) else {
            let names: Vec<&str> = vars.iter().map(|var| ending(&var.name, ".", name)).collect();
            self.unmatched.push(Unmatched::new(Wanted::Variable, name, names));
            return Ok(());
        };
        if vars[var].domain != Some(Domain::Bool) {
            return Err(format!(
                "it waits for `{name}`, whose value is not followed: it has to be an `AtomicBool` \
                                or a `bool` in a lock or cell, set to constants"
            ));
        }
        if let ProcKind::Event { guard, .. } = &mut emitter.program.procs[proc.index()].kind {
            *guard = Some(VarId(var as u32));
        }
        Ok(())
    }

    /// The event that comes before says so at its end.
    fn follow(
        &mut self,
        emitter: &mut Emitter<'_, '_>,
        unit: UnitId,
        event: &ToldEvent,
    ) -> Result<(), String> {
        let Some(before) = &event.after else { return Ok(()) };
        let first = self.events.iter().find(|(_, other)| match &other.function {
            Function::Named(path) => ends_with(path, before) || ends_with(before, path),
            Function::At { .. } => false,
        });
        let Some((first, other)) = first else {
            let names = self.events.iter().filter_map(|(_, other)| match &other.function {
                Function::Named(path) => Some(ending(path, "::", before)),
                Function::At { .. } => None,
            });
            let unmatched = Unmatched::new(Wanted::Before, before, names);
            self.unmatched.push(unmatched);
            return Ok(());
        };
        if !other.once {
            return Err(format!("it comes after `{before}`, which has to be `once` for that"));
        }
        let Some(&proc) = emitter.unit_procs.get(first) else { return Ok(()) };
        let (var, inst) = (emitter.started_var(unit), emitter.units.units[first.0].inst);
        let whole = emitter.set_apart(proc, inst);
        let call = emitter.stmt(None, StmtKind::Call { proc: whole, args: Vec::new(), result: None });
        let done = emitter.stmt(None, StmtKind::SetVar(var, Expr::Const(Value::Bool(true))));
        emitter.program.procs[proc.index()].body = vec![call, done];
        Ok(())
    }
}

fn unit(inst: crate::world::points::points_to::InstId, once: bool, on_ui: bool, why: &str) -> Unit {
    Unit {
        at: None,
        inst,
        part: None,
        phase: Phase::Event,
        event: true,
        once,
        actor: false,
        on: if on_ui { On::Ui } else { On::Any },
        why: why.into(),
        parent: None,
        shared: false,
        given_by: None,
        idle: false,
        started: false,
    }
}

impl Unmatched {
    /// The name, and the one of these that hardly differs from it.
    pub fn new<'c>(wanted: Wanted, name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Unmatched {
        let nearest = nearest(name, candidates).map(str::to_owned);
        Unmatched { wanted, name: name.to_owned(), nearest }
    }
}

impl Function {
    fn unmatched<'b>(&self, bodies: impl Iterator<Item = &'b Body>) -> Unmatched {
        let Function::Named(path) = self else {
            return Unmatched::new(Wanted::Commented, &self.to_string(), []);
        };
        let functions = bodies.filter(|body| matches!(body.kind, BodyKind::Fn));
        // Names are trimmed, definitions are not: they have the modules.
        let names = functions.flat_map(|body| [body.path.plain(), body.def.to_string()]);
        let names: Vec<String> = names.map(|name| ending(&name, "::", path).to_owned()).collect();
        Unmatched::new(Wanted::Function, path, names.iter().map(String::as_str))
    }

    fn is(&self, body: &Body, krate: &mir::Crate) -> bool {
        if !matches!(body.kind, BodyKind::Fn) {
            return false;
        }
        match self {
            Function::At { file, lines } => {
                &*body.span.file == file.as_str() && (lines.0..=lines.1).contains(&body.span.line)
            }
            Function::Named(path) => {
                let told: Vec<&str> = path.split("::").collect();
                let theirs: Vec<&str> = body.path.segments.iter().map(|segment| &*segment.name).collect();
                let common = told.len().min(theirs.len());
                // Names are trimmed, definitions are not: they have the modules.
                let (modules, end) = told.split_at(told.len() - common);
                theirs.ends_with(end)
                    && modules
                        .iter()
                        .all(|part| *part == &*krate.name || body.def.split("::").any(|own| own == *part))
            }
        }
    }
}

/// As many of the last parts of a name as another one has.
fn ending<'n>(name: &'n str, separator: &str, like: &str) -> &'n str {
    let count = like.matches(separator).count() + 1;
    name.rmatch_indices(separator).nth(count - 1).map_or(name, |(at, _)| &name[at + separator.len()..])
}

/// Whether a dotted or `::` path ends with another.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.') || rest.ends_with("::"))
}

/// Whether one of these names means the variable.
pub(crate) fn is_wanted(wanted: &[String], variable: &str) -> bool {
    wanted.iter().any(|name| ends_with(variable, name))
}
