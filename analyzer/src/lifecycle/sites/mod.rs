//! Where tasks are started, where their handles get to, and where somebody waits for them ([`joins`]).

mod joins;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use robust_models::{OnDrop, TypeKind};

use crate::mir::{
    BodyKind, CallTarget, ConstKind, Crate, Name, Operand, Path, Place, Projection, Ty, TyKind,
};
use crate::world::facts::Facts;
use crate::world::points::bodies::BodyId;
use crate::world::points::heap::{LocId, Root, Value};
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::points::served::is_standard_path;
use crate::world::points::types::{any_part, parts};
use crate::world::units::{Phase, Units};

use super::body::{arg_places, call_at, fate};
use super::describe::Describe;
use super::{Told, ends};

/// The kind of a crate that is a program.
const EXECUTABLE: &str = "bin";

/// Handles are looked for in so many locations below an argument.
const REACH: usize = 64;

/// A call in the text that starts tasks.
pub(crate) type Key = (BodyId, u32);

/// A place where tasks are started.
pub(crate) struct Site {
    pub key: Key,
    /// The instances of the body that start them.
    pub insts: Vec<InstId>,
    pub tasks: BTreeSet<InstId>,
    /// What a task ends with, where its handle's type says so.
    pub output: Option<Ty>,
    /// What becomes of a task when what its handle is put into at once is dropped.
    pub on_drop: Option<OnDrop>,
    /// Its handle goes into a set.
    pub in_set: bool,
    /// There may be several of these tasks.
    pub many: bool,
    pub uses: Vec<Use>,
}

/// Something that is done with a handle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Use {
    pub what: What,
    pub inst: InstId,
    pub block: u32,
}

/// What is done with a handle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// Somebody waits for the task.
    Join,
    /// The task is to end.
    Cancel,
    /// Nobody waits for it any more.
    Detach,
    /// It is put where dropping it ends the task.
    Guard,
    /// It gets to where it is not followed.
    Lost(String),
}

/// All places where tasks are started, with all that is done with their handles.
pub(crate) struct Sites<'f, 'a> {
    pub flow: &'f Flow<'a>,
    pub facts: &'f Facts,
    pub list: Vec<Site>,
    /// By location: the tasks whose handles it holds.
    holders: BTreeMap<LocId, BTreeSet<usize>>,
    /// Instances that something runs that is not there for developers only.
    pub live: BTreeSet<InstId>,
    /// Instances that may run more than once.
    pub often: BTreeSet<InstId>,
    /// What begins by itself: events and tasks.
    pub begun: BTreeSet<InstId>,
    /// By crate: whether it is more than something for developers.
    shipped: Vec<bool>,
    /// By crate: whether nobody else calls what is in it.
    executable: Vec<bool>,
    /// By crate: its name.
    names: Vec<Name>,
}

impl<'f, 'a> Sites<'f, 'a> {
    pub fn find(flow: &'f Flow<'a>, facts: &'f Facts, units: &Units, crates: &[Arc<Crate>]) -> Self {
        let mut sites = Sites {
            flow,
            facts,
            list: Vec::new(),
            holders: BTreeMap::new(),
            live: BTreeSet::new(),
            often: BTreeSet::new(),
            begun: units.units.iter().map(|unit| unit.inst).collect(),
            shipped: crates
                .iter()
                .map(|krate| !crate::confinement::is_for_development(&krate.kind))
                .collect(),
            executable: crates.iter().map(|krate| krate.kind == EXECUTABLE).collect(),
            names: crates.iter().map(|krate| krate.name.clone()).collect(),
        };
        for (unit, visits) in units.units.iter().zip(&units.visits) {
            if !sites.is_shipped(flow.home_of(unit.inst)) {
                continue;
            }
            sites.live.extend(visits.iter().map(|(inst, ..)| *inst));
            let often = |phase: &Phase| !unit.once || matches!(phase, Phase::Repeated);
            sites.often.extend(visits.iter().filter(|(_, phase, _)| often(phase)).map(|(inst, ..)| *inst));
        }
        sites.collect();
        sites.follow(units);
        sites
    }

    /// Whether the crate with this number is more than something for developers.
    pub fn is_shipped(&self, home: usize) -> bool {
        self.shipped.get(home).copied().unwrap_or(true)
    }

    /// Whether nobody else calls what is in the crate with this number.
    pub fn is_executable(&self, home: usize) -> bool {
        self.executable.get(home).copied().unwrap_or(false)
    }

    /// Whether a path in the text of a crate is that of an item, as this crate or another one names it.
    pub fn is_item(&self, path: &str, home: usize, item: &str) -> bool {
        let within = || item.strip_prefix(self.names.get(home)?.as_str())?.strip_prefix("::");
        path == item || within() == Some(path)
    }

    fn collect(&mut self) {
        // What a function starts that is given what to start is told apart by what that ends with.
        let mut known: BTreeMap<(Key, Option<String>), usize> = BTreeMap::new();
        let mut of_call: BTreeMap<(InstId, u32), usize> = BTreeMap::new();
        for ((inst, block), info) in &self.flow.calls {
            let Some((_, scoped)) = info.spawn else { continue };
            let reached = self.facts.cfgs[inst.0 as usize].reached.contains(&(*block as usize));
            if scoped || !reached || !self.live.contains(inst) {
                continue;
            }
            let key = (self.flow.instances[inst.0 as usize].body, *block);
            let site = self.site(key, *inst, info);
            let output = site.output.as_ref().map(|output| output.to_string());
            let number = *known.entry((key, output)).or_insert_with(|| {
                self.list.push(site);
                self.list.len() - 1
            });
            of_call.insert((*inst, *block), number);
            let in_loop = self.facts.cfgs[inst.0 as usize].loop_of(*block as usize).is_some();
            let many = in_loop || self.often.contains(inst);
            let site = &mut self.list[number];
            site.insts.push(*inst);
            site.tasks.extend(&info.spawned);
            site.many |= many;
        }
        for loc in self.flow.heap.ids() {
            for value in self.flow.heap.get(loc).values.keys() {
                if let Value::Handle(inst, block) = value
                    && let Some(number) = of_call.get(&(*inst, *block))
                {
                    self.holders.entry(loc).or_default().insert(*number);
                }
            }
        }
    }

    fn site(&self, key: Key, inst: InstId, info: &CallInfo) -> Site {
        let call = call_at(self.flow.body_of(inst), key.1 as usize);
        let of_dest = call.and_then(|call| self.keeper(&*self.flow.place_ty(inst, &call.dest)?));
        let into = self.flow.model_of(info).and_then(|model| model.spawn.as_ref()?.into);
        let of_set = into.and_then(|number| {
            let place = call?.args.get(number)?.place()?;
            self.keeper(self.flow.place_ty(inst, place)?.peel_refs())
        });
        let on_drop = of_set.as_ref().or(of_dest.as_ref()).map(|(on_drop, _)| *on_drop);
        let output = |keeper: Option<(OnDrop, Option<Ty>)>| keeper.and_then(|(_, output)| output);
        // Where the type is the function's own parameter, or made of it, the task says it.
        let declared = output(of_set).or_else(|| output(of_dest));
        let is_open = declared.as_ref().is_some_and(|output| is_open(output));
        let of_task = || self.flow.local_ty(*info.spawned.first()?, 0);
        Site {
            key,
            insts: Vec::new(),
            tasks: BTreeSet::new(),
            output: if is_open { of_task().or(declared) } else { declared },
            on_drop,
            in_set: into.is_some(),
            many: false,
            uses: Vec::new(),
        }
    }

    /// Whether a value of the type keeps tasks: what dropping it does to them, and their output.
    pub fn keeper(&self, ty: &TyKind) -> Option<(OnDrop, Option<Ty>)> {
        if let Some(on_drop) = self.flow.model(ty).and_then(|model| model.on_drop)
            && on_drop != OnDrop::Close
        {
            return Some((on_drop, ty.as_path().and_then(|path| path.type_args().next().cloned())));
        }
        parts(ty).into_iter().find_map(|part| self.keeper(part))
    }

    /// The locations that a place may be.
    pub fn locs(&self, inst: InstId, place: &Place) -> Vec<LocId> {
        let heap = &self.flow.heap;
        let mut locs: Vec<LocId> = heap.find(&Root::Local(inst, place.local.0)).into_iter().collect();
        let mut variant = crate::mir::Name::default();
        for step in &place.projection {
            match step {
                Projection::Deref => locs = heap.behind(&locs),
                Projection::Field(number, _) => {
                    let field = (std::mem::take(&mut variant), *number);
                    let child = |loc: &LocId| {
                        let mut parts = heap.get(*loc).children.iter();
                        parts.find(|(part, _)| part.field == field).map_or(*loc, |(_, child)| *child)
                    };
                    locs = locs.iter().map(child).collect();
                }
                Projection::Downcast(name) => variant = name.clone(),
                _ => {}
            }
        }
        locs
    }

    /// The tasks whose handles are in, or behind, these locations.
    pub fn handles(&self, locs: &[LocId]) -> BTreeSet<usize> {
        let mut seen: BTreeSet<LocId> = locs.iter().copied().collect();
        let mut work: Vec<LocId> = locs.to_vec();
        let mut found = BTreeSet::new();
        while let Some(at) = work.pop() {
            found.extend(self.holders.get(&at).into_iter().flatten());
            let loc = self.flow.heap.get(at);
            let next = loc.children.values().chain(&loc.points_to).copied();
            work.extend(next.filter(|next| seen.len() < REACH && seen.insert(*next)));
        }
        found
    }

    /// The locations that hold a task's handle.
    pub fn held_in(&self, site: usize) -> impl Iterator<Item = LocId> + '_ {
        self.holders.iter().filter(move |(_, sites)| sites.contains(&site)).map(|(loc, _)| *loc)
    }

    fn follow(&mut self, units: &Units) {
        if self.list.is_empty() {
            return;
        }
        let mut found: Vec<(usize, Use)> = Vec::new();
        let lost = |why: &str| {
            let what = What::Lost(why.to_owned());
            let kept = |site: &Site| super::by_text::is_kept_to_itself(self.flow, site);
            let one = |site: &Site| Use { what: what.clone(), inst: site.insts[0], block: site.key.1 };
            let all = self.list.iter().enumerate().filter(|(_, site)| !kept(site));
            all.map(|(number, site)| (number, one(site))).collect::<Vec<_>>()
        };
        if self.flow.is_cut() {
            found.extend(lost("not all pointers were followed"));
        }
        for ((inst, block), info) in &self.flow.calls {
            if self.flow.is_late() {
                found.extend(lost("there was no time to follow its handle"));
                break;
            }
            for (what, sites) in self.done_with(*inst, *block, info) {
                let one = |site: usize| (site, Use { what: what.clone(), inst: *inst, block: *block });
                found.extend(sites.into_iter().map(one));
            }
        }
        // What callers from outside get, they may wait for.
        for unit in units.units.iter().filter(|unit| unit.parent.is_none() && unit.event) {
            let Some(ty) = self.flow.local_ty(unit.inst, 0) else { continue };
            let result = self.flow.heap.find(&Root::Local(unit.inst, 0));
            if let (Some(_), Some(result)) = (self.keeper(ty.peel_refs()), result) {
                let what = What::Lost("whoever called gets its handle".to_owned());
                let one = |site| (site, Use { what: what.clone(), inst: unit.inst, block: 0 });
                found.extend(self.handles(&[result]).into_iter().map(one));
            }
        }
        for (site, one) in found {
            self.list[site].uses.push(one);
        }
        for site in &mut self.list {
            site.uses.sort();
            site.uses.dedup();
        }
    }

    /// What a call does with which handles.
    fn done_with(&self, inst: InstId, block: u32, info: &CallInfo) -> Vec<(What, BTreeSet<usize>)> {
        let Some(call) = call_at(self.flow.body_of(inst), block as usize) else { return Vec::new() };
        let mut found = Vec::new();
        let arg = |number: usize| {
            let place = call.args.get(number)?.place()?;
            Some(self.handles(&self.locs(inst, place)))
        };
        if let Some(fate) = fate(self.flow, inst, block as usize) {
            found.extend(fate.cancels.and_then(arg).map(|sites| (What::Cancel, sites)));
            found.extend(fate.detaches.and_then(arg).map(|sites| (What::Detach, sites)));
        }
        if let Some(place) = self.waited_for(inst, block, info) {
            found.push((What::Join, self.handles(&self.locs(inst, place))));
        }
        if info.foreign.is_some() {
            found.extend(self.done_by_items(inst, call));
        }
        if !found.is_empty() || !info.callees.is_empty() && info.foreign.is_none() {
            return found;
        }
        let to = self.flow.place_ty(inst, &call.dest).and_then(|ty| self.keeper(&ty));
        for (_, place) in arg_places(call) {
            let Some(ty) = self.flow.place_ty(inst, place) else { continue };
            let Some((from, _)) = self.keeper(ty.peel_refs()) else { continue };
            let sites = || self.handles(&self.locs(inst, place));
            match (&to, info.foreign.as_deref()) {
                _ if info.spawn.is_some() && !is_owned(&ty) => {}
                (_, name) if info.spawn.is_some() => {
                    found.push((
                        What::Lost(format!("`{}` gets its handle", name.unwrap_or("a task"))),
                        sites(),
                    ));
                }
                (Some((OnDrop::Abort | OnDrop::Join, _)), _) if from == OnDrop::Detach => {
                    found.push((What::Guard, sites()));
                }
                (Some(_), Some(_)) => {}
                (None, Some(name)) if is_standard_path(name) => {}
                (None, Some(name)) if self.flow.models.is_known_crate(crate_of(name)) && !is_owned(&ty) => {}
                (_, name) => {
                    let name = name.unwrap_or("a function that is not known");
                    found.push((What::Lost(format!("`{name}` gets its handle")), sites()));
                }
            }
        }
        found
    }

    /// Whether polling may wait for tasks whose handles are there: what is polled is no `async` code of the program, which tells
    /// itself what it waits for, nor a lock, behind which handles may be kept, nor a message.
    fn may_wait(&self, info: &CallInfo, leaves: &BTreeSet<Value>) -> bool {
        let waits = |leaf: &Value| match leaf {
            Value::Future(path) => self.flow.models.function(path).is_none_or(|model| model.join.is_some()),
            _ => true,
        };
        let is_code = |inst: &InstId| matches!(self.flow.body_of(*inst).kind, BodyKind::Coroutine { .. });
        leaves.iter().any(waits) || leaves.is_empty() && !info.callees.iter().any(is_code)
    }

    /// What functions of libraries do with which handles that a library is given to call on what else it is given: `for_each(JoinHandle::abort)`.
    fn done_by_items(&self, inst: InstId, call: &CallTarget) -> Vec<(What, BTreeSet<usize>)> {
        let item = |arg: &Operand| match arg {
            Operand::Const(constant) => match &constant.kind {
                ConstKind::Fn(path) => Some(path.plain()),
                _ => None,
            },
            _ => None,
        };
        let handles = || -> BTreeSet<usize> {
            let each = arg_places(call).map(|(_, place)| self.handles(&self.locs(inst, place)));
            each.flatten().collect()
        };
        let mut found = Vec::new();
        for path in call.args.iter().filter_map(item) {
            let models = self.flow.models;
            if models.fate(&path).is_some_and(|fate| fate.cancels.is_some()) {
                found.push((What::Cancel, handles()));
            }
            if models.function(&path).is_some_and(|model| model.join.is_some()) {
                found.push((What::Join, handles()));
            }
        }
        found
    }

    /// Whether a location is of a kind that is shared by convention, or lives as long as the program.
    pub fn is_static(&self, loc: LocId) -> bool {
        matches!(&*self.flow.heap.get(loc).root, Root::Static(..) | Root::ThreadLocal(_))
    }

    /// Whether a type is a pointer that keeps what it points to.
    pub fn owns(&self, ty: &TyKind) -> bool {
        self.flow.kind(ty) == Some(TypeKind::Pointer)
            && self.flow.model(ty).is_some_and(|model| model.unique || model.counted)
    }

    /// What is known of each, for whoever asks.
    pub fn told(&self, describe: &Describe<'_, '_>) -> Vec<Told> {
        let told = |number: usize| self.tell(number, describe);
        let mut all: Vec<Told> = (0..self.list.len()).map(told).collect();
        all.sort();
        all
    }

    fn tell(&self, number: usize, describe: &Describe<'_, '_>) -> Told {
        let site = &self.list[number];
        let keeper = super::owners::of_handle(self, number);
        let fates: BTreeSet<String> = site.uses.iter().map(|one| one.what.shown().to_owned()).collect();
        let lost = site.uses.iter().find_map(|one| match &one.what {
            What::Lost(why) => Some(why.clone()),
            _ => None,
        });
        let ends: BTreeSet<String> = site.tasks.iter().map(|task| ends::shown(self, *task)).collect();
        let unknown = site.tasks.is_empty().then(|| "what it runs is not known".to_owned());
        let mut told = Told {
            place: describe.place(site.insts[0], site.key.1),
            owner: if site.in_set { "a set".to_owned() } else { keeper.unwrap_or_default() },
            by: describe.name(site.insts[0]),
            task: site.tasks.first().map_or_else(String::new, |task| describe.name(*task)),
            fate: match (fates.is_empty(), site.in_set) {
                (false, _) => fates.into_iter().collect::<Vec<_>>().join(", "),
                (true, true) => "kept in a set".to_owned(),
                (true, false) => "dropped".to_owned(),
            },
            output: site.output.as_ref().map_or_else(String::new, |ty| ty.to_string()),
            ends: ends.into_iter().collect::<Vec<_>>().join(", "),
            undecided: unknown.or(lost).unwrap_or_default(),
            always: BTreeSet::new(),
            never: BTreeSet::new(),
            violated: BTreeSet::new(),
        };
        told.learn(self, site);
        told
    }
}

impl Site {
    /// Whether its handle gets to where it is not followed.
    pub fn is_lost(&self) -> bool {
        self.tasks.is_empty() || self.uses.iter().any(|one| matches!(one.what, What::Lost(_)))
    }

    /// The types of a good output and of an error, if the task can end with one.
    pub fn error(&self) -> Option<&Ty> {
        fallible(self.output.as_ref()?)
    }
}

/// Whether a type depends on parameters of the function around it.
fn is_open(ty: &TyKind) -> bool {
    any_part(ty, &mut |part| {
        let is_parameter = |path: &Path| path.segments.len() == 1 && path.type_args().next().is_none();
        part.as_path().is_some_and(|path| path.qself.is_some() || is_parameter(path))
    })
}

/// The error type of a `Result` that can be one, and tells something: whoever makes `()` of an error has seen it.
pub(crate) fn fallible(output: &TyKind) -> Option<&Ty> {
    let (_, error) = super::body::result_parts(output)?;
    let never =
        matches!(&**error, TyKind::Never) || error.as_path().is_some_and(|path| path.last() == "Infallible");
    (!never && !error.is_unit()).then_some(error)
}

impl What {
    fn shown(&self) -> &'static str {
        match self {
            What::Join => "joined",
            What::Cancel => "cancelled",
            What::Detach => "detached",
            What::Guard => "guarded",
            What::Lost(_) => "lost sight of",
        }
    }
}

fn is_owned(ty: &TyKind) -> bool {
    !matches!(ty, TyKind::Ref { .. })
}

fn crate_of(path: &str) -> &str {
    let path = path.trim_start_matches('<');
    path.split("::").next().unwrap_or(path)
}
