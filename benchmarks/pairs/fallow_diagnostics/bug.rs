// fallow (language server), issue #450 / PR #535: `run_analysis` copies the documents, analyses them on the blocking pool and publishes what it found, without asking whether `did_change` has moved a document on meanwhile: the editor shows findings on lines that are no longer there.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, Mutex, RwLock};

pub type Uri = String;

/// Line and message.
pub type Diagnostic = (usize, String);

#[derive(Debug)]
pub struct PublishDiagnostics {
    pub uri: Uri,
    pub version: i32,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Clone)]
struct Document {
    version: i32,
    /// Counts all texts ever opened or changed, so it is unique over close and reopen.
    revision: u64,
    text: Arc<str>,
}

#[derive(Default)]
struct Documents {
    revision: u64,
    open: HashMap<Uri, Document>,
}

impl Documents {
    fn set(&mut self, uri: Uri, version: i32, text: &str) {
        self.revision += 1;
        self.open.insert(uri, Document { version, revision: self.revision, text: text.into() });
    }
}

fn analyze(documents: &HashMap<Uri, Document>) -> HashMap<Uri, Vec<Diagnostic>> {
    let finding = |(line, text): (usize, &str)| {
        text.starts_with("import unused").then(|| (line, "unused import".to_string()))
    };
    documents
        .iter()
        .map(|(uri, document)| (uri.clone(), document.text.lines().enumerate().filter_map(finding).collect()))
        .collect()
}

pub struct Backend {
    client: mpsc::UnboundedSender<PublishDiagnostics>,
    documents: RwLock<Documents>,
    analysis_guard: Mutex<()>,
}

impl Backend {
    pub fn new(client: mpsc::UnboundedSender<PublishDiagnostics>) -> Self {
        Backend { client, documents: RwLock::default(), analysis_guard: Mutex::default() }
    }

    pub async fn did_open(&self, uri: Uri, version: i32, text: &str) {
        self.documents.write().await.set(uri, version, text);
        self.run_analysis().await;
    }

    pub async fn did_change(&self, uri: Uri, version: i32, text: &str) {
        let mut documents = self.documents.write().await;
        if documents.open.get(&uri).is_some_and(|document| document.version < version) {
            documents.set(uri, version, text); //~
        }
    }

    pub async fn did_save(&self) {
        self.run_analysis().await;
    }

    pub async fn did_close(&self, uri: &str) {
        self.documents.write().await.open.remove(uri);
    }

    async fn run_analysis(&self) {
        let _running = self.analysis_guard.lock().await;
        let snapshot = Arc::new(self.documents.read().await.open.clone());
        let analyzed = Arc::clone(&snapshot);
        let found = match tokio::task::spawn_blocking(move || analyze(&analyzed)).await {
            Ok(found) => found,
            Err(err) => {
                tracing::error!("the analysis failed: {err}");
                return;
            }
        };
        self.publish_collected(&snapshot, found).await;
    }

    async fn publish_collected(&self, snapshot: &HashMap<Uri, Document>, found: HashMap<Uri, Vec<Diagnostic>>) {
        for (uri, diagnostics) in found {
            let Some(analyzed) = snapshot.get(&uri) else { continue };
            let version = analyzed.version;
            let _ = self.client.send(PublishDiagnostics { uri, version, diagnostics }); //~
        }
    }
}
