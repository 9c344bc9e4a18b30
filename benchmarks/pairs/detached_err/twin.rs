//! The task tells its error.
use std::sync::Arc;
use tokio::sync::mpsc;
#[derive(Debug)]
pub enum UploadError { Refused(u16), Gone }
pub trait Remote: Send + Sync + 'static { fn put(&self, bytes: &[u8]) -> Result<(), u16>; }
pub struct Uploader<R> { remote: Arc<R>, errors: mpsc::UnboundedSender<UploadError> }
impl<R: Remote> Uploader<R> {
    pub fn new(remote: R, errors: mpsc::UnboundedSender<UploadError>) -> Self { Uploader { remote: Arc::new(remote), errors } }
    async fn upload(remote: Arc<R>, bytes: Vec<u8>) -> Result<usize, UploadError> {
        if bytes.is_empty() { return Err(UploadError::Gone); }
        remote.put(&bytes).map_err(UploadError::Refused)?;
        Ok(bytes.len())
    }
    pub fn later(&self, bytes: Vec<u8>) {
        let remote = self.remote.clone();
        let errors = self.errors.clone();
        tokio::spawn(async move {
            if let Err(error) = Self::upload(remote, bytes).await { let _ = errors.send(error); }
        });
    }
}
pub struct Fake;
impl Remote for Fake { fn put(&self, b: &[u8]) -> Result<(), u16> { if b.len() > 9 { Err(413) } else { Ok(()) } } }
pub fn fake(errors: mpsc::UnboundedSender<UploadError>) -> Uploader<Fake> { Uploader::new(Fake, errors) }
