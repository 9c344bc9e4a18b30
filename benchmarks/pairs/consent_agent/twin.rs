// Repaired: handle of a living multi-thread runtime entered before the creation, guard kept over the wait.
//! Agent of a desktop session: shows consent questions and gives up on those nobody answers.
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use futures::channel::oneshot;
use tokio::runtime::{Handle, Runtime};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Allow,
    Deny,
    TimedOut,
}

struct Question {
    program: String,
    reply: oneshot::Sender<Decision>,
}

/// What the window shows, oldest first.
#[derive(Default)]
struct Board {
    open: Mutex<VecDeque<Question>>,
}

impl Board {
    fn ask(&self, program: &str) -> oneshot::Receiver<Decision> {
        let (reply, decision) = oneshot::channel();
        self.open.lock().unwrap().push_back(Question { program: program.to_string(), reply });
        decision
    }

    /// The user pressed a button.
    fn answer(&self, decision: Decision) {
        let mut open = self.open.lock().unwrap();
        open.retain(|question| !question.reply.is_canceled());
        if let Some(question) = open.pop_front() {
            println!("{}: {decision:?}", question.program);
            let _ = question.reply.send(decision);
        }
    }
}

struct Agent {
    board: Arc<Board>,
    patience: Duration,
    runtime: Handle,
}

impl Agent {
    fn decide(&self, program: &str) -> Decision {
        let decision = self.board.ask(program);
        let _entered = self.runtime.enter();
        let limited = tokio::time::timeout(self.patience, decision);
        match futures::executor::block_on(limited) {
            Ok(Ok(decision)) => decision,
            Ok(Err(_)) => Decision::Deny,
            Err(_) => Decision::TimedOut,
        }
    }

    fn talk(&self, stream: UnixStream) -> Result<()> {
        let mut answers = stream.try_clone()?;
        for program in BufReader::new(stream).lines() {
            writeln!(answers, "{:?}", self.decide(&program?))?;
        }
        Ok(())
    }

    fn serve(self, listener: UnixListener) {
        for stream in listener.incoming().flatten() {
            if let Err(error) = self.talk(stream) {
                tracing::warn!("session broken off: {error:#}");
            }
        }
    }
}

fn main() -> Result<()> {
    let runtime = Runtime::new()?;
    let board = Arc::new(Board::default());
    let agent = Agent { board: board.clone(), patience: Duration::from_secs(30), runtime: runtime.handle().clone() };
    let listener = UnixListener::bind("/tmp/consent-agent.sock").context("is another agent running?")?;
    thread::spawn(move || agent.serve(listener));
    for line in std::io::stdin().lines() {
        board.answer(if line? == "y" { Decision::Allow } else { Decision::Deny });
    }
    Ok(())
}
