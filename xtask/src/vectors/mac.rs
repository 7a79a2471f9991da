//! Cases of Poly1305.

use poly1305_simd::universal_hash::UniversalHash;
use poly1305_simd::{Block, Poly1305};
use serde::Deserialize;

use super::Kernels;
use super::data::Bytes;
use super::tally::{Sum, Tally, same};

fn start(key: &Bytes, kernels: &Kernels) -> Poly1305 {
    Poly1305::with_backend(&key.array().into(), kernels.poly1305)
}

fn blocks(data: &[u8]) -> Vec<Block> {
    assert!(data.len().is_multiple_of(16), "whole blocks only");
    data.chunks_exact(16).map(Block::clone_from_slice).collect()
}

/// One message and its tag.
#[derive(Deserialize)]
pub(crate) struct Run {
    pub(crate) key: Bytes,
    pub(crate) msg: Bytes,
    pub(crate) tag: Bytes,
    #[serde(default)]
    pub(crate) cuts: Vec<Vec<usize>>,
}

impl Run {
    /// The tag by way of `update` for all pieces but the last.
    fn in_pieces(&self, cuts: &[usize], kernels: &Kernels) -> poly1305_simd::Tag {
        let (mut poly, mut from) = (start(&self.key, kernels), 0);
        for &cut in cuts {
            poly.update(&blocks(&self.msg[from..cut]));
            from = cut;
        }
        poly.compute_unpadded(&self.msg[from..])
    }

    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let whole_blocks = || (0..=self.msg.len()).step_by(16);
        t.check("at once", || {
            same(&start(&self.key, kernels).compute_unpadded(&self.msg), &self.tag)
        });
        t.check("in two pieces, all cuts", || {
            whole_blocks().try_for_each(|cut| same(&self.in_pieces(&[cut], kernels), &self.tag))
        });
        t.check("block by block", || {
            let cuts = whole_blocks().collect::<Vec<_>>();
            same(&self.in_pieces(&cuts, kernels), &self.tag)
        });
        for cuts in &self.cuts {
            t.check(format_args!("cut at {cuts:?}"), || {
                same(&self.in_pieces(cuts, kernels), &self.tag)
            });
        }
    }
}

/// Calls in order.
#[derive(Deserialize)]
pub(crate) struct Steps {
    pub(crate) key: Bytes,
    pub(crate) steps: Vec<Step>,
    pub(crate) tag: Bytes,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Step {
    Update(Bytes),
    UpdatePadded(Bytes),
    Clone(bool),
}

impl Steps {
    /// A clone goes through the remaining steps and must come to the same tag.
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        t.check("steps", || {
            let mut states = vec![start(&self.key, kernels)];
            for step in &self.steps {
                match step {
                    Step::Update(data) => {
                        states.iter_mut().for_each(|poly| poly.update(&blocks(data)));
                    }
                    Step::UpdatePadded(data) => {
                        states.iter_mut().for_each(|poly| poly.update_padded(data));
                    }
                    Step::Clone(wanted) => {
                        assert!(wanted, "a step that does nothing");
                        states.push(states[0].clone());
                    }
                }
            }
            states.into_iter().try_for_each(|poly| same(&poly.finalize(), &self.tag))
        });
    }
}

/// The AEAD's three calls, for all pairs of lengths.
#[derive(Deserialize)]
pub(crate) struct Sweep {
    pub(crate) key: Bytes,
    pub(crate) first: [usize; 2],
    pub(crate) second: [usize; 2],
    pub(crate) sha256: String,
}

/// Octet i is `a * i + b`.
pub(crate) fn mul(a: u8, b: u8, len: usize) -> Vec<u8> {
    (0..len).map(|i| a.wrapping_mul(i as u8).wrapping_add(b)).collect()
}

impl Sweep {
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        t.check("all pairs of lengths", || {
            let (aad, text) = (mul(7, 3, self.first[1]), mul(5, 1, self.second[1]));
            let mut sum = Sum::default();
            for x in self.first[0]..=self.first[1] {
                for y in self.second[0]..=self.second[1] {
                    let mut poly = start(&self.key, kernels);
                    poly.update_padded(&aad[..x]);
                    poly.update_padded(&text[..y]);
                    let lengths = (x as u128) | (y as u128) << 64;
                    poly.update(&[lengths.to_le_bytes().into()]);
                    sum.add(&poly.finalize());
                }
            }
            sum.is(&self.sha256)
        });
    }
}
