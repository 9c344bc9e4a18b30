//! What an event takes out under its key, whether or not it is there still.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Change};

impl Violation<'_> {
    /// The pivot's event takes something out under its key, and nobody asks whether it was there still: others have only taken something
    /// out, too, or emptied all. As nobody has put anything in meanwhile, what is left is the same in each order.
    pub(in crate::finding) fn withdraws(&self, first: &Held, last: &Held) -> Option<String> {
        let change = self.basis(last)?;
        let is_removal = |basis: &Basis| basis.change.is_some_and(Change::takes_out);
        let withdraws = first.access.var != last.access.var
            && change.keyed
            && change.change == Some(Change::Remove)
            && !is_asked(change);
        let gone = |other: &Held| !other.reads() && self.basis(other).is_some_and(is_removal);
        (withdraws && self.met(last).all(gone)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("`{event}` only takes something out of `{variable}` under its key: where others have done so, there is nothing left to do")
        })
    }
}

/// Whether anything goes by what an access finds.
fn is_asked(basis: &Basis) -> bool {
    basis.told || basis.returned || basis.asserts || basis.ends || basis.decides || basis.branches
}
