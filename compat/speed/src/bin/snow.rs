//! snow: transport messages after a handshake of Noise_NN_25519_ChaChaPoly_BLAKE2s.

use compat_speed::measure;
use snow::{Builder, HandshakeState, TransportState};

/// A Noise message with its tag.
const MAX_MESSAGE: usize = 65535;

fn pair() -> (TransportState, TransportState) {
    let pattern = || "Noise_NN_25519_ChaChaPoly_BLAKE2s".parse().expect("a pattern");
    let mut initiator = Builder::new(pattern()).build_initiator().expect("an initiator");
    let mut responder = Builder::new(pattern()).build_responder().expect("a responder");
    let pass = |from: &mut HandshakeState, to: &mut HandshakeState| {
        let (mut message, mut payload) = ([0; 1024], [0; 1024]);
        let len = from.write_message(&[], &mut message).expect("writes");
        to.read_message(&message[..len], &mut payload).expect("reads");
    };
    pass(&mut initiator, &mut responder);
    pass(&mut responder, &mut initiator);
    let initiator = initiator.into_transport_mode().expect("a session");
    (initiator, responder.into_transport_mode().expect("a session"))
}

fn main() {
    let (mut sender, mut receiver) = pair();
    let (mut message, mut payload) = (vec![0; MAX_MESSAGE], vec![0; MAX_MESSAGE]);
    for size in [64, 1024, MAX_MESSAGE] {
        // 65535 is the whole message; the others are payloads.
        let len = size.min(MAX_MESSAGE - 16);
        let text = vec![0x61; len];
        measure(&format!("write {size}"), len, || {
            sender.write_message(&text, &mut message).expect("writes")
        });
        let nonce = sender.sending_nonce();
        let sealed = sender.write_message(&text, &mut message).expect("writes");
        measure(&format!("read {size}"), len, || {
            // The same message again, without a sender between.
            receiver.set_receiving_nonce(nonce);
            receiver.read_message(&message[..sealed], &mut payload).expect("reads")
        });
    }
}
