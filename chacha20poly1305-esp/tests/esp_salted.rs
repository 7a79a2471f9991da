//! `SaltedAead` as an AEAD: against the AEAD inside, with RFC 7634's and RFC 4106's vectors.

mod esp_support;

use chacha20poly1305_esp::ChaCha20Poly1305;
use chacha20poly1305_esp::aead::{AeadCore, AeadInPlace, KeyInit, KeySizeUser, consts::*};
use chacha20poly1305_esp::esp::{Rfc7539Esp, SaltedAead};
use esp_support::*;

/// Written against the traits alone, as a dependent would.
fn seal_and_open<A>(keymat: &[u8], iv: &[u8; 8], aad: &[u8], text: &[u8]) -> (Vec<u8>, Vec<u8>)
where
    A: AeadInPlace<NonceSize = U8, TagSize = U16> + KeyInit,
{
    let aead = A::new_from_slice(keymat).unwrap();
    let mut buffer = text.to_vec();
    let tag = aead.encrypt_in_place_detached(iv.into(), aad, &mut buffer).unwrap();
    let sealed = (buffer.clone(), tag.to_vec());

    let mut forged = tag;
    forged[15] ^= 1;
    aead.decrypt_in_place_detached(iv.into(), aad, &mut buffer, &forged).unwrap_err();
    assert_eq!(buffer, sealed.0, "a bad tag leaves the ciphertext");
    aead.decrypt_in_place_detached(iv.into(), aad, &mut buffer, &tag).unwrap();
    assert_eq!(buffer, text);
    sealed
}

#[test]
fn rfc7634_appendix_b() {
    for case in cases("aead") {
        let nonce = octets(&case["nonce"]);
        let keymat = [&octets(&case["key"])[..], &nonce[..4]].concat();
        let iv = nonce[4..].try_into().unwrap();
        let (ct, tag) =
            seal_and_open::<Rfc7539Esp>(&keymat, &iv, &octets(&case["aad"]), &octets(&case["pt"]));
        assert_eq!((ct, tag), (octets(&case["ct"]), octets(&case["tag"])), "{}", case["id"]);
    }
}

#[test]
fn equals_the_aead_inside() {
    let keymat = unhex(KEYMAT);
    let inner = ChaCha20Poly1305::new_from_slice(&keymat[..32]).unwrap();
    for len in 0..=300 {
        let (iv, text, aad) = ((len as u64 * 77).to_be_bytes(), pattern(len), pattern(len % 33));
        let nonce = [&keymat[32..], &iv].concat();
        let mut expected = text.clone();
        let tag = inner.encrypt_in_place_detached(nonce[..].into(), &aad, &mut expected).unwrap();
        let sealed = seal_and_open::<Rfc7539Esp>(&keymat, &iv, &aad, &text);
        assert_eq!(sealed, (expected, tag.to_vec()));
    }
}

#[test]
fn exactly_36_octets_of_keying_material() {
    assert_eq!(Rfc7539Esp::key_size(), 36);
    for len in 0..=64 {
        assert_eq!(Rfc7539Esp::new_from_slice(&vec![1; len]).is_ok(), len == 36, "{len}");
    }
}

#[test]
fn sizes_of_the_traits() {
    fn check<T: AeadCore<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0>>() {}
    check::<Rfc7539Esp>();
    check::<SaltedAead<ChaCha20Poly1305>>();
}

#[test]
fn debug_shows_no_key() {
    assert_eq!(format!("{:?}", aead()), "SaltedAead { .. }");
}

#[test]
fn a_clone_seals_alike() {
    let mut texts = [[7; 20]; 2];
    let [a, b] = &mut texts;
    let tags = [aead().encrypt_in_place_detached(&[1; 8].into(), b"aad", a).unwrap(), {
        let clone = Clone::clone(&aead());
        clone.encrypt_in_place_detached(&[1; 8].into(), b"aad", b).unwrap()
    }];
    assert_eq!(texts[0], texts[1]);
    assert_eq!(tags[0], tags[1]);
}

/// The packets of draft-mcgrew-gcm-test-01, sections 4: whole texts with their trailers.
#[cfg(feature = "aes-gcm")]
mod rfc4106 {
    use super::*;
    use chacha20poly1305_esp::esp::{
        self, Fields, Iv, OpenOptions, Rfc4106Aes128Gcm, Rfc4106Aes192Gcm, Rfc4106Aes256Gcm,
        SequenceNumber, Spi,
    };

    fn check<A>(
        keymat: &str,
        spi: u32,
        sequence: SequenceNumber,
        iv: &str,
        text: &str,
        sealed: &str,
    ) where
        A: AeadInPlace<NonceSize = U8, TagSize = U16, CiphertextOverhead = U0> + KeyInit,
    {
        let (keymat, text, sealed) = (unhex(keymat), unhex(text), unhex(sealed));
        let iv: [u8; 8] = unhex(iv).try_into().unwrap();
        let aad = match sequence {
            SequenceNumber::Short(n) => [spi.to_be_bytes(), n.to_be_bytes()].concat(),
            SequenceNumber::Extended(n) => [&spi.to_be_bytes()[..], &n.to_be_bytes()].concat(),
        };
        let (ct, tag) = seal_and_open::<A>(&keymat, &iv, &aad, &text);
        assert_eq!(hex::encode([ct, tag].concat()), hex::encode(&sealed));

        // The same as a packet: the draft pads as the RFC says.
        let [.., pad, next_header] = text[..] else { panic!() };
        let payload = &text[..text.len() - 2 - usize::from(pad)];
        let spi = Spi::new(spi).unwrap();
        let fields = Fields { spi, sequence, iv: Iv::Explicit(iv), next_header, tfc_padding: 0 };
        let mut packet = vec![0; 16 + sealed.len()];
        let aead = A::new_from_slice(&keymat).unwrap();
        let n = esp::seal_packet_into(&aead, &fields, payload, &mut packet).unwrap();
        assert_eq!(hex::encode(&packet[16..n]), hex::encode(&sealed));
        let options = OpenOptions {
            sequence_high: match sequence {
                SequenceNumber::Short(_) => None,
                SequenceNumber::Extended(n) => Some((n >> 32) as u32),
            },
            ..OpenOptions::default()
        };
        let opened = esp::open_packet(&aead, &mut packet[..n], &options).unwrap();
        assert_eq!(packet[opened.payload], *payload);
    }

    #[test]
    fn aes_128_extended_number() {
        check::<Rfc4106Aes128Gcm>(
            "4c80cdefbb5d10da906ac73c3613a6342e443b68",
            0x4321,
            SequenceNumber::Extended(0x8765_4321_0000_0000),
            "4956ed7e3b244cfe",
            "45000048699a000080114db7c0a80102c0a801010a9bf15638d3010000010000\
             00000000045f736970045f756470037369700963796265726369747902646b00\
             0021000101020201",
            "fecf537e729d5b07dc30df528dd22b768d1b98736696a6fd348509fa13ceac34\
             cfa2436f14a3f3cf65925bf1f4a13c5d15b21e1884f5ff6247aeabb786b93bce\
             61bc17d768fd9732459018148f6cbe722fd04796562dfdb4",
        );
    }

    #[test]
    fn aes_192() {
        check::<Rfc4106Aes192Gcm>(
            "feffe9928665731c6d6a8f9467308308feffe9928665731ccafebabe",
            0xa5f8,
            SequenceNumber::Short(10),
            "facedbaddecaf888",
            "45000028a4ad4000400678800a01038f0a010612802306b8cb712602dd6bb03e\
             501016d075680001",
            "a5b1f8066029aea40e598b8122de02420938b3ab33f828e687b8858b5bfbdbd0\
             315b27452144cc7795457b9652037f5318027b5b4cd7a636",
        );
    }

    #[test]
    fn aes_256() {
        check::<Rfc4106Aes256Gcm>(
            "abbccddef00112233445566778899aababbccddef00112233445566778899aab11223344",
            0x4a2c_bfe3,
            SequenceNumber::Short(2),
            "0102030405060708",
            "4500003069a6400080062690c0a801029389155e0a9e008b2dc57ee000000000\
             7002400020bf0000020405b40101040201020201",
            "ff425c9b724599df7a3bcd510194e00d6a78107f1b0b1cbf06efae9d65a5d763\
             748a637985771d347f0545659f14e99def842d8eb335f4eecfdbf831824b4c49\
             15956c96",
        );
    }

    #[test]
    fn key_lengths() {
        assert_eq!(Rfc4106Aes128Gcm::key_size(), 20);
        assert_eq!(Rfc4106Aes192Gcm::key_size(), 28);
        assert_eq!(Rfc4106Aes256Gcm::key_size(), 36);
    }
}
