//! strongSwan.

use std::process::ExitCode;

use anyhow::{Result, bail};

use super::report::Report;

pub(super) fn run(_: &mut Report) -> Result<()> {
    bail!("not here")
}

pub(super) fn takeover() -> Result<ExitCode> {
    bail!("not here")
}
