//! Security associations over a path that does what it likes, against a model; and garbage.

mod esp_support;

use chacha20poly1305_esp::esp::{self, Error};
use esp_support::*;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A path that reorders, repeats and loses packets, and an attacker who damages some.
#[derive(Clone, Debug)]
enum Event {
    Send,
    Skip(u64),
    Deliver { back: usize },
    Damage { back: usize, bit: usize },
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => Just(Event::Send),
        1 => (0..200u64).prop_map(Event::Skip),
        5 => (0..120usize).prop_map(|back| Event::Deliver { back }),
        1 => (0..120usize, any::<usize>()).prop_map(|(back, bit)| Event::Damage { back, bit }),
    ]
}

fn first_number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(1), Just((1 << 32) - 60), Just((1 << 32) + 1), Just((7 << 32) - 100)]
}

/// Each packet is accepted exactly once if it comes within the window, and never twice.
fn walk(esn: bool, first: u64, events: &[Event]) {
    let (mut out, mut sa) = (sender(esn, first), receiver(esn, first - 1));
    let (mut sent, mut accepted) = (vec![], BTreeSet::new());
    let (mut next, mut highest) = (first, first - 1);
    for event in events {
        match *event {
            Event::Send => {
                sent.push((next, seal(&mut out, &next.to_be_bytes())));
                next += 1;
            }
            Event::Skip(n) => {
                next += n;
                out = sender(esn, next);
            }
            Event::Deliver { .. } | Event::Damage { .. } if sent.is_empty() => {}
            Event::Deliver { back } => {
                let (number, ref packet) = sent[sent.len() - 1 - back % sent.len()];
                let expected = if number + 64 <= highest {
                    Err(if esn { Error::AuthFailed } else { Error::TooOld })
                } else if accepted.insert(number) {
                    highest = highest.max(number);
                    Ok(number.to_be_bytes().to_vec())
                } else {
                    Err(Error::Replay)
                };
                assert_eq!(open(&mut sa, packet), expected, "{number}");
            }
            Event::Damage { back, bit } => {
                let (_, mut packet) = sent[sent.len() - 1 - back % sent.len()].clone();
                let bit = bit % (packet.len() * 8);
                packet[bit / 8] ^= 1 << (bit % 8);
                assert!(open(&mut sa, &packet).is_err());
            }
        }
        assert_eq!(sa.highest(), highest);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn each_packet_once(esn: bool, first in first_number(), events in vec(event(), 0..300)) {
        walk(esn, if esn { first } else { 1 }, &events);
    }

    /// Arbitrary octets never panic and never get in.
    #[test]
    fn garbage(mut packet in vec(any::<u8>(), 0..200), esn: bool, ours: bool) {
        if ours && packet.len() >= 4 {
            packet[..4].copy_from_slice(&SPI.to_be_bytes());
        }
        let before = packet.clone();
        prop_assert!(receiver(esn, 1000).open(&mut packet).is_err());
        prop_assert_eq!(&packet, &before);
        let _ = esp::classify(&packet);
        for next_header in [4, 41, 59] {
            if let Ok(len) = esp::inner_len(&packet, next_header) {
                prop_assert!(len <= packet.len());
            }
        }
    }
}
