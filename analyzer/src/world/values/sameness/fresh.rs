//! Whether a value is one that each run of its event makes anew, and no other run does: a number that is drawn, a random name, what
//! is made of one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use robust_models::{Order, Value as ModelValue};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mir::{
    AggregateKind, Body, BodyKind, BorrowKind, CallTarget, Callee, Local, Name, Operand, Place, Projection,
    Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
};

use crate::lower::sharing::basis::Search;
use crate::world::actions::guards::holds_guard;
use crate::world::actions::{outcome, updates};
use crate::world::points::bodies::BodyId;
use crate::world::points::calls::CALL;
use crate::world::points::drops::Dropped;
use crate::world::points::object::allocator;
use crate::world::points::points_to::InstId;
use crate::world::points::types::any_part;
use crate::world::units::{Phase, Units};
use crate::world::values::owned::Places;
use crate::world::values::value::Values;

/// More steps than this are not followed from a value to where it comes from.
const MAX_STEPS: usize = 400;

/// The way from a value to a part of it: numbers of fields.
type Way = [u32];

/// A part of a local.
type Asked = (InstId, Local, Vec<u32>);

/// Follows values to where they are made.
pub(crate) struct Fresh<'k, 's, 'a> {
    pub(in crate::world::values) search: &'k Search<'s, 'a>,
    pub(in crate::world::values) values: &'k Values<'s, 'a>,
    /// Instances that run, at most once, as part of the straight line from `main`.
    pub(in crate::world::values) straight: BTreeSet<InstId>,
    /// Instances that run at all.
    run: BTreeSet<InstId>,
    /// Where something outside may call with anything.
    outside: BTreeSet<InstId>,
    /// By closure or future: the statements that make it.
    makers: BTreeMap<Name, Vec<(InstId, usize, usize)>>,
    /// Fields that are given another value after their struct was made: by type and number.
    reassigned: FxHashSet<(String, u32)>,
    /// By body: where its locals are given something, or lent to be changed.
    definitions: RefCell<FxHashMap<BodyId, Rc<Definitions>>>,
    /// What was found out: of variables, whether they only grow; of values, where they are made.
    pub(in crate::world::values) grow: RefCell<FxHashMap<BTreeSet<usize>, bool>>,
    known: RefCell<FxHashMap<Asked, Option<Places>>>,
}

/// By local: blocks and numbers of statements, the end of a block included.
pub(crate) type Definitions = Vec<Vec<(usize, usize)>>;

impl<'k, 's, 'a> Fresh<'k, 's, 'a> {
    pub fn new(search: &'k Search<'s, 'a>, values: &'k Values<'s, 'a>, units: &Units) -> Self {
        let visits = || units.visits.iter().flatten();
        let straight = visits()
            .filter(|(_, phase, part)| matches!(phase, Phase::Once | Phase::Repeated) && part.is_none())
            .map(|(inst, ..)| *inst)
            .collect();
        let begin =
            units.units.iter().filter(|unit| unit.event && unit.part.is_none() && unit.parent.is_none());
        let mut fresh = Fresh {
            search,
            values,
            straight,
            run: visits().map(|(inst, ..)| *inst).collect(),
            outside: begin.map(|unit| unit.inst).collect(),
            makers: BTreeMap::new(),
            reassigned: FxHashSet::default(),
            definitions: RefCell::default(),
            grow: RefCell::default(),
            known: RefCell::default(),
        };
        // Callers of an `async fn` call what makes its future.
        let futures = |inst: &InstId| search.flow.futures.get(inst).copied();
        let called: Vec<InstId> = fresh.outside.iter().filter_map(futures).collect();
        fresh.outside.extend(&called);
        let mut bodies: BTreeMap<BodyId, Vec<InstId>> = BTreeMap::new();
        for &inst in fresh.run.iter().chain(called.iter().filter(|inst| !fresh.run.contains(inst))) {
            bodies.entry(search.flow.instances[inst.0 as usize].body).or_default().push(inst);
        }
        for insts in bodies.into_values() {
            fresh.note(&insts);
        }
        fresh
    }

    /// Notes what instances of one body make, and what they change.
    fn note(&mut self, insts: &[InstId]) {
        let Some(&inst) = insts.first() else { return };
        let body = self.search.flow.body_of(inst);
        for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
            for (at, statement) in block.statements.iter().enumerate() {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                self.note_changed(inst, place);
                match rvalue {
                    Rvalue::Ref(BorrowKind::Mut, of) => self.note_changed(inst, of),
                    Rvalue::Aggregate(kind, _) => {
                        if let AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. } =
                            &**kind
                        {
                            let reached =
                                insts.iter().filter(|inst| self.search.cfg(**inst).reached.contains(&index));
                            let made = reached.map(|inst| (*inst, index, at));
                            self.makers.entry(body.clone()).or_default().extend(made);
                        }
                    }
                    _ => {}
                }
            }
            if let TerminatorKind::Call(call) = &block.terminator.kind {
                self.note_changed(inst, &call.dest);
            }
        }
    }

    /// Notes that fields may change.
    fn note_changed(&mut self, inst: InstId, place: &Place) {
        let fields: Vec<_> = self.fields_to(inst, place).collect();
        self.reassigned.extend(fields);
    }

    /// Whether a field on the way to a place is somewhere given another value after its struct was made.
    fn is_reassigned(&self, inst: InstId, place: &Place) -> bool {
        self.fields_to(inst, place).any(|field| self.reassigned.contains(&field))
    }

    /// The fields on the way to a place, by type and number.
    fn fields_to(&self, inst: InstId, place: &Place) -> impl Iterator<Item = (String, u32)> {
        place.projection.iter().enumerate().filter_map(move |(number, step)| {
            let Projection::Field(field, _) = step else { return None };
            let whole = Place { local: place.local, projection: place.projection[..number].to_vec() };
            Some((self.type_name(inst, &whole)?, *field))
        })
    }

    /// The name of the type of what is in a place, if it is a struct or enum.
    fn type_name(&self, inst: InstId, place: &Place) -> Option<String> {
        let ty = self.search.flow.place_ty(inst, place)?;
        ty.as_path().map(|path| path.plain())
    }

    /// Which values are known to be the same.
    pub fn values(&self) -> &'k Values<'s, 'a> {
        self.values
    }

    /// Where the locals of an instance's body are given something, or lent to be changed.
    pub fn definitions(&self, inst: InstId) -> Rc<Definitions> {
        let id = self.search.flow.instances[inst.0 as usize].body;
        let mut known = self.definitions.borrow_mut();
        let found = known.entry(id).or_insert_with(|| Rc::new(definitions(self.search.flow.code.body(id))));
        Rc::clone(found)
    }

    /// Where an operand is made anew, or what is in it, if it is.
    pub fn operand(&self, inst: InstId, operand: &Operand) -> Option<Places> {
        let place = operand.place()?;
        let asked = (inst, place.local, fields(&place.projection)?);
        if let Some(known) = self.known.borrow().get(&asked) {
            return known.clone();
        }
        let found = self.follow(inst, operand, false);
        self.known.borrow_mut().insert(asked, found.clone());
        found
    }

    /// The same; `taken`: or where it is taken out of a collection.
    pub(in crate::world::values) fn follow(
        &self,
        inst: InstId,
        operand: &Operand,
        taken: bool,
    ) -> Option<Places> {
        let mut following = Following { taken, ..Following::new(self, false) };
        following.operand(inst, operand, &[]).then_some(following.made)
    }

    /// Where a part of an operand is made anew, if it is.
    pub(in crate::world::values) fn part(
        &self,
        inst: InstId,
        operand: &Operand,
        way: &[u32],
    ) -> Option<Places> {
        let mut following = Following::new(self, false);
        following.operand(inst, operand, way).then_some(following.made)
    }

    /// Whether what a place refers to, or the lock that it is in, was made in one of these places, wherever else that is kept since: all ways
    /// back lead there, and none through what others may have changed.
    pub fn is_made_in(&self, inst: InstId, place: &Place, makers: &Places) -> bool {
        let mut following = Following { makers: Some(makers), ..Following::new(self, false) };
        fields(&place.projection).is_some_and(|way| following.local(inst, place.local, &way))
    }

    /// The arguments of events that a place, or what it refers to, is all a part of, each with the fields on the way.
    pub fn given(&self, inst: InstId, place: &Place) -> Option<BTreeSet<Given>> {
        let mut following = Following::new(self, true);
        following.place(inst, place, &[]).then_some(following.given)
    }

    /// The argument of an event, with the fields on the way, that a place is a part of which nobody changes while the event runs: shared
    /// references and pointers lead there, and no lock.
    pub fn frozen(&self, inst: InstId, place: &Place) -> Option<Given> {
        let mut following = Following { frozen: true, ..Following::new(self, true) };
        let found = following.place(inst, place, &[]);
        let mut given = following.given.into_iter().filter(|_| found);
        let given = given.next().filter(|_| given.next().is_none())?;
        let ty = self.search.flow.local_ty(given.0, given.1 + 1)?;
        let mut is_lent = false;
        any_part(&ty, &mut |part| {
            is_lent |= matches!(part, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { .. });
            is_lent
        });
        (!is_lent).then_some(given)
    }

    /// Whether a place is behind what lends it to be changed.
    fn is_lent_out(&self, inst: InstId, place: &Place) -> bool {
        // What a closure or future has captured it has to itself, whoever calls or polls it.
        let kind = &self.search.flow.body_of(inst).kind;
        let captured = place.local == Local(1)
            && matches!(kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. })
            && !self.changes_captured(inst);
        let derefs = place.projection.iter().enumerate().filter(|(_, step)| **step == Projection::Deref);
        derefs.into_iter().skip(usize::from(captured)).any(|(number, _)| {
            let pointer = Place { local: place.local, projection: place.projection[..number].to_vec() };
            let ty = self.search.flow.place_ty(inst, &pointer);
            ty.is_none_or(|ty| matches!(*ty, TyKind::Ref { mutable: true, .. } | TyKind::Ptr { .. }))
        })
    }

    /// Whether a closure or future gives another value to what it has captured, or lends it to be changed.
    fn changes_captured(&self, inst: InstId) -> bool {
        let is_captured = |place: &Place| {
            let derefs = place.projection.iter().filter(|step| **step == Projection::Deref).count();
            place.local == Local(1) && !place.projection.is_empty() && derefs <= 1
        };
        let blocks = self.search.flow.body_of(inst).blocks.iter().filter(|block| !block.cleanup);
        blocks.into_iter().any(|block| {
            let gives = block.statements.iter().any(|statement| match &statement.kind {
                StatementKind::Assign(_, Rvalue::Ref(BorrowKind::Mut, of)) => is_captured(of),
                StatementKind::Assign(place, _) => is_captured(place),
                _ => false,
            });
            gives || matches!(&block.terminator.kind, TerminatorKind::Call(call) if is_captured(&call.dest))
        })
    }

    /// The calls in the text that run or start an instance; none if somebody else may.
    pub fn callers(&self, inst: InstId) -> Option<&[(InstId, u32)]> {
        self.values.callers(inst).filter(|callers| !self.outside.contains(&inst) && !callers.is_empty())
    }
}

/// An argument of an event, with the fields on the way to a part of it.
pub(crate) type Given = (InstId, u32, Vec<u32>);

/// Where the locals of a body are given something, or lent to be changed.
fn definitions(body: &Body) -> Definitions {
    let mut found: Definitions = vec![Vec::new(); body.locals.len()];
    let mut note = |local: Local, at: (usize, usize)| {
        if let Some(places) = found.get_mut(local.0 as usize).filter(|places| places.last() != Some(&at)) {
            places.push(at);
        }
    };
    for (index, block) in body.blocks.iter().enumerate().filter(|(_, block)| !block.cleanup) {
        for (at, statement) in block.statements.iter().enumerate() {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            note(place.local, (index, at));
            if let Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { place: of, mutable: true } = rvalue {
                note(of.local, (index, at));
            }
        }
        if let TerminatorKind::Call(call) = &block.terminator.kind {
            note(call.dest.local, (index, block.statements.len()));
        }
    }
    found
}

/// One question, with what was asked on the way.
struct Following<'f, 'k, 's, 'a> {
    fresh: &'f Fresh<'k, 's, 'a>,
    /// By part of a local: whether it is, as far as that is found out.
    asked: FxHashMap<Asked, bool>,
    /// Where it is made.
    made: Places,
    /// Asked is what it is a part of that callers give; nothing made is, then.
    of_callers: bool,
    /// Nobody else changes it meanwhile.
    frozen: bool,
    /// Asked is, too, whether it was taken out of a collection.
    taken: bool,
    /// Asked is whether it was made in one of these places, be it the lock that it is in.
    makers: Option<&'f Places>,
    /// It is in a lock that was come by.
    locked: bool,
    /// What of.
    given: BTreeSet<Given>,
}

impl<'f, 'k, 's, 'a> Following<'f, 'k, 's, 'a> {
    fn new(fresh: &'f Fresh<'k, 's, 'a>, of_callers: bool) -> Self {
        let (asked, made, given) = (FxHashMap::default(), Places::new(), BTreeSet::new());
        Following {
            fresh,
            asked,
            made,
            of_callers,
            frozen: false,
            taken: false,
            makers: None,
            locked: false,
            given,
        }
    }

    fn operand(&mut self, inst: InstId, operand: &Operand, way: &Way) -> bool {
        operand.place().is_some_and(|place| self.place(inst, place, way))
    }

    /// The same of what is handed on in a block: there a counter of rounds has the number of this one.
    fn given_on(&mut self, (inst, block): (InstId, usize), operand: &Operand, way: &Way) -> bool {
        let counter =
            operand.place().and_then(Place::as_local).filter(|_| way.is_empty() && !self.of_callers);
        if counter.is_some_and(|counter| self.fresh.counts(inst, counter)) {
            self.made.insert((inst, block));
            return true;
        }
        self.operand(inst, operand, way)
    }

    /// Whether a part of what a place holds, or what that refers to, is fresh.
    fn place(&mut self, inst: InstId, place: &Place, way: &Way) -> bool {
        let Some(mut whole) = fields(&place.projection) else { return false };
        if self.frozen && self.fresh.is_lent_out(inst, place)
            || self.makers.is_some() && self.fresh.is_reassigned(inst, place)
        {
            return false;
        }
        whole.extend(way);
        self.local(inst, place.local, &whole)
    }

    fn local(&mut self, inst: InstId, local: Local, way: &Way) -> bool {
        let asked = (inst, local, way.to_vec());
        if let Some(known) = self.asked.get(&asked) {
            return *known;
        }
        if self.asked.len() > MAX_STEPS {
            return false;
        }
        // What leads to itself is made nowhere; what several ways lead to is asked once.
        self.asked.insert(asked.clone(), false);
        let found = self.followed(inst, local, way);
        self.asked.insert(asked, found);
        found
    }

    fn followed(&mut self, inst: InstId, local: Local, way: &Way) -> bool {
        let fresh = self.fresh;
        let body = fresh.search.flow.body_of(inst);
        let mut any = false;
        if (1..=body.arg_count).contains(&local.0) {
            any = true;
            if !self.param(inst, local.0 - 1, way) {
                return false;
            }
        }
        let definitions = fresh.definitions(inst);
        for &(index, at) in definitions.get(local.0 as usize).into_iter().flatten() {
            let block = &body.blocks[index];
            if !fresh.search.cfg(inst).reached.contains(&index) {
                continue;
            }
            if let Some(statement) = block.statements.get(at) {
                let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
                if let Rvalue::Ref(BorrowKind::Mut, of) | Rvalue::RawPtr { place: of, mutable: true } = rvalue
                    && of.local == local
                    && self.may_change(inst, of, way)
                {
                    return false;
                }
                if place.local != local || place.projection.contains(&Projection::Deref) {
                    continue;
                }
                let Some(to) = fields(&place.projection) else { return false };
                match way.strip_prefix(&to[..]) {
                    Some(rest) if to.is_empty() && is_failure(rvalue) && !rest.is_empty() => {}
                    Some(rest) => {
                        any = true;
                        if !self.rvalue((inst, index, at), rvalue, rest) {
                            return false;
                        }
                    }
                    // Another part.
                    None if !to.starts_with(way) => {}
                    None => return false,
                }
            }
            if at == block.statements.len()
                && let TerminatorKind::Call(call) = &block.terminator.kind
                && !call.dest.projection.contains(&Projection::Deref)
            {
                let Some(to) = fields(&call.dest.projection) else { return false };
                let rest = way.strip_prefix(&to[..]);
                // What `?` returns early has nothing in it.
                let fails = || {
                    let model = fresh.search.flow.model_at(inst, index);
                    model.is_some_and(|model| model.value == Some(ModelValue::Fails))
                };
                if to.is_empty() && rest.is_some_and(|rest| !rest.is_empty()) && fails() {
                    continue;
                }
                any = true;
                if !rest.is_some_and(|rest| self.called(inst, index, call, rest)) {
                    return false;
                }
            }
        }
        any
    }

    /// Whether who has this place borrowed may give that part of its local another value.
    fn may_change(&self, inst: InstId, place: &Place, way: &Way) -> bool {
        if place.projection.contains(&Projection::Deref) {
            return false;
        }
        // Who has a guard borrowed changes what is in the lock.
        let is_guard = |ty: Ty| holds_guard(self.fresh.search.flow, &ty);
        if (self.of_callers || self.makers.is_some())
            && self.fresh.search.flow.place_ty(inst, place).is_some_and(is_guard)
        {
            return false;
        }
        let Some(of) = fields(&place.projection) else { return true };
        match way.strip_prefix(&of[..]) {
            Some([first, ..]) => {
                let ty = self.fresh.type_name(inst, place);
                ty.is_none_or(|ty| self.fresh.reassigned.contains(&(ty, *first)))
            }
            Some([]) => true,
            None => of.starts_with(way),
        }
    }

    fn rvalue(&mut self, (inst, block, at): (InstId, usize, usize), rvalue: &Rvalue, way: &Way) -> bool {
        match rvalue {
            Rvalue::Use(operand) => {
                if !self.of_callers && way.is_empty() && self.fresh.is_ticket(inst, block, at) {
                    self.made.insert((inst, block));
                    return true;
                }
                self.given_on((inst, block), operand, way)
            }
            Rvalue::Cast(_, operand, _) | Rvalue::Wrap(operand, _) | Rvalue::Unary(_, operand) => {
                self.operand(inst, operand, way)
            }
            Rvalue::Ref(_, place) | Rvalue::CopyForDeref(place) => self.place(inst, place, way),
            // With an addition that is checked, whether it is too large comes along.
            Rvalue::Binary(operator, operands)
                if !self.of_callers
                    && updates::direction(operator).is_some()
                    && way.iter().all(|part| *part == 0) =>
            {
                match &**operands {
                    (operand @ (Operand::Copy(_) | Operand::Move(_)), Operand::Const(_))
                    | (Operand::Const(_), operand @ (Operand::Copy(_) | Operand::Move(_))) => {
                        self.operand(inst, operand, &[])
                    }
                    _ => false,
                }
            }
            Rvalue::Aggregate(kind, operands) => match way {
                [] if self.of_callers || self.makers.is_some() => false,
                [] => operands.iter().any(|operand| self.operand(inst, operand, &[])),
                [_, ..] if matches!(&**kind, AggregateKind::Array) => false,
                [first, rest @ ..] => {
                    operands.get(*first as usize).is_some_and(|operand| self.operand(inst, operand, rest))
                }
            },
            _ => false,
        }
    }

    /// Whether a part of what the call that ends a block gives is fresh.
    fn called(&mut self, inst: InstId, block: usize, call: &CallTarget, way: &Way) -> bool {
        let flow = self.fresh.search.flow;
        if let Some(makers) = self.makers {
            let named = allocator(flow, inst);
            if makers.contains(&(inst, block)) || makers.contains(&(named, block)) {
                return true;
            }
        } else if !self.of_callers && self.fresh.is_drawn(inst, block) {
            self.made.insert((inst, block));
            return true;
        }
        if !self.of_callers && self.fresh.is_numbered(inst, block, call, way) {
            self.made.insert((inst, block));
            return true;
        }
        if self.taken && self.fresh.takes_another(inst, block, way) {
            self.made.insert((inst, block));
            return true;
        }
        let Some(info) = flow.calls.get(&(inst, block as u32)) else { return false };
        if info.poll.is_some() || info.foreign.is_none() {
            // What a future ends with is in what says that it is ready.
            let way = if info.poll.is_some() { way.strip_prefix(&[0]).unwrap_or(way) } else { way };
            return !info.callees.is_empty()
                && info.callees.iter().all(|callee| self.local(*callee, Local::RETURN, way));
        }
        let Some(model) = flow.model_of(info) else { return false };
        let of_callers = self.of_callers;
        if self.makers.is_some() && model.acquire.is_some() {
            let from = call.args.get(model.release.unwrap_or(0)).and_then(Operand::place);
            // What is in a lock others may change; the lock itself is what it was.
            return !std::mem::replace(&mut self.locked, true)
                && from.is_some_and(|from| self.place(inst, from, &[]));
        }
        if self.frozen
            && (model.acquire.is_some() || model.access.as_ref().is_some_and(|all| !all.is_empty()))
        {
            return false;
        }
        // A guard leads into the lock; who waits with one gets one of the same lock.
        if of_callers && model.acquire.is_some() {
            let from = call.args.get(model.release.unwrap_or(0));
            return from.is_some_and(|from| self.operand(inst, from, &[]));
        }
        let mut first = |way: &Way| call.args.first().is_some_and(|first| self.operand(inst, first, way));
        match (model.value, model.calls.as_ref().map(|calls| calls.times)) {
            (Some(ModelValue::Copy), _) | (Some(ModelValue::Same), None | Some(Order::IfErr)) => first(way),
            (Some(ModelValue::Asserts), _) => first(&[&[0], way].concat()),
            // Who sees through one thing comes to what is behind that.
            (Some(ModelValue::Distinct), _) if of_callers => call.args.len() == 1 && first(way),
            (Some(ModelValue::Distinct), _) if way.is_empty() => {
                call.args.iter().any(|arg| self.operand(inst, arg, &[]))
            }
            (Some(ModelValue::Distinct), _) => first(way),
            (Some(ModelValue::Same), Some(Order::IfOk)) => way.strip_prefix(&[0]).is_some_and(|way| {
                !info.callees.is_empty()
                    && info.callees.iter().all(|callee| self.local(*callee, Local::RETURN, way))
            }),
            _ => false,
        }
    }

    /// Whether all that an instance is given as this parameter is fresh.
    fn param(&mut self, inst: InstId, number: u32, way: &Way) -> bool {
        let body = self.fresh.search.flow.body_of(inst);
        let captures = matches!(body.kind, BodyKind::Closure { .. } | BodyKind::Coroutine { .. });
        if captures && number == 0 {
            return self.capture(body, way);
        }
        let Some(callers) = self.fresh.callers(inst) else {
            if self.of_callers && self.fresh.outside.contains(&inst) {
                self.given.insert((inst, number, way.to_vec()));
                return true;
            }
            return self.dropped(inst, number, way);
        };
        callers.iter().all(|&call| self.argument(call, inst, number, way))
    }

    /// Whether what is captured is fresh wherever the closure or future is made.
    fn capture(&mut self, body: &Body, way: &Way) -> bool {
        let [number, rest @ ..] = way else { return false };
        let fresh = self.fresh;
        let Some(makers) = fresh.makers.get(&body.def) else { return false };
        makers.iter().all(|&(inst, block, at)| {
            let made = &fresh.search.flow.body_of(inst).blocks[block].statements[at].kind;
            let StatementKind::Assign(_, Rvalue::Aggregate(_, captures)) = made else { return false };
            captures.get(*number as usize).is_some_and(|capture| self.given_on((inst, block), capture, rest))
        })
    }

    /// Whether what a call gives an instance as this parameter is fresh.
    fn argument(&mut self, (caller, block): (InstId, u32), inst: InstId, number: u32, way: &Way) -> bool {
        let flow = self.fresh.search.flow;
        let is_foreign =
            flow.calls.get(&(caller, block)).is_none_or(|info| info.foreign.is_some() || info.poll.is_some());
        let terminator = &flow.body_of(caller).blocks[block as usize].terminator.kind;
        let TerminatorKind::Call(call) = terminator else { return false };
        if is_foreign {
            return false;
        }
        let closure = !matches!(flow.body_of(inst).kind, BodyKind::Fn);
        let number = if closure { number - 1 } else { number };
        match &call.callee {
            Callee::Fn { path, .. } if CALL.contains(&&*path.plain()) => {
                let way = [&[number], way].concat();
                call.args.get(1).is_some_and(|tuple| self.operand(caller, tuple, &way))
            }
            _ => {
                let at = (caller, block as usize);
                call.args.get(number as usize).is_some_and(|arg| self.given_on(at, arg, way))
            }
        }
    }

    /// Whether what an instance is given that runs as values are dropped is fresh.
    fn dropped(&mut self, inst: InstId, number: u32, way: &Way) -> bool {
        let (fresh, flow) = (self.fresh, self.fresh.search.flow);
        let runs = |drops: &[Dropped]| {
            drops.iter().any(|dropped| matches!(dropped, Dropped::Run { run, .. } if *run == inst))
        };
        let mut places = Vec::new();
        for (&(caller, block), _) in flow.calls.iter().filter(|(_, info)| runs(&info.drops)) {
            match &flow.body_of(caller).blocks[block as usize].terminator.kind {
                _ if !fresh.run.contains(&caller) => {}
                TerminatorKind::Drop { place, .. } => places.push((caller, place)),
                _ => return false,
            }
        }
        let receiver = flow.local_ty(inst, 1).and_then(|ty| flow.pointee(&ty));
        let is_whole = |(caller, place): &(InstId, &Place)| flow.place_ty(*caller, place) == receiver;
        number == 0
            && !fresh.outside.contains(&inst)
            && !places.is_empty()
            && receiver.is_some()
            && places.iter().all(is_whole)
            && places.into_iter().all(|(caller, place)| self.place(caller, place, way))
    }
}

/// The fields on the way to a place, references and variants apart; none where it is one of many elements.
fn fields(projection: &[Projection]) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for step in projection {
        match step {
            Projection::Field(number, _) => found.push(*number),
            Projection::Deref | Projection::Downcast(_) | Projection::Cast(_) => {}
            Projection::Index(_) | Projection::ConstantIndex { .. } | Projection::Subslice { .. } => {
                return None;
            }
        }
    }
    Some(found)
}

/// Whether this makes an error, or nothing.
fn is_failure(rvalue: &Rvalue) -> bool {
    matches!(rvalue, Rvalue::Aggregate(..)) && outcome::of(rvalue) == Some(false)
}
