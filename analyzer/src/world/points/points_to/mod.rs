//! Instances of bodies, and what flows where: a flow-insensitive, field-sensitive points-to analysis that discovers the
//! calls on its way.
//!
//! A body is analysed once per [`Instance`]: per chain of the last call sites and types. All statements of all instances are
//! run over the [`Heap`] until nothing changes; a block of an instance is run again only when something changed that it read.

mod room;
mod statements;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::{Models, On};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::{Clock, Limits};
use crate::mir::{
    AggregateKind, AllocKind, BasicBlock, Body, ConstKind, Constant, Name, Operand, Place, Projection,
    Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};

use crate::world::points::at_drop;
use crate::world::points::bodies::{BodyId, Code, variant_of};
use crate::world::points::drops::{self, Dropped};
use crate::world::points::given::{self, Decided, Definitions, Given, Giver};
use crate::world::points::heap::{Heap, LocId, Part, Reads, Root, Value};
use crate::world::points::object::Maker;
use crate::world::points::outside;
use crate::world::points::passage::Passages;
use crate::world::points::recursion::Recursion;
use crate::world::points::served::{HandedOver, Served};
use crate::world::points::streams::StreamCall;
use crate::world::points::through;
use crate::world::points::transfer::retain_meant;
use crate::world::points::types::{Subst, kind, substitute};

/// By [`Flow::scarcity`]: how many call sites tell instances of a body apart. A getter behind a wrapper behind a guard is four calls down, and with
/// fewer one caller's object is every caller's.
const CONTEXT: [usize; 5] = [4, 2, 1, 0, 0];
/// So many instances are told apart by as many call sites as there may be.
const FEW: usize = 2500;
/// More rounds than this are not run: the result is incomplete then.
const MAX_ROUNDS: usize = 60;
/// Pointers compared before the search for more is given up: far more than time and memory allow on small machines. Most crates need a
/// million.
const MAX_EFFORT: u64 = 400_000_000;
/// The part of a run's memory that pointers may take.
const PART: u64 = 3;
/// Bytes of an instance, its locals apart.
const INSTANCE: u64 = 400;
/// The most of [`Flow::scarcity`].
const COARSEST: u32 = CONTEXT.len() as u32 - 1;

/// A body in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct InstId(pub u32);

/// See [`InstId`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Instance {
    /// Which program: each `main` runs in a process of its own.
    pub world: u32,
    pub body: BodyId,
    pub context: Vec<(BodyId, u32)>,
    pub subst: Rc<Subst>,
    /// The object it is called on, or that it was made by a method of.
    pub of: Option<LocId>,
    /// Constants that it is given.
    pub given: Rc<Given>,
}

impl Instance {
    /// The same, whoever calls it.
    pub fn for_all(&self) -> Instance {
        Instance { context: Vec::new(), given: Rc::default(), ..self.clone() }
    }
}

/// What is known of the call that ends a block of an instance.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallInfo {
    /// Bodies that run as part of the call.
    pub callees: BTreeSet<InstId>,
    /// Bodies that run as tasks.
    pub spawned: BTreeSet<InstId>,
    /// Only one of these: what is run is one closure or future.
    pub spawns_one: bool,
    /// Where these run, and whether they end within the construct around.
    pub spawn: Option<(On, bool)>,
    /// Bodies that were registered as handlers.
    pub events: BTreeSet<InstId>,
    /// The model of the library function that is called.
    pub model: Option<String>,
    /// A function without a body here: its path without generic arguments.
    pub foreign: Option<String>,
    /// It polls a future: what is waited for beside the callees.
    pub poll: Option<BTreeSet<Value>>,
    /// The polled future's type.
    pub polled: Option<Ty>,
    /// What runs because values are dropped, in order.
    pub drops: Vec<Dropped>,
    /// It has to do with streams, or with what runs tasks somewhere.
    pub stream: Option<Box<StreamCall>>,
}

impl CallInfo {
    /// Whether all that is called has a body here.
    pub fn runs_here(&self) -> bool {
        self.foreign.is_none() && !self.callees.is_empty()
    }
}

/// A static's path, the program it is in, and its body: crates that are analysed together may use one path twice.
type StaticKey = (Name, u32, Option<BodyId>);

/// Pointers are followed for this part of the time that is left.
const POINTERS: f64 = 0.3;

/// The analysis.
pub(crate) struct Flow<'a> {
    pub code: &'a Code<'a>,
    pub models: &'a Models,
    pub heap: Heap<'a>,
    pub instances: Vec<Instance>,
    /// By instance: what each of its blocks read when it was run last.
    reads: Vec<Vec<Reads>>,
    ids: FxHashMap<Instance, InstId>,
    /// By body: where its locals get their values, as far as anybody asked.
    definitions: RefCell<FxHashMap<BodyId, Rc<Definitions>>>,
    /// By instance: the branches that what it is given decides.
    pub decided: FxHashMap<InstId, Decided>,
    /// The first instance of a body that is about an object, whoever calls it.
    pub first: FxHashMap<Instance, InstId>,
    /// The first instance of each body in a program.
    pub first_of_body: FxHashMap<(u32, BodyId), InstId>,
    pub calls: BTreeMap<(InstId, u32), CallInfo>,
    /// Functions that do something before they return a future, which whoever calls them awaits.
    pub promises: BTreeSet<InstId>,
    /// Closures that callers get, and several of them may call at once: what one has captured, all of these calls have.
    pub called_together: BTreeSet<InstId>,
    /// By body of a future that callers await: the function that they call for it.
    pub futures: FxHashMap<InstId, InstId>,
    /// What libraries may call methods of.
    pub served: Served,
    /// The types of it that some library was given, by name.
    pub handed_over: BTreeMap<String, HandedOver>,
    /// Handlers that are called once they are done with the call before.
    pub in_turn: BTreeSet<InstId>,
    /// What libraries call from a call on: the handlers, by that.
    pub registered: BTreeMap<(InstId, u32), BTreeSet<InstId>>,
    /// Whether there are streams.
    pub has_streams: bool,
    /// What was given to a framework to hand to handlers, by type.
    pub provided: BTreeMap<String, BTreeSet<LocId>>,
    statics: BTreeMap<StaticKey, (LocId, Option<InstId>)>,
    /// Constants with bodies of their own.
    constants: BTreeMap<(String, u32), (LocId, InstId)>,
    /// Pairs of locations that stand for one object: see [`crate::world::points::escape`].
    pub same: BTreeSet<(LocId, LocId)>,
    /// Calls whose receiver nothing was known of yet: the receiver may be anything if that stays so.
    postponed: BTreeSet<(InstId, u32)>,
    /// Calls whose receiver stayed unknown.
    unknown: BTreeSet<(InstId, u32)>,
    /// What the first of two locations holds, the second holds, too.
    pub handed: BTreeSet<(LocId, LocId)>,
    /// Pointers in collections that callers have, with the program: what they point to is asked when all else is known.
    pub collections: Vec<(u32, outside::Reached)>,
    /// Objects of callers whose parts were looked at, with what had been provided by then.
    seen: FxHashMap<LocId, usize>,
    /// Whether values of a type have a lock guard in them, as far as anybody asked.
    pub holds_guard: RefCell<FxHashMap<Ty, bool>>,
    /// Whether values of the first type may have one of the second in them, as far as anybody asked.
    pub holds: RefCell<FxHashMap<(Ty, Ty), bool>>,
    /// Whether dropping a value of a type may run something, as far as anybody asked.
    pub drops_run: RefCell<FxHashMap<Ty, bool>>,
    /// The bodies that do what must not be done anywhere, as soon as anybody asks.
    asking: OnceCell<Rc<FxHashSet<BodyId>>>,
    /// Who calls whom in turn.
    recursion: Recursion,
    budget: usize,
    limits: Limits,
    /// Calls that were not told apart for lack of room.
    pub merged: u64,
    /// Pointers whose targets are not told apart for being too many.
    coarse: Cell<u64>,
    /// Looked at by every stage that walks over instances.
    pub clock: Clock,
    /// Whether pointers were followed no further for lack of time.
    late: bool,
    /// Whether they were still changing after the last round.
    unsettled: bool,
    /// Whether they were followed no further, when that was over: locks may not be known then, so nothing is said of anything.
    cut: bool,
    /// See [`Self::coarsely`].
    least: u32,
    /// How many stages have ended.
    stage: u32,
    /// Whether there was too little time for something that is made of them.
    short: bool,
}

impl<'a> Flow<'a> {
    pub fn new(code: &'a Code<'a>, models: &'a Models, limits: Limits) -> Self {
        Flow {
            code,
            models,
            heap: Heap::new(Passages::new(code, models)),
            instances: Vec::new(),
            reads: Vec::new(),
            ids: FxHashMap::default(),
            definitions: RefCell::default(),
            decided: FxHashMap::default(),
            first: FxHashMap::default(),
            first_of_body: FxHashMap::default(),
            calls: BTreeMap::new(),
            promises: BTreeSet::new(),
            called_together: BTreeSet::new(),
            futures: FxHashMap::default(),
            served: Served::find(code, models),
            handed_over: BTreeMap::new(),
            in_turn: BTreeSet::new(),
            registered: BTreeMap::new(),
            has_streams: false,
            provided: BTreeMap::new(),
            statics: BTreeMap::new(),
            constants: BTreeMap::new(),
            same: BTreeSet::new(),
            postponed: BTreeSet::new(),
            unknown: BTreeSet::new(),
            handed: BTreeSet::new(),
            collections: Vec::new(),
            seen: FxHashMap::default(),
            holds_guard: RefCell::default(),
            holds: RefCell::default(),
            drops_run: RefCell::default(),
            asking: OnceCell::new(),
            recursion: Recursion::find(code),
            budget: 2000 + 12 * code.bodies.len(),
            limits,
            merged: 0,
            coarse: Cell::default(),
            clock: Clock::new(limits.deadline.part(POINTERS).in_stage(0)),
            stage: 0,
            late: false,
            unsettled: false,
            cut: false,
            least: 0,
            short: false,
        }
    }

    /// Tells as little apart as it can, for another analysis gave up: for lack of time or of memory.
    pub fn coarsely(mut self, was_late: bool) -> Self {
        self.heap.coarsely();
        Flow { least: COARSEST - 1, short: was_late, ..self }
    }

    /// The instance of a body in a context; contexts shrink when there are too many.
    pub fn instance(
        &mut self,
        world: u32,
        body: BodyId,
        context: Vec<(BodyId, u32)>,
        subst: Rc<Subst>,
        of: Option<LocId>,
    ) -> InstId {
        self.instance_given(world, body, context, (subst, Given::default()), of)
    }

    /// The instance of a body that is given constants.
    pub fn instance_given(
        &mut self,
        world: u32,
        body: BodyId,
        mut context: Vec<(BodyId, u32)>,
        (subst, given): (Rc<Subst>, Given),
        of: Option<LocId>,
    ) -> InstId {
        let scarcity = self.scarcity();
        let keep = CONTEXT[scarcity as usize];
        let of_objects = self.tells_objects_apart();
        let objects = !of_objects && (of.is_some() || given != Given::default());
        let types = scarcity >= COARSEST && !subst.is_empty();
        self.merged += u64::from(context.len() > keep && !of_objects || objects || types);
        context.drain(..context.len().saturating_sub(keep));
        let subst = if types { Rc::default() } else { subst };
        let of = of.filter(|_| of_objects);
        let given = Rc::new(if of_objects { given } else { Given::default() });
        let instance = Instance { world, body, context, subst, of, given };
        if let Some(&id) = self.ids.get(&instance) {
            return id;
        }
        let id = InstId(self.instances.len() as u32);
        self.instances.push(instance.clone());
        self.first_of_body.entry((world, body)).or_insert(id);
        if instance.of.is_some() {
            self.first.entry(instance.for_all()).or_insert(id);
        }
        self.ids.insert(instance, id);
        if let Some(decided) = given::decided(self, id) {
            self.decided.insert(id, decided);
        }
        self.heap.version += 1;
        self.heap.size += INSTANCE;
        id
    }

    /// Where statics are.
    pub fn statics(&self) -> impl Iterator<Item = LocId> + '_ {
        self.statics.values().map(|(loc, _)| *loc)
    }

    pub fn body_of(&self, inst: InstId) -> &'a Body {
        self.code.body(self.instances[inst.0 as usize].body)
    }

    /// The function that callers call for this: of a future's body, the one that makes the future.
    pub fn function_of(&self, inst: InstId) -> InstId {
        self.futures.get(&inst).copied().unwrap_or(inst)
    }

    /// Where the locals of an instance's body get their values.
    pub fn definitions(&self, inst: InstId) -> Rc<Definitions> {
        let body = self.instances[inst.0 as usize].body;
        let mut known = self.definitions.borrow_mut();
        Rc::clone(known.entry(body).or_insert_with(|| Rc::new(Definitions::of(self.code.body(body)))))
    }

    pub fn subst_of(&self, inst: InstId) -> Rc<Subst> {
        self.instances[inst.0 as usize].subst.clone()
    }

    /// The program an instance runs in.
    pub fn world_of(&self, inst: InstId) -> u32 {
        self.instances[inst.0 as usize].world
    }

    pub fn home_of(&self, inst: InstId) -> usize {
        self.code.home[self.instances[inst.0 as usize].body.0 as usize]
    }

    /// What tells a body that is called there from others of it by who calls it.
    pub fn context_of(&self, inst: InstId, block: u32, callee: BodyId) -> Vec<(BodyId, u32)> {
        let instance = &self.instances[inst.0 as usize];
        if self.recursion.has(instance.body, callee) {
            return instance.context.clone();
        }
        let mut context = self.site(inst, block);
        // What calls itself through a trait object is seen to do so only here.
        if let Some(outer) = context.iter().position(|(body, _)| *body == callee) {
            context.truncate(outer + 1);
        }
        context
    }

    pub fn site(&self, inst: InstId, block: u32) -> Vec<(BodyId, u32)> {
        let instance = &self.instances[inst.0 as usize];
        let mut context = instance.context.clone();
        context.push((instance.body, block));
        context
    }

    /// Runs everything until nothing changes; then again with calls of which the receiver is not known.
    pub fn run(&mut self) {
        self.settle();
        while !self.is_cut() && outside::in_collections(self) {
            self.settle();
        }
        for _ in 0..MAX_ROUNDS {
            if self.postponed.is_empty() || self.is_cut() {
                break;
            }
            let mut postponed = std::mem::take(&mut self.postponed);
            let known = |site: &(InstId, u32)| {
                self.calls.get(site).is_some_and(|info| !info.callees.is_empty() || info.foreign.is_some())
            };
            postponed.retain(|site| !known(site));
            self.unknown.extend(&postponed);
            for (inst, index) in postponed {
                self.renew_block(inst, index as usize);
            }
            self.settle();
            while !self.is_cut() && outside::in_collections(self) {
                self.settle();
            }
        }
        self.unsettled |= !self.postponed.is_empty();
    }

    /// Notes that a call is to be looked at when everything else is known.
    pub fn postpone(&mut self, inst: InstId, block: u32) {
        self.postponed.insert((inst, block));
    }

    /// Whether the receiver of a call stayed unknown when everything else was known.
    pub fn stays_unknown(&self, inst: InstId, block: u32) -> bool {
        self.unknown.contains(&(inst, block))
    }

    fn settle(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let before = self.heap.version;
            // What functions give back goes to those who called them, which have smaller numbers.
            for known in (0..self.reads.len()).rev() {
                self.renew(known);
            }
            let mut next = 0;
            while next < self.instances.len() {
                self.renew(next);
                next += 1;
            }
            if self.is_cut() {
                return;
            }
            for (loc, inst) in self.statics.values().cloned().collect::<Vec<_>>() {
                if let Some(inst) = inst {
                    let result = self.local(inst, 0);
                    self.heap.copy_changes(result, loc);
                }
            }
            for (a, b) in self.same.clone() {
                self.heap.copy_changes(a, b);
                self.heap.copy_changes(b, a);
            }
            for inst in self.promises.clone() {
                crate::world::points::calls::keep_promise(self, inst);
            }
            for (from, to) in self.handed.clone() {
                self.heap.copy_changes(from, to);
            }
            for (loc, inst) in self.constants.values().cloned().collect::<Vec<_>>() {
                let result = self.local(inst, 0);
                self.heap.copy_changes(result, loc);
            }
            if self.heap.version == before {
                return;
            }
        }
        self.unsettled = true;
    }

    /// Runs those blocks of the instance with this number that may change something.
    fn renew(&mut self, number: usize) {
        self.late |= self.clock.is_late_by_now();
        let inst = InstId(number as u32);
        let blocks = &self.body_of(inst).blocks;
        // Instances are run for the first time in the order of their numbers.
        if self.reads.len() == number {
            self.reads.push(Vec::with_capacity(blocks.len()));
        }
        for index in 0..blocks.len() {
            if self.is_cut() {
                return;
            }
            if self.reads[number].get(index).is_some_and(|reads| !self.heap.is_outdated(reads)) {
                continue;
            }
            self.renew_block(inst, index);
            self.late |= self.clock.is_late();
        }
    }

    /// Runs a block, and notes what it read: it is run again when something of that changes.
    fn renew_block(&mut self, inst: InstId, index: usize) {
        let reads = self.heap.begin();
        self.step(inst, index as u32, &self.body_of(inst).blocks[index]);
        let reads = self.heap.end(reads);
        match self.reads[inst.0 as usize].get_mut(index) {
            Some(known) => {
                self.heap.forget(known);
                *known = reads;
            }
            None => self.reads[inst.0 as usize].push(reads),
        }
    }

    /// Whether the parts of an object that callers have are to be looked at: they were not yet, or more is provided since.
    pub fn is_new(&mut self, object: LocId) -> bool {
        let provided = self.provided.values().map(BTreeSet::len).sum();
        self.seen.insert(object, provided) != Some(provided)
    }

    /// What models say of a type.
    pub fn model(&self, ty: &TyKind) -> Option<&'a robust_models::Type> {
        crate::world::points::types::model(self.models, ty.as_path()?)
    }

    /// The model of the library function that a call is of.
    pub fn model_of(&self, info: &CallInfo) -> Option<&'a robust_models::Function> {
        self.models.function(info.model.as_deref()?)
    }

    /// The model of the library function whose call ends a block.
    pub fn model_at(&self, inst: InstId, block: usize) -> Option<&'a robust_models::Function> {
        self.model_of(self.calls.get(&(inst, block as u32))?)
    }

    /// What a pointer type points to.
    pub fn pointee(&self, ty: &TyKind) -> Option<Ty> {
        match ty {
            TyKind::Ref { to, .. } | TyKind::Ptr { to, .. } => Some(to.clone()),
            TyKind::Path(path) => path.type_args().next().cloned(),
            _ => None,
        }
    }

    /// The info of a call, made when missing.
    pub fn info(&mut self, inst: InstId, block: u32) -> &mut CallInfo {
        self.calls.entry((inst, block)).or_default()
    }

    /// The bodies that do what must not be done anywhere.
    pub fn asking(&self) -> Rc<FxHashSet<BodyId>> {
        self.asking.get_or_init(|| Rc::new(through::asking(self.code, self.models))).clone()
    }

    /// Kind of a type by the models.
    pub fn kind(&self, ty: &TyKind) -> Option<robust_models::TypeKind> {
        kind(self.models, ty)
    }

    /// Whether values of this type are sending ends of channels: what was sent is not theirs any more.
    pub fn is_sending_end(&self, ty: &TyKind) -> bool {
        self.model(ty).is_some_and(|model| model.on_drop == Some(robust_models::OnDrop::Close))
    }

    /// Who gets what is sent through a channel that a value of this type is an end of, if it is one.
    pub fn delivery(&self, ty: &TyKind) -> Option<robust_models::Delivery> {
        self.model(ty)?.channel
    }

    /// The same of what is in a location, if its type is known.
    pub fn kind_at(&self, loc: LocId) -> Option<robust_models::TypeKind> {
        self.kind(self.heap.get(loc).ty.as_ref()?)
    }
}
