//! `drop-in --speed`: what the swap is worth in programs that people run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, anyhow, ensure};

use super::package::{copy_tree, scratch};
use super::shims::patches;
use super::{Args, graph};
use crate::table::{Align, Table};
use crate::workspace::{cargo, root, run as execute};

/// A program of `compat/speed`, and which of our crates it comes to stand on.
const PROGRAMS: &[(&str, &str)] = &[
    ("age", "chacha20poly1305-esp"),
    ("snow", "chacha20poly1305-esp"),
    ("tls", "chacha20poly1305-esp"),
    ("ssh", "chacha20-simd"),
    ("rand", "chacha20-simd"),
];

/// One operation: what it handles, and what it cost in each round.
#[derive(Default)]
struct Operation {
    bytes: usize,
    before: Vec<f64>,
    after: Vec<f64>,
}

/// Builds the programs twice, and runs both in turns, so that whatever else the machine does meets
/// both alike.
pub(super) fn run(args: &Args) -> Result<ExitCode> {
    let selected = |(name, _): &&(&str, &str)| {
        args.only.is_empty() || args.only.iter().any(|only| only == name)
    };
    for only in &args.only {
        let known = PROGRAMS.iter().any(|(name, _)| name == only);
        ensure!(known, "there is no program {only} to measure");
    }
    let mut table = Table::new([
        ("program", Align::Left),
        ("operation", Align::Left),
        ("before, ns", Align::Right),
        ("after, ns", Align::Right),
        ("before, MB/s", Align::Right),
        ("after, MB/s", Align::Right),
        ("times", Align::Right),
    ]);
    for (name, stands_on) in PROGRAMS.iter().filter(selected) {
        println!("{name} ...");
        let before = build(name, None)?;
        let after = build(name, Some(stands_on))?;
        for (label, operation) in measure(args, &before, &after)? {
            table.row(row(name, &label, &operation));
        }
    }
    print!("\n{table}");
    Ok(ExitCode::SUCCESS)
}

/// Builds one program, with the stand-ins if it is to stand on one; the executable.
fn build(name: &str, stands_on: Option<&str>) -> Result<PathBuf> {
    let side = if stands_on.is_some() { "after" } else { "before" };
    let directory = scratch().join("speed").join(side);
    // Each side has a lock file of its own; the second starts from the first one's, so that nothing
    // but the stand-ins differs.
    for part in ["Cargo.toml", "src"] {
        copy_tree(&root().join("compat/speed").join(part), &directory.join(part))?;
    }
    if stands_on.is_some() {
        let lock = scratch().join("speed/before/Cargo.lock");
        copy_tree(&lock, &directory.join("Cargo.lock"))?;
    }
    let target = directory.join("target");
    let features = ["--features", name];
    let mut command = cargo(&["build", "--release", "--bin", name]);
    command.current_dir(&directory).args(features).env("CARGO_TARGET_DIR", &target);
    if stands_on.is_some() {
        command.args(patches());
    }
    execute(&mut command)?;
    if let Some(stands_on) = stands_on {
        graph::check(&directory, &[&format!("--features={name}")], stands_on)?;
    }
    Ok(target.join("release").join(name))
}

fn measure(args: &Args, before: &Path, after: &Path) -> Result<Vec<(String, Operation)>> {
    let mut order = Vec::new();
    let mut operations: BTreeMap<String, Operation> = BTreeMap::new();
    for round in 0..args.rounds.max(1) {
        // Who goes first changes, too.
        let mut sides = [(before, false), (after, true)];
        sides.rotate_left(round % 2);
        for (program, is_after) in sides {
            for (label, bytes, nanos) in figures(program, args.millis)? {
                if !operations.contains_key(&label) {
                    order.push(label.clone());
                }
                let operation = operations.entry(label).or_default();
                operation.bytes = bytes;
                let side = if is_after { &mut operation.after } else { &mut operation.before };
                side.push(nanos);
            }
        }
    }
    let take = |label: String| {
        let operation = operations.remove(&label).unwrap_or_default();
        (label, operation)
    };
    Ok(order.into_iter().map(take).collect())
}

/// Runs a program and reads its lines: label, bytes, nanoseconds.
fn figures(program: &Path, millis: u64) -> Result<Vec<(String, usize, f64)>> {
    let output = Command::new(program).arg(millis.to_string()).output();
    let output = output.with_context(|| format!("{}", program.display()))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {errors}", program.display());
    let text = String::from_utf8(output.stdout).context("a program printed no text")?;
    text.lines().map(|line| figure(line).ok_or_else(|| anyhow!("not a figure: {line}"))).collect()
}

fn figure(line: &str) -> Option<(String, usize, f64)> {
    let mut fields = line.split('\t');
    let label = fields.next()?.to_owned();
    Some((label, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

fn row(program: &str, label: &str, operation: &Operation) -> [String; 7] {
    let before = median(operation.before.clone());
    let after = median(operation.after.clone());
    // Paired: of the rounds' quotients, not of the medians.
    let pairs = operation.before.iter().zip(&operation.after);
    let times = median(pairs.map(|(before, after)| before / after).collect());
    let rate = |nanos: f64| format!("{:.0}", operation.bytes as f64 / nanos * 1e3);
    [
        program.to_owned(),
        label.to_owned(),
        format!("{before:.1}"),
        format!("{after:.1}"),
        rate(before),
        rate(after),
        format!("{times:.2}"),
    ]
}

/// The value in the middle; not a number if there is none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_figures() {
        assert_eq!(figure("fill 16\t16\t9.5"), Some(("fill 16".to_owned(), 16, 9.5)));
        assert_eq!(figure("nothing"), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
