//! Cases of the AEADs.

use chacha20poly1305_esp as esp_crate;
use serde::Deserialize;

use super::ciphers::{Aead, AeadAlg, open_in_place, seal_in_place, takes_key};
use super::data::{Bytes, Flips};
use super::mac::mul;
use super::stream::at_offset;
use super::tally::{Check, Mismatch, Sum, Tally, ensure, same};
use super::{Kernels, forced};

/// Everything of one message.
pub(crate) struct Message<'a> {
    pub(crate) nonce: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) pt: &'a [u8],
    pub(crate) ct: &'a [u8],
    pub(crate) tag: &'a [u8],
}

impl Message<'_> {
    fn sealed(&self) -> Vec<u8> {
        [self.ct, self.tag].concat()
    }

    fn tag(&self) -> &[u8; 16] {
        self.tag.try_into().expect("a tag of 16 bytes")
    }

    /// Sealed and opened, in place and between buffers.
    pub(crate) fn check(&self, aead: &dyn Aead, t: &mut Tally) {
        t.check("seal in place", || {
            let mut text = self.pt.to_vec();
            let tag = aead.seal_in_place(self.nonce, self.aad, &mut text);
            same(&text, self.ct)?;
            same(tag.as_ref().map_or(&[][..], |tag| tag), self.tag)
        });
        t.check("seal between buffers", || {
            let mut out = vec![0xee; self.pt.len() + 16];
            let ok = aead.seal_into(self.nonce, self.aad, self.pt, &mut out);
            ensure(ok, || "refused".into())?;
            same(&out, &self.sealed())
        });
        t.check("open in place", || {
            let mut text = self.ct.to_vec();
            let ok = aead.open_in_place(self.nonce, self.aad, &mut text, self.tag());
            ensure(ok, || "refused".into())?;
            same(&text, self.pt)
        });
        t.check("open between buffers", || {
            let mut out = vec![0xee; self.ct.len()];
            let ok = aead.open_into(self.nonce, self.aad, &self.sealed(), &mut out);
            ensure(ok, || "refused".into())?;
            same(&out, self.pt)
        });
    }

    /// Opening fails, and nothing of the text is left where it could be used.
    pub(crate) fn check_forgery(&self, aead: &dyn Aead, t: &mut Tally) {
        t.check("refuse in place", || self.refused_in_place(aead));
        t.check("refuse between buffers", || {
            let mut out = vec![0; self.ct.len()];
            let ok = aead.open_into(self.nonce, self.aad, &self.sealed(), &mut out);
            ensure(!ok, || "a forgery was accepted".into())?;
            ensure(out.iter().all(|&byte| byte == 0), || "output written".into())
        });
    }

    fn refused_in_place(&self, aead: &dyn Aead) -> Check {
        let mut text = self.ct.to_vec();
        let ok = aead.open_in_place(self.nonce, self.aad, &mut text, self.tag());
        ensure(!ok, || "a forgery was accepted".into())?;
        if text.iter().all(|&byte| byte == 0) { Ok(()) } else { same(&text, self.ct) }
    }

    /// Every single bit of nonce, AAD, ciphertext and tag matters.
    pub(crate) fn check_flips(&self, aead: &dyn Aead, t: &mut Tally) {
        t.check("refuse every flipped bit", || {
            for part in 0..4 {
                let mut parts = [self.nonce, self.aad, self.ct, self.tag].map(<[u8]>::to_vec);
                for bit in 0..8 * parts[part].len() {
                    parts[part][bit / 8] ^= 1 << (bit % 8);
                    let [nonce, aad, ct, tag] = &parts;
                    let name = ["nonce", "AAD", "ciphertext", "tag"][part];
                    Message { nonce, aad, ct, tag, pt: &[] }.refused_in_place(aead).map_err(
                        |why| Mismatch::Other(format!("bit {bit} of the {name}: {why}")),
                    )?;
                    parts[part][bit / 8] ^= 1 << (bit % 8);
                }
            }
            Ok(())
        });
    }
}

/// A message and its ciphertext.
#[derive(Deserialize)]
pub(crate) struct Run {
    pub(crate) alg: AeadAlg,
    pub(crate) key: Bytes,
    pub(crate) nonce: Bytes,
    pub(crate) aad: Bytes,
    pub(crate) pt: Bytes,
    pub(crate) ct: Bytes,
    pub(crate) tag: Bytes,
}

impl Run {
    pub(crate) fn run(&self, flips: Flips, kernels: &Kernels, t: &mut Tally) {
        let aead = self.alg.start(&self.key, kernels);
        let Self { nonce, aad, pt, ct, tag, .. } = self;
        let message = Message { nonce, aad, pt, ct, tag };
        message.check(aead.as_ref(), t);
        if flips == Flips::All {
            message.check_flips(aead.as_ref(), t);
        }
    }
}

/// Ciphertext and tag in one, as `Aead::decrypt` takes them.
#[derive(Deserialize)]
pub(crate) struct Open {
    pub(crate) alg: AeadAlg,
    pub(crate) key: Bytes,
    pub(crate) nonce: Bytes,
    pub(crate) aad: Bytes,
    pub(crate) runs: Vec<OpenRun>,
}

#[derive(Deserialize)]
pub(crate) struct OpenRun {
    pub(crate) input: Bytes,
    pub(crate) ok: bool,
    pub(crate) pt: Option<Bytes>,
}

impl Open {
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let aead = self.alg.start(&self.key, kernels);
        for run in &self.runs {
            let len = run.input.len();
            let want = run.pt.as_deref().unwrap_or_default();
            t.check(format_args!("decrypt {len} bytes"), || {
                let got = aead.open_vec(&self.nonce, &self.aad, &run.input);
                ensure(got.is_some() == run.ok, || format!("ok is {}", got.is_some()))?;
                got.map_or(Ok(()), |text| same(&text, want))
            });
            t.check(format_args!("open {len} bytes between buffers"), || {
                let mut out = vec![0; len.saturating_sub(16)];
                let ok = aead.open_into(&self.nonce, &self.aad, &run.input, &mut out);
                ensure(ok == run.ok, || format!("ok is {ok}"))?;
                if ok { same(&out, want) } else { Ok(()) }
            });
        }
    }
}

/// All lengths and many AAD lengths under one hash.
#[derive(Deserialize)]
pub(crate) struct Sweep {
    pub(crate) alg: AeadAlg,
    pub(crate) key: Bytes,
    pub(crate) lens: [usize; 2],
    pub(crate) aads: Vec<usize>,
    pub(crate) sha256: String,
}

impl Sweep {
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let aead = self.alg.start(&self.key, kernels);
        t.check("all lengths, sealed and opened", || {
            let aad = mul(7, 3, *self.aads.iter().max().expect("AAD lengths"));
            let pt = mul(5, 1, self.lens[1]);
            let mut sum = Sum::default();
            let mut n = 0u32;
            for len in self.lens[0]..=self.lens[1] {
                for &aad_len in &self.aads {
                    let mut nonce = [0; 12];
                    nonce[..4].copy_from_slice(&n.to_le_bytes());
                    n += 1;
                    let (aad, mut text) = (&aad[..aad_len], pt[..len].to_vec());
                    let tag = aead.seal_in_place(&nonce, aad, &mut text);
                    let Some(tag) = tag else { return ensure(false, || "refused".into()) };
                    sum.add(&text);
                    sum.add(&tag);
                    let ok = aead.open_in_place(&nonce, aad, &mut text, &tag);
                    ensure(ok, || format!("{len} bytes, AAD {aad_len}: not opened again"))?;
                    same(&text, &pt[..len])?;
                }
            }
            sum.is(&self.sha256)
        });
    }
}

/// A long message by the hash of its ciphertext and tag.
#[derive(Deserialize)]
pub(crate) struct Hash {
    pub(crate) alg: AeadAlg,
    pub(crate) key: Bytes,
    pub(crate) nonce: Bytes,
    pub(crate) aad: Bytes,
    pub(crate) pt: Bytes,
    pub(crate) sha256: String,
}

impl Hash {
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let aead = self.alg.start(&self.key, kernels);
        let mut sealed = vec![0; self.pt.len() + 16];
        t.check("seal between buffers", || {
            aead.seal_into(&self.nonce, &self.aad, &self.pt, &mut sealed);
            let mut sum = Sum::default();
            sum.add(&sealed);
            sum.is(&self.sha256)
        });
        t.check("open between buffers", || {
            let mut out = vec![0xee; self.pt.len()];
            let ok = aead.open_into(&self.nonce, &self.aad, &sealed, &mut out);
            ensure(ok, || "refused".into())?;
            same(&out, &self.pt)
        });
    }
}

/// The same output wherever the buffer lies.
#[derive(Deserialize)]
pub(crate) struct Aligned {
    pub(crate) alg: AeadAlg,
    pub(crate) key: Bytes,
    pub(crate) nonce: Bytes,
    pub(crate) aad: Bytes,
    pub(crate) data: Bytes,
    pub(crate) offsets: [usize; 2],
    pub(crate) sha256: String,
}

impl Aligned {
    pub(crate) fn run(&self, kernels: &Kernels, t: &mut Tally) {
        let aead = self.alg.start(&self.key, kernels);
        let len = self.data.len();
        let mut memory = vec![0; len + 64 + 64 + self.offsets[1]];
        for offset in self.offsets[0]..=self.offsets[1] {
            t.check(format_args!("offset {offset}"), || {
                let text = at_offset(&mut memory, offset, len);
                text.copy_from_slice(&self.data);
                let tag = aead.seal_in_place(&self.nonce, &self.aad, text).unwrap_or_default();
                let mut sum = Sum::default();
                sum.add(text);
                sum.add(&tag);
                sum.is(&self.sha256)?;
                let ok = aead.open_in_place(&self.nonce, &self.aad, text, &tag);
                ensure(ok, || "not opened again".into())?;
                same(text, &self.data)
            });
        }
    }
}

/// Which key lengths the constructors take.
#[derive(Deserialize)]
pub(crate) struct KeyLength {
    pub(crate) alg: String,
    pub(crate) ok: Vec<usize>,
    pub(crate) bad: Vec<usize>,
}

impl KeyLength {
    pub(crate) fn run(&self, t: &mut Tally) {
        let takes = match self.alg.as_str() {
            "ChaCha20Poly1305" => takes_key::<esp_crate::ChaCha20Poly1305>,
            "XChaCha20Poly1305" => takes_key::<esp_crate::XChaCha20Poly1305>,
            "Poly1305" => takes_key::<poly1305_simd::Poly1305>,
            other => panic!("no key length is known for {other}"),
        };
        for (lengths, want) in [(&self.ok, true), (&self.bad, false)] {
            for &len in lengths {
                t.check(format_args!("{} key of {len} bytes", self.alg), || {
                    let got = takes(&vec![1; len]);
                    ensure(got == want, || format!("taken is {got}"))
                });
            }
        }
    }
}

/// An AEAD keyed with key and salt, called with the explicit IV (RFC 7634 section 2).
#[derive(Deserialize)]
pub(crate) struct Salted {
    pub(crate) keymat: Bytes,
    pub(crate) iv: Bytes,
    pub(crate) aad: Bytes,
    pub(crate) pt: Bytes,
    pub(crate) ct: Bytes,
    pub(crate) tag: Bytes,
}

impl Salted {
    pub(crate) fn run(&self, flips: Flips, kernels: &Kernels, t: &mut Tally) {
        let (aead, tag) = (forced::salted(&self.keymat, kernels), self.tag.array());
        t.check("salted seal", || {
            let mut text = self.pt.0.clone();
            let tag = seal_in_place(&aead, &self.iv, &self.aad, &mut text);
            same(&text, &self.ct)?;
            same(tag.as_ref().map_or(&[][..], |tag| tag), &self.tag)
        });
        t.check("salted open", || {
            let mut text = self.ct.0.clone();
            let ok = open_in_place(&aead, &self.iv, &self.aad, &mut text, &tag);
            ensure(ok, || "refused".into())?;
            same(&text, &self.pt)
        });
        // The same message by hand: the nonce is salt, then IV.
        let (key, salt) = self.keymat.split_at(32);
        let nonce = [salt, &self.iv].concat();
        let Self { aad, pt, ct, tag, .. } = self;
        let message = Message { nonce: &nonce, aad, pt, ct, tag };
        let aead = AeadAlg::ChaCha20Poly1305.start(key, kernels);
        message.check(aead.as_ref(), t);
        if flips == Flips::All {
            message.check_flips(aead.as_ref(), t);
        }
    }
}
