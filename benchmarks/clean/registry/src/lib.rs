//! Handlers by name.

use std::collections::HashMap;
use std::sync::{LazyLock, RwLock};

type Handler = fn(&str) -> String;

static BUILT_IN: LazyLock<Registry> = LazyLock::new(|| {
    let registry = Registry::default();
    registry.register("upper", |text| text.to_uppercase());
    registry.register("lower", |text| text.to_lowercase());
    registry
});

#[derive(Default)]
pub struct Registry {
    handlers: RwLock<HashMap<String, Handler>>,
}

impl Registry {
    pub fn built_in() -> &'static Registry {
        &BUILT_IN
    }

    pub fn register(&self, name: &str, handler: Handler) {
        self.handlers.write().unwrap().insert(name.to_owned(), handler);
    }

    pub fn call(&self, name: &str, text: &str) -> Option<String> {
        let handler = *self.handlers.read().unwrap().get(name)?;
        Some(handler(text))
    }
}
