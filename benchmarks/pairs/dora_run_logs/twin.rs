// The handle of the printer is kept and joined once the dataflow is over, on both ways out: all senders are gone by then (they were moved into it), so the printer drains the channel and ends.
use std::fmt;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum LogLevel { Debug, Info, Error }

struct LogMessage {
    node_id: String,
    level: LogLevel,
    message: String,
}

impl fmt::Display for LogMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}: {}", self.level, self.node_id, self.message)
    }
}

struct LogOutputConfig {
    min_level: LogLevel,
}

fn print_log_message(message: LogMessage, config: &LogOutputConfig) {
    if message.level >= config.min_level {
        // terminals are slow
        thread::sleep(Duration::from_millis(2));
        println!("{}", message);
    }
}

struct Node {
    id: String,
    steps: u32,
    fails_at: Option<u32>,
}

impl Node {
    fn run(self, log_tx: flume::Sender<LogMessage>) -> anyhow::Result<()> {
        let log = |level, message: String| {
            let _ = log_tx.send(LogMessage { node_id: self.id.clone(), level, message });
        };
        for step in 0..self.steps {
            log(LogLevel::Debug, format!("input {}", step));
            if self.fails_at == Some(step) {
                log(LogLevel::Error, format!("failed on input {}", step));
                anyhow::bail!("node {} failed", self.id);
            }
            log(LogLevel::Info, format!("output {}", step));
        }
        Ok(())
    }
}

fn run_dataflow(nodes: Vec<Node>, log_tx: flume::Sender<LogMessage>) -> anyhow::Result<()> {
    let mut running = Vec::new();
    for node in nodes {
        let log_tx = log_tx.clone();
        running.push(thread::spawn(move || node.run(log_tx)));
    }
    let mut result = Ok(());
    for node in running {
        let outcome = node.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a node panicked")));
        result = result.and(outcome);
    }
    result
}

fn main() -> ExitCode {
    let config = LogOutputConfig { min_level: LogLevel::Info };
    let (log_tx, log_rx) = flume::bounded(100);
    let printer = thread::spawn(move || {
        for message in log_rx {
            print_log_message(message, &config);
        }
    });
    let nodes = vec![
        Node { id: "camera".into(), steps: 30, fails_at: None },
        Node { id: "detector".into(), steps: 30, fails_at: Some(25) },
    ];
    let result = run_dataflow(nodes, log_tx);
    if printer.join().is_err() {
        eprintln!("the log printer panicked");
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("dataflow failed: {}", err);
            ExitCode::FAILURE
        }
    }
}
