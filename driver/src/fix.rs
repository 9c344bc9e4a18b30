//! What can be written into the source because of a finding: a comment that allows it, and for simple forms the repair.
//!
//! A [`Fix`] is data; formats for editors show it. **Invariant.** A repair that is
//! [`Certain::Yes`] compiles and changes nothing but the atomicity: what cannot be seen to be so in the syntax gets no repair.

mod allow;
mod atomic;
mod entry;
mod guard;
mod syntax;

use robust_analyzer::finding::{Class, Finding, Role, Step};
use robust_analyzer::ir::SourcePlace;

use crate::report::Sources;

pub use allow::{NO_REASON, comment, indent_of, suppression};

/// Changes to a file that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is done, in a few words.
    pub title: String,
    /// Whether it can be applied without a look at it.
    pub certain: Certain,
    /// The changes; they do not overlap.
    pub edits: Vec<Edit>,
}

/// Whether a fix can be applied without a look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certain {
    /// It compiles, and the code does the same without the interleaving.
    Yes,
    /// Somebody has to look at it.
    No,
}

/// A part of a file, and what stands there afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The part; it may be empty.
    pub place: SourcePlace,
    /// The text.
    pub text: String,
}

/// What can be done about a finding: the repair if there is one, then the comment.
pub fn fixes(finding: &Finding, sources: &Sources) -> Vec<Fix> {
    repair(finding, sources).into_iter().chain(suppression(finding, sources)).collect()
}

/// The repair of what is torn apart.
pub fn repair(finding: &Finding, sources: &Sources) -> Option<Fix> {
    let torn = Torn::of(finding)?;
    let source = sources.get(&torn.first.file)?;
    let file = syn::parse_file(source.text()).ok()?;
    let code = syntax::Code::new(&file, &source, &torn.first.file);
    guard::keep(&torn, &code).or_else(|| atomic::join(&torn, &code)).or_else(|| entry::join(&torn, &code))
}

/// The two accesses of one task between which something comes.
struct Torn<'f> {
    first: &'f SourcePlace,
    last: &'f SourcePlace,
    /// Whether one of them changes the variable.
    changes: bool,
    /// What the task does from the beginning to the last access.
    steps: Vec<&'f Step>,
}

impl<'f> Torn<'f> {
    fn of(finding: &'f Finding) -> Option<Torn<'f>> {
        if finding.class == Class::Order {
            return None;
        }
        let end = finding.steps.iter().position(|step| step.role == Role::Pivot)?;
        let pivot = &finding.steps[end];
        let steps: Vec<&Step> = finding.steps[..=end].iter().filter(|step| step.lane == pivot.lane).collect();
        let is_exit = |step: &&&Step| matches!(step.role, Role::Exit | Role::EntryExit);
        let mut exits = steps.iter().filter(is_exit);
        let (Some(exit), None) = (exits.next(), exits.next()) else { return None };
        let (first, last) = (exit.place.as_ref()?, pivot.place.as_ref()?);
        let is_same = exit.subject == pivot.subject && first.file == last.file && first != last;
        let changes = [exit, &pivot].iter().any(|step| step.kind.is_change());
        is_same.then_some(Torn { first, last, changes, steps })
    }
}
