// Repaired as proposed in issue #184: the look for the name, the choice of the port and the entry are made under one write lock (spawning takes no lock of its own).
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const BASE_PORT: u16 = 50_080;
const MAX_GATEWAYS: u16 = 64;

#[derive(Debug, PartialEq, Eq)]
pub enum StartError {
    AlreadyRunning(String),
    NoFreePort,
}

struct GatewayProcess {
    port: u16,
    stop: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl GatewayProcess {
    fn spawn(profile: &str, port: u16) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (stopping, name) = (stop.clone(), profile.to_string());
        let task = thread::spawn(move || {
            while !stopping.load(Ordering::Acquire) {
                thread::sleep(Duration::from_millis(20));
            }
            println!("gateway {name} on port {port} stopped");
        });
        GatewayProcess { port, stop, task }
    }
}

#[derive(Default)]
pub struct ProcessManager {
    processes: RwLock<HashMap<String, GatewayProcess>>,
}

impl ProcessManager {
    fn allocate_port(processes: &HashMap<String, GatewayProcess>) -> Option<u16> {
        (BASE_PORT..BASE_PORT + MAX_GATEWAYS).find(|port| processes.values().all(|p| p.port != *port))
    }

    pub fn start_gateway(&self, profile: &str) -> Result<u16, StartError> {
        let mut processes = self.processes.write().unwrap();
        if processes.contains_key(profile) {
            return Err(StartError::AlreadyRunning(profile.to_string()));
        }
        let port = Self::allocate_port(&processes).ok_or(StartError::NoFreePort)?;
        processes.insert(profile.to_string(), GatewayProcess::spawn(profile, port));
        Ok(port)
    }

    pub fn stop_gateway(&self, profile: &str) -> bool {
        let mut processes = self.processes.write().unwrap();
        let Some(process) = processes.remove(profile) else { return false };
        process.stop.store(true, Ordering::Release);
        // The port is free only when the gateway is gone.
        process.task.join().is_ok()
    }

    pub fn ports(&self) -> Vec<u16> {
        self.processes.read().unwrap().values().map(|p| p.port).collect()
    }
}

fn main() {
    let manager = ProcessManager::default();
    let profiles = ["main", "family", "work"];
    // The start-all endpoint.
    thread::scope(|scope| {
        for profile in profiles {
            let manager = &manager;
            scope.spawn(move || match manager.start_gateway(profile) {
                Ok(port) => println!("{profile}: port {port}"),
                Err(e) => eprintln!("{profile}: {e:?}"),
            });
        }
    });
    println!("ports: {:?}", manager.ports());
    for profile in profiles {
        manager.stop_gateway(profile);
    }
}
