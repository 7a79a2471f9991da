//! Outbound security associations: IVs, TFC padding, dummies, limits.

mod esp_support;

use chacha20poly1305_esp::esp::{
    self, Error, HEADROOM, InboundSa, IvSource, OutboundSa, Received, Rfc7539Esp, SealOptions,
    SequenceNumber, TAILROOM, Window,
};
use esp_support::*;

#[test]
fn sources_of_ivs() {
    let payload = pattern(50);
    let iv = |packet: &[u8]| u64::from_be_bytes(packet[8..16].try_into().unwrap());
    let mask = 0x0123_4567_89ab_cdef_u64;
    for esn in [false, true] {
        let first = if esn { 0x5_0000_0003 } else { 3 };
        let sa = |source| builder().esn(esn).first_number(first).iv(source).build().unwrap();

        let packet = seal(&mut sa(IvSource::Sequence), &payload);
        assert_eq!(iv(&packet), first);
        let packet = seal(&mut sa(IvSource::Masked(mask.to_be_bytes())), &payload);
        assert_eq!(iv(&packet), first ^ mask);
        assert_eq!(open(&mut receiver(esn, first - 1), &packet).unwrap(), payload);

        let mut caller = sa(IvSource::Caller);
        let mut out = [0; 100];
        let own = SealOptions::new(17).with_iv(*b"my own!!");
        assert_eq!(caller.seal_into(17, &payload, &mut out), Err(Error::IvSource));
        assert_eq!(sa(IvSource::Sequence).seal_into(own, &payload, &mut out), Err(Error::IvSource));
        assert_eq!((out, caller.last()), ([0; 100], first - 1));
        let len = caller.seal_into(own, &payload, &mut out).unwrap();
        assert_eq!(&out[8..16], b"my own!!");
        assert_eq!(open(&mut receiver(esn, first - 1), &out[..len]).unwrap(), payload);

        let mut out = [0; 100];
        let len = sa(IvSource::Implicit).seal_into(17, &payload, &mut out).unwrap();
        assert_eq!(len, esp::sealed_len(payload.len()) - 8);
        let mut implicit = receiver_with(esn, first - 1, |b| b.implicit_iv(true));
        assert_eq!(open(&mut implicit, &out[..len]).unwrap(), payload);
        assert_eq!(open(&mut receiver(esn, first - 1), &out[..len]), Err(Error::AuthFailed));
    }
}

#[test]
fn implicit_iv_needs_less_room_before_the_payload() {
    let mut sa = builder().iv(IvSource::Implicit).build().unwrap();
    let mut buffer = [0; 8 + 10 + 2 + 16];
    assert_eq!(sa.seal(17, &mut buffer, 8..18), Ok(0..36));
    assert_eq!(sa.seal(17, &mut buffer, 7..17), Err(Error::BufferTooSmall));
}

#[test]
fn tfc_padding_hides_the_length() {
    let inner = [&[0x45, 0, 0, 30][..], &pattern(26)].concat();
    for target in [0, 29, 30, 31, 32, 33, 1400] {
        let (mut out, mut receiver) = (vec![0; 1500], receiver(false, 0));
        let options = SealOptions::new(esp::NEXT_HEADER_IPV4).padded_to(target);
        let len = sender(false, 1).seal_into(options, &inner, &mut out).unwrap();
        assert_eq!(len, esp::sealed_len(target.max(30)));
        let opened = receiver.open(&mut out[..len]).unwrap().payload().unwrap();
        let payload = &out[opened.payload];
        assert_eq!(payload.len(), target.max(30));
        let inner_len = esp::inner_len(payload, opened.next_header).unwrap();
        assert_eq!(payload[..inner_len], inner);
        assert!(payload[inner_len..].iter().all(|&o| o == 0));
        let short = sender(false, 1).seal_into(options, &inner, &mut out[..len - 1]);
        assert_eq!(short, Err(Error::BufferTooSmall));
    }
    // In place it needs the room behind the payload.
    let mut buffer = vec![0; HEADROOM + 100 + TAILROOM];
    let options = SealOptions::new(4).padded_to(100);
    assert!(sender(false, 1).seal(options, &mut buffer, HEADROOM..HEADROOM + 1).is_ok());
    let short = &mut buffer[..HEADROOM + 100 + 2 + 15];
    let result = sender(false, 1).seal(options, short, HEADROOM..HEADROOM + 1);
    assert_eq!(result, Err(Error::BufferTooSmall));
}

#[test]
fn dummies_of_any_size() {
    for len in [0, 1, 2, 3, 500] {
        let mut out = [0; 600];
        let n = sender(false, 1).seal_into(SealOptions::dummy(len), &[], &mut out).unwrap();
        assert_eq!(n, esp::sealed_len(len));
        let (mut sa, mut again) = (receiver(false, 0), out);
        let dummy = Ok(Received::Dummy(SequenceNumber::Short(1)));
        assert_eq!(sa.open(&mut out[..n]), dummy);
        assert_eq!(sa.open(&mut again[..n]), Err(Error::Replay));
        assert_eq!((sa.counters().dummies, sa.counters().accepted), (1, 0));
    }
}

#[test]
fn resumed_only_at_a_number_that_exists() {
    let build = |esn, first| builder().esn(esn).first_number(first).build().map(|sa| sa.last());
    assert_eq!(build(false, 0), Err(Error::SequenceZero));
    assert_eq!(build(false, 1 << 32), Err(Error::SequenceExhausted));
    assert_eq!(build(true, 1 << 32), Ok(u64::from(u32::MAX)));
    let receiver = |esn, number| {
        let mut window = Window::new([0; 2], 64).unwrap();
        window.commit_up_to(number);
        let builder = InboundSa::<Rfc7539Esp>::builder(SPI, &unhex(KEYMAT)).unwrap();
        builder.esn(esn).build_with(window).map(|sa| sa.highest())
    };
    assert_eq!(receiver(false, 1 << 32), Err(Error::SequenceExhausted));
    assert_eq!(receiver(true, 1 << 32), Ok(1 << 32));
}

#[test]
fn soft_limit() {
    let mut sa = builder().soft_limit(3).build().unwrap();
    for expected in [false, false, true, true] {
        seal(&mut sa, b"x");
        assert_eq!(sa.wants_rekey(), expected);
    }
    let mut sa = sender(false, u64::from(u32::MAX));
    assert!(!sa.wants_rekey());
    seal(&mut sa, b"x");
    assert!(sa.wants_rekey());
}

#[test]
fn errors_use_no_number() {
    let mut sa = sender(false, 1);
    let mut buffer = [0xee; 64];
    assert_eq!(sa.seal_into(17, &[1; 40], &mut buffer), Err(Error::BufferTooSmall));
    assert_eq!(sa.seal(17, &mut buffer, 15..16), Err(Error::BufferTooSmall));
    assert_eq!(sa.seal(17, &mut buffer, 16..64), Err(Error::BufferTooSmall));
    let huge = SealOptions::new(17).padded_to(usize::MAX);
    assert_eq!(sa.seal(huge, &mut buffer, 16..20), Err(Error::TooLong));
    assert_eq!((sa.last(), buffer), (0, [0xee; 64]));
}

#[test]
fn debug_shows_no_key() {
    let keymat = [0xa5; 36];
    let inbound = InboundSa::<Rfc7539Esp>::builder(SPI, &keymat).unwrap();
    let outbound = OutboundSa::<Rfc7539Esp>::builder(SPI, &keymat).unwrap();
    let mut shown = format!("{inbound:?} {outbound:?}");
    let inbound = inbound.build().unwrap();
    shown += &format!("{:?} {inbound:#?} {:?}", inbound.opener(), outbound.build().unwrap());
    for secret in ["a5", "A5", "165"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn sas_are_small() {
    let key = size_of::<Rfc7539Esp>();
    assert!(size_of::<OutboundSa<Rfc7539Esp>>() <= key + 128);
    assert!(size_of::<InboundSa<Rfc7539Esp, [u64; 0]>>() <= key + 128);
}
