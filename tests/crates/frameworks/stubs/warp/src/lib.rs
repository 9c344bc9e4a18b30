//! The signatures of warp that the fixtures use.
pub trait Filter: Sized {
    fn map<F>(self, _f: F) -> Any {
        Any
    }

    fn and(self, _other: impl Filter) -> Any {
        Any
    }

    fn and_then<F>(self, _f: F) -> Any {
        Any
    }
}

pub struct Any;

impl Filter for Any {}

pub fn any() -> Any {
    Any
}

pub fn path(_name: &str) -> Any {
    Any
}

pub fn serve(_filter: impl Filter) {}
