//! What accesses are based on: which other accesses' outcome they depend on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::BasisId;

/// Accesses whose outcome something depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Causes {
    /// These, in ascending order, and no others.
    These(Vec<BasisId>),
    /// It may be any.
    Any,
}

impl Causes {
    /// Whether this access may be among them.
    pub fn include(&self, access: BasisId) -> bool {
        match self {
            Causes::These(causes) => causes.binary_search(&access).is_ok(),
            Causes::Any => true,
        }
    }

    /// Whether this access is known to be among them.
    pub fn name(&self, access: BasisId) -> bool {
        *self != Causes::Any && self.include(access)
    }
}

/// In which function's text an access is: of what is in a closure or a future, the one that this is written in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// The function, by number.
    pub function: u32,
    /// Those that call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<u32>,
}

/// How what a change stores ends ([`Basis::stores`]) that leaves an option with nothing in it, or an empty collection.
pub(crate) const NOTHING: &str = "None";

/// What an access is based on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Basis {
    /// Whose outcome goes into what it stores, or says which object or element it is about.
    pub data: Causes,
    /// Whose outcome decides whether it happens.
    pub branch: Causes,
    /// Its outcome leaves the program: somebody outside is told, or it decides what somebody is told.
    #[serde(default)]
    pub told: bool,
    /// Its outcome goes into what its event returns.
    #[serde(default)]
    pub returned: bool,
    /// Its outcome is in what its event returns, or sends to somebody: not only what that goes by.
    #[serde(default)]
    pub given_out: bool,
    /// If it is a look that finds a number, how many there are or how much: what becomes of that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    /// Its event panics unless its outcome is as expected: an index, an `unwrap`.
    #[serde(default)]
    pub asserts: bool,
    /// Where it is not, a branch on it can lead past each such panic.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub avoids: bool,
    /// The values of its variable, where these are followed, with which its event panics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fails: Vec<i128>,
    /// All that is asked of the number it finds, if nothing else is done with that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Vec<Test>>,
    /// A branch goes by its outcome.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub branches: bool,
    /// Its outcome decides whether the process ends.
    #[serde(default)]
    pub ends: bool,
    /// Its outcome goes into what is changed elsewhere, or decides about it.
    #[serde(default)]
    pub decides: bool,
    /// The same of another variable, be that one that nobody shares in the end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decides_beyond: bool,
    /// It decides about a change of what others have, too, which the program does not have: nobody can tell when it is made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub decides_unseen: bool,
    /// It is about an element of a collection under a key that was made for its event, or for a task that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Own>,
    /// The same under a key that was taken out of a collection by its event, or by a task that it is a part of: nobody else can have taken out
    /// the same there, but others may know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<Own>,
    /// Its event has put the key that it is about into this set, by number, found that it was not there yet, and takes it out again later: until
    /// then nobody else does anything under that key who does so, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<u32>,
    /// The key that it is about is put into this set by its event later on, or was and has been taken out again: in the critical section in which
    /// that is done, its event is the only one to do anything under that key, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside_claim: Option<u32>,
    /// Accesses of its function after which that is suspended before this one is made, under a guard that must not be kept meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<BasisId>,
    /// Its task is in a loop then in which it waits: what it does there is a round of its own, not a part of what it was started for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub round: bool,
    /// It is to an object that was made for its event, or for a task that it is a part of, and is had from nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Own>,
    /// It is to an object that whoever made it has sent once, through a channel where one receives it: its run is that one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub received: bool,
    /// Nobody else can have got hold of that object yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// It is a compare-exchange: it changes nothing unless what is there is as expected.
    #[serde(default)]
    pub exchange: bool,
    /// If it is a compare-exchange that expects what one look has found: other looks at the same that what it stores is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<BasisId>,
    /// Somebody changes its variable by compare-exchange: it is a word of a protocol without locks.
    #[serde(default)]
    pub protocol: bool,
    /// Its event has a value of this type, by number, to itself, and nobody can clone it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<u32>,
    /// Its event borrows a value of this type, by number, which nobody has to themselves meanwhile, and nobody can clone it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lender: Option<u32>,
    /// It looks itself whether there is anything to do, as it does it: an entry is made unless it is there.
    #[serde(default)]
    pub checks: bool,
    /// Where things are so already, it changes nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
    /// Its outcome tells whether it has changed anything, and that is asked: `fetch_or(bit) & bit == 0`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tries: bool,
    /// Looks because of which it is not made only where they have seen there what it would leave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spared: Vec<BasisId>,
    /// What it leaves, and in which part of its variable, if that is always the same, whatever was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stores: Option<String>,
    /// What it stores is made of its key, and of what nobody changes, if that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<Derived>,
    /// Looks at what is filled only once that have found it filled where this is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filled: Vec<BasisId>,
    /// It marks an entry with one of two marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// All that it puts in is there to wake a task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wakes: bool,
    /// It puts in somebody who is told of what happens from then on: a sender, or what is called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub listens: bool,
    /// It is what an operation does that finds nothing to change.
    #[serde(default)]
    pub misses: bool,
    /// It is what an operation does that has found something to change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hits: bool,
    /// What is asked of it, if it is a look at something that may be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Facet>,
    /// Looks because of which it is made, of which all that says whether it is made is if there was something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<BasisId>,
    /// All that it sees or changes of something that may be there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// It is about one element of a collection, by its key.
    #[serde(default)]
    pub keyed: bool,
    /// What it does to a collection, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// It puts something in behind all that is there: each element stays at its index.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub appends: bool,
    /// Looks that have found nothing under a key where this puts in something that was made there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<BasisId>,
    /// If it sifts a collection: it leaves all elements that have something else in this part than what it goes by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sifts: Option<Vec<u32>>,
    /// The parts of what it puts in that are made anew for its event: nobody else puts the same in there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anew: Vec<Vec<u32>>,
    /// It is to what an entry of a collection has in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub within: bool,
    /// It adds to a number, or takes from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Count>,
    /// It sees a number that nobody else sees so: it goes up in the same critical section, and never down.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drawn: bool,
    /// What it puts in is data alone, of types that are known, with nothing in it that those who find it there would share, and was come by
    /// when it was made: it is not what its event was given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub loaded: bool,
    /// The values, by number, of which it is a part of the end: their last owner drops them. None has any other owner by then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outlived: Vec<u32>,
    /// Such values of which its variable is a part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub part_of: Vec<u32>,
    /// Where in the text it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<Home>,
    /// By how much it changes a number, if that is known to be the same as elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// Changes that it takes back: it is by the same amount, the other way, or takes out what is under the same key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undoes: Vec<BasisId>,
    /// Changes that put something in under the key under which it puts something in, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<BasisId>,
    /// Changes that put something in elsewhere under a key that is in what it puts in: who finds that goes on to what they have put in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leads: Vec<BasisId>,
    /// Changes that put something in under the key that it looks for: its event panics unless it finds that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub insists: Vec<BasisId>,
    /// Looks that found an index into what it found: its event panics unless that is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexed: Vec<BasisId>,
    /// It is made with an index, and nothing else is given to it (`v[i]`, `swap_remove`): the looks that found that index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexes: Option<Vec<BasisId>>,
    /// Looks whose outcome is taken away from what it found: its event panics if that is more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessened: Vec<BasisId>,
    /// Looks at all elements, or at a part of each, if it looks for one of these again, by all that was seen of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<BasisId>,
    /// It is compared with what these saw or stored, and decides nothing but that nothing is done when it differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<BasisId>,
    /// If it is compared: the changes of its variable that it does not notice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlooks: Vec<BasisId>,
    /// Where its outcome is put together with that of a look at something else, by number: in what its event returns, in what
    /// somebody outside is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told_with: Vec<u32>,
    /// Where it is put together with that in a decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decides_with: Vec<u32>,
    /// By which way its event comes to what it is about, if that is something that callers give it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<AccessPath>,
    /// The fields that it is about, from the inside out, of structs that are a part of its variable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
    /// The struct that it finds, if it only looks where that is: each access to one of its fields comes later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finds: Option<String>,
    /// What has to be so, of what nobody changes while its event runs, where it is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frozen: Vec<Frozen>,
    /// If it looks whether somebody is at work, to whom its event leaves what it has put in: what it finds there when nobody is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaving: Option<bool>,
    /// It is no access of the program: here its event sends somebody a key that it has made, under which it puts something in later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hands_out: bool,
    /// Its task comes to it only behind a message on a channel that has been made by who has started the task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub let_on: bool,
    /// It is no access of the program: here something is sent, or was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// If it is that: the sender's changes that the receiver goes by, or the receiver's accesses that go by these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concerns: Vec<BasisId>,
}

/// What becomes of a number that is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Number {
    /// It is held against another one.
    Compared,
    /// It is taken as it is.
    Plain,
}

/// What is done to a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Count {
    /// Something is added.
    Up,
    /// Something is taken away.
    Down,
}

/// A side of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// Something is sent.
    Sent,
    /// Something was received.
    Received,
    /// A wait begins: what was sent before is not heard.
    Missed,
    /// Something is asked, whose answer comes on another channel.
    Asked,
    /// The next answer is taken.
    Answered,
    /// An actor is asked for a part of its state.
    Inquired,
    /// An actor is told to change it.
    Told,
    /// A task is started.
    Started,
    /// That task is in a round of its work.
    Running,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Member {
    /// The struct's path.
    pub of: String,
    /// The field's number.
    pub field: u32,
}

/// A mark of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The mark.
    pub puts: String,
    /// It is made because of the mark that was there.
    pub sees: bool,
    /// Changes that put the other mark into the entry under the same key.
    pub replaces: Vec<BasisId>,
}

/// How a change comes to store what everybody would.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Derived {
    /// In which way it is made, by number: those with the same number store the same, under the same key.
    pub number: u32,
    /// The looks because of which it is made: nothing else that others notice is done because of them.
    pub looks: Vec<BasisId>,
}

/// Something that nobody changes while an event runs, and what it is where an access is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frozen {
    /// What it is, by number: in one run of an event always the same.
    pub value: u32,
    /// What it is beside what is accessed, by number: the same for all who access that at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<u32>,
    /// What it has to be.
    pub is: OneOf,
}

/// What is asked of a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Test {
    /// Whether it is one of these.
    Is(OneOf),
    /// Whether it is less than this one.
    Below(i128),
}

impl Test {
    /// The answer for a number.
    pub fn of(&self, number: i128) -> bool {
        match self {
            Test::Is(these) => these.has(number),
            Test::Below(bound) => number < *bound,
        }
    }
}

/// Some of the numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OneOf {
    /// These.
    These(Vec<i128>),
    /// All others.
    AllBut(Vec<i128>),
}

impl OneOf {
    /// All of them.
    pub fn anything() -> OneOf {
        OneOf::AllBut(Vec::new())
    }

    /// Those that are told from the others.
    pub fn told(&self) -> &[i128] {
        match self {
            OneOf::These(told) | OneOf::AllBut(told) => told,
        }
    }

    /// Whether a number is among them.
    pub fn has(&self, number: i128) -> bool {
        match self {
            OneOf::These(these) => these.contains(&number),
            OneOf::AllBut(others) => !others.contains(&number),
        }
    }

    /// Those that are among the others, too.
    pub fn and(&self, other: &OneOf) -> OneOf {
        match (self, other) {
            (OneOf::These(these), more) | (more, OneOf::These(these)) => {
                OneOf::These(these.iter().copied().filter(|number| more.has(*number)).collect())
            }
            (OneOf::AllBut(one), OneOf::AllBut(other)) => {
                OneOf::AllBut(one.iter().chain(other).copied().collect())
            }
        }
    }

    /// Both.
    pub fn or(&self, other: &OneOf) -> OneOf {
        match (self, other) {
            (OneOf::These(one), OneOf::These(other)) => {
                OneOf::These(one.iter().chain(other).copied().collect())
            }
            (OneOf::AllBut(others), more) | (more, OneOf::AllBut(others)) => {
                OneOf::AllBut(others.iter().copied().filter(|number| !more.has(*number)).collect())
            }
        }
    }

    /// Whether there are none.
    pub fn is_nothing(&self) -> bool {
        matches!(self, OneOf::These(these) if these.is_empty())
    }
}

/// An amount by which something is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    /// Which amount, by number: [`By::ONE`] is one.
    pub number: u32,
    /// It is taken away.
    pub less: bool,
}

impl By {
    /// The number of the amount of one.
    pub const ONE: u32 = 0;
}

/// An access path: an argument of an event, and the fields on the way from there, by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessPath {
    /// Which argument, from 0.
    pub argument: u32,
    /// The fields; references, guards and variants apart.
    pub fields: Vec<u32>,
    /// Each call may be given another one: it is not what a method is called on, and nothing that a framework hands out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
}

impl AccessPath {
    /// Whether both go the same way but for one step: they are two arguments of one kind then, or two fields.
    pub fn is_beside(&self, other: &AccessPath) -> bool {
        let steps =
            |path: &AccessPath| std::iter::once(path.argument).chain(path.fields.clone()).collect::<Vec<_>>();
        let (own, theirs) = (steps(self), steps(other));
        own.len() == theirs.len()
            && own.iter().zip(&theirs).filter(|(own, theirs)| own != theirs).count() == 1
    }
}

/// A key, or an object, that nobody else has, but those who were given it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    /// Where such keys are made, by number.
    pub key: u32,
    /// Which task, by number, does all with it that is not inside; none where several do.
    pub by: Option<u32>,
    /// Each instance of the event makes one itself.
    pub inside: bool,
    /// The event, by number, each instance of which is started with one that was made for it. Others may be given the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
    /// Each task of the event that has to do with one makes it itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_task: bool,
}

impl Own {
    /// Whether two instances of events have to do with different ones.
    pub fn is_other(&self, other: &Own) -> bool {
        let given = self.to.is_some() && self.to == other.to;
        self.key != other.key || self.inside && other.inside || given
    }
}

/// Something that may be there, an entry or an option, has two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Facet {
    /// Whether it is there.
    Presence,
    /// What it is.
    Value,
}

/// The side of what may be there that an access is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// It sees whether there is an entry in what the variable is.
    Entry,
    /// It sees whether there is something, maybe deeper: in what an entry has in it.
    Presence,
    /// It changes what an entry has in it, be it another collection: each entry stays where it is.
    Inside,
    /// It changes a number or a text: all that may be there stays where it is, however deep.
    Value,
}

impl Side {
    /// Whether two accesses are about different sides.
    pub fn is_apart(self, other: Side) -> bool {
        let sees = |one, other| match one {
            Side::Entry => matches!(other, Side::Inside | Side::Value),
            Side::Presence => other == Side::Value,
            Side::Inside | Side::Value => false,
        };
        sees(self, other) || sees(other, self)
    }
}

/// What an access does to a collection of which nobody asks where in it something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Puts something in.
    Put,
    /// Takes something out, or finds nothing to take.
    Take,
    /// Takes out what is under a key, or what it finds itself to be as asked for: who does so again finds it gone.
    Remove,
    /// Empties it.
    Clear,
    /// Puts something in under a key, in place of what was there.
    Set,
}

impl Change {
    /// Whether something is in there behind it.
    pub fn puts_in(self) -> bool {
        matches!(self, Change::Put | Change::Set)
    }

    /// Whether one thing is there no more behind it.
    pub fn takes_one(self) -> bool {
        matches!(self, Change::Take | Change::Remove)
    }

    /// Whether something, or all, is there no more behind it.
    pub fn takes_out(self) -> bool {
        self.takes_one() || self == Change::Clear
    }
}

impl Basis {
    /// That of an access of which nothing is known.
    pub fn unknown() -> Basis {
        let (data, branch) = (Causes::Any, Causes::Any);
        Basis {
            data,
            branch,
            told: true,
            returned: true,
            given_out: true,
            number: None,
            asserts: true,
            avoids: false,
            fails: Vec::new(),
            tests: None,
            branches: true,
            ends: true,
            decides: true,
            decides_beyond: true,
            decides_unseen: true,
            own: None,
            taken: None,
            claimed: None,
            beside_claim: None,
            resumed: Vec::new(),
            object: None,
            received: false,
            private: false,
            exchange: false,
            unmet: Vec::new(),
            protocol: false,
            owner: None,
            lender: None,
            round: false,
            missed: Vec::new(),
            sifts: None,
            anew: Vec::new(),
            within: false,
            counts: None,
            drawn: false,
            loaded: false,
            outlived: Vec::new(),
            part_of: Vec::new(),
            home: None,
            checks: false,
            settles: false,
            tries: false,
            spared: Vec::new(),
            asks: Vec::new(),
            stores: None,
            derived: None,
            filled: Vec::new(),
            mark: None,
            wakes: false,
            listens: false,
            misses: false,
            hits: false,
            asked: None,
            side: None,
            keyed: false,
            change: None,
            appends: false,
            by: None,
            undoes: Vec::new(),
            again: Vec::new(),
            leads: Vec::new(),
            insists: Vec::new(),
            listed: Vec::new(),
            indexed: Vec::new(),
            indexes: None,
            lessened: Vec::new(),
            compared: Vec::new(),
            overlooks: Vec::new(),
            told_with: Vec::new(),
            decides_with: Vec::new(),
            path: None,
            members: Vec::new(),
            finds: None,
            frozen: Vec::new(),
            leaving: None,
            hands_out: false,
            let_on: false,
            message: None,
            concerns: Vec::new(),
        }
    }

    /// Whether nothing is in its place behind it, whatever was there.
    pub fn leaves_nothing(&self) -> bool {
        self.change == Some(Change::Clear)
            || self.stores.as_deref().is_some_and(|left| left.ends_with(NOTHING))
    }

    /// That of a place where a key is handed out: nothing depends on it, and it depends on nothing.
    pub fn handing_out() -> Basis {
        Basis { hands_out: true, ..Basis::apart() }
    }

    /// That of a place where something is sent, or was received, with the accesses that this is about.
    pub fn of_message(message: Message, concerns: Vec<BasisId>) -> Basis {
        Basis { message: Some(message), concerns, ..Basis::apart() }
    }

    /// Nothing depends on it, and it depends on nothing.
    fn apart() -> Basis {
        let none = || Causes::These(Vec::new());
        Basis {
            data: none(),
            branch: none(),
            told: false,
            returned: false,
            given_out: false,
            asserts: false,
            branches: false,
            ends: false,
            decides: false,
            decides_beyond: false,
            decides_unseen: false,
            ..Basis::unknown()
        }
    }

    /// Whether it makes an entry where none is, and leaves one that is there.
    pub fn makes_entry(&self) -> bool {
        self.checks && self.keyed && self.change.is_none()
    }

    /// Whether it puts in a key where none was, and that is asked.
    pub fn claims(&self) -> bool {
        self.keyed && self.settles && self.branches && self.change.is_none()
    }

    /// Whether it fills what is filled only once, and changes nothing where that is done.
    pub fn fills_once(&self) -> bool {
        self.checks && self.settles && !self.keyed && self.change.is_none()
    }

    /// Whether its outcome is put together with that of another access anywhere.
    pub fn meets(&self, other: &Basis) -> bool {
        self.is_told_with(other) || self.is_decided_with(other)
    }

    /// Whether a decision goes by its outcome together with that of another access.
    pub fn is_decided_with(&self, other: &Basis) -> bool {
        self.decides_with.iter().any(|place| other.decides_with.contains(place))
    }

    /// Whether its outcome is told together with that of another access.
    pub fn is_told_with(&self, other: &Basis) -> bool {
        self.told_with.iter().any(|place| other.told_with.contains(place))
    }

    /// The same with other numbers for the bases that it speaks of.
    fn numbered(&self, anew: &impl Fn(&[BasisId]) -> Vec<BasisId>) -> Basis {
        let causes = |causes: &Causes| match causes {
            Causes::Any => Causes::Any,
            Causes::These(causes) => Causes::These(anew(causes)),
        };
        Basis {
            data: causes(&self.data),
            branch: causes(&self.branch),
            undoes: anew(&self.undoes),
            filled: anew(&self.filled),
            derived: self
                .derived
                .as_ref()
                .map(|derived| Derived { number: derived.number, looks: anew(&derived.looks) }),
            mark: self.mark.as_ref().map(|mark| Mark { replaces: anew(&mark.replaces), ..mark.clone() }),
            again: anew(&self.again),
            leads: anew(&self.leads),
            insists: anew(&self.insists),
            indexed: anew(&self.indexed),
            indexes: self.indexes.as_deref().map(anew),
            lessened: anew(&self.lessened),
            listed: anew(&self.listed),
            compared: anew(&self.compared),
            overlooks: anew(&self.overlooks),
            unmet: anew(&self.unmet),
            spared: anew(&self.spared),
            asks: anew(&self.asks),
            missed: anew(&self.missed),
            resumed: anew(&self.resumed),
            concerns: anew(&self.concerns),
            ..self.clone()
        }
    }

    /// What it is where the task of an event is an event of its own: what the event has made, or was given, all its tasks have. The bases
    /// that it speaks of are by so many numbers greater.
    pub fn of_task(&self, above: u32) -> Basis {
        let own = |own: Option<Own>| own.filter(|own| own.by_task);
        let (own, taken, object) = (own(self.own), own(self.taken), own(self.object));
        let private = self.private && object.is_some();
        Basis { own, taken, object, received: false, private, path: None, ..self.clone() }
            .numbered(&|bases| bases.iter().map(|id| BasisId(id.0 + above)).collect())
    }

    /// Whether it depends on this access in any way.
    pub fn depends_on(&self, access: BasisId) -> bool {
        self.data.include(access) || self.branch.include(access)
    }
}

/// Numbers bases anew in the order in which they are met.
#[derive(Default)]
pub struct RenumberBases {
    new: BTreeMap<BasisId, BasisId>,
    met: Vec<BasisId>,
}

impl RenumberBases {
    /// The new number of a basis.
    pub fn of(&mut self, old: BasisId) -> BasisId {
        let next = BasisId(self.met.len() as u32);
        let new = *self.new.entry(old).or_insert(next);
        if new == next {
            self.met.push(old);
        }
        new
    }

    /// The bases that were met, without what they say of others.
    pub fn pick(&self, bases: &[Basis]) -> Vec<Basis> {
        let kept = |old: &[BasisId]| {
            let mut kept: Vec<BasisId> = old.iter().filter_map(|one| self.new.get(one).copied()).collect();
            kept.sort_unstable();
            kept
        };
        let unknown = Basis::unknown();
        let mut picked: Vec<Basis> =
            self.met.iter().map(|old| bases.get(old.index()).unwrap_or(&unknown).numbered(&kept)).collect();
        number_meetings(&mut picked, |basis| &mut basis.told_with);
        number_meetings(&mut picked, |basis| &mut basis.decides_with);
        number_frozen(&mut picked);
        picked
    }
}

/// Numbers the places where outcomes meet in the order in which they come up, without those where only one is left.
fn number_meetings(bases: &mut [Basis], places: fn(&mut Basis) -> &mut Vec<u32>) {
    let mut times: BTreeMap<u32, u32> = BTreeMap::new();
    for basis in &mut *bases {
        for place in places(basis) {
            *times.entry(*place).or_default() += 1;
        }
    }
    let mut new: BTreeMap<u32, u32> = BTreeMap::new();
    for basis in bases {
        let places = places(basis);
        places.retain(|place| times.get(place).is_some_and(|times| *times > 1));
        for place in &mut *places {
            let next = new.len() as u32;
            *place = *new.entry(*place).or_insert(next);
        }
        places.sort_unstable();
    }
}

/// Numbers what is frozen, and ways in which values are made, in the order in which they come up.
fn number_frozen(bases: &mut [Basis]) {
    let (mut values, mut beside) = (BTreeMap::new(), BTreeMap::new());
    let anew = |known: &mut BTreeMap<u32, u32>, number: u32| {
        let next = known.len() as u32;
        *known.entry(number).or_insert(next)
    };
    for frozen in bases.iter_mut().flat_map(|basis| &mut basis.frozen) {
        frozen.value = anew(&mut values, frozen.value);
        frozen.beside = frozen.beside.map(|number| anew(&mut beside, number));
    }
    let mut ways = BTreeMap::new();
    for derived in bases.iter_mut().filter_map(|basis| basis.derived.as_mut()) {
        derived.number = anew(&mut ways, derived.number);
    }
}
