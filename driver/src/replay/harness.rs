//! The harness of a crate: how the object is made, which operations it has, how values are made and shown.
//!
//! What can be written is only known to the compiler: there are several texts for most parts, and those that do not compile are
//! replaced by the next one (see `compile`). An operation of which none compiles is not driven, and the compiler's words say why.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quote::ToTokens;
use syn::Type;

use super::calls::{calls, is_later, is_shared};
use super::construct::{builds, has_default, literal, unwrapped};
use super::look;
use super::source::{CrateSource, OwnFunction, OwnType, Shape, names, type_name};
use super::values::{Wanted, alternatives, object_arguments};

/// So many operations are driven at most.
const OPERATIONS: usize = 48;

/// What is shared, and what is called.
pub struct Harness {
    pub pieces: Vec<Piece>,
    pub operations: Vec<Operation>,
    /// The type of the object; empty when functions share statics only.
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

/// A part of the harness, in a module.
pub struct Piece {
    pub module: usize,
    pub kind: Kind,
    /// Its parts, one below the other.
    pub parts: Vec<Part>,
    /// Whether it is left out.
    pub dropped: bool,
}

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

/// A part of a piece: texts to try in turn.
pub struct Part {
    pub texts: Vec<String>,
    pub at: usize,
}

impl Part {
    fn one(text: impl Into<String>) -> Part {
        Part { texts: vec![text.into()], at: 0 }
    }
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
        let object = match object {
            Some(name) => Some(
                find(&types, name)
                    .ok_or_else(|| NotDriven(format!("there is no type `{name}` in the source")))?,
            ),
            None => shared_type(&types, lanes)?,
        };
        let name = object.map_or(String::new(), |object| object.name.clone());
        let mut harness = Harness { pieces: Vec::new(), operations: Vec::new(), object: name };
        harness.object(source, object);
        let made = makers.iter().find(|(ty, _)| *ty == harness.object).map(|(_, with)| with.as_str());
        harness.maker(source, object, &functions, made)?;
        let mut chosen: Vec<&OwnFunction<'_>> = Vec::new();
        let is_lane = |function: &OwnFunction<'_>| {
            lanes.iter().any(|lane| {
                lane.module == function.module
                    && lane.lines == function.lines
                    && lane.name() == function.name()
            })
        };
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
        chosen.truncate(OPERATIONS);
        for function in &chosen {
            harness.operation(function, source);
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
        self.pieces.push(Piece { module, kind, parts, dropped: false });
        self.pieces.len() - 1
    }

    fn object(&mut self, source: &CrateSource, object: Option<&OwnType<'_>>) {
        let head = "impl crate::__robust::Subject for crate::__robust::Here { type Object = ";
        let texts = match object {
            None => vec![format!("{head}(); }}")],
            Some(object) => object_arguments(source, object.generics)
                .into_iter()
                .map(|arguments| format!("{head}super::{}{arguments}; }}", object.name))
                .collect(),
        };
        self.push(object.map_or(0, |object| object.module), Kind::Object, vec![Part { texts, at: 0 }]);
    }

    /// How the object is made: by the user's own function, a constructor, or `Default`.
    fn maker(
        &mut self,
        source: &CrateSource,
        object: Option<&OwnType<'_>>,
        functions: &[OwnFunction<'_>],
        told: Option<&str>,
    ) -> Result<(), NotDriven> {
        let text = |expression: &str| {
            format!(
                "impl crate::__robust::Maker for crate::__robust::Here {{ fn make_object(numbers: &mut crate::__robust::Numbers) -> std::sync::Arc<crate::__robust::Object> {{ {expression} }} }}"
            )
        };
        let Some(object) = object else {
            self.push(0, Kind::Maker, vec![Part::one(text("std::sync::Arc::new(())"))]);
            return Ok(());
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
        if module == object.module
            && let Some(literal) = literal(object, true)
        {
            texts.push(text(&format!("std::sync::Arc::new({literal})")));
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

    fn operation(&mut self, function: &OwnFunction<'_>, source: &CrateSource) {
        let number = self.operations.len();
        let name = match function.self_type() {
            Some(own) => format!("{own}::{}", function.name()),
            None => function.name(),
        };
        let head = format!(
            "impl crate::__robust::Op<{number}> for crate::__robust::Here {{ fn run(object: &std::sync::Arc<crate::__robust::Object>, numbers: &mut crate::__robust::Numbers) -> std::string::String {{ "
        );
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
                    "{head}{lets}let value = {call}; let depth = 0; let text = crate::__robust::result(|| {look}); crate::__robust::kept(text, value) }} }}"
                )
            }));
        }
        let missing = texts
            .is_empty()
            .then(|| "it is `unsafe`, or takes its object in a way that is not driven".to_owned());
        texts.push(format!("{head} panic!() }} }}"));
        let piece = self.push(function.module, Kind::Operation, vec![Part { texts, at: 0 }]);
        let function = (function.module, function.lines, function.name());
        self.operations.push(Operation { name, piece, function, missing });
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
        expressions.extend(literal(ty, false));
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
        let of = &mut self.pieces[piece];
        let kind = of.kind;
        of.parts[part].at += 1;
        let left = of.parts[part].texts.len() - of.parts[part].at.min(of.parts[part].texts.len());
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

    /// Other type arguments for the object.
    fn next_object(&mut self, why: &str) -> Result<(), NotDriven> {
        let Some(object) = self.pieces.iter_mut().find(|piece| piece.kind == Kind::Object) else {
            return Err(NotDriven(why.to_owned()));
        };
        object.parts[0].at += 1;
        if object.parts[0].at >= object.parts[0].texts.len() {
            return Err(NotDriven(format!("{}: {why}", no_way(&self.object))));
        }
        self.again();
        Ok(())
    }

    fn again(&mut self) {
        for piece in &mut self.pieces {
            if matches!(piece.kind, Kind::Maker | Kind::Operation) {
                piece.parts[0].at = 0;
            }
        }
        for operation in &mut self.operations {
            operation.missing = None;
        }
    }

    /// The text of a module's pieces, and which lines (from 1) are of which part of which piece.
    pub fn text(&self, module: usize) -> (String, Vec<(usize, usize, usize, usize)>) {
        let (mut text, mut lines) = (String::new(), Vec::new());
        let mut line = 1;
        for (index, piece) in self.pieces.iter().enumerate().filter(|(_, piece)| piece.module == module) {
            if piece.dropped {
                continue;
            }
            for (number, part) in piece.parts.iter().enumerate() {
                let Some(own) = part.texts.get(part.at) else { continue };
                let count = own.trim_end().lines().count().max(1);
                let _ = writeln!(text, "{}", own.trim_end());
                lines.push((line, line + count, index, number));
                line += count;
            }
        }
        (text, lines)
    }

    /// The modules with pieces.
    pub fn modules(&self) -> BTreeSet<usize> {
        self.pieces.iter().map(|piece| piece.module).filter(|&module| module != ROOT).collect()
    }

    /// The table of operations. One whose module is not part of this build has no entry that compiles.
    fn table(&mut self) {
        let mut parts =
            vec![Part::one("pub static OPS: &[(&str, fn(&Arc<Object>, &mut Numbers) -> String)] = &[")];
        for (number, operation) in self.operations.iter().enumerate() {
            let name = &operation.name;
            parts.push(Part {
                texts: vec![
                    format!("({name:?}, <Here as Op<{number}>>::run),"),
                    format!("({name:?}, |_, _| panic!()),"),
                ],
                at: 0,
            });
        }
        parts.push(Part::one("];"));
        self.push(ROOT, Kind::Table, parts);
    }
}

/// The module of the fixed part.
pub const ROOT: usize = usize::MAX;

fn no_way(name: &str) -> String {
    format!(
        "no way to make `{name}` was found: add  [[make]] type = \"{name}\" with = \"crate::path::to::a_function\"  to robust.toml"
    )
}

fn find<'t, 's>(types: &'t [OwnType<'s>], name: &str) -> Option<&'t OwnType<'s>> {
    types.iter().find(|ty| ty.name == name)
}

/// The type of that name, that of the module itself if there are several.
fn find_from<'t, 's>(types: &'t [OwnType<'s>], name: &str, module: usize) -> Option<&'t OwnType<'s>> {
    types.iter().find(|ty| ty.name == name && ty.module == module).or_else(|| find(types, name))
}

/// The one type that all these functions are methods of.
fn shared_type<'t, 's>(
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
fn reachable<'t, 's>(
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

fn with_bound(generics: &mut syn::Generics, bound: &str) {
    let params: Vec<syn::Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    let clause = generics.make_where_clause();
    for param in params {
        if let Ok(predicate) = syn::parse_str(&format!("{param}: {bound}")) {
            clause.predicates.push(predicate);
        }
    }
}

/// How values of a type are shown: by their fields, private ones as well.
fn show(source: &CrateSource, ty: &OwnType<'_>) -> Vec<Part> {
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
