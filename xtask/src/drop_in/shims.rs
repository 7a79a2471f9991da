//! The stand-ins of `compat/`.

use std::path::PathBuf;

use crate::workspace::root;

/// A generation of RustCrypto's traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    Old,
    New,
}

impl Generation {
    /// Its name in tables.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Old => "generic-array",
            Self::New => "hybrid-array",
        }
    }
}

/// A package of `compat/`.
pub(super) struct Shim {
    pub(super) name: &'static str,
    /// That of the package that it stands in for.
    pub(super) version: &'static str,
    generation: Generation,
}

pub(super) const SHIMS: &[Shim] = &[
    Shim { name: "chacha20", version: "0.9.1", generation: Generation::Old },
    Shim { name: "poly1305", version: "0.8.0", generation: Generation::Old },
    Shim { name: "chacha20poly1305", version: "0.10.1", generation: Generation::Old },
    Shim { name: "chacha20", version: "0.10.2", generation: Generation::New },
    Shim { name: "poly1305", version: "0.9.1", generation: Generation::New },
    Shim { name: "chacha20poly1305", version: "0.11.0", generation: Generation::New },
];

impl Shim {
    /// Where it lies.
    pub(super) fn directory(&self) -> PathBuf {
        let generation = match self.generation {
            Generation::Old => "v1",
            Generation::New => "v2",
        };
        root().join("compat").join(generation).join(self.name)
    }
}

/// What tells cargo to use all stand-ins: those that a program has no use for do no harm.
pub(super) fn patches() -> Vec<String> {
    let patch = |shim: &Shim| {
        let path = shim.directory().display().to_string();
        // Two packages of one name need keys of their own.
        let key = format!("patch.crates-io.{}-{:?}", shim.name, shim.generation);
        [format!("{key}.package={:?}", shim.name), format!("{key}.path={path:?}")]
    };
    let settings = SHIMS.iter().flat_map(patch);
    settings.flat_map(|setting| ["--config".to_owned(), setting]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_the_manifests() {
        for shim in SHIMS {
            let manifest = std::fs::read_to_string(shim.directory().join("Cargo.toml")).unwrap();
            assert!(manifest.contains(&format!("name = {:?}", shim.name)));
            assert!(manifest.contains(&format!("version = {:?}", shim.version)));
        }
    }
}
