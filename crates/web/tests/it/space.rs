//! Whole spaces.

use serde_json::json;

use crate::client::Serving;

#[tokio::test]
async fn spaces_of_up_to_ten_cells_are_counted() {
    let server = Serving::local();
    let space = server.post("/api/space", &json!({})).await.json();
    assert_eq!((&space["states"], &space["max_depth"]), (&json!(181_440), &json!(31)));
    let first = &space["depths"].as_array().unwrap()[..8];
    assert_eq!(first, [1, 2, 4, 8, 16, 20, 39, 62].map(|n| json!(n)));
    assert_eq!(space["farthest"].as_array().unwrap().len(), 2);
    let space = server.post("/api/space", &json!({ "size": "2x5", "goal": "first" })).await.json();
    assert_eq!((&space["states"], &space["max_depth"]), (&json!(1_814_400), &json!(55)));
    let two = json!({ "size": "2x2", "blanks": 2, "metric": "multi" });
    assert_eq!(server.post("/api/space", &two).await.json()["states"], 12);
}

#[tokio::test]
async fn larger_spaces_say_what_they_need() {
    let server = Serving::local();
    let refused = server.post("/api/space", &json!({ "size": "3x4" })).await;
    assert_eq!(refused.problem(), 422);
    let problem = refused.json();
    assert_eq!(
        (problem["detail"].as_str().unwrap(), problem["hint"].as_str().unwrap()),
        (
            "the space of 3x4 is too large for here: 239,500,800 boards",
            "run 'taquin enumerate 3x4', which needs 32 MB of memory"
        )
    );
    for (asked, hint) in [
        (json!({ "size": "3x4", "blanks": 2 }), "'taquin enumerate 3x4 --blanks 2'"),
        (json!({ "size": "4x4" }), "about 1.3 TB of memory"),
        (json!({ "size": "20x20" }), "more than 10^18 bytes"),
    ] {
        let problem = server.post("/api/space", &asked).await.json();
        assert!(problem["hint"].as_str().unwrap().contains(hint), "{problem}");
    }
    assert_eq!(server.post("/api/space", &json!({ "size": "0x3" })).await.problem(), 422);
    assert_eq!(server.post("/api/space", &json!({ "metric": "some" })).await.problem(), 422);
}
