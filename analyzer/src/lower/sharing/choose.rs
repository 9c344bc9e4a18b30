//! Choices of objects ([`crate::world::actions::choice`]) as statements: a local of the procedure says which one it is.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::ir::{BinOp, Block, Expr, LocalId, StmtKind, Value};

use crate::lower::emit::emitter::{Build, Emitter};
use crate::world::actions::choice::{pointees, relate};
use crate::world::actions::effects::{Action, Step};
use crate::world::actions::given::Given;
use crate::world::facts::Facts;
use crate::world::points::heap::LocId;
use crate::world::points::points_to::InstId;

/// Calls are followed this deep to who keeps a choice.
const CALLS: usize = 100;

/// The holders whose choice an instance keeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// All of them.
    pub all: BTreeSet<LocId>,
    /// Those among them that its callers choose.
    pub given: BTreeSet<LocId>,
}

/// By instance: the holders that its callers say something of.
pub(crate) fn holders_given(facts: &Facts) -> BTreeMap<InstId, BTreeSet<LocId>> {
    let mut found: BTreeMap<InstId, BTreeSet<LocId>> = BTreeMap::new();
    for step in facts.effects.iter().flatten().flatten() {
        let Action::Call { callees, given, .. } = &step.action else { continue };
        for callee in callees {
            found.entry(*callee).or_default().extend(given.iter().map(|given| given.to));
        }
    }
    found
}

/// By target of a holder: the locations that it leads to; none where that tells nothing apart.
pub(crate) type Related = Option<Rc<[Vec<LocId>]>>;

impl Emitter<'_, '_> {
    /// The holders of an instance whose choice matters: several things depend on it, not all alike, or one does and callers choose.
    pub fn kept_choices(&mut self, inst: InstId) -> Kept {
        self.kept_below(inst, 0)
    }

    fn kept_below(&mut self, inst: InstId, depth: usize) -> Kept {
        if let Some(known) = self.kept_choices.get(&inst) {
            return known.clone();
        }
        if depth > CALLS {
            return Kept::default();
        }
        // Functions that call one another choose anew in each round.
        self.kept_choices.insert(inst, Kept::default());
        let found = self.find_choices(inst, depth);
        self.kept_choices.insert(inst, found.clone());
        found
    }

    fn find_choices(&mut self, inst: InstId, depth: usize) -> Kept {
        let facts = self.facts;
        let steps = || facts.effects[inst.0 as usize].iter().flatten();
        let mut uses: BTreeMap<LocId, u32> = BTreeMap::new();
        let mut made = BTreeSet::new();
        for step in steps() {
            if let Some(holder) = step.via.filter(|holder| self.tells_apart(*holder, step)) {
                *uses.entry(holder).or_default() += 1;
            }
            match &step.action {
                Action::Choose { holder, .. } => _ = made.insert(*holder),
                Action::Call { callees, made: holders, given, .. } => {
                    made.extend(holders);
                    let mut asked = BTreeSet::new();
                    for callee in callees.iter().filter(|_| !given.is_empty()) {
                        if self.active.contains(callee) {
                            asked.extend(self.kept_below(*callee, depth + 1).given);
                        }
                    }
                    let deciding = given.iter().filter(|given| asked.contains(&given.to));
                    for holder in deciding.filter_map(|given| given.by).collect::<BTreeSet<_>>() {
                        *uses.entry(holder).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        let by_callers = |holder: &LocId| {
            let told = self.holders_given.get(&inst).is_some_and(|told| told.contains(holder));
            told && !made.contains(holder)
        };
        uses.retain(|holder, count| *count > 1 || by_callers(holder));
        let mut found: BTreeSet<LocId> = uses.into_keys().collect();
        loop {
            let before = found.len();
            for step in steps() {
                let decided = match &step.action {
                    Action::Choose { holder, .. } => found.contains(holder),
                    Action::Call { made, .. } => made.iter().any(|holder| found.contains(holder)),
                    _ => false,
                };
                found.extend(step.via.filter(|_| decided));
            }
            if found.len() == before {
                break;
            }
        }
        let given = found.iter().copied().filter(by_callers).collect();
        Kept { all: found, given }
    }

    /// Makes the choices that callers make the first locals of a procedure.
    pub fn choices_as_parameters(&mut self, build: &mut Build) {
        for holder in self.kept_choices(build.inst).given {
            self.choice(build, holder);
        }
        build.params = build.locals.len();
    }

    /// What a call gives the parameters of a callee.
    pub fn choices_given(
        &mut self,
        build: &mut Build,
        callee: InstId,
        given: &[Given],
        out: &mut Block,
    ) -> Vec<Expr> {
        let mut args = Vec::new();
        for (number, holder) in self.kept_choices(callee).given.into_iter().enumerate() {
            let targets = self.flow.heap.targets(holder);
            let told: Vec<&Given> = given.iter().filter(|given| given.to == holder).collect();
            let (by, among) = match told[..] {
                [Given { by, among, .. }] if !among.is_empty() => (*by, among.clone()),
                _ => (None, targets.clone()),
            };
            let own = by.and_then(|by| Some((self.flow.heap.targets(by), self.choice(build, by)?)));
            args.push(match (&among[..], own) {
                ([only], _) => numbered(&targets, *only),
                (_, Some((same, local))) if same == targets && among == targets => Expr::Local(local),
                _ => {
                    let local = build.local(format!("to{number}"), false);
                    let block = self.by_choice(build, by, &among, &mut |emitter, _, among| {
                        emitter.set_to_one(local, &targets, among)
                    });
                    out.extend(block);
                    Expr::Local(local)
                }
            });
        }
        args
    }

    /// Which of these locations each of a holder's targets leads to, if that tells them apart.
    fn related(&self, holder: LocId, locs: &[LocId]) -> Related {
        let asked = (holder, locs.to_vec());
        if let Some(known) = self.related.borrow().get(&asked) {
            return known.clone();
        }
        let related = relate(self.flow, &self.flow.heap.targets(holder), locs).map(Rc::from);
        self.related.borrow_mut().insert(asked, related.clone());
        related
    }

    /// Whether it depends on a holder's choice what a step does.
    fn tells_apart(&self, holder: LocId, step: &Step) -> bool {
        let parts = |locs: &[LocId]| self.related(holder, locs);
        let differ = |all: Vec<BTreeSet<usize>>| all.windows(2).any(|pair| pair[0] != pair[1]);
        match &step.action {
            Action::Access { locs, .. } => {
                let vars = |parts: &[Vec<LocId>]| {
                    parts.iter().map(|part| self.sharing.among(self.flow, part)).collect()
                };
                parts(locs).is_some_and(|parts| differ(vars(&parts)))
            }
            Action::Acquire { locks, .. } | Action::Release { locks } => {
                parts(locks).is_some_and(|parts| parts.windows(2).any(|pair| pair[0] != pair[1]))
            }
            Action::Call { callees, .. } => {
                let active = callees.iter().any(|callee| self.active.contains(callee));
                active && callees.len() > 1
            }
            _ => false,
        }
    }

    /// Whether a step makes a choice that matters.
    pub fn chooses(&self, build: &Build, step: &Step) -> bool {
        match &step.action {
            Action::Choose { holder, .. } => build.choices.contains(holder),
            Action::Call { made, .. } => made.iter().any(|holder| build.choices.contains(holder)),
            _ => false,
        }
    }

    fn choice(&self, build: &mut Build, holder: LocId) -> Option<LocalId> {
        let number = build.choices.iter().position(|known| *known == holder)?;
        Some(build.local(format!("at{number}"), false))
    }

    /// Choices that were made before the body, or the part of it, begins.
    pub fn first_choices(&mut self, build: &mut Build, part: bool, out: &mut Block) {
        let steps = self.facts.effects[build.inst.0 as usize].iter().flatten();
        let mut made = BTreeSet::new();
        for step in steps {
            match &step.action {
                Action::Choose { holder, .. } => _ = made.insert(*holder),
                Action::Call { made: holders, .. } => made.extend(holders),
                _ => {}
            }
        }
        let given = if build.params > 0 { self.kept_choices(build.inst).given } else { BTreeSet::new() };
        for holder in build.choices.clone() {
            if part || !made.contains(&holder) && !given.contains(&holder) {
                let all = self.flow.heap.targets(holder);
                out.extend(self.chosen(build, holder, &all));
            }
        }
    }

    /// Sets a holder's choice to one of these targets.
    fn chosen(&mut self, build: &mut Build, holder: LocId, among: &[LocId]) -> Block {
        let Some(local) = self.choice(build, holder) else { return Vec::new() };
        self.set_to_one(local, &self.flow.heap.targets(holder), among)
    }

    /// Gives a local the number of one of these targets.
    fn set_to_one(&mut self, local: LocalId, targets: &[LocId], among: &[LocId]) -> Block {
        let mut arms = Vec::new();
        for target in targets.iter().filter(|target| among.contains(target)) {
            let value = numbered(targets, *target);
            arms.push(vec![self.stmt(None, StmtKind::SetLocal(local, value))]);
        }
        self.choose(arms)
    }

    /// What a holder that was assigned to may point to now, as far as that depends on another choice.
    pub fn make_choice(&mut self, build: &mut Build, step: &Step, out: &mut Block) {
        let Action::Choose { holder, among } = &step.action else { return };
        if build.choices.contains(holder) {
            let block = self.by_choice(build, step.via, among, &mut |emitter, build, among| {
                emitter.chosen(build, *holder, among)
            });
            out.extend(block);
        }
    }

    /// What a call's result makes holders point to.
    pub fn choose_results(&mut self, build: &mut Build, callee: InstId, made: &[LocId], out: &mut Block) {
        for holder in made.iter().filter(|holder| build.choices.contains(holder)).copied().collect::<Vec<_>>()
        {
            let mut given = BTreeSet::new();
            let result = self.flow.heap.find(&crate::world::points::heap::Root::Local(callee, 0));
            result.into_iter().for_each(|result| pointees(self.flow, result, &mut given));
            let targets = self.flow.heap.targets(holder);
            let among: Vec<LocId> = targets.iter().copied().filter(|target| given.contains(target)).collect();
            out.extend(self.chosen(build, holder, if among.is_empty() { &targets } else { &among }));
        }
    }

    /// What is done with the locations that a choice leaves of these; with all, when nothing is chosen.
    pub fn by_choice(
        &mut self,
        build: &mut Build,
        via: Option<LocId>,
        locs: &[LocId],
        make: &mut dyn FnMut(&mut Self, &mut Build, &[LocId]) -> Block,
    ) -> Block {
        let chosen = via.and_then(|holder| {
            let local = self.choice(build, holder)?;
            Some((local, self.related(holder, locs)?))
        });
        let Some((local, parts)) = chosen else { return make(self, build, locs) };
        let mut arms = Vec::new();
        for part in &*parts {
            arms.push(make(self, build, part));
        }
        self.case(local, arms)
    }

    /// What is done when a choice's local has the number of an arm.
    pub fn case(&mut self, local: LocalId, mut arms: Vec<Block>) -> Block {
        let Some(mut rest) = arms.pop() else { return Vec::new() };
        while let Some(arm) = arms.pop() {
            if arm.is_empty() && rest.is_empty() {
                continue;
            }
            let number = Expr::Const(Value::Int(arms.len() as i128));
            let is = Expr::Binary(BinOp::Eq, Box::new(Expr::Local(local)), Box::new(number));
            rest = vec![self.stmt(None, StmtKind::If(is, arm, rest))];
        }
        rest
    }

    /// The callees that a choice leaves, by number of the holder's target; none when nothing is chosen.
    pub fn chosen_callees(
        &self,
        build: &mut Build,
        via: Option<LocId>,
        callees: &BTreeSet<InstId>,
    ) -> Option<(LocalId, Vec<Vec<InstId>>)> {
        let holder = via?;
        let local = self.choice(build, holder)?;
        let about = |callee: &InstId| self.flow.instances[callee.0 as usize].of;
        let targets = self.flow.heap.targets(holder);
        let arms = targets.iter().map(|target| {
            let meant = callees.iter().copied().filter(|callee| about(callee) == Some(*target));
            let meant: Vec<InstId> = meant.collect();
            if !meant.is_empty() {
                return meant;
            }
            let others = |callee: &InstId| about(callee).is_none_or(|of| !targets.contains(&of));
            let others: Vec<InstId> = callees.iter().copied().filter(others).collect();
            if others.is_empty() { callees.iter().copied().collect() } else { others }
        });
        Some((local, arms.collect()))
    }
}

/// The number of a target.
fn numbered(targets: &[LocId], target: LocId) -> Expr {
    let number = targets.iter().position(|known| *known == target).unwrap_or_default();
    Expr::Const(Value::Int(number as i128))
}
