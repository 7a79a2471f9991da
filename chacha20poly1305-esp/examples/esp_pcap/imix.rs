//! Packets per second of the simple Internet mix, for several AEADs under the same security associations.

use anyhow::{Result, ensure};
use chacha20poly1305_esp::aead::consts::{U0, U8, U16};
use chacha20poly1305_esp::aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::esp::{
    self, HEADROOM, InboundSa, OutboundSa, Rfc7539Esp, SaltedAead, TAILROOM,
};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Twelve IP packets, by their length in octets: 7 short ones, 4 of the middle, 1 full one.
const MIX: [usize; 12] = [64, 576, 64, 64, 576, 64, 1500, 64, 576, 64, 576, 64];
/// As many mixes as fit into a first-level cache of 32 KiB, sealed.
const MIXES: usize = 6;
/// Every AEAD has its turn in each round, so that what disturbs the machine disturbs all of them alike.
const ROUNDS: u32 = 40;

/// An AEAD with both ends of an SA.
struct Contender<A> {
    name: &'static str,
    sender: OutboundSa<SaltedAead<A>>,
    receiver: InboundSa<SaltedAead<A>>,
    /// Each with room around the IP packet, which is where the range says.
    packets: Vec<(Vec<u8>, Range<usize>)>,
    times: Vec<[f64; 2]>,
}

/// What is done with all contenders, whatever their AEAD.
trait Run {
    fn name(&self) -> &'static str;
    /// Seals and opens for some time; keeps the seconds per packet of both.
    fn round(&mut self, time: Duration) -> Result<()>;
    /// The medians of what was kept.
    fn medians(&mut self) -> [f64; 2];
}

impl<A: AeadInPlace + KeyInit> Contender<A>
where
    SaltedAead<A>: KeyInit + AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    A: 'static,
{
    fn boxed(name: &'static str) -> Result<Box<dyn Run>> {
        const SPI: u32 = 0x1001;
        // All three have keys of 32 octets, and 4 of salt.
        let keymat = [0x42; 36];
        let packet = |&len: &usize| {
            let mut buffer = vec![0x45; HEADROOM + len + TAILROOM];
            buffer[HEADROOM..][..len].fill(0x5a);
            (buffer, HEADROOM..HEADROOM + len)
        };
        Ok(Box::new(Self {
            name,
            sender: OutboundSa::builder(SPI, &keymat)?.esn(true).build()?,
            receiver: InboundSa::builder(SPI, &keymat)?.esn(true).build()?,
            packets: [MIX; MIXES].as_flattened().iter().map(packet).collect(),
            times: Vec::new(),
        }))
    }
}

impl<A> Run for Contender<A>
where
    SaltedAead<A>: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn round(&mut self, least: Duration) -> Result<()> {
        let (mut times, mut packets) = ([Duration::ZERO; 2], 0);
        let mut sealed = Vec::with_capacity(self.packets.len());
        while times.iter().sum::<Duration>() < least {
            sealed.clear();
            let start = Instant::now();
            for (buffer, ip) in &mut self.packets {
                sealed.push(self.sender.seal(esp::NEXT_HEADER_IPV4, buffer, ip.clone())?);
            }
            let middle = Instant::now();
            let mut opened = 0;
            for ((buffer, ip), sealed) in self.packets.iter_mut().zip(&sealed) {
                let received = self.receiver.open(&mut buffer[sealed.clone()])?.payload();
                opened += usize::from(received.is_some_and(|o| o.payload.len() == ip.len()));
            }
            let end = Instant::now();
            times[0] += middle - start;
            times[1] += end - middle;
            ensure!(opened == self.packets.len(), "{}: packets lost", self.name);
            packets += opened;
        }
        self.times.push(times.map(|time| time.as_secs_f64() / packets as f64));
        Ok(())
    }

    fn medians(&mut self) -> [f64; 2] {
        [0, 1].map(|way| {
            self.times.sort_by(|a, b| a[way].total_cmp(&b[way]));
            self.times[self.times.len() / 2][way]
        })
    }
}

/// Measures, and prints a table.
pub(crate) fn run(each: Duration) -> Result<()> {
    type Theirs = SaltedAead<chacha20poly1305::ChaCha20Poly1305>;
    let mut contenders = [
        Contender::<chacha20poly1305_esp::ChaCha20Poly1305>::boxed("chacha20poly1305-esp")?,
        Contender::<chacha20poly1305::ChaCha20Poly1305>::boxed("chacha20poly1305 0.10")?,
        Contender::<aes_gcm::Aes256Gcm>::boxed("aes-gcm 0.10, AES-256")?,
    ];
    same_packets::<Rfc7539Esp, Theirs>()?;
    for _ in 0..ROUNDS {
        for contender in &mut contenders {
            contender.round(each / ROUNDS)?;
        }
    }
    let octets = MIX.iter().sum::<usize>() as f64 / MIX.len() as f64;
    println!(
        "IMIX: 7 x 64, 4 x 576, 1 x 1500 octets of IP, in place, one core; {octets:.0} octets on average"
    );
    println!(
        "{:<24}{:>20}{:>20}{:>20}",
        "", "seal, packets/s", "open, packets/s", "seal, Gbit/s of IP"
    );
    for contender in &mut contenders {
        let [seal, open] = contender.medians().map(|seconds| 1.0 / seconds);
        let gigabits = seal * octets * 8e-9;
        println!("{:<24}{seal:>20.0}{open:>20.0}{gigabits:>20.2}", contender.name());
    }
    Ok(())
}

/// The same keying material makes the same packets, or the comparison is void.
fn same_packets<A, B>() -> Result<()>
where
    A: KeyInit + AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
    B: KeyInit + AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>,
{
    let (mut a, mut b) = (OutboundSa::<A>::new(1, &[7; 36])?, OutboundSa::<B>::new(1, &[7; 36])?);
    for len in MIX {
        let mut out = [vec![0; esp::sealed_len(len)], vec![0; esp::sealed_len(len)]];
        a.seal_into(esp::NEXT_HEADER_IPV4, &vec![0x45; len], &mut out[0])?;
        b.seal_into(esp::NEXT_HEADER_IPV4, &vec![0x45; len], &mut out[1])?;
        ensure!(out[0] == out[1], "two implementations of one AEAD disagree");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mix_is_the_usual_one() {
        let count = |len| MIX.iter().filter(|&&l| l == len).count();
        assert_eq!((count(64), count(576), count(1500)), (7, 4, 1));
        run(Duration::ZERO).unwrap();
    }
}
