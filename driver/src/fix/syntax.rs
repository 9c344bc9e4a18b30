//! The syntax around two accesses: where they stand, and what runs between them.

use proc_macro2::Span;
use ra_ap_rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use robust_analyzer::ir::SourcePlace;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, Member, Stmt, UnOp};

use super::Edit;
use crate::report::Source;

/// Methods that neither lock nor wait, whatever they are called on, by what is called so in the standard library.
const HARMLESS: [&str; 30] = [
    "as_deref",
    "as_mut",
    "as_ref",
    "as_str",
    "checked_add",
    "checked_sub",
    "clone",
    "cloned",
    "copied",
    "get",
    "into",
    "is_empty",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "len",
    "max",
    "min",
    "saturating_add",
    "saturating_mul",
    "saturating_sub",
    "to_owned",
    "to_string",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "wrapping_add",
    "wrapping_mul",
    "wrapping_sub",
];

/// Line and column, from 1.
type Spot = (u32, u32);

/// A source file.
pub(super) struct Code<'a> {
    file: &'a syn::File,
    source: &'a Source,
    name: &'a str,
}

/// The innermost block that two places are in, and their statements.
pub(super) struct Around<'a> {
    pub block: &'a Block,
    pub first: usize,
    pub last: usize,
}

impl<'a> Around<'a> {
    /// The statements from the one to the other.
    pub fn between(&self) -> &'a [Stmt] {
        &self.block.stmts[self.first..=self.last]
    }

    /// What comes behind them.
    pub fn behind(&self) -> &'a [Stmt] {
        &self.block.stmts[self.last + 1..]
    }
}

impl<'a> Code<'a> {
    pub fn new(file: &'a syn::File, source: &'a Source, name: &'a str) -> Code<'a> {
        Code { file, source, name }
    }

    /// The statements that two places are in.
    pub fn around(&self, first: &SourcePlace, last: &SourcePlace) -> Option<Around<'a>> {
        struct Blocks<'a> {
            spots: [Spot; 2],
            found: Option<Around<'a>>,
        }
        impl<'a> Visit<'a> for Blocks<'a> {
            fn visit_block(&mut self, block: &'a Block) {
                let of = |spot: Spot| {
                    block.stmts.iter().position(|stmt| {
                        let (start, end) = spots(stmt.span());
                        start <= spot && spot < end
                    })
                };
                if let (Some(first), Some(last)) = (of(self.spots[0]), of(self.spots[1])) {
                    self.found = Some(Around { block, first, last });
                    visit::visit_block(self, block);
                } else {
                    // A function within a function is elsewhere.
                    visit::visit_block(self, block);
                }
            }
        }
        let spot = |place: &SourcePlace| (place.line, place.column);
        let mut blocks = Blocks { spots: [spot(first), spot(last)], found: None };
        blocks.visit_file(self.file);
        blocks.found.filter(|around| around.first <= around.last)
    }

    /// The expression of exactly that place, with all that it is part of, the outermost first.
    pub fn find(&self, stmts: &'a [Stmt], place: &SourcePlace) -> Option<Vec<&'a Expr>> {
        struct Finder<'a> {
            wanted: (Spot, Spot),
            path: Vec<&'a Expr>,
            found: Option<Vec<&'a Expr>>,
        }
        impl<'a> Visit<'a> for Finder<'a> {
            fn visit_expr(&mut self, expr: &'a Expr) {
                self.path.push(expr);
                if self.found.is_none() && spots(expr.span()) == self.wanted {
                    self.found = Some(self.path.clone());
                }
                visit::visit_expr(self, expr);
                self.path.pop();
            }
        }
        let wanted = ((place.line, place.column), (place.end_line, place.end_column));
        let mut finder = Finder { wanted, path: Vec::new(), found: None };
        stmts.iter().for_each(|stmt| finder.visit_stmt(stmt));
        finder.found
    }

    /// The text of a part of the file.
    pub fn text(&self, part: &impl Spanned) -> &'a str {
        let range = self.source.range(&self.place(part.span()));
        range.and_then(|range| self.source.text().get(range)).unwrap_or_default()
    }

    /// Puts other text in the place of a part.
    pub fn replace(&self, part: &impl Spanned, text: impl Into<String>) -> Edit {
        Edit { place: self.place(part.span()), text: text.into() }
    }

    /// Puts other text in the place of two statements, when there is nothing between them.
    pub fn replace_both(&self, first: &Stmt, second: &Stmt, text: impl Into<String>) -> Option<Edit> {
        let (first, second) = (self.place(first.span()), self.place(second.span()));
        let between = self.source.range(&first)?.end..self.source.range(&second)?.start;
        let is_blank = self.source.text().get(between)?.trim().is_empty();
        let place = SourcePlace { end_line: second.end_line, end_column: second.end_column, ..first };
        is_blank.then(|| Edit { place, text: text.into() })
    }

    /// Puts a line before a statement.
    pub fn line_before(&self, stmt: &Stmt, line: &str) -> Option<Edit> {
        let place = self.place(stmt.span());
        let text = self.source.line(place.line)?;
        let indent: String = text.chars().take(place.column as usize - 1).collect();
        let at = SourcePlace { end_line: place.line, end_column: place.column, ..place };
        indent.trim().is_empty().then(|| Edit { place: at, text: format!("{line}\n{indent}") })
    }

    /// Puts a line behind a statement.
    pub fn line_behind(&self, stmt: &Stmt, line: &str) -> Option<Edit> {
        let place = self.place(stmt.span());
        let indent: String = self.source.line(place.line)?.chars().take(place.column as usize - 1).collect();
        let (line_number, column) = (place.end_line, place.end_column);
        let at = SourcePlace { line: line_number, column, ..place };
        indent.trim().is_empty().then(|| Edit { place: at, text: format!("\n{indent}{line}") })
    }

    /// Takes a statement away, with its line when it has that for itself.
    pub fn remove(&self, stmt: &Stmt) -> Edit {
        let mut place = self.place(stmt.span());
        let columns = |line: u32| self.source.line(line).map(|text| text.chars().count() as u32 + 1);
        let is_blank = |line: u32, from: u32, to: u32| {
            let text = self.source.line(line).unwrap_or_default();
            text.chars().skip(from as usize - 1).take((to - from) as usize).all(char::is_whitespace)
        };
        if let (Some(before), Some(end)) = (columns(place.line - 1), columns(place.end_line))
            && is_blank(place.line, 1, place.column)
            && is_blank(place.end_line, place.end_column, end)
        {
            (place.line, place.column, place.end_column) = (place.line - 1, before, end);
        }
        Edit { place, text: String::new() }
    }

    /// The names that code uses for itself: identifiers other than fields and methods.
    pub fn names(&self, stmts: &[Stmt]) -> Vec<&'a str> {
        stmts.iter().flat_map(|stmt| names(self.text(stmt))).collect()
    }

    fn place(&self, span: Span) -> SourcePlace {
        let ((line, column), (end_line, end_column)) = spots(span);
        SourcePlace { file: self.name.to_owned(), line, column, end_line, end_column }
    }
}

fn spots(span: Span) -> (Spot, Spot) {
    let spot = |at: proc_macro2::LineColumn| (at.line as u32, at.column as u32 + 1);
    (spot(span.start()), spot(span.end()))
}

fn names(text: &str) -> Vec<&str> {
    let (mut offset, mut after_dot, mut names) = (0, false, Vec::new());
    for token in tokenize(text, FrontmatterAllowed::No) {
        let own = &text[offset..offset + token.len as usize];
        offset += token.len as usize;
        match token.kind {
            TokenKind::Whitespace | TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {
                continue;
            }
            TokenKind::Ident if !after_dot => names.push(own),
            _ => {}
        }
        after_dot = token.kind == TokenKind::Dot;
    }
    names
}

/// Whether an expression names a place that is the same whenever it is asked for: `self.a.b`, `STOCK`.
pub(super) fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(path) => path.qself.is_none(),
        Expr::Field(field) => is_place(&field.base),
        _ => false,
    }
}

/// The variable that a place begins with, and what its last part is called.
pub(super) fn ends(place: &Expr) -> Option<(String, String)> {
    match place {
        Expr::Path(path) => {
            let name = path.path.segments.last()?.ident.to_string();
            let root = path.path.get_ident().map_or_else(String::new, ToString::to_string);
            Some((root, name))
        }
        Expr::Field(field) => {
            let (root, before) = ends(&field.base)?;
            match &field.member {
                Member::Named(name) => Some((root, name.to_string())),
                Member::Unnamed(_) => Some((root, before)),
            }
        }
        _ => None,
    }
}

/// Text without its white space: for comparing places.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether code runs once, where it stands: not later, and not in rounds.
pub(super) fn runs_once(path: &[&Expr]) -> bool {
    let elsewhere = |expr: &&Expr| {
        matches!(
            expr,
            Expr::Async(_)
                | Expr::Closure(_)
                | Expr::ForLoop(_)
                | Expr::Loop(_)
                | Expr::While(_)
                | Expr::Const(_)
        )
    };
    !path.iter().any(elsewhere)
}

/// Whether statements, apart from what is done with these expressions, call nothing that could lock or wait.
pub(super) fn is_quiet(stmts: &[Stmt], apart: &[&Expr]) -> bool {
    let mut quiet = Quiet { apart, holds: true };
    stmts.iter().for_each(|stmt| quiet.visit_stmt(stmt));
    quiet.holds
}

/// Whether an expression calls nothing.
pub(super) fn is_plain(expr: &Expr) -> bool {
    let mut quiet = Quiet { apart: &[], holds: true };
    quiet.visit_expr(expr);
    quiet.holds
}

fn makes_value(call: &ExprCall) -> bool {
    let Expr::Path(path) = &*call.func else { return false };
    let Some(last) = path.path.segments.last().map(|last| last.ident.to_string()) else { return false };
    last.starts_with(char::is_uppercase)
        || last == "from" && call.args.iter().all(|arg| matches!(arg, Expr::Lit(_)))
}

struct Quiet<'q> {
    apart: &'q [&'q Expr],
    holds: bool,
}

impl Quiet<'_> {
    /// Whether an expression is one of those apart, or something that is done with it.
    fn is_apart(&self, expr: &Expr) -> bool {
        let mut at = expr;
        loop {
            if self.apart.iter().any(|apart| std::ptr::eq(*apart, at)) {
                return true;
            }
            at = match at {
                Expr::MethodCall(call) => &call.receiver,
                Expr::Field(field) => &field.base,
                Expr::Paren(inner) => &inner.expr,
                Expr::Try(inner) => &inner.expr,
                Expr::Unary(inner) if matches!(inner.op, UnOp::Deref(_)) => &inner.expr,
                _ => return false,
            };
        }
    }
}

impl<'ast> Visit<'ast> for Quiet<'_> {
    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        self.holds &= matches!(stmt, Stmt::Local(_) | Stmt::Expr(..));
        visit::visit_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        if self.is_apart(expr) {
            return;
        }
        self.holds &= match expr {
            Expr::MethodCall(call) => HARMLESS.iter().any(|name| call.method == name),
            // A variant, or a struct, is made; or a value from a literal.
            Expr::Call(call) => makes_value(call),
            Expr::Async(_)
            | Expr::Await(_)
            | Expr::Closure(_)
            | Expr::ForLoop(_)
            | Expr::Loop(_)
            | Expr::Macro(_)
            | Expr::Unsafe(_)
            | Expr::Verbatim(_)
            | Expr::While(_)
            | Expr::Yield(_) => false,
            _ => true,
        };
        visit::visit_expr(self, expr);
    }
}
