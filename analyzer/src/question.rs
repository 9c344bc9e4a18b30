//! One question about a program, from the translation to replayed findings.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::check::{Statistics, Verdict};
use crate::finding::{self, Finding};
use crate::ir::{ProcId, Program};
use crate::reach::{self, Answer, Run, Session};
use crate::semantics::Machine;
use crate::translate::{self, Precision, Translated};
use crate::witness;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Question {
    /// Is this event deterministic?
    Determinism(ProcId),
    /// Are these events, and no others, serializable?
    Serializability(Vec<ProcId>),
    /// Is there a cycle of two instances of the first events of the list (one or two)? The others enable them.
    Pair(Vec<ProcId>),
}

/// What was found out about a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The verdict.
    pub verdict: Verdict,
    /// The violations, at the places of the case.
    pub findings: Vec<Finding>,
    /// Times, and the number of runs that were not replayed; the other counts are left at zero.
    pub statistics: Statistics,
    /// Whether more time would have changed nothing.
    pub settled: bool,
}

impl Answered {
    fn unknown(reason: String) -> Answered {
        let verdict = Verdict::Unknown { reason };
        Answered { verdict, findings: Vec::new(), statistics: Statistics::default(), settled: true }
    }
}

/// Findings that are looked for in one question.
const FINDINGS: usize = 8;
/// Rounds of making a violation smaller.
const SMALLER: u32 = 4;
/// Runs that do not replay before a question is given up.
const SPURIOUS: u32 = 100;

impl Case {
    /// Answers the question, in `timeout` or a little more.
    pub fn answer(&self, timeout: Duration) -> Answered {
        reach::solve::apart(|| self.ask(timeout))
    }

    fn ask(&self, timeout: Duration) -> Answered {
        let mut machine = match Machine::new(&self.program) {
            Ok(machine) => machine,
            Err(invalid) => return Answered::unknown(invalid.message),
        };
        (machine.types.any_int, machine.types.width) = self.integers;
        let mut inquiry = Inquiry {
            machine: &machine,
            event: match self.question {
                Question::Determinism(event) => Some(event),
                _ => None,
            },
            case: self,
            timeout,
            started: Instant::now(),
            findings: Vec::new(),
            statistics: Statistics::default(),
            settled: true,
        };
        let verdict = inquiry.ask();
        let Inquiry { findings, statistics, started, settled, .. } = inquiry;
        Answered { verdict, findings, statistics, settled: settled && started.elapsed() < timeout }
    }
}

/// A question under way.
struct Inquiry<'a> {
    machine: &'a Machine,
    case: &'a Case,
    /// For determinism.
    event: Option<ProcId>,
    timeout: Duration,
    started: Instant,
    findings: Vec<Finding>,
    statistics: Statistics,
    settled: bool,
}

impl Inquiry<'_> {
    fn ask(&mut self) -> Verdict {
        match &self.case.question {
            Question::Determinism(event) => {
                let event = *event;
                self.refine(|program, precision| translate::detseq(program, event, precision)).0
            }
            Question::Serializability(_) => self.deepen(self.case.events, "event instances"),
            Question::Pair(events) => {
                // Those that enable the pair run once each.
                let enabling = (events.len() as u32).saturating_sub(2);
                let most = self.case.events.min(2) + enabling;
                self.deepen(most, "event instances, events of large groups two at a time")
            }
        }
    }

    /// Two event instances, then more, up to `most`: the first violation has the fewest.
    fn deepen(&mut self, most: u32, what: &str) -> Verdict {
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
        Verdict::Holds { bound: Some(format!("{most} {what}{loops}")) }
    }

    /// Searches the coarse translation; and the fine one, if the coarse one lets runs through that cannot be scheduled.
    fn refine(&mut self, translate: impl Fn(&Program, Precision) -> Translated) -> (Verdict, bool) {
        for precision in [Precision::Coarse, Precision::Fine] {
            let started = Instant::now();
            let translated = translate(&self.machine.program, precision);
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
        let unroll = self.case.unroll;
        let mut run = reach::run(&translated.program, &types, translated.entry, translated.error, unroll);
        let mut session = Session::new(&run.circuit, run.goal, self.timeout);
        let (mut found, mut spurious) = (0, 0);
        let verdict = loop {
            let inputs = match session.ask(&run.circuit) {
                Answer::Reachable(inputs) => inputs,
                Answer::Unreachable if found > 0 => break Verdict::Violated,
                Answer::Unreachable => {
                    let bound = run.truncated.then(|| format!("loops unrolled {unroll} times"));
                    break Verdict::Holds { bound };
                }
                Answer::Unknown(reason) => {
                    self.settled = false;
                    break if found > 0 { Verdict::Violated } else { Verdict::Unknown { reason } };
                }
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
            if self.started.elapsed() > self.timeout {
                self.settled = false;
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
        let finding = finding::describe(&self.machine.program, &trace, &replayed, self.event);
        if !self.findings.iter().any(|f| f.fingerprint == finding.fingerprint) {
            self.findings.push(finding);
        }
        witness::exclude_violation(run, translated, &values, session);
        true
    }
}
