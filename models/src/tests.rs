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
    let mut seen = std::collections::HashSet::new();
    for library in Models::built_in().libraries() {
        let functions = library.functions.iter().flat_map(|function| function.path.iter());
        for path in functions {
            assert!(seen.insert(path.to_owned()), "{path} has two entries ({})", library.library);
        }
    }
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
