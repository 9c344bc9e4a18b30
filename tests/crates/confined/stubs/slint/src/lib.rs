//! The signatures of slint that the fixtures use.
pub struct Weak<T>(T);

impl<T: Clone> Weak<T> {
    pub fn of(of: T) -> Self {
        Weak(of)
    }

    pub fn upgrade(&self) -> Option<T> {
        Some(self.0.clone())
    }

    pub fn unwrap(&self) -> T {
        self.0.clone()
    }

    pub fn upgrade_in_event_loop(&self, _f: impl FnOnce(T) + Send + 'static) {}
}
