// payjoin/ohttp-relay, issue #51: uri_to_addr is async and resolves with tokio::net::lookup_host, which runs the lookup on the blocking pool (within the timeout of the connect), so a slow zone delays only its own request.
use axum::http::{StatusCode, Uri};
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{copy_bidirectional, AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tracing::{error, info, instrument, warn};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub enum Error { BadRequest(&'static str), BadGateway, NotOptedIn, Io(std::io::Error) }

impl Error {
    fn status(&self) -> StatusCode {
        match self {
            Error::BadRequest(_) => StatusCode::BAD_REQUEST,
            Error::NotOptedIn => StatusCode::FORBIDDEN,
            Error::BadGateway | Error::Io(_) => StatusCode::BAD_GATEWAY,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(e: std::io::Error) -> Self {
        Error::Io(e)
    }
}

pub struct RelayConfig { pub default_gateway: Uri, pub opted_in: HashSet<String>, pub max_connections: usize }

/// Accepts clients that want to bootstrap the keys of a gateway through the relay.
pub async fn listen(listener: TcpListener, config: Arc<RelayConfig>) -> Result<(), Error> {
    let permits = Arc::new(Semaphore::new(config.max_connections));
    loop {
        let permit = permits.clone().acquire_owned().await.expect("the semaphore is never closed");
        let (stream, peer) = listener.accept().await?;
        let config = config.clone();
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(e) = serve_ohttp_relay(stream, &config).await {
                error!("Error serving {peer}: {e:?}");
            }
        });
    }
}

#[instrument(skip_all)]
async fn serve_ohttp_relay(stream: TcpStream, config: &RelayConfig) -> Result<(), Error> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    match try_connect(&line, config).await {
        Ok(gateway) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            tunnel(stream, gateway).await
        }
        Err(e) => {
            stream.write_all(format!("HTTP/1.1 {}\r\n\r\n", e.status()).as_bytes()).await?;
            Err(e)
        }
    }
}

async fn try_connect(line: &str, config: &RelayConfig) -> Result<TcpStream, Error> {
    let target = match line.split_whitespace().collect::<Vec<_>>()[..] {
        ["CONNECT", target, _version] => target,
        _ => return Err(Error::BadRequest("only CONNECT is supported")),
    };
    let uri: Uri = match target {
        "/" => config.default_gateway.clone(),
        _ => target.parse().map_err(|_| Error::BadRequest("not a uri"))?,
    };
    if uri != config.default_gateway && !uri.host().is_some_and(|host| config.opted_in.contains(host)) {
        warn!("gateway {uri} has not opted in");
        return Err(Error::NotOptedIn);
    }
    let connect = async {
        let addr = uri_to_addr(&uri).await.ok_or(Error::BadGateway)?;
        Ok(TcpStream::connect(addr).await?)
    };
    match tokio::time::timeout(CONNECT_TIMEOUT, connect).await {
        Ok(connected) => connected,
        Err(_) => Err(Error::BadGateway),
    }
}

/// The address of the gateway, https unless the uri has a port.
async fn uri_to_addr(uri: &Uri) -> Option<SocketAddr> {
    let host = uri.host()?;
    let port = uri.port_u16().unwrap_or(443);
    let mut addrs = tokio::net::lookup_host((host, port)).await.ok()?;
    addrs.next()
}

async fn tunnel(mut client: BufReader<TcpStream>, mut gateway: TcpStream) -> Result<(), Error> {
    let (sent, received) = copy_bidirectional(&mut client, &mut gateway).await?;
    info!(sent, received, "tunnel closed");
    Ok(())
}
