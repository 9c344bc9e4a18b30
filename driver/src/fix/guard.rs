//! One guard from the first access to the last, where each has its own:
//!
//! ```text
//! let mut stock = self.stock.lock().unwrap();
//! if *stock == 0 { return false; }
//! *stock -= 1;
//! ```

use robust_analyzer::finding::{Step, StepKind};
use robust_analyzer::ir::SourcePlace;
use syn::{Expr, Stmt, UnOp};

use super::syntax::{Around, Code, ends, is_place, is_quiet, runs_once, squeezed};
use super::{Certain, Fix, Torn};

/// Methods that a `Result` has and that mean something else on what is locked.
const OF_RESULTS: [&str; 16] = [
    "and_then",
    "as_deref",
    "as_mut",
    "as_ref",
    "err",
    "inspect",
    "is_err",
    "is_ok",
    "iter",
    "iter_mut",
    "map",
    "map_err",
    "ok",
    "or_else",
    "unwrap_or",
    "unwrap_or_else",
];

/// An expression that locks and gives a guard that lives as long as its statement.
struct Guard<'a> {
    /// All of it, up to the guard.
    whole: &'a Expr,
    /// What is locked.
    lock: &'a Expr,
    shared: bool,
}

pub(super) fn keep(torn: &Torn, code: &Code) -> Option<Fix> {
    let [first, last] = locks(torn)?;
    let (Some(first_place), Some(last_place)) = (&first.place, &last.place) else { return None };
    let around = code.around(first_place, last_place)?;
    let guards = [(first, first_place), (last, last_place)]
        .map(|(step, place)| guard(code, &around, place, step.kind == StepKind::LockShared));
    let [Some(first), Some(last)] = guards else { return None };
    let text = |guard: &Guard| squeezed(code.text(guard.lock));
    let (root, name) = ends(first.lock)?;
    let apart = [first.whole, last.whole];
    if text(&first) != text(&last)
        || binds(code, around.between(), &root)
        || !is_quiet(around.between(), &apart)
        || !ends_well(&around)
    {
        return None;
    }
    let name = free_name(&name, code, &around)?;
    let taken = if first.shared && !last.shared { &last } else { &first };
    let mutable = if torn.changes { "mut " } else { "" };
    let line = format!("let {mutable}{name} = {};", code.text(taken.whole));
    let mut edits = vec![
        code.line_before(&around.between()[0], &line)?,
        code.replace(first.whole, &name),
        code.replace(last.whole, &name),
    ];
    if !is_quiet(around.behind(), &[]) {
        let waits =
            code.names(around.behind()).contains(&"await") || code.text(taken.whole).contains(".await");
        if waits {
            return None;
        }
        edits.push(code.line_behind(around.between().last()?, &format!("drop({name});"))?);
    }
    let title = format!("keep the guard: lock `{}` once", code.text(first.lock));
    Some(Fix { title, certain: Certain::Yes, edits })
}

/// The two locks, when the task takes no other from the first on, and waits for nothing.
fn locks<'f>(torn: &Torn<'f>) -> Option<[&'f Step; 2]> {
    let is_lock = |step: &&&Step| matches!(step.kind, StepKind::Lock | StepKind::LockShared);
    let at = torn.steps.iter().position(|step| step.place.as_ref() == Some(torn.first))?;
    let first = torn.steps[..at].iter().rev().find(is_lock)?;
    let mut others = torn.steps[at..].iter().filter(is_lock);
    let (Some(last), None) = (others.next(), others.next()) else { return None };
    let waits = torn.steps[at..].iter().any(|step| {
        matches!(step.kind, StepKind::Suspend | StepKind::Join | StepKind::Wait | StepKind::Spawn)
    });
    (first.subject == last.subject && !waits).then_some([first, last])
}

fn guard<'a>(code: &Code<'a>, around: &Around<'a>, place: &SourcePlace, shared: bool) -> Option<Guard<'a>> {
    let path = code.find(around.between(), place)?;
    let (call, outer) = path.split_last()?;
    let Expr::MethodCall(locking) = call else { return None };
    if !runs_once(outer) || !is_place(&locking.receiver) || !locking.args.is_empty() {
        return None;
    }
    let mut whole = *call;
    let mut outer = outer.iter().rev().peekable();
    let mut sure = false;
    while let Some(next) = outer.next_if(|next| passes_on(next, whole)) {
        (whole, sure) = (*next, true);
    }
    let used = outer.next()?;
    let is_used = match used {
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::MethodCall(call) => {
            std::ptr::eq(&*call.receiver, whole)
                && (sure || !OF_RESULTS.iter().any(|name| call.method == name))
        }
        Expr::Field(_) | Expr::Index(_) => true,
        _ => false,
    };
    is_used.then_some(Guard { whole, lock: &locking.receiver, shared })
}

/// Whether an expression gives what comes of locking: the guard out of a `Result`, or of a future.
fn passes_on(expr: &Expr, of: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => {
            std::ptr::eq(&*call.receiver, of) && (call.method == "unwrap" || call.method == "expect")
        }
        Expr::Await(wait) => std::ptr::eq(&*wait.base, of),
        _ => false,
    }
}

/// Whether statements bind a name anew.
fn binds(code: &Code, stmts: &[Stmt], name: &str) -> bool {
    let lets = stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Local(local) => Some(code.text(&local.pat)),
        _ => None,
    });
    let assigned = stmts.iter().any(|stmt| squeezed(code.text(stmt)).starts_with(&format!("{name}=")));
    assigned
        || lets
            .into_iter()
            .any(|pattern| pattern.split(|c: char| !c.is_alphanumeric() && c != '_').any(|n| n == name))
}

/// Whether the guard may live up to the end of the last statement: what a block ends with may borrow from the guard longer than that lives.
fn ends_well(around: &Around) -> bool {
    let is_last = around.behind().is_empty();
    match around.between().last() {
        Some(Stmt::Expr(expr, None)) if is_last => {
            matches!(expr, Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Assign(_))
        }
        _ => true,
    }
}

/// A name for the guard that nothing there has.
fn free_name(name: &str, code: &Code, around: &Around) -> Option<String> {
    let name = name.trim_start_matches("r#").to_lowercase();
    let name = if name == "self" { "guard".to_owned() } else { name };
    let taken = code.names(&around.block.stmts[around.first..]);
    [name.clone(), format!("{name}_guard"), "guard".to_owned()]
        .into_iter()
        .find(|name| !taken.contains(&name.as_str()) && syn::parse_str::<syn::Ident>(name).is_ok())
}
