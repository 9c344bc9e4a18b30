//! The pieces of operations: each is called on the object, or on what is made for its call before it.

use robust_runtime::pieces::Part;

use super::calls::{calls, is_later, needs_own};
use super::construct::{unwrapped, yields};
use super::source::{CrateSource, OwnFunction};
use super::{Harness, Kind, Operation, look};

impl Harness {
    pub(super) fn operation(
        &mut self,
        function: &OwnFunction<'_>,
        source: &CrateSource,
        functions: &[OwnFunction<'_>],
    ) {
        let number = self.operations.len();
        let name = match function.self_type() {
            Some(own) => format!("{own}::{}", function.name()),
            None => function.name(),
        };
        let looks = match &function.signature.output {
            syn::ReturnType::Type(_, ty) if function.signature.asyncness.is_some() || !is_later(function) => {
                look::of_result(source, ty, "&value")
            }
            _ => vec![look::plain("&value")],
        };
        let mut texts = Vec::new();
        for (lets, call) in calls(function, source, &self.object) {
            texts.extend(looks.iter().map(|look| {
                format!(
                    "{lets}let value = {call}; let depth = 0; let text = crate::__robust::result(|| {look}); crate::__robust::kept(text, value)"
                )
            }));
        }
        let mut missing = texts
            .is_empty()
            .then(|| "it is `unsafe`, or takes its object in a way that is not driven".to_owned());
        texts.push("panic!()".to_owned());
        let start = format!("impl crate::__robust::Op<{number}> for crate::__robust::Here {{ ");
        let object = "object: &'static std::sync::Arc<crate::__robust::Object>";
        let numbers = "numbers: &mut crate::__robust::Numbers";
        let parts = if needs_own(function, &self.object) {
            let mut owns = self.owns(function, source, functions);
            if owns.is_empty() {
                missing.get_or_insert_with(|| {
                    let own = function.self_type().unwrap_or_default();
                    format!("no method of `{}` that makes a `{own}` was found", self.object)
                });
            }
            owns.push("()".to_owned());
            let prepared = |text: &String| {
                format!(
                    "std::option::Option::Some(std::boxed::Box::new(move |{object}, {numbers}| -> std::string::String {{ {text} }}))"
                )
            };
            vec![
                Part::one(format!(
                    "{start}fn own({object}, {numbers}) -> std::option::Option<crate::__robust::Prepared> {{"
                )),
                Part::of(owns.iter().map(|own| format!("let own = {own};")).collect()),
                Part::of(texts.iter().map(prepared).collect()),
                Part::one("} }"),
            ]
        } else {
            vec![
                Part::one(format!(
                    "{start}fn run({object}, _: std::option::Option<crate::__robust::Prepared>, {numbers}) -> std::string::String {{"
                )),
                Part::of(texts),
                Part::one("} }"),
            ]
        };
        let piece = self.push(function.module, Kind::Operation, parts);
        let function = (function.module, function.lines, function.name());
        self.operations.push(Operation { name, piece, function, missing });
    }

    /// Expressions for what a method is called on that is not the object: its clone, or what one of its methods makes.
    fn owns(
        &self,
        function: &OwnFunction<'_>,
        source: &CrateSource,
        functions: &[OwnFunction<'_>],
    ) -> Vec<String> {
        let own = function.self_type().unwrap_or_default();
        if own == self.object {
            return vec!["std::clone::Clone::clone(&**object)".to_owned()];
        }
        let makes = |maker: &&OwnFunction<'_>| {
            maker.self_type().as_deref() == Some(&self.object) && yields(maker, &own)
        };
        let mut makers: Vec<&OwnFunction<'_>> = functions.iter().filter(makes).collect();
        makers.sort_by_key(|maker| (!maker.public, maker.signature.inputs.len()));
        let of = |maker: &&OwnFunction<'_>| {
            let syn::ReturnType::Type(_, output) = &maker.signature.output else { return Vec::new() };
            let called = calls(maker, source, &self.object).into_iter();
            called
                .flat_map(|(lets, call)| {
                    let lets = match needs_own(maker, &self.object) {
                        true => format!("let own = std::clone::Clone::clone(&**object); {lets}"),
                        false => lets,
                    };
                    let all = unwrapped(output, &own, &call, false);
                    all.into_iter().map(move |made| format!("{{ {lets}{made} }}"))
                })
                .collect()
        };
        makers.iter().flat_map(of).collect()
    }

    /// Another value that a method is called on, when no call of the last one compiled.
    pub(super) fn another_own(&mut self, piece: usize, part: usize) -> bool {
        let parts = &mut self.pieces[piece].parts;
        let Some(own) = part.checked_sub(1).filter(|&own| parts[own].texts.len() > 1) else { return false };
        // The last one is none.
        if parts[own].advance() <= 1 {
            return false;
        }
        parts[part].at = 0;
        true
    }
}
