//! One program's tests.

use std::fmt;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::graph;
use super::package::{self, Package};
use super::programs::{Program, Suite};
use super::shims::patches;
use crate::workspace::cargo;

/// How many lines of a failed run are shown.
const TAIL: usize = 40;

/// What came out.
#[derive(Default)]
pub(super) struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.passed)?;
        if self.ignored != 0 {
            write!(f, " ({} ignored)", self.ignored)?;
        }
        Ok(())
    }
}

/// Fetches a program, runs its tests with the stand-ins, and checks that they were used.
///
/// # Errors
/// If anything of this fails, a single test included.
pub(super) fn run(program: &Program) -> Result<Tally> {
    for tool in program.needs {
        let found = Command::new(tool).arg("--version").output().is_ok();
        ensure!(found, "its build needs {tool}, which is not installed");
    }
    let package = package::fetch(program.name, program.version)?;
    let directory = match program.suite {
        Suite::Own => package.copy()?,
        Suite::Replaced => package.tests_alone()?,
    };
    for test in program.left_out {
        Package::leave_out(&directory, test)?;
    }
    let name = format!("{}-{}.log", program.name, program.version);
    let log = package::scratch().join(name);
    let tally = test(&directory, program, &log)?;
    graph::check(&directory, program.flags, program.stands_on)?;
    Ok(tally)
}

fn test(directory: &Path, program: &Program, log: &Path) -> Result<Tally> {
    let file = File::create(log).with_context(|| format!("{}", log.display()))?;
    let mut command = cargo(&["test", "--no-fail-fast"]);
    command
        .current_dir(directory)
        .args(patches())
        .args(program.flags)
        .env("CARGO_TARGET_DIR", package::scratch().join("build"))
        // The lints of a published program are not ours to keep.
        .env("RUSTFLAGS", "--cap-lints warn")
        .stdout(file.try_clone()?)
        .stderr(file);
    if !program.skipped.is_empty() {
        command.arg("--");
    }
    for (name, reason) in program.skipped {
        println!("  without the tests {name}*: {reason}");
        command.args(["--skip", name]);
    }
    let status = command.status().context("cannot run cargo test")?;
    let text = String::from_utf8_lossy(&fs::read(log)?).into_owned();
    let tally = count(&text);
    if !status.success() || tally.failed != 0 {
        let lines: Vec<_> = text.lines().collect();
        println!("{}", lines[lines.len().saturating_sub(TAIL)..].join("\n"));
    }
    ensure!(status.success(), "cargo test failed; see {}", log.display());
    ensure!(tally.failed == 0, "{} tests failed", tally.failed);
    ensure!(tally.passed != 0, "no test ran");
    Ok(tally)
}

/// Adds up the lines in which libtest says what it ran.
fn count(text: &str) -> Tally {
    let mut tally = Tally::default();
    for line in text.lines().filter(|line| line.starts_with("test result:")) {
        let words: Vec<_> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            let n = pair[0].parse().unwrap_or(0);
            match pair[1] {
                "passed;" => tally.passed += n,
                "failed;" => tally.failed += n,
                "ignored;" => tally.ignored += n,
                _ => {}
            }
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let text = "running 3 tests\n\
                    test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
                    test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured\n";
        let tally = count(text);
        assert_eq!((tally.passed, tally.failed, tally.ignored), (7, 2, 1));
    }
}
