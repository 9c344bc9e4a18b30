//! All that begins by itself, or is called from outside, with pointers followed from there.

use std::sync::Arc;

use robust_models::Models;

use crate::limits::Limits;
use crate::lower::{PART, Scope, Told, beginnings};
use crate::mir;
use crate::world::event_config::Heard;
use crate::world::facts::Facts;
use crate::world::points::bodies::{BodyId, Code};
use crate::world::points::escape;
use crate::world::points::foreign_callers::ForeignCallers;
use crate::world::points::points_to::Flow;
use crate::world::units::{Unit, Units};
use crate::world::{api, followed, handlers};

/// What is to be lowered.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub code: &'a Code<'a>,
    pub models: &'a Models,
    pub crates: &'a [Arc<mir::Crate>],
    pub told: &'a Told,
    pub scope: Scope,
    pub limits: Limits,
}

/// Where execution begins, and what points where from there on.
struct Begun<'a> {
    flow: Flow<'a>,
    /// Units of the user's word.
    units: Units,
    heard: Heard,
    /// The others.
    begins: Vec<Unit>,
}

impl<'a> Begun<'a> {
    /// Follows pointers. Where there is too little time or memory for that, they are followed once more, with as little told apart as
    /// can be: what is coarse is of more use than what breaks off, of which nothing can be used.
    fn new(subject: Subject<'a>) -> Begun<'a> {
        let flow = || Flow::new(subject.code, subject.models, subject.limits);
        let begun = Begun::of(flow(), subject);
        if !begun.flow.lacks_pointers() {
            return begun;
        }
        let was_late = begun.flow.was_late();
        // There is no memory for both.
        drop(begun);
        Begun::of(flow().coarsely(was_late), subject)
    }

    fn of(mut flow: Flow<'a>, subject: Subject<'a>) -> Begun<'a> {
        let Subject { code, crates, told, scope, .. } = subject;
        let mut units = Units::default();
        let heard = Heard::new(&mut flow, crates, &mut units, told);
        let foreign = ForeignCallers::find(code);
        let mut begins = if told.only { Vec::new() } else { beginnings(&mut flow, crates) };
        let api = begins.len();
        if !told.only && scope != Scope::Executables {
            begins.extend(api::beginnings(&mut flow, crates, &foreign, |body| heard.has(body)));
        }
        flow.run();
        while !flow.is_cut() && api::behind_traits(&mut flow, api, &mut begins) {
            flow.run();
        }
        let of_told = units.replace(|units| api::run_futures(&mut flow, units));
        let of_api = api::run_futures(&mut flow, &mut begins[api..]);
        if api::behind_pointers(&mut flow) || of_api || of_told {
            flow.run();
        }
        if !flow.is_cut() && api::given_out(&mut flow, api, &mut begins) {
            flow.run();
        }
        while !flow.is_cut() && escape::find(&mut flow, &begins[api..]) {
            flow.run();
        }
        api::initial_values(&mut flow);
        if !told.only && scope != Scope::Callers {
            let world = begins.first().map_or(api::WORLD, |begin| flow.world_of(begin.inst));
            // Libraries that others call have begun with what foreign code calls.
            let open = |body: BodyId| {
                !(heard.has(body) || scope == Scope::All && crates[code.home[body.0 as usize]].is_library())
            };
            begins.extend(handlers::handlers(&mut flow, world, crates, &foreign, open));
        }
        flow.end_pointers();
        Begun { flow, units, heard, begins }
    }
}

/// What is known of crates before statements are made of it.
pub(super) struct Explored<'a> {
    pub flow: Flow<'a>,
    pub units: Units,
    pub heard: Heard,
    pub facts: Facts,
}

impl<'a> Explored<'a> {
    /// Finds what points where, who calls whom, what each block does, and which events and tasks there are.
    pub fn new(subject: Subject<'a>) -> Explored<'a> {
        let Begun { mut flow, mut units, heard, begins } = Begun::new(subject);
        let facts = Facts::collect(&mut flow);
        flow.next_stage(PART);
        for begin in begins {
            units.add(begin);
        }
        units.follow(&flow, &facts);
        units.begin_registered(&flow);
        followed::find(&flow, &facts, &mut units);
        api::keep_cells_on_one_thread(&flow, &facts, &mut units);
        api::forget_private(&flow, &facts, &mut units);
        Explored { flow, units, heard, facts }
    }
}
