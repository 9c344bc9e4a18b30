//! Walking through a file.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::visit::{self, Visit};
use syn::{GenericParam, ImplItem, ItemImpl, TypeParamBound, UseTree};

use super::source::{Alias, Header, Method, Place, Scope, Sources, is_one_of};

/// Traits that `derive` knows without a procedural macro.
const DERIVED: &str = "Clone Copy Debug Default Eq Hash Ord PartialEq PartialOrd";

/// Traits without associated types.
const WITHOUT_TYPES: &str = "Clone Copy Debug Default Display Eq Hash Ord PartialEq Send Sized Sync Unpin";

/// Whether `derive` knows a trait without a procedural macro.
pub(super) fn is_derived(name: &str) -> bool {
    is_one_of(DERIVED, name)
}

/// Notes what a file declares.
pub(super) struct Reader<'a> {
    pub sources: &'a mut Sources,
    pub file: &'a str,
    /// The places that are asked for.
    pub places: &'a BTreeSet<Place>,
    /// Where in the sources' scopes we are.
    pub scope: usize,
    /// The module's name.
    pub module: String,
    /// The number of the impl around.
    pub within: Option<usize>,
}

impl Reader<'_> {
    fn scope(&mut self) -> &mut Scope {
        &mut self.sources.scopes[self.scope]
    }

    /// Does something in a scope of its own.
    fn within(&mut self, is_module: bool, inner: impl FnOnce(&mut Self)) {
        let around = self.scope;
        self.sources.scopes.push(Scope { parent: (!is_module).then_some(around), ..Scope::default() });
        self.scope = self.sources.scopes.len() - 1;
        inner(self);
        self.scope = around;
    }

    fn declare(&mut self, name: &syn::Ident) {
        self.scope().declared.insert(name.to_string());
        self.sources.types.insert(name.to_string());
    }

    fn adt(&mut self, name: &syn::Ident, generics: &syn::Generics, attributes: &[syn::Attribute]) {
        self.declare(name);
        self.derives(attributes, name, generics);
        let params = generics.params.iter().filter_map(|param| match param {
            GenericParam::Type(param) => Some(param.default.clone()),
            GenericParam::Const(_) => Some(None),
            GenericParam::Lifetime(_) => None,
        });
        self.sources.params.insert(name.to_string(), params.collect());
    }

    fn own(&mut self, name: &syn::Ident) {
        self.declare(name);
        self.sources.owners.insert(name.to_string());
    }

    /// The place of something, if that is asked for.
    fn asked(&self, at: LineColumn) -> Option<Place> {
        let place = Place { file: self.file.to_owned(), line: at.line, column: at.column };
        self.places.contains(&place).then_some(place)
    }

    /// Notes an impl; gives its number.
    fn header(&mut self, item: &ItemImpl) -> usize {
        let starts = [
            Some(item.impl_token.span),
            item.unsafety.map(|token| token.span),
            item.defaultness.map(|token| token.span),
        ];
        let place = starts.into_iter().flatten().find_map(|span| self.asked(span.start()));
        let items = item.items.iter().map(|part| match part {
            ImplItem::Fn(method) => Some((method.sig.ident.to_string(), method.sig.receiver().is_some())),
            ImplItem::Const(item) => Some((item.ident.to_string(), false)),
            ImplItem::Type(item) => Some((item.ident.to_string(), false)),
            _ => None,
        });
        let header = Header {
            scope: self.scope,
            tr: item.trait_.as_ref().map(|(_, path, _)| path.clone()),
            ty: (*item.self_ty).clone(),
            params: params(&item.generics),
            items: items.collect(),
        };
        self.add(header, place)
    }

    fn add(&mut self, header: Header, place: Option<Place>) -> usize {
        let number = self.sources.headers.len();
        self.sources.headers.push(header);
        self.sources.impls.extend(place.map(|place| (place, number)));
        number
    }

    /// The traits that are derived for a type.
    fn derives(&mut self, attributes: &[syn::Attribute], name: &syn::Ident, generics: &syn::Generics) {
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            let _ = attribute.parse_nested_meta(|meta| {
                let start = meta.path.segments.first().map(|part| part.ident.span().start());
                let known = meta.path.segments.last().is_some_and(|part| is_derived(&part.ident.to_string()));
                if let Some(place) = start.filter(|_| known).and_then(|start| self.asked(start)) {
                    let arguments = generics.split_for_impl().1;
                    let ty = syn::parse_quote!(#name #arguments);
                    let (scope, params) = (self.scope, params(generics));
                    let header = Header { scope, tr: Some(meta.path), ty, params, items: None };
                    self.add(header, Some(place));
                }
                Ok(())
            });
        }
    }

    fn import(&mut self, tree: &UseTree, before: &mut Vec<String>, public: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, public);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before, public)),
            UseTree::Glob(_) => self.scope().glob = true,
            UseTree::Name(name) => self.imported(&name.ident, &name.ident, before),
            UseTree::Rename(rename) => {
                self.imported(&rename.rename, &rename.ident, before);
                let (new, old) = (rename.rename.to_string(), rename.ident.to_string());
                let known = self.sources.renamed.entry(new).or_insert_with(|| (Some(old.clone()), false));
                if known.0.as_ref() != Some(&old) {
                    known.0 = None;
                }
                known.1 |= public;
            }
        }
    }

    fn imported(&mut self, name: &syn::Ident, of: &syn::Ident, before: &[String]) {
        let mut path = before.to_vec();
        // `use a::b::{self}` is `use a::b`.
        if of != "self" {
            path.push(of.to_string());
        }
        let name = if name == "self" { path.last().cloned().unwrap_or_default() } else { name.to_string() };
        self.scope().imported.insert(name, path);
    }

    /// What is handed to a macro: items, mostly, that it adds something to. Otherwise words that look like declarations are.
    fn tokens(&mut self, tokens: &TokenStream) {
        if let Ok(file) = syn::parse2::<syn::File>(tokens.clone())
            && !file.items.is_empty()
        {
            return self.visit_file(&file);
        }
        if let Ok(statements) = syn::Block::parse_within.parse2(tokens.clone()) {
            return statements.iter().for_each(|statement| self.visit_stmt(statement));
        }
        let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
        // Where the attributes of what comes next begin.
        let mut start = 0;
        for (index, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => self.tokens(&group.stream()),
                TokenTree::Ident(word) if word == "impl" || word == "unsafe" => {
                    self.impl_in(&trees[index..], word.span().start());
                }
                TokenTree::Ident(word) if word == "struct" || word == "enum" => {
                    self.adt_in(&trees[start..index], &trees[index + 1..]);
                }
                TokenTree::Ident(word) if word == "union" || word == "trait" => {
                    if let Some(TokenTree::Ident(name)) = trees.get(index + 1) {
                        self.declare(name);
                    }
                }
                _ => {}
            }
            if matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
                || is(tree, ';')
            {
                start = index + 1;
            }
        }
    }

    /// A type among other words: what is in front of `struct` or `enum`, and what is behind.
    fn adt_in(&mut self, before: &[TokenTree], behind: &[TokenTree]) {
        let Some((TokenTree::Ident(name), rest)) = behind.split_first() else { return };
        self.declare(name);
        let mut depth = 0;
        let generics = rest.iter().take_while(|tree| {
            let open = depth > 0 || is(tree, '<');
            depth += i32::from(is(tree, '<')) - i32::from(is(tree, '>'));
            open
        });
        let generics: TokenStream = generics.cloned().collect();
        let attributes: Vec<TokenTree> = before
            .windows(2)
            .filter(|pair| is(&pair[0], '#') && pair[1].to_string().starts_with("[derive"))
            .flatten()
            .cloned()
            .collect();
        let words =
            [TokenTree::Ident(syn::Ident::new("struct", name.span())), TokenTree::Ident(name.clone())];
        let end = TokenTree::Punct(proc_macro2::Punct::new(';', proc_macro2::Spacing::Alone));
        let text: TokenStream = attributes.into_iter().chain(words).chain(generics).chain([end]).collect();
        if let Ok(item) = syn::parse2::<syn::ItemStruct>(text) {
            self.adt(&item.ident, &item.generics, &item.attrs);
        }
    }

    /// An impl among other words.
    fn impl_in(&mut self, trees: &[TokenTree], start: LineColumn) {
        if self.asked(start).is_none() {
            return;
        }
        let is_block = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let Some(end) = trees.iter().position(is_block) else { return };
        let tokens: TokenStream = trees[..=end].iter().cloned().collect();
        if let Ok(item) = syn::parse2::<ItemImpl>(tokens) {
            self.header(&item);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.sources.modules.insert(item.ident.to_string());
        let around = std::mem::replace(&mut self.module, item.ident.to_string());
        self.within(true, |reader| visit::visit_item_mod(reader, item));
        self.module = around;
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within(false, |reader| visit::visit_item_fn(reader, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if let Some(of) = self.within {
            let (name, args) = (item.sig.ident.to_string(), item.sig.inputs.len());
            self.sources.methods.push(Method { name, args, of });
        }
        self.within(false, |reader| visit::visit_impl_item_fn(reader, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.within(false, |reader| visit::visit_trait_item_fn(reader, item));
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.within(false, |reader| visit::visit_item_const(reader, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.within(false, |reader| visit::visit_item_static(reader, item));
    }

    fn visit_expr_closure(&mut self, item: &'ast syn::ExprClosure) {
        self.within(false, |reader| visit::visit_expr_closure(reader, item));
    }

    fn visit_expr_async(&mut self, item: &'ast syn::ExprAsync) {
        self.within(false, |reader| visit::visit_expr_async(reader, item));
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        let number = self.header(item);
        let around = self.within.replace(number);
        visit::visit_item_impl(self, item);
        self.within = around;
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.adt(&item.ident, &item.generics, &item.attrs);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.own(&item.ident);
        self.adt(&item.ident, &item.generics, &item.attrs);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.adt(&item.ident, &item.generics, &item.attrs);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.own(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        let params = item.generics.type_params().map(|param| param.ident.to_string()).collect();
        let alias = Alias { scope: self.scope, module: self.module.clone(), params, ty: (*item.ty).clone() };
        let several = self.sources.aliases.contains_key(&item.ident.to_string());
        self.sources.aliases.insert(item.ident.to_string(), (!several).then_some(alias));
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let public = !matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, &mut Vec::new(), public);
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        // What a macro is defined with has its variables in it.
        if item.ident.is_none() {
            self.tokens(&item.mac.tokens);
        }
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.tokens(&item.tokens);
    }
}

fn is(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// The parameters for types and constants, with their traits, but for those that every type has or that have no items.
fn params(generics: &syn::Generics) -> BTreeMap<String, Vec<syn::Path>> {
    let mut all = BTreeMap::new();
    for param in &generics.params {
        match param {
            GenericParam::Type(param) => all.insert(param.ident.to_string(), traits(&param.bounds)),
            GenericParam::Const(param) => all.insert(param.ident.to_string(), Vec::new()),
            GenericParam::Lifetime(_) => None,
        };
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let syn::WherePredicate::Type(predicate) = predicate
            && let syn::Type::Path(path) = &predicate.bounded_ty
            && let Some(bounds) = path.path.get_ident().and_then(|name| all.get_mut(&name.to_string()))
        {
            bounds.extend(traits(&predicate.bounds));
        }
    }
    all
}

fn traits<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> Vec<syn::Path> {
    let paths = bounds.into_iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) => Some(&bound.path),
        _ => None,
    });
    let plain = |path: &&syn::Path| {
        path.segments.last().is_none_or(|last| !is_one_of(WITHOUT_TYPES, &last.ident.to_string()))
    };
    paths.filter(plain).cloned().collect()
}
