//! A question cut loose from its program: the procedures, variables and locks it is about and nothing else, renumbered in
//! the order in which they occur.
//!
//! **Invariant.** The answer is a function of the case and of the time that is allowed. What it was cut from can change in
//! any way that leaves the case alone, names and places in the source included, and the answer stays. So answers are kept
//! under [`Case::key`], and questions that differ in names and places alone are one: see [`Origin`].

mod cut;
#[cfg(test)]
mod tests;

use cut::Cut;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::check::Options;
use crate::feeders::{Before, Feeders};
use crate::finding::Finding;
use crate::ir::*;
use crate::question::Question;
use crate::semantics::Machine;

/// A question and all that its answer depends on. Two are equal when their keys are.
#[derive(Clone, Serialize)]
pub struct Case {
    /// What is asked, in terms of `program`.
    pub question: Question,
    /// For determinism: the variables that have any value when the event begins, see [`crate::feeders`]; the other events of
    /// `program` are those that can have changed them.
    pub changed: Vec<VarId>,
    /// For determinism: how many such events there are that the program leaves out.
    pub left_out: usize,
    /// What it is asked about. Its places and names only stand in for places and names: see [`Origin`].
    pub program: Program,
    /// By variable, whether it is a flag in the whole program: see [`crate::finding::flags`].
    pub flags: Vec<Option<bool>>,
    /// Greatest number of event instances in a run.
    pub events: u32,
    /// Greatest number of rounds of a loop.
    pub unroll: u32,
    /// Greatest number of violations that are looked for.
    pub findings: usize,
    /// Memory in megabytes.
    pub memory: u32,
    #[serde(skip)]
    digest: [u8; 32],
}

/// The places and names that those of a case stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    places: Vec<SourcePlace>,
    /// What stands in for a name, and the name.
    names: Vec<(String, String)>,
}

/// What an event does, apart from names and places: see [`Case::form`].
pub type Form = [u8; 32];

impl Case {
    /// Cuts a question loose. `flags` is what [`crate::finding::flags`] says of the machine's program.
    pub fn cut(
        question: &Question,
        machine: &Machine,
        flags: &[Option<bool>],
        feeders: &Feeders,
        options: &Options,
    ) -> (Case, Origin) {
        let mut cut = Cut::new(&machine.program);
        let mut before = Before::default();
        let question = match question {
            Question::Determinism(event) => {
                before = feeders.before(*event);
                let of = cut.proc(*event);
                before.events = cut.procs(&before.events);
                Question::Determinism(of)
            }
            Question::Serializability(events) => Question::Serializability(cut.procs(events)),
            Question::Pair { events, before, beside } => {
                Question::Pair { events: cut.procs(events), before: cut.procs(before), beside: *beside }
            }
        };
        cut.follow();
        let changed = before.changed.iter().map(|&x| cut.var(x)).collect();
        let mut case = Case {
            question,
            changed,
            left_out: before.left_out,
            flags: cut.vars.iter().map(|var| flags.get(var.index()).copied().flatten()).collect(),
            program: cut.to,
            events: options.events,
            unroll: options.unroll,
            findings: options.findings,
            memory: options.memory,
            digest: [0; 32],
        };
        case.digest = digest(&case);
        let places = cut.places.into_iter().filter_map(|place| machine.program.places.get(place.index()));
        (case, Origin { places: places.cloned().collect(), names: cut.names })
    }

    /// What an event does, to which variables, locks and executors of the program. Events of one form can take each other's part in
    /// every run: they differ in names, places and labels, and in which of several equal procedures they call.
    pub fn form(event: ProcId, program: &Program) -> Form {
        let mut cut = Cut::new(program);
        cut.shared = true;
        cut.proc(event);
        cut.follow();
        digest(&cut.to.procs)
    }

    /// The name for the case as bytes: see [`Case::key`].
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// A name for the case: different for different cases, the same in every run.
    pub fn key(&self) -> String {
        self.digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// In which of `of` parts of all cases it is, counted from 1.
    pub fn part(&self, of: u32) -> u32 {
        part_of(&self.digest, of)
    }
}

/// In which of `of` parts something with that digest is, counted from 1.
pub(crate) fn part_of(digest: &[u8; 32], of: u32) -> u32 {
    let number = digest.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    (number % u64::from(of.max(1))) as u32 + 1
}

impl Origin {
    /// Puts the places and names themselves where the case has what stands in for them.
    pub fn restore(&self, finding: &mut Finding) {
        for place in finding.places() {
            *place = place.take().and_then(|stand_in| self.places.get(stand_in.line as usize).cloned());
        }
        for text in finding.texts().filter(|text| text.contains(BEGIN)) {
            for (stand_in, name) in self.names.iter().filter(|(_, name)| !name.is_empty()) {
                if text.contains(stand_in) {
                    *text = text.replace(stand_in, name);
                }
            }
        }
        finding.seal();
    }
}

/// What stands in for a name begins and ends with these: no name has them in it.
const BEGIN: char = '\u{E000}';
const END: char = '\u{E001}';

/// What stands in for a name: a kind and a number, and what the name says of itself.
fn stand_in(kind: char, number: usize, says: &str) -> String {
    format!("{BEGIN}{kind}{number}{END}{says}")
}

/// Stands for a value: another one for other values.
fn digest(value: &impl Serialize) -> [u8; 32] {
    let mut hash = Hashing(Sha256::new());
    // Writing to a hash does not fail, and neither does turning plain data into bytes.
    let _ = serde_json::to_writer(&mut hash, value);
    hash.0.finalize().into()
}

impl PartialEq for Case {
    fn eq(&self, other: &Case) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Case {}

impl Hash for Case {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("question", &self.question).field("key", &self.key()).finish()
    }
}

struct Hashing(Sha256);

impl std::io::Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
