//! A value of JSON under a lock: whether a key is there is asked and entered, under one guard.
use serde_json::Value;
use std::sync::Mutex;

pub struct Document(Mutex<Value>);

impl Document {
    pub fn new() -> Self {
        Document(Mutex::new(Value::Object(Default::default())))
    }

    pub fn claim(&self, key: &str, owner: Value) -> bool {
        let mut document = self.0.lock().unwrap();
        if document.get(key).is_some() {
            return false;
        }
        document.as_object_mut().unwrap().insert(key.to_owned(), owner);
        true
    }
}
