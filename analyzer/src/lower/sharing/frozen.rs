//! Values that nobody changes while an event runs: what they have to be where an access is made.
//!
//! What an argument of an event leads to, through shared references and pointers, and in no lock, cell or atomic, is frozen: the same in
//! each look. A branch on it goes one way in one run, and in all runs that have to do with one object at a time: two accesses that need
//! different values there are never made both.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::Value as ModelValue;
use rustc_hash::FxHashMap;

use super::basis::{AccessAt, Search};
use crate::ir::{Basis, Frozen, OneOf};
use crate::mir::{
    Block, Body, Local, Operand, Place, Prim, Projection, Rvalue, StatementKind, TerminatorKind, TyKind,
};
use crate::world::actions::cfg::reach;
use crate::world::actions::tags::is_tag;
use crate::world::points::aggregates::{comparison, is_option, number};
use crate::world::points::heap::{INNER, LocId, Part};
use crate::world::points::points_to::InstId;
use crate::world::values::access_path::accessed;
use crate::world::values::fresh::{Fresh, Given};
use crate::world::values::value::{given, result_of};

/// Steps from what a branch goes by to what is looked at.
const MAX_STEPS: u32 = 12;

/// What is asked of something that is frozen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Asked {
    of: Given,
    test: Test,
}

/// What of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Test {
    /// What it is.
    Value,
    /// The number of its variant.
    Variant,
    /// How it compares with a number.
    Compared(String, i128),
}

/// What a truth value, or a number, says of what is asked.
enum Said {
    /// It is the answer; whether that is a truth value.
    Answer(bool),
    /// It is the answer, a truth value, the other way round.
    Negated,
    /// Whether the answer is this, or, if not so, is not this.
    Is(i128, bool),
}

impl Said {
    /// The answers with which it is one of these.
    fn answers(&self, values: OneOf) -> OneOf {
        match self {
            Said::Answer(false) => values,
            Said::Answer(true) => truths(values.has(1), values.has(0)),
            Said::Negated => truths(values.has(0), values.has(1)),
            Said::Is(number, is) => match (values.has(i128::from(*is)), values.has(i128::from(!is))) {
                (true, true) => OneOf::anything(),
                (true, false) => OneOf::These(vec![*number]),
                (false, true) => OneOf::AllBut(vec![*number]),
                (false, false) => OneOf::These(Vec::new()),
            },
        }
    }

    fn negated(self) -> Option<Said> {
        match self {
            Said::Answer(true) => Some(Said::Negated),
            Said::Answer(false) => None,
            Said::Negated => Some(Said::Answer(true)),
            Said::Is(number, is) => Some(Said::Is(number, !is)),
        }
    }
}

fn truths(yes: bool, no: bool) -> OneOf {
    let truths = [(0, no), (1, yes)].into_iter();
    OneOf::These(truths.filter(|(_, may)| *may).map(|(truth, _)| truth).collect())
}

/// The answers with which something is reached.
type Needed = BTreeMap<Asked, OneOf>;

/// The branches of a body that go by one answer: the blocks that they end, and where they lead with which answers.
type Branches = Vec<(usize, Vec<(usize, OneOf)>)>;

impl Search<'_, '_> {
    /// Says of each access what has to be so, of what is frozen, where it is made.
    pub(super) fn freeze(&self, fresh: &Fresh<'_, '_, '_>, list: &mut [Basis]) {
        let freezing = Freezing::new(self, fresh);
        let (mut values, mut beside) = (Numbers::default(), Numbers::default());
        for (&at, id) in &self.ids {
            let needed = freezing.needed((at.0, at.1));
            if needed.is_empty() {
                continue;
            }
            let way = self.way_to(fresh, at);
            let frozen = needed.into_iter().map(|(asked, is)| Frozen {
                beside: way
                    .as_ref()
                    .and_then(|way| freezing.beside(at, way, &asked))
                    .map(|beside_it| beside.of(beside_it)),
                value: values.of(asked),
                is,
            });
            list[id.index()].frozen = frozen.collect();
        }
    }

    /// Whether something that is frozen is, or is a part of, the object of which what is accessed is a part: nothing between them is behind
    /// a pointer.
    pub(super) fn is_beside(&self, fresh: &Fresh<'_, '_, '_>, at: AccessAt, of: &Given) -> bool {
        let freezing = Freezing::new(self, fresh);
        let Some(way) = self.way_to(fresh, at) else { return false };
        let (event, argument, fields) = of;
        if !fields.is_empty() {
            let asked = Asked { of: of.clone(), test: Test::Value };
            return freezing.beside(at, &way, &asked).is_some();
        }
        let ty = self.flow.local_ty(*event, argument + 1);
        let locs = self.locs(at);
        (way.0, way.1) == (*event, *argument)
            && !way.2.is_empty()
            && !locs.is_empty()
            && ty
                .and_then(|ty| owner(ty.peel_refs()))
                .is_some_and(|owner| locs.iter().all(|loc| freezing.is_part(*loc, &owner, &way.2)))
    }

    /// The one way to what is accessed.
    fn way_to(&self, fresh: &Fresh<'_, '_, '_>, at: AccessAt) -> Option<Given> {
        let (inst, place) = accessed(self, at)?;
        let mut ways = fresh.given(inst, place)?.into_iter();
        ways.next().filter(|_| ways.next().is_none())
    }
}

/// Numbers things in the order in which they come up.
struct Numbers<T>(BTreeMap<T, u32>);

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers(BTreeMap::new())
    }
}

impl<T: Ord> Numbers<T> {
    fn of(&mut self, thing: T) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(thing).or_insert(next)
    }
}

struct Freezing<'f, 's, 'a> {
    search: &'f Search<'s, 'a>,
    fresh: &'f Fresh<'f, 's, 'a>,
    /// By instance, and block: what is needed there of what its own branches go by.
    needed: RefCell<FxHashMap<InstId, Rc<Vec<Needed>>>>,
    /// By instance: what all who call it need; nothing while that is found out.
    entered: RefCell<FxHashMap<InstId, Needed>>,
    /// By what is frozen: its type, where something in it was asked about.
    owners: RefCell<BTreeMap<Given, String>>,
}

/// What is beside something: the type that both are parts of, and the fields from there to each.
type Beside = (String, Vec<u32>, Vec<u32>, Test);

impl<'f, 's, 'a> Freezing<'f, 's, 'a> {
    fn new(search: &'f Search<'s, 'a>, fresh: &'f Fresh<'f, 's, 'a>) -> Self {
        let (needed, entered, owners) = Default::default();
        Freezing { search, fresh, needed, entered, owners }
    }

    /// What is needed where a block is reached.
    fn needed(&self, (inst, block): (InstId, usize)) -> Needed {
        let mut needed = self.own(inst).get(block).cloned().unwrap_or_default();
        for (asked, of_callers) in self.entered(inst) {
            match needed.get_mut(&asked) {
                Some(own) => *own = own.and(&of_callers),
                None => _ = needed.insert(asked, of_callers),
            }
        }
        needed
    }

    /// What all who call an instance need.
    fn entered(&self, inst: InstId) -> Needed {
        if let Some(known) = self.entered.borrow().get(&inst) {
            return known.clone();
        }
        self.entered.borrow_mut().insert(inst, Needed::new());
        let mut callers = self.fresh.callers(inst).unwrap_or_default().iter();
        let of = |caller: &(InstId, u32)| self.needed((caller.0, caller.1 as usize));
        let mut all = callers.next().map(of).unwrap_or_default();
        for caller in callers {
            let other = of(caller);
            all.retain(|asked, _| other.contains_key(asked));
            all.iter_mut().for_each(|(asked, is)| *is = is.or(&other[asked]));
        }
        self.entered.borrow_mut().insert(inst, all.clone());
        all
    }

    /// By block of an instance: what is needed there of what its own branches go by.
    fn own(&self, inst: InstId) -> Rc<Vec<Needed>> {
        if let Some(known) = self.needed.borrow().get(&inst) {
            return Rc::clone(known);
        }
        let cfg = self.search.cfg(inst);
        let mut needed = vec![Needed::new(); cfg.succs.len()];
        let branches = self.branches(inst);
        let noted = if branches.is_empty() { Vec::new() } else { self.noted(inst) };
        for (asked, branches) in branches {
            let edges = branches.iter().flat_map(|(_, edges)| edges);
            let told: BTreeSet<i128> = edges.flat_map(|(_, is)| is.told().iter().copied()).collect();
            // All others are treated alike.
            let other = told.last().map_or(0, |last| last.wrapping_add(1));
            let with = |answer: i128| {
                let mut succs = cfg.succs.clone();
                for (block, edges) in &branches {
                    let leads = |to: &usize| edges.iter().any(|(end, is)| end == to && is.has(answer));
                    succs[*block].retain(leads);
                }
                without_the_impossible(&mut succs, &noted)
            };
            let of_others = with(other);
            let reached: Vec<_> = told.iter().map(|answer| (*answer, with(*answer))).collect();
            for block in cfg.reached.iter().copied() {
                let which = |there: bool| {
                    let which = reached.iter().filter(|(_, blocks)| blocks.contains(&block) == there);
                    which.map(|(answer, _)| *answer).collect()
                };
                let is = match of_others.contains(&block) {
                    true => OneOf::AllBut(which(false)),
                    false => OneOf::These(which(true)),
                };
                if is != OneOf::anything() {
                    needed[block].insert(asked.clone(), is);
                }
            }
        }
        let needed = Rc::new(needed);
        self.needed.borrow_mut().insert(inst, Rc::clone(&needed));
        needed
    }

    /// The branches of an instance that go by what is frozen.
    fn branches(&self, inst: InstId) -> BTreeMap<Asked, Branches> {
        let body = self.search.flow.body_of(inst);
        let mut found: BTreeMap<Asked, Branches> = BTreeMap::new();
        for &block in &self.search.cfg(inst).reached {
            let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[block].terminator.kind
            else {
                continue;
            };
            let Some((asked, said)) = self.asked(inst, on, MAX_STEPS) else { continue };
            let edges = edges(targets, *otherwise, &said);
            found.entry(asked).or_default().push((block, edges));
        }
        found
    }

    /// The branches of an instance that go by a truth value which was noted before: what `matches!` makes.
    fn noted(&self, inst: InstId) -> Vec<Noted> {
        let (body, cfg) = (self.search.flow.body_of(inst), self.search.cfg(inst));
        let noted = |block: usize| {
            let TerminatorKind::SwitchInt { on, targets, otherwise } = &body.blocks[block].terminator.kind
            else {
                return None;
            };
            let ty = self.search.flow.place_ty(inst, on.place()?)?;
            let (mut local, mut said) = (on.place()?.as_local()?, Said::Answer(true));
            if *ty != TyKind::Prim(Prim::Bool) {
                return None;
            }
            for _ in 0..MAX_STEPS {
                let operand = match given(body, local) {
                    None => break,
                    Some(Rvalue::Use(operand)) => operand,
                    Some(Rvalue::Unary(operator, operand)) if &**operator == "Not" => {
                        said = said.negated()?;
                        operand
                    }
                    Some(_) => return None,
                };
                local = operand.place()?.as_local()?;
            }
            let made = constants(body, &cfg.reached, local)?;
            Some(Noted { block, edges: edges(targets, *otherwise, &said), made })
        };
        cfg.reached.iter().filter_map(|block| noted(*block)).collect()
    }

    /// What an operand says of what is frozen.
    fn asked(&self, inst: InstId, operand: &Operand, fuel: u32) -> Option<(Asked, Said)> {
        let fuel = fuel.checked_sub(1)?;
        let place = operand.place()?;
        let body = self.search.flow.body_of(inst);
        let Some(local) = place.as_local() else {
            let is_truth = self.search.flow.place_ty(inst, place)?;
            return self.about(inst, place, Test::Value, Said::Answer(*is_truth == TyKind::Prim(Prim::Bool)));
        };
        match given(body, local) {
            Some(Rvalue::Use(operand)) => self.asked(inst, operand, fuel),
            Some(Rvalue::Unary(operator, operand)) if &**operator == "Not" => {
                let (asked, said) = self.asked(inst, operand, fuel)?;
                Some((asked, said.negated()?))
            }
            Some(Rvalue::Discriminant(place)) => self.about(inst, place, Test::Variant, Said::Answer(false)),
            Some(Rvalue::Binary(operator, operands)) => {
                let number = number(Some(&operands.1)).filter(|number| *number >= 0)?;
                let of = self.behind(body, &operands.0)?;
                match &**operator {
                    "Eq" | "Ne" => self.about(inst, of, Test::Value, Said::Is(number, &**operator == "Eq")),
                    "Lt" | "Le" | "Gt" | "Ge" => {
                        let test = Test::Compared(operator.to_string(), number);
                        self.about(inst, of, test, Said::Answer(true))
                    }
                    _ => None,
                }
            }
            Some(_) => None,
            None => self.asked_by_call(inst, local),
        }
    }

    /// The place that an operand is read from.
    fn behind<'b>(&self, body: &'b Body, operand: &'b Operand) -> Option<&'b Place> {
        let place = operand.place()?;
        match given(body, place.as_local()?) {
            Some(Rvalue::Use(from)) => from.place(),
            _ => None,
        }
    }

    /// What a call says of what is frozen: which variant it is, whether there is something, whether it is an error.
    fn asked_by_call(&self, inst: InstId, local: Local) -> Option<(Asked, Said)> {
        let flow = self.search.flow;
        let (block, call) = result_of(flow.body_of(inst), &Operand::Copy(Place::from(local)))?;
        let place = call.args.first()?.place()?;
        let info = flow.calls.get(&(inst, block as u32))?;
        if let Some((variant, is)) = comparison(flow, inst, call, info).filter(|(variant, _)| *variant >= 0) {
            return self.about(inst, place, Test::Variant, Said::Is(variant, is));
        }
        let is_ok = match flow.model_at(inst, block)?.value? {
            ModelValue::IsOk => true,
            ModelValue::IsErr => false,
            _ => return None,
        };
        let ty = flow.place_ty(inst, place)?;
        // Nothing is the first variant, an error is the second.
        let good = i128::from(is_option(ty.peel_refs()));
        self.about(inst, place, Test::Variant, Said::Is(good, is_ok))
    }

    fn about(&self, inst: InstId, place: &Place, test: Test, said: Said) -> Option<(Asked, Said)> {
        let of = self.fresh.frozen(inst, place)?;
        self.note_owners(inst, place, &of);
        Some((Asked { of, test }, said))
    }

    /// Notes of which types the parts are that lead to a place, as far as the text of its function says so.
    fn note_owners(&self, inst: InstId, place: &Place, of: &Given) {
        let flow = self.search.flow;
        let (body, mut place, mut fields) = (flow.body_of(inst), place, &of.2[..]);
        for _ in 0..MAX_STEPS {
            for (number, step) in place.projection.iter().enumerate().rev() {
                let (Projection::Field(..), Some((_, before))) = (step, fields.split_last()) else {
                    continue;
                };
                let whole = Place { local: place.local, projection: place.projection[..number].to_vec() };
                if let Some(owner) = flow.place_ty(inst, &whole).and_then(|ty| owner(&ty)) {
                    self.owners.borrow_mut().insert((of.0, of.1, before.to_vec()), owner);
                }
                fields = before;
            }
            let from = match given(body, place.local) {
                Some(Rvalue::Use(operand)) => operand.place(),
                Some(Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place)) => Some(place),
                Some(_) => None,
                None => result_of(body, &Operand::Copy(Place::from(place.local)))
                    .and_then(|(_, call)| call.args.first()?.place()),
            };
            let Some(from) = from else { return };
            place = from;
        }
    }

    /// What is asked about beside what an access is to, if both are parts of one object.
    fn beside(&self, at: AccessAt, way: &Given, asked: &Asked) -> Option<Beside> {
        let (event, argument, fields) = &asked.of;
        let (to, seen) = (&way.2, fields);
        if (way.0, way.1) != (*event, *argument) {
            return None;
        }
        let common = to.iter().zip(seen).take_while(|(a, b)| a == b).count();
        let owner = match common {
            0 => owner(self.search.flow.local_ty(*event, argument + 1)?.peel_refs())?,
            _ => self.owners.borrow().get(&(*event, *argument, to[..common].to_vec())).cloned()?,
        };
        let (to, seen) = (&to[common..], &seen[common..]);
        let locs = self.search.locs(at);
        let all = !to.is_empty() && !seen.is_empty() && !locs.is_empty();
        (all && locs.iter().all(|loc| self.is_part(*loc, &owner, to)))
            .then(|| (owner, to.to_vec(), seen.to_vec(), asked.test.clone()))
    }

    /// Whether a location is that part of an object of this type: nothing on the way to it is behind a pointer.
    fn is_part(&self, loc: LocId, owner: &str, fields: &[u32]) -> bool {
        let heap = &self.search.flow.heap;
        let parts = heap.within(loc).filter_map(|loc| heap.get(loc).parent.as_ref().map(|(_, part)| part));
        let mut parts = parts.filter(|part| !is_tag(part) && &*part.owner != INNER);
        let mut outermost: Option<&Part> = None;
        for field in fields.iter().rev() {
            outermost = parts.next().filter(|part| part.field.1 == *field);
            if outermost.is_none() {
                return false;
            }
        }
        outermost.is_some_and(|part| &*part.owner == owner)
    }
}

/// A branch on a truth value that is only ever given constants.
struct Noted {
    block: usize,
    edges: Vec<(usize, OneOf)>,
    /// The blocks that give it one.
    made: Vec<(usize, i128)>,
}

/// Where a branch leads with which answers.
fn edges(targets: &[(u128, Block)], otherwise: Option<Block>, said: &Said) -> Vec<(usize, OneOf)> {
    let told: Vec<i128> = targets.iter().map(|(value, _)| *value as i128).collect();
    let edges = targets.iter().map(|(value, to)| (to.0 as usize, OneOf::These(vec![*value as i128])));
    let rest = otherwise.iter().map(|to| (to.0 as usize, OneOf::AllBut(told.clone())));
    edges.chain(rest).map(|(to, values)| (to, said.answers(values))).collect()
}

/// The blocks that are reached, when a branch on what was noted goes one of the ways that reached blocks have noted.
fn without_the_impossible(succs: &mut [Vec<usize>], noted: &[Noted]) -> BTreeSet<usize> {
    let mut blocks = reach(succs, [0]);
    loop {
        for branch in noted {
            let may = |is: &OneOf| {
                branch.made.iter().any(|(block, value)| blocks.contains(block) && is.has(*value))
            };
            succs[branch.block].retain(|to| branch.edges.iter().any(|(end, is)| end == to && may(is)));
        }
        let left = reach(succs, [0]);
        if left.len() == blocks.len() {
            return left;
        }
        blocks = left;
    }
}

/// The blocks that give a local a constant, and which, if it is never given anything else.
fn constants(body: &Body, reached: &BTreeSet<usize>, local: Local) -> Option<Vec<(usize, i128)>> {
    let mut found = Vec::new();
    if (1..=body.arg_count).contains(&local.0) {
        return None;
    }
    for &index in reached {
        let block = &body.blocks[index];
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assign(_, Rvalue::Ref(_, of) | Rvalue::RawPtr { place: of, .. })
                    if of.local == local =>
                {
                    return None;
                }
                StatementKind::Assign(place, Rvalue::Use(value)) if place.as_local() == Some(local) => {
                    found.push((index, number(Some(value))?));
                }
                StatementKind::Assign(place, _) if place.local == local => return None,
                _ => {}
            }
        }
        if matches!(&block.terminator.kind, TerminatorKind::Call(call) if call.dest.local == local) {
            return None;
        }
    }
    Some(found)
}

/// The name of a type, as parts of it have it.
fn owner(ty: &TyKind) -> Option<String> {
    Some(ty.as_path()?.segments.last()?.name.to_string())
}
