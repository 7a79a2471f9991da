//! `drop-in --speed`: what the swap is worth in programs that people run.

mod figures;
mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use super::package::{copy_tree, scratch};
use super::shims::patches;
use super::{Args, graph};
use crate::workspace::{cargo, root, run as execute};
use crate::{chart, region};
use figures::Figures;

/// A program of `compat/speed`.
struct Program {
    name: &'static str,
    /// Which of our crates it comes to stand on.
    stands_on: &'static str,
}

const PROGRAMS: [Program; 5] = [
    Program { name: "age", stands_on: "chacha20poly1305-esp" },
    Program { name: "snow", stands_on: "chacha20poly1305-esp" },
    Program { name: "tls", stands_on: "chacha20poly1305-esp" },
    Program { name: "ssh", stands_on: "chacha20-simd" },
    Program { name: "rand", stands_on: "chacha20-simd" },
];

/// Builds the programs twice, and runs both in turns, so that whatever else the machine does meets
/// both alike.
pub(super) fn run(args: &Args) -> Result<ExitCode> {
    for only in &args.only {
        let known = PROGRAMS.iter().any(|program| program.name == only);
        ensure!(known, "there is no program {only} to measure");
    }
    let selected = |program: &&Program| {
        args.only.is_empty() || args.only.iter().any(|only| only == program.name)
    };
    let mut built = Vec::new();
    for program in PROGRAMS.iter().filter(selected) {
        println!("{} ...", program.name);
        built.push((program, build(program, false)?, build(program, true)?));
    }
    if args.build_only {
        return Ok(ExitCode::SUCCESS);
    }

    let kept = scratch().join("speed/figures.json");
    let mut figures = Figures::read(&kept)?;
    for (program, before, after) in &built {
        let operations = figures::measure(before, after, args.rounds.max(1), args.millis)?;
        figures.replace(program.name, operations);
        figures.write(&kept)?;
    }
    print!("\n{}", report::terminal(&figures, &PROGRAMS));
    if args.readme {
        let title = "Times as fast after the swap as before";
        region::file(report::CHART, &chart::times(title, &report::bars(&figures, &PROGRAMS))?)?;
        region::write("README.md", "drop-in", &report::markdown(&figures, &PROGRAMS))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds one program, with the stand-ins or without; the executable.
fn build(program: &Program, patched: bool) -> Result<PathBuf> {
    let name = program.name;
    let directory = scratch().join("speed").join(if patched { "after" } else { "before" });
    // Each side has a lock file of its own; the second starts from the first one's, so that nothing
    // but the stand-ins differs.
    for part in ["Cargo.toml", "src"] {
        copy_tree(&root().join("compat/speed").join(part), &directory.join(part))?;
    }
    if patched {
        let lock = scratch().join("speed/before/Cargo.lock");
        copy_tree(&lock, &directory.join("Cargo.lock"))?;
    }
    let mut command = cargo(&["build", "--release", "--bin", name, "--features", name]);
    let target = directory.join("target");
    command.current_dir(&directory).env("CARGO_TARGET_DIR", &target);
    if patched {
        command.args(patches());
    }
    execute(&mut command)?;
    if patched {
        graph::check(&directory, &[&format!("--features={name}")], program.stands_on)?;
    }
    executable(&target, name)
}

fn executable(target: &Path, name: &str) -> Result<PathBuf> {
    let path = target.join("release").join(name);
    path.canonicalize().with_context(|| format!("{}", path.display()))
}
