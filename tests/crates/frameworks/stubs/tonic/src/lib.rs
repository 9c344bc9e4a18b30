//! The signatures of tonic that the fixtures use.
pub struct Request<T>(T);

impl<T> Request<T> {
    pub fn into_inner(self) -> T {
        self.0
    }
}

pub struct Response<T>(pub T);

pub struct Status;
