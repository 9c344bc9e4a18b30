//! The task hands it to a blocking thread.
use std::process::Command;
use std::sync::Arc;
pub trait Formatter: Send + Sync { fn format(&self, file: &str) -> Option<String>; }
pub struct External { program: String }
impl Formatter for External {
    fn format(&self, file: &str) -> Option<String> {
        let output = Command::new(&self.program).arg(file).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
pub struct Editor { formatter: Arc<dyn Formatter> }
impl Editor {
    pub fn new(program: &str) -> Self { Editor { formatter: Arc::new(External { program: program.into() }) } }
    pub fn save(&self, file: String) -> tokio::task::JoinHandle<bool> {
        let formatter = self.formatter.clone();
        tokio::spawn(async move {
            let text = tokio::task::spawn_blocking(move || formatter.format(&file)).await.ok().flatten();
            text.is_some()
        })
    }
}
