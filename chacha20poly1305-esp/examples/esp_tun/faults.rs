//! A bad network, in the sender's queue: packets are dropped, doubled, and overtaken by later ones.

use std::collections::VecDeque;

/// How often, in percent of the packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, clap::Args)]
pub(crate) struct Rates {
    /// Let later packets overtake this many packets in a hundred.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    pub(crate) reorder: f64,
    /// Send this many packets in a hundred twice.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    pub(crate) duplicate: f64,
    /// Drop this many packets in a hundred.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    pub(crate) drop: f64,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("a number from 0 to 100 is wanted".into()),
    }
}

/// A packet that waits to be overtaken.
struct Held {
    packet: Vec<u8>,
    /// How many packets are to pass before it.
    passing: u32,
}

/// The queue.
pub(crate) struct Faults {
    rates: Rates,
    random: u64,
    held: VecDeque<Held>,
    pub(crate) dropped: u64,
    pub(crate) duplicated: u64,
    pub(crate) reordered: u64,
}

/// At most this many packets overtake one: few enough for the smallest window of RFC 4303, which is 32.
const FARTHEST: u32 = 12;

impl Faults {
    /// The same seed makes the same faults.
    pub(crate) fn new(rates: Rates, seed: u64) -> Self {
        let held = VecDeque::new();
        Self { rates, random: seed | 1, held, dropped: 0, duplicated: 0, reordered: 0 }
    }

    /// Marsaglia's xorshift64*: no secret depends on it.
    fn draw(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn happens(&mut self, percent: f64) -> bool {
        percent > 0.0 && ((self.draw() >> 11) as f64) < percent / 100.0 * (1u64 << 53) as f64
    }

    /// Passes a packet on, or not, and with it those that have been overtaken enough.
    pub(crate) fn push(&mut self, packet: &[u8], mut send: impl FnMut(&[u8])) {
        for held in &mut self.held {
            held.passing -= 1;
        }
        if self.happens(self.rates.drop) {
            self.dropped += 1;
        } else {
            let twice = self.happens(self.rates.duplicate);
            let late = self.happens(self.rates.reorder);
            self.duplicated += u64::from(twice);
            self.reordered += u64::from(late);
            if late {
                let passing = 1 + self.draw() as u32 % FARTHEST;
                self.held.push_back(Held { packet: packet.to_vec(), passing });
            }
            // Of two that are the same one may be late: then that one is the replay.
            for _ in u32::from(late)..=u32::from(twice) {
                send(packet);
            }
        }
        while let Some(at) = self.held.iter().position(|held| held.passing == 0) {
            let held = self.held.remove(at).expect("found there");
            send(&held.packet);
        }
    }

    /// Passes on all that are still held back.
    pub(crate) fn flush(&mut self, mut send: impl FnMut(&[u8])) {
        for held in self.held.drain(..) {
            send(&held.packet);
        }
    }

    pub(crate) fn holds_back(&self) -> bool {
        !self.held.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(rates: Rates, packets: u32) -> (Faults, Vec<u32>) {
        let (mut faults, mut out) = (Faults::new(rates, 7), Vec::new());
        let mut note = |p: &[u8]| out.push(u32::from_be_bytes(p.try_into().unwrap()));
        for n in 0..packets {
            faults.push(&n.to_be_bytes(), &mut note);
        }
        faults.flush(&mut note);
        (faults, out)
    }

    #[test]
    fn without_faults_all_pass_in_order() {
        let (faults, out) = through(Rates::default(), 1000);
        assert_eq!(out, (0..1000).collect::<Vec<_>>());
        assert_eq!((faults.dropped, faults.duplicated, faults.reordered), (0, 0, 0));
    }

    #[test]
    fn what_is_counted_happened() {
        let rates = Rates { reorder: 5.0, duplicate: 5.0, drop: 1.0 };
        let (faults, mut out) = through(rates, 100_000);
        let about = |count: u64, expected: u64| count.abs_diff(expected) < expected / 5;
        assert!(about(faults.dropped, 1000) && about(faults.duplicated, 4950));
        assert!(about(faults.reordered, 4950));
        assert_eq!(out.len() as u64, 100_000 - faults.dropped + faults.duplicated);
        let mut highest = 0;
        for &n in &out {
            highest = highest.max(n);
            assert!(highest - n <= FARTHEST, "{n} after {highest}");
        }
        out.sort_unstable();
        out.dedup();
        assert_eq!(out.len() as u64, 100_000 - faults.dropped);
    }
}
