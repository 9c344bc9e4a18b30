// `blocking-in-async`: task → `fit` → `Box<dyn Probe>::check` → `std::net::TcpStream::connect_timeout` (and `read_line`, `write_all` of `Pings`).
//! Checks the backends of a proxy and publishes which of them are fit.
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::sync::watch;

pub trait Probe: Send {
    fn backend(&self) -> &str;
    fn check(&mut self) -> Result<()>;
}

/// The backend accepts connections.
pub struct Accepts {
    pub name: String,
    pub address: SocketAddr,
}

impl Probe for Accepts {
    fn backend(&self) -> &str {
        &self.name
    }

    fn check(&mut self) -> Result<()> {
        connect(&self.address).map(drop)
    }
}

/// The backend answers `PING` with `PONG`, on a connection that is kept.
pub struct Pings {
    pub name: String,
    pub address: SocketAddr,
    pub open: Option<BufReader<TcpStream>>,
}

impl Pings {
    fn ping(&self, mut backend: BufReader<TcpStream>) -> Result<BufReader<TcpStream>> {
        backend.get_mut().write_all(b"PING\r\n")?;
        let mut answer = String::new();
        backend.read_line(&mut answer)?;
        ensure!(answer.trim_end() == "PONG", "{} said {answer:?}", self.name);
        Ok(backend)
    }
}

impl Probe for Pings {
    fn backend(&self) -> &str {
        &self.name
    }

    fn check(&mut self) -> Result<()> {
        let backend = match self.open.take() {
            Some(backend) => backend,
            None => BufReader::new(connect(&self.address)?),
        };
        self.open = Some(self.ping(backend)?);
        Ok(())
    }
}

fn connect(address: &SocketAddr) -> Result<TcpStream> {
    let limit = Duration::from_secs(3);
    let stream = TcpStream::connect_timeout(address, limit).with_context(|| address.to_string())?; //~
    stream.set_read_timeout(Some(limit))?;
    Ok(stream)
}

fn fit(probes: &mut [Box<dyn Probe>]) -> BTreeSet<String> {
    let mut fit = BTreeSet::new();
    for probe in probes.iter_mut() {
        match probe.check() {
            Ok(()) => drop(fit.insert(probe.backend().to_string())),
            Err(error) => tracing::warn!("{} is not fit: {error:#}", probe.backend()),
        }
    }
    fit
}

/// Checks every few seconds until nobody looks any more.
pub fn watch(mut probes: Vec<Box<dyn Probe>>, pause: Duration) -> watch::Receiver<BTreeSet<String>> {
    let (publish, seen) = watch::channel(BTreeSet::new());
    tokio::spawn(async move {
        while publish.send(fit(&mut probes)).is_ok() {
            tokio::time::sleep(pause).await;
        }
    });
    seen
}
