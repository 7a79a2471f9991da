//! Which checks passed.

use std::fmt;

/// Counts checks, and prints each.
#[derive(Default)]
pub(crate) struct Report {
    passed: usize,
    failed: usize,
}

impl Report {
    pub(crate) fn check(&mut self, name: impl fmt::Display, passed: bool, more: impl fmt::Display) {
        let (verdict, count) = match passed {
            true => ("ok  ", &mut self.passed),
            false => ("FAIL", &mut self.failed),
        };
        *count += 1;
        println!("{}", format!("{verdict} {name} {more}").trim_end());
    }

    /// `good` of `all` did as they should.
    pub(crate) fn count(&mut self, name: impl fmt::Display, good: usize, all: usize) {
        self.check(name, good == all && all > 0, format_args!("({good} of {all})"));
    }

    /// Takes over what another process printed about its checks.
    pub(crate) fn absorb(&mut self, printed: &str) {
        for line in printed.lines() {
            match line.split_once(' ') {
                Some(("ok", check)) => self.check(check.trim_start(), true, ""),
                Some(("FAIL", check)) => self.check(check, false, ""),
                _ => println!("{line}"),
            }
        }
    }

    /// A run without any check is no success.
    pub(crate) fn all_passed(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.failed {
            0 if self.passed > 0 => write!(f, "all {} checks passed", self.passed),
            failed => write!(f, "{failed} checks FAILED, {} passed", self.passed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_not_enough() {
        let mut report = Report::default();
        assert!(!report.all_passed());
        report.count("none", 0, 0);
        assert!(!report.all_passed());
        let mut report = Report::default();
        report.count("some", 3, 3);
        assert!(report.all_passed());
        assert_eq!(report.to_string(), "all 1 checks passed");
        report.check("bad", false, "");
        assert_eq!(report.to_string(), "1 checks FAILED, 1 passed");
        report.absorb("ok   one\nnoise\nFAIL two (1 of 2)\n");
        assert_eq!(report.to_string(), "2 checks FAILED, 2 passed");
    }
}
