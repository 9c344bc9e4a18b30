// Repaired: the loop runs in `spawn_blocking` with `blocking_recv`, where `block_on` is allowed.
//! Builds and signs payouts; the key is held by a signing daemon that is asked over a socket.
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

pub type Digest = [u8; 32];
pub type Signature = [u8; 64];

pub trait Signer: Send + Sync {
    fn sign(&self, digest: &Digest) -> Result<Signature>;
}

/// For tests and dry runs.
pub struct ZeroSigner;

impl Signer for ZeroSigner {
    fn sign(&self, _: &Digest) -> Result<Signature> {
        Ok([0; 64])
    }
}

pub struct DaemonSigner {
    address: String,
    runtime: Handle,
}

impl DaemonSigner {
    pub fn new(address: impl Into<String>, runtime: Handle) -> Self {
        DaemonSigner { address: address.into(), runtime }
    }

    async fn ask(&self, digest: &Digest) -> Result<Signature> {
        let mut daemon = TcpStream::connect(&self.address).await.context("signing daemon")?;
        daemon.write_all(digest).await?;
        let mut signature = [0; 64];
        daemon.read_exact(&mut signature).await?;
        Ok(signature)
    }
}

impl Signer for DaemonSigner {
    fn sign(&self, digest: &Digest) -> Result<Signature> {
        self.runtime.block_on(self.ask(digest))
    }
}

pub struct Payout {
    pub account: u64,
    pub cents: u64,
}

pub struct SignedPayout {
    pub payout: Payout,
    pub signature: Signature,
}

fn digest(payout: &Payout) -> Digest {
    let mut digest = [0; 32];
    digest[..8].copy_from_slice(&payout.account.to_be_bytes());
    digest[8..16].copy_from_slice(&payout.cents.to_be_bytes());
    digest
}

fn seal(signer: &dyn Signer, payout: Payout) -> Result<SignedPayout> {
    ensure!(payout.cents > 0, "empty payout to {}", payout.account);
    let signature = signer.sign(&digest(&payout))?;
    Ok(SignedPayout { payout, signature })
}

/// Signs what comes in until the sender is dropped.
pub fn start(signer: Arc<dyn Signer>, mut wanted: mpsc::Receiver<Payout>, signed: mpsc::UnboundedSender<SignedPayout>) {
    tokio::task::spawn_blocking(move || {
        while let Some(payout) = wanted.blocking_recv() {
            match seal(&*signer, payout) {
                Ok(payout) => drop(signed.send(payout)),
                Err(error) => tracing::error!("payout left out: {error:#}"),
            }
        }
    });
}

pub fn start_with_daemon(address: &str, wanted: mpsc::Receiver<Payout>, signed: mpsc::UnboundedSender<SignedPayout>) {
    start(Arc::new(DaemonSigner::new(address, Handle::current())), wanted, signed);
}
