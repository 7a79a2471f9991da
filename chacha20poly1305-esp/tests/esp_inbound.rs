//! Inbound security associations: refusals, the three steps, counters, extended numbers.

mod esp_support;

use chacha20poly1305_esp::esp::{self, Error, InboundSa, Resync, Rfc7539Esp, SequenceNumber};
use esp_support::*;

#[test]
fn another_spi_is_refused_unread() {
    let mut sa = receiver(false, 0);
    let mut packet = seal(&mut sender(false, 1), b"x");
    packet[3] ^= 1;
    let before = packet.clone();
    assert_eq!(sa.open(&mut packet), Err(Error::UnknownSpi));
    assert_eq!((packet, sa.counters().malformed), (before, 1));
}

#[test]
fn alignment_on_demand() {
    let packet = raw_packet(&fields(SPI, SequenceNumber::Short(1), 17), &padded_text(b"x", 0, 17));
    assert_eq!(open(&mut receiver(false, 0), &packet).unwrap(), b"x");
    let mut sa = receiver_with(false, 0, |b| b.require_alignment(true));
    assert_eq!(open(&mut sa, &packet), Err(Error::Malformed));
    assert_eq!(open(&mut sa, &seal(&mut sender(false, 1), b"x")).unwrap(), b"x");
}

/// Check all, verify all, commit all: duplicates are found out at the last step.
#[test]
fn three_steps() {
    let mut sa = receiver(true, 0);
    let mut out = sender(true, 1);
    let (one, two) = (seal(&mut out, b"one"), seal(&mut out, b"two"));
    let mut forged = two.clone();
    forged[20] ^= 1;
    let mut packets = [one.clone(), two.clone(), one.clone(), forged, two[..10].to_vec()];

    let checked = packets.each_ref().map(|p| sa.check(p));
    assert!(checked[..4].iter().all(Result::is_ok), "nothing is marked yet");
    let opener = sa.opener();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let work = packets.iter_mut().zip(checked);
        let threads: Vec<_> = work
            .map(|(packet, checked)| scope.spawn(move || opener.open(&checked?, packet)))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    let results: Vec<_> =
        outcomes.into_iter().map(|outcome| sa.commit(outcome).map(|_| ())).collect();
    let expected =
        [Ok(()), Ok(()), Err(Error::Replay), Err(Error::AuthFailed), Err(Error::Malformed)];
    assert_eq!(results, expected);
    assert_eq!(sa.highest(), 2);
    let counters = sa.counters();
    assert_eq!((counters.accepted, counters.replay), (2, 1));
    assert_eq!((counters.auth_failed, counters.malformed), (1, 1));
    assert_eq!(sa.check(&one).err(), Some(Error::Replay));
}

#[test]
fn steps_of_different_packets_and_sas_do_not_mix() {
    let mut sa = receiver(false, 0);
    let (mut a, mut b) = (seal(&mut sender(false, 1), b"a"), seal(&mut sender(false, 2), &[7; 60]));
    let checked = sa.check(&b).unwrap();
    assert_eq!(checked.sequence(), SequenceNumber::Short(2));
    for len in 0..b.len() {
        let mut cut = b[..len].to_vec();
        assert_eq!(sa.opener().open(&checked, &mut cut).err(), Some(Error::Malformed));
        assert_eq!(cut, b[..len]);
    }
    let before = a.clone();
    assert!(sa.opener().open(&checked, &mut a).is_err());
    assert_eq!(a, before);

    let verified = sa.opener().clone().open(&checked, &mut b);
    let mut other = InboundSa::<Rfc7539Esp>::new(SPI + 1, &unhex(KEYMAT)).unwrap();
    assert_eq!(other.commit(verified.clone()), Err(Error::UnknownSpi));
    assert!(sa.commit(verified).is_ok());
}

#[test]
fn every_counter() {
    let mut sa = receiver(false, 100);
    let good = |n, text: &[u8]| raw_packet(&fields(SPI, SequenceNumber::Short(n), 17), text);
    let text = padded_text(b"x", 1, 17);
    for (packet, error) in [
        (vec![1, 2, 3], Error::Malformed),
        (good(0, &text), Error::SequenceZero),
        (good(36, &text), Error::TooOld),
        (good(100, &text), Error::Replay),
        ([good(99, &text), vec![0]].concat(), Error::AuthFailed),
        (good(98, &[1, 2, 3, 9, 17]), Error::BadPadding),
        (good(98, &text), Error::Replay),
    ] {
        assert_eq!(open(&mut sa, &packet), Err(error));
    }
    open(&mut sa, &good(97, &text)).unwrap();
    open(&mut sa, &good(96, &padded_text(b"", 2, 59))).unwrap();
    let c = *sa.counters();
    assert_eq!([c.accepted, c.dummies, c.malformed, c.sequence_zero], [1, 1, 1, 1]);
    assert_eq!([c.too_old, c.replay, c.auth_failed, c.bad_padding], [1, 2, 1, 1]);
    assert_eq!(c.perhaps_too_old, 0);
    // The caller's buffer is nothing that the SA counts.
    let result = sa.open_into(&good(95, &text), &mut [0; 1]);
    assert_eq!((result, *sa.counters()), (Err(Error::BufferTooSmall), c));
    assert!(sa.open_into(&good(95, &text), &mut [0; 4]).is_ok(), "its number was not used up");
}

#[test]
fn late_packets_with_extended_numbers_leave_a_hint() {
    let mut sa = receiver(true, 1000);
    let late = seal(&mut sender(true, 900), b"late");
    assert_eq!(open(&mut sa, &late), Err(Error::AuthFailed));
    let mut forged = seal(&mut sender(true, 1001), b"x");
    forged[30] ^= 1;
    assert_eq!(open(&mut sa, &forged), Err(Error::AuthFailed));
    assert_eq!((sa.counters().auth_failed, sa.counters().perhaps_too_old), (2, 1));
}

#[test]
fn numbers_outside_64_bits_are_refused_before_the_aead() {
    // Left of 0, and right of 2^64 - 1: no half can be meant.
    let before = seal(&mut sender(true, u64::from(u32::MAX)), b"x");
    assert_eq!(open(&mut receiver(true, 0), &before), Err(Error::TooOld));
    let after = seal(&mut sender(true, 5), b"x");
    assert_eq!(open(&mut receiver(true, u64::MAX), &after), Err(Error::TooOld));
}

#[test]
fn resynchronisation_is_optional_and_bounded() {
    let resync =
        |failures, halves| move |b: esp::InboundBuilder<_>| b.resync(Resync { failures, halves });
    let far = |halves: u64| sender(true, (halves << 32) + 1000);

    let mut never = receiver(true, 7);
    let mut out = far(3);
    for _ in 0..10 {
        assert_eq!(open(&mut never, &seal(&mut out, b"x")), Err(Error::AuthFailed));
    }

    let mut sa = receiver_with(true, 7, resync(4, 3));
    let mut out = far(3);
    for _ in 0..3 {
        assert_eq!(open(&mut sa, &seal(&mut out, b"x")), Err(Error::AuthFailed));
    }
    assert_eq!(open(&mut sa, &seal(&mut out, b"found")).unwrap(), b"found");
    assert_eq!(sa.highest(), (3 << 32) + 1003);
    assert_eq!(open(&mut sa, &seal(&mut out, b"on")).unwrap(), b"on");

    // A good packet starts the count again.
    let mut sa = receiver_with(true, 7, resync(2, 3));
    let (mut near, mut out) = (sender(true, 8), far(3));
    for _ in 0..5 {
        assert_eq!(open(&mut sa, &seal(&mut out, b"x")), Err(Error::AuthFailed));
        assert_eq!(open(&mut sa, &seal(&mut near, b"y")).unwrap(), b"y");
    }

    // One half too far, at every attempt: nothing gets in, and nothing moves.
    let mut sa = receiver_with(true, 7, resync(2, 3));
    let mut out = far(4);
    for _ in 0..9 {
        let mut buffer = [0xee; 64];
        let packet = seal(&mut out, b"x");
        assert_eq!(sa.open_into(&packet, &mut buffer), Err(Error::AuthFailed));
        assert!(buffer[..packet.len() - 32].iter().all(|&o| o == 0));
    }
    assert_eq!(sa.highest(), 7);

    // At the end of all numbers there is nothing to try.
    let mut sa = receiver_with(true, u64::MAX - 10, resync(1, u32::MAX));
    let mut forged = seal(&mut sender(true, u64::MAX - 20), b"x");
    forged[20] ^= 1;
    assert_eq!(open(&mut sa, &forged), Err(Error::AuthFailed));
}
