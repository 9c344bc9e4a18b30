//! From a model of the solver to a finding.

use std::collections::BTreeSet;
use std::time::Instant;

use super::Inquiry;
use crate::finding::{self, Disturbance, Finding, Level, Others, Violation};
use crate::ir::{Label, ProcId, Stmt, StmtKind, VarId};
use crate::reach::circuit::Values;
use crate::reach::{Lit, Run, Session};
use crate::translate::Translated;
use crate::witness::{self, Alike, Replayed, Trace};

/// What a model of the solver turned out to be.
pub(super) enum Candidate {
    /// A violation.
    Violation,
    /// A violation that need not matter: of the same accesses, with others in between, one may.
    Excused,
    /// Nothing: it takes two elements of something for one.
    Apart,
    /// A run that cannot be scheduled.
    Spurious,
}

/// What the interpreter says of a run.
struct Played {
    values: Values,
    trace: Trace,
    /// None: it cannot be scheduled.
    replayed: Option<Replayed>,
}

/// What a run that can be scheduled comes to.
enum Judged {
    /// No violation, nor is any other one with the same cycle.
    Apart,
    /// None of several tasks of one event, whichever statements are in between.
    AnyOrder,
    /// None without these statements.
    Unheld(BTreeSet<Label>),
    /// None where this variable is set like that: what was seen in it is there all the time.
    AsItWas(VarId),
    /// One, and which others are said to be the same with it.
    Told(Box<Finding>, Others),
}

impl Inquiry<'_> {
    /// Makes a finding of a model if it is a violation, and excludes it from further answers.
    pub(super) fn replay(
        &mut self,
        translated: &Translated,
        run: &mut Run,
        goal: Lit,
        inputs: Vec<bool>,
        session: &mut Session,
    ) -> Candidate {
        let inputs = witness::least(run, goal, inputs, session);
        let Played { values, trace, replayed } = self.play(translated, run, &inputs);
        let Some(replayed) = replayed else {
            self.statistics.not_replayed += u32::from(Instant::now() < self.until);
            witness::exclude_run(run, &values, session);
            return Candidate::Spurious;
        };
        let (finding, others) = match self.judge(&trace, &replayed) {
            Judged::Apart => {
                witness::exclude_cycle(run, translated, (&values, &Alike::none()), session);
                return Candidate::Apart;
            }
            Judged::AnyOrder => {
                witness::exclude_violation(run, translated, (&values, &Alike::none()), session);
                return Candidate::Apart;
            }
            Judged::Unheld(taken) => {
                witness::exclude_cycle_without((run, translated), &taken, &values, session);
                return Candidate::Apart;
            }
            Judged::AsItWas(var) => {
                witness::exclude_history((run, translated), var, &values, session);
                return Candidate::Apart;
            }
            Judged::Told(finding, others) => (*finding, others),
        };
        // Who puts something in, in between, may do more harm than who takes it out.
        let is_mild = finding.level > Level::Note && finding.disturbance() == Disturbance::Removes;
        // A race that is told of once need not be told of again, of other objects. Where it is no bug of one object, it may be of others.
        let alike = match finding.level > Level::Note {
            true => Alike::in_source(self.whole),
            false => Alike::none(),
        };
        if !self.is_known(&finding) {
            // Notes are seldom read.
            let is_new = finding.level > Level::Note && self.shortened.insert(finding.fingerprint.clone());
            let shorter = is_new.then(|| self.shorter(&finding, translated, run, (goal, &values)));
            self.note(shorter.flatten().unwrap_or(finding));
        }
        match others {
            Others::Whoever if !is_mild => {
                witness::exclude_violation(run, translated, (&values, &alike), session)
            }
            Others::Whoever | Others::These => {
                witness::exclude_cycle(run, translated, (&values, &alike), session)
            }
        }
        match others {
            Others::Whoever => Candidate::Violation,
            Others::These => Candidate::Excused,
        }
    }

    /// Whether the same was found, of a run that does as much harm.
    fn is_known(&self, finding: &Finding) -> bool {
        let weight = |finding: &Finding| (finding.harm(), finding.first_look());
        let mut known = self.findings.iter().filter(|known| known.fingerprint == finding.fingerprint);
        known.any(|known| weight(known) <= weight(finding))
    }

    /// Adds a finding, in the place of one that does less harm.
    fn note(&mut self, finding: Finding) {
        if self.is_known(&finding) {
            return;
        }
        match self.findings.iter_mut().find(|known| known.fingerprint == finding.fingerprint) {
            Some(known) => *known = finding,
            None => self.findings.push(finding),
        }
    }

    /// As short a run as possible that does as much harm, whoever comes in between.
    fn shorter(
        &mut self,
        finding: &Finding,
        translated: &Translated,
        run: &mut Run,
        (goal, values): (Lit, &Values),
    ) -> Option<Finding> {
        let mut session = Session::new(self.engine, self.case.memory, Some(self.until));
        let before = self.shortened.len().saturating_sub(1) as u32;
        let inputs = witness::shortest(run, translated, (goal, values), before, &mut session);
        self.settled &= session.settled();
        let Played { trace, replayed, .. } = self.play(translated, run, &inputs?);
        match self.judge(&trace, &replayed?) {
            Judged::Told(shorter, _) if shorter.harm() <= finding.harm() => Some(*shorter),
            _ => None,
        }
    }

    /// Has a run replayed.
    fn play(&mut self, translated: &Translated, run: &Run, inputs: &[bool]) -> Played {
        let values = run.circuit.evaluate(inputs);
        let started = Instant::now();
        let trace = witness::extract(self.machine, translated, run, &values);
        // Of so many integers only those are tried that the run is about.
        let trying = (self.machine.is_sampled()).then(|| self.machine.trying(run.chosen(&values)));
        let machine = trying.as_ref().unwrap_or(self.machine);
        let replayed = witness::replay(machine, &trace, self.event, self.until);
        self.statistics.replay_ms += started.elapsed().as_millis() as u64;
        Played { values, trace, replayed }
    }

    /// What a run is, after all that may speak against it.
    fn judge(&self, trace: &Trace, replayed: &Replayed) -> Judged {
        let program = self.whole;
        let violation = Violation::of(program, trace, replayed);
        let serializability = self.event.is_none();
        let unheld = finding::unheld(&violation);
        if serializability && !unheld.is_empty() {
            let taken =
                |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Acquire(lock, _) if unheld.contains(&lock));
            return Judged::Unheld(program.statements().into_iter().filter(taken).map(|s| s.label).collect());
        }
        if serializability && (self.is_none(&violation) || self.prepared && !violation.is_of_two()) {
            return Judged::Apart;
        }
        if serializability && let Some(var) = finding::found_as_it_was(&violation) {
            return Judged::AsItWas(var);
        }
        // What one task of an event receives from another one is no order that is asked for.
        if !serializability && (finding::has_messages(&violation) || finding::counts_holders(&violation)) {
            return Judged::AnyOrder;
        }
        let mut finding = finding::describe(&self.program, trace, replayed, self.event);
        let events: Vec<ProcId> = self.program.events().collect();
        let mut others = Others::Whoever;
        if serializability
            && let Some(excuse) = finding::excuse(self.machine, &self.case.flags, &violation, &events)
        {
            finding.level = Level::Note;
            finding.excuse = excuse.reason;
            others = excuse.others;
        }
        if !serializability
            && !program.bases.is_empty()
            && let Some(reason) = finding::any_order(&violation)
        {
            finding.level = Level::Note;
            finding.excuse = reason;
        }
        Judged::Told(Box::new(finding), others)
    }

    /// Whether a cycle of accesses is none of what they are about.
    fn is_none(&self, violation: &Violation<'_>) -> bool {
        finding::are_apart(self.machine, violation)
            || finding::have_own_keys(violation)
            || finding::have_other_sides(violation)
            || finding::have_other_members(violation)
            || finding::have_claimed_keys(violation)
            || finding::leaves_what_was_found(violation)
            || finding::leaves_what_was_missing(violation)
            || finding::is_full_already(violation)
            || finding::is_found_out(violation)
            || finding::is_contrary(violation)
            || finding::is_filled_too_late(violation)
            || finding::hands_out_otherwise(violation)
            || finding::sends_otherwise(violation)
            || finding::counts_otherwise(violation)
            || finding::leaves_work_otherwise(violation)
            || finding::is_in_time(violation)
            || finding::is_silent(violation)
            || finding::is_sure(violation)
            || finding::is_awaited(violation, &self.case.flags)
            || finding::is_partial(violation)
            || finding::is_of_another_entry(violation)
    }
}
