//! age: a file of 256 MiB, encrypted to one X25519 recipient and back, in memory.

use std::io::{Read, Write, sink};
use std::iter::once;
use std::mem::swap;

use age::x25519::Identity;
use age::{Decryptor, Encryptor};
use chacha20poly1305::{AeadInPlace, ChaCha20Poly1305, KeyInit};
use compat_speed::measure;

const FILE: usize = 256 << 20;
/// age seals a file in pieces of this size.
const PIECE: usize = 64 << 10;

fn encrypt(identity: &Identity, file: &[u8], out: impl Write) {
    let recipient = identity.to_public();
    let encryptor = Encryptor::with_recipients(once(&recipient as _)).expect("one recipient");
    let mut writer = encryptor.wrap_output(out).expect("writes the header");
    writer.write_all(file).expect("writes");
    writer.finish().expect("writes the last piece");
}

fn main() {
    let identity = Identity::generate();
    let file = vec![0x61; FILE];
    measure("encrypt", FILE, || encrypt(&identity, &file, sink()));

    let mut sealed = Vec::with_capacity(FILE + (FILE >> 8));
    encrypt(&identity, &file, &mut sealed);
    drop(file);
    let mut piece = vec![0; PIECE];
    measure("decrypt", FILE, || {
        let decryptor = Decryptor::new(&sealed[..]).expect("a header");
        let mut reader = decryptor.decrypt(once(&identity as _)).expect("the right identity");
        while reader.read(&mut piece).expect("reads") != 0 {}
    });

    // What of the above is the AEAD: as many pieces, sealed and opened by themselves. A piece sealed
    // twice under one nonce is what it was, with a tag as if it were the ciphertext: so each of the
    // two tags opens what opening the other has left.
    let aead = ChaCha20Poly1305::new(&[1; 32].into());
    let nonce = [2; 12].into();
    let mut seal =
        |piece: &mut [u8]| aead.encrypt_in_place_detached(&nonce, b"", piece).expect("seals");
    measure("the AEAD alone, seal", FILE, || {
        for _ in 0..FILE / PIECE {
            seal(&mut piece);
        }
    });
    let (mut next, mut tag) = (seal(&mut piece), seal(&mut piece));
    measure("the AEAD alone, open", FILE, || {
        for _ in 0..FILE / PIECE {
            aead.decrypt_in_place_detached(&nonce, b"", &mut piece, &tag).expect("opens");
            swap(&mut tag, &mut next);
        }
    });
}
