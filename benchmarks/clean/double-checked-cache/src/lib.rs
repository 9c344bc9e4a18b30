//! Compiled patterns by source.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

pub struct Pattern {
    words: Vec<String>,
}

impl Pattern {
    pub fn matches(&self, text: &str) -> bool {
        self.words.iter().all(|word| text.contains(word.as_str()))
    }
}

#[derive(Default)]
pub struct Cache {
    patterns: RwLock<HashMap<String, Arc<Pattern>>>,
}

impl Cache {
    pub fn get(&self, source: &str) -> Arc<Pattern> {
        let known = self.patterns.read().unwrap().get(source).cloned();
        if let Some(pattern) = known {
            return pattern;
        }
        let pattern = Arc::new(compile(source));
        self.patterns.write().unwrap().entry(source.to_owned()).or_insert(pattern).clone()
    }
}

fn compile(source: &str) -> Pattern {
    Pattern { words: source.split('*').map(str::to_owned).collect() }
}
