//! What implements a trait of a library that no model speaks of, and is given to a library, is called by it.
use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use tower_service::Service;

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

#[derive(Clone, Default)]
struct Desk {
    lines: Arc<Mutex<HashMap<String, bool>>>,
}

impl Service<Request<Body>> for Desk {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        let lines = self.lines.clone();
        Box::pin(async move {
            let number = request.uri().path().to_owned();
            if !lines.lock().unwrap().contains_key(&number) { //~
                tokio::task::yield_now().await;
                lines.lock().unwrap().insert(number, true); //~
            }
            Ok(Response::new(Body::empty()))
        })
    }
}

/// Decides under one lock.
#[derive(Clone, Default)]
struct Careful {
    lines: Arc<Mutex<HashMap<String, bool>>>,
}

impl Service<Request<Body>> for Careful {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        let lines = self.lines.clone();
        Box::pin(async move {
            let number = request.uri().path().to_owned();
            tokio::task::yield_now().await;
            let mut lines = lines.lock().unwrap();
            if !lines.contains_key(&number) {
                lines.insert(number, true);
            }
            Ok(Response::new(Body::empty()))
        })
    }
}

/// Nobody gives it to anybody.
#[derive(Clone, Default)]
struct Kept {
    lines: Arc<Mutex<HashMap<String, bool>>>,
}

impl Service<Request<Body>> for Kept {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        let number = request.uri().path().to_owned();
        if !self.lines.lock().unwrap().contains_key(&number) {
            self.lines.lock().unwrap().insert(number, true);
        }
        Box::pin(async move { Ok(Response::new(Body::empty())) })
    }
}

pub fn serve() -> Router {
    let _kept = Kept::default();
    Router::new().route_service("/desk", Desk::default()).fallback_service(Careful::default())
}
