//! One question about a program, from the translation to replayed findings.

use std::time::Instant;

use crate::check::{Options, Statistics, Verdict};
use crate::finding::{self, Finding, Level};
use crate::ir::{ProcId, ProcKind, Program, StmtKind};
use crate::reach::{self, Answer, Run, Session};
use crate::semantics::Machine;
use crate::translate::{self, Precision, Translated};
use crate::witness;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Is this event deterministic?
    Determinism(ProcId),
    /// Are these events, and no others, serializable?
    Serializability(Vec<ProcId>),
    /// Is there a cycle of two instances of the first events of the list (one or two)? The others enable them.
    Pair(Vec<ProcId>),
}

/// What was found out about a question.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The verdict.
    pub verdict: Verdict,
    /// The violations.
    pub findings: Vec<Finding>,
    /// Times, and the number of runs that were not replayed; the other counts are left at zero.
    pub statistics: Statistics,
}

/// Findings that are looked for in one question.
const FINDINGS: usize = 8;
/// Rounds of making a violation smaller.
const SMALLER: u32 = 4;
/// Runs that do not replay before a question is given up.
const SPURIOUS: u32 = 100;

impl Question {
    /// Answers the question. `despite` says whether some event is not deterministic.
    pub fn ask(&self, machine: &Machine, options: &Options, despite: bool) -> Answered {
        let events = match self {
            Question::Determinism(event) => std::slice::from_ref(event),
            Question::Serializability(events) | Question::Pair(events) => events,
        };
        let mut inquiry = Inquiry {
            machine,
            program: only_events(&machine.program, events),
            event: match self {
                Question::Determinism(event) => Some(*event),
                _ => None,
            },
            options,
            despite,
            started: Instant::now(),
            findings: Vec::new(),
            statistics: Statistics::default(),
        };
        let verdict = inquiry.ask(self);
        Answered { verdict, findings: inquiry.findings, statistics: inquiry.statistics }
    }
}

/// The program with the other events out of the way, and what only they use.
fn only_events(program: &Program, events: &[ProcId]) -> Program {
    let mut needed: Vec<ProcId> = events.to_vec();
    let mut at = 0;
    while let Some(&proc) = needed.get(at) {
        at += 1;
        for s in program.proc(proc).statements() {
            if let StmtKind::Call { proc: used, .. } | StmtKind::Async { task: used, .. } = s.kind
                && !needed.contains(&used)
            {
                needed.push(used);
            }
        }
    }
    let mut program = program.clone();
    for (p, proc) in program.procs.iter_mut().enumerate() {
        if !needed.contains(&ProcId(p as u32)) {
            proc.kind = ProcKind::Proc;
            proc.body.clear();
        }
    }
    program
}

/// A question under way.
struct Inquiry<'a> {
    machine: &'a Machine,
    program: Program,
    /// For determinism.
    event: Option<ProcId>,
    options: &'a Options,
    despite: bool,
    started: Instant,
    findings: Vec<Finding>,
    statistics: Statistics,
}

impl Inquiry<'_> {
    fn ask(&mut self, question: &Question) -> Verdict {
        match question {
            Question::Determinism(event) => {
                let event = *event;
                self.refine(|program, precision| translate::detseq(program, event, precision)).0
            }
            Question::Serializability(_) => self.deepen(self.options.events, "event instances"),
            Question::Pair(events) => {
                // Those that enable the pair run once each.
                let enabling = (events.len() as u32).saturating_sub(2);
                let most = self.options.events.min(2) + enabling;
                self.deepen(most, "event instances, events of large groups two at a time")
            }
        }
    }

    /// Two event instances, then more, up to `most`: the first violation has the fewest.
    fn deepen(&mut self, most: u32, what: &str) -> Verdict {
        let once = |event| matches!(self.program.proc(event).kind, ProcKind::Event { once: true, .. });
        let all = self.program.events().count() as u32;
        // Where each comes once there are no runs with more instances.
        let complete = all <= most && self.program.events().all(once);
        let most = if complete { all } else { most };
        let mut loops = "";
        for instances in most.min(2)..=most {
            let (verdict, truncated) =
                self.refine(|program, precision| translate::robseq(program, instances, precision));
            if !matches!(verdict, Verdict::Holds { .. }) {
                return verdict;
            }
            if truncated {
                loops = ", loops cut";
            }
        }
        let bound = match (complete, loops) {
            (true, "") => None,
            (true, _) => Some(format!("loops unrolled {} times", self.options.unroll)),
            (false, _) => Some(format!("{most} {what}{loops}")),
        };
        Verdict::Holds { bound }
    }

    /// Searches the coarse translation; and the fine one, if the coarse one lets runs through that cannot be scheduled.
    fn refine(&mut self, translate: impl Fn(&Program, Precision) -> Translated) -> (Verdict, bool) {
        for precision in [Precision::Coarse, Precision::Fine] {
            let started = Instant::now();
            let translated = translate(&self.program, precision);
            self.statistics.translate_ms += started.elapsed().as_millis() as u64;
            let most = if precision == Precision::Coarse { 1 } else { SPURIOUS };
            let started = Instant::now();
            let replayed = self.statistics.replay_ms;
            let answer = self.search(&translated, most);
            let replay = self.statistics.replay_ms - replayed;
            self.statistics.solve_ms += (started.elapsed().as_millis() as u64).saturating_sub(replay);
            if let Some(answer) = answer {
                return answer;
            }
        }
        let reason = format!("{SPURIOUS} candidate schedules could not be replayed");
        (Verdict::Unknown { reason }, false)
    }

    /// Looks for all distinct violations of one sequential program; whether a bound was hit comes along. `None` when
    /// `most_spurious` runs could not be replayed.
    fn search(&mut self, translated: &Translated, most_spurious: u32) -> Option<(Verdict, bool)> {
        let types = match translated.types(&self.machine.types) {
            Ok(types) => types,
            Err(invalid) => return Some((Verdict::Unknown { reason: invalid.message }, false)),
        };
        let unroll = self.options.unroll;
        let mut run = reach::run(&translated.program, &types, translated.entry, translated.error, unroll);
        self.statistics.choices += run.circuit.inputs() as u64;
        let mut session = Session::new(&run.circuit, run.goal, self.options.timeout);
        let (mut found, mut spurious) = (0, 0);
        let verdict = loop {
            let inputs = match session.ask(&run.circuit) {
                Answer::Reachable(inputs) => inputs,
                _ if found > 0 => break Verdict::Violated,
                Answer::Unreachable => {
                    let bound = run.truncated.then(|| format!("loops unrolled {unroll} times"));
                    break Verdict::Holds { bound };
                }
                Answer::Unknown(reason) => break Verdict::Unknown { reason },
            };
            if self.replay(translated, &mut run, inputs, &mut session) {
                found += 1;
                if found == FINDINGS {
                    break Verdict::Violated;
                }
            } else {
                spurious += 1;
                match found {
                    0 if spurious == most_spurious => return None,
                    _ if spurious == most_spurious => break Verdict::Violated,
                    _ => {}
                }
            }
            if self.started.elapsed() > self.options.timeout {
                break match found {
                    0 => Verdict::Unknown { reason: "timeout".into() },
                    _ => Verdict::Violated,
                };
            }
        };
        Some((verdict, run.truncated))
    }

    /// Makes a finding of a model if it replays, and excludes it from further answers.
    fn replay(
        &mut self,
        translated: &Translated,
        run: &mut Run,
        inputs: Vec<bool>,
        session: &mut Session,
    ) -> bool {
        let smaller = witness::minimize(run, inputs, session, SMALLER);
        let values = run.circuit.evaluate(&smaller);
        let started = Instant::now();
        let trace = witness::extract(self.machine, translated, run, &values);
        let replayed = witness::replay(self.machine, &trace, self.event);
        self.statistics.replay_ms += started.elapsed().as_millis() as u64;
        let Some(replayed) = replayed else {
            self.statistics.not_replayed += 1;
            witness::exclude_run(run, &values, session);
            return false;
        };
        let mut finding = finding::describe(&self.program, &trace, &replayed, self.event, self.despite);
        let events: Vec<ProcId> = self.program.events().collect();
        let serializability = self.event.is_none();
        if serializability && let Some(reason) = finding::excuse(self.machine, &trace, &replayed, &events) {
            finding.level = Level::Note;
            finding.hint = reason;
        }
        if !self.findings.iter().any(|f| f.fingerprint == finding.fingerprint) {
            self.findings.push(finding);
        }
        witness::exclude_violation(run, translated, &values, session);
        true
    }
}
