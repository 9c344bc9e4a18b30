//! Reading while cargo runs: what need not be compiled again is there at once, and compilers that wait for one another leave
//! processors idle.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use robust_analyzer::limits::Deadline;

use super::aliases::Aliases;
use super::cargo::{Project, Unit};
use super::read::{self, ReadCrate};

/// Crates to read, and those that were read.
#[derive(Default)]
pub(super) struct Ahead {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    open: Vec<Unit>,
    done: HashMap<Print, ReadCrate>,
    /// Something is compiled: then crates will have to be read. When all are fresh, nothing has to be.
    begun: bool,
    ended: bool,
    /// When what is read then has to be over.
    deadline: Deadline,
}

/// What is read: the unit's key and the digest of what was printed.
type Print = (String, String);

/// None where nothing can be read.
fn print_of(unit: &Unit) -> Option<Print> {
    Some((unit.key.clone(), unit.manifest.as_ref()?.digest.clone()?))
}

impl Ahead {
    /// Adds a crate that was built.
    pub fn add(&self, unit: &Unit) {
        self.lock().open.push(unit.clone());
        self.changed.notify_all();
    }

    /// Begins to read if that makes sense now.
    pub fn begin_if(&self, now: impl FnOnce() -> bool) {
        if !self.lock().begun && now() {
            self.lock().begun = true;
            self.changed.notify_all();
        }
    }

    /// Lets [`Self::work`] end when the result is dropped, whatever happens until then.
    pub fn until_dropped(&self) -> impl Drop + '_ {
        struct End<'a>(&'a Ahead);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                self.0.lock().ended = true;
                self.0.changed.notify_all();
            }
        }
        End(self)
    }

    /// What is read has to be over by then.
    pub fn limit(&self, deadline: Deadline) {
        self.lock().deadline = deadline;
    }

    /// Reads crates until the end is called for.
    pub fn work(&self, project: &Project, aliases: &Aliases) {
        while let Some(unit) = self.next() {
            // What cannot be read is tried again, and said, when its turn comes.
            if let Some(print) = print_of(&unit)
                && let Ok(read) = read::read(project, &unit, aliases, &|| self.lock().deadline.is_over())
            {
                self.lock().done.insert(print, read);
            }
        }
    }

    fn next(&self) -> Option<Unit> {
        let idle = |state: &mut State| !state.ended && (!state.begun || state.open.is_empty());
        let state = self.changed.wait_while(self.lock(), idle);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.ended { None } else { state.open.pop() }
    }

    /// Takes the crate that was read for a unit.
    pub fn take(&self, unit: &Unit) -> Option<ReadCrate> {
        self.lock().done.remove(&print_of(unit)?)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
