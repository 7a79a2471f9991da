//! The workspace tools.
fn main() {}
