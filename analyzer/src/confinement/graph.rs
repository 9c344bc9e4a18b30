//! Who runs what, as far as it matters where: for each instance of a body what it asks of the place where it runs, whom it
//! calls and starts, and where on its way the place changes.

use std::collections::BTreeSet;

use robust_models::{Blocks, Flow as ModelFlow, Function, Order};
use rustc_hash::FxHashMap;

use crate::mir::{
    Body, BodyKind, CallTarget, Callee, ConstKind, Local, Operand, Path, Rvalue, StatementKind,
    TerminatorKind, Ty, TyKind,
};
use crate::world::actions::call_effects::side_by_side;
use crate::world::actions::cfg::Cfg;
use crate::world::facts::Facts;
use crate::world::points::bodies::BodyId;
use crate::world::points::drops::Dropped;
use crate::world::points::foreign::of_impl;
use crate::world::points::heap::{LocId, Root as Origin, Value};
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::points::types::{any_part, substitute_path};

use super::atoms::{Atoms, DemandSet};
use super::owned;
use super::place::{PlaceId, Places};
use super::streams;
use super::tested::where_it_fails;

pub(crate) use crate::world::coverage::is_code;

/// The methods by which closures and functions are called as values.
const CALLS: [&str; 3] = ["call", "call_mut", "call_once"];

/// What is behind `dyn` is behind so many pointers.
const BEHIND: usize = 3;

/// All instances.
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
}

/// An instance of a body.
#[derive(Default)]
pub(crate) struct Node {
    pub sites: Vec<Site>,
    pub edges: Vec<Edge>,
    shifts: Vec<Shift>,
}

/// An operation that asks something of the place where it runs.
pub(crate) struct Site {
    pub block: u32,
    pub atoms: Atoms,
    /// What it is, for readers: `std::thread::sleep`.
    pub operation: String,
    /// It is the drop of such a value.
    pub dropped: bool,
}

/// Code that runs because of a call.
pub(crate) struct Edge {
    pub block: u32,
    pub to: InstId,
    pub at: At,
    /// The library function that runs it, if it is one.
    pub by: Option<String>,
    /// Other futures are polled in turn with it.
    pub in_turn: bool,
    /// There may be several of it that are.
    pub several: bool,
    /// A stream tells something.
    pub told: bool,
    /// It makes what is made when it is first needed: nobody waits for that twice, so what blocks there is left out.
    pub first: bool,
}

/// Where that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum At {
    /// Where the call is.
    Here,
    Place(PlaceId),
    /// Nobody knows: it is given to a function that is not known, which is not even known to run it.
    Unknown,
}

/// From some point on, more is there, or the code has asked whether it is.
struct Shift {
    blocks: BTreeSet<usize>,
    has: DemandSet,
    told: DemandSet,
    /// The code has asked for these, and was told that they are not there.
    lacks: DemandSet,
}

/// What is the same in all instances of a body.
struct OfBody {
    /// Locals that hold such guards, with what is there while they do.
    guards: Vec<(Local, DemandSet)>,
    /// Drops that ask for something: where, for what, and of which type.
    drops: Vec<(u32, Atoms, String)>,
}

/// What is there while there is a value of a type, and what dropping one asks for, as a value of which type.
type OfType = (DemandSet, Atoms, String);

/// The places of all threads that a program makes.
pub(crate) fn made<'a>(flow: &Flow<'a>) -> BTreeSet<&'a str> {
    let makes = called(flow).filter_map(|function| function.makes.as_ref());
    makes.flatten().map(String::as_str).collect()
}

/// The kinds of operations of which a program sees to it that they keep nobody waiting.
pub(crate) fn unblocked(flow: &Flow<'_>) -> Vec<Blocks> {
    called(flow).filter_map(|function| function.unblocks).collect()
}

/// What is known of the functions without bodies that a program calls.
fn called<'a>(flow: &Flow<'a>) -> impl Iterator<Item = &'a Function> {
    let names = flow.calls.values().filter_map(|info| info.foreign.as_deref());
    names.filter_map(|name| flow.models.effect(name))
}

impl Node {
    /// What more is there in a block, and what the code asked about before it.
    pub fn shift(&self, block: u32) -> (DemandSet, DemandSet) {
        let covers = |shift: &&Shift| shift.blocks.contains(&(block as usize));
        let covering = self.shifts.iter().filter(covers);
        covering.fold((0, 0), |(has, told), shift| (has | shift.has, told | shift.told))
    }

    /// What is not there in a block, as the code was told.
    pub fn lacks(&self, block: u32) -> DemandSet {
        let covers = |shift: &&Shift| shift.blocks.contains(&(block as usize));
        self.shifts.iter().filter(covers).fold(0, |lacks, shift| lacks | shift.lacks)
    }
}

impl Graph {
    pub fn new(flow: &Flow<'_>, facts: &Facts, places: &Places<'_>) -> Self {
        let mut bodies: FxHashMap<BodyId, OfBody> = FxHashMap::default();
        let mut types: FxHashMap<Ty, OfType> = FxHashMap::default();
        let build = Build { flow, places };
        let mut nodes = Vec::with_capacity(flow.instances.len());
        for index in 0..flow.instances.len() {
            let inst = InstId(index as u32);
            let id = flow.instances[index].body;
            let of_body = bodies.entry(id).or_insert_with(|| build.of_body(flow.code.body(id), &mut types));
            // Where it is too late for the rest, nothing is said of what it runs.
            let Some(cfg) = facts.cfgs.get(index).filter(|_| !flow.is_late_by_now()) else { break };
            nodes.push(build.node(inst, cfg, of_body));
        }
        nodes.resize_with(flow.instances.len(), Node::default);
        streams::connect(flow, places, &mut nodes);
        Graph { nodes }
    }

    pub fn node(&self, inst: InstId) -> &Node {
        &self.nodes[inst.0 as usize]
    }
}

struct Build<'b, 'a> {
    flow: &'b Flow<'a>,
    places: &'b Places<'a>,
}

impl Build<'_, '_> {
    fn of_body(&self, body: &Body, types: &mut FxHashMap<Ty, OfType>) -> OfBody {
        let (mut guards, mut droppers) = (Vec::new(), Vec::new());
        for (number, decl) in body.locals.iter().enumerate() {
            let (enters, dropped, of) =
                types.entry(decl.ty.clone()).or_insert_with(|| self.of_type(&decl.ty));
            let local = Local(number as u32);
            if *enters != 0 {
                guards.push((local, *enters));
            }
            if !dropped.is_empty() {
                droppers.push((local, *dropped, of.clone()));
            }
        }
        let drops = if droppers.is_empty() { Vec::new() } else { drops(body, &droppers) };
        OfBody { guards, drops }
    }

    fn of_type(&self, ty: &Ty) -> OfType {
        if matches!(&**ty, TyKind::Ref { .. } | TyKind::Ptr { .. }) {
            return OfType::default();
        }
        let mut enters = 0;
        owned::has(self.flow, ty, &mut |part| {
            enters |= self.flow.model(part).map_or(0, |model| self.places.demands.set(&model.enters));
            false
        });
        let (dropped, of) = self.of_drop(ty).unwrap_or_default();
        (enters, dropped, of)
    }

    /// What dropping a value of a type asks for, as one of which type.
    fn of_drop(&self, ty: &Ty) -> Option<(Atoms, String)> {
        owned::dropped(self.flow, ty).iter().find_map(|part| {
            let effect = self.flow.model(part)?.dropped.as_ref()?;
            let atoms = Atoms::of_effect(effect, &self.places.demands);
            Some((atoms, part.as_path().map(Path::plain).unwrap_or_default()))
        })
    }

    fn node(&self, inst: InstId, cfg: &Cfg, of_body: &OfBody) -> Node {
        let mut node = Node::default();
        let body = self.flow.body_of(inst);
        for &block in &cfg.reached {
            let info = self.flow.calls.get(&(inst, block as u32));
            if let TerminatorKind::Call(call) = &body.blocks[block].terminator.kind {
                self.call(&mut node, (inst, block), call, info, cfg);
                for (local, has) in &of_body.guards {
                    if call.dest.local == *local {
                        let blocks = while_held(body, cfg, block, &of_body.guards);
                        node.shifts.push(Shift { blocks, has: *has, told: 0, lacks: 0 });
                    }
                }
            }
            if let Some(info) = info {
                self.polled(&mut node, block as u32, info);
                self.edges(&mut node, block as u32, info, cfg);
            }
        }
        for (block, atoms, operation) in &of_body.drops {
            if cfg.reached.contains(&(*block as usize)) {
                let operation = operation.clone();
                node.sites.push(Site { block: *block, atoms: *atoms, operation, dropped: true });
            }
        }
        node
    }

    /// What a call asks for, or tells.
    fn call(
        &self,
        node: &mut Node,
        (inst, block): (InstId, usize),
        call: &CallTarget,
        info: Option<&CallInfo>,
        cfg: &Cfg,
    ) {
        if info.is_none_or(|info| !info.runs_here())
            && let Callee::Fn { path, .. } = &call.callee
            && let Some((operation, function)) = self.operation(inst, path)
        {
            self.site(node, block as u32, &operation, self.asked(function));
            self.through(node, (inst, block), call, function);
            let told = self.places.demands.set(function.tests.iter().flatten());
            if told != 0 {
                node.shifts.push(Shift { blocks: behind(cfg, block), has: 0, told, lacks: 0 });
                let blocks = where_it_fails(self.flow, inst, cfg, call);
                node.shifts.push(Shift { blocks, has: 0, told: 0, lacks: told });
            }
        }
        let model = info.and_then(|info| self.flow.model_of(info));
        if let Some(place) = model.and_then(|model| call.args.get(model.drops?)?.place())
            && let Some(ty) = self.flow.place_ty(inst, place)
            && let Some((atoms, operation)) = self.of_drop(&ty)
        {
            node.sites.push(Site { block: block as u32, atoms, operation, dropped: true });
        }
        let calls = model.and_then(|model| model.calls.as_ref());
        let times = calls.map(|calls| calls.times);
        // What it is given runs later, where its result is awaited: somewhere behind it.
        if times == Some(Order::Never)
            && let Some(at) = calls.and_then(|calls| calls.at.as_deref())
        {
            let has = self.places.demands.set(&self.places.get(self.places.named(at)).has);
            node.shifts.push(Shift { blocks: behind(cfg, block), has, told: 0, lacks: 0 });
        }
        // Functions of libraries that a library is given to call.
        let is_stream = model.is_some_and(|model| model.stream.is_some());
        let is_given = info.is_some_and(|info| info.foreign.is_some() && info.spawn.is_none());
        if is_given && !is_stream && !matches!(times, Some(Order::Never | Order::Initially)) {
            for arg in &call.args {
                if let Operand::Const(constant) = arg
                    && let ConstKind::Fn(path) = &constant.kind
                    && let Some((operation, function)) = self.operation(inst, path)
                {
                    self.site(node, block as u32, &operation, self.asked(function));
                }
            }
        }
    }

    /// What the futures of libraries ask for that a call polls.
    fn polled(&self, node: &mut Node, block: u32, info: &CallInfo) {
        for leaf in info.poll.iter().flatten() {
            if let Value::Future(key) = leaf
                && let Some(function) = self.flow.models.effect(key)
            {
                self.site(node, block, key, Atoms::of_future(function, &self.places.demands));
            }
        }
    }

    /// What a library's function calls of what it is given, where that is a library's as well: `read` of the file in a buffer.
    fn through(
        &self,
        node: &mut Node,
        (inst, block): (InstId, usize),
        call: &CallTarget,
        function: &Function,
    ) {
        let mut methods: Vec<&str> = function.through.iter().flatten().map(String::as_str).collect();
        if methods.is_empty() {
            return;
        }
        let types = self.types_of(inst, &call.args);
        let mut next = 0;
        while let Some(name) = methods.get(next).and_then(|method| method.rsplit("::").next()) {
            next += 1;
            for ty in &types {
                let operation = format!("{ty}::{name}");
                let Some(effect) = self.flow.models.effect(&operation) else { continue };
                self.site(node, block as u32, &operation, self.asked(effect));
                for more in effect.through.iter().flatten() {
                    if !methods.contains(&more.as_str()) {
                        methods.push(more);
                    }
                }
            }
        }
    }

    /// The paths of all types that arguments are made of; where one is behind `dyn`, what that may be.
    fn types_of(&self, inst: InstId, args: &[Operand]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut note = |ty: &TyKind| {
            let mut open = false;
            any_part(ty, &mut |part| {
                open |= matches!(part, TyKind::Dyn(_));
                found.extend(part.as_path().filter(|path| path.qself.is_none()).map(Path::plain));
                false
            });
            open
        };
        for place in args.iter().filter_map(Operand::place) {
            let Some(ty) = self.flow.place_ty(inst, place) else { continue };
            if !note(&ty) {
                continue;
            }
            let local = self.flow.heap.find(&Origin::Local(inst, place.local.0));
            let mut level: Vec<LocId> = local.into_iter().collect();
            for _ in 0..BEHIND {
                level = self.flow.heap.behind(&level);
                level
                    .iter()
                    .filter_map(|loc| self.flow.heap.get(*loc).ty.clone())
                    .for_each(|ty| _ = note(&ty));
            }
        }
        found
    }

    fn asked(&self, function: &Function) -> Atoms {
        Atoms::of_function(function, &self.places.demands)
    }

    fn site(&self, node: &mut Node, block: u32, operation: &str, atoms: Atoms) {
        if atoms != Atoms::default() {
            node.sites.push(Site { block, atoms, operation: operation.to_owned(), dropped: false });
        }
    }

    /// The library function that a path means in an instance, if something is known of where it may run.
    fn operation(&self, inst: InstId, path: &Path) -> Option<(String, &Function)> {
        let models = self.flow.models;
        if path.qself.is_some() && CALLS.contains(&path.last()) {
            let path = substitute_path(path, &self.flow.subst_of(inst));
            let TyKind::FnDef(_, item) = path.qself.as_ref()?.ty.peel_refs() else { return None };
            return self.operation(inst, item);
        }
        let first = path.segments.first().map_or("", |segment| &*segment.name);
        if !models.may_have_effect(first, path.last()) {
            return None;
        }
        let path = substitute_path(path, &self.flow.subst_of(inst));
        let own = path.qself.as_ref().and_then(|qself| qself.ty.peel_refs().as_path());
        let own = own.map(|ty| format!("{}::{}", ty.plain(), path.last()));
        let plain = path.plain();
        let own = own.and_then(|own| Some((models.effect(&own)?, own)));
        let of_impl = of_impl(&plain).and_then(|name| Some((models.effect(&name)?, name)));
        let (function, operation) = own.or(of_impl).or_else(|| Some((models.effect(&plain)?, plain)))?;
        Some((operation, function))
    }

    /// Whom a call runs, and where.
    fn edges(&self, node: &mut Node, block: u32, info: &CallInfo, cfg: &Cfg) {
        let model = self.flow.model_of(info);
        let by = info.foreign.clone();
        let several = info.polled.as_ref().is_some_and(|polled| side_by_side(self.flow, polled).is_some());
        let edge = |to: InstId, at: At, in_turn: bool| {
            let by = by.clone().filter(|_| at != At::Here);
            Edge { block, to, at, by, in_turn, several, told: false, first: false }
        };
        if let Some(spawn) = model.and_then(|model| model.spawn.as_ref()) {
            let at = match &spawn.at {
                Some(name) => self.places.named(name),
                None => self.places.on(spawn.on),
            };
            let in_turn = self.places.get(at).here;
            node.edges.extend(info.spawned.iter().map(|task| edge(*task, At::Place(at), in_turn)));
        }
        let calls = model.and_then(|model| model.calls.as_ref());
        // What streams are given runs when they tell something.
        let is_stream = model.is_some_and(|model| model.stream.is_some());
        let first = calls.is_some_and(|calls| calls.times == Order::Initially);
        // What is given to be made later is made where that is needed, which is not followed.
        let later = first && model.is_some_and(|model| model.flow == Some(ModelFlow::Wrap));
        if !is_stream && !later {
            let at = match calls.and_then(|calls| calls.at.as_deref()) {
                Some(name) => At::Place(self.places.named(name)),
                None if self.is_strange(info) => At::Unknown,
                None => At::Here,
            };
            let unmodelled = info.foreign.is_some() && info.model.is_none();
            node.edges.extend(info.callees.iter().map(|callee| {
                // Who runs a whole future may drive a runtime of its own.
                let is_future = matches!(self.flow.body_of(*callee).kind, BodyKind::Coroutine { .. });
                let at = if unmodelled && is_future { At::Unknown } else { at };
                Edge { first, ..edge(*callee, at, cfg.polls || several) }
            }));
        }
        let dropped = info.drops.iter().filter_map(|dropped| match dropped {
            Dropped::Run { run, .. } => Some(edge(*run, At::Here, false)),
            Dropped::Guard(..) => None,
        });
        node.edges.extend(dropped);
    }

    /// Whether nobody knows what the function that is called does with code.
    fn is_strange(&self, info: &CallInfo) -> bool {
        let Some(name) = info.foreign.as_ref().filter(|_| info.model.is_none()) else { return false };
        let name = name.trim_start_matches('<');
        !self.flow.models.is_known_crate(name.split("::").next().unwrap_or(name))
    }
}

/// The blocks behind a call.
fn behind(cfg: &Cfg, call: usize) -> BTreeSet<usize> {
    crate::world::actions::cfg::reach(&cfg.succs, cfg.succs[call].iter().copied())
}

/// The blocks behind a call up to where the guard that it returned is dropped.
fn while_held(body: &Body, cfg: &Cfg, call: usize, guards: &[(Local, DemandSet)]) -> BTreeSet<usize> {
    let is_guard = |local: Local| guards.iter().any(|(guard, _)| *guard == local);
    let mut seen: BTreeSet<usize> = cfg.succs[call].iter().copied().collect();
    let mut work: Vec<usize> = seen.iter().copied().collect();
    while let Some(at) = work.pop() {
        let is_given = |arg: &Operand| matches!(arg, Operand::Move(place) if is_guard(place.local));
        match &body.blocks[at].terminator.kind {
            TerminatorKind::Drop { place, .. } if is_guard(place.local) => {}
            // It is given away: to `drop`, as a rule.
            TerminatorKind::Call(call) if !is_guard(call.dest.local) && call.args.iter().any(is_given) => {}
            _ => work.extend(cfg.succs[at].iter().copied().filter(|next| seen.insert(*next))),
        }
    }
    seen
}

/// The drops of values in these locals, those apart that may have been moved elsewhere before.
fn drops(body: &Body, droppers: &[(Local, Atoms, String)]) -> Vec<(u32, Atoms, String)> {
    let moved = moved(body);
    let mut found = Vec::new();
    for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        let TerminatorKind::Drop { place, .. } = &block.terminator.kind else { continue };
        let Some(local) = place.as_local().filter(|local| !moved.contains(local)) else { continue };
        let known = droppers.iter().find(|(dropper, ..)| *dropper == local);
        found.extend(known.map(|(_, atoms, of)| (index as u32, *atoms, of.clone())));
    }
    found
}

/// The locals that are moved out of somewhere, in whole or in part.
fn moved(body: &Body) -> BTreeSet<Local> {
    let mut moved = BTreeSet::new();
    let mut note = |operand: &Operand| {
        if let Operand::Move(place) = operand {
            moved.insert(place.local);
        }
    };
    for block in &body.blocks {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assign(_, Rvalue::Use(operand) | Rvalue::Cast(_, operand, _)) => note(operand),
                StatementKind::Assign(_, Rvalue::Aggregate(_, operands)) => {
                    operands.iter().for_each(&mut note)
                }
                _ => {}
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind {
            call.args.iter().for_each(&mut note);
        }
    }
    moved
}
