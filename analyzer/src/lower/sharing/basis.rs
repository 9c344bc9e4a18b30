//! What each access of a program is based on ([`crate::ir::Basis`]), found by following the outcomes of all others
//! ([`crate::world::values::depend`]).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::{TypeKind, Value as ModelValue};
use rustc_hash::FxHashMap;

use crate::ir::{Basis, BasisId, Change, Count, Home, Side};
use crate::mir::{CallTarget, Local, Operand, Place, StatementKind, TerminatorKind, Ty, TyKind};

use super::captures::Captures;
use super::handed_out::HandedOut;
use super::messages::Messages;
use super::parts::Parts;
use crate::lower::sharing::share::Sharing;
use crate::world::actions::cfg::Cfg;
use crate::world::actions::effects::{Action, Touch};
use crate::world::callers::called_by_all;
use crate::world::exclusive::Exclusive;
use crate::world::facts::Facts;
use crate::world::points::aggregates::is_option;
use crate::world::points::bodies::BodyId;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::types::parts;
use crate::world::rounds::Rounds;
use crate::world::units::Units;
use crate::world::values::access_path::access_path;
use crate::world::values::depend::{Depend, Node, Outcomes, Way};
use crate::world::values::inline_readers::Origin;
use crate::world::values::keys::Keys;
use crate::world::values::owned::{Owners, Places};
use crate::world::values::value::{Values, result_of};

/// How often an entry is given back before something is put into it.
const MOST_STEPS: usize = 8;
/// Wakers are in so many types within each other.
const WAKERS: usize = 6;

/// An access: its instance, its block, and its number among the block's steps.
pub(crate) type AccessAt = (InstId, usize, usize);

/// The bases of all accesses to shared variables.
#[derive(Default)]
pub(crate) struct Bases {
    ids: BTreeMap<AccessAt, BasisId>,
    pub list: Vec<Basis>,
    /// Where keys are handed out.
    pub handed_out: HandedOut,
    /// Where messages are sent and received that may come too early.
    pub messages: Messages,
    /// Instances of which there was no time to find out what their accesses depend on.
    pub left_out: BTreeSet<InstId>,
}

impl Bases {
    /// The basis of a step, if that is an access to shared variables.
    pub fn of(&self, inst: InstId, block: usize, step: usize) -> Option<BasisId> {
        self.ids.get(&(inst, block, step)).copied()
    }

    /// Finds them.
    pub fn find(flow: &Flow<'_>, facts: &Facts, units: &Units, sharing: &Sharing) -> Bases {
        let insts: BTreeSet<InstId> = units.visits.iter().flatten().map(|(inst, ..)| *inst).collect();
        let run = called_by_all(flow, &insts);
        let mut search = Search {
            flow,
            facts,
            sharing,
            depend: Depend::default(),
            ids: BTreeMap::new(),
            about: Vec::new(),
            parts: FxHashMap::default(),
            captures: Captures::of(flow, &run),
            fills: FxHashMap::default(),
            deciders: FxHashMap::default(),
            one_way: BTreeSet::new(),
        };
        for &inst in &insts {
            search.number(inst);
        }
        if search.ids.is_empty() {
            // Questions and answers go through channels alone.
            let mut list = Vec::new();
            let messages = search.messages(units, &mut list);
            return Bases { list, messages, ..Bases::default() };
        }
        search.one_way = search.one_way();
        for &inst in &run {
            let body = flow.instances[inst.0 as usize].body;
            let fields = &mut search.depend.fields;
            search.parts.entry(body).or_insert_with(|| Parts::of(flow.code, flow.body_of(inst), fields));
        }
        let mut left_out = BTreeSet::new();
        for &inst in &run {
            match flow.is_late() {
                true => drop(left_out.insert(inst)),
                false => search.instance(inst),
            }
        }
        // From here on it is about all of them.
        let cut = |left_out| Bases { left_out, ..Bases::default() };
        search.depend.run(|| flow.is_late());
        let mut list: Vec<Basis> = search.ids.iter().map(|(at, id)| search.basis(*at, *id)).collect();
        search.protocols(&mut list);
        search.decisive(&mut list);
        let values = Values::new(flow, facts, &insts);
        search.ask_callers(&values, &mut list);
        search.ask_before_changes(&values, &mut list);
        search.observe(units, &insts, &values, &mut list);
        if flow.is_late_by_now() {
            return cut(insts);
        }
        let exclusive = Exclusive::new(flow, units);
        let rounds = Rounds::new(flow, facts, units);
        let mut homes: FxHashMap<InstId, Home> = FxHashMap::default();
        for (basis, at) in list.iter_mut().zip(search.ids.keys()) {
            basis.round = rounds.has(at.0, at.1);
            basis.home = Some(homes.entry(at.0).or_insert_with(|| home(&values, at.0)).clone());
            let step = &facts.effects[at.0.0 as usize][at.1][at.2];
            let amount = search.amount(at.0, at.1, step.at).filter(|_| !search.looks(*at));
            basis.counts = amount.map(|(_, less)| if less { Count::Down } else { Count::Up });
            basis.owner = exclusive.owner(flow, at.0, search.locs(*at));
            basis.lender = exclusive.lent(flow, at.0, search.locs(*at));
            basis.members = search.members(&values, *at);
            basis.finds = search.finds(*at);
        }
        search.take_backs(&values, &mut list);
        search.make_entries(&values, &mut list);
        search.miss(&mut list);
        search.look_for_listed(&values, &mut list);
        search.insist(&values, &mut list);
        search.lead(&values, &mut list);
        search.tries(&mut list);
        search.marks(&values, &mut list);
        search.find_filled(&values, &mut list);
        if flow.is_late_by_now() {
            return cut(insts);
        }
        let keys = Keys::new(&search, &values, units);
        for (basis, at) in list.iter_mut().zip(search.ids.keys()) {
            basis.path = access_path(&search, &keys.fresh, *at);
            let step = &facts.effects[at.0.0 as usize][at.1][at.2];
            basis.drawn = keys.fresh.is_ticket(at.0, at.1, step.at);
            basis.loaded = !search.looks(*at) && search.loads(&keys.fresh, (at.0, at.1, step.at));
        }
        search.freeze(&keys.fresh, &mut list);
        search.derive(&keys.fresh, &mut list);
        search.sift(&keys.fresh, &mut list);
        search.spare(&values, &mut list);
        search.claims(&values, &mut list);
        search.resume(&mut list);
        search.end(&mut list);
        if flow.is_late_by_now() {
            return cut(insts);
        }
        let made: Vec<(AccessAt, Option<Places>)> =
            search.ids.keys().map(|at| (*at, keys.made(*at))).collect();
        let handed_out = search.handed_out(&keys, &made, &mut list);
        let owners = Owners::new(flow, facts, units);
        for (basis, own) in list.iter_mut().zip(owners.own(made, |_, _| true)) {
            basis.own = own;
        }
        search.take_keys(&keys, &owners, &mut list);
        crate::lower::sharing::made::objects(&search, &keys.fresh, units, &owners, &mut list);
        crate::world::values::compared::comparisons(&search, &values, &mut list);
        search.let_on(&mut list);
        let messages = search.messages(units, &mut list);
        if flow.is_late_by_now() {
            return cut(insts);
        }
        Bases { ids: search.ids, list, handed_out, messages, left_out }
    }
}

/// In whose text the body of an instance is.
fn home(values: &Values<'_, '_>, inst: InstId) -> Home {
    let callers = values.callers(inst).unwrap_or_default().iter();
    let callers: BTreeSet<u32> = callers.map(|(caller, _)| values.function(*caller).0).collect();
    Home { function: values.function(inst).0, callers: callers.into_iter().collect() }
}

pub(crate) struct Search<'s, 'a> {
    pub flow: &'s Flow<'a>,
    pub facts: &'s Facts,
    pub sharing: &'s Sharing,
    pub depend: Depend,
    pub ids: BTreeMap<AccessAt, BasisId>,
    /// By access: the variables that it is about.
    pub about: Vec<BTreeSet<usize>>,
    /// By body: the parts of its locals that are made of parts.
    pub(super) parts: FxHashMap<BodyId, Parts>,
    pub(super) captures: Captures,
    /// By instance: the blocks that end in a call that puts something into an entry.
    pub(super) fills: FxHashMap<InstId, Vec<usize>>,
    /// By instance: see [`deciders`].
    pub deciders: FxHashMap<InstId, Rc<Vec<Vec<usize>>>>,
    /// Variables that all changes bring the same way: see [`Search::one_way`].
    pub one_way: BTreeSet<usize>,
}

impl Search<'_, '_> {
    /// Numbers the accesses of an instance.
    fn number(&mut self, inst: InstId) {
        for (block, steps) in self.facts.effects[inst.0 as usize].iter().enumerate() {
            for (number, step) in steps.iter().enumerate() {
                let Action::Access { locs, .. } = &step.action else { continue };
                let vars = self.sharing.among(self.flow, locs);
                if !vars.is_empty() {
                    self.ids.insert((inst, block, number), BasisId(self.ids.len() as u32));
                    self.about.push(vars);
                }
            }
        }
    }

    /// The locations that an access is to.
    pub fn locs(&self, (inst, block, number): AccessAt) -> &[LocId] {
        match &self.facts.effects[inst.0 as usize][block][number].action {
            Action::Access { locs, .. } => locs,
            _ => &[],
        }
    }

    /// The variables that an access is about.
    pub fn vars(&self, at: AccessAt) -> &BTreeSet<usize> {
        const NONE: &BTreeSet<usize> = &BTreeSet::new();
        self.ids.get(&at).map_or(NONE, |id| &self.about[id.index()])
    }

    /// The variables that the end of a block is about, by access.
    pub fn steps_of(&self, inst: InstId, block: usize) -> impl Iterator<Item = &BTreeSet<usize>> {
        let end = self.flow.body_of(inst).blocks[block].statements.len();
        let steps = self.facts.effects[inst.0 as usize][block].iter().enumerate();
        let here =
            steps.filter(move |(_, step)| step.at == end && matches!(step.action, Action::Access { .. }));
        here.map(move |(number, _)| self.vars((inst, block, number)))
    }

    /// The accesses that a statement makes.
    pub fn made_by(&self, (inst, block, at): Origin) -> Vec<BasisId> {
        let steps = self.facts.effects[inst.0 as usize][block].iter().enumerate();
        let here = steps.filter(|(_, step)| step.at == at);
        here.filter_map(|(number, _)| self.ids.get(&(inst, block, number)).copied()).collect()
    }

    /// Says which accesses are to variables that somebody changes by compare-exchange.
    fn protocols(&self, list: &mut [Basis]) {
        let exchanged = list.iter().zip(&self.about).filter(|(basis, _)| basis.exchange);
        let words: BTreeSet<usize> = exchanged.flat_map(|(_, vars)| vars).copied().collect();
        for (basis, vars) in list.iter_mut().zip(&self.about) {
            basis.protocol = !vars.is_disjoint(&words);
        }
    }

    /// The accesses at a statement, with whether they change something.
    pub(super) fn accesses(&self, inst: InstId, block: usize, at: usize) -> Vec<(BasisId, bool)> {
        let steps = self.facts.effects[inst.0 as usize][block].iter().enumerate();
        let here = steps.filter(|(_, step)| step.at == at).filter_map(|(number, step)| {
            let Action::Access { touch, .. } = &step.action else { return None };
            Some((*self.ids.get(&(inst, block, number))?, *touch != Touch::Read))
        });
        here.collect()
    }

    pub fn cfg(&self, inst: InstId) -> &Cfg {
        &self.facts.cfgs[inst.0 as usize]
    }

    /// What an access is based on, once outcomes have gone everywhere.
    fn basis(&self, (inst, block, number): AccessAt, id: BasisId) -> Basis {
        let data = &self.flow.body_of(inst).blocks[block];
        let at = self.facts.effects[inst.0 as usize][block][number].at;
        let nodes: Vec<Node> =
            match (data.statements.get(at).map(|statement| &statement.kind), &data.terminator.kind) {
                (Some(StatementKind::Assign(place, rvalue)), _) => {
                    let mut nodes = self.mentioned(inst, rvalue);
                    // Where it goes to says what is changed.
                    if !place.projection.is_empty() {
                        nodes.extend(self.nodes_in(inst, place));
                    }
                    nodes
                }
                (None, TerminatorKind::Call(call)) => {
                    let args = call.args.iter().filter_map(Operand::place);
                    let dest = Some(&call.dest).filter(|dest| !dest.projection.is_empty());
                    let kept = self.kept(inst, call.dest.local);
                    args.chain(dest).chain(kept).flat_map(|place| self.nodes_in(inst, place)).collect()
                }
                (None, TerminatorKind::SwitchInt { on, .. }) => {
                    on.place().map(|place| self.nodes_in(inst, place)).unwrap_or_default()
                }
                _ => Vec::new(),
            };
        let mut outcomes = Outcomes::default();
        for node in nodes {
            outcomes.add(&self.depend.of(node), Way::Value);
        }
        self.decisions(inst, block, &mut outcomes);
        let (data, branch) = (outcomes.data.without(id), outcomes.branch.without(id));
        let step = &self.facts.effects[inst.0 as usize][block][number];
        let exchange = self.is_exchange(step.from.unwrap_or((inst, block, at)));
        let unmet = if exchange { self.unmet((inst, block, number), id) } else { Vec::new() };
        let checks = matches!(step.action, Action::Access { checks: true, .. });
        let modelled = self.modelled(inst, block, at);
        let may_miss = modelled.iter().any(|access| access.otherwise.is_some());
        let looks = matches!(step.action, Action::Access { touch: Touch::Read, .. });
        let found = step.only_if.map(|(_, found)| found).filter(|_| may_miss);
        let (misses, hits) = (looks && found == Some(false), !looks && found == Some(true));
        let (origin, looked, from) = step.from.unwrap_or((inst, block, at));
        let keyed = self.modelled(origin, looked, from).iter().any(|access| access.key.is_some());
        Basis {
            data,
            branch,
            exchange,
            unmet,
            checks,
            settles: modelled.iter().any(|access| access.settles),
            wakes: self.wakes((inst, block, at), &step.action),
            listens: self.listens((inst, block, at), &step.action),
            misses,
            hits,
            leaving: self.facts.leaving.get(&(inst, block)).copied(),
            asked: self.asked(inst, (block, at)),
            side: self.side((inst, block, number), at),
            within: self.is_within((inst, block, number), at),
            keyed,
            change: self.change(inst, block, at),
            appends: modelled.iter().any(|access| access.change == Some(robust_models::Change::Append)),
            stores: self.stored((inst, block, number)),
            ..Basis::unknown()
        }
    }

    /// What is put into an entry that a local is: `or_insert(value)`.
    fn kept(&self, inst: InstId, entry: Local) -> Vec<&Place> {
        let body = self.flow.body_of(inst);
        let ends = |block: &usize| match &body.blocks[*block].terminator.kind {
            TerminatorKind::Call(call) => Some(call),
            _ => None,
        };
        let fills = self.fills.get(&inst).into_iter().flatten().filter_map(ends);
        let of = |call: &CallTarget| call.args.first()?.place()?.as_local();
        let into = fills.filter(|call| {
            // An entry that is given back is the same one.
            let before = |local: &Local| {
                let (_, call) = result_of(body, &Operand::Move(Place::from(*local)))?;
                of(call)
            };
            std::iter::successors(of(call), before).take(MOST_STEPS).any(|local| local == entry)
        });
        into.flat_map(|call| call.args.iter().skip(1).filter_map(Operand::place)).collect()
    }

    /// What decides whether a block is reached.
    pub fn deciding(&self, inst: InstId, block: usize) -> impl Iterator<Item = Node> {
        let deciders = self.deciders.get(&inst).map(|deciders| deciders[block].clone());
        let decisions = deciders.into_iter().flatten().map(move |decider| Node::Decision(inst, decider));
        std::iter::once(Node::Run(inst)).chain(decisions)
    }

    /// Adds what decides whether a block is reached.
    pub fn decisions(&self, inst: InstId, block: usize, outcomes: &mut Outcomes) {
        self.deciding(inst, block).for_each(|node| _ = outcomes.add(&self.depend.of(node), Way::Decision));
    }

    /// The library function that a statement calls: it is that call if it ends its block.
    fn model_at(&self, (inst, block, at): Origin) -> Option<&robust_models::Function> {
        let is_call = at == self.flow.body_of(inst).blocks[block].statements.len();
        self.flow.model_at(inst, block).filter(|_| is_call)
    }

    /// The accesses of the library function whose call ends a block, as far as a statement is that call.
    pub fn modelled(&self, inst: InstId, block: usize, at: usize) -> &[robust_models::Access] {
        self.model_at((inst, block, at)).and_then(|model| model.access.as_deref()).unwrap_or_default()
    }

    /// The access of the library function that a statement calls that is about one element, and the key of that.
    pub fn keyed(&self, inst: InstId, block: usize, at: usize) -> Option<(&robust_models::Access, &Operand)> {
        let access = self.modelled(inst, block, at).iter().find(|access| access.key.is_some())?;
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return None;
        };
        Some((access, call.args.get(access.key?)?))
    }

    /// Whether a statement is the call of a compare-exchange.
    fn is_exchange(&self, statement: Origin) -> bool {
        self.model_at(statement).is_some_and(|model| model.value == Some(ModelValue::CompareExchange))
    }

    /// Whether all that a change puts in is there to wake a task.
    fn wakes(&self, (inst, block, at): Origin, action: &Action) -> bool {
        if matches!(action, Action::Access { touch: Touch::Read, .. }) {
            return false;
        }
        let data = &self.flow.body_of(inst).blocks[block];
        let wakes = |place: &Place| {
            self.flow.place_ty(inst, place).is_some_and(|ty| is_waker(self.flow, ty.peel_refs(), 0))
        };
        match (data.statements.get(at).map(|statement| &statement.kind), &data.terminator.kind) {
            (Some(StatementKind::Assign(place, _)), _) => wakes(place),
            (None, TerminatorKind::Call(call)) => match &call.args[..] {
                [_, put @ ..] => !put.is_empty() && put.iter().all(|put| put.place().is_some_and(wakes)),
                [] => false,
            },
            _ => false,
        }
    }

    /// The side of what may be there that an access is about, if it is about one.
    fn side(&self, access: AccessAt, at: usize) -> Option<Side> {
        let (inst, block, number) = access;
        let Action::Access { touch, .. } = &self.facts.effects[inst.0 as usize][block][number].action else {
            return None;
        };
        let statement = self.flow.body_of(inst).blocks[block].statements.get(at);
        let among = |is: &dyn Fn(usize) -> bool| self.vars(access).iter().all(|var| is(*var));
        match (touch, statement.map(|statement| &statement.kind)) {
            (Touch::Read, None) => {
                let presence = self.modelled(inst, block, at).iter().any(|access| access.presence)
                    || self.finds_shared(inst, block, at);
                let all = among(&|var| self.sharing.is_all_of(self.flow, self.locs(access), var));
                presence.then_some(if all { Side::Entry } else { Side::Presence })
            }
            (Touch::Write | Touch::Update(_), Some(StatementKind::Assign(place, _)))
                if self.flow.place_ty(inst, place).is_some_and(|ty| is_plain(&ty)) =>
            {
                Some(Side::Value)
            }
            (Touch::Write | Touch::Update(_), None) if self.is_to_number(inst, block, at) => {
                Some(Side::Value)
            }
            (Touch::Write | Touch::Update(_), _) => self.is_within(access, at).then_some(Side::Inside),
            _ => None,
        }
    }

    /// Whether a call is one of a function of an atomic number: that stays where it is, be it in an entry.
    fn is_to_number(&self, inst: InstId, block: usize, at: usize) -> bool {
        let plain = self.keyed(inst, block, at).is_none();
        plain && self.called_on(inst, block, at).is_some_and(|ty| self.is_number(&ty))
    }

    /// Whether a call only finds where an atomic number, or a lock, is, under its key: what is in that is looked at later, be it by a closure
    /// that is given to the call.
    fn finds_shared(&self, inst: InstId, block: usize, at: usize) -> bool {
        let is_shared = |ty: &Ty| self.is_number(ty) || self.flow.kind(ty) == Some(TypeKind::Lock);
        let in_entry = |of: Ty| parts(&of).into_iter().any(is_shared);
        self.keyed(inst, block, at).is_some() && self.called_on(inst, block, at).is_some_and(in_entry)
    }

    fn is_number(&self, ty: &TyKind) -> bool {
        let other = self.flow.model(ty).is_some_and(|model| model.wakes || model.many);
        self.flow.kind(ty) == Some(TypeKind::Atomic) && parts(ty).is_empty() && !other
    }

    /// Whether an access is to what an entry of a collection has in it.
    fn is_within(&self, access: AccessAt, at: usize) -> bool {
        let (inst, block, _) = access;
        let of = self.called_on(inst, block, at);
        let in_entry =
            |var: &usize| self.sharing.is_in_entry(self.flow, self.locs(access), *var, of.as_ref());
        self.vars(access).iter().all(in_entry)
    }

    /// The type of what a library function that a statement calls is called on.
    fn called_on(&self, inst: InstId, block: usize, at: usize) -> Option<Ty> {
        self.model_at((inst, block, at))?;
        let TerminatorKind::Call(call) = &self.flow.body_of(inst).blocks[block].terminator.kind else {
            return None;
        };
        let TyKind::Ref { to, .. } = &*self.flow.place_ty(inst, call.args.first()?.place()?)? else {
            return None;
        };
        Some(to.clone())
    }

    /// What the call at a statement does to a collection, if that is known.
    pub fn change(&self, inst: InstId, block: usize, at: usize) -> Option<Change> {
        self.modelled(inst, block, at).iter().find_map(|access| access.change).map(|change| match change {
            robust_models::Change::Put | robust_models::Change::Append => Change::Put,
            robust_models::Change::Take => Change::Take,
            robust_models::Change::Remove => Change::Remove,
            robust_models::Change::Clear => Change::Clear,
            robust_models::Change::Set => Change::Set,
        })
    }
}

/// Whether there is no collection in a value of this type.
fn is_plain(ty: &TyKind) -> bool {
    match ty {
        TyKind::Prim(_) => true,
        TyKind::Tuple(parts) => parts.iter().all(|part| is_plain(part)),
        TyKind::Path(path) => match path.plain().as_str() {
            "std::option::Option" => path.type_args().all(|part| is_plain(part)),
            "std::string::String"
            | "std::time::Instant"
            | "std::time::Duration"
            | "std::time::SystemTime" => true,
            _ => false,
        },
        _ => false,
    }
}

/// Whether a value of the type is there to wake a task, and for nothing else: a waker, a pointer to one, or a struct of one and of flags that
/// say whether it was used.
fn is_waker(flow: &Flow<'_>, ty: &TyKind, depth: usize) -> bool {
    if depth > WAKERS {
        return false;
    }
    if flow.model(ty).is_some_and(|model| model.wakes) {
        return true;
    }
    let inner = |ty: &Ty| is_waker(flow, ty, depth + 1);
    if let Some(fields) = flow.code.field_types(ty).filter(|_| flow.code.is_own(ty)) {
        let is_flag = |ty: &Ty| {
            matches!(**ty, TyKind::Prim(_)) || flow.kind(ty) == Some(TypeKind::Atomic) && parts(ty).is_empty()
        };
        let all = fields.iter().all(|(_, ty)| is_flag(ty) || inner(ty));
        return all && fields.iter().any(|(_, ty)| inner(ty));
    }
    let around = matches!(flow.kind(ty), Some(TypeKind::Pointer | TypeKind::Lock | TypeKind::Cell));
    (around || is_option(ty)) && parts(ty).into_iter().any(inner)
}
