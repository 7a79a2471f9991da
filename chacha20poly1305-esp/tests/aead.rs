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
/// opened.
#[test]
fn all_lengths() {
    let reference = chacha20poly1305::ChaCha20Poly1305::new(&KEY.into());
    let mut rng = Rng::new(3);
    let (text, aad) = (rng.bytes(2200), rng.bytes(129));
    for len in lengths::up_to(2200) {
        let text = &text[..len];
        let aads = if len % 16 == 0 || len < 300 { &AADS[..] } else { &AADS[len % 15..][..1] };
        for aad in aads.iter().map(|&len| &aad[..len]) {
            let mut expected = text.to_vec();
            let nonce = &NONCE.into();
            let tag = reference.encrypt_in_place_detached(nonce, aad, &mut expected).unwrap();
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

#[test]
fn long_messages() {
    let reference = chacha20poly1305::ChaCha20Poly1305::new(&KEY.into());
    let around_packet = (4000..4200).step_by(7).chain((4608..9000).step_by(61));
    for len in around_packet.chain([1 << 16, (1 << 20) + 5, (1 << 22) + 4097]) {
        let text = Rng::new(len as u64).bytes(len);
        let mut expected = text.clone();
        let nonce = &NONCE.into();
        let tag = reference.encrypt_in_place_detached(nonce, b"aad", &mut expected).unwrap();
        on_each_backend(|backend| {
            let aead = ChaCha20Poly1305::with_backend(&KEY, backend);
            let mut data = text.clone();
            let got = aead.encrypt_in_place_detached(nonce, b"aad", &mut data).unwrap();
            assert!(data == expected && got == tag, "{backend}, {len} bytes");
            let mut forged = tag;
            forged[7] ^= 1;
            assert!(aead.decrypt_in_place_detached(nonce, b"aad", &mut data, &forged).is_err());
            assert!(data == expected, "{backend}, {len} bytes: still the ciphertext");
            let mut separate = vec![0x5a; len];
            let sealed = [&data[..], &forged].concat();
            assert!(aead.open_into(&NONCE, b"aad", &sealed, &mut separate).is_err());
            assert!(separate.iter().all(|&byte| byte == 0x5a), "{backend}, {len} bytes: untouched");
            let sealed = [&data[..], &tag].concat();
            assert!(aead.open_into(&NONCE, b"aad", &sealed, &mut separate).unwrap() == text);
            aead.decrypt_in_place_detached(nonce, b"aad", &mut data, &tag).unwrap();
            assert!(data == text, "{backend}, {len} bytes");
        });
    }
}

/// Every single bit of tag, nonce, associated data and ciphertext counts, and a failed `open`
/// leaves the ciphertext.
#[test]
fn every_bit_counts() {
    on_each_backend(|backend| {
        for len in [0, 1, 16, 63, 64, 65, 100, 192, 193, 449] {
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
            for bit in 0..8 * len {
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
    on_each_backend(|backend| {
        let aead = ChaCha20Poly1305::with_backend(&KEY, backend);
        for len in (0..=600).chain([1023, 1024, 1025, 1420]) {
            let mut memory = vec![0xc3; len + 128];
            let nonce = &NONCE.into();
            let inside = 64..64 + len;
            let tag = aead
                .encrypt_in_place_detached(nonce, b"", &mut memory[inside.clone()])
                .expect("seals");
            let mut forged = tag;
            forged[15] ^= 0x80;
            let buffer = &mut memory[inside.clone()];
            assert!(aead.decrypt_in_place_detached(nonce, b"", buffer, &forged).is_err());
            assert!(aead.decrypt_in_place_detached(nonce, b"", buffer, &tag).is_ok());
            assert!(memory.iter().all(|&byte| byte == 0xc3), "{backend} {len}");
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
