//! Two producers and a consumer.

use tokio::sync::mpsc;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (numbers, mut inbox) = mpsc::channel::<u64>(8);
    let even = tokio::spawn(produce(numbers.clone(), 0));
    let odd = tokio::spawn(produce(numbers, 1));
    let consumer = tokio::spawn(async move {
        let mut sum = 0;
        while let Some(number) = inbox.recv().await {
            sum += number;
        }
        sum
    });
    even.await.unwrap();
    odd.await.unwrap();
    println!("{}", consumer.await.unwrap());
}

async fn produce(numbers: mpsc::Sender<u64>, first: u64) {
    for number in (first..100).step_by(2) {
        if numbers.send(number).await.is_err() {
            return;
        }
    }
}
