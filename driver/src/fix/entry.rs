//! A look into a map that needs no lock, and an insertion: one operation on the entry.

use syn::{Expr, Stmt, UnOp};

use super::syntax::{Code, is_place, is_plain, runs_once, squeezed};
use super::{Certain, Fix, Torn};

/// `if !map.contains_key(&key) { map.insert(key, value); }` is `map.entry(key).or_insert(value);`.
pub(super) fn join(torn: &Torn, code: &Code) -> Option<Fix> {
    let around = code.around(torn.first, torn.last)?;
    let [Stmt::Expr(whole @ Expr::If(branch), _)] = around.between() else { return None };
    let (first, last) = (code.find(around.between(), torn.first)?, code.find(around.between(), torn.last)?);
    let (Some(Expr::MethodCall(look)), Some(Expr::MethodCall(insert))) = (first.last(), last.last()) else {
        return None;
    };
    let Expr::Unary(not) = &*branch.cond else { return None };
    let [Stmt::Expr(Expr::MethodCall(only), Some(_))] = &branch.then_branch.stmts[..] else { return None };
    let is_form = matches!(not.op, UnOp::Not(_))
        && matches!(&*not.expr, Expr::MethodCall(call) if std::ptr::eq(call, look))
        && std::ptr::eq(only, insert)
        && branch.else_branch.is_none()
        && runs_once(&last)
        && look.method == "contains_key"
        && insert.method == "insert"
        && is_place(&look.receiver)
        && squeezed(code.text(&look.receiver)) == squeezed(code.text(&insert.receiver));
    let (true, Some(Expr::Reference(looked)), [key, value]) =
        (is_form, look.args.first(), &insert.args.iter().collect::<Vec<_>>()[..])
    else {
        return None;
    };
    let looked = squeezed(code.text(&looked.expr));
    let inserted = squeezed(code.text(*key));
    if inserted != looked && inserted != format!("{looked}.clone()") || !is_plain(value) {
        return None;
    }
    let map = code.text(&look.receiver);
    let text = format!("{map}.entry({}).or_insert({});", code.text(*key), code.text(*value));
    let title = format!("look and insert in one operation: `{map}.entry(..).or_insert(..)`");
    Some(Fix { title, certain: Certain::No, edits: vec![code.replace(whole, text)] })
}
