//! A crate's own source: its modules, types and functions, as they are written.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::LineColumn;
use proc_macro2::TokenTree;
use quote::ToTokens;
use robust_analyzer::ir::SourcePlace;
use syn::spanned::Spanned;
use syn::{Item, Type};

use super::calls::is_later;

/// The modules of a crate; the first is its root.
pub struct CrateSource {
    pub modules: Vec<Module>,
    /// The files, each with its text.
    pub files: Vec<(PathBuf, String)>,
    /// Whether the crate has no standard library unless it asks for it.
    pub no_std: bool,
    /// Whether it is a program, whose `main` is called by another name.
    pub program: bool,
}

/// A module.
pub struct Module {
    /// Index of its file.
    pub file: usize,
    /// Where its text ends, when it is written inside a file of another one.
    pub end: Option<LineColumn>,
    pub items: Vec<Item>,
}

/// A type of the crate's own.
#[derive(Clone)]
pub struct OwnType<'s> {
    pub module: usize,
    pub name: String,
    pub generics: &'s syn::Generics,
    pub shape: Shape<'s>,
    pub derives_default: bool,
    pub derives_clone: bool,
}

#[derive(Clone)]
pub enum Shape<'s> {
    Struct(&'s syn::Fields),
    Enum(Vec<&'s syn::Variant>),
}

/// A function of the crate's own.
#[derive(Clone)]
pub struct OwnFunction<'s> {
    pub module: usize,
    pub signature: &'s syn::Signature,
    pub public: bool,
    /// The lines that it takes.
    pub lines: (usize, usize),
    /// The column behind its last letter, from 1.
    pub end_column: usize,
    /// The impl that it is in.
    pub of: Option<&'s syn::ItemImpl>,
}

impl OwnFunction<'_> {
    /// The name of the type that it is a method of.
    pub fn self_type(&self) -> Option<String> {
        type_name(&self.of?.self_ty)
    }

    pub fn name(&self) -> String {
        self.signature.ident.to_string()
    }

    /// Whether both are the function at one place.
    pub fn same(&self, other: &OwnFunction<'_>) -> bool {
        self.module == other.module && self.lines == other.lines && self.name() == other.name()
    }
}

impl CrateSource {
    /// Reads the crate with that root file. None when it is no Rust that can be read.
    pub fn read(root: &Path, program: bool) -> Option<CrateSource> {
        let mut krate = CrateSource { modules: Vec::new(), files: Vec::new(), no_std: false, program };
        let text = fs::read_to_string(root).ok()?;
        let file = syn::parse_file(&text).ok()?;
        krate.no_std = file.attrs.iter().any(|attribute| {
            let mut all = Vec::new();
            names(attribute.meta.to_token_stream(), &mut all);
            all.iter().any(|name| name == "no_std")
        });
        krate.files.push((root.to_owned(), text));
        let folder = root.parent()?.to_owned();
        krate.module(0, None, file.items, &folder);
        Some(krate)
    }

    /// Takes a module; the files of its modules are in that folder.
    fn module(&mut self, file: usize, end: Option<LineColumn>, items: Vec<Item>, folder: &Path) {
        let index = self.modules.len();
        self.modules.push(Module { file, end, items: Vec::new() });
        for item in &items {
            let Item::Mod(module) = item else { continue };
            if module.attrs.iter().any(is_for_tests) {
                continue;
            }
            let name = module.ident.to_string().trim_start_matches("r#").to_owned();
            match &module.content {
                Some((brace, items)) => {
                    let end = brace.span.close().start();
                    self.module(file, Some(end), items.clone(), &folder.join(&name));
                }
                None => self.module_file(file, &name, &module.attrs, folder),
            }
        }
        self.modules[index].items = items;
    }

    fn module_file(&mut self, parent: usize, name: &str, attributes: &[syn::Attribute], folder: &Path) {
        let beside = self.files[parent].0.parent().unwrap_or(Path::new("")).to_owned();
        let (path, below) = match attributes.iter().find_map(path_attribute) {
            Some(path) => {
                let path = beside.join(path);
                let below = path.parent().unwrap_or(&beside).to_owned();
                (path, below)
            }
            None => {
                let flat = folder.join(format!("{name}.rs"));
                let path = if flat.is_file() { flat } else { folder.join(name).join("mod.rs") };
                (path, folder.join(name))
            }
        };
        let Ok(text) = fs::read_to_string(&path) else { return };
        let Ok(file) = syn::parse_file(&text) else { return };
        self.files.push((path, text));
        let index = self.files.len() - 1;
        self.module(index, None, file.items, &below);
    }

    /// All types.
    pub fn types(&self) -> Vec<OwnType<'_>> {
        let mut all = Vec::new();
        for (module, of) in self.modules.iter().enumerate() {
            for item in &of.items {
                let (name, generics, shape, attributes) = match item {
                    Item::Struct(item) => {
                        (&item.ident, &item.generics, Shape::Struct(&item.fields), &item.attrs)
                    }
                    Item::Enum(item) => {
                        let variants = item.variants.iter().collect();
                        (&item.ident, &item.generics, Shape::Enum(variants), &item.attrs)
                    }
                    _ => continue,
                };
                let derives = |name: &str| attributes.iter().any(|attribute| derives(attribute, name));
                all.push(OwnType {
                    module,
                    name: name.to_string(),
                    generics,
                    shape,
                    derives_default: derives("Default"),
                    derives_clone: derives("Clone"),
                });
            }
        }
        all
    }

    /// All functions that are no declarations.
    pub fn functions(&self) -> Vec<OwnFunction<'_>> {
        let mut all = Vec::new();
        for (module, of) in self.modules.iter().enumerate() {
            for item in &of.items {
                match item {
                    Item::Fn(item) => all.push(OwnFunction {
                        module,
                        signature: &item.sig,
                        public: is_public(&item.vis),
                        lines: lines_of(item),
                        end_column: item.span().end().column + 1,
                        of: None,
                    }),
                    Item::Impl(of) => {
                        let functions = of.items.iter().filter_map(|item| match item {
                            syn::ImplItem::Fn(item) => Some(item),
                            _ => None,
                        });
                        all.extend(functions.map(|item| OwnFunction {
                            module,
                            signature: &item.sig,
                            public: is_public(&item.vis),
                            lines: lines_of(item),
                            end_column: item.span().end().column + 1,
                            of: Some(of),
                        }));
                    }
                    _ => {}
                }
            }
        }
        all
    }

    /// A program's `main`.
    pub fn main(&self) -> Option<OwnFunction<'_>> {
        let is_main = |function: &OwnFunction<'_>| {
            function.module == 0 && function.of.is_none() && function.name() == "main"
        };
        if self.program { self.functions().into_iter().find(is_main) } else { None }
    }

    /// What a name of a type without parameters of its own stands for.
    pub fn alias(&self, name: &syn::Ident) -> Option<&Type> {
        self.modules.iter().flat_map(|module| &module.items).find_map(|item| match item {
            Item::Type(item) if item.ident == *name && item.generics.params.is_empty() => Some(&*item.ty),
            _ => None,
        })
    }

    /// The types that implement a trait of that name.
    pub fn implementors(&self, name: &str) -> Vec<(usize, Type)> {
        let mut all = Vec::new();
        for (module, of) in self.modules.iter().enumerate() {
            for item in &of.items {
                let Item::Impl(item) = item else { continue };
                let Some((_, path, _)) = &item.trait_ else { continue };
                if path.segments.last().is_some_and(|last| last.ident == name) {
                    all.push((module, (*item.self_ty).clone()));
                }
            }
        }
        all
    }

    /// The function that is written at that place, or whose future is. A closure in it ends elsewhere, and is none.
    pub fn function_at(&self, file: &Path, place: &SourcePlace) -> Option<OwnFunction<'_>> {
        let file = file.canonicalize().ok()?;
        let line = place.line as usize;
        self.smallest(|function| {
            let (own, _) = &self.files[self.modules[function.module].file];
            (function.lines.0..=function.lines.1).contains(&line)
                && (function.lines.1, function.end_column)
                    == (place.end_line as usize, place.end_column as usize)
                && own.canonicalize().is_ok_and(|own| own == file)
        })
    }

    /// The function that is called for the event at that place: the one that is written there, or the one that returns the future which is.
    pub fn event_at(&self, file: &Path, place: &SourcePlace) -> Option<OwnFunction<'_>> {
        self.function_at(file, place).or_else(|| {
            let file = self.file_at(file)?;
            let text = self.files[file].1.lines().nth((place.line as usize).checked_sub(1)?)?;
            let rest: String = text.chars().skip((place.column as usize).saturating_sub(1)).collect();
            if !rest.starts_with("async") {
                return None;
            }
            self.smallest(|function| {
                function.signature.asyncness.is_none()
                    && is_later(function)
                    && self.is_around(function, file, place)
            })
        })
    }

    /// The function in which something is written at that place.
    pub fn around(&self, file: &Path, place: &SourcePlace) -> Option<OwnFunction<'_>> {
        let file = self.file_at(file)?;
        self.smallest(|function| self.is_around(function, file, place))
    }

    /// The file with that path, by number.
    fn file_at(&self, file: &Path) -> Option<usize> {
        let file = file.canonicalize().ok()?;
        self.files.iter().position(|(own, _)| own.canonicalize().is_ok_and(|own| own == file))
    }

    fn is_around(&self, function: &OwnFunction<'_>, file: usize, place: &SourcePlace) -> bool {
        self.modules[function.module].file == file
            && function.lines.0 <= place.line as usize
            && (place.end_line as usize, place.end_column as usize) < (function.lines.1, function.end_column)
    }

    /// The one of these functions that takes the fewest lines.
    fn smallest(&self, is_wanted: impl Fn(&OwnFunction<'_>) -> bool) -> Option<OwnFunction<'_>> {
        let all = self.functions().into_iter().filter(|function| is_wanted(function));
        all.min_by_key(|function| function.lines.1 - function.lines.0)
    }
}

/// The last name of a path type, references and parentheses left out.
pub fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        Type::Reference(reference) => type_name(&reference.elem),
        Type::Paren(inner) => type_name(&inner.elem),
        Type::Group(inner) => type_name(&inner.elem),
        _ => None,
    }
}

/// The names in a piece of source.
pub fn names(tokens: proc_macro2::TokenStream, into: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => into.push(ident.to_string()),
            TokenTree::Group(group) => names(group.stream(), into),
            _ => {}
        }
    }
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

fn lines_of(item: &impl Spanned) -> (usize, usize) {
    (item.span().start().line, item.span().end().line)
}

fn is_for_tests(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    list.path.is_ident("cfg") && list.tokens.to_string() == "test"
}

fn derives(attribute: &syn::Attribute, wanted: &str) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let mut all = Vec::new();
    names(list.tokens.clone(), &mut all);
    list.path.is_ident("derive") && all.iter().any(|name| name == wanted)
}

fn path_attribute(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) if pair.path.is_ident("path") => {
            Some(text.value())
        }
        _ => None,
    }
}
