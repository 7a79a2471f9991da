//! Oracles, guarded buffers and generators for the tests of this workspace.
