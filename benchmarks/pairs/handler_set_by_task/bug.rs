//! `on_text` starts a task that sets the handler: of two, one after the other, the first may stay, and what comes before the task ran finds no handler.
use std::sync::Arc;
use tokio::sync::{mpsc, Mutex};
type Handler = Arc<Mutex<Option<Box<dyn Fn(String) + Send + Sync>>>>;
pub struct Connection { handler: Handler, lines: Arc<Mutex<mpsc::Receiver<String>>> }
impl Connection {
    pub fn new(lines: mpsc::Receiver<String>) -> Self { Self { handler: Arc::default(), lines: Arc::new(Mutex::new(lines)) } }
    pub async fn on_text(&self, f: impl Fn(String) + Send + Sync + 'static) {
        let handler = self.handler.clone();
        tokio::spawn(async move {
            *handler.lock().await = Some(Box::new(f)); //~
        });
    }
    pub fn open(&self) {
        let (handler, lines) = (self.handler.clone(), self.lines.clone());
        tokio::spawn(async move {
            while let Some(line) = lines.lock().await.recv().await {
                match handler.lock().await.as_ref() { //~
                    Some(f) => f(line),
                    None => println!("nobody wants {line}"),
                }
            }
        });
    }
}
pub async fn serve(lines: mpsc::Receiver<String>) {
    let connection = Connection::new(lines);
    connection.on_text(|line| println!("first: {line}")).await;
    connection.on_text(|line| println!("second: {line}")).await;
    connection.open();
}
