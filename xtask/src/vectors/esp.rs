//! Cases of ESP.

mod around;
mod association;
mod packet;
mod segments;

use anyhow::{Context, Result};
use chacha20poly1305_esp::esp::{Error, sealed_len};
use serde::Deserialize;

use super::aead::Run;
use super::ciphers::AeadAlg;
use super::data::{Bytes, Flips};
use super::forced::salted;
use super::tally::{Check, Mismatch, Tally, ensure};
use super::{Entry, Kernels};
use association::Keyed;
pub(crate) use packet::Packet;

#[derive(Deserialize)]
struct File {
    keymat: Bytes,
    spi: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    #[serde(flatten)]
    kind: Kind,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Kind {
    Vector(Packet),
    Aead(Aead),
    Sizes { items: Vec<(usize, usize)> },
    Room { items: Vec<(usize, usize)> },
    Segments(segments::Segments),
    Inbound(association::InboundCase),
    Numbers(association::NumbersCase),
    Outbound(association::OutboundCase),
    Tfc { items: Vec<around::Tfc> },
    Classify { items: Vec<(Bytes, String)> },
    UdpHeader(around::UdpHeader),
    Rules {},
}

#[derive(Deserialize)]
struct Aead {
    key: Bytes,
    nonce: Bytes,
    aad: Bytes,
    pt: Bytes,
    ct: Bytes,
    tag: Bytes,
}

impl Case {
    fn run(&self, keymat: &Bytes, spi: u32, kernels: &Kernels, t: &mut Tally) {
        let aead = || salted(keymat, kernels);
        let keyed = Keyed { spi, keymat, kernels };
        match &self.kind {
            Kind::Vector(packet) => packet.check(&aead(), t),
            Kind::Aead(Aead { key, nonce, aad, pt, ct, tag }) => {
                let [key, nonce, aad, pt, ct, tag] =
                    [key, nonce, aad, pt, ct, tag].map(Bytes::clone);
                let run = Run { alg: AeadAlg::ChaCha20Poly1305, key, nonce, aad, pt, ct, tag };
                run.run(Flips::All, kernels, t);
            }
            Kind::Sizes { items } => t.check("packet lengths", || {
                items.iter().try_for_each(|&(payload, want)| {
                    let got = sealed_len(payload);
                    ensure(got == want, || format!("{payload} makes {got}, want {want}"))
                })
            }),
            Kind::Room { items } => {
                for &(payload, room) in items {
                    t.check(format_args!("room for {payload}"), || {
                        packet::room_is(&aead(), spi, payload, room)
                    });
                }
            }
            Kind::Segments(case) => case.run(&keyed, t),
            Kind::Inbound(case) => case.run(&keyed, t),
            Kind::Numbers(case) => case.run(&keyed, t),
            Kind::Outbound(case) => case.run(&keyed, t),
            Kind::Tfc { items } => items.iter().for_each(|item| item.run(t)),
            Kind::Classify { items } => items.iter().for_each(|item| around::classified(item, t)),
            Kind::UdpHeader(header) => header.run(t),
            Kind::Rules {} => association::rules(&keyed, t),
        }
    }
}

fn unexpected(error: Error) -> Mismatch {
    Mismatch::Other(format!("refused: {error}"))
}

fn is<T: std::fmt::Debug>(result: &Result<T, Error>, want: Error) -> Check {
    ensure(matches!(result, Err(error) if *error == want), || format!("{result:?}, want {want:?}"))
}

/// All cases of the file.
pub(crate) fn entries(json: &str) -> Result<Vec<Entry>> {
    let File { keymat, spi, cases } = serde_json::from_str(json).context("vector file")?;
    let entry = |case: Case| {
        let (id, keymat) = (case.id.clone(), keymat.clone());
        let run = move |kernels: &Kernels, t: &mut Tally| case.run(&keymat, spi, kernels, t);
        Entry::new(id, run)
    };
    Ok(cases.into_iter().map(entry).collect())
}
