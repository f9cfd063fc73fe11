//! The messages of several searches, read by requests that take a moment.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use taquin_web::ServiceLimits;
use tokio::io::AsyncWriteExt;

use crate::client::{Serving, events};
use crate::endless;

async fn start(server: &Serving, asked: &Value) -> String {
    let reply = server.post("/api/jobs", asked).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.json()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn one_request_reads_all_searches() {
    let server = Serving::local();
    let asked = |method: &str| json!({ "board": "867254301", "method": method, "limits": { "traced": 3000 } });
    let methods = ["bfs", "astar:manhattan", "ida:manhattan"];
    let mut ids = Vec::new();
    for method in methods {
        ids.push(start(&server, &asked(method)).await);
    }
    let lost = server.get(&format!("/api/messages?jobs={},nothing", ids[0])).await.json();
    assert_eq!(lost["nothing"][0][0], "report");
    assert_eq!(lost["nothing"][0][1]["status"], 404);
    let mut told: Vec<Vec<Value>> = vec![Vec::new(); ids.len()];
    told[0].extend(lost[&ids[0]].as_array().unwrap().iter().cloned());
    let is_ended = |told: &[Value]| told.last().is_some_and(|last| last[0] == "report");
    while !told.iter().all(|told| is_ended(told)) {
        let left: Vec<&str> =
            (0..ids.len()).filter(|&at| !is_ended(&told[at])).map(|at| ids[at].as_str()).collect();
        let news = server.get(&format!("/api/messages?jobs={}", left.join(","))).await.json();
        for (at, id) in ids.iter().enumerate().filter(|(_, id)| left.contains(&id.as_str())) {
            told[at].extend(news[id].as_array().unwrap().iter().cloned());
        }
    }
    // The same steps, omissions and report as in a stream of events.
    for (method, polled) in methods.into_iter().zip(&told) {
        let path = format!("/api/jobs/{}/events", start(&server, &asked(method)).await);
        let streamed = events(&server.get(&path).await.body);
        let polled = polled.iter().map(|pair| (pair[0].as_str().unwrap(), &pair[1]));
        let streamed = streamed.iter().map(|(name, data)| (name.as_str(), data));
        assert_eq!(essence(polled), essence(streamed), "{method}");
    }
    // A report can be read again.
    let again = server.get(&format!("/api/messages?jobs={}", ids[0])).await.json();
    assert_eq!(again[&ids[0]], json!([told[0].last().unwrap()]));
    server.until_running(0).await;
}

/// The steps, the number of omitted ones, and the counts.
fn essence<'a>(told: impl Iterator<Item = (&'a str, &'a Value)>) -> (Vec<Value>, Value, Value) {
    let (mut steps, mut omitted, mut counts) = (Vec::new(), Value::Null, Value::Null);
    for (name, data) in told {
        match name {
            "steps" => steps.extend(data.as_array().unwrap().iter().cloned()),
            "omitted" => omitted = data.clone(),
            "report" => counts = data["counts"].clone(),
            _ => {}
        }
    }
    (steps, omitted, counts)
}

#[tokio::test]
async fn a_search_that_is_not_asked_for_is_cancelled() {
    let patience = 0.5;
    let server = Serving::start(ServiceLimits { patience, ..ServiceLimits::local() });
    // It runs while its messages are requested. If this machine was too busy to ask in time, the
    // test tries again.
    let id = loop {
        let id = start(&server, &endless()).await;
        let (mut last, mut longest) = (Instant::now(), Duration::ZERO);
        let running = loop {
            let news = server.get(&format!("/api/messages?jobs={id}")).await.json();
            longest = longest.max(last.elapsed());
            last = Instant::now();
            match news[&id][0][0].as_str() {
                Some("progress") if news[&id][0][1]["seconds"].as_f64() < Some(3.0 * patience) => {}
                Some("progress") => break Some(id),
                _ => break None,
            }
        };
        match running {
            Some(id) => break id,
            None => assert!(longest.as_secs_f64() >= patience, "it was asked for all the time"),
        }
    };
    server.until_running(0).await;
    let news = server.get(&format!("/api/messages?jobs={id}")).await.json();
    assert_eq!(news[&id].as_array().unwrap().last().unwrap()[1]["reason"], "cancelled");
    // A client that leaves during the search ends it, however patient the server is.
    let server = Serving::start(ServiceLimits { patience: 3600.0, ..ServiceLimits::local() });
    let id = start(&server, &endless()).await;
    let mut reader = server.connect().await;
    let head = server.head("GET", &format!("/api/messages?jobs={id}"), "");
    reader.write_all(head.as_bytes()).await.unwrap();
    drop(reader);
    server.until_running(0).await;
}

#[tokio::test]
async fn jobs_are_named_and_not_too_many() {
    let server = Serving::local();
    assert_eq!(server.get("/api/messages").await.problem(), 422);
    let many = vec!["1"; 17].join(",");
    assert_eq!(server.get(&format!("/api/messages?jobs={many}")).await.problem(), 422);
    // Other clients' searches are not shown.
    let id = start(&server, &endless()).await;
    let request = server.head("GET", &format!("/api/messages?jobs={id}"), "");
    let reply = server.send_from(7, &request).await.unwrap().json();
    assert_eq!(reply[&id][0][1]["status"], 404);
    assert_eq!(server.running().await, 1);
}
