//! Counting checks, and saying precisely what is wrong with a result.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use sha2::{Digest, Sha256};

/// What a check found.
#[derive(Debug)]
pub(crate) enum Mismatch {
    Byte { at: usize, got: u8, want: u8 },
    Length { got: usize, want: usize },
    Sha256 { got: String, want: String },
    Other(String),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte { at, got, want } => {
                write!(f, "first differing byte is {at}: got {got:02x}, want {want:02x}")
            }
            Self::Length { got, want } => write!(f, "got {got} bytes, want {want}"),
            Self::Sha256 { got, want } => write!(f, "got SHA-256 {got}, want {want}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

pub(crate) type Check = Result<(), Mismatch>;

/// Equal bytes, or the first difference.
pub(crate) fn same(got: &[u8], want: &[u8]) -> Check {
    let difference = got.iter().zip(want).enumerate().find(|(_, (got, want))| got != want);
    match difference {
        Some((at, (&got, &want))) => Err(Mismatch::Byte { at, got, want }),
        None if got.len() != want.len() => {
            Err(Mismatch::Length { got: got.len(), want: want.len() })
        }
        None => Ok(()),
    }
}

/// `text` is what is wrong if `holds` is false.
pub(crate) fn ensure(holds: bool, text: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(Mismatch::Other(text())) }
}

/// A hash over outputs, compared with the published one at the end.
#[derive(Default)]
pub(crate) struct Sum(Sha256);

impl Sum {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn is(self, want: &str) -> Check {
        let got = hex::encode(self.0.finalize());
        if got == want { Ok(()) } else { Err(Mismatch::Sha256 { got, want: want.to_owned() }) }
    }
}

/// A check that did not hold.
pub(crate) struct Failure {
    id: String,
    what: String,
    mismatch: Mismatch,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.id, self.what, self.mismatch)
    }
}

/// Checks passed and failed so far.
///
/// A check is one way through the interface for one vector: sealed in place, sealed between two
/// buffers, hashed at once, hashed in all pieces, and so on. A loop over cuts, offsets or flipped
/// bits is one check, however long it is.
#[derive(Default)]
pub(crate) struct Tally {
    id: String,
    pub(crate) passed: usize,
    pub(crate) failures: Vec<Failure>,
}

impl Tally {
    /// The checks that follow belong to the entry `id`.
    pub(crate) fn enter(&mut self, id: &str) {
        id.clone_into(&mut self.id);
    }

    /// Counts one check. A panic is a failure of the check, not of the program.
    pub(crate) fn check(&mut self, what: impl fmt::Display, check: impl FnOnce() -> Check) {
        let result = catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
            let text = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            Err(Mismatch::Other(format!("panicked: {}", text.unwrap_or("?"))))
        });
        match result {
            Ok(()) => self.passed += 1,
            Err(mismatch) => {
                let what = what.to_string();
                self.failures.push(Failure { id: self.id.clone(), what, mismatch });
            }
        }
    }

    /// Adds another tally's counts.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(
            same(&[1, 2, 3], &[1, 4, 5]).unwrap_err().to_string(),
            "first differing byte is 1: got 02, want 04"
        );
        assert_eq!(same(&[1], &[1, 2]).unwrap_err().to_string(), "got 1 bytes, want 2");
        assert!(same(&[], &[]).is_ok());
    }

    /// A run that checks nothing or fails cannot look like one that passes.
    #[test]
    fn failures_and_panics_count() {
        let mut tally = Tally::default();
        tally.enter("case");
        tally.check("good", || Ok(()));
        tally.check("bad", || same(&[0], &[1]));
        tally.check("worse", || panic!("out of bounds"));
        assert_eq!((tally.passed, tally.failures.len()), (1, 2));
        let text = "case: bad: first differing byte is 0: got 00, want 01";
        assert_eq!(tally.failures[0].to_string(), text);
        assert_eq!(tally.failures[1].to_string(), "case: worse: panicked: out of bounds");
    }
}
