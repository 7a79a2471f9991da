//! Which backends a test really ran: a skip is loud.

use std::collections::BTreeSet;

/// The environment variable that [`expect`] compares with: names parted by commas.
pub const VARIABLE: &str = "EXPECT_BACKENDS";

/// Prints the backends that a test exercised and, where [`VARIABLE`] is set, asserts that they
/// are exactly those it lists.
///
/// A test that loops over `Backend::available()` passes on a machine that lacks the instructions;
/// this is how a run under an emulator proves that it tested what it was started for.
///
/// # Panics
/// If the two sets differ.
pub fn expect(names: &[&str]) {
    let exercised: BTreeSet<&str> = names.iter().copied().collect();
    println!("backends exercised: {}", join(&exercised));
    if let Ok(expected) = std::env::var(VARIABLE) {
        let expected = expected.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        compare(&exercised, &expected);
    }
}

fn compare(exercised: &BTreeSet<&str>, expected: &BTreeSet<&str>) {
    assert!(
        exercised == expected,
        "{VARIABLE} asks for {}, this test exercised {}",
        join(expected),
        join(exercised)
    );
}

fn join(names: &BTreeSet<&str>) -> String {
    names.iter().copied().collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_set_in_any_order() {
        compare(&["sse2", "soft"].into(), &["soft", "sse2"].into());
    }

    #[test]
    #[should_panic(expected = "asks for avx2,soft, this test exercised soft")]
    fn a_missing_backend_is_loud() {
        compare(&["soft"].into(), &["soft", "avx2"].into());
    }
}
