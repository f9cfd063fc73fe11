use std::time::Duration;

use serde_json::json;
use taquin::Random;
use taquin_web::ServiceLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::{Patience, Reply, Serving};
use crate::{HARD, endless};

/// Whether this process runs nothing but the named test, so that its memory can be measured. If it
/// does not, a process that does is started and must succeed.
fn alone(test: &str) -> bool {
    const ALONE: &str = "TAQUIN_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let ran = command.args(["--exact", test, "--nocapture"]).env(ALONE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let error = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}{error}");
    false
}

/// The memory of this process, in which the server runs too.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

/// A client's request and the response.
#[derive(Default, Debug)]
struct Tally {
    done: usize,
    refused: usize,
    rude: usize,
}

#[tokio::test]
async fn a_hundred_clients_of_all_kinds() {
    if !alone("load::a_hundred_clients_of_all_kinds") {
        return;
    }
    let limits = ServiceLimits {
        jobs: 12,
        jobs_each: 3,
        connections: 80,
        connections_each: 8,
        patience: 1.0,
        memory: 8 << 20,
        ..ServiceLimits::local()
    };
    let server = std::sync::Arc::new(Serving::start(limits));
    let before = memory();
    let mut clients = Vec::new();
    for number in 1..=100_u8 {
        let server = std::sync::Arc::clone(&server);
        clients.push(tokio::spawn(async move { client(&server, number).await }));
    }
    let mut all = Tally::default();
    for client in clients {
        let Tally { done, refused, rude } = client.await.unwrap();
        all.done += done;
        all.refused += refused;
        all.rude += rude;
    }
    // Some were served, some were told honestly that there is no room.
    assert!(all.done > 50 && all.refused > 0 && all.rude > 50, "{all:?}");
    server.until_running(0).await;
    let reply = server.post("/api/solve", &json!({ "board": "1 2 3/4 0 6/7 5 8" })).await;
    assert_eq!(reply.json()["moves"], "DR");
    let grown = memory().saturating_sub(before);
    assert!(grown < 200_000, "{grown} kB more");
}

async fn client(server: &Serving, number: u8) -> Tally {
    let mut tally = Tally::default();
    let mut random = Random::new(number.into());
    for _ in 0..4 {
        match number % 5 {
            // Asks, and takes the answer slowly.
            0 | 1 => {
                let asked =
                    json!({ "board": "867254301", "method": "bfs", "limits": { "traced": 300 } });
                let request = server.document("/api/jobs", &asked.to_string());
                match server.send_from(number, &request).await {
                    Ok(reply) if reply.status == 201 => {
                        let path = reply.json()["events"].as_str().unwrap().to_owned();
                        tally.done += usize::from(slow(server, number, &path).await);
                    }
                    Ok(reply) => tally.refused += usize::from(refused(reply.status)),
                    Err(_) => tally.refused += 1,
                }
            }
            // Vanishes while it is served.
            2 => {
                let request = server.document("/api/solve", &endless().to_string());
                if let Ok(mut stream) = server.connect_from(number).await {
                    let _ = stream.write_all(request.as_bytes()).await;
                    tokio::time::sleep(Duration::from_millis(random.below(200) as u64)).await;
                }
                tally.rude += 1;
            }
            // Sends garbage.
            3 => {
                let garbage: Vec<u8> =
                    (0..random.below(5_000)).map(|_| random.below(256) as u8).collect();
                if let Ok(mut stream) = server.connect_from(number).await {
                    let _ = stream.set_zero_linger();
                    let _ = tokio::time::timeout(Duration::from_secs(1), async {
                        let _ = stream.write_all(&garbage).await;
                        let _ = stream.read(&mut [0; 512]).await;
                    })
                    .await;
                }
                tally.rude += 1;
            }
            // Is polite, and in a hurry.
            _ => {
                let asked = json!({ "board": HARD, "method": "greedy:manhattan", "limits": { "seconds": 0.2 } });
                let request = server.document("/api/solve", &asked.to_string());
                for reply in [
                    server.send_from(number, &request).await,
                    server.send_from(number, &server.head("GET", "/", "")).await,
                ] {
                    match reply {
                        Ok(reply) if reply.status == 200 => tally.done += 1,
                        Ok(reply) => tally.refused += usize::from(refused(reply.status)),
                        Err(_) => tally.refused += 1,
                    }
                }
            }
        }
    }
    tally
}

fn refused(status: u16) -> bool {
    assert!([429, 503].contains(&status), "{status}");
    true
}

/// Reads a stream with pauses, and returns whether it came to its end.
async fn slow(server: &Serving, number: u8, path: &str) -> bool {
    let Ok(mut stream) = server.connect_from(number).await else { return false };
    let _ = stream.write_all(server.head("GET", path, "").as_bytes()).await;
    let mut tail = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        tail.extend_from_slice(&buffer[..length]);
        tail.drain(..tail.len().saturating_sub(8_000));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    String::from_utf8_lossy(&tail).contains("event: report")
}

#[tokio::test]
async fn thousands_of_malformed_requests() {
    if !alone("load::thousands_of_malformed_requests") {
        return;
    }
    let server = Serving::local();
    let before = memory();
    let mut random = Random::new(1);
    let good = server.document(
        "/api/check",
        &json!({ "board": "1 2 3/4 0 6/7 5 8", "goal": "snail" }).to_string(),
    );
    let mut answered = 0;
    for number in 0..3_000 {
        let mut request = good.clone().into_bytes();
        match number % 6 {
            // A few bytes changed, anywhere.
            0..=2 => {
                for _ in 0..=random.below(6) {
                    let at = random.below(request.len());
                    request[at] = random.below(256) as u8;
                }
            }
            // Cut off.
            3 => request.truncate(random.below(request.len())),
            // Far too long a head.
            4 => request = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(20_000)).into_bytes(),
            // A document of another kind.
            _ => {
                let depth = random.below(5_000);
                request = server.document("/api/solve", &"[".repeat(depth)).into_bytes();
            }
        }
        let mut stream = server.connect().await;
        stream.write_all(&request).await.ok();
        // Nothing more will come.
        stream.shutdown().await.ok();
        let mut bytes = Vec::new();
        let read =
            tokio::time::timeout(Duration::from_secs(60), stream.read_to_end(&mut bytes)).await;
        assert!(read.is_ok(), "no end: {}", String::from_utf8_lossy(&request));
        let text = String::from_utf8_lossy(&bytes);
        if let Some(status) = text.split(' ').nth(1) {
            answered += 1;
            assert!(
                status.starts_with(['2', '4']),
                "{text}\n{}",
                String::from_utf8_lossy(&request)
            );
        }
    }
    assert!(answered > 1_000, "{answered}");
    server.until_running(0).await;
    let grown = memory().saturating_sub(before);
    assert!(grown < 100_000, "{grown} kB more");
}

#[tokio::test]
async fn whoever_sends_nothing_is_not_waited_for() {
    let server = Serving::start(ServiceLimits { patience: 0.3, ..ServiceLimits::local() });
    let body = server.head(
        "POST",
        "/api/check",
        "content-type: application/json\r\ncontent-length: 9\r\n",
    );
    assert_eq!(server.send(&format!("{body}{{")).await.problem(), 408);
    for beginning in ["", "GET / HT", "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: "] {
        let mut stream = server.connect().await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.ok();
    }
}

#[tokio::test]
async fn connections_are_counted_too() {
    let server = Serving::start(ServiceLimits {
        connections: 6,
        connections_each: 4,
        ..ServiceLimits::local()
    });
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(server.connect().await);
    }
    let request = server.head("GET", "/api/status", "");
    let refused = until_refused(&server, 1, &request).await;
    assert_eq!((refused.problem(), refused.header("retry-after")), (429, Some("2")));
    let mut others = vec![server.connect_from(2).await.unwrap()];
    others.push(server.connect_from(3).await.unwrap());
    let refused = until_refused(&server, 4, &request).await;
    assert_eq!(refused.problem(), 503);
    drop((held, others));
    let patience = Patience::start();
    while server.get("/api/status").await.status != 200 {
        patience.wait().await;
    }
}

/// Sends a request until it is refused: the server may not have seen the other connections yet.
async fn until_refused(server: &Serving, address: u8, request: &str) -> Reply {
    let patience = Patience::start();
    loop {
        let reply = server.send_from(address, request).await.unwrap();
        if reply.status != 200 {
            return reply;
        }
        patience.wait().await;
    }
}
