//! `drop-in`: the swap, on programs that others publish.

mod api;
mod features;
mod graph;
mod package;
mod programs;
mod shims;
mod speed;
mod suite;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::table::{Align, Table};
use programs::{PROGRAMS, Program};

/// Run the tests of published programs with our crates in the place of RustCrypto's.
///
/// Cargo fetches the sources. Nothing in them is changed, save that a test is left out, and named,
/// if it does not compile or run as published. The stand-ins of `compat/` are patched in on cargo's
/// command line. A program fails if a test of its own fails, or if a copy of RustCrypto's crates is
/// left in its graph of dependencies. The exit status is 1 if any failed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run this program only (may be given more than once); see --list.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Run RustCrypto's own suites and snow only: what CI runs on every change.
    #[arg(long, conflicts_with = "only")]
    quick: bool,
    /// Compare the stand-ins' public interfaces with the originals' instead.
    #[arg(long, conflicts_with_all = ["only", "quick"])]
    api: bool,
    /// Compile the stand-ins with every set of their features instead.
    #[arg(long, conflicts_with_all = ["only", "quick", "api"])]
    features: bool,
    /// Measure what the swap is worth in age, snow, TLS, SSH and rand instead.
    #[arg(long, conflicts_with_all = ["quick", "api", "features"])]
    speed: bool,
    /// With --speed: build only, so that nothing is built in the time of the measurement.
    #[arg(long, requires = "speed")]
    build_only: bool,
    /// With --speed: write the README's chart and table. Programs that are not measured now, for
    /// --only, are shown as they were measured last.
    #[arg(long, requires = "speed", conflicts_with = "build_only")]
    readme: bool,
    /// With --speed: how often both sides are run, in turns.
    #[arg(long, value_name = "N", default_value_t = 7, requires = "speed")]
    rounds: usize,
    /// With --speed: how long each operation is repeated in a round.
    #[arg(long, value_name = "N", default_value_t = 500, requires = "speed")]
    millis: u64,
    /// List the programs and run nothing.
    #[arg(long)]
    list: bool,
}

/// Runs the verb.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.list {
        list();
        return Ok(ExitCode::SUCCESS);
    }
    if args.api {
        return api::run();
    }
    if args.features {
        return features::run();
    }
    if args.speed {
        return speed::run(args);
    }
    for name in &args.only {
        let known = PROGRAMS.iter().any(|program| program.is(name));
        ensure!(known, "there is no program {name}; see --list");
    }
    let selected = |program: &&Program| {
        let only = args.only.is_empty() || args.only.iter().any(|name| program.is(name));
        only && (program.quick || !args.quick)
    };

    let mut table = Table::new([
        ("program", Align::Left),
        ("version", Align::Left),
        ("generation", Align::Left),
        ("tests passed", Align::Right),
        ("seconds", Align::Right),
        ("", Align::Left),
    ]);
    let mut failed = 0;
    for program in PROGRAMS.iter().filter(selected) {
        println!("{} {} ...", program.name, program.version);
        let start = Instant::now();
        let (passed, verdict) = match suite::run(program) {
            Ok(tally) => (tally.to_string(), "ok".to_owned()),
            Err(error) => {
                failed += 1;
                println!("{error:#}");
                (String::new(), "FAILED".to_owned())
            }
        };
        let seconds = format!("{:.0}", start.elapsed().as_secs_f64());
        let generation = program.generation.name().to_owned();
        let (name, version) = (program.name.to_owned(), program.version.to_owned());
        table.row([name, version, generation, passed, seconds, verdict]);
    }
    print!("\n{table}");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list() {
    let mut table = Table::new([
        ("program", Align::Left),
        ("version", Align::Left),
        ("generation", Align::Left),
        ("what it is", Align::Left),
    ]);
    for program in PROGRAMS {
        let generation = program.generation.name();
        table.row([program.name, program.version, generation, program.about].map(str::to_owned));
    }
    print!("{table}");
}
