// AnyiWang/OpenCovibe PR 142: `next_seq` and `append` under separate locks by the threads of stdout and stderr (the original: the file): duplicate sequence numbers, a client skips events.
//! Event log of agent runs: raw output of the child process and the events of the bus go to the
//! same log, where each line has the next sequence number.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

use anyhow::{anyhow, Context, Result};
use serde_json::{json, Value};

#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    pub seq: u64,
    pub kind: &'static str,
    pub payload: Value,
}

/// The log of one run. Append-only.
#[derive(Default)]
struct RunLog {
    events: Mutex<Vec<RunEvent>>,
}

impl RunLog {
    /// One more than the last sequence number in the log.
    fn next_seq(&self) -> u64 {
        self.events.lock().unwrap().last().map_or(1, |event| event.seq + 1) //~
    }

    fn append(&self, event: RunEvent) {
        self.events.lock().unwrap().push(event); //~
    }
}

#[derive(Default)]
pub struct EventWriter {
    runs: RwLock<HashMap<String, Arc<RunLog>>>,
}

impl EventWriter {
    pub fn create_run(&self, run_id: &str) {
        self.runs.write().unwrap().entry(run_id.to_string()).or_default();
    }

    fn run(&self, run_id: &str) -> Result<Arc<RunLog>> {
        let runs = self.runs.read().unwrap();
        runs.get(run_id).cloned().ok_or_else(|| anyhow!("no run {run_id}"))
    }

    /// Appends under the next sequence number, which is returned.
    pub fn append_event(&self, run_id: &str, kind: &'static str, payload: Value) -> Result<u64> {
        let log = self.run(run_id)?;
        let seq = log.next_seq(); //~
        log.append(RunEvent { seq, kind, payload }); //~
        Ok(seq)
    }

    /// Events from `since_seq` on; a client goes on from the last one that it has seen.
    pub fn list_events(&self, run_id: &str, since_seq: u64) -> Result<Vec<RunEvent>> {
        let log = self.run(run_id)?;
        let events = log.events.lock().unwrap();
        Ok(events.iter().filter(|event| event.seq > since_seq).cloned().collect())
    }
}

fn pump(writer: &EventWriter, run_id: &str, kind: &'static str, output: impl Read) -> Result<()> {
    for line in BufReader::new(output).lines() {
        writer.append_event(run_id, kind, json!({ "text": line? }))?;
    }
    Ok(())
}

/// Runs the agent's command; stdout and stderr are read by a thread each.
pub fn run_agent(writer: Arc<EventWriter>, run_id: &str, script: &str) -> Result<i32> {
    let mut child = Command::new("sh")
        .args(["-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("spawn agent")?;
    let stdout = child.stdout.take().context("no stdout")?;
    let stderr = child.stderr.take().context("no stderr")?;

    let out = {
        let (writer, run_id) = (writer.clone(), run_id.to_string());
        thread::spawn(move || pump(&writer, &run_id, "stdout", stdout))
    };
    let err = {
        let (writer, run_id) = (writer.clone(), run_id.to_string());
        thread::spawn(move || pump(&writer, &run_id, "stderr", stderr))
    };

    let status = child.wait()?;
    for reader in [out, err] {
        reader.join().map_err(|_| anyhow!("reader panicked"))??;
    }
    let code = status.code().unwrap_or(-1);
    writer.append_event(run_id, "exit", json!({ "code": code }))?;
    Ok(code)
}

fn main() -> Result<()> {
    let writer = Arc::new(EventWriter::default());
    writer.create_run("run-1");
    let script = "for i in $(seq 200); do echo out $i; echo err $i >&2; done";
    let code = run_agent(writer.clone(), "run-1", script)?;

    let events = writer.list_events("run-1", 0)?;
    let gaps = events.windows(2).filter(|w| w[1].seq != w[0].seq + 1).count();
    println!("exit {code}: {} events, {gaps} of them out of sequence", events.len());
    Ok(())
}
