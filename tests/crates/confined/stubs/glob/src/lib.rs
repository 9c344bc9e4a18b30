//! The paths of `glob` that fixtures use.
pub struct Paths;

impl Iterator for Paths {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        None
    }
}

pub fn glob(_: &str) -> Paths {
    Paths
}
