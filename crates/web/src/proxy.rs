//! The clients behind a proxy.
//!
//! A proxy opens all connections itself, and appends its client's address to the header
//! `X-Forwarded-For`. The header is read only on connections from named proxies, because anyone can
//! write anything into it.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;

use crate::service::Client;

/// The proxies whose header is read.
#[derive(Clone, Debug)]
pub(crate) struct Proxies(Arc<[IpAddr]>);

/// Replaces a proxy's address by its client's.
pub(crate) async fn find_client(
    State(proxies): State<Proxies>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(&Client(peer)) = request.extensions().get::<Client>() {
        let client = Client(proxies.client(peer, request.headers()));
        request.extensions_mut().insert(client);
    }
    next.run(request).await
}

impl Proxies {
    pub(crate) fn new(addresses: &[IpAddr]) -> Self {
        Self(addresses.into())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }

    /// Returns the last address that is not a proxy's. No proxy wrote the text before it, and a
    /// word that is not an address ends the chain.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer;
        let lines = headers.get_all("x-forwarded-for").iter().rev();
        let mut addresses = lines.flat_map(|line| line.to_str().unwrap_or("?").rsplit(','));
        while self.contains(client)
            && let Some(address) = addresses.next().and_then(read)
        {
            client = address;
        }
        client
    }
}

/// Reads an address with or without a port. A client usually has all addresses in an IPv6 network
/// with a 64-bit prefix, so the network is the client.
fn read(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))?;
    Some(match IpAddr::to_canonical(&address) {
        IpAddr::V6(address) if !address.is_loopback() => {
            Ipv6Addr::from_bits(address.to_bits() & (!0 << 64)).into()
        }
        address => address,
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    /// The client behind a request from `peer` with these headers, where 127.0.0.1 and 10.0.0.2 are
    /// proxies.
    fn client(peer: &str, lines: &[&str]) -> String {
        let proxies = Proxies::new(&["127.0.0.1", "10.0.0.2"].map(|proxy| proxy.parse().unwrap()));
        let mut headers = HeaderMap::new();
        for line in lines {
            let value = HeaderValue::from_bytes(line.as_bytes()).unwrap();
            headers.append("x-forwarded-for", value);
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn the_client_is_the_last_address_that_no_proxy_has() {
        assert_eq!(client("127.0.0.1", &["192.0.2.7"]), "192.0.2.7");
        assert_eq!(client("127.0.0.1", &["198.51.100.1, 192.0.2.7"]), "192.0.2.7", "forged before");
        assert_eq!(client("127.0.0.1", &["198.51.100.1", "192.0.2.7"]), "192.0.2.7", "two lines");
        assert_eq!(client("127.0.0.1", &["192.0.2.7, 10.0.0.2"]), "192.0.2.7", "two proxies");
        assert_eq!(client("127.0.0.1", &["192.0.2.7:4711"]), "192.0.2.7");
        assert_eq!(client("127.0.0.1", &["::ffff:192.0.2.7"]), "192.0.2.7");
        let networks = ["2001:db8:1:2:3:4:5:6", "[2001:db8:1:2::9]", "[2001:db8:1:2::7]:4711"];
        for address in networks {
            assert_eq!(client("127.0.0.1", &[address]), "2001:db8:1:2::");
        }
    }

    #[test]
    fn a_header_of_anyone_else_and_one_without_an_address_change_nothing() {
        assert_eq!(client("192.0.2.9", &["192.0.2.7"]), "192.0.2.9");
        assert_eq!(client("192.0.2.9", &["127.0.0.1"]), "192.0.2.9");
        for line in ["", ",", "unknown", "192.0.2.7, x", "192.0.2.7,", "\u{e9}", "1.2.3"] {
            assert_eq!(client("127.0.0.1", &[line]), "127.0.0.1", "{line:?}");
        }
        assert_eq!(client("127.0.0.1", &[]), "127.0.0.1");
    }
}
