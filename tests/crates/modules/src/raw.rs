//! Names that are keywords.

use std::sync::Mutex;

/// What is done is called as it is.
#[derive(Default)]
pub struct Steps {
    r#final: Mutex<u32>,
    sure: Mutex<u32>,
}

impl Steps {
    fn r#move(&self, by: u32) {
        let old = *self.r#final.lock().unwrap(); //~
        *self.r#final.lock().unwrap() = old + by; //~
    }

    async fn r#await(&self) {
        *self.sure.lock().unwrap() += 1;
    }

    pub fn go(&self) {
        self.r#move(1);
    }

    pub async fn wait(&self) {
        self.r#await().await;
        r#loop(&self.r#final).await;
    }
}

async fn r#loop(steps: &Mutex<u32>) {
    let old = *steps.lock().unwrap(); //~
    *steps.lock().unwrap() = old + 1; //~
}
