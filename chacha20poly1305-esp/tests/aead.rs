//! The AEAD on every backend: against the plain construction and RustCrypto, forged messages,
//! bytes outside the buffers.

use aead::{AeadInPlace, KeyInit};
use chacha20poly1305_esp::{
    Backend, ChaCha20Poly1305, MAX_MESSAGE_LEN, MessageError, XChaCha20Poly1305,
};
use testkit::rng::Rng;
use testkit::{lengths, oracle};

const KEY: [u8; 32] = *b"a key of these tests: 32 bytes..";
const NONCE: [u8; 12] = *b"twelve bytes";
const AADS: [usize; 15] = [0, 1, 8, 12, 13, 15, 16, 17, 31, 32, 48, 63, 64, 65, 129];

fn on_each_backend(mut test: impl FnMut(Backend)) {
    let names: Vec<_> = Backend::available().map(Backend::name).collect();
    testkit::backends::expect(&names);
    Backend::available().for_each(&mut test);
}

/// All lengths with all lengths of associated data, in place and between buffers, each sealed and
/// opened. The references are RustCrypto and the construction in two passes over the portable
/// engines.
#[test]
fn all_lengths() {
    let reference = chacha20poly1305::ChaCha20Poly1305::new(&KEY.into());
    let mut rng = Rng::new(3);
    let (text, aad) = (rng.bytes(2200), rng.bytes(129));
    for len in lengths::up_to(2200) {
        let text = &text[..len];
        for aad in AADS.map(|len| &aad[..len]) {
            let mut expected = text.to_vec();
            let nonce = &NONCE.into();
            let tag = reference.encrypt_in_place_detached(nonce, aad, &mut expected).unwrap();
            assert!(two_passes(aad, text) == (expected.clone(), tag.into()), "{len}");
            on_each_backend_quietly(|backend| {
                let aead = ChaCha20Poly1305::with_backend(&KEY, backend);
                let what = || format!("{backend}, {len} bytes, {} of AAD", aad.len());
                let mut data = text.to_vec();
                let got = aead.encrypt_in_place_detached(nonce, aad, &mut data).unwrap();
                assert!(data == expected && got == tag, "seal: {}", what());
                aead.decrypt_in_place_detached(nonce, aad, &mut data, &tag).expect("opens");
                assert!(data == text, "open: {}", what());

                let mut sealed = vec![0xaa; len + 20];
                let sealed = aead.seal_into(&NONCE, aad, text, &mut sealed).unwrap();
                assert!(sealed[..len] == expected && sealed[len..] == tag[..], "{}", what());
                let mut opened = vec![0xaa; len + 20];
                assert!(aead.open_into(&NONCE, aad, sealed, &mut opened).unwrap() == text);
                assert_eq!(opened[len..], [0xaa; 20], "{}", what());
            });
        }
    }
    on_each_backend(|_| ());
}

/// RFC 8439, section 2.8, step by step: ciphertext and tag.
fn two_passes(aad: &[u8], text: &[u8]) -> (Vec<u8>, [u8; 16]) {
    use chacha20_simd::engine::{Block, CounterWidth, RoundCount, State, XorBuf, block, xor};

    let (cipher, rounds) = (chacha20_simd::Backend::Soft, RoundCount::R20);
    let one_time_key = block(cipher, rounds, &State::ietf(&KEY, &NONCE, 0));
    let mut ciphertext = text.to_vec();
    let mut state = State::ietf(&KEY, &NONCE, 1);
    let (buf, mut last) = (XorBuf::in_place(&mut ciphertext), Block::ZERO);
    xor(cipher, rounds, CounterWidth::W32, &mut state, buf, &mut last);

    let key = one_time_key.0.first_chunk().expect("64 bytes");
    let mut mac = poly1305_simd::engine::Mac::new(key, poly1305_simd::Backend::Soft);
    mac.padded(aad);
    mac.padded(&ciphertext);
    mac.blocks(&(aad.len() as u128 | (text.len() as u128) << 64).to_le_bytes());
    (ciphertext, mac.finish())
}

fn on_each_backend_quietly(test: impl FnMut(Backend)) {
    Backend::available().for_each(test);
}

#[test]
fn equals_the_plain_construction() {
    let mut rng = Rng::new(4);
    on_each_backend(|backend| {
        for _ in 0..150 {
            let (key, nonce) = (rng.array(), rng.array());
            let (text_len, aad_len) = (rng.length(5000), rng.length(200));
            let (text, aad) = (rng.bytes(text_len), rng.bytes(aad_len));
            let (expected, tag) = oracle::seal(&key, &nonce, &aad, &text);
            let mut out = vec![0; text.len() + 16];
            let aead = ChaCha20Poly1305::with_backend(&key, backend);
            aead.seal_into(&nonce, &aad, &text, &mut out).unwrap();
            assert_eq!(out, [&expected[..], &tag].concat(), "{backend} {text_len} {aad_len}");

            let nonce = rng.array();
            let (expected, tag) = oracle::xseal(&key, &nonce, &aad, &text);
            let aead = XChaCha20Poly1305::with_backend(&key, backend);
            aead.seal_into(&nonce, &aad, &text, &mut out).unwrap();
            assert_eq!(out, [&expected[..], &tag].concat(), "X, {backend} {text_len} {aad_len}");
            let mut opened = vec![0; text.len()];
            assert_eq!(aead.open_into(&nonce, &aad, &out, &mut opened).unwrap(), text);
        }
    });
}

/// Every single bit of tag, nonce, associated data and ciphertext counts, and a failed `open`
/// leaves the ciphertext.
#[test]
fn every_bit_counts() {
    on_each_backend(|backend| {
        // The last ones have one of each way to open: before and after the plaintext is there.
        for len in [0, 1, 16, 63, 64, 65, 100, 192, 193, 449, 1420, 4200] {
            let aead = ChaCha20Poly1305::with_backend(&KEY, backend);
            let aad = [0x11; 13];
            let mut sealed = vec![0x77; len];
            let tag = aead.encrypt_in_place_detached(&NONCE.into(), &aad, &mut sealed).unwrap();

            let refuses = |nonce: &[u8; 12], aad: &[u8], sealed: &[u8], tag: &[u8; 16]| {
                let mut data = sealed.to_vec();
                let (nonce, tag) = (nonce.into(), tag.into());
                assert!(aead.decrypt_in_place_detached(nonce, aad, &mut data, tag).is_err());
                assert!(data == sealed, "the buffer is still the ciphertext");
            };
            let flipped = |bytes: &[u8], bit: usize| {
                let mut bytes = bytes.to_vec();
                bytes[bit / 8] ^= 1 << (bit % 8);
                bytes
            };
            let tag: [u8; 16] = tag.into();
            for bit in 0..8 * 16 {
                refuses(&NONCE, &aad, &sealed, &flipped(&tag, bit).try_into().unwrap());
            }
            for bit in 0..8 * 12 {
                refuses(&flipped(&NONCE, bit).try_into().unwrap(), &aad, &sealed, &tag);
            }
            for bit in 0..8 * aad.len() {
                refuses(&NONCE, &flipped(&aad, bit), &sealed, &tag);
            }
            for bit in lengths::up_to(8 * len).filter(|&bit| bit < 8 * len) {
                refuses(&NONCE, &aad, &flipped(&sealed, bit), &tag);
            }
            refuses(&NONCE, &aad[1..], &sealed, &tag);
            refuses(&NONCE, &[&aad[..], &[0]].concat(), &sealed, &tag);
        }
    });
}

/// Bytes on both sides of every buffer stay as they are, in success and failure (CVE-2016-7054).
#[test]
fn canaries() {
    const CANARY: u8 = 0xc3;
    const MARGIN: usize = 64;
    let text = Rng::new(6).bytes(10_000);
    // The middle of a buffer with margins, and whether these are as they were.
    fn framed(len: usize) -> (Vec<u8>, core::ops::Range<usize>) {
        (vec![CANARY; len + 2 * MARGIN], MARGIN..MARGIN + len)
    }
    fn intact(memory: &[u8]) -> bool {
        let (front, rest) = memory.split_at(MARGIN);
        let back = &rest[rest.len() - MARGIN..];
        front.iter().chain(back).all(|&byte| byte == CANARY)
    }
    on_each_backend(|backend| {
        let aead = ChaCha20Poly1305::with_backend(&KEY, backend);
        let long = [1023, 1024, 1025, 1420, 4095, 4096, 4097, 5000, 8193, 10_000];
        for len in lengths::up_to(600).chain(long) {
            let (text, aad) = (&text[..len], &[0x2d; 13][..len % 14]);
            let (mut memory, inside) = framed(len);
            let buffer = &mut memory[inside.clone()];
            buffer.copy_from_slice(text);
            let nonce = &NONCE.into();
            let tag = aead.encrypt_in_place_detached(nonce, aad, buffer).expect("seals");
            let ciphertext = buffer.to_vec();
            assert!(intact(&memory), "{backend} {len}: seal");
            let mut forged = tag;
            forged[15] ^= 0x80;
            let buffer = &mut memory[inside.clone()];
            assert!(aead.decrypt_in_place_detached(nonce, aad, buffer, &forged).is_err());
            assert!(buffer == ciphertext && intact(&memory), "{backend} {len}: refuse");
            let buffer = &mut memory[inside];
            assert!(aead.decrypt_in_place_detached(nonce, aad, buffer, &tag).is_ok());
            assert!(buffer == text && intact(&memory), "{backend} {len}: open");

            let (mut memory, inside) = framed(len + 16);
            aead.seal_into(&NONCE, aad, text, &mut memory[inside.clone()]).expect("seals");
            assert!(intact(&memory), "{backend} {len}: seal into");
            let mut sealed = memory[inside].to_vec();
            let (mut memory, inside) = framed(len);
            sealed[len] ^= 1;
            let buffer = &mut memory[inside.clone()];
            assert!(aead.open_into(&NONCE, aad, &sealed, buffer).is_err());
            assert!(memory.iter().all(|&byte| byte == CANARY), "{backend} {len}: refuse into");
            sealed[len] ^= 1;
            let buffer = &mut memory[inside];
            assert!(aead.open_into(&NONCE, aad, &sealed, buffer).expect("opens") == text);
            assert!(intact(&memory), "{backend} {len}: open into");
        }
    });
}

#[test]
fn errors_before_anything_is_written() {
    let aead = ChaCha20Poly1305::new(&KEY.into());
    for room in 0..21 {
        let mut out = vec![0x5f; room];
        let error = aead.seal_into(&NONCE, b"", b"hello", &mut out).unwrap_err();
        assert_eq!(error, MessageError::BufferTooSmall { needed: 21 });
        assert!(out.iter().all(|&byte| byte == 0x5f));
    }
    let mut sealed = [0; 21];
    aead.seal_into(&NONCE, b"", b"hello", &mut sealed).unwrap();
    for room in 0..5 {
        let mut out = vec![0x5f; room];
        let error = aead.open_into(&NONCE, b"", &sealed, &mut out).unwrap_err();
        assert_eq!(error, MessageError::BufferTooSmall { needed: 5 });
        assert!(out.iter().all(|&byte| byte == 0x5f));
    }
    for len in 0..21 {
        let mut out = [0x5f; 21];
        let result = aead.open_into(&NONCE, b"", &sealed[..len], &mut out);
        assert_eq!(result.unwrap_err(), MessageError::Authentication);
        assert_eq!(out, [0x5f; 21]);
    }
    assert!(ChaCha20Poly1305::new_from_slice(&KEY[1..]).is_err());
    assert!(XChaCha20Poly1305::new_from_slice(&[0; 33]).is_err());
    assert_eq!(MAX_MESSAGE_LEN, 274_877_906_880);
    assert_eq!(aead::Error::from(MessageError::MessageTooLong), aead::Error);
}

#[test]
fn debug_shows_no_secret() {
    let text = format!("{:?}", ChaCha20Poly1305::new(&KEY.into()));
    assert!(text.starts_with("ChaChaPoly1305 { backend: ") && !text.contains("key"), "{text}");
}

#[cfg(feature = "zeroize")]
#[test]
fn wiped_on_drop() {
    use core::mem::ManuallyDrop;

    fn wipes_on_drop<T: zeroize::ZeroizeOnDrop>() {}
    wipes_on_drop::<ChaCha20Poly1305>();
    wipes_on_drop::<XChaCha20Poly1305>();

    let mut aead = ManuallyDrop::new(ChaCha20Poly1305::new(&KEY.into()));
    let holds_key = |aead: &ManuallyDrop<ChaCha20Poly1305>| {
        let at = core::ptr::from_ref(aead).cast::<u8>();
        let byte = |i| {
            // SAFETY: the object is borrowed, and `ManuallyDrop` keeps its memory after the drop.
            // To look at a dropped object is beyond the language's rules; it is what this test is
            // for.
            unsafe { at.add(i).read_volatile() }
        };
        let bytes: Vec<u8> = (0..size_of::<ChaCha20Poly1305>()).map(byte).collect();
        bytes.windows(4).any(|four| KEY.windows(4).any(|key| key == four))
    };
    assert!(holds_key(&aead), "the check sees the key while it is there");
    // SAFETY: dropped once, and used afterwards only as memory.
    unsafe { ManuallyDrop::drop(&mut aead) };
    assert!(!holds_key(&aead));
}
