use serde_json::{Value, json};
use taquin::{Board, NamedGoal, Puzzle, Report, Session, Task, Watch};
use taquin_web::Options;

use crate::client::Serving;

#[tokio::test]
async fn a_report_is_that_of_the_facade() {
    let server = Serving::local();
    let start: Board = "8 6 7/2 5 4/3 0 1".parse().unwrap();
    let goal = NamedGoal::Last.board(start.size(), 1);
    let puzzle = Puzzle::new(start, goal).unwrap();
    for method in ["bfs", "astar:manhattan", "ida:linear", "beam:manhattan,k=100"] {
        let mut task = Task::new(puzzle.clone(), method.parse().unwrap());
        let text = json!({ "board": "867254301", "method": method });
        let data = serde_json::to_value(&task).unwrap();
        task.limits.memory = Some(512 << 20);
        let expected = Session::without_folder().run(&task, Watch::default());
        // As a person writes it, and as a program does.
        for asked in [text, data] {
            let reply = server.post("/api/solve", &asked).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            let mut report: Report = serde_json::from_value(reply.json()).unwrap();
            assert_eq!(report.stages[0].counts, expected.stages[0].counts, "{method}");
            (report.seconds, report.stages) = (expected.seconds, expected.stages.clone());
            assert_eq!(report, expected, "{method}");
        }
    }
}

#[tokio::test]
async fn courses_set_the_goal_the_method_and_the_figures() {
    let server = Serving::local();
    let asked = json!({ "board": "7 1 2/4 8 5/6 3 0", "as": "ucr-list", "method": "misplaced" });
    let report = server.post("/api/solve", &asked).await.json();
    assert_eq!(report["as"], "ucr-list");
    assert_eq!(report["course"]["nodes_expanded"], report["counts"]["expanded"]);
    let own = json!({ "board": "712485630", "as": "ucr-list", "method": "misplaced,tie=high-g" });
    let notes = &server.post("/api/solve", &own).await.json()["notes"];
    assert!(
        notes[0].as_str().unwrap().starts_with("differs from ucr-list: tie=high-g instead of"),
        "{notes}"
    );
}

#[tokio::test]
async fn a_check_has_its_proof_and_its_repair() {
    let server = Serving::local();
    let fine = server.post("/api/check", &json!({ "board": "5 2 8/4 1 7/0 3 6" })).await.json();
    assert_eq!(fine["reachable"], true);
    assert_eq!(fine["proof"]["inversions"]["total"], 14);
    assert_eq!(fine["inversion_table"][0], json!({ "tile": 5, "precedes": [2, 4, 1, 3] }));
    let bad = server.post("/api/check", &json!({ "board": "1 2 3/4 5 6/8 7 0" })).await.json();
    assert_eq!((&bad["reachable"], &bad["repair"]["tiles"]), (&json!(false), &json!([7, 8])));
    let snail = json!({ "board": "1 2 3/8 0 4/7 6 5", "goal": "snail" });
    assert_eq!(server.post("/api/check", &snail).await.json()["proof"]["fixed"], 9);
}

#[tokio::test]
async fn boards_and_moves_are_converted() {
    let server = Serving::local();
    let convert = async |asked: Value| server.post("/api/convert", &asked).await.json();
    let board = convert(json!({ "board": "123/4_6/758", "goal": "first" })).await;
    assert_eq!(board["board"], json!([1, 2, 3, 4, 0, 6, 7, 5, 8]));
    assert_eq!((&board["text"], &board["rows"]), (&json!("1 2 3/4 0 6/7 5 8"), &json!(3)));
    assert_eq!(board["goal"], json!([0, 1, 2, 3, 4, 5, 6, 7, 8]));
    assert_eq!(convert(json!({ "board": "1230", "to": "nested" })).await["text"], "[[1,2],[3,0]]");
    assert_eq!(convert(json!({ "moves": "DDR" })).await["moves"], "U2L");
    assert_eq!(convert(json!({ "moves": "RU2", "to": "blank" })).await["moves"], "LDD");
    let several = json!({ "board": "2 1 0/0 3 4", "moves": "L1 U2", "from": "blank" });
    assert_eq!(convert(several).await["moves"], "R1 D2");
}

#[tokio::test]
async fn moves_are_judged() {
    let server = Serving::local();
    let verdict = async |asked: Value| server.post("/api/verify", &asked).await.json();
    let board = "1 2 3/4 0 6/7 5 8";
    let fine = verdict(json!({ "board": board, "moves": "DR" })).await;
    assert_eq!((&fine["solves"], &fine["optimal"]), (&json!(true), &json!(true)));
    let long = verdict(json!({ "board": board, "moves": "LRDR", "notation": "blank" })).await;
    assert_eq!((&long["optimal"], &long["optimum"]), (&json!(false), &json!(2)));
    let lost = verdict(json!({ "board": board, "moves": "UL", "notation": "blank" })).await;
    assert_eq!((&lost["legal"], &lost["solves"]), (&json!(true), &json!(false)));
    let off = verdict(json!({ "board": board, "moves": "UUU", "notation": "blank" })).await;
    assert_eq!(off["legal"], false);
    for (bad, field) in [
        (json!({ "board": board }), "moves"),
        (json!({ "board": board, "moves": 5 }), "moves"),
        (json!({ "board": board, "moves": "DX" }), "moves"),
        (json!({ "board": "1 1 0", "moves": "D" }), "board"),
        (json!({ "board": board, "moves": "D", "limits": { "seconds": "x" } }), "limits.seconds"),
    ] {
        let problem = server.post("/api/verify", &bad).await;
        assert_eq!((problem.problem(), &problem.json()["field"]), (422, &json!(field)), "{bad}");
    }
}

#[tokio::test]
async fn boards_are_drawn_from_a_seed() {
    let server = Serving::local();
    let asked = json!({ "size": "3x3", "depth": 20, "count": 3, "seed": 7 });
    let drawn = server.post("/api/gen", &asked).await.json();
    assert_eq!(drawn, server.post("/api/gen", &asked).await.json());
    for board in drawn["boards"].as_array().unwrap() {
        let puzzle = json!({ "rows": 3, "cols": 3, "start": board, "goal": drawn["goal"] });
        let report = server.post("/api/solve", &json!({ "puzzle": puzzle })).await.json();
        assert_eq!((&report["depth"], &report["optimal"]), (&json!(20), &json!(true)));
    }
    let other = json!({ "size": "2x5", "blanks": 2, "goal": "first", "walk": 30 });
    let drawn = server.post("/api/gen", &other).await.json();
    assert_eq!(drawn["boards"][0].as_array().unwrap().len(), 10);
    let deep = server.post("/api/gen", &json!({ "size": "3x3", "depth": 40 })).await;
    assert_eq!(deep.problem(), 422);
    assert!(deep.json()["detail"].as_str().unwrap().contains("31 moves"), "{deep:?}");
}

#[tokio::test]
async fn heuristics_methods_and_courses_are_listed() {
    let server = Serving::local();
    let estimates = server.post("/api/heuristic", &json!({ "board": "724506831" })).await.json();
    let manhattan = json!({
        "heuristic": "manhattan", "estimate": 14,
        "about": "rows and columns that each tile is away from home",
    });
    assert!(estimates["estimates"].as_array().unwrap().contains(&manhattan), "{estimates}");
    let methods = server.get("/api/methods").await.json();
    let names = methods["algorithms"].as_array().unwrap().iter().map(|a| a["name"].as_str());
    assert!(names.flatten().eq(taquin::Algorithm::ALL.iter().map(|a| a.name())));
    let courses = server.get("/api/courses").await.json();
    assert_eq!(courses, serde_json::to_value(taquin_lab::Course::built_in()).unwrap());
}

#[tokio::test]
async fn instance_sets_are_known_by_name() {
    let server = Serving::local();
    let sets = server.get("/api/instances").await.json();
    let korf = server.get("/api/instances/korf100").await.json();
    assert!(sets.as_array().unwrap().iter().any(|set| set["usage"] == "korf100"), "{sets}");
    assert_eq!(korf.as_array().unwrap().len(), 100);
    assert_eq!((&korf[0]["label"], &korf[0]["known"]), (&json!("Korf 1"), &json!(57)));
    assert_eq!(korf[0]["puzzle"]["start"][0], 14);
    for other in ["nobody", "file%20Cargo.toml", "random%203x3%20n=9"] {
        assert_eq!(server.get(&format!("/api/instances/{other}")).await.problem(), 404, "{other}");
    }
}

#[tokio::test]
async fn a_step_is_explained() {
    let server = Serving::local();
    let asked = json!({ "board": "136507482", "method": "astar:manhattan" });
    let step = server.post("/api/explain?step=4&rivals=2", &asked).await.json();
    assert_eq!((&step["step"], step["rivals"].as_array().unwrap().len()), (&json!(4), 2));
    let late = server.post("/api/explain?step=19999", &asked).await;
    assert_eq!(late.problem(), 422);
    let auto = server.post("/api/explain", &json!({ "board": "136507482" })).await.json();
    assert_eq!(auto["method"], "astar:manhattan", "auto chooses a method with steps");
    let table = json!({ "board": "136507482", "method": "table" });
    let refused = server.post("/api/explain", &table).await.json();
    assert!(refused["hint"].as_str().unwrap().contains("astar:manhattan"), "{refused:?}");
}

#[tokio::test]
async fn a_search_is_told_in_the_words_of_its_course() {
    let server = Serving::local();
    let asked = json!({ "board": "1 2 3/4 0 6/7 5 8", "as": "ucr-list", "method": "1" });
    let text =
        server.post("/api/narrate", &asked).await.json()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("Expanding this node") && text.contains("Goal!!"), "{text}");
    // The trace is cut, and reports that.
    let hard = json!({ "board": "8 6 7/2 5 4/3 0 1", "as": "ucr-list", "method": "1" });
    let text = server.post("/api/narrate", &hard).await.json()["text"].as_str().unwrap().to_owned();
    assert!(text.contains("more expansions not shown"), "{}", &text[text.len() - 500..]);
    let table = json!({ "board": "136507482", "method": "table" });
    assert_eq!(server.post("/api/narrate", &table).await.problem(), 422);
}

#[tokio::test]
async fn costs_are_a_text_or_a_list() {
    let server = Serving::local();
    let cost = |cost: Value| {
        let asked = json!({ "board": "1 2 3/4 0 6/7 5 8", "cost": cost });
        let server = &server;
        async move { server.post("/api/solve", &asked).await }
    };
    let list = cost(json!([1, 1, 1, 1, 7, 1, 1, 2])).await.json();
    let text = cost(json!("1,1,1,1,7,1,1,2")).await.json();
    assert_eq!((&list["cost"], &text["cost"]), (&json!(9), &json!(9)));
    for (wrong, detail) in [
        (json!([1, 2]), "the list has 2 costs, but the board has 8 tiles"),
        (json!([1, -2]), "a cost is unit, tile or a list of numbers"),
        (json!({}), "a cost is unit, tile or a list of numbers"),
        (json!("some"), "'some'"),
        (json!([0, 1, 1, 1, 1, 1, 1, 1]), "the cost of tile 1 is '0'"),
    ] {
        let reply = cost(wrong.clone()).await;
        assert_eq!(reply.problem(), 422, "{wrong}");
        let problem = reply.json();
        assert!(problem["detail"].as_str().unwrap().contains(detail), "{problem}");
    }
}

#[tokio::test]
async fn a_value_that_does_not_fit_is_named_in_plain_words() {
    let server = Serving::local();
    let whole = "expected a whole number from 0 to 18446744073709551615";
    for (asked, start, end) in [
        (json!({ "threads": -1 }), "threads: ", "expected a whole number, 0 or more"),
        (json!({ "limits": { "seconds": "a" } }), "limits.seconds: ", "expected a number"),
        (json!({ "limits": { "expanded": 1e30 } }), "limits.expanded: ", whole),
        (json!({ "board": [1] }), "board: ", "expected a text"),
        (json!({ "jumps": 1 }), "jumps: ", "expected true or false"),
    ] {
        let reply = server.post("/api/solve", &asked).await;
        assert_eq!(reply.problem(), 422, "{asked}");
        let problem = reply.json();
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.starts_with(start) && detail.contains(end), "{asked}: {detail}");
    }
    let more = server.send(&server.document("/api/check", "{} {}")).await;
    assert_eq!(more.problem(), 400);
}

#[tokio::test]
async fn a_public_server_says_its_address() {
    let local = Serving::local().get("/api/status").await.json();
    assert_eq!(local["address"], Value::Null);
    let public = Serving::with(Options { public: true, ..Options::default() });
    let port = public.address.port();
    let status = public.get("/api/status").await.json();
    // A machine without a network has none.
    if let Some(address) = status["address"].as_str() {
        assert!(address.ends_with(&format!(":{port}/")) && !address.contains("127."), "{address}");
    }
}

#[tokio::test]
async fn the_service_describes_its_api() {
    let server = Serving::local();
    let book = server.get("/api").await;
    assert_eq!(
        (book.status, book.header("content-type")),
        (200, Some("text/plain; charset=utf-8"))
    );
    assert!(book.body.starts_with("# The API of `taquin serve`"));
    let nothing = server.get("/api/nothing").await.json();
    assert!(nothing["hint"].as_str().unwrap().contains("/api of 'taquin serve'"), "{nothing}");
}

#[tokio::test]
async fn what_is_wrong_is_said_with_a_remedy() {
    let server = Serving::local();
    for (path, body, status, detail, hint) in [
        ("/api/solve", json!({}), 422, "there is no board", "send a board"),
        ("/api/solve", json!({ "board": "12340675q" }), 422, "'12340675q'", ""),
        (
            "/api/solve",
            json!({ "board": "1 2 3/4 5 6/7 6 0" }),
            422,
            "tile 6 appears twice",
            "tile 8 is missing",
        ),
        (
            "/api/solve",
            json!({ "board": "1230", "method": "asatr" }),
            422,
            "unknown method",
            "did you mean 'astar'?",
        ),
        (
            "/api/solve",
            json!({ "board": "1230", "goal": "lsat" }),
            422,
            "unknown goal 'lsat'",
            "last, first",
        ),
        ("/api/solve", json!({ "board": "1230", "as": "nobody" }), 422, "no course", "there are"),
        // The service reads no files, whether there are any or not.
        (
            "/api/solve",
            json!({ "board": "1230", "as": "../lab/courses/42.toml" }),
            422,
            "no course is called '../lab/courses/42.toml'",
            "there are",
        ),
        (
            "/api/solve",
            json!({ "board": "1230", "speed": 3 }),
            422,
            "unknown field `speed`",
            "docs/api.md",
        ),
        ("/api/solve", json!({ "board": "1230", "size": "3x" }), 422, "size:", ""),
        (
            "/api/solve",
            json!({ "board": "1230", "puzzle": null, "goal": "1 2/0 0" }),
            422,
            "different tiles",
            "the same size",
        ),
        ("/api/convert", json!({ "board": "1230", "to": "morse" }), 422, "unknown format", ""),
        ("/api/convert", json!({ "moves": "DDX" }), 422, "moves:", ""),
        ("/api/gen", json!({ "size": "3x3", "blanks": 10 }), 422, "1 to 9 blanks", ""),
        ("/api/gen", json!({ "size": "30x30" }), 422, "too large", "taquin solve"),
        ("/api/explain?step=x", json!({ "board": "1230" }), 422, "", "step=3"),
    ] {
        let reply = server.post(path, &body).await;
        assert_eq!(reply.problem(), status, "{body}: {reply:?}");
        let problem = reply.json();
        assert!(problem["detail"].as_str().unwrap().contains(detail), "{body}: {problem}");
        assert!(problem["hint"].as_str().unwrap_or("").contains(hint), "{body}: {problem}");
    }
    let placed = server.post("/api/check", &json!({ "board": "1 2 3\n4 5 6\n7 6 0" })).await.json();
    assert_eq!(placed["place"], json!({ "line": 3, "column": 3 }));
}
