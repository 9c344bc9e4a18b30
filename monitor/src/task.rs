//! Tasks, and what happens to them.

use std::panic::Location;
use std::sync::Arc;
use std::time::Instant;

use crate::atoms::{ALIVE, Atoms, ENDED, Event, RUNNING};
use crate::future::current;
use crate::limits::Begun;
use crate::record::{Open, Record};
use crate::report::{Watch, watch};
use crate::states::States;
use crate::table::{Limit, Now, Property, Site};

/// A place in the source.
pub(crate) type Place = &'static Location<'static>;

/// A task that is watched. There may be very many.
pub(crate) struct Task {
    watch: &'static Watch,
    place: Place,
    /// Where the task was started that started it.
    by: Option<Place>,
    site: Option<&'static Site>,
    record: Record<State>,
}

/// What is known of a task.
struct State {
    /// What holds of it, without what only happens.
    atoms: Atoms,
    /// When it was last resumed, in milliseconds from when it began to be watched; 0 if it never was.
    resumed: u32,
    tables: States,
    /// Limits that have begun.
    begun: Option<Box<Begins>>,
    gone: bool,
    stalled: bool,
}

#[derive(Default)]
struct Begins(Vec<Begun>);

/// A property that is violated, and by what.
type Violated = (usize, Event);

impl Task {
    /// Begins to watch a task. None: nothing is watched.
    pub fn begin(place: Place, fixed: Atoms) -> Option<Arc<Task>> {
        Some(Task::of(watch()?, place, fixed))
    }

    /// Begins to watch a task by these properties.
    pub fn of(watch: &'static Watch, place: Place, fixed: Atoms) -> Arc<Task> {
        let site = watch.sites.get(place);
        let state = State {
            atoms: ALIVE | fixed | site.map_or(0, |site| site.fixed),
            resumed: 0,
            tables: States::new(watch.properties.len()),
            begun: None,
            gone: false,
            stalled: false,
        };
        let task = Arc::new(Task { watch, by: current(), site, place, record: Record::new(state) });
        task.happens(Event::Spawn);
        task
    }

    /// Where it was started.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Something happens: its number, if anything heeds it.
    pub fn happens(self: &Arc<Self>, event: Event) -> Option<u64> {
        let mut open = self.open();
        let (number, violated) = self.step(&mut open, event, None);
        self.tell(open, violated);
        number
    }

    /// What happens, one after the other, by what holds now.
    pub fn happen(self: &Arc<Self>, events: impl FnOnce(Atoms) -> &'static [Event]) {
        let mut open = self.open();
        let mut violated = Vec::new();
        for event in events(open.state().atoms) {
            violated.extend(self.step(&mut open, *event, None).1);
        }
        self.tell(open, violated);
    }

    /// It goes on.
    pub fn resumes(self: &Arc<Self>) {
        let mut open = self.open();
        open.state().resumed = self.watch.millis().max(1);
        let (_, violated) = self.step(&mut open, Event::Resume, None);
        self.tell(open, violated);
    }

    /// It waits; whether nothing can wake it is asked then.
    pub fn suspends(self: &Arc<Self>, is_forgotten: impl FnOnce() -> bool) {
        let mut open = self.open();
        let mut violated = self.rests(&mut open);
        violated.extend(self.step(&mut open, Event::Suspend, None).1);
        if is_forgotten() {
            violated.extend(self.step(&mut open, Event::Unwakeable, None).1);
        }
        self.tell(open, violated);
    }

    /// It ends, unless it has.
    pub fn ends(self: &Arc<Self>, how: Event) {
        let mut open = self.open();
        if open.state().atoms & ENDED != 0 {
            return;
        }
        // What panics takes its time to tell.
        let mut violated = if how == Event::Panicked { Vec::new() } else { self.rests(&mut open) };
        violated.extend(self.step(&mut open, how, None).1);
        self.tell(open, violated);
    }

    /// A limit has passed.
    pub fn late(self: &Arc<Self>, begun: Begun) {
        let mut open = self.open();
        let Some(begins) = &mut open.state().begun else { return };
        // It may have been met meanwhile.
        let Some(at) = begins.0.iter().position(|one| *one == begun) else { return };
        begins.0.swap_remove(at);
        let (_, violated) = self.step(&mut open, Event::Late, Some(begun));
        self.tell(open, violated);
    }

    /// It has kept its thread for long. That is told of when it has suspended or ended, unless it never does.
    pub fn stalled(self: &Arc<Self>, for_good: bool) {
        let mut open = self.open();
        if open.state().atoms & RUNNING == 0 {
            return;
        }
        open.state().stalled = true;
        let violated = if for_good { self.rests(&mut open) } else { Vec::new() };
        self.tell(open, violated);
    }

    /// Tells that it has kept its thread, if it has.
    fn rests(self: &Arc<Self>, open: &mut Open<'_, State>) -> Vec<Violated> {
        if std::mem::take(&mut open.state().stalled) {
            self.step(open, Event::Stalled, None).1
        } else {
            Vec::new()
        }
    }

    /// What is known of a property.
    #[cfg(test)]
    pub fn verdict(&self, property: usize) -> u8 {
        let (at, _) = self.open().state().tables.get(property);
        self.watch.properties[property].states[usize::from(at)].verdict
    }

    fn open(&self) -> Open<'_, State> {
        self.record.open(&self.watch.numbers)
    }

    fn now(&self, atoms: Atoms, late: Option<u16>) -> Now<'_> {
        Now { atoms, site: self.site.map_or("", |site| &site.path), late, counted: 0 }
    }

    fn step(
        self: &Arc<Self>,
        open: &mut Open<'_, State>,
        event: Event,
        late: Option<Begun>,
    ) -> (Option<u64>, Vec<Violated>) {
        let state = open.state();
        state.atoms = event.lasting(state.atoms);
        let heeding = self.watch.heeding(event);
        let mut violated = Vec::new();
        if heeding.is_empty() {
            // No table makes a step, so the order does not matter.
            return (None, violated);
        }
        let (state, number) = open.next();
        let step = Some(number);
        let atoms = state.atoms | event.atoms();
        for &number in heeding {
            let property = &self.watch.properties[number];
            if !self.watch.concerns(number, self.site) {
                continue;
            }
            let late = late.filter(|begun| usize::from(begun.property) == number).map(|begun| begun.limit);
            let now = self.now(atoms, late);
            let broken = if property.of_task {
                self.advance(state, number, property, &now)
            } else {
                self.count(state, number, property, now)
            };
            if broken {
                violated.push((number, if property.of_task { event } else { Event::Elsewhere }));
            }
        }
        (step, violated)
    }

    /// A property's table goes on; whether it is violated now.
    fn advance(
        self: &Arc<Self>,
        state: &mut State,
        number: usize,
        property: &Property,
        now: &Now<'_>,
    ) -> bool {
        let letter = property.letter(now);
        let (at, told) = state.tables.get(number);
        let at = property.states[usize::from(at)].next[letter];
        for (limit_number, limit) in property.limits.iter().enumerate() {
            self.limit(state, number, (limit_number, limit), letter);
        }
        let is_violated = property.states[usize::from(at)].verdict == b'F' && property.concerns(now);
        state.tables.set(number, at, told || is_violated);
        is_violated && !told
    }

    /// A limit of a property begins, or is met.
    fn limit(
        self: &Arc<Self>,
        state: &mut State,
        property: usize,
        (number, limit): (usize, &Limit),
        letter: usize,
    ) {
        let (property, number) = (property as u16, number as u16);
        let is_it = |one: &Begun| (one.property, one.limit) == (property, number);
        let begun = state.begun.as_ref().and_then(|begun| begun.0.iter().position(is_it));
        match (begun, limit.from[letter], limit.to[letter]) {
            (Some(at), _, true) => {
                if let Some(begins) = &mut state.begun {
                    self.watch.limits.end(begins.0.swap_remove(at), self);
                }
            }
            (None, true, false) => {
                let begun = Begun { due: Instant::now() + limit.time, property, limit: number };
                state.begun.get_or_insert_default().0.push(begun);
                self.watch.limits.begin(begun, self);
            }
            _ => {}
        }
    }

    /// A property of the run goes on; whether it is violated now. The state of its table is whether the task is counted.
    fn count(&self, state: &mut State, number: usize, property: &Property, mut now: Now<'_>) -> bool {
        let counts = property.counts(&now);
        let was = state.tables.get(number).1;
        state.tables.set(number, 0, counts);
        self.watch.run(number, |(at, counted)| {
            match (was, counts) {
                (false, true) => *counted += 1,
                (true, false) => *counted = counted.saturating_sub(1),
                _ => {}
            }
            now.counted = *counted;
            let old = std::mem::replace(at, property.states[usize::from(*at)].next[property.letter(&now)]);
            old != *at && property.states[usize::from(*at)].verdict == b'F'
        })
    }

    /// Nothing happens to it any more.
    fn close(&self) {
        let mut open = self.open();
        let state = open.state();
        if std::mem::replace(&mut state.gone, true) {
            return;
        }
        for begun in state.begun.take().into_iter().flat_map(|begun| begun.0) {
            self.watch.limits.end(begun, self);
        }
        let now = self.now(state.atoms, None);
        let mut violated = Vec::new();
        for (number, property) in self.watch.properties.iter().enumerate() {
            let (at, told) = state.tables.get(number);
            let letter = property.letter(&now) & !property.events;
            let table = &property.states[usize::from(at)];
            let open = table.verdict == b'?' && !table.closing[letter];
            let open = open && self.watch.concerns(number, self.site);
            if property.of_task && !told && open && property.concerns(&now) {
                violated.push((number, Event::Gone));
            }
        }
        self.tell(open, violated);
    }

    /// Tells of violations, when the record is closed.
    fn tell(&self, mut open: Open<'_, State>, violated: Vec<Violated>) {
        let resumed = open.state().resumed;
        drop(open);
        for (property, event) in violated {
            let mut more = Vec::new();
            if let Some(by) = &self.by {
                more.push(format!("started   in the task of {by}"));
            }
            if resumed > 0 {
                let ago = self.watch.millis().saturating_sub(resumed);
                more.push(format!("last resumed {ago} ms ago"));
            }
            self.watch.tell(property, &self.place.to_string(), self.site, event.shown(), &more);
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.close();
    }
}
