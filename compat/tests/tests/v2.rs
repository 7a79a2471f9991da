//! The newer generation: the stand-ins beside the originals.

use aead06::{AeadInOut, KeyInit};
use cipher05::array::Array;
use cipher05::common::{Block, BlockSizeUser, ParBlocks};
use cipher05::consts::{U12, U24, U32, U64};
use cipher05::{
    InOut, InOutBuf, KeyIvInit, StreamCipher, StreamCipherBackend, StreamCipherClosure,
    StreamCipherCoreWrapper, StreamCipherSeek, StreamCipherSeekCore,
};
use testkit::rng::Rng;
use {ours_chacha20_v2 as ours, theirs_chacha20_v2 as theirs};
use {ours_chacha20poly1305_v2 as our_aead, theirs_chacha20poly1305_v2 as their_aead};

fn key_and_iv<C: KeyIvInit>(rng: &mut Rng) -> C {
    let (key, iv) = (rng.bytes(C::key_size()), rng.bytes(C::iv_size()));
    C::new_from_slices(&key, &iv).expect("lengths")
}

/// All that the wrapped ciphers offer.
fn stream<C: KeyIvInit + StreamCipher + StreamCipherSeek>() -> Vec<u8> {
    let mut rng = Rng::new(1);
    let mut cipher = key_and_iv::<C>(&mut rng);
    let mut log = Vec::new();
    for _ in 0..300 {
        let mut data = vec![0x6b; rng.length(3000)];
        match rng.below(4) {
            0 => cipher.apply_keystream(&mut data),
            1 => cipher.apply_keystream_b2b(&vec![9; data.len()], &mut data),
            2 => cipher.seek(rng.next_u64() >> 28),
            _ => cipher.write_keystream(&mut data),
        }
        log.extend(cipher.current_pos::<u64>().to_le_bytes());
        log.extend(data);
    }
    log
}

/// A caller that drives a core's backend itself.
struct ByHand<'a>(&'a mut [Block<Self>]);

impl BlockSizeUser for ByHand<'_> {
    type BlockSize = U64;
}

impl StreamCipherClosure for ByHand<'_> {
    fn call<B: StreamCipherBackend<BlockSize = U64>>(self, backend: &mut B) {
        let mut batch = ParBlocks::<B>::default();
        let mut rest = self.0;
        while rest.len() >= batch.len() {
            backend.gen_par_ks_blocks(&mut batch);
            let (now, later) = rest.split_at_mut(batch.len());
            now.copy_from_slice(&batch);
            rest = later;
        }
        if rest.len() > 1 {
            backend.gen_tail_blocks(rest);
        } else {
            rest.iter_mut().for_each(|block| backend.gen_ks_block(block));
        }
    }
}

fn number<T: TryFrom<u32>>(n: u32) -> T {
    T::try_from(n).ok().expect("at least 32 bits")
}

/// All that the cores offer.
fn core<C>() -> Vec<u8>
where
    C: KeyIvInit + StreamCipherSeekCore + BlockSizeUser<BlockSize = U64>,
{
    let mut rng = Rng::new(2);
    let mut core = key_and_iv::<C>(&mut rng);
    let mut log = Vec::new();
    for _ in 0..300 {
        let mut blocks = vec![Array([0x5c; 64]); rng.below(40)];
        let source = vec![Array([0x11; 64]); blocks.len()];
        match rng.below(8) {
            0 => core.write_keystream_blocks(&mut blocks),
            1 => blocks.iter_mut().for_each(|block| core.write_keystream_block(block)),
            2 => core.apply_keystream_blocks(&mut blocks),
            3 => core.apply_keystream_blocks_inout(InOutBuf::new(&source, &mut blocks).unwrap()),
            4 => {
                for block in &mut blocks {
                    core.apply_keystream_block_inout(InOut::from(block));
                }
            }
            5 => core.process_with_backend(ByHand(&mut blocks)),
            6 => core.set_block_pos(number(rng.next_u32())),
            // Across 2^32 blocks, where narrow counters wrap.
            _ => core.set_block_pos(number(u32::MAX - rng.below(20) as u32)),
        }
        let position: u128 = core.get_block_pos().try_into().ok().expect("at most 64 bits");
        log.extend(position.to_le_bytes());
        log.extend(core.remaining_blocks().unwrap().to_le_bytes());
        log.extend(blocks.iter().flatten());
    }
    let mut data = vec![3; 1000];
    core.set_block_pos(number(7));
    core.apply_keystream_partial(data.as_mut_slice().into());
    log.extend(data);
    log
}

#[test]
fn stream_ciphers() {
    assert!(stream::<ours::ChaCha8>() == stream::<theirs::ChaCha8>());
    assert!(stream::<ours::ChaCha12>() == stream::<theirs::ChaCha12>());
    assert!(stream::<ours::ChaCha20>() == stream::<theirs::ChaCha20>());
    assert!(stream::<ours::XChaCha8>() == stream::<theirs::XChaCha8>());
    assert!(stream::<ours::XChaCha12>() == stream::<theirs::XChaCha12>());
    assert!(stream::<ours::XChaCha20>() == stream::<theirs::XChaCha20>());
    assert!(stream::<ours::ChaCha20Legacy>() == stream::<theirs::ChaCha20Legacy>());
}

#[test]
fn cores() {
    use {ours as a, theirs as b};
    type Ours<R> = a::ChaChaCore<R, a::variants::Ietf>;
    type Theirs<R> = b::ChaChaCore<R, b::variants::Ietf>;
    assert!(core::<Ours<a::R8>>() == core::<Theirs<b::R8>>());
    assert!(core::<Ours<a::R12>>() == core::<Theirs<b::R12>>());
    assert!(core::<Ours<a::R20>>() == core::<Theirs<b::R20>>());
    assert!(core::<a::ChaCha20LegacyCore>() == core::<b::ChaCha20LegacyCore>());
    let ours = <Ours<a::R12> as KeyIvInit>::new(&[1; 32].into(), &[2; 12].into());
    let theirs = <Theirs<b::R12> as KeyIvInit>::new(&[1; 32].into(), &[2; 12].into());
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
}

/// Public code spells these out.
#[test]
fn spelled_out() {
    type Spelled = StreamCipherCoreWrapper<ours::ChaChaCore<ours::R20, ours::variants::Ietf>>;
    fn same<T>(_: fn(&T), _: fn(&T)) {}
    same::<ours::ChaCha20>(|_| (), |_: &Spelled| ());
    same::<our_aead::ChaCha20Poly1305>(|_| (), |_: &our_aead::ChaChaPoly1305<Spelled>| ());
    same::<our_aead::XChaCha20Poly1305>(
        |_| (),
        |_: &our_aead::ChaChaPoly1305<ours::XChaCha20, U24>| (),
    );
    assert_eq!(size_of::<our_aead::ChaCha20Poly1305>(), 32);
}

#[test]
fn hchacha() {
    use {ours as a, theirs as b};
    let (key, input) = ([5; 32].into(), [6; 16].into());
    assert_eq!(a::hchacha::<a::R8>(&key, &input), b::hchacha::<b::R8>(&key, &input));
    assert_eq!(a::hchacha::<a::R12>(&key, &input), b::hchacha::<b::R12>(&key, &input));
    assert_eq!(a::hchacha::<a::R20>(&key, &input), b::hchacha::<b::R20>(&key, &input));
}

#[test]
fn poly1305() {
    use ours_poly1305_v2::universal_hash::{KeyInit, UniversalHash};
    let mut rng = Rng::new(3);
    for len in 0..600 {
        let (key, data) = (rng.array::<32>().into(), rng.bytes(len));
        let ours = ours_poly1305_v2::Poly1305::new(&key);
        let theirs = theirs_poly1305_v2::Poly1305::new(&key);
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        assert_eq!(ours.clone().compute_unpadded(&data), theirs.clone().compute_unpadded(&data));
        let (mut ours, mut theirs) = (ours, theirs);
        ours.update_padded(&data);
        theirs.update_padded(&data);
        assert_eq!(ours.finalize(), theirs.finalize());
    }
}

/// All that the AEADs offer.
fn aead<A: AeadInOut + KeyInit + Clone>() -> Vec<u8> {
    let mut rng = Rng::new(4);
    let mut log = Vec::new();
    for _ in 0..100 {
        let aead = A::new_from_slice(&rng.bytes(32)).expect("length").clone();
        let nonce = aead06::Nonce::<A>::from_fn(|_| rng.next_u32() as u8);
        let (text_len, aad_len) = (rng.length(3000), rng.length(200));
        let (text, aad) = (rng.bytes(text_len), rng.bytes(aad_len));
        let mut sealed = vec![0; text_len];
        let buf = InOutBuf::new(&text, &mut sealed).expect("lengths");
        let tag = aead.encrypt_inout_detached(&nonce, &aad, buf).expect("seals");
        log.extend(&sealed);
        log.extend(&tag);
        let mut wrong = tag.clone();
        wrong[3] ^= 4;
        let ciphertext = sealed.clone();
        let buf = sealed.as_mut_slice().into();
        assert!(aead.decrypt_inout_detached(&nonce, &aad, buf, &wrong).is_err());
        assert_eq!(sealed, ciphertext);
        let buf = sealed.as_mut_slice().into();
        aead.decrypt_inout_detached(&nonce, &aad, buf, &tag).expect("opens");
        assert_eq!(sealed, text);
    }
    log
}

#[test]
fn aeads() {
    use {our_aead as a, their_aead as b};
    assert!(aead::<a::ChaCha20Poly1305>() == aead::<b::ChaCha20Poly1305>());
    assert!(aead::<a::ChaCha12Poly1305>() == aead::<b::ChaCha12Poly1305>());
    assert!(aead::<a::ChaCha8Poly1305>() == aead::<b::ChaCha8Poly1305>());
    assert!(aead::<a::XChaCha20Poly1305>() == aead::<b::XChaCha20Poly1305>());
    assert!(aead::<a::XChaCha12Poly1305>() == aead::<b::XChaCha12Poly1305>());
    assert!(aead::<a::XChaCha8Poly1305>() == aead::<b::XChaCha8Poly1305>());
}

/// A cipher that the stand-in does not know goes through its traits.
#[test]
fn foreign_ciphers() {
    let expected = aead::<their_aead::ChaCha20Poly1305>();
    assert!(aead::<our_aead::ChaChaPoly1305<theirs::ChaCha20>>() == expected);
    let expected = aead::<their_aead::XChaCha20Poly1305>();
    assert!(aead::<our_aead::ChaChaPoly1305<theirs::XChaCha20, U24>>() == expected);
}

/// Nothing bounds the cipher by `'static`, as in the original.
#[test]
fn generic_over_the_cipher() {
    fn seal<C: KeyIvInit<KeySize = U32, IvSize = U12> + StreamCipher + StreamCipherSeek>() {
        let aead = our_aead::ChaChaPoly1305::<C, U12>::new(&[1; 32].into());
        let buf = &mut [0; 10][..];
        aead.encrypt_inout_detached(&[2; 12].into(), b"", buf.into()).expect("seals");
    }
    seal::<ours::ChaCha20>();
    seal::<theirs::ChaCha12>();
}
