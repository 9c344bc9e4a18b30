// JagritGumber/evolvsql, PR #62: the LSN is drawn inside the writer's lock, under which its frame is written too, so the order of the file is that of the numbers.
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

pub type Lsn = u64;

#[derive(Debug)]
pub enum WalError {
    Io(io::Error),
    /// An earlier append has failed halfway; nothing can be appended behind it.
    Broken,
    OutOfOrder { expected: Lsn, found: Lsn },
}

impl From<io::Error> for WalError {
    fn from(err: io::Error) -> Self {
        WalError::Io(err)
    }
}

/// Where frames are written to.
pub trait WalFile: Write + Send {
    fn sync(&mut self) -> io::Result<()>;
}

impl WalFile for std::fs::File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SyncPolicy {
    Always,
    Never,
}

struct WriterState<W> {
    file: W,
    broken: bool,
}

pub struct WalWriter<W> {
    state: Mutex<WriterState<W>>,
    next_lsn: AtomicU64,
    policy: SyncPolicy,
}

fn encode_frame(lsn: Lsn, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(12 + payload.len());
    frame.extend_from_slice(&lsn.to_le_bytes());
    frame.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    frame.extend_from_slice(payload);
    frame
}

impl<W: WalFile> WalWriter<W> {
    pub fn new(file: W, starting_lsn: Lsn, policy: SyncPolicy) -> Self {
        Self {
            state: Mutex::new(WriterState { file, broken: false }),
            next_lsn: AtomicU64::new(starting_lsn),
            policy,
        }
    }

    /// Appends a record; once this returns it is as durable as the policy says.
    pub fn append(&self, payload: &[u8]) -> Result<Lsn, WalError> {
        let mut state = self.state.lock().unwrap();
        if state.broken {
            return Err(WalError::Broken);
        }
        let lsn = self.next_lsn.fetch_add(1, Ordering::SeqCst);
        let written = self.write_frame(&mut state.file, &encode_frame(lsn, payload));
        if let Err(err) = written {
            state.broken = true;
            return Err(err.into());
        }
        Ok(lsn)
    }

    fn write_frame(&self, file: &mut W, frame: &[u8]) -> io::Result<()> {
        file.write_all(frame)?;
        match self.policy {
            SyncPolicy::Always => file.sync(),
            SyncPolicy::Never => Ok(()),
        }
    }

    pub fn close(self) -> Result<W, WalError> {
        let mut state = self.state.into_inner().unwrap();
        state.file.sync()?;
        Ok(state.file)
    }
}

/// Reads the frames in the order of the file, up to a torn one.
pub struct WalReader<R> {
    file: R,
    expected: Lsn,
}

impl<R: Read> WalReader<R> {
    pub fn new(file: R, starting_lsn: Lsn) -> Self {
        Self { file, expected: starting_lsn }
    }

    fn next_frame(&mut self) -> io::Result<(Lsn, Vec<u8>)> {
        let mut header = [0; 12];
        self.file.read_exact(&mut header)?;
        let lsn = Lsn::from_le_bytes(header[..8].try_into().unwrap());
        let mut payload = vec![0; u32::from_le_bytes(header[8..].try_into().unwrap()) as usize];
        self.file.read_exact(&mut payload)?;
        Ok((lsn, payload))
    }

    /// Replays the log and returns the number with which the next writer has to begin.
    pub fn replay(mut self, mut apply: impl FnMut(Lsn, &[u8])) -> Result<Lsn, WalError> {
        loop {
            let (lsn, payload) = match self.next_frame() {
                Ok(frame) => frame,
                Err(err) if err.kind() == io::ErrorKind::UnexpectedEof => return Ok(self.expected),
                Err(err) => return Err(err.into()),
            };
            if lsn != self.expected {
                return Err(WalError::OutOfOrder { expected: self.expected, found: lsn });
            }
            apply(lsn, &payload);
            self.expected += 1;
        }
    }
}
