//! Reading what rustc printed: `-Zunpretty=mir`, or `--emit mir`, as rustc 1.95 writes it.
//!
//! The text is cut into items first (a body ends with `}` at the start of a line, which nothing inside of it does), so a body
//! that is not understood costs that body and nothing else. A body is read in one go, by recursive descent over its
//! bytes. Types and names are shared through their text, which is where most of the speed comes from.

mod body;
mod check;
mod lexer;
pub mod names;
mod notes;
mod operand;
mod path;
mod rvalue;
mod stmt;
#[cfg(test)]
mod tests;
mod ty;

use std::collections::VecDeque;

use crate::mir::{Alloc, AllocKind, Body, BodyKind, NamedConst, NotAnalysed, Origin, Path, Span, Ty};
use rustc_hash::FxHashMap;

use body::HeaderKind;
use lexer::{Parser, Shared, Syntax};
use path::Mode;

/// A body, or why there is none.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Entry {
    /// A body.
    Body(Body),
    /// A body that was not understood.
    Failed(NotAnalysed),
    /// The definition path of a body that there was no time for.
    Unread(String),
}

impl Entry {
    /// The definition path.
    pub fn def(&self) -> &str {
        match self {
            Entry::Body(body) => &body.def,
            Entry::Failed(missing) => &missing.name,
            Entry::Unread(def) => def,
        }
    }
}

/// What a print holds.
pub struct Print {
    /// Its bodies, in order.
    pub entries: Vec<Entry>,
    /// Its constants given in one line.
    pub constants: Vec<NamedConst>,
}

impl Print {
    /// Reads pass B, `text`, and the dumps of coroutines before their transform. When it is `late`, the rest is left unread.
    pub fn read(text: &str, coroutines: &str, late: &dyn Fn() -> bool) -> Print {
        let mut shared = Shared::default();
        let mut constants = Vec::new();
        let main = items(text, &mut shared, &mut constants);
        // Dumps may be older than the rest, from when allocations had other numbers; each comes with its own.
        let allocs = std::mem::take(&mut shared.allocs);
        let dumps = items(coroutines, &mut shared, &mut Vec::new());
        shared.allocs = allocs;
        // Coroutines by name and type; where a macro made several alike, in the order of their definition.
        let mut before: FxHashMap<(&str, Option<Ty>), VecDeque<Item<'_>>> = FxHashMap::default();
        for item in dumps {
            if let Some(key) = key(item.text, &mut shared) {
                before.entry(key).or_default().push_back(item);
            }
        }
        let constants = constants.into_iter().filter_map(|line| constant(line, &mut shared)).collect();
        let read = |item| match late() {
            true => unread(item, &mut shared),
            false => entry(item, &mut before, &mut shared),
        };
        let entries = main.into_iter().map(read).collect();
        Print { entries, constants }
    }
}

/// A body as its header announces it.
pub struct Announced<'a> {
    /// The definition path.
    pub def: &'a str,
    /// How many arguments it takes.
    pub args: usize,
    /// The first one's type.
    pub first: Option<Ty>,
    /// Whether it is a function, rather than a constant.
    pub is_fn: bool,
    /// The closure or coroutine type that it is the body of.
    pub own: Option<Ty>,
}

/// The bodies in a print, but for promoted constants, in order; none when a header is not understood.
pub fn announced(text: &str) -> Option<Vec<Announced<'_>>> {
    let mut shared = Shared::default();
    let mut all = Vec::new();
    for item in items(text, &mut shared, &mut Vec::new()) {
        let header = Parser::new(item.text, &mut shared).header().ok()?;
        if !header.def.contains("::promoted[") {
            let (def, args, is_fn) = (header.def, header.inputs.len(), header.kind == HeaderKind::Fn);
            let own = body::own_type(&header);
            all.push(Announced { def, args, first: header.inputs.into_iter().next(), is_fn, own });
        }
    }
    Some(all)
}

/// `const K: usize = const 3_usize;`
fn constant<'a>(line: &'a str, shared: &mut Shared<'a>) -> Option<NamedConst> {
    let mut parser = Parser::new(line, shared);
    parser.eat("const ");
    let start = parser.pos;
    parser.path(Mode::Expr).ok()?;
    let def = parser.slice(start, parser.pos).ok()?;
    parser.expect(": ").ok()?;
    let ty = parser.ty().ok()?;
    parser.expect(" = const ").ok()?;
    let value = parser.slice(parser.pos, line.len() - 1).ok()?;
    let value = parser.constant(value).kind;
    Some(NamedConst { def: parser.name(def), ty, value })
}

fn key<'a>(text: &'a str, shared: &mut Shared<'a>) -> Option<(&'a str, Option<Ty>)> {
    let header = Parser::new(text, shared).header().ok()?;
    let ty = body::own_type(&header);
    Some((header.def, ty))
}

fn unread<'a>(item: Item<'a>, shared: &mut Shared<'a>) -> Entry {
    Entry::Unread(key(item.text, shared).map_or_else(String::new, |(def, _)| def.to_owned()))
}

fn entry<'a>(
    item: Item<'a>,
    before: &mut FxHashMap<(&'a str, Option<Ty>), VecDeque<Item<'a>>>,
    shared: &mut Shared<'a>,
) -> Entry {
    if let Some(key) = key(item.text, shared)
        && let Some(better) = before.get_mut(&key).and_then(VecDeque::pop_front)
    {
        let own = better.allocs.iter().map(|alloc| (alloc.id, alloc.kind.clone())).collect();
        let allocs = std::mem::replace(&mut shared.allocs, own);
        let body = read(&better, shared);
        shared.allocs = allocs;
        match body {
            Ok(mut body) => {
                body.origin = Origin::BeforeTransform;
                return Entry::Body(body);
            }
            Err(error) => return Entry::Failed(failed(&better, error, shared)),
        }
    }
    match read(&item, shared) {
        Ok(mut body) => {
            if matches!(body.kind, BodyKind::Coroutine { .. }) {
                body.origin = Origin::Transformed;
            }
            Entry::Body(body)
        }
        Err(error) => Entry::Failed(failed(&item, error, shared)),
    }
}

fn read<'a>(item: &Item<'a>, shared: &mut Shared<'a>) -> Result<Body, Syntax> {
    let mut parser = Parser::new(item.text, shared);
    let mut body = parser.body()?;
    body.allocs.clone_from(&item.allocs);
    Ok(body)
}

/// A path as data; empty when it is not understood.
pub fn path(text: &str) -> Path {
    let mut shared = Shared::default();
    let mut parser = Parser::new(text, &mut shared);
    match parser.path(Mode::Expr) {
        Ok(path) if parser.pos == text.len() => path,
        _ => Path::default(),
    }
}

/// The name and the number of arguments in the header of a function, `fn name(_1: A, _2: B) -> C {`.
pub fn fn_header(line: &str) -> Option<(&str, usize)> {
    let mut shared = Shared::default();
    let mut parser = Parser::new(line, &mut shared);
    parser.expect("fn ").ok()?;
    let start = parser.pos;
    parser.path(Mode::Expr).ok()?;
    let name = parser.slice(start, parser.pos).ok()?;
    parser.expect("(").ok()?;
    let mut count = 0;
    while parser.at("_") {
        count += 1;
        parser.local().ok()?;
        parser.skip_to(b",)").ok()?;
        parser.eat(", ");
    }
    Some((name, count))
}

fn failed<'a>(item: &Item<'a>, error: Syntax, shared: &mut Shared<'a>) -> NotAnalysed {
    let text = item.text;
    let at = error.at.min(text.len());
    let start = text.as_bytes()[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |index| index + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("").trim();
    let name = match Parser::new(text, shared).header() {
        Ok(header) => header.def.to_owned(),
        Err(_) => {
            // Its name may be readable all the same: without it the names of all others would be lost.
            let line = text.lines().next().unwrap_or("");
            fn_header(line).map_or(line.trim_end_matches(" {"), |(name, _)| name).to_owned()
        }
    };
    let span = line.rsplit_once(" at ").and_then(|(_, place)| own_span(place)).unwrap_or_default();
    NotAnalysed {
        name,
        reason: format!("its MIR was not understood: expected {}", error.expected),
        detail: Some(line.to_owned()),
        span,
    }
}

fn own_span(text: &str) -> Option<Span> {
    Parser::new(text, &mut Shared::default()).span(text)
}

/// A body's text and the allocations printed with it.
struct Item<'a> {
    text: &'a str,
    allocs: Vec<Alloc>,
}

/// Cuts a print into bodies. Constants given in one line have no body; of functions that run in constants, too, there is a
/// second body for that, which is left out.
fn items<'a>(text: &'a str, shared: &mut Shared<'a>, constants: &mut Vec<&'a str>) -> Vec<Item<'a>> {
    let bytes = text.as_bytes();
    let mut items: Vec<Item<'a>> = Vec::new();
    let mut pos = 0;
    let mut skip_next = false;
    while pos < bytes.len() {
        let line_end = memchr::memchr(b'\n', &bytes[pos..]).map_or(bytes.len(), |offset| pos + offset);
        let line = &text[pos..line_end];
        let next = line_end + 1;
        if line.is_empty() || line.starts_with("//") || line.starts_with([' ', '}', '|']) {
            skip_next |= line == "// MIR FOR CTFE";
            pos = next;
            continue;
        }
        if line.starts_with("alloc")
            && let Some(alloc) = alloc(line)
        {
            shared.allocs.insert(alloc.id, alloc.kind.clone());
            if let Some(item) = items.last_mut() {
                item.allocs.push(alloc);
            }
            pos = if line.ends_with('{') { block_end(bytes, line_end) } else { next };
            continue;
        }
        if line.ends_with(';') {
            constants.push(line);
            pos = next;
            continue;
        }
        let end = block_end(bytes, line_end);
        if !std::mem::take(&mut skip_next) {
            items.push(Item { text: &text[pos..end], allocs: Vec::new() });
        }
        pos = end;
    }
    items
}

/// Behind the next `}` that starts a line.
fn block_end(bytes: &[u8], from: usize) -> usize {
    match memchr::memmem::find(&bytes[from.min(bytes.len())..], b"\n}\n") {
        Some(offset) => from + offset + 3,
        None => bytes.len(),
    }
}

/// `alloc5 (static: RAW, size: 4, align: 4) {`, `alloc34 (extern static: environ)`
fn alloc(line: &str) -> Option<Alloc> {
    let (id, rest) = line.strip_prefix("alloc")?.split_once(" (")?;
    let id = id.parse().ok()?;
    let rest =
        rest.strip_suffix(" {}").or_else(|| rest.strip_suffix(" {")).unwrap_or(rest).strip_suffix(')')?;
    let name = |text: &str| text.split(", size: ").next().unwrap_or(text).into();
    let kind = if let Some(text) = rest.strip_prefix("static: ") {
        AllocKind::Static(name(text))
    } else if let Some(text) = rest.strip_prefix("extern static: ") {
        AllocKind::ExternStatic(name(text))
    } else if let Some(text) = rest.strip_prefix("fn: ") {
        AllocKind::Fn(text.into())
    } else if let Some(text) = rest.strip_prefix("vtable: ") {
        AllocKind::Vtable(text.into())
    } else {
        AllocKind::Memory
    };
    Some(Alloc { id, kind })
}
