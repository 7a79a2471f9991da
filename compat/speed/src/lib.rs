//! What the programs measure with: `label<TAB>bytes<TAB>nanoseconds` a line, for one operation.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// For how long each operation is repeated: the first argument, in milliseconds.
pub fn budget() -> Duration {
    let millis = std::env::args().nth(1).and_then(|argument| argument.parse().ok());
    Duration::from_millis(millis.unwrap_or(200))
}

/// Repeats `operation`, which handles `bytes` bytes, and prints what one costs: the fastest of
/// batches that together take the budget.
pub fn measure<T>(label: &str, bytes: usize, mut operation: impl FnMut() -> T) {
    let start = Instant::now();
    black_box(operation());
    let once = start.elapsed().max(Duration::from_nanos(1));
    // Batches long enough for the clock, short enough that some are undisturbed.
    let batch = (Duration::from_millis(2).as_nanos() / once.as_nanos()).clamp(1, 100_000) as u32;
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed() < budget() || best.is_infinite() {
        let start = Instant::now();
        for _ in 0..batch {
            black_box(operation());
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(batch));
    }
    println!("{label}\t{bytes}\t{best:.1}");
}
