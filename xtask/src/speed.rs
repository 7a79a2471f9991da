//! `speed`: the tests that Linux's tcrypt module ran for the 2015 ChaCha20-Poly1305 series.

mod measure;
mod modes;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use serde::Serialize;

use crate::cpu;
use crate::vectors::Kernels;
use measure::{Budget, Measured};
use modes::Job;

/// Measure speed as Linux's tcrypt module does: same tests, same sizes, same lines.
///
/// Without --sec, the figure is what one operation costs: the minimum over batches, and the
/// median behind it. The unit is ticks of the time stamp counter on x86-64 (which run at the CPU's
/// nominal clock, whatever its real one) and nanoseconds elsewhere. As in tcrypt the key is set
/// once and the IV for every operation; Poly1305 is keyed for every operation, since its keys are
/// for one message.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which of tcrypt's tests to run.
    #[arg(long, value_enum)]
    mode: Mode,
    /// Count the operations in this many seconds for each size, instead of their cycles.
    #[arg(long, value_name = "N")]
    sec: Option<u64>,
    /// The backend to measure [default: the one that the crates pick here].
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// Decrypt instead of encrypting (mode 213 opens, and so verifies first).
    #[arg(long)]
    decrypt: bool,
    /// Mode 321: messages of 0 to 1008 bytes in steps of 16, each hashed at once.
    #[arg(long)]
    table: bool,
    /// Write the figures into this file, too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// rfc7539esp(chacha20,poly1305): the AEAD of RFC 7634, 8 bytes of associated data
    #[value(name = "213")]
    Rfc7539Esp,
    /// chacha20: the stream cipher
    #[value(name = "214")]
    ChaCha20,
    /// poly1305: blocks and updates of twelve sizes
    #[value(name = "321")]
    Poly1305,
}

impl Mode {
    fn number(self) -> u32 {
        match self {
            Self::Rfc7539Esp => 213,
            Self::ChaCha20 => 214,
            Self::Poly1305 => 321,
        }
    }
}

/// A figure, for --json.
#[derive(Serialize)]
struct Row {
    mode: u32,
    algorithm: String,
    decrypt: bool,
    bytes: usize,
    bytes_per_update: usize,
    #[serde(flatten)]
    measured: Measured,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let kernels = kernels(args.backend.as_deref())?;
    anyhow::ensure!(!args.table || args.mode == Mode::Poly1305, "--table belongs to mode 321");
    anyhow::ensure!(!args.decrypt || args.mode != Mode::Poly1305, "Poly1305 decrypts nothing");
    if cfg!(debug_assertions) {
        eprintln!("warning: built without optimisation, the figures mean nothing");
    }
    let budget = args.sec.map_or(Budget::Cycles, Budget::Seconds);
    let (algorithm, jobs) = match args.mode {
        Mode::Rfc7539Esp => modes::rfc7539esp(&kernels, args.decrypt),
        Mode::ChaCha20 => modes::chacha20(&kernels),
        Mode::Poly1305 => modes::poly1305(&kernels, args.table),
    };
    let direction = match (args.mode, args.decrypt) {
        (Mode::Poly1305, _) => "",
        (_, false) => " encryption",
        (_, true) => " decryption",
    };
    println!("testing speed of {algorithm}{direction}");
    if args.sec.is_none() {
        println!("(unit: {}; minimum of batches, then their median)", measure::UNIT_TEXT);
    }
    let mut rows = Vec::new();
    for (i, mut job) in jobs.into_iter().enumerate() {
        print!("{}", job.title(i));
        let measured = measure::run(budget, &mut job.operation);
        println!("{}", line(&job, &measured));
        rows.push(Row {
            mode: args.mode.number(),
            algorithm: algorithm.clone(),
            decrypt: args.decrypt,
            bytes: job.bytes,
            bytes_per_update: job.per_update.unwrap_or(job.bytes),
            measured,
        });
    }
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&rows).expect("rows are plain data");
        std::fs::write(path, text + "\n").with_context(|| format!("{}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn kernels(backend: Option<&str>) -> Result<Kernels> {
    match backend {
        None => Ok(Kernels::detect()),
        Some(name) if Kernels::NAMES.contains(&name) => Kernels::by_name(name)
            .ok_or_else(|| anyhow!("the backend {name} cannot run here: {}", cpu::absence(name))),
        Some(name) => {
            let names = Kernels::NAMES.join(", ");
            Err(anyhow!("there is no backend {name}; there are {names}"))
        }
    }
}

/// The end of a line: tcrypt's words for ciphers and for hashes.
fn line(job: &Job, measured: &Measured) -> String {
    let bytes = job.bytes;
    match (measured, job.per_update) {
        (Measured::Rate { operations, seconds }, None) => {
            let total = operations * bytes as u64;
            format!("{operations} operations in {seconds} seconds ({total} bytes)")
        }
        (Measured::Rate { operations, seconds }, Some(_)) => {
            let rate = operations / seconds;
            format!("{rate:6} opers/sec, {:9} bytes/sec", rate * bytes as u64)
        }
        (Measured::Cost { minimum, median, unit, .. }, None) => {
            format!("1 operation in {minimum:.0} {unit} ({bytes} bytes), median {median:.0}")
        }
        (Measured::Cost { minimum, median, unit, .. }, Some(_)) => {
            let per_byte = if bytes == 0 {
                String::new()
            } else {
                format!(", {:.3} {unit}/byte", minimum / bytes as f64)
            };
            format!("{minimum:6.0} {unit}/operation{per_byte}, median {median:.0}")
        }
    }
}
