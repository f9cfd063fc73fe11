//! A server for a test, and a client that can be as rude as a test wants it to be.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use taquin::Session;
use taquin_web::{Options, Server, ServiceLimits, Stopper};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// A server that ends with the test.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    pub(crate) stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    pub(crate) fn start(limits: ServiceLimits) -> Self {
        Self::with(Options { limits, ..Options::default() })
    }

    pub(crate) fn with(options: Options) -> Self {
        let session = Session::without_folder();
        let options = Options { port: 0, session, ..options };
        let server = Server::bind(&options).unwrap();
        let (address, stopper) = (server.address(), server.stopper());
        let thread = std::thread::spawn(move || server.run().unwrap());
        Self { address, stopper, thread: Some(thread) }
    }

    pub(crate) fn local() -> Self {
        Self::start(ServiceLimits::local())
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// A connection from another address of this machine.
    pub(crate) async fn connect_from(&self, last: u8) -> std::io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
        socket.connect(self.address).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(&self.head("GET", path, "")).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(&self.document(path, &body.to_string())).await
    }

    /// The head of a request, with more headers.
    pub(crate) fn head(&self, method: &str, path: &str, more: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{more}\r\n",
            self.address
        )
    }

    /// A request with a JSON document.
    pub(crate) fn document(&self, path: &str, body: &str) -> String {
        let more = format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        self.head("POST", path, &more) + body
    }

    pub(crate) async fn send(&self, request: &str) -> Reply {
        let mut stream = self.connect().await;
        ask(&mut stream, request.as_bytes()).await.unwrap()
    }

    pub(crate) async fn send_from(&self, last: u8, request: &str) -> std::io::Result<Reply> {
        ask(&mut self.connect_from(last).await?, request.as_bytes()).await
    }

    /// How many searches are running.
    pub(crate) async fn running(&self) -> u64 {
        self.get("/api/status").await.json()["running"].as_u64().unwrap()
    }

    /// Waits until this many searches are running.
    pub(crate) async fn until_running(&self, count: u64) {
        let patience = Patience::start();
        while self.running().await != count {
            patience.wait().await;
        }
    }

    /// Waits for the end after a stop.
    pub(crate) fn join(&mut self) {
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

/// Waiting for something that must happen soon. How soon is not tested: the machine may be busy.
pub(crate) struct Patience(Instant);

impl Patience {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Waits a moment, and fails after a minute.
    pub(crate) async fn wait(&self) {
        assert!(self.0.elapsed() < Duration::from_secs(60), "waited for a minute");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find_map(|line| line.split_once(": ").filter(|h| h.0 == name));
        line.map(|(_, value)| value)
    }

    /// The status, once it is sure that the answer is a problem document with its facts.
    pub(crate) fn problem(&self) -> u16 {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], self.status, "{self:?}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{self:?}");
        self.status
    }
}

/// Sends a request and reads until the connection ends.
pub(crate) async fn ask(stream: &mut TcpStream, request: &[u8]) -> std::io::Result<Reply> {
    // A rejected client may find the connection closed while it is still sending.
    let sent = stream.write_all(request).await;
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes).await;
    if bytes.is_empty() {
        sent?;
        read?;
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return Err(std::io::Error::other(format!("no answer: {text:?}")));
    };
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let chunked = head.contains("transfer-encoding: chunked");
    let body = if chunked { unchunk(body) } else { body.to_owned() };
    Ok(Reply { status, head: head.to_owned(), body })
}

fn unchunk(mut text: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = text.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or(0).min(rest.len());
        body += &rest[..length];
        text = rest[length..].trim_start_matches("\r\n");
    }
    body
}

/// The events of a stream, each a name and its data.
pub(crate) fn events(body: &str) -> Vec<(String, Value)> {
    let event = |text: &str| {
        let field = |name| text.lines().find_map(|line: &str| line.strip_prefix(name));
        Some((field("event: ")?.to_owned(), serde_json::from_str(field("data: ")?).ok()?))
    };
    body.split("\n\n").filter_map(event).collect()
}
