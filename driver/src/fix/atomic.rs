//! A load and a store of one atomic: one operation.

use syn::{BinOp, Expr, ExprMethodCall, Lit, Pat, Stmt, UnOp};

use super::syntax::{Around, Code, is_place, is_plain, runs_once, squeezed};
use super::{Certain, Edit, Fix, Torn};

/// A load and a store of the same place.
struct Pair<'a> {
    load: &'a ExprMethodCall,
    store: &'a ExprMethodCall,
    /// What is stored.
    value: &'a Expr,
    place: &'a str,
    /// The orderings, as written.
    loads: &'a str,
    stores: &'a str,
}

/// `fetch_update` for a new value, `compare_exchange` for a value that was checked.
pub(super) fn join(torn: &Torn, code: &Code) -> Option<Fix> {
    let around = code.around(torn.first, torn.last)?;
    let pair = pair(torn, code, &around)?;
    let update = update_of_variable(&pair, code, &around).or_else(|| update_in_place(&pair, code, &around));
    let (name, edits) = match update {
        Some(edits) => ("fetch_update", edits),
        None => {
            let edits =
                exchange_within(&pair, code, &around).or_else(|| exchange_behind(&pair, code, &around));
            ("compare_exchange", edits?)
        }
    };
    let title = format!("load and store in one operation: `{}.{name}(..)`", pair.place);
    Some(Fix { title, certain: Certain::Yes, edits })
}

fn pair<'a>(torn: &Torn, code: &Code<'a>, around: &Around<'a>) -> Option<Pair<'a>> {
    let find = |place| code.find(around.between(), place).filter(|path| runs_once(path));
    let (first, last) = (find(torn.first)?, find(torn.last)?);
    let (Some(Expr::MethodCall(load)), Some(Expr::MethodCall(store))) = (first.last(), last.last()) else {
        return None;
    };
    let (Some(loads), [value, stores]) = (load.args.first(), &store.args.iter().collect::<Vec<_>>()[..])
    else {
        return None;
    };
    let is_pair = load.method == "load"
        && store.method == "store"
        && load.args.len() == 1
        && is_place(&load.receiver)
        && squeezed(code.text(&load.receiver)) == squeezed(code.text(&store.receiver));
    let place = code.text(&load.receiver);
    let (loads, stores) = (code.text(loads), code.text(*stores));
    is_pair.then_some(Pair { load, store, value, place, loads, stores })
}

impl Pair<'_> {
    /// The update with a function of the old value.
    fn update(&self, old: &str, new: &str) -> String {
        let Pair { place, loads, stores, .. } = self;
        format!("let _ = {place}.fetch_update({stores}, {loads}, |{old}| Some({new}));")
    }

    /// The exchange of what is expected, if both are simple values.
    fn exchange(&self, expected: &str, code: &Code) -> Option<String> {
        let success = both(self.loads, self.stores)?;
        let new = matches!(self.value, Expr::Lit(_) | Expr::Path(_)).then(|| code.text(self.value))?;
        let Pair { place, loads, .. } = self;
        Some(format!("{place}.compare_exchange({expected}, {new}, {success}, {loads})"))
    }

    fn is_load(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::MethodCall(call) if std::ptr::eq(call, self.load))
    }

    fn is_store(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Expr(Expr::MethodCall(call), Some(_)) if std::ptr::eq(call, self.store))
    }

    /// What is loaded when a condition is true, and when it is false, as far as that is one value.
    fn values(&self, cond: &Expr, code: &Code) -> [Option<String>; 2] {
        let some = |text: &str| Some(text.to_owned());
        match cond {
            cond if self.is_load(cond) => [some("true"), some("false")],
            Expr::Unary(not) if matches!(not.op, UnOp::Not(_)) && self.is_load(&not.expr) => {
                [some("false"), some("true")]
            }
            Expr::Binary(compared) if self.is_load(&compared.left) && is_literal(&compared.right) => {
                let value = some(code.text(&compared.right));
                match compared.op {
                    BinOp::Eq(_) => [value, None],
                    BinOp::Ne(_) => [None, value],
                    _ => [None, None],
                }
            }
            _ => [None, None],
        }
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_) | Lit::Bool(_)))
}

/// `let n = a.load(..); a.store(n + 1, ..);`
fn update_of_variable(pair: &Pair, code: &Code, around: &Around) -> Option<Vec<Edit>> {
    let [first @ Stmt::Local(local), last] = around.between() else { return None };
    let Pat::Ident(pattern) = &local.pat else { return None };
    let is_form = pair.is_load(&local.init.as_ref()?.expr)
        && local.init.as_ref()?.diverge.is_none()
        && pattern.mutability.is_none()
        && pattern.by_ref.is_none()
        && pattern.subpat.is_none()
        && pair.is_store(last)
        && is_plain(pair.value);
    let name = pattern.ident.to_string();
    let used = |stmts: &[Stmt]| code.names(stmts).iter().filter(|used| **used == name).count();
    let new = code.text(pair.value);
    let within: usize = used(std::slice::from_ref(last));
    if !is_form || within == 0 || used(around.behind()) > 0 {
        return None;
    }
    Some(vec![code.replace_both(first, last, pair.update(&name, new))?])
}

/// `a.store(a.load(..) + 1, ..);`
fn update_in_place(pair: &Pair, code: &Code, around: &Around) -> Option<Vec<Edit>> {
    let [only] = around.between() else { return None };
    let name =
        ["value", "old", "current"].into_iter().find(|name| !code.names(around.between()).contains(name))?;
    let (load, value) = (code.text(pair.load), code.text(pair.value));
    let parts: Vec<&str> = value.split(load).collect();
    let [before, behind] = parts[..] else { return None };
    let new = format!("{before}{name}{behind}");
    let is_form = pair.is_store(only) && syn::parse_str::<Expr>(&new).is_ok_and(|new| is_plain(&new));
    is_form.then(|| vec![code.replace(only, pair.update(name, &new))])
}

/// `if !a.load(..) { a.store(true, ..); .. }`
fn exchange_within(pair: &Pair, code: &Code, around: &Around) -> Option<Vec<Edit>> {
    let [Stmt::Expr(Expr::If(branch), _)] = around.between() else { return None };
    let store = branch.then_branch.stmts.first().filter(|stmt| pair.is_store(stmt))?;
    let [expected, _] = pair.values(&branch.cond, code);
    let exchange = pair.exchange(&expected?, code)?;
    Some(vec![code.replace(&branch.cond, format!("{exchange}.is_ok()")), code.remove(store)])
}

/// `if a.load(..) { return; } a.store(true, ..);`
fn exchange_behind(pair: &Pair, code: &Code, around: &Around) -> Option<Vec<Edit>> {
    let [Stmt::Expr(Expr::If(branch), _), store] = around.between() else { return None };
    let leaves = match branch.then_branch.stmts.last()? {
        Stmt::Expr(last, _) => matches!(last, Expr::Return(_) | Expr::Break(_) | Expr::Continue(_)),
        _ => false,
    };
    let [_, expected] = pair.values(&branch.cond, code);
    if !leaves || branch.else_branch.is_some() || !pair.is_store(store) {
        return None;
    }
    let exchange = pair.exchange(&expected?, code)?;
    Some(vec![code.replace(&branch.cond, format!("{exchange}.is_err()")), code.remove(store)])
}

/// The ordering of an operation that loads with one and stores with the other.
fn both(loads: &str, stores: &str) -> Option<String> {
    let split = |text: &str| match text.rsplit_once("::") {
        Some((path, name)) => (format!("{path}::"), name.trim().to_owned()),
        None => (String::new(), text.trim().to_owned()),
    };
    let ((path, load), (_, store)) = (split(loads), split(stores));
    match (load.as_str(), store.as_str()) {
        (one, other) if one == other => Some(loads.to_owned()),
        ("SeqCst", _) | ("Acquire", "Relaxed") => Some(loads.to_owned()),
        (_, "SeqCst") | ("Relaxed", "Release") => Some(stores.to_owned()),
        // Where the type is named, so are its other variants.
        ("Acquire", "Release") if !path.is_empty() => Some(format!("{path}AcqRel")),
        _ => None,
    }
}
