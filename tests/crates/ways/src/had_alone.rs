//! What is in a lock that is had alone is not asked for: nobody else has it meanwhile, be it for long. Who takes the lock each time has others come in between.

use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Receipt {
    sum: Option<u64>,
}

/// The receipts are sent when all who write them have gone.
pub struct Cashier {
    receipts: Arc<Vec<Mutex<Receipt>>>,
}

async fn send(sum: u64) -> Result<(), ()> {
    tokio::task::yield_now().await;
    if sum == 0 { Err(()) } else { Ok(()) }
}

impl Cashier {
    pub fn new(n: usize) -> Self {
        Cashier { receipts: Arc::new((0..n).map(|_| Mutex::default()).collect()) }
    }
    async fn report(&mut self) -> Result<(), ()> {
        for receipt in Arc::get_mut(&mut self.receipts).expect("nobody writes now") {
            let receipt = receipt.get_mut().unwrap();
            if let Some(sum) = receipt.sum.take() {
                if let Err(error) = send(sum).await {
                    receipt.sum = Some(sum);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
    pub async fn run(&mut self) -> Result<(), ()> {
        self.report().await?;
        let mut all = tokio::task::JoinSet::new();
        for number in 0..self.receipts.len() {
            let receipts = self.receipts.clone();
            all.spawn(async move { receipts[number].lock().unwrap().sum = Some(1) });
        }
        while all.join_next().await.is_some() {}
        Ok(())
    }
}

/// The same, while they are written.
#[derive(Clone, Default)]
pub struct Till {
    receipt: Arc<Mutex<Receipt>>,
}

impl Till {
    pub async fn report(&self) -> Result<(), ()> {
        let sum = self.receipt.lock().unwrap().sum.take(); //~
        let Some(sum) = sum else { return Ok(()) };
        if let Err(error) = send(sum).await {
            self.receipt.lock().unwrap().sum = Some(sum); //~
            return Err(error);
        }
        Ok(())
    }
    pub fn write(&self, sum: u64) {
        self.receipt.lock().unwrap().sum = Some(sum); //~
    }
}
