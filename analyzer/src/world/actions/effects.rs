//! What each block of an instance does to shared state, in order.

use std::collections::BTreeSet;

use robust_models::{On, Order, TypeKind};

use crate::ir::{ENLIST, LEAVE, Mode};
use crate::mir::{Local, Operand, Place, Projection, Rvalue, StatementKind, TerminatorKind, TyKind};

use crate::world::actions::cfg::Cfg;
use crate::world::actions::choice::Choices;
use crate::world::actions::clock::{STAMP, tells_time};
use crate::world::actions::decided;
use crate::world::actions::enums::Enums;
use crate::world::actions::flags::Flags;
use crate::world::actions::given::Given;
use crate::world::actions::guards::guards;
use crate::world::actions::holders::HolderCounts;
use crate::world::actions::kept;
use crate::world::actions::of_callers;
use crate::world::actions::optional::Optional;
use crate::world::actions::outcome;
use crate::world::actions::spine::is_spine;
use crate::world::actions::tags::{changed_inside, tag_read, tag_stored, tags};
use crate::world::actions::updates::{Half, Updates};
use crate::world::points::drops::Dropped;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::{Flow, InstId};
use crate::world::points::transfer::may_be;
use crate::world::values::revalidate::{Mark, Provisional};

/// How shared data is touched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Touch {
    Read,
    Write,
    Update(String),
}

/// What an access does to a tracked value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tracked {
    /// The value goes into a local.
    Get(Local),
    /// A constant is stored; the old value goes into a local.
    Set(i128, Option<Local>),
    /// If it has the first value it gets the second; the local tells whether (`Ok` is variant 0). `None`: values that are
    /// not known.
    Exchange(Option<(i128, i128)>, Local),
    /// Whether there is something goes into a local, as it is or (`false`) the other way round.
    Tag(Local, bool),
    /// From then on there is something, or nothing.
    SetTag(bool),
    /// From then on there is something: what was there, or else something new.
    Supplied,
    /// Something was there, and is taken.
    Taken,
    /// If something was there, it is taken; nobody asks.
    Emptied,
    /// Nothing was there.
    Absent,
    /// What is in what is there, which stays there.
    Inside,
    /// Whether it has one of these values goes into a local, as it is or (`false`) the other way round.
    Is(Vec<i128>, Local, bool),
}

/// Which of the tasks of a call are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Started {
    /// One of them: what is given is one closure or future, this or that.
    One,
    /// Each of them once.
    Each,
    /// Each of them twice: there may be many.
    Twice,
}

/// An action on shared state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Access {
        touch: Touch,
        locs: Vec<LocId>,
        tracked: Option<Tracked>,
        /// It looks before it changes anything.
        checks: bool,
        /// A read that may not matter.
        provisional: Option<Provisional>,
    },
    /// What this place says of a provisional read of these locations.
    Mark {
        mark: Mark,
        id: u32,
        locs: Vec<LocId>,
    },
    Acquire {
        locks: Vec<LocId>,
        mode: Mode,
    },
    Release {
        locks: Vec<LocId>,
    },
    Spawn {
        tasks: BTreeSet<InstId>,
        on: On,
        scoped: bool,
        started: Started,
    },
    /// Gives these to a library, which calls them from then on.
    Register {
        events: BTreeSet<InstId>,
    },
    /// Waits for tasks that were started there: all of them, or one.
    Join {
        sites: Vec<(InstId, u32)>,
        all: bool,
    },
    /// Suspends. `apart`: what it waits for has nothing to do with anything of the program.
    Yield {
        apart: bool,
    },
    /// Waits for the outside, or only for time to pass. `apart`: nothing of the program is on the other side.
    Source {
        time: bool,
        apart: bool,
    },
    /// Waits until others have got somewhere: at a barrier, for a condition.
    Wait,
    /// Who waits for something in these locations may go on.
    Answer {
        locs: Vec<LocId>,
    },
    /// Waits for such an answer.
    Expect {
        locs: Vec<LocId>,
    },
    /// Gets what was sent there, if there is anything.
    Receive {
        locs: Vec<LocId>,
    },
    /// Something that others see and that is no access: output, messages.
    Output,
    /// The process ends.
    End,
    /// It panics unless data in these locations is as expected.
    Rely {
        locs: Vec<LocId>,
    },
    Call {
        callees: BTreeSet<InstId>,
        times: Order,
        scope: bool,
        /// Takes what they return, where that is followed.
        result: Option<Local>,
        /// Holders that get what they return: see [`crate::world::actions::choice`].
        made: Vec<LocId>,
        /// What it says of holders that they have not chosen themselves.
        given: Vec<Given>,
    },
    /// A holder gets one of these targets.
    Choose {
        holder: LocId,
        among: Vec<LocId>,
    },
    Flag(Local, bool),
    /// A local is an enum of this variant, by its discriminant.
    Variant(Local, i128),
    /// A call whose result goes to this local succeeds (`Some`, `Ok`, `true`) or not.
    Guess(Local),
    /// A local becomes whether one of these locks is held, or (`is` is false) whether none is: there is a guard in an option. `lent`: it may
    /// be another one's, in which there may be one already.
    Holds {
        local: Local,
        is: bool,
        locks: Vec<LocId>,
        lent: bool,
    },
    /// What is done here, only who has this lock can do: it uses a guard that was left in one variant of something.
    Has {
        lock: LocId,
    },
}

/// An action and the statement it is in (one past the statements: the terminator).
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub action: Action,
    pub at: usize,
    /// Only if the call whose result is in this local succeeded, or did not.
    pub only_if: Option<(Local, bool)>,
    /// Where it was before it became part of a caller.
    pub from: Option<crate::world::values::inline_readers::Origin>,
    /// The holder whose choice says which of several objects it is about.
    pub via: Option<LocId>,
}

impl Step {
    /// An action that depends on nothing.
    pub fn new(action: Action, at: usize) -> Self {
        Step { action, at, only_if: None, from: None, via: None }
    }

    /// Whether it begins to wait at a condition.
    pub fn enlists(&self) -> bool {
        matches!(&self.action, Action::Access { touch: Touch::Update(class), .. } if class == ENLIST)
    }

    /// Whether it begins to wait at a condition, or may call one of these instances, which do.
    pub fn waits(&self, waiting: &BTreeSet<InstId>) -> bool {
        match &self.action {
            Action::Call { callees, .. } => !callees.is_disjoint(waiting),
            _ => self.enlists(),
        }
    }
}

/// The actions of an instance, by block.
pub(crate) type Effects = Vec<Vec<Step>>;

/// Collects the actions of an instance. Accesses name all locations; whoever emits them knows which are shared.
pub(crate) fn effects(flow: &mut Flow<'_>, cfg: &Cfg, holders: &HolderCounts, inst: InstId) -> Effects {
    let body = flow.body_of(inst);
    let updates = Updates::find(body, &|block| flow.model_at(inst, block)?.value);
    let flags = Flags::find(body);
    let decided = decided::comparisons(body);
    let optional = Optional::find(flow, inst);
    let tells = outcome::tells(flow, inst);
    let enums = Enums::find(flow, inst);
    let mut choices = Choices::new(body, inst);
    let mut all = Vec::with_capacity(body.blocks.len());
    for (index, block) in body.blocks.iter().enumerate() {
        let mut steps = Vec::new();
        if block.cleanup {
            all.push(steps);
            continue;
        }
        for (at, statement) in block.statements.iter().enumerate() {
            let StatementKind::Assign(place, rvalue) = &statement.kind else { continue };
            let mut told = optional.set_by(body, place, rvalue);
            if tells && place.as_local() == Some(Local::RETURN) && !optional.contains(Local::RETURN) {
                told.push((Local::RETURN, outcome::of(outcome::source(body, rvalue))));
            }
            steps.extend(told.into_iter().map(|(local, value)| {
                let action = value.map_or(Action::Guess(local), |value| Action::Flag(local, value));
                Step::new(action, at)
            }));
            steps.extend(enums.set_by(flow, body, place, rvalue).map(|(local, variant)| {
                let action = variant.map_or(Action::Guess(local), |variant| Action::Variant(local, variant));
                Step::new(action, at)
            }));
            let (set, only) = flags.set_by(place, rvalue);
            steps.extend(set.into_iter().map(|(local, value)| Step::new(Action::Flag(local, value), at)));
            if only {
                continue;
            }
            let asked_again = place.as_local().filter(|local| decided.contains(local));
            let mut found = Found {
                steps: &mut steps,
                cfg,
                holders,
                choices: &mut choices,
                at,
                only_if: None,
                via: None,
                told: None,
            };
            for lock in rvalue.places().into_iter().filter_map(|used| of_callers::held_for(flow, inst, used))
            {
                found.push(Action::Has { lock });
            }
            let class = updates.class(index, at);
            found.told = tag_read(flow, inst, place, rvalue);
            match (&class, rvalue) {
                (None, _) => found.rvalue(flow, inst, rvalue),
                // The first operand is the place that is updated.
                (Some(_), Rvalue::Binary(_, operands)) => found.operand(flow, inst, &operands.1),
                (Some(Half::Write(_)), Rvalue::Use(operand)) => found.operand(flow, inst, operand),
                (Some(_), _) => {}
            }
            match class {
                Some(Half::Write(class)) => {
                    found.touch(flow, inst, place, Touch::Update(class.to_owned()));
                }
                _ => {
                    found.told = tag_stored(flow, inst, place, rvalue);
                    let lent = || place.projection.contains(&Projection::Deref);
                    let touch = match rvalue {
                        Rvalue::Use(value) if lent() && tells_time(flow, inst, value) => {
                            Touch::Update(STAMP.to_owned())
                        }
                        _ => Touch::Write,
                    };
                    found.touch(flow, inst, place, touch);
                }
            }
            if let Some(local) = asked_again {
                found.push(Action::Guess(local));
            }
            if let (Rvalue::Discriminant(of), Some(local)) = (rvalue, place.as_local())
                && let Some(kept) = kept::in_place(flow, inst, of, &optional)
            {
                found.push(kept.told_by(local, true));
            }
        }
        let at = block.statements.len();
        if let TerminatorKind::Call(call) = &block.terminator.kind
            && let Some(dest) = call.dest.as_local()
            && (tells && dest == Local::RETURN || enums.contains(dest))
        {
            steps.push(Step::new(Action::Guess(dest), at));
        }
        let mut found = Found {
            steps: &mut steps,
            cfg,
            holders,
            choices: &mut choices,
            at,
            only_if: None,
            via: None,
            told: None,
        };
        match &block.terminator.kind {
            TerminatorKind::Call(call) => {
                found.call(flow, inst, index as u32, call, &optional);
                found.changed(flow, inst, index as u32, call, &optional);
                if let Some(lock) = of_callers::held_by_result(flow, inst, call) {
                    found.push(Action::Has { lock });
                }
            }
            TerminatorKind::Drop { place, .. } => {
                let held = place.as_local().and_then(|local| match optional.contains(local) {
                    true => Some(local),
                    false => flags.tells_of(flow, inst, local),
                });
                found.only_if = held.map(|local| (local, true));
                found.dropped(flow, inst, index as u32, place);
                kept::exchanged(flow, inst, index, &mut steps);
            }
            TerminatorKind::SwitchInt { on, .. } => found.operand(flow, inst, on),
            TerminatorKind::Return => {
                let left = holders.left_behind(flow, inst);
                found.access(Touch::Update(LEAVE.to_owned()), left);
            }
            _ => {}
        }
        all.push(steps);
    }
    choices.insert(flow, &mut all);
    crate::world::actions::promised::insert(flow, inst, &mut all);
    all
}

/// What was found so far in a block.
pub(crate) struct Found<'s, 'b> {
    steps: &'s mut Vec<Step>,
    pub cfg: &'s Cfg,
    pub holders: &'s HolderCounts,
    pub choices: &'s mut Choices<'b>,
    at: usize,
    /// What comes is done only if this local is so.
    pub only_if: Option<(Local, bool)>,
    /// What comes is about the object that this holder points to.
    pub via: Option<LocId>,
    /// What the next access does to whether there is something.
    told: Option<Tracked>,
}

impl Found<'_, '_> {
    pub fn push(&mut self, action: Action) {
        let (at, only_if, via) = (self.at, self.only_if, self.via);
        self.steps.push(Step { action, at, only_if, from: None, via });
    }

    /// Whether this block says of a local whether it is `Some` or `Ok`.
    pub fn tells(&self, local: Local) -> bool {
        self.steps.iter().any(|step| match &step.action {
            Action::Flag(of, _)
            | Action::Variant(of, _)
            | Action::Guess(of)
            | Action::Holds { local: of, .. }
            | Action::Call { result: Some(of), .. } => *of == local,
            _ => false,
        })
    }

    pub fn access(&mut self, touch: Touch, locs: Vec<LocId>) {
        if !locs.is_empty() {
            self.push(Action::Access { touch, locs, tracked: None, checks: false, provisional: None });
        }
    }

    /// An access that may tell, or decide, whether there is something.
    pub fn telling(&mut self, touch: Touch, locs: Vec<LocId>, tracked: Option<Tracked>) {
        if !locs.is_empty() {
            self.push(Action::Access { touch, locs, tracked, checks: false, provisional: None });
        }
    }

    /// An access to a place, and reads of the pointers on the way to it.
    pub fn touch(&mut self, flow: &mut Flow<'_>, inst: InstId, place: &Place, touch: Touch) {
        let mut on_the_way: Vec<LocId> = Vec::new();
        let (mut locs, ty) = flow.place_steps(inst, place, &mut |locs, behind| {
            if behind {
                on_the_way.extend(locs);
            }
        });
        let via = self.via.take();
        self.via = self.choices.of_place(flow, place);
        self.access(Touch::Read, on_the_way);
        if let (Touch::Read, Some(ty)) = (&touch, &ty) {
            locs.retain(|loc| !is_spine(flow, *loc, ty));
            // An element was taken for a pointer to it.
            if matches!(&**ty, TyKind::Ref { .. }) {
                locs.retain(|loc| may_be(flow, *loc, ty));
            }
        }
        // What a body does to its own locals by name cannot race: others only have them borrowed meanwhile.
        if place.projection.contains(&Projection::Deref) {
            let told = self.told.take();
            let told = told.or_else(|| match touch {
                Touch::Read => None,
                _ => changed_inside(flow, &locs, ty.as_deref()),
            });
            self.telling(touch, locs, told);
        }
        self.via = via;
    }

    /// What comes is about what an operand points to.
    pub fn about(&mut self, flow: &mut Flow<'_>, operand: Option<&Operand>) {
        self.via = operand.and_then(|operand| self.choices.of_operand(flow, operand));
    }

    /// What comes is about what the future that these locations point to refers to.
    pub fn about_future(&mut self, flow: &mut Flow<'_>, pointers: &[LocId]) {
        self.via = self.choices.of_future(flow, pointers);
    }

    /// What comes is about what the future with a body is about that these locations point to.
    pub fn about_polled(&mut self, flow: &mut Flow<'_>, pointers: &[LocId]) {
        self.via = self.choices.of_polled(flow, pointers);
    }

    /// The pointers read to get to a place, not the place itself.
    fn address(&mut self, flow: &mut Flow<'_>, inst: InstId, place: &Place) {
        let mut on_the_way: Vec<LocId> = Vec::new();
        flow.place_steps(inst, place, &mut |locs, behind| {
            if behind {
                on_the_way.extend(locs);
            }
        });
        self.access(Touch::Read, on_the_way);
    }

    pub fn operand(&mut self, flow: &mut Flow<'_>, inst: InstId, operand: &Operand) {
        if let Some(place) = operand.place() {
            self.touch(flow, inst, place, Touch::Read);
        }
    }

    /// What runs at the end of a block because values are dropped; whether anything does.
    pub fn drops(&mut self, flow: &mut Flow<'_>, inst: InstId, block: u32) -> bool {
        let drops = flow.calls.get(&(inst, block)).map_or(Vec::new(), |info| info.drops.clone());
        for dropped in &drops {
            match dropped {
                Dropped::Run { run, times, .. } => {
                    let callees = BTreeSet::from([*run]);
                    let (scope, result, made, given) = (false, None, Vec::new(), Vec::new());
                    self.push(Action::Call { callees, times: *times, scope, result, made, given });
                }
                Dropped::Guard(locs, ty) => {
                    let locks = guards(flow, locs, ty, 0);
                    self.push(Action::Release { locks: locks.into_iter().collect() });
                }
            }
        }
        !drops.is_empty()
    }

    fn rvalue(&mut self, flow: &mut Flow<'_>, inst: InstId, rvalue: &Rvalue) {
        match rvalue {
            Rvalue::Use(operand)
            | Rvalue::Repeat(operand, _)
            | Rvalue::Cast(_, operand, _)
            | Rvalue::Unary(_, operand)
            | Rvalue::Wrap(operand, _) => self.operand(flow, inst, operand),
            Rvalue::Ref(_, place) | Rvalue::RawPtr { place, .. } => self.address(flow, inst, place),
            Rvalue::Binary(_, operands) => {
                self.operand(flow, inst, &operands.0);
                self.operand(flow, inst, &operands.1);
            }
            Rvalue::Discriminant(place) if is_wrapper(flow, inst, place) => {
                self.address(flow, inst, place);
                let (locs, ty) = flow.place(inst, place);
                if place.projection.contains(&Projection::Deref) {
                    let tags = tags(flow, inst, &locs, ty.as_deref());
                    self.via = self.choices.of_place(flow, place);
                    let told = self.told.take();
                    self.telling(Touch::Read, tags, told);
                    self.via = None;
                }
            }
            Rvalue::Discriminant(place) | Rvalue::Len(place) | Rvalue::CopyForDeref(place) => {
                self.touch(flow, inst, place, Touch::Read);
            }
            Rvalue::Aggregate(_, operands) => {
                for operand in operands {
                    self.operand(flow, inst, operand);
                }
            }
            Rvalue::ThreadLocalRef(_) | Rvalue::Nullary(_) => {}
        }
    }

    fn dropped(&mut self, flow: &mut Flow<'_>, inst: InstId, block: u32, place: &Place) {
        let drops = self.drops(flow, inst, block);
        let (locs, ty) = flow.place(inst, place);
        let Some(ty) = ty else { return };
        let left = self.holders.left(flow, (&locs, &ty));
        self.access(Touch::Update(LEAVE.to_owned()), left);
        if drops {
            return;
        }
        let locks = guards(flow, &locs, &ty, 0);
        if !locks.is_empty() {
            self.about(flow, Some(&Operand::Copy(place.clone())));
            self.push(Action::Release { locks: locks.into_iter().collect() });
            self.via = None;
        }
    }
}

/// Whether a place is an `Option` or the like: what it holds has the same location.
fn is_wrapper(flow: &Flow<'_>, inst: InstId, place: &Place) -> bool {
    flow.place_ty(inst, place).is_some_and(|ty| flow.kind(&ty) == Some(TypeKind::Container))
}
