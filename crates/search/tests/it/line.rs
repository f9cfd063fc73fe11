// A space for examples: the integers, from which one reaches the next ones. The goal is 7.
use taquin_search::{Cost, Reversible, StateSpace};

pub(super) struct Line;

impl StateSpace for Line {
    type State = i32;
    type Key = i32;
    type Action = i32;

    fn actions(&self, _: &i32, actions: &mut Vec<i32>) {
        actions.extend([-1, 1]);
    }

    fn apply(&self, state: &mut i32, action: i32) -> Cost {
        *state += action;
        1
    }

    fn undo(&self, state: &mut i32, action: i32) {
        *state -= action;
    }

    fn inverse(&self, action: i32) -> Option<i32> {
        Some(-action)
    }

    fn key(&self, state: &i32) -> i32 {
        *state
    }

    fn state(&self, key: &i32) -> i32 {
        *key
    }

    fn is_goal(&self, state: &i32) -> bool {
        *state == 7
    }

    fn costs(&self) -> std::ops::RangeInclusive<Cost> {
        1..=1
    }
}

impl Reversible for Line {
    fn goal(&self) -> i32 {
        7
    }
}
