//! Running and timing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::Value;

/// How often memory is looked at.
const POLL: Duration = Duration::from_millis(10);

/// A crate or workspace that is analysed.
pub struct Subject {
    /// Its name in the table.
    pub name: String,
    root: PathBuf,
    /// Where an edit goes: a file, and the line in it after which a statement is added.
    edit: (PathBuf, String),
}

/// Seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// On the clock.
    pub clock: f64,
    /// Of all processors together.
    pub processor: f64,
}

/// A run of the tool.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What it took.
    pub cost: Cost,
    /// The most memory that the tool itself had, compilers apart.
    pub megabytes: u64,
    stages: Vec<(String, f64)>,
}

/// Everything about one subject.
pub struct Costs {
    /// `cargo check` of its crates.
    pub check: Cost,
    /// The same after an edit, incrementally.
    pub check_edited: Cost,
    /// The tool without anything of earlier runs but built dependencies.
    pub cold: Run,
    /// The tool again.
    pub unchanged: Run,
    /// The tool after the first edit in one function since it was cold.
    pub edited: Run,
    /// The tool after another one.
    pub edited_again: Run,
}

impl Run {
    /// The seconds that stages took together.
    pub fn stages(&self, names: &[&str]) -> f64 {
        self.stages.iter().filter(|(name, _)| names.contains(&&**name)).map(|(_, seconds)| seconds).sum()
    }
}

impl Run {
    /// With the times that a report tells.
    pub fn with_stages(mut self, report: &Value) -> Run {
        let stages = report["summary"]["stages"].as_array().into_iter().flatten();
        let stage =
            |stage: &Value| Some((stage["stage"].as_str()?.to_owned(), stage["ms"].as_f64()? / 1000.0));
        self.stages = stages.filter_map(stage).collect();
        self
    }
}

impl Subject {
    /// A subject; `after` is the line behind which an edit goes.
    pub fn new(name: &str, root: PathBuf, file: &str, after: &str) -> Subject {
        let edit = (root.join(file), after.to_owned());
        Subject { name: name.to_owned(), root, edit }
    }

    /// Lines of Rust.
    pub fn lines(&self) -> usize {
        let mut files = Vec::new();
        rust_files(&self.root, &mut files);
        files.iter().filter_map(|file| fs::read_to_string(file).ok()).map(|text| text.lines().count()).sum()
    }

    /// Everything in the first table; the median of some runs.
    pub fn measure(&self, tool: &Path, runs: usize) -> Result<Costs, String> {
        self.build_dependencies(tool)?;
        let original = fs::read_to_string(&self.edit.0).map_err(|error| error.to_string())?;
        let mut all = Vec::new();
        let edits = AtomicU32::new(0);
        for _ in 0..runs.max(1) {
            let (check, cold) = self.cold_again(tool)?;
            let unchanged = self.run_tool(tool)?;
            if !original.contains(&self.edit.1) {
                return Err(format!("there is no `{}` in {}", self.edit.1, self.edit.0.display()));
            }
            let edited = || -> Result<(Run, Cost), String> {
                // As long each time, as most edits leave what is far away where it is.
                let value = 10 + edits.fetch_add(1, Ordering::Relaxed);
                let changed = format!("{}\n    let _edited = {value};", self.edit.1);
                fs::write(&self.edit.0, original.replace(&self.edit.1, &changed))
                    .map_err(|error| error.to_string())?;
                Ok((self.run_tool(tool)?, self.run_check()?))
            };
            let both = edited().and_then(|first| Ok((first, edited()?)));
            fs::write(&self.edit.0, &original).map_err(|error| error.to_string())?;
            let ((edited, _), (edited_again, check_edited)) = both?;
            all.push(Costs { check, check_edited, cold, unchanged, edited, edited_again });
        }
        let median = |of: &dyn Fn(&Costs) -> Cost| {
            let middle = |mut seconds: Vec<f64>| {
                seconds.sort_by(f64::total_cmp);
                seconds[seconds.len() / 2]
            };
            Cost {
                clock: middle(all.iter().map(|costs| of(costs).clock).collect()),
                processor: middle(all.iter().map(|costs| of(costs).processor).collect()),
            }
        };
        let run = |of: &dyn Fn(&Costs) -> &Run| Run {
            cost: median(&|costs| of(costs).cost),
            megabytes: all.iter().map(|costs| of(costs).megabytes).max().unwrap_or_default(),
            stages: Vec::new(),
        };
        Ok(Costs {
            check: median(&|costs| costs.check),
            check_edited: median(&|costs| costs.check_edited),
            cold: run(&|costs| &costs.cold),
            unchanged: run(&|costs| &costs.unchanged),
            edited: run(&|costs| &costs.edited),
            edited_again: run(&|costs| &costs.edited_again),
        })
    }

    /// `cargo check` and the tool, from nothing but built dependencies.
    pub fn cold(&self, tool: &Path) -> Result<(Cost, Run), String> {
        self.build_dependencies(tool)?;
        self.cold_again(tool)
    }

    /// Everything once, so that the dependencies are there.
    fn build_dependencies(&self, tool: &Path) -> Result<(), String> {
        self.run_check()?;
        // Without questions, and whatever it finds: only what it builds matters.
        run(Command::new(tool).args(["events", "--quiet"]).current_dir(&self.root)).map(drop)
    }

    fn cold_again(&self, tool: &Path) -> Result<(Cost, Run), String> {
        self.forget("target")?;
        let check = self.run_check()?;
        self.forget("target/robust")?;
        Ok((check, self.run_tool(tool)?))
    }

    /// Removes what was built of the subject's own crates, and what the tool remembers.
    fn forget(&self, target: &str) -> Result<(), String> {
        let mut command = Command::new("cargo");
        command.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(&self.root);
        let output = command.output().map_err(|error| error.to_string())?;
        let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let names = packages.filter_map(|package| package["name"].as_str());
        let mut clean = Command::new("cargo");
        clean.args(["clean", "--quiet", "--target-dir", target]).current_dir(&self.root);
        names.for_each(|name| {
            clean.args(["-p", name]);
        });
        // `cargo clean` asks the compiler by itself, without our wrapper, and notes that in place of what cargo had found out with it.
        // The compiler is the same after it as before.
        let info = self.root.join(target).join(".rustc_info.json");
        let known = fs::read(&info);
        run(&mut clean)?;
        if let Ok(known) = known {
            fs::write(&info, known).map_err(|error| error.to_string())?;
        }
        for kept in ["cache", "mir"] {
            match fs::remove_dir_all(self.root.join(target).join(kept)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.to_string()),
                _ => {}
            }
        }
        Ok(())
    }

    fn run_check(&self) -> Result<Cost, String> {
        run(Command::new("cargo").args(["check", "--quiet", "--workspace"]).current_dir(&self.root))
            .map(|(run, _)| run.cost)
    }

    fn run_tool(&self, tool: &Path) -> Result<Run, String> {
        let mut command = Command::new(tool);
        command.args(["--workspace", "--quiet", "--format", "json"]).current_dir(&self.root);
        let (run, output) = run(&mut command)?;
        let report: Value = serde_json::from_slice(&output).map_err(|error| error.to_string())?;
        Ok(run.with_stages(&report))
    }
}

/// Runs a program to its end: what it took, and what it printed.
pub fn run(command: &mut Command) -> Result<(Run, Vec<u8>), String> {
    let failed = |error: io::Error| format!("{command:?}: {error}");
    let output = tempfile::tempfile().map_err(failed)?;
    let mut reader = output.try_clone().map_err(failed)?;
    let (start, before) = (Instant::now(), processor_time());
    let mut child = command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null()).spawn();
    let child = child.as_mut().map_err(|error| format!("cannot start a program: {error}"))?;
    let (id, over) = (child.id(), AtomicBool::new(false));
    let (status, clock, megabytes) = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut megabytes = 0;
            while !over.load(Ordering::Relaxed) {
                megabytes = megabytes.max(peak(id));
                std::thread::sleep(POLL);
            }
            megabytes
        });
        let status = child.wait();
        let clock = start.elapsed().as_secs_f64();
        over.store(true, Ordering::Relaxed);
        (status, clock, watcher.join().unwrap_or_default())
    });
    let status = status.map_err(|error| error.to_string())?;
    let cost = Cost { clock, processor: processor_time() - before };
    // The tool found something: that is fine here.
    if !status.success() && status.code() != Some(100) {
        return Err(format!("{command:?} ended with {status}"));
    }
    let mut text = Vec::new();
    io::Seek::rewind(&mut reader).map_err(|error| error.to_string())?;
    io::Read::read_to_end(&mut reader, &mut text).map_err(|error| error.to_string())?;
    Ok((Run { cost, megabytes, stages: Vec::new() }, text))
}

/// Seconds of all processors for the programs that were run so far.
fn processor_time() -> f64 {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0.0, |usage| {
        (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
    })
}

/// The most memory that a program had so far, in megabytes; zero where the system does not tell.
fn peak(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).unwrap_or_default()
        / 1024
}

fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}
