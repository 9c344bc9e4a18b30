//! The compilations of one crate.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use robust_analyzer::pool::deeply;
use wait_timeout::ChildExt;

use super::call::Call;
use super::dumps::Dumps;
use super::pass::{Kind, Pass};
use super::single::Single;
use super::tokens::{Token, Tokens};
use super::{Watch, code_of, millis};
use crate::extract::naming;
use crate::extract::store::{Files, Manifest, PassResult, Way};
use robust_analyzer::mir::text::{self as mir_text, Announced};

/// How often it is looked whether somebody wants to stop; the end of a child is noticed at once.
const POLL: Duration = Duration::from_millis(20);

/// A crate to compile.
pub(super) struct Job<'a> {
    /// The command cargo gave, without its arguments, with the wrapper that the user had in mind.
    pub command: &'a dyn Fn() -> Command,
    /// The arguments cargo gave.
    pub args: &'a [OsString],
    pub rustc: &'a OsStr,
    pub call: &'a Call,
    /// Where outputs are kept.
    pub files: &'a Files,
    /// Where outputs under way go.
    pub scratch: &'a Path,
    pub watch: Watch<'a>,
    /// Room for compilations beside the one that cargo knows of.
    pub tokens: &'a Tokens,
}

/// What is known of the last compilation of the crate.
pub(super) struct Before {
    /// The way that was good for it.
    pub way: Option<Way>,
    /// Whether a compilation can go on from it.
    pub goes_on: bool,
    /// Whether its macros had to be expanded.
    pub expanded: bool,
}

impl Before {
    /// What a manifest tells.
    pub fn of(manifest: Option<Manifest>, call: &Call) -> Before {
        let goes_on = manifest.as_ref().is_some_and(|last| last.whole) && call.is_incremental();
        let expanded = manifest.as_ref().is_some_and(|last| last.expanded);
        Before { way: manifest.map(|last| last.way), goes_on, expanded }
    }
}

/// How an attempt to compile once ended.
enum Attempt {
    /// It is over.
    Over(End),
    /// The compiler does not want to.
    Refused,
    /// It went on from the last one, and not all dumps are there.
    Torn,
}

/// How the compilations ended.
pub(super) enum End {
    /// Somebody wanted them to.
    Stopped,
    /// The plain one failed: nothing belongs to a later compilation than what is kept.
    Failed(ExitCode),
    /// The plain one went well; what is known of the others is said.
    Done(ExitCode, Box<Manifest>),
}

impl Job<'_> {
    /// Compiles once when that is enough.
    pub fn run(&self, before: &Before) -> io::Result<End> {
        if before.way != Some(Way::Passes) {
            let mut attempt = Attempt::Torn;
            if before.goes_on {
                attempt = self.single(before, Some(&self.files.incremental))?;
            }
            if matches!(attempt, Attempt::Torn) {
                self.start_over();
                attempt = self.single(before, None)?;
            }
            if let Attempt::Over(end) = attempt {
                return Ok(end);
            }
        }
        let _ = fs::remove_dir_all(self.scratch.join(Kind::DUMP));
        let end = self.passes()?;
        // Where the source does not compile, all is as after the last compilation: the next one can go on from there.
        if matches!(end, End::Done(..)) {
            self.start_over();
        }
        Ok(end)
    }

    /// Forgets what was done so far. What dumps there are and what the next compilation goes on from are of one compilation.
    fn start_over(&self) {
        let _ = fs::remove_dir_all(&self.files.incremental);
        let _ = fs::remove_dir_all(self.scratch.join(Kind::DUMP));
    }

    /// One compilation, and one more for the names if the source does not tell them.
    fn single(&self, before: &Before, incremental: Option<&Path>) -> io::Result<Attempt> {
        let start = Instant::now();
        let Ok(mut single) = Single::start((self.command)(), self.call, self.scratch, incremental) else {
            return Ok(Attempt::Refused);
        };
        // What was needed the last time, or looks needed, is made beside.
        let mut names = (before.way == Some(Way::SingleAndNames)).then(|| self.pass(Kind::Names));
        let expands =
            || before.expanded || before.way.is_none() && naming::looks_derived(&self.call.root_file);
        let mut expanded = (names.is_none() && expands()).then(|| self.pass(Kind::Expanded));
        let success = loop {
            names.iter_mut().chain(&mut expanded).for_each(|pass| self.advance(pass));
            if let Some(success) = single.wait(POLL)? {
                break success && self.scratch.join(Kind::Bodies.file()).is_file();
            }
            if self.watch.must_stop() {
                return Ok(Attempt::Over(End::Stopped));
            }
        };
        if !success {
            return Ok(Attempt::Refused);
        }
        let print = self.print().unwrap_or_default();
        let bodies = deeply(|| mir_text::announced(&print)).flatten();
        let whole = self.join_dumps(bodies.as_deref(), incremental.is_some());
        if incremental.is_some() && !matches!(whole, Ok(true)) {
            return Ok(Attempt::Torn);
        }
        let plain_ms = millis(start);
        let start = Instant::now();
        let mut told = match before.expanded {
            true => Err(io::Error::other("the source did not tell the last time")),
            false => self.told_names(bodies.as_deref(), false),
        };
        let expands = told.is_err() && names.is_none();
        if expands {
            let mut expanded = expanded.unwrap_or_else(|| self.pass(Kind::Expanded));
            if !self.wait(&mut [&mut expanded]) {
                return Ok(Attempt::Over(End::Stopped));
            }
            told = self.told_names(bodies.as_deref(), true);
        }
        let expanded = expands && told.is_ok();
        let told = told.and_then(|text| {
            drop(names.take());
            fs::write(self.scratch.join(Kind::Names.file()), text)
        });
        let told_ms = millis(start);
        if told.is_err() {
            names.get_or_insert_with(|| self.pass(Kind::Names));
        }
        let mut passes: Vec<&mut Pass> = names.iter_mut().collect();
        let said = single.said();
        let quiet = said.as_ref().is_some_and(|(_, quiet)| *quiet);
        let code = match said {
            Some((said, _)) => io::stderr().lock().write_all(&said).map(|()| ExitCode::SUCCESS)?,
            // What it said is to be in the words of a plain compilation, so there has to be one.
            None => match self.plain(&mut passes)? {
                Ok(code) => code,
                Err(end) => {
                    self.start_over();
                    return Ok(Attempt::Over(end));
                }
            },
        };
        if !self.wait(&mut passes) {
            return Ok(Attempt::Over(End::Stopped));
        }
        let way = if told.is_ok() { Way::Single } else { Way::SingleAndNames };
        let (whole, error) = match whole {
            Ok(whole) => (whole, None),
            Err(error) => (false, Some(error.to_string())),
        };
        let bodies = PassResult { ms: 0, error };
        let names = names.map_or(PassResult { ms: told_ms, error: None }, |pass| pass.result());
        let manifest = Manifest { whole, quiet, expanded, ..self.manifest(way, plain_ms, bodies, names) };
        Ok(Attempt::Over(End::Done(code, Box::new(manifest))))
    }

    /// The bodies that were printed, as text.
    fn print(&self) -> io::Result<String> {
        let print = fs::read(self.scratch.join(Kind::Bodies.file()))?;
        Ok(String::from_utf8(print)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Makes one file of the dumps, with those of the last compilation that this one goes on from. Tells whether each coroutine has its
    /// own.
    fn join_dumps(&self, printed: Option<&[Announced<'_>]>, goes_on: bool) -> io::Result<bool> {
        let earlier = if goes_on { fs::read_to_string(&self.files.coroutines)? } else { String::new() };
        let mut dumps = Dumps::find(&self.scratch.join(Kind::DUMP))?;
        dumps.add_earlier(&earlier);
        let file = fs::File::create(self.scratch.join(Kind::COROUTINES))?;
        let fit = dumps.join(printed.unwrap_or_default(), io::BufWriter::new(file))?;
        Ok(fit && printed.is_some())
    }

    /// The plain call, and next to it two compilations that print.
    fn passes(&self) -> io::Result<End> {
        let mut bodies = self.pass(Kind::Bodies);
        let mut names = self.pass(Kind::Names);
        let start = Instant::now();
        let code = match self.plain(&mut [&mut bodies, &mut names])? {
            Ok(code) => code,
            Err(end) => return Ok(end),
        };
        let plain_ms = millis(start);
        if !self.wait(&mut [&mut bodies, &mut names]) {
            return Ok(End::Stopped);
        }
        let mut bodies = bodies.result();
        if bodies.error.is_none()
            && let Err(error) = self.join_dumps(None, false)
        {
            bodies.error = Some(error.to_string());
        }
        let manifest = self.manifest(Way::Passes, plain_ms, bodies, names.result());
        Ok(End::Done(code, Box::new(manifest)))
    }

    /// Runs the call as cargo gave it, next to passes that nobody needs if it fails or somebody wants to stop.
    fn plain(&self, passes: &mut [&mut Pass]) -> io::Result<Result<ExitCode, End>> {
        let mut plain = (self.command)().args(self.args).spawn()?;
        loop {
            passes.iter_mut().for_each(|pass| self.advance(pass));
            if let Some(status) = plain.wait_timeout(POLL)? {
                if status.success() {
                    return Ok(Ok(code_of(status)));
                }
                return Ok(Err(End::Failed(code_of(status))));
            }
            if self.watch.must_stop() {
                let _ = plain.kill();
                let _ = plain.wait();
                return Ok(Err(End::Stopped));
            }
        }
    }

    /// Starts a pass beside the compilation that cargo knows of if there is room, and notices its end.
    fn advance(&self, pass: &mut Pass) {
        pass.start_in(|| self.tokens.take());
        pass.wait(Duration::ZERO);
    }

    /// Waits for passes, when the compilation that cargo knows of is over: one of them after the other takes its place. False when
    /// somebody wants to stop.
    fn wait(&self, passes: &mut [&mut Pass]) -> bool {
        loop {
            let mut taken = passes.iter().any(|pass| pass.is_in_own_room());
            let (mut open, mut running) = (false, None);
            for pass in passes.iter_mut() {
                let own = !taken;
                pass.start_in(|| if own { Some(Token::OWN) } else { self.tokens.take() });
                taken |= pass.is_in_own_room();
                open |= pass.wait(Duration::ZERO);
                if pass.is_running() {
                    running = Some(pass);
                }
            }
            if !open {
                return true;
            }
            if let Some(pass) = running {
                pass.wait(POLL);
            }
            if self.watch.must_stop() {
                return false;
            }
        }
    }

    /// A pass that starts when there is room.
    fn pass(&self, kind: Kind) -> Pass {
        let mut pass = Pass::new(self.rustc, self.call, self.scratch, kind);
        self.advance(&mut pass);
        pass
    }

    /// The names of the bodies that were printed, if the source tells them, or what its macros make of it.
    fn told_names(&self, printed: Option<&[Announced<'_>]>, expanded: bool) -> io::Result<String> {
        let expanded = match expanded {
            true => Some(fs::read_to_string(self.scratch.join(Kind::Expanded.file()))?),
            false => None,
        };
        let files = fs::read_to_string(self.call.dep_info())?;
        let files = naming::source_files(&files);
        let printed = printed.ok_or_else(|| io::Error::other("a header was not understood"))?;
        let names = deeply(|| naming::names(printed, &files, expanded.as_deref()));
        names.unwrap_or_else(|| Err("the source could not be read".to_owned())).map_err(io::Error::other)
    }

    fn manifest(&self, way: Way, plain_ms: u64, bodies: PassResult, names: PassResult) -> Manifest {
        let Call { name, root_file, uses, linked, .. } = self.call;
        Manifest {
            name: name.clone(),
            root_file: root_file.clone(),
            rustc: self.rustc.into(),
            quiet: false,
            uses: uses.clone(),
            linked: linked.clone(),
            way,
            whole: false,
            expanded: false,
            plain_ms,
            bodies,
            names,
            digest: None,
        }
    }
}
