//! Running the programs, and keeping what they print.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};

/// One operation of a program: what it handles, and what it cost in each round, in nanoseconds.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Operation {
    pub(super) label: String,
    pub(super) bytes: usize,
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Operation {
    pub(super) fn before(&self) -> f64 {
        median(self.before.clone())
    }

    pub(super) fn after(&self) -> f64 {
        median(self.after.clone())
    }

    /// How many times as fast it is after the swap. Of the rounds' quotients, not of the medians: a
    /// change of the clock meets both sides of a round.
    pub(super) fn times(&self) -> f64 {
        median(self.before.iter().zip(&self.after).map(|(before, after)| before / after).collect())
    }
}

/// What each program was measured to be worth, when it was measured last.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Figures(Vec<(String, Vec<Operation>)>);

impl Figures {
    /// Those of earlier runs; none if there were no such runs.
    pub(super) fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = fs::read(path).with_context(|| format!("{}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{}", path.display()))
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        fs::write(path, text).with_context(|| format!("{}", path.display()))
    }

    pub(super) fn replace(&mut self, program: &str, operations: Vec<Operation>) {
        self.0.retain(|(name, _)| name != program);
        self.0.push((program.to_owned(), operations));
    }

    /// The operations of a program, in its order.
    pub(super) fn of(&self, program: &str) -> &[Operation] {
        let own = self.0.iter().find(|(name, _)| name == program);
        own.map(|(_, operations)| &operations[..]).unwrap_or_default()
    }

    pub(super) fn operation(&self, program: &str, label: &str) -> Option<&Operation> {
        self.of(program).iter().find(|operation| operation.label == label)
    }
}

/// Runs both executables in turns. Who goes first changes, too.
pub(super) fn measure(
    before: &Path,
    after: &Path,
    rounds: usize,
    millis: u64,
) -> Result<Vec<Operation>> {
    let mut operations: Vec<Operation> = Vec::new();
    for round in 0..rounds {
        let mut sides = [(before, false), (after, true)];
        sides.rotate_left(round % 2);
        for (program, is_after) in sides {
            for (label, bytes, nanos) in printed(program, millis)? {
                let i = operations.iter().position(|operation| operation.label == label);
                let i = i.unwrap_or_else(|| {
                    operations.push(Operation { label, bytes, before: vec![], after: vec![] });
                    operations.len() - 1
                });
                let Operation { before, after, .. } = &mut operations[i];
                if is_after { after.push(nanos) } else { before.push(nanos) }
            }
        }
    }
    let paired =
        |operation: &Operation| operation.before.len() == rounds && operation.after.len() == rounds;
    ensure!(operations.iter().all(paired), "the two sides did not run the same operations");
    Ok(operations)
}

/// Keeps glibc from copying with `rep movsb`. On AMD's Zen 3 and 4 that takes several times as long
/// if source and destination happen to lie alike in their pages (glibc's bug 30994), which is decided
/// anew in each run: copies of 64 KiB, as in age and snow, would drown what is measured.
const COPY_EVENLY: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=100000000");

/// Runs a program and reads its lines: label, bytes, nanoseconds.
fn printed(program: &Path, millis: u64) -> Result<Vec<(String, usize, f64)>> {
    let (name, value) = COPY_EVENLY;
    let mut command = Command::new(program);
    command.arg(millis.to_string()).env(name, value).stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("{}", program.display()))?;
    let deadline = Instant::now() + Duration::from_secs(60) + 100 * Duration::from_millis(millis);
    while child.try_wait()?.is_none() {
        if Instant::now() > deadline {
            child.kill()?;
            bail!("{} did not end", program.display());
        }
        thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}: {}", program.display(), output.status);
    let text = String::from_utf8(output.stdout).context("a program printed no text")?;
    text.lines().map(|line| figure(line).ok_or_else(|| anyhow!("not a figure: {line}"))).collect()
}

fn figure(line: &str) -> Option<(String, usize, f64)> {
    let mut fields = line.split('\t');
    let label = fields.next()?.to_owned();
    Some((label, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
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

    #[test]
    fn quotients_are_of_rounds() {
        let (before, after) = (vec![4.0, 8.0, 3.0], vec![1.0, 2.0, 9.0]);
        let operation = Operation { label: "x".to_owned(), bytes: 1, before, after };
        assert_eq!(operation.times(), 4.0);
    }
}
