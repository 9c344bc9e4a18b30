//! The answers to the questions, in the shape the JSON report has.

use std::collections::BTreeMap;

use robust_analyzer::check::{Outcome, Unanswered, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An answer in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// No violation, at least up to the bound; see [`Completeness`].
    #[default]
    Holds,
    /// A violation was found and replayed.
    Violated,
    /// The search did not complete.
    Unknown,
}

/// The answers, in one word each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdicts {
    /// Conflict determinism, by event.
    pub determinism: BTreeMap<String, Answer>,
    /// Conflict serializability of the event set.
    pub serializability: Answer,
}

/// How complete the answers are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completeness {
    /// For each answer about determinism.
    pub determinism: BTreeMap<String, Proof>,
    /// For the answer about serializability.
    pub serializability: Proof,
    /// Whether some event is not deterministic: the answer about serializability is then given all the same, but is not
    /// exact in the sense of the paper.
    pub despite_nondeterminism: bool,
    /// The questions about serializability that have no answer, with the reason of each.
    #[serde(default)]
    pub unanswered: Vec<Unanswered>,
}

/// What stands behind an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// Whether the answer is about every run: a replayed violation, or a proof.
    pub complete: bool,
    /// The bound up to which there is no violation.
    pub bound: Option<String>,
    /// Why there is no answer.
    pub reason: Option<String>,
}

impl Verdicts {
    /// The answers of an analysis.
    pub fn of(outcome: &Outcome) -> (Verdicts, Completeness) {
        let determinism = |(event, verdict): (&String, &Verdict)| {
            let (answer, proof) = split(verdict);
            ((event.clone(), answer), (event.clone(), proof))
        };
        let (answers, proofs) = outcome.determinism.iter().map(determinism).unzip();
        let (serializability, proof) = split(&outcome.serializability);
        (
            Verdicts { determinism: answers, serializability },
            Completeness {
                determinism: proofs,
                serializability: proof,
                despite_nondeterminism: outcome.despite_nondeterminism,
                unanswered: outcome.unanswered.clone(),
            },
        )
    }

    /// Takes back that events are serializable: nobody knows, if not all was asked, and it is not about every run, if parts were not
    /// analysed.
    pub fn hold_back(&mut self, completeness: &mut Completeness, unasked: bool, in_part: bool) {
        if self.serializability != Answer::Holds {
            return;
        }
        if unasked {
            self.serializability = Answer::Unknown;
        }
        completeness.serializability.complete &= !unasked && !in_part;
    }

    /// The answers about several units as one: violated when one is, else unknown when one is.
    pub fn merge<'a>(
        units: impl Iterator<Item = (&'a str, &'a Verdicts, &'a Completeness)>,
    ) -> (Verdicts, Completeness) {
        let units: Vec<_> = units.collect();
        if let [(_, verdicts, completeness)] = units[..] {
            return (verdicts.clone(), completeness.clone());
        }
        let mut verdicts = Verdicts::default();
        let mut completeness = Completeness {
            serializability: Proof { complete: true, ..Proof::default() },
            ..Completeness::default()
        };
        for (unit, its_verdicts, its_completeness) in units {
            let named = |event: &String| format!("{unit}::{event}");
            verdicts.determinism.extend(its_verdicts.determinism.iter().map(|(e, a)| (named(e), *a)));
            completeness
                .determinism
                .extend(its_completeness.determinism.iter().map(|(e, p)| (named(e), p.clone())));
            verdicts.outweigh(
                &mut completeness,
                its_verdicts.serializability,
                &its_completeness.serializability,
            );
            completeness.despite_nondeterminism |= its_completeness.despite_nondeterminism;
            completeness.unanswered.extend(its_completeness.unanswered.iter().map(|unanswered| Unanswered {
                events: unanswered.events.iter().map(named).collect(),
                reason: unanswered.reason.clone(),
            }));
        }
        (verdicts, completeness)
    }

    /// Replaces the answer about serializability by one that outweighs it.
    pub fn outweigh(&mut self, completeness: &mut Completeness, answer: Answer, proof: &Proof) {
        let weight = |answer, proof: &Proof| match answer {
            Answer::Violated => 3,
            Answer::Unknown => 2,
            Answer::Holds => u8::from(!proof.complete),
        };
        if weight(answer, proof) > weight(self.serializability, &completeness.serializability) {
            self.serializability = answer;
            completeness.serializability = proof.clone();
        }
    }
}

fn split(verdict: &Verdict) -> (Answer, Proof) {
    match verdict {
        Verdict::Violated => (Answer::Violated, Proof { complete: true, ..Proof::default() }),
        Verdict::Holds { bound } => {
            (Answer::Holds, Proof { complete: bound.is_none(), bound: bound.clone(), reason: None })
        }
        Verdict::Unknown { reason } => {
            (Answer::Unknown, Proof { complete: false, bound: None, reason: Some(reason.clone()) })
        }
    }
}
