//! Where measurements are made: the server on one core, a process for each measurement on the other.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::{count, scenarios};

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SERVER_CORE: &str = "0";
const CLIENT_CORE: &str = "1";
/// For two worker threads: there is no third core for the server.
const BOTH_CORES: &str = "0,1";

/// No measurement takes longer, in seconds.
const LONGEST: &str = "300";

/// One measurement, as its own process is told of it.
#[derive(Clone, Debug)]
pub struct Job {
    pub scenario: String,
    pub subject: String,
    /// Whether calls have the default total limit.
    pub limit: bool,
    /// How many; of what, the scenario knows.
    pub count: u64,
    /// The server's port, and that of its counters.
    pub port: u16,
    pub counters: u16,
}

impl Job {
    fn arguments(&self) -> Vec<String> {
        let Self { scenario, subject, limit, count, port, counters } = self;
        let numbers = [limit.to_string(), count.to_string(), port.to_string(), counters.to_string()];
        [scenario.clone(), subject.clone()].into_iter().chain(numbers).collect()
    }

    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut next = || arguments.next().ok_or("usage: SCENARIO SUBJECT LIMIT COUNT PORT COUNTERS");
        Ok(Self {
            scenario: next()?,
            subject: next()?,
            limit: next()?.parse()?,
            count: next()?.parse()?,
            port: next()?.parse()?,
            counters: next()?.parse()?,
        })
    }
}

/// The half of a scenario that measures, in a process of its own.
pub fn child() {
    let job = Job::parse(std::env::args().skip(1)).unwrap_or_else(|error| panic!("{error}"));
    let scenario = scenarios::ALL.iter().find(|scenario| scenario.name == job.scenario).expect("a scenario");
    (scenario.measure)(&job);
}

/// Tells the parent a number, or some of them.
pub fn tell(name: &str, numbers: &[f64]) {
    let numbers: Vec<_> = numbers.iter().map(f64::to_string).collect();
    println!("{name} {}", numbers.join(" "));
}

/// What a measurement told.
#[derive(Debug)]
pub struct Answer(HashMap<String, Vec<f64>>);

impl Answer {
    pub fn all(&self, name: &str) -> Result<&[f64]> {
        Ok(self.0.get(name).ok_or_else(|| format!("the measurement told no {name}"))?)
    }

    pub fn one(&self, name: &str) -> Result<f64> {
        Ok(*self.all(name)?.first().ok_or_else(|| format!("the measurement told no {name}"))?)
    }
}

/// Which program measures.
#[derive(Clone, Copy, Debug)]
pub enum Program {
    Plain,
    Counting,
    /// `Plain`, on both cores.
    Threads,
}

/// The server and the programs.
pub struct Lab {
    programs: PathBuf,
    server: Child,
    port: u16,
    counters: u16,
    /// For what valgrind writes.
    folder: PathBuf,
}

impl Lab {
    pub fn open() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("peers-{}", std::process::id()));
        fs::create_dir(&folder)?;
        let programs = std::env::current_exe()?.parent().ok_or("a program in no folder")?.to_path_buf();
        let mut server = Command::new("taskset")
            .args(["-c", SERVER_CORE])
            .arg(programs.join("server"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let (port, counters) = line.trim().split_once(' ').ok_or("the server told no ports")?;
        Ok(Self { programs, port: port.parse()?, counters: counters.parse()?, server, folder })
    }

    pub fn job(&self, scenario: &str, subject: &str, limit: bool, count: u64) -> Job {
        let (scenario, subject) = (scenario.to_owned(), subject.to_owned());
        Job { scenario, subject, limit, count, port: self.port, counters: self.counters }
    }

    /// Runs one measurement.
    pub fn ask(&self, program: Program, job: &Job) -> Result<Answer> {
        let (name, cores) = match program {
            Program::Plain => ("plain", CLIENT_CORE),
            Program::Counting => ("counting", CLIENT_CORE),
            Program::Threads => ("plain", BOTH_CORES),
        };
        let output = Command::new("timeout")
            .args([LONGEST, "taskset", "-c", cores])
            .arg(self.programs.join(name))
            .args(job.arguments())
            .env("ASYNC_STD_THREAD_COUNT", "1")
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()?;
        if !output.status.success() {
            return Err(format!("{name} {:?}: {}", job.arguments(), output.status).into());
        }
        let mut answer = HashMap::new();
        for line in String::from_utf8(output.stdout)?.lines() {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default().to_owned();
            answer.insert(name, words.map(str::parse).collect::<std::result::Result<_, _>>()?);
        }
        Ok(Answer(answer))
    }

    /// The instructions of one of what the scenario does `count` times.
    pub fn instructions(&self, job: &Job) -> Result<Count> {
        let program = self.programs.join("plain");
        let program = program.to_str().ok_or("a folder whose name is no text")?;
        let pin = ["timeout", LONGEST, "taskset", "-c", CLIENT_CORE];
        let mut windows = count::windows(&pin, program, &job.arguments(), &self.folder)?;
        windows.sort_unstable();
        let each = |place: usize| windows[place] as f64 / job.count as f64;
        Ok(Count { median: each(windows.len() / 2), least: each(0), most: each(windows.len() - 1) })
    }
}

/// Counted instructions of one of something, over several windows.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    pub median: f64,
    pub least: f64,
    pub most: f64,
}

impl Count {
    /// How far apart the windows are, as a share of the median.
    pub fn spread(&self) -> f64 {
        (self.most - self.least) / self.median
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
