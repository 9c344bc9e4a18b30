//! How values of the crate's own types are shown: by their fields, private ones as well.

use quote::ToTokens;
use robust_runtime::pieces::Part;
use syn::Type;

use super::look;
use super::source::{CrateSource, OwnType, Shape};

/// Asks that of all type parameters.
pub fn with_bound(generics: &mut syn::Generics, bound: &str) {
    let params: Vec<syn::Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    let clause = generics.make_where_clause();
    for param in params {
        if let Ok(predicate) = syn::parse_str(&format!("{param}: {bound}")) {
            clause.predicates.push(predicate);
        }
    }
}

/// How values of a type are shown: by their fields, private ones as well.
pub fn show(source: &CrateSource, ty: &OwnType<'_>) -> Vec<Part> {
    let mut generics = ty.generics.clone();
    with_bound(&mut generics, "crate::__robust::Show");
    let (of, arguments, clause) = generics.split_for_impl();
    let head = format!(
        "impl {} crate::__robust::Show for super::{} {} {} {{ fn show(&self, depth: usize) -> std::string::String {{ let mut out = std::string::String::from({:?});",
        of.to_token_stream(),
        ty.name,
        arguments.to_token_stream(),
        clause.to_token_stream(),
        ty.name
    );
    let mut parts = vec![Part::one(head)];
    match &ty.shape {
        Shape::Struct(fields) => {
            parts.push(Part::one("out.push_str(\" { \");"));
            for (at, field) in fields.iter().enumerate() {
                let name = field.ident.as_ref().map_or(at.to_string(), ToString::to_string);
                let attributes: String = field
                    .attrs
                    .iter()
                    .filter(|attribute| attribute.path().is_ident("cfg"))
                    .map(|attribute| attribute.to_token_stream().to_string())
                    .collect();
                parts.push(shown(source, &format!("&self.{name}"), &name, &field.ty, &attributes));
            }
            parts.push(Part::one("out.push('}');"));
        }
        Shape::Enum(variants) => {
            parts.push(Part::one("match self {"));
            for variant in variants {
                parts.push(variant_shown(&ty.name, variant));
            }
            parts.push(Part::one("_ => {} }"));
        }
    }
    parts.push(Part::one("out } }"));
    parts
}

/// A field.
fn shown(source: &CrateSource, value: &str, name: &str, ty: &Type, attributes: &str) -> Part {
    let write = |text: &String| {
        format!(
            "{attributes} {{ out.push_str({:?}); out.push_str(&{text}); out.push_str(\", \"); }}",
            format!("{name}: ")
        )
    };
    Part { texts: look::expressions(source, ty, value).iter().map(write).collect(), at: 0 }
}

fn variant_shown(ty: &str, variant: &syn::Variant) -> Part {
    let name = &variant.ident;
    let bind: Vec<(String, String)> = variant
        .fields
        .iter()
        .enumerate()
        .map(|(at, field)| {
            (field.ident.as_ref().map_or(at.to_string(), ToString::to_string), format!("f{at}"))
        })
        .collect();
    let pattern: Vec<String> = bind.iter().map(|(name, bound)| format!("{name}: {bound}")).collect();
    let fields: String = bind
        .iter()
        .map(|(_, bound)| format!("out.push_str(&{}); out.push(' ');", look::plain(bound)))
        .collect();
    let start = format!("out.push_str({:?});", format!("::{name} "));
    Part {
        texts: vec![
            format!("super::{ty}::{name} {{ {} }} => {{ {start} {fields} }}", pattern.join(", ")),
            format!("super::{ty}::{name} {{ .. }} => {{ {start} }}"),
        ],
        at: 0,
    }
}
