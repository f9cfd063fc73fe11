//! The calls that observers receive.

use taquin_search::{
    Blind, Bounded, Choice, Cutoff, Deepening, Node, Observer, Order, Policy, Problem, Recomputed,
    Search, Sides, Undo, Verdict, Weight,
};

use crate::line::Line;

/// Counts events.
#[derive(Default)]
struct Events {
    listens: bool,
    expanded: u64,
    generated: u64,
    goals: u64,
}

impl Observer<Line> for Events {
    fn is_listening(&self) -> bool {
        self.listens
    }

    fn expand(&mut self, _: &Node<'_, Line>) {
        self.expanded += 1;
    }

    fn generate(&mut self, _: &Node<'_, Line>, _: Verdict) {
        self.generated += 1;
    }

    fn goal(&mut self, _: &Node<'_, Line>) {
        self.goals += 1;
    }
}

/// Runs an engine with an observer that listens, and with one that does not.
fn check(run: impl Fn(&mut Events) -> Search<i32>) {
    let [mut all, mut few] = [true, false].map(|listens| Events { listens, ..Events::default() });
    let (heard, unheard) = (run(&mut all), run(&mut few));
    assert_eq!(heard, unheard);
    assert_eq!((all.expanded, all.goals), (heard.counts.expanded, 1));
    assert!(all.expanded > 3 && all.generated >= all.expanded);
    assert_eq!((few.expanded, few.goals), (0, 1));
    // A goal may be generated and reported as one.
    assert!(few.generated <= 1);
}

#[test]
fn engines_prepare_no_events_that_nobody_wants() {
    let estimate = |&n: &i32| n.abs_diff(7) / 2;
    let estimate = Recomputed(&estimate);
    let backwards = |&n: &i32| n.unsigned_abs() / 2;
    let backwards = Recomputed(&backwards);
    let (astar, undo) = (Policy::astar(), Undo::Skip);
    let ida = Deepening { by_depth: false, undo, cutoff: Cutoff::After };
    check(|events| {
        Problem::new(&Line, &0).heuristic(&estimate).observer(events).best_first(&astar).run()
    });
    check(|events| {
        Problem::new(&Line, &0).heuristic(&estimate).observer(events).deepening(&ida).run()
    });
    for choice in [Choice::Bae(Sides::Alternate, Order::Lifo), Choice::Nbs] {
        check(|events| {
            let problem = Problem::new(&Line, &0).heuristic(&estimate).observer(events);
            problem.front_to_end(&backwards, choice).run()
        });
    }
    check(|events| {
        let problem = Problem::new(&Line, &0).heuristic(&estimate).observer(events);
        problem.bounded(None::<&Blind>, Bounded::ALL[0], Weight::new(3, 2).expect("a weight")).run()
    });
}
