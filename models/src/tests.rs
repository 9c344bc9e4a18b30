use super::*;

#[test]
fn every_file_loads() {
    for (name, text) in BUILT_IN {
        let mut models = Models::default();
        models.add(name, text).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn no_path_is_said_twice() {
    let (mut seen, mut effects) = (std::collections::HashSet::new(), std::collections::HashSet::new());
    for library in Models::built_in().libraries() {
        for function in &library.functions {
            for path in function.path.iter() {
                let new = !function.has_effect() || effects.insert(path.to_owned());
                let new = new && (function.is_only_effect() || seen.insert(path.to_owned()));
                assert!(new, "{path} has two entries ({})", library.library);
            }
        }
    }
}

/// Places and demands that are named are there, once each.
#[test]
fn places_and_demands_are_declared() {
    let models = Models::built_in();
    let mut places = std::collections::HashSet::new();
    for place in models.places() {
        assert!(places.insert(&*place.name), "there are two places {}", place.name);
    }
    assert_eq!(models.undeclared(), Vec::<String>::new());
}

/// What is said of effects alone takes nothing away of what is said otherwise.
#[test]
fn effects_are_apart() {
    let mut models = Models::built_in();
    models
        .add("user", "library = \"mine\"\n[[fn]]\npath = \"std::thread::spawn\"\nblocks = \"cpu\"\n")
        .unwrap();
    assert!(models.function("std::thread::spawn").is_some_and(|function| function.spawn.is_some()));
    assert!(models.effect("std::thread::spawn").is_some_and(|function| function.blocks == Some(Blocks::Cpu)));
}

#[test]
fn paths_are_plain() {
    for library in Models::built_in().libraries() {
        let functions = library.functions.iter().flat_map(|function| function.path.iter());
        let types = library.types.iter().flat_map(|ty| ty.path.iter());
        for path in functions.chain(types) {
            assert!(!path.contains(['<', '>', ' ']), "{path}: without generic arguments, please");
            assert!(path.contains("::"), "{path}: with its crate, please");
        }
    }
}

#[test]
fn a_later_file_wins() {
    let mut models = Models::built_in();
    assert!(models.function("std::thread::spawn").is_some_and(|function| function.spawn.is_some()));
    models.add("user", "library = \"mine\"\n[[fn]]\npath = \"std::thread::spawn\"\naccess = []\n").unwrap();
    assert!(models.function("std::thread::spawn").is_some_and(|function| function.spawn.is_none()));
}

#[test]
fn unknown_keys_are_refused() {
    let error = Models::default().add("user", "library = \"mine\"\nwrong = 1\n").unwrap_err();
    assert!(error.to_string().contains("wrong"), "{error}");
}

#[test]
fn the_schema_names_everything_at_the_top() {
    let schema = json_schema();
    let text = serde_json::to_string(&schema).unwrap();
    for key in ["library", "crates", "type", "fn"] {
        assert!(text.contains(&format!("\"{key}\"")), "{key}");
    }
}

#[test]
fn the_published_schema_is_current() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/schema/models-v1.json");
    let text = std::fs::read_to_string(published).unwrap_or_default();
    assert!(text == published_schema(), "`cargo robust schema --models > {published}` updates it");
}

/// The page on models holds: its example is a model.
#[test]
fn the_example_is_a_model() {
    let page = include_str!("../../docs/src/models.md");
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let library: Library = toml::from_str(example).unwrap();
    assert_eq!(library.mistake(), None);
    let fixture = include_str!("../../tests/crates/user-models/pool.toml");
    assert_eq!(example, fixture, "tests/crates/user-models has the same model");
    // Every key of the format is explained.
    let schema = serde_json::to_value(json_schema()).unwrap();
    for part in ["Function", "Type", "Trait"] {
        for key in schema["$defs"][part]["properties"].as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{key}")) || key == "path", "{part}: {key} is not explained");
        }
    }
}

#[test]
fn nothing_shipped_is_a_mistake() {
    for library in Models::built_in().libraries() {
        assert_eq!(library.mistake(), None, "{}", library.library);
    }
}

#[test]
fn patterns_reach_into_any_depth() {
    let models = Models::built_in();
    let handler = models.function("gtk4::prelude::ButtonExt::connect_clicked");
    assert!(handler.is_some_and(|model| model.event.is_some()));
    assert!(models.function("gtk4::prelude::ButtonExt::set_label").is_none());
    assert_eq!(
        models.tr("ApplicationHandler").map(|(name, _)| name),
        Some("winit::application::ApplicationHandler")
    );
}

#[test]
fn mistakes_are_told() {
    for (text, wrong) in [
        ("[[fn]]\npath = \"a::b\"\n", "nothing is said"),
        ("[[fn]]\npath = \"b\"\naccess = []\n", "begins with its crate"),
        ("[[type]]\npath = \"a::B<T>\"\n", "without generic arguments"),
    ] {
        let library: Library = toml::from_str(&format!("library = \"mine\"\n{text}")).unwrap();
        let (_, message) = library.mistake().unwrap_or_default();
        assert!(message.contains(wrong), "{message}");
    }
}

/// A check of a value against the parts of JSON schema that the generated one uses.
fn conforms(
    schema: &serde_json::Value,
    value: &serde_json::Value,
    root: &serde_json::Value,
) -> Result<(), String> {
    use serde_json::Value::{Array, Bool, Number, Object, String as Text};
    if let Some(Text(path)) = schema.get("$ref") {
        let name = path.rsplit('/').next().unwrap_or_default();
        return conforms(&root["$defs"][name], value, root);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Array(options)) = schema.get(key) {
            return if options.iter().any(|option| conforms(option, value, root).is_ok()) {
                Ok(())
            } else {
                Err(format!("{value} is none of {options:?}"))
            };
        }
    }
    if let Some(Array(known)) = schema.get("enum") {
        return if known.contains(value) { Ok(()) } else { Err(format!("{value} is not in {known:?}")) };
    }
    if let Some(only) = schema.get("const") {
        return if only == value { Ok(()) } else { Err(format!("{value} is not {only}")) };
    }
    match value {
        Object(fields) => {
            for (name, field) in fields {
                let others = schema.get("additionalProperties").filter(|others| others.is_object());
                let part = schema.get("properties").and_then(|known| known.get(name)).or(others);
                let part = part.ok_or_else(|| format!("unknown key {name}"))?;
                conforms(part, field, root).map_err(|error| format!("{name}: {error}"))?;
            }
            let needed = schema.get("required").and_then(|list| list.as_array()).cloned().unwrap_or_default();
            match needed.iter().find(|name| !fields.contains_key(name.as_str().unwrap_or_default())) {
                Some(missing) => Err(format!("{missing} is missing")),
                None => Ok(()),
            }
        }
        Array(items) => items.iter().try_for_each(|item| conforms(&schema["items"], item, root)),
        Text(_) | Bool(_) | Number(_) => {
            let name = match value {
                Text(_) => "string",
                Bool(_) => "boolean",
                _ => "integer",
            };
            let ty = schema.get("type");
            let fits =
                ty.is_none_or(|ty| ty == name || ty.as_array().is_some_and(|all| all.contains(&name.into())));
            if fits { Ok(()) } else { Err(format!("{value} is no {ty:?}")) }
        }
        _ => Ok(()),
    }
}

#[test]
fn every_file_conforms_to_the_schema() {
    let schema = serde_json::to_value(json_schema()).unwrap();
    for (name, text) in BUILT_IN {
        let value: serde_json::Value = toml::from_str(text).unwrap();
        conforms(&schema, &value, &schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let wrong =
        serde_json::json!({ "library": "x", "fn": [{ "path": "a::b", "acquire": { "mode": "odd" } }] });
    assert!(conforms(&schema, &wrong, &schema).is_err());
}

#[test]
fn prefixes_cover_what_has_no_entry() {
    let models = Models::built_in();
    assert!(
        models.function("tokio::sync::mpsc::Sender::reserve").is_some_and(|model| model.access.is_some())
    );
    assert!(models.function("tokio::sync::mpsc::Receiver::recv").is_some_and(|model| model.source));
    assert!(models.function("tokio::net::lookup_host").is_none());
}

#[test]
fn a_crate_may_have_another_name() {
    let aliases: BTreeMap<String, String> = Models::built_in().aliases().collect();
    assert_eq!(aliases.get("core::cell").map(String::as_str), Some("std::cell"));
    assert_eq!(aliases.get("alloc::sync").map(String::as_str), Some("std::sync"));
    assert!(!aliases.contains_key("core"), "a module of one's own may have that name");
}

#[test]
fn patterns_cover_names() {
    assert!(covers("pool::Lock::take", "pool::Lock::take") && !covers("pool::Lock", "pool::Lock::take"));
    assert!(covers("pool::*", "pool::Lock::take") && !covers("pool::*", "pools::Lock"));
    assert!(
        covers("gui::*::connect_*", "gui::Button::connect_clicked")
            && !covers("gui::*::connect_*", "gui::Button::new")
    );
    assert!(covers("gui::Handler", "Handler"), "headers leave the modules out");
}
