//! The harness of a crate: how the object is made, which operations it has, how values are made and shown.
//!
//! What can be written is only known to the compiler: there are several texts for most parts, and those that do not compile are
//! replaced by the next one (see `compile`). An operation of which none compiles is not driven, and the compiler's words say why.

pub(in crate::replay) mod calls;
pub(in crate::replay) mod construct;
pub(in crate::replay) mod look;
mod operation;
pub(in crate::replay) mod show;
pub(in crate::replay) mod source;
pub(in crate::replay) mod subject;
pub(in crate::replay) mod values;

use std::collections::BTreeSet;

use quote::ToTokens;
use robust_runtime::pieces::{self, Part, Piece, ROOT};

use calls::is_shared;
use construct::{builds, has_default, literals, unwrapped};
use show::{show, with_bound};
use source::{CrateSource, OwnFunction, OwnType, names};
use subject::{Shared, find, reachable, shared};
use values::{Wanted, alternatives, object_arguments};

/// So many operations are driven at most.
const OPERATIONS: usize = 48;

/// What is shared, and what is called.
pub struct Harness {
    pub pieces: Vec<Piece>,
    /// By piece: what it is for.
    kinds: Vec<Kind>,
    pub operations: Vec<Operation>,
    /// The type of the object, by its name or as it is written; empty when functions share statics only.
    pub object: String,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// `Shop::buy`
    pub name: String,
    /// Index of its piece.
    piece: usize,
    /// Module, lines and name of its function.
    function: (usize, (usize, usize), String),
    /// Why it cannot be driven, if it cannot.
    pub missing: Option<String>,
}

/// What a piece is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Object,
    Maker,
    Operation,
    /// How a type's values are made or shown: it can be left out.
    Value,
    /// What is around calls.
    Surroundings,
    /// Which operations there are.
    Table,
}

/// Why there is no harness.
#[derive(Debug, Clone)]
pub struct NotDriven(pub String);

impl Harness {
    /// The harness for the object that these functions are methods of; all its public methods are operations, too.
    pub fn new(
        source: &CrateSource,
        lanes: &[OwnFunction<'_>],
        object: Option<&str>,
        libraries: &[String],
        makers: &[(String, String)],
    ) -> Result<Harness, NotDriven> {
        let types = source.types();
        let functions = source.functions();
        let shared = match object {
            Some(name) => Shared::Own(
                find(&types, name)
                    .ok_or_else(|| NotDriven(format!("there is no type `{name}` in the source")))?,
            ),
            None => shared(source, &types, &functions, lanes)?,
        };
        let mut harness =
            Harness { pieces: Vec::new(), kinds: Vec::new(), operations: Vec::new(), object: shared.name() };
        harness.object(source, &shared);
        let object = shared.own();
        let made = makers.iter().find(|(ty, _)| *ty == harness.object).map(|(_, with)| with.as_str());
        harness.maker(source, &shared, &functions, made)?;
        let mut chosen: Vec<&OwnFunction<'_>> = Vec::new();
        let is_lane = |function: &OwnFunction<'_>| lanes.iter().any(|lane| lane.same(function));
        chosen.extend(functions.iter().filter(|function| is_lane(function)));
        let others = functions.iter().filter(|function| {
            !is_lane(function)
                && function.public
                && object.is_some_and(|object| {
                    function.self_type().as_ref() == Some(&object.name)
                        && (function.module == object.module
                            || !types.iter().any(|ty| ty.module == function.module && ty.name == object.name))
                })
                && function.of.is_some_and(|of| of.trait_.is_none())
                && function.signature.receiver().is_some_and(is_shared)
        });
        chosen.extend(others);
        let given = functions
            .iter()
            .filter(|function| !is_lane(function) && function.public && shared.is_given_to(source, function));
        chosen.extend(given);
        chosen.truncate(OPERATIONS);
        for function in &chosen {
            harness.operation(function, source, &functions);
        }
        let mut wanted = Vec::new();
        for function in &chosen {
            names(function.signature.to_token_stream(), &mut wanted);
        }
        wanted.push(harness.object.clone());
        for function in functions.iter().filter(|function| builds(function, &harness.object)) {
            names(function.signature.inputs.to_token_stream(), &mut wanted);
        }
        for ty in reachable(source, &types, &functions, wanted) {
            harness.value(source, ty, &functions, makers);
        }
        harness.surroundings(libraries);
        harness.table();
        Ok(harness)
    }

    fn push(&mut self, module: usize, kind: Kind, parts: Vec<Part>) -> usize {
        self.pieces.push(Piece { module, parts, optional: kind == Kind::Value, dropped: false });
        self.kinds.push(kind);
        self.pieces.len() - 1
    }

    fn object(&mut self, source: &CrateSource, shared: &Shared<'_, '_>) {
        let head = "impl crate::__robust::Subject for crate::__robust::Here { type Object = ";
        let (module, texts) = match shared {
            Shared::Nothing => (0, vec![format!("{head}(); }}")]),
            Shared::Written(module, text) => (*module, vec![format!("{head}{text}; }}")]),
            Shared::Own(object) => {
                let all = object_arguments(source, object.generics).into_iter();
                let texts = all.map(|arguments| format!("{head}super::{}{arguments}; }}", object.name));
                (object.module, texts.collect())
            }
        };
        self.push(module, Kind::Object, vec![Part { texts, at: 0 }]);
    }

    /// How the object is made: by the user's own function, a constructor, or `Default`.
    fn maker(
        &mut self,
        source: &CrateSource,
        shared: &Shared<'_, '_>,
        functions: &[OwnFunction<'_>],
        told: Option<&str>,
    ) -> Result<(), NotDriven> {
        let text = |expression: &str| {
            format!(
                "impl crate::__robust::Maker for crate::__robust::Here {{ fn make_object(numbers: &mut crate::__robust::Numbers) -> std::sync::Arc<crate::__robust::Object> {{ {expression} }} }}"
            )
        };
        let object = match shared {
            Shared::Own(object) => *object,
            Shared::Nothing => {
                self.push(0, Kind::Maker, vec![Part::one(text("std::sync::Arc::new(())"))]);
                return Ok(());
            }
            Shared::Written(module, _) => {
                let ways = ["std::default::Default::default()", "crate::__robust::Make::make(numbers)"];
                let texts = ways.map(|way| text(&format!("std::sync::Arc::new({way})")));
                self.push(*module, Kind::Maker, vec![Part::of(texts.into())]);
                return Ok(());
            }
        };
        if let Some(with) = told {
            let expression = format!("std::sync::Arc::new({with}(&mut || numbers.next()))");
            let plain = format!("std::sync::Arc::new({with}())");
            self.push(
                object.module,
                Kind::Maker,
                vec![Part { texts: vec![text(&expression), text(&plain)], at: 0 }],
            );
            return Ok(());
        }
        let mut texts = Vec::new();
        let mut module = object.module;
        let mut builders: Vec<&OwnFunction<'_>> =
            functions.iter().filter(|function| builds(function, &object.name)).collect();
        let own = |function: &OwnFunction<'_>| function.self_type().as_ref() == Some(&object.name);
        builders.sort_by_key(|function| {
            (!own(function), !function.public, function.name() != "new", function.signature.inputs.len())
        });
        for function in &builders {
            // All texts of a piece are in one module: that of the type, unless somebody else makes it.
            if function.module != module && !texts.is_empty() {
                continue;
            }
            let found = self.constructions(source, function, &object.name, true);
            if !found.is_empty() {
                module = function.module;
            }
            texts.extend(found.iter().map(|expression| text(expression)));
        }
        if module == object.module && (object.derives_default || has_default(source, &object.name)) {
            texts.push(text(
                "std::sync::Arc::new(<crate::__robust::Object as std::default::Default>::default())",
            ));
        }
        if module == object.module {
            let all = literals(object, true, false);
            texts.extend(all.iter().map(|literal| text(&format!("std::sync::Arc::new({literal})"))));
        }
        if module == object.module {
            // What macros write is not seen; it can be tried.
            let guess = |arguments: &str| {
                text(&format!("std::sync::Arc::new(<crate::__robust::Object>::new({arguments}))"))
            };
            let one = "crate::__robust::Make::make(numbers)";
            texts.extend([guess(""), guess(one), guess(&format!("{one}, {one}"))]);
        }
        if texts.is_empty() {
            return Err(NotDriven(no_way(&object.name)));
        }
        self.push(module, Kind::Maker, vec![Part { texts, at: 0 }]);
        Ok(())
    }

    /// Expressions that call a function which makes a value of that type.
    fn constructions(
        &self,
        source: &CrateSource,
        function: &OwnFunction<'_>,
        name: &str,
        shared: bool,
    ) -> Vec<String> {
        let syn::ReturnType::Type(_, output) = &function.signature.output else { return Vec::new() };
        let wanted = Wanted { source, signature: function.signature, of: function.of, object: "" };
        let arguments = alternatives(&wanted);
        let path = match (&function.of, function.self_type()) {
            (Some(_), Some(own)) if own == self.object && name == self.object => {
                format!("<crate::__robust::Object>::{}", function.name())
            }
            (Some(_), Some(own)) => format!("super::{own}::{}", function.name()),
            _ => format!("super::{}", function.name()),
        };
        let mut texts = Vec::new();
        for arguments in arguments {
            let mut all: Vec<String> = Vec::new();
            if function.signature.receiver().is_some() {
                all.push("crate::__robust::Make::make(numbers)".to_owned());
            }
            all.extend(arguments);
            let call = format!("{path}({})", all.join(", "));
            let call = if function.signature.asyncness.is_some() {
                format!("crate::__robust::wait({call})")
            } else {
                call
            };
            texts.extend(unwrapped(output, name, &call, shared));
        }
        texts
    }

    /// How values of a type are made and shown.
    fn value(
        &mut self,
        source: &CrateSource,
        ty: &OwnType<'_>,
        functions: &[OwnFunction<'_>],
        makers: &[(String, String)],
    ) {
        let parts = show(source, ty);
        self.push(ty.module, Kind::Value, parts);
        let mut texts = Vec::new();
        let mut generics = ty.generics.clone();
        with_bound(&mut generics, "crate::__robust::Make");
        let (of, arguments, clause) = generics.split_for_impl();
        let head = format!(
            "impl {} crate::__robust::Make for super::{} {} {} {{ fn make(numbers: &mut crate::__robust::Numbers) -> Self {{ ",
            of.to_token_stream(),
            ty.name,
            arguments.to_token_stream(),
            clause.to_token_stream()
        );
        let tail = format!(
            "}} fn text(&self) -> std::string::String {{ let depth = 0; {} }} }}",
            look::plain("self")
        );
        let mut expressions = Vec::new();
        if let Some((_, with)) = makers.iter().find(|(name, _)| *name == ty.name) {
            expressions.push(format!("{with}(&mut || numbers.next())"));
            expressions.push(format!("{with}()"));
        }
        expressions.extend(literals(ty, false, false));
        let own = functions.iter().filter(|function| {
            function.self_type().as_ref() == Some(&ty.name)
                && function.module == ty.module
                && function.signature.receiver().is_none()
                && builds(function, &ty.name)
        });
        let mut own: Vec<&OwnFunction<'_>> = own.collect();
        own.sort_by_key(|function| {
            (!function.public, function.name() != "new", function.signature.inputs.len())
        });
        for function in own {
            expressions.extend(self.constructions(source, function, &ty.name, false));
        }
        if ty.derives_default || has_default(source, &ty.name) {
            expressions.push("std::default::Default::default()".to_owned());
        }
        if expressions.is_empty() {
            // Nobody makes it but who may see its fields, or a library that is given them.
            expressions.extend(literals(ty, false, true));
        }
        texts.extend(expressions.iter().map(|expression| format!("{head}{expression}{tail}")));
        if !texts.is_empty() {
            self.push(ty.module, Kind::Value, vec![Part { texts, at: 0 }]);
        }
    }

    fn surroundings(&mut self, libraries: &[String]) {
        let all = robust_runtime::SURROUNDINGS.iter();
        let fit = all.filter(|(library, _)| library.is_empty() || libraries.iter().any(|own| own == library));
        let texts = fit.map(|(_, text)| (*text).to_owned()).collect();
        self.push(ROOT, Kind::Surroundings, vec![Part { texts, at: 0 }]);
    }

    /// The operation that calls that function.
    pub fn operation_of(&self, function: &OwnFunction<'_>) -> Option<usize> {
        let place = (function.module, function.lines, function.name());
        self.operations.iter().position(|operation| operation.function == place)
    }

    /// Takes the next text of a part that did not compile. The error is what there is to say when there is none left.
    pub fn reject(&mut self, piece: usize, part: usize, why: &str) -> Result<(), NotDriven> {
        let kind = self.kinds[piece];
        let left = self.pieces[piece].parts[part].advance();
        if kind == Kind::Operation && left <= 1 && self.another_own(piece, part) {
            return Ok(());
        }
        match kind {
            Kind::Operation if left <= 1 => {
                if let Some(operation) = self.operations.iter_mut().find(|operation| operation.piece == piece)
                {
                    operation.missing.get_or_insert_with(|| why.to_owned());
                }
                if left == 0 {
                    return Err(NotDriven(why.to_owned()));
                }
            }
            Kind::Table => {
                let operation = part.checked_sub(1).and_then(|number| self.operations.get_mut(number));
                match operation.filter(|_| left > 0) {
                    Some(operation) => operation.missing = Some("it is no part of this build".to_owned()),
                    None => return Err(NotDriven(why.to_owned())),
                }
            }
            Kind::Value if left == 0 => self.pieces[piece].dropped = true,
            Kind::Maker if left == 0 => return self.next_object(why),
            Kind::Object if left == 0 => return Err(NotDriven(why.to_owned())),
            Kind::Object => self.again(),
            Kind::Surroundings if left == 0 => return Err(NotDriven(why.to_owned())),
            _ => {}
        }
        Ok(())
    }

    /// Another way to make the object, as the constructor of this one panics.
    pub fn unmade(&mut self) -> Result<(), NotDriven> {
        match self.kinds.iter().position(|kind| *kind == Kind::Maker) {
            Some(maker) => self.reject(maker, 0, "its constructors panic"),
            None => Err(NotDriven("its constructors panic".to_owned())),
        }
    }

    /// Other type arguments for the object.
    fn next_object(&mut self, why: &str) -> Result<(), NotDriven> {
        let object = self.kinds.iter().position(|kind| *kind == Kind::Object);
        let Some(object) = object.map(|at| &mut self.pieces[at]) else {
            return Err(NotDriven(why.to_owned()));
        };
        if object.parts[0].advance() == 0 {
            return Err(NotDriven(format!("{}: {why}", no_way(&self.object))));
        }
        self.again();
        Ok(())
    }

    fn again(&mut self) {
        for (piece, kind) in self.pieces.iter_mut().zip(&self.kinds) {
            if matches!(kind, Kind::Maker | Kind::Operation) {
                piece.parts.iter_mut().for_each(|part| part.at = 0);
            }
        }
        for operation in &mut self.operations {
            operation.missing = None;
        }
    }

    /// The pieces as text, without what only other operations need.
    pub fn kept(&self, used: &BTreeSet<usize>) -> String {
        let mut pieces = self.pieces.clone();
        for (number, operation) in self.operations.iter().enumerate() {
            let piece = &mut pieces[operation.piece];
            piece.dropped = !used.contains(&number);
            // The last ones are no calls.
            for part in piece.parts.iter_mut().filter(|part| part.texts.len() > 1) {
                part.texts.pop();
            }
        }
        for (piece, _) in pieces.iter_mut().zip(&self.kinds).filter(|(_, kind)| **kind == Kind::Table) {
            for (at, part) in piece.parts.iter_mut().enumerate().filter(|(_, part)| part.texts.len() > 1) {
                part.at = usize::from(at == 0 || !used.contains(&(at - 1)));
                part.texts.truncate(part.at + 1);
            }
        }
        pieces::kept(pieces.iter())
    }

    /// The table of operations. One whose module is not part of this build has no entry that compiles.
    fn table(&mut self) {
        let mut parts = vec![Part::one(
            "pub static OPS: &[(&str, fn(&'static Arc<Object>, &mut Numbers) -> Option<Prepared>, fn(&'static Arc<Object>, Option<Prepared>, &mut Numbers) -> String)] = &[",
        )];
        for (number, operation) in self.operations.iter().enumerate() {
            let name = &operation.name;
            parts.push(Part {
                texts: vec![
                    format!("({name:?}, <Here as Op<{number}>>::own, <Here as Op<{number}>>::run),"),
                    format!("({name:?}, |_, _| None, |_, _, _| panic!()),"),
                ],
                at: 0,
            });
        }
        parts.push(Part::one("];"));
        self.push(ROOT, Kind::Table, parts);
    }
}

fn no_way(name: &str) -> String {
    format!(
        "no way to make `{name}` was found: add  [[make]] type = \"{name}\" with = \"crate::path::to::a_function\"  to robust.toml"
    )
}
