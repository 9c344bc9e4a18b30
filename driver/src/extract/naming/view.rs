//! What names stand for where an impl is.

use std::collections::BTreeMap;

use super::show;
use super::source::{Header, PRELUDE, Sources, is_one_of, main_path};

/// Aliases of aliases of aliases are not followed further.
const MAX_DEPTH: u32 = 4;

/// What can be seen from a place.
pub(super) struct View<'a> {
    sources: &'a Sources,
    header: &'a Header,
    /// The path to the impl.
    around: &'a [String],
    scope: usize,
    /// In an alias: what its parameters are.
    given: BTreeMap<String, String>,
    depth: u32,
}

/// What is known of a name.
enum Known<'a> {
    /// It is declared in the innermost scope, or in one around it.
    Declared { innermost: bool },
    /// It is imported.
    Imported(&'a [String]),
    /// Something else in scope has to be it. Nothing is known of what glob imports bring.
    Elsewhere { glob: bool },
}

/// What a path of an impl's header names.
enum Named<'a> {
    /// What was declared by this name.
    Item(String),
    /// An alias of the crate.
    Alias(&'a str),
    /// A `Result` of std with an error of its own, `fmt::Result` or `io::Result<T>`.
    Result,
}

impl<'a> View<'a> {
    /// What an impl's header sees.
    pub fn new(sources: &'a Sources, header: &'a Header, around: &'a [String]) -> View<'a> {
        View { sources, header, around, scope: header.scope, given: BTreeMap::new(), depth: 0 }
    }

    /// What `Self` is.
    pub fn own_type(&self) -> Option<String> {
        (self.depth == 0).then(|| show::ty(&self.header.ty, self))?
    }

    /// What a parameter of an alias is.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    /// `T::Item` as `<T as Iterator>::Item`, when `T` has to implement that one trait.
    pub fn associated(&self, path: &syn::Path) -> Option<String> {
        let (first, item) = (path.segments.first()?, path.segments.last()?);
        let bounds = self.header.params.get(&first.ident.to_string()).filter(|_| self.depth == 0)?;
        let [only] = &bounds[..] else { return None };
        let tr = show::path(only, self).filter(|_| path.segments.len() == 2 && item.arguments.is_none())?;
        Some(format!("<{} as {tr}>::{}", first.ident, item.ident))
    }

    /// The type an alias stands for, if a path names one; the inner option is none if that cannot be told.
    pub fn alias(&self, path: &syn::Path, arguments: &[String]) -> Option<Option<String>> {
        match self.named(path)? {
            Named::Item(_) => None,
            Named::Alias(name) => Some(self.aliased(name, arguments)),
            Named::Result => Some(match arguments {
                [] => Some("Result<(), Error>".to_owned()),
                [good] => Some(format!("Result<{good}, Error>")),
                _ => None,
            }),
        }
    }

    fn aliased(&self, name: &str, arguments: &[String]) -> Option<String> {
        let alias = self.sources.aliases.get(name)?.as_ref()?;
        let known = alias.params.len() == arguments.len() && self.depth < MAX_DEPTH;
        let given = alias.params.iter().cloned().zip(arguments.iter().cloned()).collect();
        let inside = View { scope: alias.scope, given, depth: self.depth + 1, ..*self };
        known.then(|| show::ty(&alias.ty, &inside))?
    }

    /// The name that the last part of a path was declared with; none when that is not sure, and for aliases.
    pub fn declared_name(&self, path: &syn::Path) -> Option<String> {
        match self.named(path)? {
            Named::Item(name) => Some(name),
            Named::Alias(_) | Named::Result => None,
        }
    }

    /// How many parameters a type of the crate has, and which are meant when none are given.
    pub fn params(&self, name: &str) -> Option<&'a [Option<syn::Type>]> {
        self.sources.params.get(name).map(Vec::as_slice)
    }

    fn named(&self, path: &syn::Path) -> Option<Named<'a>> {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        let (name, before) = parts.split_last()?;
        let Some(first) = before.first() else {
            if self.is_param(name) {
                return Some(Named::Item(name.clone()));
            }
            return match self.known(name) {
                Known::Declared { .. } => Some(Named::Item(name.clone())),
                Known::Imported(path) => self.imported(path),
                Known::Elsewhere { glob } => self.unnamed(name, glob),
            };
        };
        if first == "Self" || self.is_param(first) {
            return None;
        }
        match self.known(first) {
            Known::Imported(path) => {
                let whole: Vec<String> = path.iter().chain(&parts[1..]).cloned().collect();
                self.imported(&whole)
            }
            _ => self.imported(&parts),
        }
    }

    fn is_param(&self, name: &str) -> bool {
        if self.depth == 0 { self.header.params.contains_key(name) } else { self.given.contains_key(name) }
    }

    /// What has this path.
    fn imported(&self, path: &[String]) -> Option<Named<'a>> {
        let (first, name) = (path.first()?, path.last()?);
        if matches!(&**first, "std" | "core" | "alloc") {
            let within = |module: &str| name == "Result" && path.iter().any(|part| part == module);
            if within("thread") {
                return None;
            }
            let alias = within("io") || within("fmt");
            return Some(if alias { Named::Result } else { Named::Item(name.clone()) });
        }
        let own = matches!(&**first, "crate" | "self" | "super")
            || self.sources.modules.contains(first)
            || self.sources.types.contains(first);
        if own { self.named_by_path(name, path.iter().rev().nth(1)) } else { Some(Named::Item(name.clone())) }
    }

    /// An item of the crate that is named with the module before it.
    fn named_by_path(&self, name: &str, module: Option<&String>) -> Option<Named<'a>> {
        let declared = self.sources.types.contains(name);
        if let Some((name, alias)) = self.sources.aliases.get_key_value(name) {
            // There may be something else by the name in another module, given out by this one.
            let there = alias.as_ref().is_some_and(|alias| match module.map(String::as_str) {
                Some("crate") => alias.module.is_empty(),
                Some("self") => alias.scope == self.scope,
                Some("super") => true,
                Some(module) => alias.module == module,
                None => false,
            });
            return (there && !declared).then_some(Named::Alias(name));
        }
        match self.sources.renamed.get(name) {
            Some((old, true)) => old.clone().filter(|_| !declared).map(Named::Item),
            _ => Some(Named::Item(name.to_owned())),
        }
    }

    /// What is neither declared nor imported by its name here: an alias, something that comes with all that is in another
    /// module, or something of the prelude.
    fn unnamed(&self, name: &str, glob: bool) -> Option<Named<'a>> {
        let declared = self.sources.types.contains(name);
        if let Some((name, alias)) = self.sources.aliases.get_key_value(name) {
            let scope = alias.as_ref().map(|alias| alias.scope);
            return match scope {
                Some(scope) if self.sees(scope) => Some(Named::Alias(name)),
                Some(_) if !glob => Some(Named::Item(name.clone())),
                _ => None,
            };
        }
        match self.sources.renamed.get(name) {
            Some((old, _)) if glob => old.clone().filter(|_| !declared).map(Named::Item),
            _ => Some(Named::Item(name.to_owned())),
        }
    }

    /// Whether a scope is this one or one around it.
    fn sees(&self, scope: usize) -> bool {
        let mut at = Some(self.scope);
        while let Some(this) = at {
            if this == scope {
                return true;
            }
            at = self.sources.scopes[this].parent;
        }
        false
    }

    fn known(&self, name: &str) -> Known<'a> {
        let sources = self.sources;
        let mut at = Some(self.scope);
        let mut glob = false;
        while let Some(scope) = at.map(|at| &sources.scopes[at]) {
            if scope.declared.contains(name) {
                return Known::Declared { innermost: at == Some(self.scope) };
            }
            if let Some(path) = scope.imported.get(name) {
                return Known::Imported(path);
            }
            glob |= scope.glob;
            at = scope.parent;
        }
        Known::Elsewhere { glob }
    }

    /// Whether a path is that of an item declared where the impl is; none when that is not sure.
    pub fn is_here(&self, path: &syn::Path) -> Option<bool> {
        if let Some(Named::Alias(name)) = self.named(path) {
            let alias = self.sources.aliases.get(name)?.as_ref()?;
            let inside = View { given: BTreeMap::new(), depth: self.depth + 1, ..*self };
            let sure = alias.scope == self.scope && self.depth < MAX_DEPTH;
            return sure.then(|| inside.is_here(main_path(&alias.ty)?))?;
        }
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        Some(match &parts[..] {
            [name] if self.is_param(name) => false,
            [name] => match self.known(name) {
                Known::Declared { innermost } => innermost,
                Known::Imported(_) => false,
                // Something that a macro declares.
                Known::Elsewhere { glob } => !glob && !is_one_of(PRELUDE, name),
            },
            [first, .., _] if first == "crate" => parts[1..parts.len() - 1] == *self.around,
            [first, name] if first == "self" => {
                matches!(self.known(name), Known::Declared { innermost: true })
            }
            _ => false,
        })
    }
}
