//! Packets and messages in several slices are those in one, wherever the cuts are.

mod esp_support;

use chacha20poly1305_esp::aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::esp::{
    self, Error, HEADROOM, IvSource, OutboundSa, Received, Rfc7539Esp, SealOptions, TAILROOM,
};
use chacha20poly1305_esp::{Backend, ChaCha20Poly1305, SegmentedAead, XChaCha20Poly1305};
use esp_support::*;
use proptest::prelude::*;

/// The buffer in slices that end at these places.
fn cut<'a>(mut buffer: &'a mut [u8], ends: &[usize]) -> Vec<&'a mut [u8]> {
    let mut segments = Vec::new();
    let mut start = 0;
    for &end in ends {
        let (head, rest) = buffer.split_at_mut(end - start);
        segments.push(head);
        (buffer, start) = (rest, end);
    }
    segments.push(buffer);
    segments
}

/// The published cuts of a payload, with header and trailer in slices of their own, and without.
#[test]
fn published_cuts() {
    for case in cases("segments") {
        let (payload, packet) = (octets(&case["payload"]), octets(&case["packet"]));
        let range = HEADROOM..HEADROOM + payload.len();
        let splits = case["splits"].as_array().unwrap();
        assert!(splits.len() > 10);
        for split in splits {
            let split: Vec<usize> =
                split.as_array().unwrap().iter().map(|at| number(at) as usize).collect();
            let inner: Vec<usize> = split.iter().map(|at| HEADROOM + at).collect();
            let apart = [&[HEADROOM], &inner[..], &[range.end]].concat();
            for ends in [inner, apart] {
                let mut buffer = vec![0xee; range.end + TAILROOM];
                buffer[range.clone()].copy_from_slice(&payload);
                let mut sa = sender(case["esn"] == true, number(&case["seq"]));
                let next_header = number(&case["next_header"]) as u8;
                let sealed =
                    sa.seal_segments(next_header, &mut cut(&mut buffer, &ends), range.clone());
                assert_eq!(buffer[sealed.unwrap()], packet, "{ends:?}");

                let mut sa = receiver(case["esn"] == true, number(&case["seq"]) - 1);
                let received = sa.open_segments(&mut cut(&mut buffer[..packet.len()], &ends));
                let opened = received.unwrap().payload().unwrap();
                assert_eq!(buffer[opened.payload], payload, "{ends:?}");
                assert_eq!(opened.next_header, next_header);
            }
        }
    }
}

/// One cut and two cuts at every place of a short packet, through header, padding and ICV.
#[test]
fn every_cut_of_a_packet() {
    for len in [0, 1, 9, 20] {
        let payload = pattern(len);
        let packet = seal(&mut sender(true, 7), &payload);
        let end = packet.len();
        for a in 0..=end {
            for b in [a, (a + 5).min(end), end] {
                let mut buffer = vec![0; end];
                buffer[HEADROOM..HEADROOM + len].copy_from_slice(&payload);
                let range = sender(true, 7).seal_segments(
                    17,
                    &mut cut(&mut buffer, &[a, b]),
                    HEADROOM..HEADROOM + len,
                );
                assert_eq!((range, &buffer), (Ok(0..end), &packet), "{len} {a} {b}");

                let mut sa = receiver(true, 0);
                let result = sa.open_segments(&mut cut(&mut buffer, &[a, b])).unwrap();
                assert_eq!(buffer[result.payload().unwrap().payload], payload);
                let again = sa.open_segments(&mut cut(&mut packet.clone(), &[a, b]));
                assert_eq!(again, Err(Error::Replay));

                for at in [0, 4, 8, 16, end - 1] {
                    let mut forged = packet.clone();
                    forged[at] ^= 0x10;
                    let before = forged.clone();
                    let result = receiver(true, 0).open_segments(&mut cut(&mut forged, &[a, b]));
                    let one = receiver(true, 0).open(&mut before.clone());
                    assert_eq!(result, one);
                    assert!(result.is_err() && forged == before);
                }
            }
        }
    }
}

/// What one buffer refuses, several refuse, and nothing is written or used up.
#[test]
fn no_room() {
    let mut sa = sender(false, 1);
    let mut buffer = [0xee; 100];
    #[allow(clippy::reversed_empty_ranges)] // that is the point
    for payload in [15..20, 16..90, 90..80, 50..200] {
        let result = sa.seal_segments(17, &mut cut(&mut buffer, &[30, 60]), payload);
        assert_eq!(result, Err(Error::BufferTooSmall));
    }
    assert_eq!((buffer, sa.last()), ([0xee; 100], 0));
    assert_eq!(sa.seal_segments(17, &mut [], 0..0), Err(Error::BufferTooSmall));
    for len in 0..34 {
        let mut packet = vec![1; len];
        let mut sa = receiver(false, 0);
        let result = sa.open_segments(&mut cut(&mut packet, &[len / 2]));
        assert_eq!(result, Err(Error::Malformed), "{len}");
    }
    assert_eq!(receiver(false, 0).open_segments(&mut []), Err(Error::Malformed));
}

/// TFC padding, dummies, implicit IVs, several threads' numbers: the options are those of one buffer.
#[test]
fn options() {
    let keymat = unhex(KEYMAT);
    let builder = |iv| OutboundSa::<Rfc7539Esp>::builder(SPI, &keymat).unwrap().iv(iv);
    let payload = pattern(50);
    for source in [IvSource::Sequence, IvSource::Masked([0x77; 8]), IvSource::Implicit] {
        for options in [SealOptions::new(4).padded_to(333), SealOptions::dummy(77)] {
            let mut one = vec![0xee; 500];
            let len = if options == SealOptions::dummy(77) { 0 } else { payload.len() };
            one[20..20 + len].copy_from_slice(&payload[..len]);
            let (mut several, mut shared) = (one.clone(), one.clone());
            let mut sa = builder(source).build().unwrap();
            let range = sa.seal(options, &mut one, 20..20 + len).unwrap();
            let ends = [1, 22, 23, 60, 61, 200];
            let mut sa = builder(source).build().unwrap();
            let result = sa.seal_segments(options, &mut cut(&mut several, &ends), 20..20 + len);
            assert_eq!((result, &several), (Ok(range.clone()), &one));
            let sa = builder(source).build_shared().unwrap();
            let result = sa.seal_segments(options, &mut cut(&mut shared, &ends), 20..20 + len);
            assert_eq!((result, &shared), (Ok(range.clone()), &one));

            let mut sa = receiver_with(false, 0, |b| b.implicit_iv(source == IvSource::Implicit));
            let packet = &mut several[range];
            match sa.open_segments(&mut cut(packet, &[3, 21, 90])).unwrap() {
                Received::Payload(opened) => {
                    assert_eq!(opened.payload.len(), 333);
                    assert_eq!(packet[opened.payload][..50], payload);
                }
                Received::Dummy(_) => assert_eq!(len, 0),
            }
        }
    }
}

/// Authentic with wrong padding: wiped, however long the padding claims to be.
#[test]
fn wrong_padding() {
    for text in [vec![0xff, 4], vec![9, 9, 2, 4], [vec![7; 300], vec![255, 4]].concat()] {
        let packet = raw_packet(&fields(SPI, sequence(1, false), 4), &text);
        let mut several = packet.clone();
        let mut sa = receiver(false, 0);
        let result = sa.open_segments(&mut cut(&mut several, &[10, 17]));
        assert_eq!(result, Err(Error::BadPadding));
        let mut one = packet;
        assert_eq!(receiver(false, 0).open(&mut one), Err(Error::BadPadding));
        assert_eq!(several, one);
        assert_eq!(sa.highest(), 1);
    }
    let text = padded_text(&pattern(40), 255, 4);
    let mut packet = raw_packet(&fields(SPI, sequence(1, false), 4), &text);
    let opened = receiver(false, 0).open_segments(&mut cut(&mut packet, &[50, 100])).unwrap();
    assert_eq!(packet[opened.payload().unwrap().payload], pattern(40));
}

/// Extended numbers far ahead are found again as with one buffer.
#[test]
fn resync() {
    let resync = esp::Resync { failures: 2, halves: 4 };
    let mut sa = receiver_with(true, 5, |b| b.resync(resync));
    for n in 0..3 {
        let mut packet = seal(&mut sender(true, (3 << 32) + 10 + n), b"lost");
        let result = sa.open_segments(&mut cut(&mut packet, &[11, 30]));
        assert_eq!(result.is_ok(), n > 0, "{n}");
    }
}

/// The AEADs themselves, on every backend.
fn message(len: usize, ends: &[usize], aad: &[u8], backend: Backend) {
    fn check<A: AeadInPlace + SegmentedAead>(
        aead: &A,
        nonce: &[u8],
        len: usize,
        ends: &[usize],
        aad: &[u8],
    ) {
        let nonce = nonce.into();
        let mut one = pattern(len);
        let tag = aead.encrypt_in_place_detached(nonce, aad, &mut one).unwrap();
        // With something around the message.
        let plain = [vec![0xee; 5], pattern(len), vec![0xee; 7]].concat();
        let mut several = plain.clone();
        let mut segments = cut(&mut several, ends);
        let got = aead.encrypt_segments_detached(nonce, aad, &mut segments, 5..5 + len).unwrap();
        assert_eq!(got, tag);
        assert_eq!(several, [vec![0xee; 5], one, vec![0xee; 7]].concat());

        let mut wrong = tag.clone();
        wrong[15] ^= 1;
        let before = several.clone();
        let mut segments = cut(&mut several, ends);
        let refused = aead.decrypt_segments_detached(nonce, aad, &mut segments, 5..5 + len, &wrong);
        assert!(refused.is_err() && several == before);
        let mut segments = cut(&mut several, ends);
        aead.decrypt_segments_detached(nonce, aad, &mut segments, 5..5 + len, &tag).unwrap();
        assert_eq!(several, plain);
    }
    let aead = ChaCha20Poly1305::with_backend(&[0x42; 32], backend);
    check(&aead, &[7; 12], len, ends, aad);
    let aead = XChaCha20Poly1305::with_backend(&[0x42; 32], backend);
    check(&aead, &[7; 24], len, ends, aad);
}

#[test]
fn messages_around_blocks_and_passes() {
    for backend in Backend::available() {
        for len in [0, 1, 15, 16, 17, 63, 64, 65, 959, 960, 961, 1024, 1500, 2048, 4500] {
            for at in [0, 1, 5, 6, 20, 21, 22, 68, 69, 70, 133, 965, 1029] {
                let at = at.min(len + 12);
                message(len, &[at], b"12 octets...", backend);
                message(len, &[at, at, (at + 64).min(len + 12)], b"", backend);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_cuts(
        len in 0usize..3000,
        mut ends in proptest::collection::vec(0usize..3012, 0..12),
        aad in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        ends.iter_mut().for_each(|end| *end = (*end).min(len + 12));
        ends.sort_unstable();
        for backend in Backend::available() {
            message(len, &ends, &aad, backend);
        }
    }
}

#[test]
fn ranges_that_are_none() {
    let aead = ChaCha20Poly1305::new(&[1; 32].into());
    let mut buffer = [0xee; 10];
    #[allow(clippy::reversed_empty_ranges)] // that is the point
    for range in [0..11, 11..11, 6..5, usize::MAX - 1..usize::MAX] {
        let segments = &mut cut(&mut buffer, &[4]);
        assert!(aead.encrypt_segments_detached(&[0; 12].into(), b"", segments, range).is_err());
    }
    assert_eq!(buffer, [0xee; 10]);
}
