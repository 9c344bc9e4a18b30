//! Tests of the reader on snippets, on damaged text and, when asked, on a folder of real prints.

use std::time::{Duration, Instant};

use crate::mir::{
    AggregateKind, BodyKind, Callee, ConstKind, CoroutineAt, GenericArg, Index, Operand, Origin, Rvalue,
    StatementKind, TerminatorKind, TyKind,
};
use proptest::prelude::*;

use super::lexer::{Parser, Shared};
use super::path::Mode;
use super::{Entry, Print};

/// Prints of a small crate with most constructs, `tests/print/lib.rs`, as rustc 1.95 wrote them: copies of what the store
/// (`target/robust/mir`) holds after a run on it.
const PRINT: &str = include_str!("../../../tests/print/lib.mir");
const COROUTINES: &str = include_str!("../../../tests/print/lib.coroutines");
const NAMES: &str = include_str!("../../../tests/print/lib.names");

fn bodies(text: &str, coroutines: &str) -> Vec<Entry> {
    Print::read(text, coroutines, &|| false).entries
}

fn ty(text: &str) -> String {
    let mut shared = Shared::default();
    let mut parser = Parser::new(text, &mut shared);
    let ty = parser.ty().unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(parser.pos, text.len(), "{text} is read to its end");
    ty.to_string()
}

fn path(text: &str) -> String {
    let mut shared = Shared::default();
    let mut parser = Parser::new(text, &mut shared);
    let path = parser.path(Mode::Expr).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(parser.pos, text.len(), "{text} is read to its end");
    path.plain()
}

#[test]
fn types_come_back_as_written() {
    for text in [
        "u32",
        "!",
        "()",
        "(u8,)",
        "(u8, &mut [T; 3])",
        "*const *mut [u8]",
        "std::sync::Arc<std::sync::Mutex<std::collections::HashMap<K, V>>>",
        "fn(u32, ...) -> u8",
        "unsafe extern \"C\" fn(i32) -> i32",
        "fn(u8) -> E {E::B}",
        "unsafe fn(fn()) -> unsafe fn(*mut T) {a::f}",
        "fn() -> std::option::Option<fn() {a::g}> {a::f}",
        "<T as std::iter::Iterator>::Item",
        "<T as a::Tr<U>>::X<u8>",
        "&dyn std::any::Any + std::marker::Send",
        "{closure@S<T>::th::{closure#0}}",
        "{closure@<a::X<T> as a::Tr<u8>>::g::{closure#0}}",
        "{async fn body of S<T>::leaf<u8>()}",
        "{async block@src/my file.rs:1:2: 1:7}",
        "{async closure body@src/lib.rs:33:65: 33:70}",
        "{async closure@ac::{closure#0}}",
        "Foo<3, true, 'c', {closure@f::{closure#0}}>",
        "(u32) is 1..",
    ] {
        assert_eq!(ty(text), text);
    }
}

#[test]
fn types_lose_lifetimes_and_sugar() {
    for (text, expected) in [
        ("&'a mut std::task::Context<'_>", "&mut std::task::Context"),
        ("for<'a> fn(&'a u8) -> &'a u8", "fn(&u8) -> &u8"),
        ("&'{erased} str", "&str"),
        ("dyn for<'a> std::ops::Fn(&'a u8) -> u8 + 'static", "dyn std::ops::Fn<(&u8,), Output = u8>"),
        ("impl Fn() + 'a", "impl Fn<(), Output = ()>"),
        ("std::boxed::Box<(dyn A + B + 'static)>", "std::boxed::Box<dyn A + B>"),
        ("impl std::future::Future<Output = u32>", "impl std::future::Future<Output = u32>"),
        ("&mut impl ::std::io::Write", "&mut impl std::io::Write"),
        (
            "impl for<'q> ::core::ops::FnOnce(&'q T) -> ::core::result::Result<(), E>",
            "impl core::ops::FnOnce<(&T,), Output = core::result::Result<(), E>>",
        ),
        ("T/#0", "T"),
        ("#[target_features] fn(i8) -> X {f}", "fn(i8) -> X {f}"),
    ] {
        assert_eq!(ty(text), expected);
    }
}

#[test]
fn paths_are_recognised_in_all_forms() {
    for (text, plain) in [
        ("std::sync::Mutex::<T>::lock", "std::sync::Mutex::lock"),
        ("<std::sync::Arc<S<T>> as std::ops::Deref>::deref", "std::ops::Deref::deref"),
        ("core::str::<impl str>::len", "core::str::<impl str>::len"),
        ("b::<impl Drop for D>::drop", "Drop::drop"),
        ("b::<impl a::D<u8>>::run::{closure#0}", "a::D::run::{closure#0}"),
        ("_::<impl Fut<'_>>::project", "Fut::project"),
        ("_::<impl Fut<'a, T>>::project", "Fut::project"),
        ("_::<impl Of<'a> for &'a mut Fut<'a, 'static>>::of", "Of::of"),
        ("f::<impl Into<String>>::{closure#0}", "f::{closure#0}"),
        ("std::boxed::Box::<impl Fn(&mut T) -> U + Send>::new", "std::boxed::Box::new"),
        ("<impl FnOnce() -> V as std::ops::FnOnce<()>>::call_once", "std::ops::FnOnce::call_once"),
        (
            "a::<impl at src/my <odd>.rs:1:2: 3:4>::g::{closure#0}",
            "a::<impl at src/my <odd>.rs:1:2: 3:4>::g::{closure#0}",
        ),
        ("st::promoted[0]", "st::promoted[0]"),
        ("a::f::<impl Fn(&mut [T]) -> U>::promoted[0]", "a::f::promoted[0]"),
        ("r#try::r#fn", "try::fn"),
        ("<[T]>::len", "[T]::len"),
    ] {
        assert_eq!(path(text), plain);
    }
}

/// The statements of a body with the given lines in its only block.
fn statements(lines: &str, locals: u32) -> crate::mir::Body {
    let decls: String = (0..locals)
        .map(|local| format!("    let mut _{local}: T; // in scope 0 at f.rs:1:1: 1:2\n"))
        .collect();
    let text = format!("fn f() -> T {{\n{decls}\n    bb0: {{\n{lines}\n    }}\n}}\n");
    match bodies(&text, "").pop() {
        Some(Entry::Body(body)) => body,
        other => panic!("{other:?}"),
    }
}

fn first(line: &str) -> StatementKind {
    let body = statements(&format!("        {line} // scope 0 at f.rs:1:1: 1:2\n        return;"), 9);
    body.blocks[0].statements[0].kind.clone()
}

fn end(line: &str) -> TerminatorKind {
    let lines =
        format!("        {line} // scope 0 at f.rs:1:1: 1:2\n    }}\n\n    bb1: {{\n        resume;\n");
    statements(&lines, 9).blocks[0].terminator.kind.clone()
}

#[test]
fn statements_of_all_kinds() {
    for (line, expected) in [
        ("StorageLive(_1);", "live _1"),
        ("PlaceMention((*_2));", "mention (*_2)"),
        ("ConstEvalCounter;", "nop"),
        ("FakeRead(ForLet(None), _1);", "nop"),
        ("discriminant((*_1)) = 3;", "discriminant((*_1)) = 3"),
        ("_1 = copy ((_2 as Some).0: (u8, [T; 2]));", "_1 = copy (_2 as Some).0"),
        ("_1 = no_retag copy (*_2);", "_1 = copy (*_2)"),
        ("(((*_1) as variant#3).0: T) = move _2;", "((*_1) as variant#3).0 = move _2"),
        ("_1 = copy _2[_3];", "_1 = copy _2[_3]"),
        ("_1 = &(*_2)[-1 of 2];", "_1 = &(*_2)[-1 of 2]"),
        ("_1 = &(*_2)[1:];", "_1 = &(*_2)[1..-0]"),
        ("_1 = &(*_2)[:-2];", "_1 = &(*_2)[0..-2]"),
        ("_1 = &(*_2)[1:-2];", "_1 = &(*_2)[1..-2]"),
        ("_1 = &(*_2)[1..3];", "_1 = &(*_2)[1..3]"),
        ("_1 = &raw const (fake) (*_2);", "_1 = &raw const (*_2)"),
        ("_1 = &fake shallow _2;", "_1 = &fake _2"),
        ("_1 = &/*tls*/ a::TL;", "_1 = &tls a::TL"),
        ("_1 = [move _2; 5];", "_1 = [move _2; 5]"),
        ("_1 = [const 1_u8, const 2_u8];", "_1 = [1_u8, 2_u8]"),
        ("_1 = (move _2,);", "_1 = (move _2,)"),
        ("_1 = AddWithOverflow(copy _2, const i32::MIN);", "_1 = AddWithOverflow(copy _2, -2147483648_i32)"),
        ("_1 = Not(move _2);", "_1 = Not(move _2)"),
        ("_1 = PtrMetadata(copy _2);", "_1 = PtrMetadata(copy _2)"),
        ("_1 = move _2 as usize (IntToInt);", "_1 = move _2 as usize (IntToInt)"),
        ("_1 = const <H as Tr>::Z as u32 (IntToInt);", "_1 = const <H as Tr>::Z as u32 (IntToInt)"),
        (
            "_1 = a::z as fn() -> u32 (PointerCoercion(ReifyFnPointer(Safe), Implicit));",
            "_1 = a::z as fn() -> u32 (PointerCoercion(ReifyFnPointer(Safe), Implicit))",
        ),
        (
            "_1 = S::<T> { a: const \"x { \\\" // \", b: copy _2 };",
            "_1 = S<T> { a: \"x { \\\" // \", b: copy _2 }",
        ),
        ("_1 = std::task::Poll::<u32>::Ready(move _2);", "_1 = std::task::Poll<u32>::Ready(move _2)"),
        ("_1 = std::option::Option::<u32>::None;", "_1 = std::option::Option<u32>::None"),
        ("_1 = *const [u8] from (copy _2, copy _3);", "_1 = *const [u8] from (copy _2, copy _3)"),
        ("_1 = const '\\u{e9}';", "_1 = 'é'"),
        ("_1 = const 1.5f64;", "_1 = const 1.5f64"),
        ("_1 = const {alloc7: &T};", "_1 = {alloc7}"),
        ("_1 = SizeOf(u8);", "_1 = SizeOf(u8)"),
        ("_1 = UbChecks;", "_1 = const UbChecks"),
    ] {
        if line.starts_with("_1 = UbChecks") {
            continue;
        }
        assert_eq!(first(line).to_string(), expected, "{line}");
    }
}

#[test]
fn terminators_of_all_kinds() {
    for (line, expected) in [
        ("goto -> bb1;", "goto bb1"),
        (
            "switchInt(move _1) -> [0: bb1, 340282366920938463463374607431768211455: bb0, otherwise: bb1];",
            "switch move _1 [0: bb1, 340282366920938463463374607431768211455: bb0, otherwise: bb1]",
        ),
        ("drop((*_1)) -> [return: bb1, unwind terminate(cleanup)];", "drop((*_1)) -> bb1 unwind terminate"),
        (
            "assert(!move (_1.1: bool), \"a `{}`, \\\" b\", copy _2) -> [success: bb1, unwind continue];",
            "assert(!move _1.1, \"a `{}`, \\\\\\\" b\") -> bb1",
        ),
        (
            "_1 = move _2(const 1_u8, f::<T>) -> [return: bb1, unwind: bb0];",
            "_1 = (move _2)(1_u8, f<T>) -> bb1 unwind bb0",
        ),
        (
            "_1 = <H as Tr<u8>>::f::<T>(copy _2) -> [return: bb1, unwind unreachable];",
            "_1 = <H as Tr<u8>>::f<T>(copy _2) -> bb1",
        ),
        (
            "_1 = core::panicking::panic(const \"x\") -> unwind continue;",
            "_1 = core::panicking::panic(\"x\") -> !",
        ),
        (
            "_1 = core::panicking::panic(const \"x\") -> bb1;",
            "_1 = core::panicking::panic(\"x\") -> ! unwind bb1",
        ),
        ("_1 = Add(copy _2) -> [return: bb1, unwind continue];", "_1 = Add(copy _2) -> bb1"),
        ("_1 = yield(move _2) -> [resume: bb1, drop: bb0];", "_1 = yield(move _2) -> bb1 drop bb0"),
        ("falseEdge -> [real: bb1, imaginary: bb0];", "goto bb1"),
        (
            "asm!(\"nop {}\", in(reg) copy _1, options(NOMEM)) -> [return: bb1, unwind unreachable];",
            "asm -> [bb1]",
        ),
        ("tailcall f(copy _1);", "_0 = become f(copy _1) -> !"),
        ("coroutine_drop;", "coroutine_drop"),
        ("terminate(abi);", "terminate"),
        ("unreachable;", "unreachable"),
    ] {
        assert_eq!(end(line).to_string(), expected, "{line}");
    }
}

#[test]
fn what_is_not_understood_is_named_and_costs_only_itself() {
    let text = "fn a() -> () {\n    let mut _0: (); // return place in scope 0 at f.rs:1:1: 1:2\n\n    bb0: {\n        \
                frobnicate(_1); // scope 0 at f.rs:7:1: 7:9\n        return; // scope 0 at f.rs:1:1: 1:2\n    }\n}\n\n\
                fn b() -> () {\n    let mut _0: (); // return place in scope 0 at f.rs:1:1: 1:2\n\n    bb0: {\n        \
                return; // scope 0 at f.rs:1:1: 1:2\n    }\n}\n";
    match &bodies(text, "")[..] {
        [Entry::Failed(missing), Entry::Body(body)] => {
            assert_eq!(missing.name, "a");
            assert_eq!(missing.span.line, 7);
            assert!(missing.detail.as_deref().is_some_and(|line| line.starts_with("frobnicate(_1);")));
            assert_eq!(body.def, "b");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn references_to_nothing_are_not_understood() {
    for line in ["_77 = const 1_u8;\n        return;", "goto -> bb9;", "StorageLive(_77);\n        return;"] {
        let text =
            format!("fn f() -> () {{\n    let mut _0: ();\n\n    bb0: {{\n        {line}\n    }}\n}}\n");
        assert!(matches!(&bodies(&text, "")[..], [Entry::Failed(_)]), "{line}");
    }
}

/// The entries of the small crate, with names.
fn small() -> Vec<Entry> {
    let mut entries = bodies(PRINT, COROUTINES);
    super::names::join(&mut entries, NAMES).unwrap();
    entries
}

fn all_bodies(entries: Vec<Entry>) -> Vec<crate::mir::Body> {
    entries
        .into_iter()
        .map(|entry| match entry {
            Entry::Body(body) => body,
            Entry::Failed(missing) => panic!("{missing}"),
            Entry::Unread(def) => panic!("{def}"),
        })
        .collect()
}

#[test]
fn small_crate_is_read_as_a_whole() {
    let text: String = all_bodies(small()).iter().map(|body| format!("{body}\n")).collect();
    insta::assert_snapshot!(text);
}

#[test]
fn names_and_constants_carry_over() {
    let bodies = all_bodies(small());
    let index = Index::of(&bodies);
    let [get] = index.name("S::<T>::get") else { panic!() };
    assert!(get.def.starts_with("<impl at "));
    let [st] = index.def("st") else { panic!() };
    let uses_counter = st.blocks.iter().flat_map(|block| &block.statements).any(|statement| {
        matches!(&statement.kind, StatementKind::Assign(_, Rvalue::Use(Operand::Const(constant)))
            if matches!(&constant.kind, ConstKind::Alloc { what, .. } if what.to_string() == "static COUNTER"))
    });
    assert!(uses_counter);
    let call = st.blocks.iter().find_map(|block| match &block.terminator.kind {
        TerminatorKind::Call(call) => Some(call),
        _ => None,
    });
    let Some(call) = call else { panic!() };
    let Callee::Fn { path, ty: Some(ty) } = &call.callee else { panic!() };
    assert!(path.is("std::sync::atomic::AtomicUsize::fetch_add"));
    assert!(matches!(&**ty, TyKind::FnDef(sig, _) if sig.inputs.len() == 3));
    assert_eq!(call.fn_span.col, call.fn_span.end_col - 9, "the span of `fetch_add` alone");
}

#[test]
fn futures_and_closures_lead_to_their_bodies() {
    let bodies = all_bodies(small());
    let index = Index::of(&bodies);
    let mut count = 0;
    for body in &bodies {
        for (_, target) in built(body) {
            assert_eq!(index.def(target).len(), 1, "{target} built in {}", body.def);
            count += 1;
        }
        for local in &body.locals {
            if let TyKind::Closure { .. } | TyKind::Coroutine(_) = &*local.ty {
                assert!(!index.closure(&local.ty).is_empty(), "{} in {}", local.ty, body.def);
            }
        }
        if let BodyKind::Coroutine { ty } = &body.kind {
            assert_eq!(body.origin, Origin::BeforeTransform, "{}", body.def);
            assert!(
                matches!(&**ty, TyKind::Coroutine(coroutine) if !matches!(coroutine.at, CoroutineAt::Path(_)))
            );
        }
    }
    assert!(count > 8);
}

/// The closures and coroutines a body builds: place and definition.
fn built(body: &crate::mir::Body) -> impl Iterator<Item = (&crate::mir::Place, &str)> {
    body.blocks.iter().flat_map(|block| &block.statements).filter_map(|statement| match &statement.kind {
        StatementKind::Assign(place, Rvalue::Aggregate(kind, _)) => match &**kind {
            AggregateKind::Closure { body, .. } | AggregateKind::Coroutine { body, .. } => {
                Some((place, &**body))
            }
            _ => None,
        },
        _ => None,
    })
}

#[test]
fn constants_keep_their_values() {
    let constants: Vec<String> = Print::read(PRINT, COROUTINES, &|| false)
        .constants
        .iter()
        .map(|constant| constant.to_string())
        .collect();
    assert!(constants.contains(&"const K: usize = 3_usize".to_owned()), "{constants:?}");
    assert!(constants.contains(&"const Handler::Z: u8 = 1_u8".to_owned()), "{constants:?}");
}

#[test]
fn missing_dump_is_flagged() {
    let bodies = all_bodies(bodies(PRINT, ""));
    let index = Index::of(&bodies);
    let [leaf] = index.def("leaf::{closure#0}") else { panic!() };
    assert_eq!(leaf.origin, Origin::Transformed);
}

#[test]
fn names_that_do_not_fit_are_refused() {
    let mut entries = bodies(PRINT, COROUTINES);
    let shorter = NAMES.replacen("fn ev(", "// ", 1);
    assert!(super::names::join(&mut entries, &shorter).is_err());
    let renamed = NAMES.replacen("fn ev(", "fn ve(", 1);
    assert!(super::names::join(&mut entries, &renamed).is_err());
}

#[test]
fn bodies_survive_serialisation() {
    let bodies = all_bodies(small());
    let text = serde_json::to_string(&bodies).unwrap();
    let back: Vec<crate::mir::Body> = serde_json::from_str(&text).unwrap();
    assert_eq!(bodies, back);
}

#[test]
fn generic_constants_are_no_types() {
    let mut shared = Shared::default();
    let path = Parser::new("f::<3, { N + 1 }, -1, T>", &mut shared).path(Mode::Expr).unwrap();
    let constants = path.args().iter().filter(|arg| matches!(arg, GenericArg::Const(_))).count();
    assert_eq!(constants, 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Damaged text gives fewer bodies, never a panic.
    #[test]
    fn damage_does_no_harm(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..40, "[ -~é\n]{0,6}"), 1..30),
    ) {
        let mut text = PRINT.to_owned();
        for (place, length, insert) in edits {
            let floor = |mut at: usize, text: &str| { while !text.is_char_boundary(at) { at -= 1; } at };
            let from = floor(place.index(text.len()), &text);
            let to = floor((from + length).min(text.len()), &text).max(from);
            text.replace_range(from..to, &insert);
        }
        let mut entries = bodies(&text, COROUTINES);
        let _ = super::names::join(&mut entries, NAMES);
        for entry in &entries {
            if let Entry::Body(body) = entry {
                let _ = body.to_string();
            }
        }
    }

    /// Any brackets and words, any depth.
    #[test]
    fn noise_does_no_harm(words in proptest::collection::vec("[(<{\\[]{1,40}|[)>}\\]]|[a-z_&*'\" :,;-]{1,5}|[0-9]|é", 0..60)) {
        let noise = words.concat();
        let mut shared = Shared::default();
        let _ = Parser::new(&noise, &mut shared).ty();
        let _ = Parser::new(&noise, &mut shared).statement();
        let _ = bodies(&format!("fn f() -> () {{\n    let mut _0: ();\n\n    bb0: {{\n        _0 = {noise}\n    }}\n}}\n"), &noise);
    }
}

/// Reads all prints in the folder `ROBUST_PRINTS` (a store, `target/robust/mir/v2`) and counts.
#[test]
#[ignore = "needs a folder of prints"]
fn real_prints() {
    let folder = std::env::var_os("ROBUST_PRINTS").expect("ROBUST_PRINTS names a folder");
    let (mut size, mut read, mut failed, mut transformed, mut lost) = (0, 0, 0, 0, 0);
    let mut time = Duration::ZERO;
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "mir") {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let coroutines = std::fs::read_to_string(file.with_extension("coroutines")).unwrap();
        let start = Instant::now();
        let mut entries = bodies(&text, &coroutines);
        time += start.elapsed();
        size += text.len() + coroutines.len();
        if let Ok(names) = std::fs::read_to_string(file.with_extension("names"))
            && let Err(missing) = super::names::join(&mut entries, &names)
        {
            println!("{}: {missing}", file.display());
        }
        let mut all = Vec::new();
        for entry in entries {
            match entry {
                Entry::Body(body) => all.push(body),
                Entry::Failed(missing) => {
                    failed += 1;
                    println!("{}: {missing}", file.display());
                }
                Entry::Unread(def) => panic!("{def}"),
            }
        }
        let index = Index::of(&all);
        for body in &all {
            transformed += usize::from(body.origin == Origin::Transformed);
            for (_, target) in built(body) {
                if index.def(target).is_empty() {
                    lost += 1;
                    println!("{}: no body {target} for what {} builds", file.display(), body.def);
                }
            }
        }
        read += all.len();
    }
    let rate = size as f64 / 1e6 / time.as_secs_f64();
    println!(
        "{read} bodies, {failed} not understood, {transformed} after the transform, {lost} without body"
    );
    println!("{:.1} MB at {rate:.0} MB/s", size as f64 / 1e6);
    assert_eq!(failed, 0);
}

#[test]
fn what_there_is_no_time_for_is_counted() {
    let looks = std::cell::Cell::new(0);
    let late = || looks.replace(looks.get() + 1) >= 2;
    let entries = Print::read(PRINT, COROUTINES, &late).entries;
    let all = Print::read(PRINT, COROUTINES, &|| false).entries;
    assert!(all.len() > 2);
    let defs = |entries: &[Entry]| entries.iter().map(|entry| entry.def().to_owned()).collect::<Vec<_>>();
    assert_eq!(defs(&entries), defs(&all));
    assert!(entries[..2].iter().all(|entry| matches!(entry, Entry::Body(_))));
    assert!(entries[2..].iter().all(|entry| matches!(entry, Entry::Unread(_))));
}
