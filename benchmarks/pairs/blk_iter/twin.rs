//! On a blocking thread.
use std::io::{self, Read};
use std::net::TcpStream;
pub struct Probe { host: String, port: u16 }
fn banner(probe: &Probe) -> io::Result<String> {
    let mut stream = TcpStream::connect((probe.host.as_str(), probe.port))?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}
pub async fn banners(probes: Vec<Probe>) -> Vec<String> {
    tokio::task::spawn_blocking(move || probes.iter().filter_map(|probe| banner(probe).ok()).collect())
        .await
        .unwrap_or_default()
}
