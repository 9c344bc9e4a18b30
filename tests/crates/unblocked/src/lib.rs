//! Sockets of the standard library that fail where they would keep somebody waiting.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};

pub struct Door {
    listener: TcpListener,
}

impl Door {
    pub fn new(listener: TcpListener) -> io::Result<Door> {
        listener.set_nonblocking(true)?;
        Ok(Door { listener })
    }

    pub async fn open(&self) -> io::Result<SocketAddr> {
        loop {
            match self.listener.accept() { //~ blocking-in-async note
                Ok((_, from)) => return Ok(from),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => tokio::task::yield_now().await,
                Err(error) => return Err(error),
            }
        }
    }
}

/// How a connection is made is another matter.
pub async fn call(address: SocketAddr) -> io::Result<TcpStream> {
    TcpStream::connect(address) //~ blocking-in-async
}
