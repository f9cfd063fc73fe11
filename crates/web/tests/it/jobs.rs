use std::time::Instant;

use serde_json::{Value, json};
use taquin::{Event, Session, Task, Watch};
use taquin_lab::Course;
use taquin_web::ServiceLimits;
use tokio::io::AsyncReadExt;

use crate::client::{Patience, Serving, events};
use crate::endless;

async fn start(server: &Serving, asked: &Value) -> String {
    let reply = server.post("/api/jobs", asked).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let job = reply.json();
    assert_eq!(
        reply.header("location"),
        Some(format!("/api/jobs/{}", job["id"].as_str().unwrap()).as_str())
    );
    job["events"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_steps_are_those_of_the_facade() {
    let server = Serving::local();
    let plain = ["bfs", "astar:misplaced", "ida:manhattan", "bidirectional", "greedy:manhattan"]
        .map(|method| (None, method));
    let courses = [(Some("ucr-list"), "misplaced"), (Some("ucr-heap"), "manhattan")];
    for (course, method) in plain.into_iter().chain(courses) {
        let mut asked =
            json!({ "board": "136502478", "method": method, "limits": { "traced": 5000 } });
        let board = "136502478".parse().unwrap();
        let task = match course {
            Some(name) => {
                asked["as"] = json!(name);
                let course = Course::find(name).unwrap();
                course.task(
                    course.puzzle(board).unwrap(),
                    course.method(Some(method)).unwrap().method,
                )
            }
            None => Task::new(
                Course::find("ucr-list").unwrap().puzzle(board).unwrap(),
                method.parse().unwrap(),
            ),
        };
        let mut expected: Vec<Event> = Vec::new();
        Session::without_folder()
            .run(&task, Watch::default().with_events(&mut |event| expected.push(event)));
        let path = start(&server, &asked).await;
        let told = events(&server.get(&path).await.body);
        let steps = told
            .iter()
            .filter(|(name, _)| name == "steps")
            .flat_map(|(_, data)| serde_json::from_value::<Vec<Event>>(data.clone()).unwrap());
        assert_eq!(steps.collect::<Vec<Event>>(), expected, "{method}");
        let (last, report) = told.last().unwrap();
        assert_eq!((last.as_str(), &report["outcome"]), ("report", &json!("solved")), "{method}");
        // The end can be read again.
        let again = events(&server.get(&path).await.body);
        assert_eq!(again.last(), told.last());
        server.until_running(0).await;
    }
}

#[tokio::test]
async fn what_is_not_told_is_counted() {
    let server = Serving::local();
    let asked = json!({ "board": "867254301", "method": "bfs", "limits": { "traced": 100, "glimpses": 500 } });
    let told = events(&server.get(&start(&server, &asked).await).await.body);
    let report = &told.last().unwrap().1;
    let omitted = told.iter().find(|(name, _)| name == "omitted").unwrap();
    let expanded = report["counts"]["expanded"].as_u64().unwrap();
    assert_eq!(omitted.1["expansions"], expanded - 100);
    let all: Vec<&Value> = told
        .iter()
        .filter(|(name, _)| name == "steps")
        .flat_map(|(_, data)| data.as_array().unwrap())
        .collect();
    assert_eq!(all.iter().filter(|event| event["event"] == "expand").count(), 100);
    assert_eq!(all.last().unwrap()["event"], "goal");
    // A client requests more steps than the service reports.
    let asked = json!({ "board": "867254301", "method": "bfs", "limits": { "traced": 9_000_000 } });
    let told = events(&server.get(&start(&server, &asked).await).await.body);
    let expanded = told.last().unwrap().1["counts"]["expanded"].as_u64().unwrap();
    assert_eq!(told[told.len() - 2].1["expansions"], expanded - ServiceLimits::local().traced);
}

#[tokio::test]
async fn a_search_is_watched_and_cancelled() {
    let server = Serving::local();
    let mut asked = endless();
    asked["limits"]["glimpses"] = json!(100);
    let path = start(&server, &asked).await;
    let id = path.trim_end_matches("/events").to_owned();
    let mut reader = server.connect().await;
    let head = server.head("GET", &path, "");
    let reading =
        tokio::spawn(async move { crate::client::ask(&mut reader, head.as_bytes()).await });
    let started = Instant::now();
    let mut job = json!({});
    let patience = Patience::start();
    while job["progress"]["seconds"].as_f64() < Some(0.5) {
        patience.wait().await;
        job = server.get(&id).await.json();
    }
    assert_eq!((&job["running"], &job["report"]), (&json!(true), &Value::Null));
    assert_eq!(server.get(&path).await.problem(), 409);
    assert_eq!(server.send(&server.head("DELETE", &id, "")).await.status, 204);
    let told = events(&reading.await.unwrap().unwrap().body);
    let took = started.elapsed();
    let (name, report) = told.last().unwrap();
    assert_eq!((name.as_str(), &report["reason"]), ("report", &json!("cancelled")));
    let progress: Vec<&Value> =
        told.iter().filter(|(name, _)| name == "progress").map(|(_, data)| data).collect();
    // Thinned: about ten a second, however long it took here.
    let most = took.as_millis() as usize / 100 + 2;
    assert!((1..=most).contains(&progress.len()), "{} of {most}", progress.len());
    assert_eq!(progress.last().unwrap()["board"].as_array().unwrap().len(), 16);
    let counts = progress.iter().map(|data| data["expanded"].as_u64().unwrap());
    assert!(counts.is_sorted());
    assert_eq!(server.get(&id).await.json()["report"], *report);
    server.until_running(0).await;
}

#[tokio::test]
async fn a_job_whose_reader_has_gone_is_cancelled() {
    let server = Serving::local();
    let path = start(&server, &endless()).await;
    let mut reader = server.connect().await;
    tokio::io::AsyncWriteExt::write_all(&mut reader, server.head("GET", &path, "").as_bytes())
        .await
        .unwrap();
    let mut first = [0; 64];
    reader.read_exact(&mut first).await.unwrap();
    assert_eq!(server.running().await, 1);
    drop(reader);
    server.until_running(0).await;
    // The same for a client that waits for an answer.
    let mut waiting = server.connect().await;
    let solve = server.document("/api/solve", &endless().to_string());
    tokio::io::AsyncWriteExt::write_all(&mut waiting, solve.as_bytes()).await.unwrap();
    server.until_running(1).await;
    drop(waiting);
    server.until_running(0).await;
}

#[tokio::test]
async fn a_job_that_nobody_reads_is_cancelled() {
    let server = Serving::start(ServiceLimits { patience: 0.3, ..ServiceLimits::local() });
    let path = start(&server, &endless()).await;
    server.until_running(0).await;
    let told = events(&server.get(&path).await.body);
    assert_eq!(told.last().unwrap().1["reason"], "cancelled");
    // A client that opens the stream and reads nothing does not count as a reader.
    let many = json!({ "board": crate::HARD, "method": "bfs", "limits": { "traced": 20_000 } });
    let path = start(&server, &many).await;
    let mut reader = server.connect().await;
    tokio::io::AsyncWriteExt::write_all(&mut reader, server.head("GET", &path, "").as_bytes())
        .await
        .unwrap();
    server.until_running(0).await;
}

#[tokio::test]
async fn jobs_belong_to_those_who_started_them() {
    let server = Serving::local();
    let path = start(&server, &endless()).await;
    let id = path.trim_end_matches("/events");
    for request in
        [server.head("GET", id, ""), server.head("DELETE", id, ""), server.head("GET", &path, "")]
    {
        assert_eq!(server.send_from(7, &request).await.unwrap().problem(), 404);
    }
    assert_eq!(server.running().await, 1);
    assert_eq!(server.send(&server.head("DELETE", id, "")).await.status, 204);
    assert_eq!(server.get("/api/jobs/0").await.problem(), 404);
}

#[tokio::test]
async fn there_are_so_many_searches_and_no_more() {
    let server = Serving::start(ServiceLimits { jobs: 3, jobs_each: 2, ..ServiceLimits::local() });
    let mut jobs = Vec::new();
    for _ in 0..2 {
        jobs.push(start(&server, &endless()).await);
    }
    let full = server.post("/api/jobs", &endless()).await;
    assert_eq!((full.problem(), full.header("retry-after")), (429, Some("2")));
    assert_eq!(server.post("/api/solve", &json!({ "board": "1230" })).await.problem(), 429);
    // Requests without a search are answered.
    assert_eq!(server.post("/api/check", &json!({ "board": "1230" })).await.status, 200);
    let request = server.document("/api/jobs", &endless().to_string());
    assert_eq!(server.send_from(2, &request).await.unwrap().status, 201);
    let none = server.send_from(3, &request).await.unwrap();
    assert_eq!((none.problem(), none.header("retry-after")), (503, Some("2")));
    for path in jobs {
        server.send(&server.head("DELETE", path.trim_end_matches("/events"), "")).await;
    }
    server.until_running(1).await;
    assert_eq!(server.post("/api/solve", &json!({ "board": "1230" })).await.status, 200);
}

#[tokio::test]
async fn time_and_memory_are_limited() {
    let server =
        Serving::start(ServiceLimits { seconds: 0.5, memory: 1 << 20, ..ServiceLimits::local() });
    let report = server.post("/api/solve", &endless()).await.json();
    assert_eq!(report["reason"], "time");
    let large =
        json!({ "board": crate::HARD, "method": "bfs", "limits": { "memory": 1_u64 << 40 } });
    assert_eq!(server.post("/api/solve", &large).await.json()["reason"], "memory");
    let tables =
        json!({ "board": crate::HARD, "method": "ida:pdb=1.2.3.4.5.6.7/8.9.10.11.12.13.14.15" });
    let refused = server.post("/api/solve", &tables).await;
    assert_eq!(refused.problem(), 422);
    let command = "taquin tables build 1.2.3.4.5.6.7/8.9.10.11.12.13.14.15 --size 4x4 --goal last";
    let hint = format!("run '{command}' once, or choose another heuristic");
    assert_eq!(refused.json()["hint"], hint, "{refused:?}");
}

#[tokio::test]
async fn searches_are_ended_soon_and_their_answers_sent() {
    let mut server = Serving::local();
    let asked = json!({ "board": crate::HARD, "method": "ids", "limits": { "seconds": 60 } });
    let path = start(&server, &asked).await;
    let [solve, follow] =
        [server.document("/api/solve", &asked.to_string()), server.head("GET", &path, "")];
    let (mut one, mut two) = (server.connect().await, server.connect().await);
    let solving = tokio::spawn(async move { crate::client::ask(&mut one, solve.as_bytes()).await });
    let following =
        tokio::spawn(async move { crate::client::ask(&mut two, follow.as_bytes()).await });
    server.until_running(2).await;
    server.stopper.stop();
    let solved = solving.await.unwrap().unwrap();
    assert_eq!((solved.status, &solved.json()["reason"]), (200, &json!("cancelled")));
    let told = events(&following.await.unwrap().unwrap().body);
    assert_eq!(told.last().unwrap().1["reason"], "cancelled");
    server.join();
    // The reader is gone.
    assert!(tokio::net::TcpStream::connect(server.address).await.is_err());
}
