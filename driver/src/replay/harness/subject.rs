//! Which types a harness is about.

use std::collections::BTreeSet;

use quote::ToTokens;

use super::construct::builds;
use super::source::{CrateSource, OwnFunction, OwnType, Shape, names, type_name};
use crate::replay::harness::NotDriven;

/// The type of that name.
pub fn find<'t, 's>(types: &'t [OwnType<'s>], name: &str) -> Option<&'t OwnType<'s>> {
    types.iter().find(|ty| ty.name == name)
}

/// The type of that name, that of the module itself if there are several.
fn find_from<'t, 's>(types: &'t [OwnType<'s>], name: &str, module: usize) -> Option<&'t OwnType<'s>> {
    types.iter().find(|ty| ty.name == name && ty.module == module).or_else(|| find(types, name))
}

/// The one type that all these functions are methods of.
pub fn shared_type<'t, 's>(
    types: &'t [OwnType<'s>],
    lanes: &[OwnFunction<'_>],
) -> Result<Option<&'t OwnType<'s>>, NotDriven> {
    let own: BTreeSet<String> = lanes
        .iter()
        .filter(|lane| lane.signature.receiver().is_some())
        .filter_map(OwnFunction::self_type)
        .collect();
    let mut own = own.into_iter();
    match (own.next(), own.next()) {
        (None, _) => Ok(None),
        (Some(one), None) => find_from(types, &one, lanes[0].module)
            .map(Some)
            .ok_or_else(|| NotDriven(format!("the type `{one}` is not written in the crate's source"))),
        (Some(one), Some(other)) => Err(NotDriven(format!(
            "it is about methods of `{one}` and of `{other}`, and how both come to share something is not known"
        ))),
    }
}

/// Types whose values can be met, from these names on.
pub fn reachable<'t, 's>(
    source: &CrateSource,
    types: &'t [OwnType<'s>],
    functions: &[OwnFunction<'_>],
    mut wanted: Vec<String>,
) -> Vec<&'t OwnType<'s>> {
    let mut seen = vec![false; types.len()];
    let mut found = Vec::new();
    let mut asked = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        if !asked.insert(name.clone()) {
            continue;
        }
        // What is asked for by a trait can be any type that has it.
        wanted.extend(source.implementors(&name).iter().filter_map(|(_, ty)| type_name(ty)));
        for (at, ty) in types.iter().enumerate().filter(|(_, ty)| ty.name == name) {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            found.push(ty);
            names(ty.generics.to_token_stream(), &mut wanted);
            names(ty.generics.where_clause.to_token_stream(), &mut wanted);
            match &ty.shape {
                Shape::Struct(fields) => names(fields.to_token_stream(), &mut wanted),
                Shape::Enum(variants) => {
                    variants.iter().for_each(|variant| names(variant.to_token_stream(), &mut wanted))
                }
            }
            for function in functions.iter().filter(|function| builds(function, &ty.name)) {
                names(function.signature.inputs.to_token_stream(), &mut wanted);
            }
        }
    }
    found
}
