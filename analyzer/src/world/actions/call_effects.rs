//! What a call does to shared state: what models say, or else what the types allow.

use std::collections::BTreeSet;

use robust_models::{
    AccessKind, AwaitEffect, Change, Flow as Flows, Holders, Input, On, Order, TypeKind, Value as ModelValue,
    When,
};

use crate::ir::{ENLIST, HOLD, LEAVE, Mode, WAKE};
use crate::mir::{CallTarget, Local, Operand, Ty, TyKind};

use crate::world::actions::cfg::Cfg;
use crate::world::actions::clock::{STAMP, tells_time};
use crate::world::actions::effects::{Action, Found, Started, Touch, Tracked};
use crate::world::actions::enums;
use crate::world::actions::guards::{
    fails_after_panic, guards, handles, holds_guard, is_lock, lent, locks_behind,
};
use crate::world::actions::kept;
use crate::world::actions::optional::Optional;
use crate::world::actions::spine::is_spine;
use crate::world::actions::tags::{changed_inside, tags};
use crate::world::actions::used::{is_ticket, tracked, unused};
use crate::world::points::aggregates::{comparison, is_option};
use crate::world::points::foreign::lent_holder;
use crate::world::points::heap::{LocId, Root, Value};
use crate::world::points::inner_locks::inner_lock;
use crate::world::points::points_to::{CallInfo, Flow, InstId};
use crate::world::points::transfer::retain_meant;
use crate::world::points::types::{any_part, parts};

/// Pointers to pointers are followed this deep.
const MAX_POINTERS: usize = 3;
/// Types of parts are looked into this deep.
const MAX_DEPTH: usize = 6;
/// The class of updates that only say that something has happened.
const SIGNAL: &str = "signal";

impl Found<'_, '_> {
    /// Adds what the call that ends a block does.
    pub fn call(
        &mut self,
        flow: &mut Flow<'_>,
        inst: InstId,
        block: u32,
        call: &CallTarget,
        optional: &Optional,
    ) {
        for arg in &call.args {
            self.operand(flow, inst, arg);
        }
        let info = flow.calls.get(&(inst, block)).cloned().unwrap_or_default();
        let args: Vec<(Vec<LocId>, Option<Ty>)> =
            call.args.iter().map(|arg| flow.operand(inst, arg)).collect();
        let model = flow.model_of(&info);
        if let Some((on, scoped)) = info.spawn {
            let started = if info.spawns_one { Started::One } else { Started::Each };
            self.push(Action::Spawn { tasks: info.spawned.clone(), on, scoped, started });
        }
        if let Some(events) = flow.registered.get(&(inst, block)).cloned() {
            self.push(Action::Register { events });
        }
        if let Some(leaves) = &info.poll {
            // Of several futures polled in turn, some may have to wait; one that does is taken not to have begun.
            if let Some(dest) =
                call.dest.as_local().filter(|_| crate::world::actions::cfg::polls(flow.body_of(inst)))
            {
                self.push(Action::Guess(dest));
                self.only_if = Some((dest, true));
            }
            let given = flow.place_ty(inst, &call.dest);
            self.waited(flow, &info.callees, leaves, (info.polled.as_ref(), given.as_ref()), &args);
        }
        let outcome = model.and_then(|model| outcome(flow, self.cfg, inst, call, model));
        if let Some(local) = outcome {
            self.push(Action::Guess(local));
        } else if let Some(local) = call.dest.as_local()
            && flow.place_ty(inst, &call.dest).is_some_and(|ty| fails_after_panic(flow, &ty))
        {
            self.push(Action::Flag(local, true));
        }
        let mut during = Vec::new();
        if let Some(model) = model {
            self.signals(flow, call, &args, model);
            if let Some(released) = model.release {
                self.about(flow, call.args.get(released));
                self.release_arg(flow, &args, released);
                self.via = None;
            }
            // What a returned future does, it does when awaited.
            let later = is_future(flow, inst, call);
            if model.yields && !later {
                let apart = are_apart(flow, args.iter().filter_map(|(_, ty)| ty.as_deref()));
                self.push(Action::Yield { apart });
            }
            let input = model.source || takes_input(flow, &args, model);
            if (input || model.time) && !later && info.poll.is_none() {
                let apart = are_apart(flow, args.iter().filter_map(|(_, ty)| ty.as_deref()));
                self.push(Action::Source { time: !input, apart });
            }
            if model.waits && !later {
                self.push(Action::Wait);
            }
            if let Some(acquire) = &model.acquire
                && !matches!(acquire.when, When::Await | When::Return)
            {
                self.only_if = outcome.filter(|_| acquire.when == When::Try).map(|local| (local, true));
                let locks = self.acquire(flow, call, &args, acquire);
                if matches!(acquire.when, When::During | When::Found) {
                    during = locks;
                }
            }
            if let Some(handle) = model.join {
                let sites = args.get(handle).map_or(Vec::new(), |(locs, _)| handles(flow, locs));
                self.push(Action::Join { sites, all: model.joins_all });
            }
        }
        if self.compares(flow, inst, call, &info, &args) {
            return;
        }
        if info.foreign.is_some() {
            self.foreign(flow, inst, call, &args, model, outcome);
        }
        if let Some(model) = model {
            self.held(flow, &args, model);
            let later = is_future(flow, inst, call);
            self.noticed(flow, &args, model, later);
        }
        if !info.callees.is_empty() {
            let times = match (info.foreign.is_some(), model.and_then(|model| model.calls.as_ref())) {
                (false, _) => Order::Once,
                (true, Some(calls)) => calls.times,
                // A future is run once, a closure as often as one likes.
                (true, None) if info.callees.iter().all(|callee| is_future_body(flow, *callee)) => {
                    Order::Once
                }
                (true, None) if info.callees.iter().all(|callee| runs_once_at_most(flow, *callee, &args)) => {
                    Order::Maybe
                }
                (true, None) => Order::Many,
            };
            let missing = model.filter(|_| times == Order::Maybe);
            let missing = missing.and_then(|model| self.without_guard(flow, inst, call, model, optional));
            let times = if missing.is_some() { Order::Once } else { times };
            let scope = info.foreign.is_some();
            let (tasks, callees) = (info.callees.clone(), info.callees.clone());
            if model.and_then(|model| model.calls.as_ref()).is_some_and(|calls| calls.side_by_side) {
                let started = if times == Order::Many { Started::Twice } else { Started::Each };
                self.push(Action::Spawn { tasks, on: On::Any, scoped: false, started });
                self.push(Action::Join { sites: vec![(inst, block)], all: true });
            } else if let Some(futures) = info.polled.as_ref().and_then(|ty| side_by_side(flow, ty)) {
                // Of two calls of one function there may be one instance.
                let each = futures.is_some_and(|futures| futures <= tasks.len());
                let started = if each { Started::Each } else { Started::Twice };
                self.push(Action::Spawn { tasks, on: On::Within, scoped: false, started });
                self.push(Action::Join { sites: vec![(inst, block)], all: true });
            } else {
                let told = times == Order::Once
                    && (callees.iter().all(|callee| crate::world::actions::outcome::tells(flow, *callee))
                        || callees.iter().all(|callee| enums::tells(flow, *callee)));
                let result = call.dest.as_local().filter(|_| told);
                match info.poll {
                    Some(_) => self.about_polled(flow, args.first().map_or(&[][..], |held| &held.0)),
                    None => self.about(flow, call.args.first().filter(|_| !scope)),
                }
                self.only_if = missing.map(|local| (local, false));
                let given = if scope { Vec::new() } else { self.choices.given_to(flow, call, &callees) };
                self.push(Action::Call { callees, times, scope, result, made: Vec::new(), given });
                (self.only_if, self.via) = (None, None);
            }
        }
        if let Some(acquire) = model.and_then(|model| model.acquire.as_ref())
            && acquire.when == When::Return
        {
            self.acquire(flow, call, &args, acquire);
        }
        if !during.is_empty() {
            let found = model
                .and_then(|model| model.acquire.as_ref())
                .is_some_and(|acquire| acquire.when == When::Found);
            self.only_if = outcome.filter(|_| found).map(|local| (local, false));
            let lock = model.and_then(|model| model.acquire.as_ref()).map_or(0, |acquire| acquire.lock);
            self.about(flow, call.args.get(lock));
            self.push(Action::Release { locks: during });
            (self.only_if, self.via) = (None, None);
        }
        let drops = self.drops(flow, inst, block);
        if !drops
            && info.foreign.is_some()
            && info.spawn.is_none()
            && model.is_none_or(|model| model.acquire.is_none())
        {
            // A guard given away and not handed back was dropped over there.
            let wrapped = model.is_some_and(|model| model.flow == Some(robust_models::Flow::Wrap));
            // What is lent to be changed may keep it: `guards.push(guard)`.
            let keeps = |(_, ty): &(Vec<LocId>, Option<Ty>)| match ty.as_deref() {
                Some(TyKind::Ref { mutable: true, to }) => holds_guard(flow, to),
                _ => false,
            };
            let wrapped = wrapped || args.iter().any(keeps);
            for (arg, (locs, ty)) in call.args.iter().zip(&args).filter(|_| !wrapped) {
                let Some(ty) = ty else { continue };
                let moved = matches!(arg, Operand::Move(_)) && !matches!(&**ty, TyKind::Ref { .. });
                let back = || flow.place_ty(inst, &call.dest).is_some_and(|dest| holds_guard(flow, &dest));
                if moved && holds_guard(flow, ty) && !back() {
                    let locks = guards(flow, locs, ty, 0);
                    self.about(flow, Some(arg));
                    self.push(Action::Release { locks: locks.into_iter().collect() });
                    self.via = None;
                }
            }
        }
        self.touch(flow, inst, &call.dest, Touch::Write);
    }

    /// The local that says whether there is a guard in the option that a call fills if there is none.
    fn without_guard(
        &mut self,
        flow: &mut Flow<'_>,
        inst: InstId,
        call: &CallTarget,
        model: &robust_models::Function,
        optional: &Optional,
    ) -> Option<Local> {
        let option = call.args.first().filter(|_| model.checks && model.flow == Some(Flows::Fill))?;
        if let Some(of) = kept::referred_to(flow, inst, option).filter(|of| optional.contains(*of)) {
            return kept::in_local(flow, inst, of).map(|_| of);
        }
        let (local, kept) = (call.dest.as_local()?, kept::lent_by(flow, inst, option, optional)?);
        self.push(kept.told_by(local, true));
        Some(local)
    }

    /// What a call tells of the option with a guard that it is lent: `held.is_some()`, `held.as_mut()`.
    fn asks_for_guard(
        &mut self,
        flow: &mut Flow<'_>,
        inst: InstId,
        block: u32,
        call: &CallTarget,
        optional: &Optional,
    ) {
        let Some(is) = crate::world::actions::outcome::asked_for(flow, inst, block as usize) else { return };
        let (Some(local), Some(option)) = (call.dest.as_local(), call.args.first()) else { return };
        if let Some(kept) = kept::lent_by(flow, inst, option, optional) {
            self.push(kept.told_by(local, is));
        }
    }

    /// What becomes of options that are followed and that the call fills or is lent.
    pub fn changed(
        &mut self,
        flow: &mut Flow<'_>,
        inst: InstId,
        block: u32,
        call: &CallTarget,
        optional: &Optional,
    ) {
        self.asks_for_guard(flow, inst, block, call, optional);
        if optional.is_empty() {
            return;
        }
        let value = flow.model_at(inst, block as usize).and_then(|model| model.value);
        let body = flow.body_of(inst);
        let lent =
            call.args.iter().filter_map(|arg| lent(body, arg)).filter(|local| optional.contains(*local));
        for local in lent.collect::<Vec<_>>() {
            match value {
                Some(ModelValue::Same | ModelValue::IsOk | ModelValue::IsErr) => {}
                Some(ModelValue::Take) => self.push(Action::Flag(local, false)),
                _ => match kept::in_local(flow, inst, local) {
                    Some(kept) => self.push(kept.told_by(local, true)),
                    None => self.push(Action::Guess(local)),
                },
            }
        }
        let filled = call.dest.as_local().filter(|local| optional.contains(*local));
        if let Some(local) = filled.filter(|local| !self.tells(*local)) {
            self.push(Action::Guess(local));
        }
    }

    /// What others notice of a call beside its accesses, and what it relies on.
    fn noticed(
        &mut self,
        flow: &mut Flow<'_>,
        args: &[(Vec<LocId>, Option<Ty>)],
        model: &robust_models::Function,
        later: bool,
    ) {
        let behind = |number: usize| flow.heap.behind(args.get(number).map_or(&[][..], |held| &held.0));
        // What is shared, and for the ends of a channel what they have in common.
        let meeting = |number: usize| {
            let near = behind(number);
            let by_ref = args.get(number).and_then(|(_, ty)| ty.as_ref());
            let by_ref = by_ref.is_some_and(|ty| matches!(&**ty, TyKind::Ref { .. }));
            let far = if by_ref { flow.heap.behind(&near) } else { Vec::new() };
            [near, far].concat()
        };
        if let Some(number) = model.answers {
            let locs = meeting(number);
            self.push(Action::Answer { locs });
        }
        if let Some(number) = model.expects.filter(|_| !later) {
            let locs = meeting(number);
            self.push(Action::Expect { locs });
        }
        if let Some(number) = model.receives.filter(|_| !later) {
            let locs = meeting(number);
            self.push(Action::Receive { locs });
        }
        if model.output {
            self.push(Action::Output);
        }
        if model.diverges {
            self.push(Action::End);
        }
        if model.panics {
            let locs = behind(0);
            self.push(Action::Rely { locs });
        }
    }

    /// What it has to do with how many hold something.
    fn held(
        &mut self,
        flow: &mut Flow<'_>,
        args: &[(Vec<LocId>, Option<Ty>)],
        model: &robust_models::Function,
    ) {
        let holders = self.holders;
        match (model.holders, args.first()) {
            (Some(Holders::Asks), Some((locs, _))) => {
                let asked = holders.asked(flow, locs);
                self.access(Touch::Read, asked);
            }
            (Some(Holders::Adds), Some((locs, ty))) => {
                let added = holders.added(flow, (locs, ty.as_ref()));
                self.access(Touch::Update(HOLD.to_owned()), added);
            }
            _ => {}
        }
        if let Some((locs, Some(ty))) = model.drops.and_then(|number| args.get(number)) {
            let left = holders.left(flow, (locs, ty));
            self.access(Touch::Update(LEAVE.to_owned()), left);
        }
    }

    /// Begins to wait at a condition, or wakes who waits there.
    fn signals(
        &mut self,
        flow: &mut Flow<'_>,
        call: &CallTarget,
        args: &[(Vec<LocId>, Option<Ty>)],
        model: &robust_models::Function,
    ) {
        for (argument, class) in [(model.enlists, ENLIST), (model.wakes, WAKE)] {
            let Some(argument) = argument else { continue };
            let locs = flow.heap.behind(args.get(argument).map_or(&[][..], |held| &held.0));
            self.about(flow, call.args.get(argument));
            self.access(Touch::Update(class.to_owned()), locs);
            self.via = None;
        }
    }

    /// Takes the lock that an argument points to. Returns it, or those that it may be.
    fn acquire(
        &mut self,
        flow: &mut Flow<'_>,
        call: &CallTarget,
        args: &[(Vec<LocId>, Option<Ty>)],
        acquire: &robust_models::Acquire,
    ) -> Vec<LocId> {
        let held = args.get(acquire.lock);
        let holder = held.map(|held| lent_holder(flow, held));
        let locks = holder.as_ref().map_or(Vec::new(), |holder| locks_behind(flow, holder));
        let by = holder.and_then(|(_, ty)| ty);
        let locks: Vec<LocId> = locks.into_iter().map(|lock| inner_lock(flow, lock, by.as_ref())).collect();
        self.about(flow, call.args.get(acquire.lock));
        self.push(Action::Acquire { locks: locks.clone(), mode: mode(acquire.mode) });
        (self.only_if, self.via) = (None, None);
        locks
    }

    fn release_arg(&mut self, flow: &mut Flow<'_>, args: &[(Vec<LocId>, Option<Ty>)], number: usize) {
        if let Some((locs, Some(ty))) = args.get(number).map(|held| lent_holder(flow, held)) {
            let locks = guards(flow, &locs, &ty, 0);
            self.push(Action::Release { locks: locks.into_iter().collect() });
        }
    }

    /// What polling to the end does beside running bodies.
    fn waited(
        &mut self,
        flow: &mut Flow<'_>,
        callees: &BTreeSet<InstId>,
        leaves: &BTreeSet<Value>,
        (polled, given): (Option<&Ty>, Option<&Ty>),
        args: &[(Vec<LocId>, Option<Ty>)],
    ) {
        let models = flow.models;
        let by_type = polled
            .and_then(|ty| ty.as_path())
            .and_then(|path| crate::world::points::types::model(models, path));
        let by_type = by_type.and_then(|ty| ty.awaits);
        // The future itself points to what it waits for.
        let behind = |flow: &Flow<'_>| -> BTreeSet<LocId> {
            let args = args.first().map_or(&[][..], |held| &held.0);
            flow.heap.behind(&flow.heap.behind(args)).into_iter().collect()
        };
        let mut sites = Vec::new();
        let mut acquires = Vec::new();
        let mut source = by_type == Some(AwaitEffect::Source);
        let mut joined = by_type == Some(AwaitEffect::Join);
        let (mut time, mut all) = (false, false);
        let mut expects = by_type == Some(AwaitEffect::Answer);
        let mut receives = false;
        for leaf in leaves {
            match leaf {
                Value::Handle(inst, block) => sites.push((*inst, *block)),
                Value::Future(key) => {
                    let Some(model) = models.function(key) else { continue };
                    source |= model.source;
                    time |= model.time;
                    joined |= model.join.is_some();
                    all |= model.joins_all;
                    expects |= model.expects.is_some();
                    receives |= model.receives.is_some();
                    if model.join.is_some() {
                        sites.extend(handles(flow, &behind(flow).into_iter().collect::<Vec<_>>()));
                    }
                    acquires.extend(model.acquire.iter().filter(|acquire| acquire.when == When::Await));
                }
                _ => {}
            }
        }
        if !sites.is_empty() || joined {
            // Of a future that is made of several, all are waited for.
            let handles = leaves.iter().all(|leaf| matches!(leaf, Value::Handle(..)));
            let whole = handles && polled.is_some_and(|ty| flow.kind(ty) != Some(TypeKind::Handle));
            self.push(Action::Join { sites, all: all || whole });
            return;
        }
        if expects || receives {
            // What is polled is a pointer to the receiver, or to a future that borrows it.
            let near: Vec<LocId> = behind(flow).into_iter().collect();
            let far = flow.heap.behind(&near);
            let locs = [near, far].concat();
            self.push(if expects { Action::Expect { locs } } else { Action::Receive { locs } });
        }
        if source || time {
            let apart = self.is_apart(flow, leaves, &behind(flow));
            self.push(Action::Source { time: !source, apart });
        } else if callees.is_empty() && by_type != Some(AwaitEffect::Ready) {
            let apart = !expects && self.is_apart(flow, leaves, &behind(flow));
            self.push(Action::Yield { apart });
        }
        if let Some(acquire) = acquires.first() {
            let locks = behind(flow);
            let locks: Vec<LocId> = locks.into_iter().filter(|loc| is_lock(flow, *loc)).collect();
            let locks = locks.into_iter().map(|lock| inner_lock(flow, lock, given)).collect();
            self.about_future(flow, args.first().map_or(&[][..], |held| &held.0));
            self.push(Action::Acquire { locks, mode: mode(acquire.mode) });
            self.via = None;
        }
    }

    /// Notes a look which variant an enum is: one that is compared with a variant of the text. Whether the call is that, and nothing more.
    fn compares(
        &mut self,
        flow: &mut Flow<'_>,
        inst: InstId,
        call: &CallTarget,
        info: &CallInfo,
        args: &[(Vec<LocId>, Option<Ty>)],
    ) -> bool {
        let ([(held, _), _], Some(dest)) = (args, call.dest.as_local()) else { return false };
        let Some((variant, as_it_is)) = comparison(flow, inst, call, info) else { return false };
        let locs = flow.heap.behind(held);
        self.about(flow, call.args.first());
        self.telling(Touch::Read, locs, Some(Tracked::Is(vec![variant], dest, as_it_is)));
        self.via = None;
        true
    }

    /// Whether these are futures of libraries that are known, which refer to nothing of the program.
    fn is_apart(&self, flow: &Flow<'_>, leaves: &BTreeSet<Value>, behind: &BTreeSet<LocId>) -> bool {
        let known = |leaf: &Value| match leaf {
            Value::Future(key) => {
                key.split("::").next().is_some_and(|krate| flow.models.is_known_crate(krate))
            }
            _ => false,
        };
        let types = behind.iter().map(|loc| flow.heap.get(*loc).ty.as_deref());
        !leaves.is_empty()
            && leaves.iter().all(known)
            && types.into_iter().all(|ty| ty.is_some_and(|ty| is_apart(flow, ty, 0)))
    }

    /// Whoever goes where a pointer leads that others may replace looks at that pointer.
    fn followed(&mut self, flow: &mut Flow<'_>, call: &CallTarget, args: &[(Vec<LocId>, Option<Ty>)]) {
        let Some((held, Some(ty))) = args.first() else { return };
        let TyKind::Ref { to, .. } = &**ty else { return };
        if flow.kind(to) != Some(TypeKind::Pointer) || matches!(**to, TyKind::Ref { .. } | TyKind::Ptr { .. })
        {
            return;
        }
        let mut cells = flow.heap.behind(held);
        cells.retain(|cell| !matches!(&*flow.heap.get(*cell).root, Root::Local(..)));
        // Who gets to what is in an option has looked at the option.
        if !cells.is_empty() && changed_inside(flow, &cells, Some(to)).is_none() {
            self.about(flow, call.args.first());
            self.telling(Touch::Read, cells, None);
            self.via = None;
        }
    }

    /// The accesses of a function without a body.
    fn foreign(
        &mut self,
        flow: &mut Flow<'_>,
        inst: InstId,
        call: &CallTarget,
        args: &[(Vec<LocId>, Option<Ty>)],
        model: Option<&robust_models::Function>,
        outcome: Option<Local>,
    ) {
        if let Some(model) = model {
            if model.follows {
                self.followed(flow, call, args);
            }
            let option = args.first().and_then(|(_, ty)| ty.as_deref()).is_some_and(is_option);
            let tracked =
                tracked(flow, inst, call, model.value, option, || unused(flow, self.cfg, inst, call));
            if let Some(accesses) = &model.access {
                for access in accesses {
                    let (held, ty) =
                        args.get(access.arg).map_or((&[][..], None), |(held, ty)| (held, ty.as_ref()));
                    let mut locs = flow.heap.behind(held);
                    if let Some(TyKind::Ref { to, .. }) = ty.map(|ty| &**ty) {
                        retain_meant(flow, &mut locs, to);
                        // What an end of a channel does is none of the collection's that keeps it.
                        if flow.kind(to) == Some(TypeKind::Atomic) {
                            locs = locs.into_iter().map(|loc| inner_lock(flow, loc, Some(to))).collect();
                        }
                    }
                    if ty.is_some_and(|ty| is_lent_view(flow, ty)) {
                        locs = flow.heap.behind(&locs);
                    }
                    let locs = if access.tag_only {
                        tags(flow, inst, &locs, ty.map(|ty| ty.peel_refs()))
                    } else if access.kind == AccessKind::Read {
                        locs.retain(|loc| !ty.is_some_and(|ty| holds_locks(flow, *loc, ty.peel_refs())));
                        locs
                    } else {
                        locs
                    };
                    let class = || access.class.clone().unwrap_or_else(|| "change".to_owned());
                    let touch = match access.kind {
                        AccessKind::Read => Touch::Read,
                        AccessKind::Write if notes_time(flow, inst, model.value, call) => {
                            Touch::Update(STAMP.to_owned())
                        }
                        AccessKind::Write if is_signal(model, access) && says_nothing(args) => {
                            Touch::Update(SIGNAL.to_owned())
                        }
                        AccessKind::Write => Touch::Write,
                        AccessKind::UpdateAlways => Touch::Update(class()),
                        AccessKind::Update if unused(flow, self.cfg, inst, call) => Touch::Update(class()),
                        AccessKind::Ticket if is_ticket(flow, inst, call) => Touch::Update(class()),
                        AccessKind::Update | AccessKind::Ticket => Touch::Write,
                    };
                    if !locs.is_empty() {
                        self.about(flow, call.args.get(access.arg));
                        // Nobody asks whether it came to that: it may as well not have.
                        let either = access.otherwise.is_some()
                            && access.change == Some(Change::Put)
                            && unused(flow, self.cfg, inst, call);
                        let checks = model.checks || either;
                        let tracked = match tracked.clone() {
                            // Who does not ask goes on all the same when somebody else was first.
                            Some(Tracked::Taken) if access.otherwise.is_some() && outcome.is_none() => {
                                Some(Tracked::Emptied)
                            }
                            Some(Tracked::SetTag(true)) if model.checks => Some(Tracked::Supplied),
                            None if touch != Touch::Read => changed_inside(flow, &locs, ty.map(|ty| &**ty)),
                            tracked => tracked,
                        };
                        let otherwise = access.otherwise.zip(outcome);
                        if let Some((robust_models::Otherwise::Read, local)) = otherwise {
                            self.only_if = Some((local, false));
                            let absent = (tracked == Some(Tracked::Taken)).then_some(Tracked::Absent);
                            let (touch, locs) = (Touch::Read, locs.clone());
                            self.push(Action::Access {
                                touch,
                                locs,
                                tracked: absent,
                                checks: false,
                                provisional: None,
                            });
                        }
                        self.only_if = otherwise.map(|(_, local)| (local, true));
                        self.push(Action::Access { touch, locs, tracked, checks, provisional: None });
                        (self.only_if, self.via) = (None, None);
                    }
                }
                return;
            }
            let during = model.acquire.as_ref().is_some_and(|acquire| acquire.when == When::During);
            if model.spawn.is_some() || (model.acquire.is_some() && !during) {
                return;
            }
        }
        for (arg, (locs, ty)) in call.args.iter().zip(args) {
            let Some(TyKind::Ref { mutable, to }) = ty.as_deref() else { continue };
            if matches!(
                flow.kind(to),
                Some(TypeKind::Lock | TypeKind::Atomic | TypeKind::Handle | TypeKind::Nothing)
            ) || matches!(&**to, TyKind::Closure { .. } | TyKind::Coroutine(_))
            {
                continue;
            }
            let mut targets = flow.heap.behind(locs);
            targets.retain(|loc| *mutable || !is_spine(flow, *loc, to));
            self.about(flow, Some(arg));
            self.shown(flow, &targets, to);
            let touch = if *mutable { Touch::Write } else { Touch::Read };
            let tracked = if *mutable { changed_inside(flow, &targets, Some(to)) } else { None };
            self.telling(touch, targets, tracked);
            self.via = None;
        }
    }
}

/// Whether who looks at a value of this type in a location sees locks (or cells) at most, not what is in them.
fn holds_locks(flow: &Flow<'_>, loc: LocId, ty: &TyKind) -> bool {
    let is_lock = matches!(flow.kind(ty), Some(TypeKind::Lock | TypeKind::Cell | TypeKind::Atomic));
    !is_lock && is_spine(flow, loc, ty)
}

/// Whether this is a reference to a view of something else, which is what is accessed.
fn is_lent_view(flow: &Flow<'_>, ty: &TyKind) -> bool {
    let TyKind::Ref { to, .. } = ty else { return false };
    flow.model(to).is_some_and(|model| model.holds_pointer && model.kind.is_none())
}

fn is_future_body(flow: &Flow<'_>, inst: InstId) -> bool {
    matches!(flow.body_of(inst).kind, crate::mir::BodyKind::Coroutine { .. })
}

/// Whether nobody who is given a closure and these arguments can call it twice: it gives away what it has captured, or takes a guard, of
/// which there is one among them.
fn runs_once_at_most(flow: &Flow<'_>, inst: InstId, args: &[(Vec<LocId>, Option<Ty>)]) -> bool {
    let body = flow.body_of(inst);
    let by_value = |local: u32| {
        flow.local_ty(inst, local).filter(|ty| !matches!(&**ty, TyKind::Ref { .. } | TyKind::Ptr { .. }))
    };
    let is_guard =
        |ty: &Ty| !matches!(&**ty, TyKind::Ref { .. } | TyKind::Ptr { .. }) && holds_guard(flow, ty);
    let takes_guard = || (2..=body.arg_count).any(|arg| by_value(arg).is_some_and(|ty| is_guard(&ty)));
    let given_guards = || args.iter().filter(|(_, ty)| ty.as_ref().is_some_and(is_guard)).count();
    matches!(body.kind, crate::mir::BodyKind::Closure { .. })
        && (by_value(1).is_some() || takes_guard() && given_guards() == 1)
}

impl Found<'_, '_> {
    /// Whoever is shown guards and other pointers looks behind them: formatting.
    fn shown(&mut self, flow: &mut Flow<'_>, locs: &[LocId], ty: &Ty) {
        let (mut at, mut ty) = (locs.to_vec(), ty.clone());
        for _ in 0..MAX_POINTERS {
            let pointer = matches!(&*ty, TyKind::Ref { .. })
                || matches!(flow.kind(&ty), Some(TypeKind::Guard | TypeKind::Pointer));
            let Some(to) = flow.pointee(&ty).filter(|_| pointer) else { return };
            at = flow.heap.behind(&at);
            at.retain(|loc| !is_spine(flow, *loc, &to));
            self.access(Touch::Read, at.clone());
            ty = to;
        }
    }
}

/// How many futures run side by side when one of this type is waited for, if any do; `Some(None)`: any number of them.
pub(crate) fn side_by_side(flow: &Flow<'_>, ty: &TyKind) -> Option<Option<usize>> {
    let mut found = None;
    any_part(ty, &mut |part| {
        let Some(path) = part.as_path() else { return false };
        let futures = path.segments.last().map_or(0, |last| last.args.len());
        match flow.model(part).and_then(|model| model.awaits) {
            Some(AwaitEffect::SideBySide) => found = Some(Some(found.flatten().unwrap_or(0) + futures)),
            Some(AwaitEffect::ManySideBySide) => found = Some(None),
            _ => {}
        }
        found == Some(None)
    });
    found
}

/// The local that tells whether a call succeeded, if what it does depends on that and anyone may ask.
fn outcome(
    flow: &Flow<'_>,
    cfg: &Cfg,
    inst: InstId,
    call: &CallTarget,
    model: &robust_models::Function,
) -> Option<Local> {
    let tries = model.acquire.as_ref().is_some_and(|acquire| matches!(acquire.when, When::Try | When::Found));
    let runs = model.calls.as_ref().is_some_and(|calls| calls.times == Order::IfFound);
    let depends = runs || model.access.iter().flatten().any(|access| access.otherwise.is_some());
    let local = call.dest.as_local()?;
    // Who takes something and tells nobody does itself what is to be done with it.
    let by_itself = model.value == Some(ModelValue::Take)
        && flow.place_ty(inst, &call.dest).is_some_and(|ty| ty.is_unit());
    (tries || (depends && (by_itself || !unused(flow, cfg, inst, call)))).then_some(local)
}

fn mode(mode: robust_models::Mode) -> Mode {
    match mode {
        robust_models::Mode::Exclusive => Mode::Exclusive,
        robust_models::Mode::Shared => Mode::Shared,
    }
}

/// Whether the call's result is a future.
fn is_future(flow: &Flow<'_>, inst: InstId, call: &CallTarget) -> bool {
    let Some(ty) = flow.place_ty(inst, &call.dest) else { return false };
    match &*ty {
        TyKind::Coroutine(_) | TyKind::Impl(_) => true,
        TyKind::Path(path) => path.qself.is_some() || path.plain().contains("::Next"),
        _ => false,
    }
}

/// Whether a function stores something in place of what was there, whatever that was, and answers nobody by that.
fn is_signal(model: &robust_models::Function, access: &robust_models::Access) -> bool {
    !model.checks && model.answers.is_none() && access.change.is_none()
}

/// Whether all that a call stores is the value that says nothing: others see that something was stored, and no more.
fn says_nothing(args: &[(Vec<LocId>, Option<Ty>)]) -> bool {
    let stored = args.get(1..).unwrap_or_default();
    !stored.is_empty() && stored.iter().all(|(_, ty)| ty.as_ref().is_some_and(|ty| ty.is_unit()))
}

/// Whether a call stores what time it is.
fn notes_time(flow: &Flow<'_>, inst: InstId, value: Option<ModelValue>, call: &CallTarget) -> bool {
    value == Some(ModelValue::Set) && call.args.get(1).is_some_and(|stored| tells_time(flow, inst, stored))
}

/// Whether a call waits for input, as its argument says through which that comes.
fn takes_input(flow: &Flow<'_>, args: &[(Vec<LocId>, Option<Ty>)], model: &robust_models::Function) -> bool {
    fn comes_in(flow: &Flow<'_>, ty: &TyKind) -> bool {
        let parts = || parts(ty).into_iter().any(|part| comes_in(flow, part));
        match (ty, flow.model(ty).and_then(|model| model.input)) {
            (TyKind::Ref { .. }, _) | (_, Some(Input::Inside)) => parts(),
            (_, Some(Input::Outside)) => true,
            _ => false,
        }
    }
    let through = model.source_of.and_then(|number| args.get(number)?.1.as_ref());
    through.is_some_and(|ty| comes_in(flow, ty))
}

/// Whether nothing of the program is in values of these types, so that who waits for something there waits for nobody of it.
fn are_apart<'t>(flow: &Flow<'_>, types: impl IntoIterator<Item = &'t TyKind>) -> bool {
    types.into_iter().all(|ty| is_apart(flow, ty, 0))
}

fn is_apart(flow: &Flow<'_>, ty: &TyKind, depth: usize) -> bool {
    let inside = || depth < MAX_DEPTH && parts(ty).into_iter().all(|part| is_apart(flow, part, depth + 1));
    match ty {
        TyKind::Prim(_) | TyKind::Never | TyKind::FnDef(..) => true,
        TyKind::Ref { .. } | TyKind::Tuple(_) | TyKind::Slice(_) | TyKind::Array(..) => inside(),
        TyKind::Path(path) if path.qself.is_none() && flow.code.is_foreign(ty) => {
            let known = path.segments.first().is_some_and(|first| flow.models.is_known_crate(&first.name));
            match flow.model(ty) {
                Some(model) if model.input.is_some() => inside(),
                Some(model) => {
                    matches!(model.kind, None | Some(TypeKind::Container | TypeKind::Pointer)) && inside()
                }
                // A library knows no types of its users but those that it is told.
                None => known && inside(),
            }
        }
        _ => false,
    }
}
