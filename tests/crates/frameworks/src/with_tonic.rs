//! Methods of a service take a request.
use std::sync::Mutex;

use tonic::{Request, Response, Status};

/// As it is generated from a description of the service.
pub trait Bank {
    fn withdraw(&self, request: Request<u64>) -> impl Future<Output = Result<Response<()>, Status>>;
    fn deposit(&self, request: Request<u64>) -> impl Future<Output = Result<Response<()>, Status>>;
}

#[derive(Default)]
pub struct Accounts {
    balance: Mutex<u64>,
}

impl Bank for Accounts {
    async fn withdraw(&self, request: Request<u64>) -> Result<Response<()>, Status> {
        let amount = request.into_inner();
        if *self.balance.lock().unwrap() < amount { //~
            return Err(Status);
        }
        *self.balance.lock().unwrap() -= amount; //~
        Ok(Response(()))
    }

    async fn deposit(&self, request: Request<u64>) -> Result<Response<()>, Status> {
        *self.balance.lock().unwrap() += request.into_inner();
        Ok(Response(()))
    }
}

pub fn use_it() {
    let _accounts = Accounts::default();
}
