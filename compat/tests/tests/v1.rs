//! The older generation: the stand-ins beside the originals.

use aead05::{AeadInPlace, KeyInit};
use cipher04::inout::{InOut, InOutBuf};
use cipher04::{
    Block, BlockSizeUser, KeyIvInit, ParBlocks, StreamBackend, StreamCipher, StreamCipherCore,
    StreamCipherCoreWrapper, StreamCipherSeek, StreamCipherSeekCore, StreamClosure,
    consts::{U4, U6, U10, U12, U24, U32, U64},
};
use testkit::rng::Rng;
use {ours_chacha20_v1 as ours, theirs_chacha20_v1 as theirs};
use {ours_chacha20poly1305_v1 as our_aead, theirs_chacha20poly1305_v1 as their_aead};

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
            1 => cipher.apply_keystream_b2b(&vec![9; data.len()], &mut data).expect("lengths"),
            2 => cipher.seek(rng.next_u64() >> 28),
            _ => cipher.try_apply_keystream(&mut data).expect("room"),
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

impl StreamClosure for ByHand<'_> {
    fn call<B: StreamBackend<BlockSize = U64>>(self, backend: &mut B) {
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

/// All that the cores offer.
fn core<C>() -> Vec<u8>
where
    C: KeyIvInit + StreamCipherSeekCore<Counter = u32> + BlockSizeUser<BlockSize = U64>,
{
    let mut rng = Rng::new(2);
    let mut core = key_and_iv::<C>(&mut rng);
    let mut log = Vec::new();
    for _ in 0..300 {
        let mut blocks = vec![Block::<C>::from([0x5c; 64]); rng.below(40)];
        let source = vec![Block::<C>::from([0x11; 64]); blocks.len()];
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
            6 => core.set_block_pos(rng.next_u32()),
            _ => core.set_block_pos(u32::MAX - 100_000 + rng.below(20) as u32),
        }
        log.extend(core.get_block_pos().to_le_bytes());
        log.extend(core.remaining_blocks().unwrap().to_le_bytes());
        log.extend(blocks.iter().flatten());
    }
    let mut data = vec![3; 1000];
    core.set_block_pos(7);
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
    assert!(core::<ours::ChaChaCore<U4>>() == core::<theirs::ChaChaCore<U4>>());
    assert!(core::<ours::ChaChaCore<U6>>() == core::<theirs::ChaChaCore<U6>>());
    assert!(core::<ours::ChaChaCore<U10>>() == core::<theirs::ChaChaCore<U10>>());
    assert!(core::<ours::XChaChaCore<U6>>() == core::<theirs::XChaChaCore<U6>>());
    assert!(core::<ours::XChaChaCore<U10>>() == core::<theirs::XChaChaCore<U10>>());
    assert!(core::<ours::ChaCha20LegacyCore>() == core::<theirs::ChaCha20LegacyCore>());
}

/// (2^32 - 1) * 64: the first byte of the last block.
const LAST: u64 = u32::MAX as u64 * 64;

/// The original, sent into its last block, goes on with block 0 afterwards.
#[test]
fn no_keystream_twice() {
    fn check<C: KeyIvInit + StreamCipher + StreamCipherSeek>() {
        let mut cipher = key_and_iv::<C>(&mut Rng::new(5));
        cipher.seek(LAST);
        assert!(cipher.try_apply_keystream(&mut [0]).is_err());
        for byte in 1..64 {
            cipher.seek(LAST + byte);
            let left = 64 - byte as usize;
            assert!(cipher.try_apply_keystream(&mut vec![0; left + 1]).is_err());
            cipher.apply_keystream(&mut vec![0; left]);
            assert!(cipher.try_apply_keystream(&mut [0]).is_err());
            assert!(cipher.try_current_pos::<u64>().is_ok());
        }
        assert!(cipher.try_seek(LAST + 64).is_err());
    }
    check::<ours::ChaCha20>();
    check::<ours::XChaCha20>();
    check::<ours::ChaCha20Legacy>();
}

/// QUIC takes the number of a block from the packet; all numbers are allowed.
#[test]
fn last_block_by_number() {
    let (key, nonce) = ([1; 32].into(), [2; 12].into());
    let mut a = ours::ChaChaCore::<U10>::new(&key, &nonce);
    let mut b = theirs::ChaChaCore::<U10>::new(&key, &nonce);
    let (mut x, mut y) = (Block::<ours::ChaChaCore<U10>>::default(), Default::default());
    a.set_block_pos(u32::MAX);
    b.set_block_pos(u32::MAX);
    a.write_keystream_block(&mut x);
    b.write_keystream_block(&mut y);
    assert_eq!(x, y);
}

/// Public code spells these out.
#[test]
fn spelled_out() {
    type Spelled = StreamCipherCoreWrapper<ours::ChaChaCore<U10>>;
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
    let (key, input) = ([5; 32].into(), [6; 16].into());
    assert_eq!(ours::hchacha::<U4>(&key, &input), theirs::hchacha::<U4>(&key, &input));
    assert_eq!(ours::hchacha::<U6>(&key, &input), theirs::hchacha::<U6>(&key, &input));
    assert_eq!(ours::hchacha::<U10>(&key, &input), theirs::hchacha::<U10>(&key, &input));
}

#[test]
fn poly1305() {
    use ours_poly1305_v1::universal_hash::{KeyInit, UniversalHash};
    let mut rng = Rng::new(3);
    for len in 0..600 {
        let (key, data) = (rng.array::<32>().into(), rng.bytes(len));
        let ours = ours_poly1305_v1::Poly1305::new(&key);
        let theirs = theirs_poly1305_v1::Poly1305::new(&key);
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        assert_eq!(ours.clone().compute_unpadded(&data), theirs.clone().compute_unpadded(&data));
        let (mut ours, mut theirs) = (ours, theirs);
        ours.update_padded(&data);
        theirs.update_padded(&data);
        assert_eq!(ours.finalize(), theirs.finalize());
    }
}

/// All that the AEADs offer.
fn aead<A: AeadInPlace + KeyInit + Clone>() -> Vec<u8> {
    let mut rng = Rng::new(4);
    let mut log = Vec::new();
    for _ in 0..100 {
        let aead = A::new_from_slice(&rng.bytes(32)).expect("length").clone();
        let nonce = aead05::Nonce::<A>::from_iter(std::iter::repeat_with(|| rng.next_u32() as u8));
        let (text_len, aad_len) = (rng.length(3000), rng.length(200));
        let (text, aad) = (rng.bytes(text_len), rng.bytes(aad_len));
        let mut sealed = text.clone();
        let tag = aead.encrypt_in_place_detached(&nonce, &aad, &mut sealed).expect("seals");
        log.extend(&sealed);
        log.extend(&tag);
        let mut wrong = tag.clone();
        wrong[3] ^= 4;
        let ciphertext = sealed.clone();
        assert!(aead.decrypt_in_place_detached(&nonce, &aad, &mut sealed, &wrong).is_err());
        assert_eq!(sealed, ciphertext);
        aead.decrypt_in_place_detached(&nonce, &aad, &mut sealed, &tag).expect("opens");
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
        aead.encrypt_in_place_detached(&[2; 12].into(), b"", &mut [0; 10]).expect("seals");
    }
    seal::<ours::ChaCha20>();
    seal::<theirs::ChaCha12>();
}
