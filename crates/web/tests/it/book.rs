//! The examples in the book: each request is sent, and each answer has at least the printed fields.

use serde_json::Value;

use crate::client::{Reply, Serving, events};

const BOOK: &str = include_str!("../../../../docs/api.md");
const ADDRESS: &str = "http://127.0.0.1:8015";

/// A command, and the output printed under it.
fn examples() -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for block in BOOK.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => found.push((command.to_owned(), String::new())),
                (None, Some((_, output))) => output.extend([line, "\n"]),
                (None, None) => panic!("output without a command: {line}"),
            }
        }
    }
    found
}

/// Whether a value matches the printed one; `[..]` is anything, and `...` allows more.
fn is_like(value: &Value, printed: &Value) -> bool {
    match (value, printed) {
        (_, Value::String(text)) if text == "[..]" => true,
        (Value::Object(value), Value::Object(printed)) => {
            let more = printed.contains_key("...");
            let known = printed.iter().filter(|(key, _)| *key != "...");
            let all = known
                .clone()
                .all(|(key, printed)| value.get(key).is_some_and(|value| is_like(value, printed)));
            all && (more || value.len() == known.count())
        }
        (Value::Array(value), Value::Array(printed)) => {
            value.len() == printed.len() && value.iter().zip(printed).all(|(a, b)| is_like(a, b))
        }
        _ => value == printed,
    }
}

async fn curl(server: &Serving, command: &str, id: &str) -> Reply {
    let command = command.replace("$ID", id);
    let (_, rest) = command.split_once(ADDRESS).unwrap();
    let path = rest.trim_end_matches('\'');
    match command.split_once("--json '") {
        Some((_, rest)) => {
            let (body, _) = rest.split_once("' ").unwrap();
            server.send(&server.document(path, body)).await
        }
        None => server.get(path).await,
    }
}

#[tokio::test]
async fn every_example_is_true() {
    let server = Serving::local();
    let mut id = String::new();
    let mut run = 0;
    for (command, printed) in examples() {
        if !command.starts_with("curl ") {
            assert_eq!(
                (command.as_str(), printed.trim()),
                ("taquin serve", "http://127.0.0.1:8015/")
            );
            continue;
        }
        run += 1;
        let reply = curl(&server, &command, &id).await;
        if command.contains("/events") {
            let told = events(&reply.body);
            assert_eq!(told.last().unwrap().0, "report", "{command}");
            assert!(told.iter().any(|(name, _)| name == "steps"), "{command}");
            continue;
        }
        let printed: Value = serde_json::from_str(&printed.replace("$ID", &id))
            .unwrap_or_else(|e| panic!("{command}: {e}"));
        let answer = reply.json();
        assert!(is_like(&answer, &printed), "{command}\n{answer}\n{printed}");
        id = answer["id"].as_str().map_or(id, str::to_owned);
    }
    assert!(run >= 12, "{run}");
}

#[test]
fn what_is_not_printed_is_missed() {
    let value = serde_json::json!({ "a": 1, "b": { "c": [2] } });
    for (printed, like) in [
        (serde_json::json!({ "a": 1, "...": "[..]" }), true),
        (serde_json::json!({ "a": 1, "b": "[..]" }), true),
        (serde_json::json!({ "a": 1 }), false),
        (serde_json::json!({ "a": 2, "...": "[..]" }), false),
        (serde_json::json!({ "a": 1, "b": { "c": [3] } }), false),
    ] {
        assert_eq!(is_like(&value, &printed), like, "{printed}");
    }
}
