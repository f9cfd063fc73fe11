//! Published figures, all of them reproduced or explained.

use std::path::Path;
use std::sync::Arc;

use taquin::{Device, Session, Watch};
use taquin_lab::instances::read;
use taquin_lab::{Agreement, Course, Extent, FigureCheck, ReproduceError, reproduce};

fn findings_of(name: &str, extent: Extent) -> (Vec<FigureCheck>, u64) {
    let mut found = Vec::new();
    let course = Course::find(name).unwrap();
    let left_out =
        reproduce(&course, extent, &Session::without_folder(), &Arc::default(), &mut |finding| {
            found.push(finding);
        });
    (found, left_out.unwrap())
}

fn findings(name: &str) -> (Vec<FigureCheck>, u64) {
    findings_of(name, Extent { one_of_many: true, ..Extent::default() })
}

/// The first instances of Korf and Felner, to the node.
#[test]
#[ignore = "builds four databases of 6 tiles and searches 1.7 billion nodes"]
fn the_24_puzzles_of_korf_and_felner_have_their_published_counts() {
    let (found, left_out) = findings_of("kf02", Extent::default());
    assert_eq!((found.len(), left_out), (5, 45));
    for FigureCheck { what, published, ours, verdict, seconds, .. } in &found {
        assert_eq!(*verdict, Agreement::Equal, "{what}: {published}, ours {ours:?}");
        assert!(seconds.is_some());
    }
    let first = found.iter().find(|finding| finding.what == "instance 38: length/nodes").unwrap();
    assert_eq!(first.published, "96/38173507");
}

#[test]
fn without_a_device_kf02_says_why_it_does_not_run() {
    let on_gpu = Extent { on: Device::Gpu, ..Extent::default() };
    let run = |name| {
        let course = Course::find(name).unwrap();
        let mut found = Vec::new();
        let session = Session::without_folder();
        let result =
            reproduce(&course, on_gpu, &session, &Arc::default(), &mut |each| found.push(each));
        (found, result)
    };
    let (found, result) = run("korf85");
    let refused = ReproduceError::NotOnGpu { course: "korf85".to_owned() };
    assert_eq!((found, result), (Vec::new(), Err(refused)));
    let (found, result) = run("kf02");
    assert!(found.is_empty(), "nothing is searched on the processor instead");
    assert!(matches!(result, Err(ReproduceError::Gpu(_))), "{result:?}");
}

#[test]
fn every_published_figure_is_equal_or_explained() {
    for course in Course::built_in() {
        let (found, _) = findings(&course.name);
        for finding in &found {
            let FigureCheck { what, published, ours, verdict, note, .. } = finding;
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
            "ufrgs" => (434, 0),
            "korf85" => (37, 3),
            "kf02" | "random24" | "bss25" => (0, 0),
            "mm15" => (4, 3),
            "usb" => (16, 2),
            "fer" | "tul" => (2, 0),
            "upenn" => (4, 0),
            other => panic!("{other} has no expected counts"),
        };
        assert_eq!((equal, found.len() - equal), expected, "{}", course.name);
    }
}

#[test]
#[ignore = "100 million expansions"]
fn means_over_the_heavy_15_puzzles_and_the_longest_row_of_mm_are_as_published() {
    for (name, rows) in [("bss25", 5), ("mm15", 5)] {
        let (found, left_out) = findings_of(name, Extent { all: true, ..Extent::default() });
        let equal = found.iter().filter(|finding| finding.verdict == Agreement::Equal).count();
        assert_eq!((equal, left_out), (rows, 0), "{found:?}");
    }
}

/// Greedy search on Korf's boards, with the mean from the instances one by one.
#[test]
fn a_mean_over_a_table_is_that_of_its_instances() {
    let session = Session::without_folder();
    let course = Course::find("korf85").unwrap();
    let korf = read("korf100", None, Path::new(""), &session).unwrap();
    let total: u64 = korf
        .into_iter()
        .map(|instance| {
            let task = course.task(instance.puzzle, "greedy:manhattan".parse().unwrap());
            session.run(&task, Watch::default()).counts.expanded
        })
        .sum();
    let toml = course.toml().split("[[suite]]").next().unwrap().replace("korf85", "mine");
    let row = |published: u64| {
        format!(
            "{toml}\n[[suite]]\ntable = 'korf100'\nmean = true\n\
        what = 'greedy'\nmethod = 'greedy:manhattan'\nfigures = ['expanded']\npublished = {published}\n"
        )
    };
    let mean = (total + 50) / 100;
    for (published, verdict) in [(mean, Agreement::Equal), (mean + 1, Agreement::Differs)] {
        let course = Course::read(&row(published)).unwrap();
        let mut found = Vec::new();
        let extent = Extent::default();
        reproduce(&course, extent, &session, &Arc::default(), &mut |each| found.push(each))
            .unwrap();
        let [finding] = &found[..] else { panic!("{found:?}") };
        assert_eq!((finding.verdict, finding.ours.clone()), (verdict, Some(mean.to_string())));
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
    let (mut found, session) = (0, Session::without_folder());
    let error =
        reproduce(&course, Extent::default(), &session, &Arc::default(), &mut |_| found += 1);
    assert_eq!(error, Err(ReproduceError::NoFigures { course: "mine".to_owned() }));
    assert_eq!(found, 0);
}
