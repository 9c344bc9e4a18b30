//! The signatures of poem that the fixtures use.
pub mod web {
    pub struct Data<T>(pub T);
}

pub struct Request;

impl Request {
    pub fn data<T>(&self) -> Option<web::Data<&T>> {
        None
    }
}

pub trait Endpoint {
    fn call(&self, request: Request) -> impl Future<Output = u64>;
}
