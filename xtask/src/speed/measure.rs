//! Clocks and batches.

use std::time::{Duration, Instant};

use serde::Serialize;

/// How long to measure.
#[derive(Clone, Copy)]
pub(super) enum Budget {
    /// Until the minimum is steady: a fixed number of batches.
    Cycles,
    /// This many seconds.
    Seconds(u64),
}

/// What was measured.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Measured {
    Rate { operations: u64, seconds: u64 },
    Cost { unit: &'static str, minimum: f64, median: f64, batches: usize, per_batch: u64 },
}

/// A batch is long enough that reading the clock costs it less than one part in a hundred, and
/// short enough that many of them see no interrupt.
const BATCH: Duration = Duration::from_micros(20);
const BATCHES: usize = 2000;

#[cfg(target_arch = "x86_64")]
const UNIT: &str = "cycles";
#[cfg(not(target_arch = "x86_64"))]
const UNIT: &str = "ns";

/// The unit, explained.
pub(super) const UNIT_TEXT: &str =
    if cfg!(target_arch = "x86_64") { "cycles of the time stamp counter" } else { "nanoseconds" };

/// The clock's reading in [`UNIT`].
#[cfg(target_arch = "x86_64")]
fn now() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: SSE2 and the time stamp counter belong to x86-64. The fence keeps the operations
    // before the reading before it.
    unsafe {
        _mm_lfence();
        _rdtsc()
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn now() -> u64 {
    use std::sync::OnceLock;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Runs `operation` as the budget says, after a warm-up.
pub(super) fn run(budget: Budget, operation: &mut dyn FnMut()) -> Measured {
    let per_batch = warm_up(operation);
    match budget {
        Budget::Seconds(seconds) => rate(seconds, per_batch, operation),
        Budget::Cycles => cost(per_batch, operation),
    }
}

/// Warms caches and clock up; the number of operations that fill a batch.
fn warm_up(operation: &mut dyn FnMut()) -> u64 {
    let mut count = 1;
    loop {
        let start = Instant::now();
        (0..count).for_each(|_| operation());
        if start.elapsed() >= 50 * BATCH {
            return (count / 50).max(1);
        }
        count *= 2;
    }
}

fn rate(seconds: u64, per_batch: u64, operation: &mut dyn FnMut()) -> Measured {
    let (start, end) = (Instant::now(), Duration::from_secs(seconds));
    let mut operations = 0;
    while start.elapsed() < end {
        (0..per_batch).for_each(|_| operation());
        operations += per_batch;
    }
    Measured::Rate { operations, seconds }
}

fn cost(per_batch: u64, operation: &mut dyn FnMut()) -> Measured {
    let mut costs: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = now();
            (0..per_batch).for_each(|_| operation());
            (now() - start) as f64 / per_batch as f64
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    Measured::Cost {
        unit: UNIT,
        minimum: costs[0],
        median: costs[BATCHES / 2],
        batches: BATCHES,
        per_batch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_budgets_measure() {
        let mut count = 0u64;
        let mut operation = || count = std::hint::black_box(count + 1);
        let Measured::Cost { minimum, median, .. } = run(Budget::Cycles, &mut operation) else {
            panic!("a cost was asked for");
        };
        assert!(0.0 < minimum && minimum <= median);
        let Measured::Rate { operations, seconds: 1 } = run(Budget::Seconds(1), &mut operation)
        else {
            panic!("a rate was asked for");
        };
        assert!(operations > 1000);
    }
}
