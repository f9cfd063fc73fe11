//! Charts and drawings, read by an XML parser and a renderer that are not ours.

use resvg::usvg::roxmltree::{Document, Node};
use taquin::{Puzzle, Session, Task, Watch};
use taquin_draw::{Axis, Chart, Marks, Point, Series, draw_board, draw_solution, png, stacked};
use taquin_experiment::{Sample, Samples};

/// Runs whose counts are known: two methods on puzzles of depth 0, 2, 2, and 10.
fn samples() -> Samples {
    let run = |instance, method, optimum, expanded, solved| Sample {
        instance,
        method,
        optimum: Some(optimum),
        solved,
        expanded,
        generated: 2 * expanded,
        frontier: expanded / 2 + 1,
        seconds: expanded as f64 * 1e-6 + 1e-5,
        ..Sample::default()
    };
    Samples {
        methods: vec!["bfs".to_owned(), "a <&> \"b\",c".to_owned()],
        runs: vec![
            run(0, 0, 0, 0, true),
            run(0, 1, 0, 0, true),
            run(1, 0, 2, 4, true),
            run(1, 1, 2, 2, true),
            run(2, 0, 2, 16, true),
            run(2, 1, 2, 2, false),
            run(3, 0, 10, 1_000, true),
            run(3, 1, 10, 30, true),
        ],
        ..Samples::default()
    }
}

fn with_class<'a>(document: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node<'_, '_>| {
        node.attribute("class").is_some_and(|names| names.split(' ').any(|name| name == class))
    };
    document.descendants().filter(has).collect()
}

#[test]
fn three_figures_against_depth() {
    let charts = samples().against_depth();
    assert_eq!(
        charts.iter().map(|chart| chart.name).collect::<Vec<_>>(),
        ["nodes", "frontier", "time"]
    );
    let nodes = &charts[0];
    // Depth 2 is the geometric mean of 4 and 16; the second method solved one of its two.
    let point = |x, y, partial| Point { partial, ..Point::new(x, y) };
    let rounded = |points: &[Point]| {
        points.iter().map(|p| point(p.x, (p.y * 1e6).round() / 1e6, p.partial)).collect::<Vec<_>>()
    };
    assert_eq!(
        rounded(&nodes.series[0].points),
        [point(0.0, 0.0, false), point(2.0, 8.0, false), point(10.0, 1_000.0, false)]
    );
    assert_eq!(
        rounded(&nodes.series[1].points),
        [point(0.0, 0.0, false), point(2.0, 2.0, true), point(10.0, 30.0, false)]
    );
    assert!(nodes.remarks().contains("Geometric means"), "{}", nodes.remarks());
    assert!(nodes.remarks().contains("2 values of 0 are left out"), "{}", nodes.remarks());
    assert!(nodes.remarks().contains("Hollow"), "{}", nodes.remarks());
    assert_eq!(
        nodes.csv().lines().take(2).chain(nodes.csv().lines().last()).collect::<Vec<_>>(),
        [
            "series,depth,expanded,complete,lower_quartile,upper_quartile",
            "bfs,0,0,true,,",
            "\"a <&> \"\"b\"\",c\",10,30,true,,",
        ]
        .map(|line| line.replace("10,30,", &format!("10,{},", nodes.series[1].points[2].y)))
    );
}

#[test]
fn the_structure_of_a_chart() {
    let chart = &samples().against_depth()[0];
    let svg = chart.svg();
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
    // The text alternative exists, and the root refers to it.
    let about = root.attribute("aria-labelledby").unwrap();
    let words: Vec<&str> = about
        .split(' ')
        .map(|id| document.descendants().find(|node| node.attribute("id") == Some(id)).unwrap())
        .map(|node| node.text().unwrap())
        .collect();
    assert_eq!(words[0], "Nodes expanded against depth");
    assert!(words[1].contains("bfs: from 8 at 2 to 1,000 at 10"), "{}", words[1]);
    let texts: Vec<&str> = with_class(&document, "ink").iter().filter_map(Node::text).collect();
    for text in [
        "1",
        "10",
        "100",
        "1,000",
        "0",
        "nodes expanded",
        "length of the shortest solution (moves)",
        "bfs",
        "a <&> \"b\",c",
    ] {
        assert!(texts.contains(&text), "{text}: {texts:?}");
    }
    // Each series has a line, a shape for each point that can be shown, and one in the legend; its
    // colour and its shape are its own.
    let shape = |class| with_class(&document, class)[0].attribute("d").unwrap().to_owned();
    assert_eq!([with_class(&document, "f0").len(), with_class(&document, "h0").len()], [2 + 1, 0]);
    assert_eq!([with_class(&document, "f1").len(), with_class(&document, "h1").len()], [1 + 1, 1]);
    assert_ne!(shape("f0"), shape("f1"));
    // Equal factors are equal steps: 8 at depth 2 is 3 log 2 of 3 decades below 1,000.
    let place = |at: usize| {
        let text = with_class(&document, "f0")[at].attribute("transform").unwrap().to_owned();
        let numbers = text.trim_start_matches("translate(").trim_end_matches(')').to_owned();
        let mut numbers = numbers.split(' ').map(|number| number.parse::<f64>().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    };
    let tick = |label: &str| {
        let text = with_class(&document, "ink").into_iter().find(|node| {
            node.text() == Some(label) && node.attribute("text-anchor") == Some("end")
        });
        text.unwrap().attribute("y").unwrap().parse::<f64>().unwrap() - 4.5
    };
    let decade = tick("10") - tick("100");
    assert!((place(1).1 - (tick("1") - 8_f64.log10() * decade)).abs() < 0.2);
    assert!((place(2).1 - tick("1,000")).abs() < 0.2);
    assert!(place(1).0 < place(2).0);
}

#[test]
fn scatter_and_cactus() {
    let samples = samples();
    let scatter = samples.scatter(0).unwrap();
    // Puzzle 2 was not solved by both.
    assert_eq!(scatter.series.len(), 1);
    let pairs: Vec<(f64, f64)> = scatter.series[0].points.iter().map(|p| (p.x, p.y)).collect();
    assert_eq!(pairs, [(0.0, 0.0), (4.0, 2.0), (1_000.0, 30.0)]);
    assert!(scatter.description().contains("2 of 2 points below the diagonal"));
    assert_eq!(samples.scatter(7), None);
    let cactus = samples.cactus();
    let last: Vec<f64> = cactus.series.iter().map(|s| s.points.last().unwrap().y).collect();
    assert_eq!(last, [4.0, 3.0]);
    assert!(cactus.series[0].points.is_sorted_by(|a, b| a.x <= b.x));
    for chart in [&scatter, &cactus] {
        Document::parse(&chart.svg()).unwrap();
    }
}

#[test]
fn any_data_gives_a_drawing() {
    let axis = |log, whole| Axis { label: "x & <y>\u{1}".to_owned(), column: "x", log, whole };
    let many = [0.0, 1e-9, 1.0, 5.0, 1e12, f64::NAN, f64::INFINITY, -3.0];
    for marks in [Marks::Lines, Marks::Points, Marks::Steps] {
        for values in [&many[..], &[], &[0.0], &[1.0], &[7.0, 7.0], &[1e-300, 1e300], &many[4..5]] {
            for (log, whole) in [(true, true), (true, false), (false, true), (false, false)] {
                let points =
                    values.iter().map(|&x| Point { partial: true, ..Point::new(x, x) }).collect();
                let chart = Chart {
                    name: "any",
                    title: "word ".repeat(40),
                    x: axis(log, whole),
                    y: axis(!log, whole),
                    marks,
                    series: (0..60)
                        .map(|style| Series {
                            name: "m".repeat(style),
                            style,
                            points: Vec::clone(&points),
                        })
                        .collect(),
                    diagonal: log,
                    note: String::new(),
                };
                let svg = chart.svg();
                Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {values:?}"));
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{values:?}");
                assert!(svg.len() < 1 << 20, "{values:?}: {}", svg.len());
            }
        }
    }
}

#[test]
fn pictures_have_letters_without_any_font_of_the_system() {
    let chart = &samples().against_depth()[2];
    let decoded = |svg: &str| {
        let bytes = png(svg, 1.0).unwrap();
        resvg::tiny_skia::Pixmap::decode_png(&bytes).unwrap()
    };
    let with = decoded(&chart.svg());
    let without = decoded(&chart.svg().replace(&chart.title, ""));
    assert_eq!((with.width(), with.height()), (without.width(), without.height()));
    let dark = |picture: &resvg::tiny_skia::Pixmap| {
        picture.pixels().iter().filter(|pixel| pixel.red() < 100).count()
    };
    assert!(dark(&with) > dark(&without) + 300, "{} {}", dark(&with), dark(&without));
    let several = stacked(&samples().against_depth());
    let whole = decoded(&several);
    assert!(whole.height() > 2 * with.height());
    assert!(png("<svg", 1.0).is_err());
    assert!(png(&several, 1e6).is_err());
}

#[test]
fn boards_and_moving_solutions() {
    let puzzle = |start: &str, goal: &str| {
        Puzzle::new(start.parse().unwrap(), goal.parse().unwrap()).unwrap()
    };
    let svg = draw_board(&"1 2 3/4 0 6/7 5 8".parse().unwrap());
    let document = Document::parse(&svg).unwrap();
    let tiles: Vec<&str> = with_class(&document, "tile")
        .iter()
        .map(|tile| tile.descendants().find(|n| n.has_tag_name("text")).unwrap().text().unwrap())
        .collect();
    assert_eq!(tiles, ["1", "2", "3", "4", "6", "7", "5", "8"]);
    png(&svg, 2.0).unwrap();
    // Each tile moves as often as the solution moves it, with one and with several blanks.
    for (start, goal) in
        [("1 2 3/4 0 6/7 5 8", "1 2 3/4 5 6/7 8 0"), ("2 1 0/0 3 4", "1 2 3/4 0 0")]
    {
        let task = Task::new(puzzle(start, goal), "astar".parse().unwrap());
        let report = Session::without_folder().run(&task, Watch::default());
        let slides = report.moves.clone().unwrap();
        let svg = draw_solution(&task.puzzle, &slides);
        let document = Document::parse(&svg).unwrap();
        let style = document.descendants().find(|n| n.has_tag_name("style")).unwrap();
        let style = style.text().unwrap();
        let rests = style.matches("translate(").count();
        let moved = style.matches("@keyframes t").count();
        assert_eq!(rests, slides.len() + moved, "{style}");
        assert!(style.contains("prefers-reduced-motion"));
        png(&svg, 1.0).unwrap();
    }
}
