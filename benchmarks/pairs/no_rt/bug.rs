//! A thread without a runtime spawns a task for each line.
use std::io::BufRead;
use std::thread::JoinHandle;
use tokio::runtime::Handle;
pub trait Sink: Clone + Send + 'static { fn put(self, line: String) -> impl Future<Output = ()> + Send; }
use std::future::Future;
pub struct Reader { handle: Handle }
impl Reader {
    pub async fn here() -> Self { Reader { handle: Handle::current() } }
    pub fn read<S: Sink>(self, sink: S) -> JoinHandle<()> {
        std::thread::spawn(move || {
            let handle = self.handle;
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                let _ = &handle;
                tokio::spawn(sink.clone().put(line)); //~
            }
        })
    }
}
#[derive(Clone)]
pub struct Print;
impl Sink for Print { async fn put(self, line: String) { println!("{line}"); } }
pub fn print(reader: Reader) { reader.read(Print); }
