//! russh: a channel from a server to a client over loopback, chacha20-poly1305@openssh.com. Both run
//! on one thread, so a figure is what sealing, opening and everything else costs together.

use std::borrow::Cow;
use std::sync::Arc;

use compat_speed::measure;
use rand_core::OsRng;
use russh::keys::{Algorithm, PrivateKey, ssh_key};
use russh::server::{Auth, Msg, Session};
use russh::{Channel, ChannelStream, Preferred, cipher, client, server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

/// What the server sends at a time, and what the client takes for one figure.
const CHUNK: usize = 1 << 20;
const FIGURE: usize = 4 << 20;

/// Figures of a session. With the original crates as with the stand-ins, russh 0.50 stands still after
/// some 100 MiB if both ends share a thread.
const FIGURES: usize = 8;

/// The only cipher that either side offers, so there is no session with another.
fn preferred() -> Preferred {
    assert_eq!(cipher::CHACHA20_POLY1305.as_ref(), "chacha20-poly1305@openssh.com");
    Preferred { cipher: Cow::Borrowed(&[cipher::CHACHA20_POLY1305]), ..Preferred::default() }
}

struct Server;

impl server::Handler for Server {
    type Error = russh::Error;

    async fn auth_none(&mut self, _: &str) -> Result<Auth, Self::Error> {
        Ok(Auth::Accept)
    }

    /// Sends on every channel until the client hangs up.
    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        _: &mut Session,
    ) -> Result<bool, Self::Error> {
        tokio::spawn(async move {
            let mut stream = channel.into_stream();
            let chunk = vec![0x61; CHUNK];
            while stream.write_all(&chunk).await.is_ok() {}
        });
        Ok(true)
    }
}

struct Client;

impl client::Handler for Client {
    type Error = russh::Error;

    async fn check_server_key(&mut self, _: &ssh_key::PublicKey) -> Result<bool, Self::Error> {
        Ok(true)
    }
}

async fn serve(listener: TcpListener) {
    let key = PrivateKey::random(&mut OsRng, Algorithm::Ed25519).expect("a key");
    let config =
        server::Config { keys: vec![key], preferred: preferred(), ..server::Config::default() };
    let (socket, _) = listener.accept().await.expect("a client");
    let session = server::run_stream(Arc::new(config), socket, Server).await.expect("a session");
    // Ends when the client does.
    let _ = session.await;
}

/// A session with a server of its own, and a channel on which it sends.
async fn connect() -> (client::Handle<Client>, ChannelStream<client::Msg>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(serve(listener));
    let config = client::Config { preferred: preferred(), ..client::Config::default() };
    let mut session = client::connect(Arc::new(config), address, Client).await.expect("the server");
    assert!(session.authenticate_none("user").await.expect("an answer").success());
    let channel = session.channel_open_session().await.expect("a channel");
    (session, channel.into_stream())
}

fn main() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut data = vec![0; FIGURE];
    let mut connection = None;
    let mut received = 0;
    // What takes a new session is not the fastest, so it does not count.
    measure("receive 4 MiB", FIGURE, || {
        if received % FIGURES == 0 {
            connection = Some(runtime.block_on(connect()));
        }
        received += 1;
        let (_, stream) = connection.as_mut().expect("connected");
        runtime.block_on(stream.read_exact(&mut data)).expect("receives")
    });
}
