//! rustls with rustls-rustcrypto: TLS 1.3 records of 16 KiB from a server to a client over loopback,
//! TLS_CHACHA20_POLY1305_SHA256.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use compat_speed::measure;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::version::TLS13;
use rustls::{
    CipherSuite, ClientConfig, ClientConnection, DigitallySignedStruct, Error, ServerConfig,
    ServerConnection, SignatureScheme, StreamOwned,
};

/// What the server reads and encrypts at a time, and what the client takes for one figure.
const CHUNK: usize = 1 << 20;
const FIGURE: usize = 16 << 20;

/// The server's certificate signs itself, and its key is public: they protect nothing but a test on
/// one machine.
const CERTIFICATE: &[u8] = include_bytes!("../localhost/certificate.der");
const KEY: &[u8] = include_bytes!("../localhost/key.der");

fn provider() -> Arc<CryptoProvider> {
    let mut provider = rustls_rustcrypto::provider();
    provider
        .cipher_suites
        .retain(|suite| suite.suite() == CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
    Arc::new(provider)
}

/// Takes any certificate: it is the transfer that is measured.
#[derive(Debug)]
struct AnyServer;

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ECDSA_NISTP256_SHA256]
    }
}

/// Sends to one client until it hangs up.
fn serve(listener: TcpListener) {
    let config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])
        .expect("the suite is of TLS 1.3")
        .with_no_client_auth()
        .with_single_cert(vec![CERTIFICATE.into()], PrivatePkcs8KeyDer::from(KEY).into())
        .expect("a certificate and its key");
    let (socket, _) = listener.accept().expect("a client");
    let connection = ServerConnection::new(Arc::new(config)).expect("a connection");
    let mut stream = StreamOwned::new(connection, socket);
    let chunk = vec![0x61; CHUNK];
    while stream.write_all(&chunk).is_ok() {}
}

fn main() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(|| serve(listener));

    let config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])
        .expect("the suite is of TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(AnyServer))
        .with_no_client_auth();
    let name = "localhost".try_into().expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a connection");
    let socket = TcpStream::connect(address).expect("the server");
    let mut stream = StreamOwned::new(connection, socket);
    let mut data = vec![0; FIGURE];
    stream.read_exact(&mut data[..1]).expect("the first byte, after the handshake");
    let suite = stream.conn.negotiated_cipher_suite().expect("a suite is agreed upon");
    assert_eq!(suite.suite(), CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
    measure("receive 16 MiB", FIGURE, || stream.read_exact(&mut data).expect("receives"));
}
