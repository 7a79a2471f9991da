//! The JSON files in `vectors/`, as types.

use anyhow::{Context, Result};
use serde::{Deserialize, Deserializer, de};

use super::ciphers::{AeadAlg, StreamAlg};
use super::{Entry, Kernels, aead, mac, stream, tally::Tally};

/// Bytes in the term notation of [`testkit::terms`].
#[derive(Clone, Debug)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        testkit::terms::parse(&text).map(Self).map_err(de::Error::custom)
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Bytes {
    /// # Panics
    /// If the length is another; keys of a wrong length are a case of their own.
    pub(crate) fn array<const N: usize>(&self) -> [u8; N] {
        self.0.as_slice().try_into().expect("vector has another length")
    }
}

#[derive(Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    #[serde(flatten)]
    pub(crate) kind: Kind,
}

/// What a case consists of. All kinds but `encrypt`, `one_time_key`, `salted_aead` and `packet`
/// occur in `primitives.json`.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Kind {
    Poly1305 { runs: Vec<mac::Run> },
    Poly1305Steps { runs: Vec<mac::Steps> },
    Poly1305Sweep(mac::Sweep),
    Stream(stream::Script),
    StreamSplits(stream::Splits),
    Block { runs: Vec<stream::Blocks> },
    Encrypt { runs: Vec<stream::Encrypt> },
    Aligned(stream::Aligned),
    Hchacha { runs: Vec<stream::Hchacha> },
    Aead { flips: Flips, runs: Vec<aead::Run> },
    AeadOpen(aead::Open),
    AeadSweep(aead::Sweep),
    AeadHash { runs: Vec<aead::Hash> },
    AlignedAead(aead::Aligned),
    KeyLength { runs: Vec<aead::KeyLength> },
    OneTimeKey { runs: Vec<OneTimeKey> },
    SaltedAead { flips: Flips, runs: Vec<aead::Salted> },
    Packet { runs: Vec<super::esp::Packet> },
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Flips {
    All,
    None,
}

#[derive(Deserialize)]
pub(crate) struct OneTimeKey {
    pub(crate) alg: AeadAlg,
    pub(crate) key: Bytes,
    pub(crate) nonce: Bytes,
    pub(crate) out: Bytes,
}

impl Case {
    fn run(&self, kernels: &Kernels, t: &mut Tally) {
        match &self.kind {
            Kind::Poly1305 { runs } => runs.iter().for_each(|run| run.run(kernels, t)),
            Kind::Poly1305Steps { runs } => runs.iter().for_each(|run| run.run(kernels, t)),
            Kind::Poly1305Sweep(sweep) => sweep.run(kernels, t),
            Kind::Stream(script) => script.run(kernels, t),
            Kind::StreamSplits(splits) => splits.run(kernels, t),
            Kind::Block { runs } => runs.iter().for_each(|run| run.run(kernels, t)),
            Kind::Encrypt { runs } => runs.iter().for_each(|run| run.run(kernels, t)),
            Kind::Aligned(aligned) => aligned.run(kernels, t),
            Kind::Hchacha { runs } => runs.iter().for_each(|run| run.run(t)),
            Kind::Aead { flips, runs } => runs.iter().for_each(|run| run.run(*flips, kernels, t)),
            Kind::AeadOpen(open) => open.run(kernels, t),
            Kind::AeadSweep(sweep) => sweep.run(kernels, t),
            Kind::AeadHash { runs } => runs.iter().for_each(|run| run.run(kernels, t)),
            Kind::AlignedAead(aligned) => aligned.run(kernels, t),
            Kind::KeyLength { runs } => runs.iter().for_each(|run| run.run(t)),
            Kind::OneTimeKey { runs } => {
                runs.iter().for_each(|run| stream::one_time_key(run, kernels, t))
            }
            Kind::SaltedAead { flips, runs } => {
                runs.iter().for_each(|run| run.run(*flips, kernels, t));
            }
            Kind::Packet { runs } => runs.iter().for_each(|run| run.run(kernels, t)),
        }
    }
}

/// The cases of a file.
pub(crate) fn cases(json: &str) -> Result<Vec<Case>> {
    Ok(serde_json::from_str::<File>(json).context("vector file")?.cases)
}

/// The cases of a file, ready to run.
pub(crate) fn entries(json: &str) -> Result<Vec<Entry>> {
    let entry = |case: Case| {
        Entry::new(case.id.clone(), move |kernels: &Kernels, t: &mut Tally| case.run(kernels, t))
    };
    Ok(cases(json)?.into_iter().map(entry).collect())
}

#[derive(Deserialize)]
struct Linux {
    name: String,
    key: Bytes,
    nonce: Bytes,
    initial_counter: u64,
    plaintext: Bytes,
    ciphertext: Bytes,
}

/// The one vector of `chacha20-1281.json` as a case of the kind `encrypt`.
pub(crate) fn linux_case(json: &str) -> Result<Case> {
    let linux: Linux = serde_json::from_str(json).context("vector file")?;
    let run = stream::Encrypt {
        alg: StreamAlg::ChaCha20,
        key: linux.key,
        iv: linux.nonce,
        counter: linux.initial_counter,
        pt: linux.plaintext,
        ct: linux.ciphertext,
    };
    Ok(Case { id: linux.name, kind: Kind::Encrypt { runs: vec![run] } })
}

/// [`linux_case`], ready to run.
pub(crate) fn linux(json: &str) -> Result<Vec<Entry>> {
    let case = linux_case(json)?;
    Ok(vec![Entry::new(case.id.clone(), move |kernels, t| case.run(kernels, t))])
}
