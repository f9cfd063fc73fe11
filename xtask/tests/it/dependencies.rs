//! Which crate may use which, as a test.
//!
//! Dependencies that only a crate's tests use are free.

use crate::workspace::{Package, packages};

/// Each crate builds on those before it. Some of them do not exist yet.
const LAYERS: [&str; 9] = [
    "taquin-search",
    "taquin-tiles",
    "taquin-tables",
    "taquin-solvers",
    "taquin",
    "taquin-lab",
    "taquin-draw",
    "taquin-experiment",
    "taquin-cluster",
];

/// Front ends and the devices that they hand to sessions, and all that they may use of ours.
const FRONT_ENDS: [(&str, &[&str]); 6] = [
    ("taquin-gpu", &["taquin-search", "taquin-tiles", "taquin-tables", "taquin-solvers", "taquin"]),
    ("taquin-web", &["taquin", "taquin-lab"]),
    // The same functions answer the page as in the service.
    ("taquin-wasm", &["taquin-web"]),
    ("taquin-play", &["taquin", "taquin-lab"]),
    // It also has functions for any graph, and brings the program along.
    (
        "taquin-py",
        &[
            "taquin-cli",
            "taquin-search",
            "taquin",
            "taquin-gpu",
            "taquin-lab",
            "taquin-draw",
            "taquin-experiment",
        ],
    ),
    (
        "taquin-cli",
        &[
            "taquin",
            "taquin-gpu",
            "taquin-lab",
            "taquin-draw",
            "taquin-experiment",
            "taquin-cluster",
            "taquin-web",
            "taquin-play",
        ],
    ),
];

/// External crates that only some of ours may use.
const CONFINED: [(&str, &[&str]); 16] = [
    ("arrow-array", &["taquin-py"]),
    ("arrow-schema", &["taquin-py"]),
    ("axum", &["taquin-web"]),
    ("hyper", &["taquin-web"]),
    ("tokio", &["taquin-web"]),
    ("rusqlite", &["taquin-experiment"]),
    ("resvg", &["taquin-draw"]),
    ("ttf-noto-sans", &["taquin-draw"]),
    ("pyo3", &["taquin-py"]),
    ("cudarc", &["taquin-gpu"]),
    ("ratatui", &["taquin-play"]),
    ("timely", &["taquin-cluster"]),
    ("socket2", &["taquin-cluster"]),
    ("clap", &["taquin-cli", "xtask"]),
    ("clap_complete", &["taquin-cli", "xtask"]),
    ("clap_mangen", &["taquin-cli", "xtask"]),
];

/// Why a crate may not use another, if it may not.
fn objection(user: &str, used: &str) -> Option<String> {
    if let Some((_, allowed)) = CONFINED.iter().find(|(name, _)| *name == used) {
        return (!allowed.contains(&user)).then(|| format!("only {} may", allowed.join(" and ")));
    }
    let layer = |name| LAYERS.iter().position(|layer| *layer == name);
    let is_front_end = |name| FRONT_ENDS.iter().any(|(front_end, _)| *front_end == name);
    if layer(used).is_none() && !is_front_end(used) {
        return (used == "xtask").then(|| "it is not a library".to_owned());
    }
    if let Some((_, allowed)) = FRONT_ENDS.iter().find(|(name, _)| *name == user) {
        return (!allowed.contains(&used)).then(|| format!("it may use {}", allowed.join(", ")));
    }
    match (layer(user), layer(used)) {
        (Some(above), Some(below)) if below < above => None,
        (Some(_), _) => Some("it would point upwards".to_owned()),
        (None, _) if user == "xtask" => None,
        (None, _) => Some("the crate has no place in the house: give it one here".to_owned()),
    }
}

#[test]
fn arrows_point_one_way() {
    let objections: Vec<String> = packages()
        .iter()
        .flat_map(|Package { name, dependencies, .. }| {
            let built = dependencies.iter().filter(|dependency| !dependency.is_dev);
            built.map(move |dependency| (name, &dependency.name))
        })
        .filter_map(|(user, used)| Some(format!("{user} uses {used}: {}", objection(user, used)?)))
        .collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn every_crate_takes_what_the_workspace_gives() {
    for Package { name, manifest, .. } in packages() {
        for field in ["version", "edition", "rust-version", "license", "repository"] {
            let inherited = format!("{field}.workspace = true");
            assert!(manifest.lines().any(|line| line == inherited), "{name} has no {inherited}");
        }
        assert!(manifest.contains("\n[lints]\nworkspace = true\n"), "{name} has its own lints");
        assert!(manifest.contains("\ndescription = \""), "{name} has no description");
    }
}

#[test]
fn the_rules_forbid_what_they_should() {
    let allowed = [
        ("taquin-tiles", "taquin-search"),
        ("taquin", "taquin-search"),
        ("taquin-cli", "taquin-web"),
        ("taquin-cli", "taquin-experiment"),
        ("taquin-experiment", "rusqlite"),
        ("taquin-cli", "clap"),
        ("taquin-tiles", "serde"),
        ("xtask", "taquin-search"),
    ];
    for (user, used) in allowed {
        assert_eq!(objection(user, used), None, "{user} uses {used}");
    }
    let forbidden = [
        ("taquin-search", "taquin-tiles"),
        ("taquin-search", "taquin-search"),
        ("taquin", "taquin-lab"),
        ("taquin-lab", "taquin-cli"),
        ("taquin-cli", "taquin-tiles"),
        ("taquin-web", "taquin-play"),
        ("taquin-web", "taquin-experiment"),
        ("taquin-lab", "taquin-experiment"),
        ("taquin-lab", "rusqlite"),
        ("taquin-web", "clap"),
        ("taquin-cli", "tokio"),
        ("taquin", "pyo3"),
        ("taquin", "cudarc"),
        ("taquin-solvers", "taquin-gpu"),
        ("taquin", "taquin-gpu"),
        ("taquin-lab", "taquin-gpu"),
        ("taquin-new", "taquin"),
        ("taquin-lab", "xtask"),
    ];
    for (user, used) in forbidden {
        assert!(objection(user, used).is_some(), "{user} uses {used}");
    }
}
