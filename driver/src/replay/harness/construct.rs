//! How values come about: functions that return them, and values written out.

use quote::ToTokens;
use syn::Type;

use super::calls::is_shared;
use super::source::{CrateSource, OwnFunction, OwnType, Shape, type_name};
use super::values::named;

/// Whether a function returns a value of that type, perhaps inside something.
pub fn builds(function: &OwnFunction<'_>, name: &str) -> bool {
    let syn::ReturnType::Type(_, output) = &function.signature.output else { return false };
    let own = function.self_type().as_deref() == Some(name);
    let by_value = function.signature.receiver().is_none_or(|receiver| receiver.reference.is_none());
    let fresh = function.signature.receiver().is_none() || !own;
    by_value
        && fresh
        && function.of.is_none_or(|of| of.trait_.is_none())
        && function.signature.unsafety.is_none()
        && !unwrapped_as(output, name, own).is_empty()
}

/// Whether a method of another type, called on an object that is shared or on its clone, returns a value of that type.
pub fn yields(function: &OwnFunction<'_>, name: &str) -> bool {
    let syn::ReturnType::Type(_, output) = &function.signature.output else { return false };
    function.signature.receiver().is_some_and(|receiver| receiver.reference.is_some() || is_shared(receiver))
        && function.self_type().as_deref() != Some(name)
        && function.of.is_none_or(|of| of.trait_.is_none())
        && function.signature.unsafety.is_none()
        && !unwrapped_as(output, name, false).is_empty()
}

pub fn unwrapped(output: &Type, name: &str, call: &str, shared: bool) -> Vec<String> {
    let steps = unwrapped_as(output, name, true);
    if steps.is_empty() {
        return Vec::new();
    }
    let mut text = call.to_owned();
    let mut is_shared = false;
    for step in &steps {
        if let Some((at, count)) =
            step.split_once('/').and_then(|(at, count)| Some((at.parse().ok()?, count.parse().ok()?)))
        {
            text = picked(&text, at, count);
        }
        match step.as_str() {
            "Result" => {
                text = format!(
                    "match {text} {{ std::result::Result::Ok(made) => made, _ => panic!(\"the constructor failed\") }}"
                )
            }
            "Option" => {
                text = format!(
                    "match {text} {{ std::option::Option::Some(made) => made, _ => panic!(\"the constructor failed\") }}"
                )
            }
            "Box" => text = format!("*{text}"),
            "Arc" => is_shared = true,
            _ => {}
        }
    }
    match (shared, is_shared) {
        (true, false) => vec![format!("std::sync::Arc::new({text})")],
        (true, true) | (false, false) => vec![text],
        (false, true) => Vec::new(),
    }
}

/// A part of what a call returns; the other parts stay, as whoever else has them may close something.
fn picked(call: &str, at: usize, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|part| format!("part{part}")).collect();
    let others: String =
        (0..count).filter(|&part| part != at).map(|part| format!("std::mem::forget(part{part}); ")).collect();
    format!("match {call} {{ ({}) => {{ {others}part{at} }} }}", names.join(", "))
}

/// What is around a type in a return type, from the outside; ends in the type.
fn unwrapped_as(output: &Type, name: &str, own: bool) -> Vec<String> {
    if let Type::Tuple(tuple) = output {
        let found = tuple.elems.iter().enumerate().find_map(|(at, part)| {
            let rest = unwrapped_as(part, name, own);
            (!rest.is_empty()).then(|| [vec![format!("{at}/{}", tuple.elems.len())], rest].concat())
        });
        return found.unwrap_or_default();
    }
    let Some(last) = type_name(output) else { return Vec::new() };
    if last == name || own && last == "Self" {
        return if matches!(output, Type::Path(_)) { vec!["=".to_owned()] } else { Vec::new() };
    }
    if !matches!(last.as_str(), "Result" | "Option" | "Box" | "Arc") {
        return Vec::new();
    }
    let Type::Path(path) = output else { return Vec::new() };
    let Some(syn::PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|last| &last.arguments)
    else {
        return Vec::new();
    };
    let Some(syn::GenericArgument::Type(inner)) = arguments.args.first() else { return Vec::new() };
    let rest = unwrapped_as(inner, name, own);
    if rest.is_empty() { rest } else { [vec![last], rest].concat() }
}

pub fn has_default(source: &CrateSource, name: &str) -> bool {
    source.implementors("Default").iter().any(|(_, ty)| type_name(ty).as_deref() == Some(name))
}

/// A value written out, when all its fields may be given by anybody, or by those who may see it: of what is made of numbers, or also
/// of what there is by default.
pub fn literals(ty: &OwnType<'_>, object: bool, private: bool) -> Vec<String> {
    let any = |_: &Type| "numbers.inner()".to_owned();
    let given = |ty: &Type| format!("{}.0", named(&ty.to_token_stream().to_string()));
    literal(ty, object, private, &any).into_iter().chain(literal(ty, object, private, &given)).collect()
}

fn literal(ty: &OwnType<'_>, object: bool, private: bool, value: &dyn Fn(&Type) -> String) -> Option<String> {
    let public = |fields: &syn::Fields| {
        private || fields.iter().all(|field| matches!(field.vis, syn::Visibility::Public(_)))
    };
    let fields = |path: String, fields: &syn::Fields| match fields {
        syn::Fields::Unit => path,
        syn::Fields::Unnamed(all) => {
            let all: Vec<String> = all.unnamed.iter().map(|field| value(&field.ty)).collect();
            format!("{path}({})", all.join(", "))
        }
        syn::Fields::Named(all) => {
            let all: Vec<String> = all
                .named
                .iter()
                .filter_map(|field| Some((field.ident.as_ref()?, &field.ty)))
                .map(|(name, ty)| format!("{name}: {}", value(ty)))
                .collect();
            format!("{path} {{ {} }}", all.join(", "))
        }
    };
    match &ty.shape {
        Shape::Struct(own) if public(own) && (!own.is_empty() || !object) => {
            Some(fields(format!("super::{}", ty.name), own))
        }
        Shape::Struct(_) => None,
        Shape::Enum(variants) if variants.is_empty() => None,
        Shape::Enum(variants) => {
            let count = variants.len();
            let arms: Vec<String> = variants
                .iter()
                .enumerate()
                .map(|(at, variant)| {
                    let pattern = if at + 1 == count { "_".to_owned() } else { at.to_string() };
                    format!(
                        "{pattern} => {}",
                        fields(format!("super::{}::{}", ty.name, variant.ident), &variant.fields)
                    )
                })
                .collect();
            Some(format!("match numbers.next() % {count} {{ {} }}", arms.join(", ")))
        }
    }
}
