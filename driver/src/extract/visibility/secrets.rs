//! Which types and traits only the crate itself can name: declared without `pub`, or in a module that is not public and from
//! which nothing gives them out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use robust_analyzer::mir::FieldNames;
use syn::{Item, UseTree, Visibility};

use super::LookedAt;

/// The names of a crate's types and traits, with whether some declaration of the name can be reached.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    declared: BTreeMap<String, bool>,
    /// Declared public in a module that is not: the name and the module's.
    hidden: Vec<(String, String)>,
    /// What `pub use` names.
    given: BTreeSet<String>,
    /// Modules of which `pub use` gives out everything.
    opened: BTreeSet<String>,
    /// Names of fields by type and variant; none where there are several types of that name.
    fields: BTreeMap<(String, String), Option<Vec<String>>>,
    /// The files that all this was read from.
    pub looked_at: LookedAt,
}

/// Where items stand.
#[derive(Clone)]
struct Module {
    name: String,
    /// Where the files of its modules are.
    folder: PathBuf,
    public: bool,
}

impl Secrets {
    /// Reads the sources that begin at the root next to (or above) one of these files. What cannot be read has no secrets.
    pub fn of(files: impl Iterator<Item = PathBuf>) -> Secrets {
        let mut secrets = Secrets::default();
        let folders: BTreeSet<PathBuf> = files.filter_map(|file| Some(file.parent()?.to_owned())).collect();
        let roots: BTreeSet<PathBuf> = folders.iter().filter_map(|folder| secrets.root(folder)).collect();
        for root in roots {
            let folder = root.parent().unwrap_or(Path::new("")).to_owned();
            secrets.file(&root, &Module { name: String::new(), folder, public: true });
        }
        for (name, module) in std::mem::take(&mut secrets.hidden) {
            if secrets.given.contains(&name) || secrets.opened.contains(&module) {
                secrets.declared.insert(name, true);
            }
        }
        secrets
    }

    /// Whether nobody outside can name a type or trait with this name.
    pub fn is(&self, name: &str) -> bool {
        self.declared.get(name) == Some(&false)
    }

    /// The crate's root: the topmost `lib.rs` or `main.rs` in a folder or those around it.
    fn root(&mut self, folder: &Path) -> Option<PathBuf> {
        let folders: Vec<&Path> = folder.ancestors().take(8).collect();
        self.first(folders.iter().rev().flat_map(|folder| [folder.join("lib.rs"), folder.join("main.rs")]))
    }

    /// The first of these files that is there.
    fn first(&mut self, files: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
        files.into_iter().find(|file| {
            let found = file.is_file();
            if !found {
                self.looked_at.miss(file);
            }
            found
        })
    }

    fn file(&mut self, file: &Path, module: &Module) {
        let text = self.looked_at.read(file);
        if let Ok(parsed) = syn::parse_file(&text) {
            self.items(&parsed.items, module);
        }
    }

    fn items(&mut self, items: &[Item], module: &Module) {
        for item in items {
            match item {
                Item::Struct(item) => {
                    self.declare(&item.ident, &item.vis, module);
                    self.name_fields(&item.ident, String::new(), &item.fields);
                }
                Item::Enum(item) => {
                    self.declare(&item.ident, &item.vis, module);
                    for variant in &item.variants {
                        self.name_fields(&item.ident, variant.ident.to_string(), &variant.fields);
                    }
                }
                Item::Union(item) => self.declare(&item.ident, &item.vis, module),
                Item::Trait(item) => self.declare(&item.ident, &item.vis, module),
                Item::Use(item) if is_public(&item.vis) => self.give(&item.tree, ""),
                Item::Mod(item) => self.module(item, module),
                // Many crates wrap items in macros that only add a `cfg`.
                Item::Macro(item) => {
                    if let Ok(inner) = syn::parse2::<syn::File>(item.mac.tokens.clone()) {
                        self.items(&inner.items, module);
                    }
                }
                _ => {}
            }
        }
    }

    fn name_fields(&mut self, ty: &syn::Ident, variant: String, fields: &syn::Fields) {
        let names = fields.iter().filter_map(|field| Some(field.ident.as_ref()?.to_string())).collect();
        let known = self.fields.entry((ty.to_string(), variant));
        known.and_modify(|known| *known = None).or_insert(Some(names));
    }

    /// The names of fields, where they are sure.
    pub fn fields(&self) -> Vec<FieldNames> {
        let known = self.fields.iter().filter_map(|(key, names)| Some((key, names.as_ref()?)));
        let named = known.filter(|(_, names)| !names.is_empty()).map(|((ty, variant), names)| FieldNames {
            ty: ty.as_str().into(),
            variant: variant.as_str().into(),
            names: names.iter().map(|name| name.as_str().into()).collect(),
        });
        named.collect()
    }

    fn declare(&mut self, name: &syn::Ident, visibility: &Visibility, module: &Module) {
        let public = is_public(visibility);
        *self.declared.entry(name.to_string()).or_default() |= public && module.public;
        if public && !module.public {
            self.hidden.push((name.to_string(), module.name.clone()));
        }
    }

    fn module(&mut self, item: &syn::ItemMod, parent: &Module) {
        let name = item.ident.to_string();
        let module = Module {
            folder: parent.folder.join(&name),
            public: parent.public && is_public(&item.vis),
            name: name.clone(),
        };
        match &item.content {
            Some((_, items)) => self.items(items, &module),
            None => {
                let files = [parent.folder.join(format!("{name}.rs")), module.folder.join("mod.rs")];
                if let Some(file) = self.first(files) {
                    self.file(&file, &module);
                }
            }
        }
    }

    /// Notes what a `pub use` gives out, renamed or not.
    fn give(&mut self, tree: &UseTree, from: &str) {
        match tree {
            UseTree::Path(path) => self.give(&path.tree, &path.ident.to_string()),
            UseTree::Name(name) => drop(self.given.insert(name.ident.to_string())),
            UseTree::Rename(rename) => drop(self.given.insert(rename.ident.to_string())),
            UseTree::Glob(_) => drop(self.opened.insert(from.to_owned())),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.give(tree, from)),
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(text: &str) -> Secrets {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("lib.rs");
        std::fs::write(&root, text).expect("the root");
        Secrets::of(std::iter::once(root))
    }

    #[test]
    fn what_is_not_given_out_is_secret() {
        let found = secrets(
            "pub struct Open; struct Own; mod inner { pub struct Given; pub struct Kept; pub trait Way {} }\n\
             mod all { pub struct Globbed; } pub use inner::Given; pub use all::*; use inner::Kept;\n\
             pub mod outer { pub(crate) struct Half; pub enum Seen {} } wrap! { pub struct Wrapped; }",
        );
        for name in ["Open", "Given", "Globbed", "Seen", "Wrapped", "Unknown"] {
            assert!(!found.is(name), "{name}");
        }
        for name in ["Own", "Kept", "Way", "Half"] {
            assert!(found.is(name), "{name}");
        }
    }

    #[test]
    fn fields_have_names_where_one_type_has_the_name() {
        let found = secrets(
            "pub struct Till { coins: u8, notes: u8 } struct Pair(u8, u8); enum Drawer { Open { by: u8 }, Shut }\n\
             mod a { struct Twice { a: u8 } } mod b { struct Twice { b: u8 } }",
        );
        let fields: Vec<String> = found
            .fields()
            .iter()
            .map(|fields| format!("{} {} {}", fields.ty, fields.variant, fields.names.join(",")))
            .collect();
        assert_eq!(fields, ["Drawer Open by", "Till  coins,notes"]);
    }

    #[test]
    fn a_name_is_as_open_as_its_most_open_declaration() {
        assert!(!secrets("mod a { struct Twice; } pub struct Twice;").is("Twice"));
    }
}
