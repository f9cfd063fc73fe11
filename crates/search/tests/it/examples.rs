//! The examples run, and have the expected results.

#[path = "../../examples/knight.rs"]
mod knight;
#[path = "../../examples/pancakes.rs"]
mod pancakes;
#[path = "../../examples/queens.rs"]
mod queens;
#[path = "../../examples/road_map.rs"]
mod road_map;

#[test]
fn examples_run() {
    knight::main();
    pancakes::main();
    queens::main();
    road_map::main();
}
