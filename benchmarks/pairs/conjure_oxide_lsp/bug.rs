// conjure-cp/conjure-oxide PR #1790 (LSP): `did_change` handlers run concurrently and publish what they parsed without looking at
// the document's version again; a slow parse of an old text overwrites the diagnostics (and text) of a newer one.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{mpsc, RwLock};

pub type Url = String;

#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    pub line: usize,
    pub message: String,
}

#[derive(Debug)]
pub struct PublishDiagnosticsParams {
    pub uri: Url,
    pub version: i32,
    pub diagnostics: Vec<Diagnostic>,
}

/// What the server keeps of an open document.
#[derive(Default, Clone)]
pub struct CacheCont {
    pub source: String,
    pub version: i32,
    pub diagnostics: Vec<Diagnostic>,
}

pub struct Backend {
    client: mpsc::UnboundedSender<PublishDiagnosticsParams>,
    lsp_cache: Arc<RwLock<HashMap<Url, CacheCont>>>,
}

fn parse_essence(source: &str) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut open = 0i64;
    for (line, text) in source.lines().enumerate() {
        for c in text.chars() {
            match c {
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open -= 1,
                _ => {}
            }
        }
        if open < 0 {
            diagnostics.push(Diagnostic { line, message: "unexpected closing bracket".into() });
            open = 0;
        }
        if text.starts_with("find") && !text.contains(':') {
            diagnostics.push(Diagnostic { line, message: "expected a domain after the name".into() });
        }
    }
    diagnostics
}

impl Backend {
    pub fn new(client: mpsc::UnboundedSender<PublishDiagnosticsParams>) -> Self {
        Self { client, lsp_cache: Arc::default() }
    }

    pub async fn did_open(&self, uri: Url, version: i32, text: String) {
        self.did_change(uri, version, text).await
    }

    /// The whole new text, as the client numbers it.
    pub async fn did_change(&self, uri: Url, version: i32, text: String) {
        {
            let mut cache = self.lsp_cache.write().await;
            let doc = cache.entry(uri.clone()).or_default();
            doc.source = text.clone(); //~
            doc.version = version;
        }
        let Ok(diagnostics) = tokio::task::spawn_blocking(move || parse_essence(&text)).await else {
            tracing::error!("parser panicked on {uri}");
            return;
        };
        let mut cache = self.lsp_cache.write().await;
        if let Some(doc) = cache.get_mut(&uri) {
            doc.diagnostics = diagnostics.clone(); //~
            let _ = self.client.send(PublishDiagnosticsParams { uri, version: doc.version, diagnostics }); //~
        }
    }

    pub async fn did_close(&self, uri: &Url) {
        self.lsp_cache.write().await.remove(uri);
    }

    pub async fn diagnostics_at(&self, uri: &Url, line: usize) -> Vec<Diagnostic> {
        let cache = self.lsp_cache.read().await;
        cache.get(uri).map(|doc| doc.diagnostics.iter().filter(|d| d.line == line).cloned().collect()).unwrap_or_default()
    }
}
