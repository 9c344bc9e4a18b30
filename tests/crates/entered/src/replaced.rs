//! What is to be replaced is taken out first: for a while there is nothing.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};

/// Readers take it for granted that there is a theme, and there is none while another one is loaded.
pub struct Themes {
    themes: RwLock<HashMap<String, Arc<str>>>,
}

impl Default for Themes {
    fn default() -> Self {
        Themes { themes: RwLock::new(HashMap::from([("light".to_owned(), "".into())])) }
    }
}

impl Themes {
    pub fn reload(&self, name: &str) {
        self.themes.write().unwrap().remove(name); //~
        let theme: Arc<str> = std::fs::read_to_string(name).unwrap_or_default().into();
        self.themes.write().unwrap().insert(name.to_owned(), theme); //~
    }

    pub fn get(&self, name: &str) -> Arc<str> {
        self.themes.read().unwrap().get(name).expect("a theme").clone() //~
    }
}

/// Who finds none takes the first one instead.
pub struct Locales {
    locales: RwLock<HashMap<String, Arc<str>>>,
}

impl Default for Locales {
    fn default() -> Self {
        Locales { locales: RwLock::new(HashMap::from([("en".to_owned(), "".into())])) }
    }
}

impl Locales {
    pub fn reload(&self, name: &str) {
        self.locales.write().unwrap().remove(name); //~
        let locale: Arc<str> = std::fs::read_to_string(name).unwrap_or_default().into();
        self.locales.write().unwrap().insert(name.to_owned(), locale); //~
    }

    fn find(&self, name: &str) -> Option<Arc<str>> {
        self.locales.read().unwrap().get(name).cloned() //~
    }

    pub fn get(&self, name: &str) -> Arc<str> {
        match self.find(name) {
            Some(locale) => locale,
            None => self.find("en").unwrap(),
        }
    }
}

/// Replaced in one step.
pub struct Fonts {
    fonts: RwLock<HashMap<String, Arc<str>>>,
}

impl Default for Fonts {
    fn default() -> Self {
        Fonts { fonts: RwLock::new(HashMap::from([("serif".to_owned(), "".into())])) }
    }
}

impl Fonts {
    pub fn reload(&self, name: &str) {
        let font: Arc<str> = std::fs::read_to_string(name).unwrap_or_default().into();
        self.fonts.write().unwrap().insert(name.to_owned(), font);
    }

    pub fn get(&self, name: &str) -> Arc<str> {
        self.fonts.read().unwrap().get(name).expect("a font").clone()
    }
}

/// What is started anew is not there meanwhile, as everybody expects.
#[derive(Default)]
pub struct Services {
    services: RwLock<HashMap<String, Arc<str>>>,
}

impl Services {
    pub fn restart(&self, name: &str) {
        let old = self.services.write().unwrap().remove(name);
        drop(old);
        let service: Arc<str> = std::fs::read_to_string(name).unwrap_or_default().into();
        self.services.write().unwrap().insert(name.to_owned(), service);
    }

    pub fn get(&self, name: &str) -> Option<Arc<str>> {
        self.services.read().unwrap().get(name).cloned()
    }
}

/// Others take out for good, and who asks for what is not there has made a mistake.
pub struct Plugins {
    plugins: RwLock<HashMap<String, Arc<str>>>,
}

impl Default for Plugins {
    fn default() -> Self {
        Plugins { plugins: RwLock::new(HashMap::from([("core".to_owned(), "".into())])) }
    }
}

impl Plugins {
    pub fn reload(&self, name: &str) {
        self.plugins.write().unwrap().remove(name);
        let plugin: Arc<str> = std::fs::read_to_string(name).unwrap_or_default().into();
        self.plugins.write().unwrap().insert(name.to_owned(), plugin);
    }

    pub fn unload(&self, name: &str) {
        self.plugins.write().unwrap().remove(name);
    }

    pub fn get(&self, name: &str) -> Arc<str> {
        self.plugins.read().unwrap().get(name).expect("a plugin").clone()
    }
}
