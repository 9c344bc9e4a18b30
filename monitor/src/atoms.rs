//! What there is to say of a task at a step, as bits.

/// The names of all atoms, by bit.
pub(crate) const NAMES: [&str; 29] = [
    "launch",
    "owned",
    "fallible",
    "pool",
    "site",
    "spawn",
    "resume",
    "suspend",
    "wake",
    "returned",
    "failed",
    "panicked",
    "cancelled",
    "joined",
    "detached",
    "lost",
    "abort",
    "owner_gone",
    "unneeded",
    "asks",
    "blocks",
    "ui",
    "stalled",
    "unwakeable",
    "alive",
    "running",
    "on_ui_thread",
    "ended",
    "hooked",
];

/// A set of atoms.
pub(crate) type Atoms = u32;

/// The set of one atom.
pub(crate) const fn atom(name: &str) -> Atoms {
    let mut at = 0;
    while at < NAMES.len() {
        if same(NAMES[at].as_bytes(), name.as_bytes()) {
            return 1 << at;
        }
        at += 1;
    }
    0
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

pub(crate) const LAUNCH: Atoms = atom("launch");
pub(crate) const OWNED: Atoms = atom("owned");
pub(crate) const FALLIBLE: Atoms = atom("fallible");
pub(crate) const POOL: Atoms = atom("pool");
pub(crate) const ALIVE: Atoms = atom("alive");
pub(crate) const RUNNING: Atoms = atom("running");
pub(crate) const ENDED: Atoms = atom("ended");

/// Something that happens to a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// It is started.
    Spawn,
    /// It goes on.
    Resume,
    /// It waits.
    Suspend,
    /// It ends by itself.
    Returned,
    /// It ends with an error.
    Failed,
    /// It panics.
    Panicked,
    /// It is dropped before its end.
    Cancelled,
    /// Somebody got its result.
    Joined,
    /// Its handle was dropped.
    Detached,
    /// Its handle was dropped with its result in it.
    Lost,
    /// It is told to end.
    Abort,
    /// What kept its handle was dropped while it went on.
    OwnerGone,
    /// Nobody needs it any more.
    Unneeded,
    /// It keeps its thread.
    Stalled,
    /// It waits, and nothing can wake it.
    Unwakeable,
    /// A limit of time has passed.
    Late,
    /// Another task has changed something.
    Elsewhere,
    /// The task and its handle are gone.
    Gone,
}

impl Event {
    pub(crate) fn atoms(self) -> Atoms {
        atom(match self {
            Event::Spawn => "spawn",
            Event::Resume => "resume",
            Event::Suspend => "suspend",
            Event::Returned => "returned",
            Event::Failed => "failed",
            Event::Panicked => "panicked",
            Event::Cancelled => "cancelled",
            Event::Joined => "joined",
            Event::Detached => "detached",
            Event::Lost => "lost",
            Event::Abort => "abort",
            Event::OwnerGone => "owner_gone",
            Event::Unneeded => "unneeded",
            Event::Stalled => "stalled",
            Event::Unwakeable => "unwakeable",
            Event::Late | Event::Elsewhere | Event::Gone => "",
        })
    }

    /// All of them.
    pub(crate) const ALL: [Event; 18] = [
        Event::Spawn,
        Event::Resume,
        Event::Suspend,
        Event::Returned,
        Event::Failed,
        Event::Panicked,
        Event::Cancelled,
        Event::Joined,
        Event::Detached,
        Event::Lost,
        Event::Abort,
        Event::OwnerGone,
        Event::Unneeded,
        Event::Stalled,
        Event::Unwakeable,
        Event::Late,
        Event::Elsewhere,
        Event::Gone,
    ];

    /// What lasts of a task, after this.
    pub(crate) fn lasting(self, before: Atoms) -> Atoms {
        match self {
            Event::Resume => before | RUNNING,
            Event::Suspend => before & !RUNNING,
            Event::Returned | Event::Failed | Event::Panicked | Event::Cancelled => {
                (before | ENDED) & !(ALIVE | RUNNING)
            }
            _ => before,
        }
    }

    /// All that it may change.
    pub(crate) fn changes(self) -> Atoms {
        const LASTING: Atoms = ALIVE | RUNNING | ENDED;
        self.atoms() | !self.lasting(!0) & LASTING | self.lasting(0)
    }

    /// In words, of a task.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Event::Spawn => "was started",
            Event::Resume => "went on",
            Event::Suspend => "was suspended",
            Event::Returned => "ended",
            Event::Failed => "ended with an error",
            Event::Panicked => "panicked",
            Event::Cancelled => "was cancelled",
            Event::Joined => "was waited for",
            Event::Detached => "was detached",
            Event::Lost => "failed, and its result was dropped unread",
            Event::Abort => "was told to end",
            Event::OwnerGone => "lost its owner",
            Event::Unneeded => "was not needed any more",
            Event::Stalled => "kept its thread for too long",
            Event::Unwakeable => "was suspended, and nothing can wake it",
            Event::Late => "did not do in time what it had to",
            Event::Elsewhere => "was one of too many",
            Event::Gone => "is gone, and did not do what it had to",
        }
    }
}
