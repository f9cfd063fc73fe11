use std::net::IpAddr;

use serde_json::json;
use taquin_web::{Options, ServiceLimits};

use crate::client::Serving;
use crate::endless;

#[tokio::test]
async fn only_its_own_names_are_answered() {
    let server = Serving::local();
    let port = server.address.port();
    let with_host = |host: &str| {
        format!("GET /api/status HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
    };
    for host in [format!("127.0.0.1:{port}"), format!("LOCALHOST:{port}"), format!("[::1]:{port}")]
    {
        assert_eq!(server.send(&with_host(&host)).await.status, 200, "{host}");
    }
    for host in
        ["example.org", "127.0.0.1.example.org", "127.0.0.1:1", "", "localhost:80@x", "\u{e9}"]
    {
        let reply = server.send(&with_host(host)).await;
        assert!([400, 421].contains(&reply.status), "{host}: {reply:?}");
    }
    let none = "GET /api/status HTTP/1.1\r\nconnection: close\r\n\r\n";
    assert_eq!(server.send(none).await.problem(), 400);
    // The authority of an absolute address counts, whatever the header says.
    let absolute = format!(
        "GET http://example.org/ HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\r\n"
    );
    assert_eq!(server.send(&absolute).await.problem(), 421);
}

#[tokio::test]
async fn two_names_are_none_and_the_media_type_has_no_case() {
    let server = Serving::local();
    let own = format!("host: {}\r\n", server.address);
    let twice = server.send(&server.head("GET", "/api/status", &own)).await;
    assert_eq!(twice.problem(), 400);
    let more = "content-type: APPLICATION/JSON; charset=utf-8\r\ncontent-length: 15\r\n";
    let post = server.head("POST", "/api/check", more) + r#"{"board":"1230"}"#;
    assert_eq!(server.send(&post[..post.len() - 1]).await.status, 400, "cut, and read as JSON");
}

#[tokio::test]
async fn other_sites_are_not_answered() {
    let server = Serving::local();
    // b3: a proxy may have added the encryption.
    for scheme in ["http", "https"] {
        let own = format!("origin: {scheme}://{}\r\n", server.address);
        assert_eq!(server.send(&server.head("GET", "/api/status", &own)).await.status, 200);
    }
    for more in [
        "origin: http://example.org\r\n",
        "origin: null\r\n",
        "origin: http://127.0.0.1:1\r\n",
        "sec-fetch-site: cross-site\r\n",
        "sec-fetch-site: same-site\r\n",
    ] {
        let reply = server.send(&server.head("GET", "/api/status", more)).await;
        assert_eq!(reply.problem(), 403, "{more}");
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
    // A preflight is refused like everything else.
    let more = "origin: http://example.org\r\naccess-control-request-method: POST\r\n";
    let preflight = server.send(&server.head("OPTIONS", "/api/solve", more)).await;
    assert_eq!(preflight.problem(), 403);
}

#[tokio::test]
async fn every_answer_ties_the_browsers_hands() {
    let server = Serving::local();
    for path in ["/", "/api/methods", "/nowhere", "/api/nowhere"] {
        let reply = server.get(path).await;
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"));
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[tokio::test]
async fn only_json_of_a_decent_size_is_read() {
    let server = Serving::local();
    let body = r#"{"board":"1230"}"#;
    let form = format!("content-type: text/plain\r\ncontent-length: {}\r\n", body.len());
    assert_eq!(
        server.send(&(server.head("POST", "/api/check", &form) + body)).await.problem(),
        415
    );
    let long = json!({ "board": "1 ".repeat(40_000) }).to_string();
    assert_eq!(server.send(&server.document("/api/check", &long)).await.problem(), 413);
    // A body that does not say how long it is.
    let chunk = format!("{:x}\r\n{}\r\n", long.len(), long);
    let more = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
    let chunked = server.head("POST", "/api/check", more) + &chunk.repeat(3) + "0\r\n\r\n";
    assert_eq!(server.send(&chunked).await.problem(), 413);
    assert_eq!(server.send(&server.document("/api/check", "{\"board\":")).await.problem(), 400);
    assert_eq!(server.send(&server.document("/api/nowhere", "{}")).await.problem(), 404);
    assert_eq!(server.send(&server.document("/api/status", "{}")).await.problem(), 405);
    assert_eq!(server.get("/api/solve").await.problem(), 405);
    assert_eq!(server.get("/../Cargo.toml").await.problem(), 404);
}

#[tokio::test]
async fn the_page_is_small_enough_to_paint_at_once() {
    let server = Serving::local();
    let page = server.get("/").await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    // The page, and everything that it or a script of it needs before it runs.
    let mut names = vec![String::new()];
    let mut bytes = 0;
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        let file = server.get(&format!("/{name}")).await;
        assert_eq!(file.status, 200, "{name}");
        bytes += file.body.len();
        for line in file.body.lines().filter(|line| !line.starts_with("/**")) {
            for before in ["from \"./", "src=\"", "href=\""] {
                let part = line.split_once(before).and_then(|(_, rest)| rest.split('"').next());
                let part = part.filter(|part| !part.starts_with('#')).unwrap_or("");
                if !names.iter().any(|known| known == part) {
                    names.push(part.to_owned());
                }
            }
        }
        at += 1;
    }
    assert!(names.len() > 3, "{names:?}");
    assert!(bytes < 150_000, "{bytes} bytes");
}

#[tokio::test]
async fn files_are_compressed_and_named_by_their_contents() {
    let server = Serving::local();
    let plain = server.get("/style.css").await;
    let tag = plain.header("etag").unwrap().to_owned();
    assert_eq!((plain.status, plain.header("content-encoding")), (200, None));
    let gzip = server.head("HEAD", "/style.css", "accept-encoding: br, gzip;q=0.8\r\n");
    let packed = server.send(&gzip).await;
    assert_eq!((packed.status, packed.header("content-encoding")), (200, Some("gzip")));
    let length = |of: &str| of.parse::<usize>().unwrap();
    assert!(3 * length(packed.header("content-length").unwrap()) < plain.body.len());
    let known = server.head("GET", "/style.css", &format!("if-none-match: {tag}\r\n"));
    assert_eq!(server.send(&known).await.status, 304);
    let other = server.head("GET", "/style.css", "if-none-match: \"other\"\r\n");
    assert_eq!(server.send(&other).await.status, 200);
}

#[tokio::test]
async fn the_clients_of_a_named_proxy_have_quotas_of_their_own() {
    let limits = ServiceLimits {
        jobs_each: 1,
        connections_each: 1,
        patience: 60.0,
        ..ServiceLimits::local()
    };
    let proxies = vec![IpAddr::from([127, 0, 0, 1])];
    let server = Serving::with(Options { limits, proxies, ..Options::default() });
    let body = endless().to_string();
    let start = async |peer: u8, client: &str| {
        let more = format!(
            "x-forwarded-for: {client}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            body.len()
        );
        let request = server.head("POST", "/api/jobs", &more) + &body;
        server.send_from(peer, &request).await.unwrap()
    };
    // An open connection of the proxy's does not keep its other clients out.
    let _open = server.connect_from(1).await.unwrap();
    let first = start(1, "192.0.2.1").await;
    assert_eq!((first.status, start(1, "192.0.2.2").await.status), (201, 201));
    assert_eq!(start(1, "192.0.2.1").await.problem(), 429);
    assert_eq!(start(1, "192.0.2.3, 192.0.2.1").await.problem(), 429, "forged by the client");
    // Without the proxy the header says nothing.
    assert_eq!(start(2, "192.0.2.3").await.status, 201);
    assert_eq!(start(2, "192.0.2.4").await.problem(), 429);
    // A job is its own client's.
    let path = first.header("location").unwrap();
    let look = async |client: &str| {
        let more = format!("x-forwarded-for: {client}\r\n");
        server.send_from(1, &server.head("GET", path, &more)).await.unwrap().status
    };
    assert_eq!((look("192.0.2.1").await, look("192.0.2.2").await), (200, 404));
    // The proxy passes on the name by which it is called.
    let named = "GET /api/status HTTP/1.1\r\nhost: example.org\r\nconnection: close\r\n\r\n";
    assert_eq!(server.send(named).await.status, 200);
}

#[tokio::test]
async fn without_a_named_proxy_the_header_is_ignored() {
    let limits = ServiceLimits { jobs_each: 1, patience: 60.0, ..ServiceLimits::local() };
    let server = Serving::start(limits);
    let body = endless().to_string();
    let start = async |client: &str| {
        let more = format!(
            "x-forwarded-for: {client}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            body.len()
        );
        server.send(&(server.head("POST", "/api/jobs", &more) + &body)).await
    };
    assert_eq!(start("192.0.2.1").await.status, 201);
    assert_eq!(start("192.0.2.2").await.problem(), 429);
}

#[tokio::test]
async fn only_documented_panels_can_be_framed() {
    let server = Serving::local();
    for (query, is_framed) in [
        ("panel=board", true),
        ("panel=tree", true),
        ("x=1&panel=race", true),
        ("panel=solvable", true),
        ("panel=heuristic", true),
        ("panel=space", true),
        ("panel=lesson", true),
        ("panel=%62oard", true),
        ("panel=nonsense", false),
        ("panel=", false),
        ("panel", false),
        ("panel=boards", false),
        ("", false),
        // The page uses the first one, however it is spelled.
        ("panel=nonsense&panel=board", false),
        ("p%61nel=nonsense&panel=board", false),
    ] {
        let reply = server.get(&format!("/?{query}")).await;
        let policy = reply.header("content-security-policy").unwrap();
        assert_eq!(policy.contains("frame-ancestors *"), is_framed, "{query}");
        assert_eq!(policy.contains("frame-ancestors 'none'"), !is_framed, "{query}");
    }
}
