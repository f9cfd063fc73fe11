//! Published figures, all of them reproduced or explained.

use std::sync::Arc;

use taquin::Session;
use taquin_lab::{Agreement, Course, Finding, ReproduceError, reproduce};

fn findings(name: &str) -> (Vec<Finding>, u64) {
    let mut found = Vec::new();
    let course = Course::find(name).unwrap();
    let left_out =
        reproduce(&course, false, &Session::without_folder(), &Arc::default(), &mut |finding| {
            found.push(finding);
        });
    (found, left_out.unwrap())
}

#[test]
fn every_published_figure_is_equal_or_explained() {
    for course in Course::built_in() {
        let (found, _) = findings(&course.name);
        for finding in &found {
            let Finding { what, published, ours, verdict, note, .. } = finding;
            assert_ne!(*verdict, Agreement::Differs, "{what}: {published}, ours {ours:?}");
            assert_eq!(note.is_some(), *verdict != Agreement::Equal, "{what}");
        }
        let equal = found.iter().filter(|finding| finding.verdict == Agreement::Equal).count();
        let expected = match course.name.as_str() {
            "ucr-list" => (4, 1),
            "ucr-heap" => (3, 0),
            "cse5aif" => (1, 1),
            "nxm" => (9, 1),
            "columbia" => (6 + 3 + 5 + 5, 0),
            "princeton" => (34 + 1 + 5, 0),
            "42" => (21, 6),
            "uta" => (6, 0),
            "korf85" => (37, 3),
            other => panic!("{other} has no expected counts"),
        };
        assert_eq!((equal, found.len() - equal), expected, "{}", course.name);
    }
}

#[test]
fn what_can_not_be_reproduced_says_why() {
    let (found, _) = findings("ucr-list");
    let wrong = found.iter().find(|finding| finding.verdict == Agreement::Misprint).unwrap();
    assert_eq!(wrong.published, "38294/18321");
    assert_eq!(wrong.ours.as_deref(), Some("126183/24048"));
    assert!(wrong.note.as_ref().unwrap().contains("every board nearer than the goal"));
    let (found, left_out) = findings("korf85");
    let wrong: Vec<&str> = found
        .iter()
        .filter(|finding| finding.verdict == Agreement::Misprint)
        .map(|finding| finding.what.as_str())
        .collect();
    let instances = [22, 88, 89].map(|id| format!("instance {id}: length/nodes"));
    assert_eq!(wrong, instances);
    assert_eq!(left_out, 60);
}

#[test]
fn a_course_without_figures_says_so() {
    let toml = Course::find("ucr-heap").unwrap().toml().replace("ucr-heap", "mine");
    let toml = toml.split("[[suite]]").next().unwrap();
    let course = Course::read(toml).unwrap();
    let mut found = 0;
    let error =
        reproduce(&course, false, &Session::without_folder(), &Arc::default(), &mut |_| found += 1);
    assert_eq!(error, Err(ReproduceError::NoFigures { course: "mine".to_owned() }));
    assert_eq!(found, 0);
}
