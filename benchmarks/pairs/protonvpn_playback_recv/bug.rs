// Modelled on ProtonVPN/local-agent-rs issue #14 ("Async executor blocking in `transport_playback.rs`").
// The transport that plays back a recorded session waits as long as the agent took then, with
// `std::thread::sleep` in an async function: a worker of the runtime stands still meanwhile.

use std::collections::VecDeque;
use std::time::Duration;

use async_trait::async_trait;
use thiserror::Error;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Error)]
pub enum Error {
    #[error("line {0} of the recording: {1}")]
    Recording(usize, &'static str),
    #[error("the recording has ended")]
    Ended,
    #[error("nobody listens")]
    NoListener,
}

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    StatusGet,
    FeaturesSet(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response {
    Status(String),
    Error(u32),
}

#[async_trait]
pub trait Transport: Send {
    async fn send(&mut self, request: Request) -> Result<()>;
    async fn recv(&mut self) -> Result<Response>;
}

struct Recorded {
    after: Duration,
    response: Response,
}

fn parse_line(number: usize, line: &str) -> Result<Recorded> {
    let mut words = line.splitn(3, ' ');
    let seconds = words
        .next()
        .and_then(|w| w.parse().ok())
        .ok_or(Error::Recording(number, "no time"))?;
    let response = match (words.next(), words.next()) {
        (Some("status"), Some(status)) => Response::Status(status.to_string()),
        (Some("error"), Some(code)) => {
            Response::Error(code.parse().map_err(|_| Error::Recording(number, "no code"))?)
        }
        _ => return Err(Error::Recording(number, "no response")),
    };
    Ok(Recorded { after: Duration::from_secs(seconds), response })
}

/// Plays back what an agent once answered.
pub struct TransportPlayback {
    recorded: VecDeque<Recorded>,
    sent: Vec<Request>,
}

impl TransportPlayback {
    pub fn parse(recording: &str) -> Result<Self> {
        let recorded =
            recording.lines().enumerate().map(|(n, line)| parse_line(n + 1, line)).collect::<Result<_>>()?;
        Ok(Self { recorded, sent: Vec::new() })
    }

    pub fn sent(&self) -> &[Request] {
        &self.sent
    }
}

#[async_trait]
impl Transport for TransportPlayback {
    async fn send(&mut self, request: Request) -> Result<()> {
        tracing::debug!(?request, "not sent anywhere");
        self.sent.push(request);
        Ok(())
    }

    async fn recv(&mut self) -> Result<Response> {
        // First we wait a bit before we return the response
        let after = self.recorded.front().ok_or(Error::Ended)?.after;
        std::thread::sleep(after); //~
        let recorded = self.recorded.pop_front().ok_or(Error::Ended)?;
        Ok(recorded.response)
    }
}

/// Asks for the status and passes on what the agent says.
pub async fn run_agent<T: Transport>(
    mut transport: T,
    responses: mpsc::Sender<Response>,
    stop: CancellationToken,
) -> Result<()> {
    transport.send(Request::StatusGet).await?;
    loop {
        let response = tokio::select! {
            response = transport.recv() => response,
            _ = stop.cancelled() => return Ok(()),
        };
        match response {
            Ok(response) => responses.send(response).await.map_err(|_| Error::NoListener)?,
            Err(Error::Ended) => return Ok(()),
            Err(e) => return Err(e),
        }
    }
}
