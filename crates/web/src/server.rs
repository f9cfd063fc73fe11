//! Listening, and how it ends.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use taquin::{Session, TableStore};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::guard::Guard;
use crate::limits::ServiceLimits;
use crate::proxy::Proxies;
use crate::quota::{Quota, QuotaError};
use crate::service::{Client, Service, router};

/// Where to listen, and how much to give.
#[derive(Clone, Debug)]
pub struct Options {
    /// The port; 0 is any that is free.
    pub port: u16,
    /// Whether other machines may connect.
    pub public: bool,
    /// The proxies whose header `X-Forwarded-For` names the client.
    pub proxies: Vec<IpAddr>,
    /// The limits of the service.
    pub limits: ServiceLimits,
    /// Runs the searches and holds their tables.
    pub session: Session,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 8015,
            public: false,
            proxies: Vec::new(),
            limits: ServiceLimits::local(),
            session: Session::for_service(TableStore::of_account().ok()),
        }
    }
}

/// The service, bound to its address.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    options: Options,
    stop: Arc<watch::Sender<bool>>,
}

/// Ends a server from outside.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<watch::Sender<bool>>);

impl Stopper {
    /// Asks the server to end, as a signal would.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// No connection lives longer: a client that reads nothing can't stay forever.
const LIFETIME: Duration = Duration::from_secs(15 * 60);
/// Answers in flight have so long to finish before their searches are cancelled, and after that.
const SHUTDOWN_TIME: Duration = Duration::from_secs(1);
const LAST_WORDS: Duration = Duration::from_secs(3);
/// The most bytes of a request's head.
const HEAD_BYTES: usize = 16 << 10;

impl Server {
    /// Binds the address.
    ///
    /// # Errors
    /// Fails if it is not available.
    pub fn bind(options: &Options) -> io::Result<Self> {
        let ip = if options.public { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
        let listener = TcpListener::bind((ip, options.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let stop = Arc::new(watch::Sender::new(false));
        Ok(Self { listener, address, options: options.clone(), stop })
    }

    /// The address of the page for other machines, if they may connect and this machine has one.
    pub fn public_address(&self) -> Option<String> {
        let own = self.options.public.then(own_address).flatten()?;
        Some(format!("http://{own}:{}/", self.address.port()))
    }

    /// The address where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The signal that ends it.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stop))
    }

    /// Answers requests until a signal (Ctrl-C, SIGTERM) or a [`Stopper`] ends it; then finishes
    /// the answers in flight.
    ///
    /// # Errors
    /// Fails if the system gives no timer or no signals.
    pub fn run(self) -> io::Result<()> {
        // One thread is enough to talk; searches have their own.
        tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(self.serve())
    }

    async fn serve(self) -> io::Result<()> {
        let public_address = self.public_address();
        let Self { listener, address, options, stop } = self;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let limits = &options.limits;
        let quota = Quota::new(limits.connections, limits.connections_each);
        let service = Service::new(options.limits.clone(), options.session.clone(), public_address);
        let proxies = Proxies::new(&options.proxies);
        let is_named = options.public || !proxies.is_empty();
        let guard = Guard { port: address.port(), is_named };
        let router = router(service.clone(), guard, proxies.clone());
        let graceful = GracefulShutdown::new();
        let mut ending = std::pin::pin!(ended(stop.subscribe())?);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut ending => break,
            };
            match accepted {
                // A proxy's connections come from many clients.
                Ok((stream, client)) => {
                    match quota.take(client.ip(), proxies.contains(client.ip())) {
                        Ok(seat) => {
                            let talk =
                                talk(stream, client.ip(), &router, &graceful, limits.patience());
                            tokio::spawn(async move {
                                let _seat = seat;
                                talk.await;
                            });
                        }
                        Err(full) => turn_away(stream, full),
                    }
                }
                // Too many files are open: some will be closed.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        drop(listener);
        let finish = async {
            let mut finished = std::pin::pin!(graceful.shutdown());
            if timeout(SHUTDOWN_TIME, &mut finished).await.is_err() {
                service.end();
                let _ = timeout(LAST_WORDS, finished).await;
            }
        };
        // A second signal ends it immediately.
        tokio::select! {
            () = finish => {}
            () = signalled()? => {}
        }
        Ok(())
    }
}

/// This machine's address in its network, if it has one: nothing is sent to find it.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address that is reserved for documentation: only the route to it is looked up.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then_some(own)
}

/// One connection, from its first request to its last.
fn talk(
    stream: TcpStream,
    client: IpAddr,
    router: &Router,
    graceful: &GracefulShutdown,
    patience: Duration,
) -> impl Future<Output = ()> + Send + use<> {
    // Small events are sent immediately.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router.clone().layer(Extension(Client(client))));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let connection = graceful.watch(connection);
    async move {
        // How a client leaves is its own affair.
        let _ = timeout(LIFETIME, connection).await;
    }
}

/// Says that there is no room, without reading anything.
fn turn_away(stream: TcpStream, full: QuotaError) {
    let (status, detail) = match full {
        QuotaError::Client => ("429 Too Many Requests", "you have too many connections"),
        QuotaError::All => ("503 Service Unavailable", "there are too many connections"),
    };
    let number = &status[..3];
    let body = format!(
        "{{\"status\":{number},\"title\":\"{}\",\"detail\":\"{detail}\",\"hint\":\"close some, or try again in a few seconds\"}}",
        &status[4..]
    );
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/problem+json\r\ncontent-length: {}\r\nretry-after: 2\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    // It fits into any buffer; a client that can't take it gets nothing.
    if let Ok(mut stream) = stream.into_std() {
        let _ = stream.write_all(answer.as_bytes());
    }
}

/// Waits for a signal, or for a stopper.
fn ended(mut stop: watch::Receiver<bool>) -> io::Result<impl Future<Output = ()>> {
    let signalled = signalled()?;
    Ok(async move {
        tokio::select! {
            () = signalled => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
    })
}

/// Waits for a signal that ends programs.
fn signalled() -> io::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        let terminated = async { terminated.recv().await };
        #[cfg(not(unix))]
        let terminated = std::future::pending::<Option<()>>();
        tokio::select! {
            _ = terminated => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    })
}
