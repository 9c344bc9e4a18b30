//! Settings, looked up once.

use std::sync::OnceLock;

pub struct Settings {
    pub home: String,
    pub verbose: bool,
}

#[derive(Default)]
pub struct Lazy {
    settings: OnceLock<Settings>,
}

impl Lazy {
    pub fn home(&self) -> &str {
        &self.settings().home
    }

    pub fn verbose(&self) -> bool {
        self.settings().verbose
    }

    fn settings(&self) -> &Settings {
        self.settings.get_or_init(|| Settings {
            home: std::env::var("HOME").unwrap_or_default(),
            verbose: std::env::var_os("VERBOSE").is_some(),
        })
    }
}
