//! A report as JSON: its tables as texts, its charts as numbers.

use serde_json::{Map, Value, json};
use taquin_draw::Chart;

use super::{Block, ReportDocument};

pub(super) fn value(report: &ReportDocument) -> Value {
    let texts = report.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let tables = report.blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(json!({
            "caption": table.caption,
            "headings": table.headings,
            "rows": table.rows,
        })),
        _ => None,
    });
    let facts = report.blocks.iter().filter_map(|block| match block {
        Block::Facts(facts) => Some(facts),
        _ => None,
    });
    let facts: Map<String, Value> =
        facts.flatten().map(|(name, what)| (name.clone(), what.as_str().into())).collect();
    let plan = report.blocks.iter().find_map(|block| match block {
        Block::Source(plan) => Some(plan),
        _ => None,
    });
    json!({
        "title": report.title,
        "texts": texts.collect::<Vec<_>>(),
        "tables": tables.collect::<Vec<_>>(),
        "charts": report.charts().map(chart).collect::<Vec<_>>(),
        "facts": facts,
        "plan": plan,
    })
}

fn chart(chart: &Chart) -> Value {
    let series = chart.series.iter().map(|series| {
        let points = series.points.iter().map(|point| [point.x, point.y]);
        json!({ "name": series.name, "points": points.collect::<Vec<_>>() })
    });
    json!({
        "name": chart.name,
        "title": chart.title,
        "x": chart.x.column,
        "y": chart.y.column,
        "series": series.collect::<Vec<_>>(),
        "note": chart.note,
    })
}
