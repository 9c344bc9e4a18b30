//! What is known of each function: where it may run, and what it asks of whoever calls it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use robust_models::Blocks;
use serde::{Deserialize, Serialize};

use crate::ir::SourcePlace;
use crate::mir::{BodyKind, CoroutineKind, Crate, TyKind};
use crate::world::points::points_to::{Flow, InstId};

use super::atoms::{Asked, Atoms};
use super::descend::{Descent, reader_name};
use super::graph::is_code;
use super::place::Places;
use crate::world::coverage::source_place;

/// A function, closure or future.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Placed {
    /// Its name for readers.
    pub name: String,
    /// Where it is in the source.
    pub place: Option<SourcePlace>,
    /// Whether others than the crate can call it.
    pub public: bool,
    /// The names of the places where it may run; empty when nothing runs it.
    pub places: BTreeSet<String>,
    /// What it asks of the place where it runs, calls included: `needs(tokio)`, `blocks(file)`.
    pub asks: BTreeSet<String>,
    /// What other crates call it, if they can: its own path, and that of its type at the root of the crate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// It returns a future, and asks when that is awaited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaited: bool,
}

/// All functions, in the order of the source.
pub(crate) fn functions(
    flow: &Flow<'_>,
    places: &Places<'_>,
    descent: &Descent<'_, '_>,
    effects: &[Atoms],
    crates: &[Arc<Crate>],
) -> Vec<Placed> {
    let mut found: BTreeMap<u32, Placed> = BTreeMap::new();
    for (index, instance) in flow.instances.iter().enumerate() {
        let (inst, body) = (InstId(index as u32), flow.code.body(instance.body));
        if !is_code(body) {
            continue;
        }
        let placed = found.entry(instance.body.0).or_insert_with(|| Placed {
            name: reader_name(flow, inst),
            place: source_place(&body.span),
            public: is_public(flow, inst),
            paths: paths(flow, inst, &crates[flow.home_of(inst)].name),
            awaited: matches!(body.kind, BodyKind::Coroutine { .. }),
            ..Placed::default()
        });
        let records = descent.records(inst).iter();
        placed.places.extend(records.map(|record| places.get(record.place).name.clone()));
        placed.asks.extend(effects[index].each().map(|asked| word(places, asked)));
    }
    let mut all: Vec<Placed> = found.into_values().collect();
    all.sort_by(|a, b| (&a.place, &a.name).cmp(&(&b.place, &b.name)));
    all
}

/// Whether others can call it. The future that an `async fn` makes is as public as that.
fn is_public(flow: &Flow<'_>, inst: InstId) -> bool {
    let body = flow.body_of(inst);
    let maker = || flow.code.def(body.def.strip_suffix("::{closure#0}")?, flow.home_of(inst));
    match body.own_type().map(|ty| &**ty) {
        Some(TyKind::Coroutine(coroutine)) if coroutine.kind == CoroutineKind::AsyncFn => {
            maker().is_some_and(|maker| flow.code.body(maker).public)
        }
        Some(_) => false,
        None => body.public,
    }
}

/// What other crates call a public function.
fn paths(flow: &Flow<'_>, inst: InstId, krate: &str) -> Vec<String> {
    if !is_public(flow, inst) {
        return Vec::new();
    }
    let body = flow.body_of(inst);
    let def = body.def.strip_suffix("::{closure#0}").unwrap_or(&body.def);
    let maker = flow.code.def(def, flow.home_of(inst)).map_or(body, |maker| flow.code.body(maker));
    let own = match &maker.path.qself {
        Some(qself) => qself.ty.as_path().map(|ty| format!("{}::{}", ty.plain(), maker.path.last())),
        None => Some(maker.path.plain()),
    };
    let Some(own) = own else { return Vec::new() };
    // Names have no modules, definitions have.
    let before = def.split_once("<impl").map_or_else(
        || def.rsplit_once("::").map_or("", |(modules, _)| modules),
        |(modules, _)| modules.trim_end_matches(':'),
    );
    let last = own.split("::").last().unwrap_or(&own);
    let whole = match (before, def.contains("<impl")) {
        ("", _) => own.clone(),
        (modules, true) => format!("{modules}::{own}"),
        (modules, false) => format!("{modules}::{last}"),
    };
    let mut all = vec![format!("{krate}::{whole}")];
    if whole != own {
        all.push(format!("{krate}::{own}"));
    }
    all
}

fn word(places: &Places<'_>, asked: Asked) -> String {
    let name = |number: u32| places.demands.get(number).map_or("", |demand| &demand.name);
    match asked {
        Asked::Needs(number) => format!("needs({})", name(number)),
        Asked::Refuses(number) => format!("refuses({})", name(number)),
        Asked::Blocks(kind) => format!("blocks({})", kind_name(kind)),
    }
}

/// As models write it.
fn kind_name(kind: Blocks) -> &'static str {
    match kind {
        Blocks::Lock => "lock",
        Blocks::Stat => "stat",
        Blocks::File => "file",
        Blocks::Disk => "disk",
        Blocks::Net => "net",
        Blocks::Socket => "socket",
        Blocks::Process => "process",
        Blocks::Sleep => "sleep",
        Blocks::Wait => "wait",
        Blocks::Input => "input",
        Blocks::Cpu => "cpu",
    }
}
