//! The signatures of rocket that the fixtures use.
pub struct State<T>(T);

impl<T> std::ops::Deref for State<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

pub struct Request;

impl Request {
    pub fn guard<T>(&self) -> Option<&State<T>> {
        None
    }
}

pub struct Data;
