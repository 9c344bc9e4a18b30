//! A value of JSON under a lock: whether a key is there is asked in one section, and it is entered in another one; two are told that they were the first.
use serde_json::Value;
use std::sync::Mutex;

pub struct Document(Mutex<Value>);

impl Document {
    pub fn new() -> Self {
        Document(Mutex::new(Value::Object(Default::default())))
    }

    pub fn claim(&self, key: &str, owner: Value) -> bool {
        if self.0.lock().unwrap().get(key).is_some() {
            return false;
        }
        self.0.lock().unwrap().as_object_mut().unwrap().insert(key.to_owned(), owner);
        true
    }
}
