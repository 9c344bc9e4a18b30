//! The signatures of actix-web that the fixtures use.
pub mod web {
    use std::sync::Arc;

    pub struct Data<T: ?Sized>(Arc<T>);

    impl<T> Data<T> {
        pub fn new(state: T) -> Self {
            Data(Arc::new(state))
        }
    }

    impl<T: ?Sized> Clone for Data<T> {
        fn clone(&self) -> Self {
            Data(self.0.clone())
        }
    }

    impl<T: ?Sized> std::ops::Deref for Data<T> {
        type Target = Arc<T>;
        fn deref(&self) -> &Arc<T> {
            &self.0
        }
    }

    pub fn get() -> super::Route {
        super::Route
    }
}

pub struct Route;

impl Route {
    pub fn to<H>(self, _handler: H) -> Self {
        self
    }
}

pub struct App;

impl App {
    pub fn new() -> Self {
        App
    }

    pub fn app_data<T>(self, _data: T) -> Self {
        self
    }

    pub fn route(self, _path: &str, _route: Route) -> Self {
        self
    }
}

pub struct HttpServer;

impl HttpServer {
    pub fn new<F: Fn() -> App>(_factory: F) -> Self {
        HttpServer
    }
}
