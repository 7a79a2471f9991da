//! A progress bar, on a terminal only.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of `len` steps on stderr; hidden where stderr is no terminal.
pub(crate) fn bar(len: usize) -> ProgressBar {
    if !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = "{elapsed_precise} {wide_bar} {pos}/{len} {msg}";
    let style = ProgressStyle::with_template(style).expect("a valid template");
    ProgressBar::new(len as u64).with_style(style)
}
