//! Merges states with the same futures.

use rustc_hash::FxHashMap;

use super::{AutomatonShape, NO_STATE, State};

/// Merges states. The first state in each class keeps its place. States before any move are never
/// merged.
///
/// At first all states with the same blank and last move form one class. Then states with different
/// moves, or with moves to different classes, are separated until nothing changes. States with
/// another blank or last move are never compared, so threads process these groups in parallel.
pub(super) fn merged(states: &[State], shape: AutomatonShape) -> Vec<State> {
    let group = |state: &State| usize::from(state.blank) * 5 + usize::from(state.last);
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); 5 * shape.size.cells()];
    for (at, state) in (0..).zip(states) {
        groups[group(state)].push(at);
    }
    let mut classes: Vec<u32> = states.iter().map(|state| group(state) as u32).collect();
    let mut count = groups.iter().filter(|group| !group.is_empty()).count();
    loop {
        let key = |&at: &u32| {
            let next = |next: u32| match next {
                NO_STATE => NO_STATE,
                next => classes[next as usize],
            };
            let [a, b, c, d] = states[at as usize].nexts.map(next);
            [classes[at as usize], a, b, c, d]
        };
        let refine = |group: &Vec<u32>| {
            let mut numbers: FxHashMap<[u32; 5], u32> = FxHashMap::default();
            let number = |at| {
                let new = numbers.len() as u32;
                *numbers.entry(key(at)).or_insert(new)
            };
            let classes: Vec<u32> = group.iter().map(number).collect();
            (classes, numbers.len())
        };
        let refined = shape.each(groups.iter().collect(), refine);
        let mut first = 0;
        for (group, (local, numbers)) in groups.iter().zip(refined) {
            for (&at, class) in group.iter().zip(local) {
                classes[at as usize] = first as u32 + class;
            }
            first += numbers;
        }
        if first == count {
            break;
        }
        count = first;
    }
    // The classes in the order of their first states.
    let mut numbers = vec![NO_STATE; count];
    let mut firsts = Vec::with_capacity(count);
    for (&class, state) in classes.iter().zip(states) {
        let number = &mut numbers[class as usize];
        if *number == NO_STATE {
            *number = firsts.len() as u32;
            firsts.push(*state);
        }
    }
    let renumbered = |mut state: State| {
        let next = |next: u32| match next {
            NO_STATE => NO_STATE,
            next => numbers[classes[next as usize] as usize],
        };
        state.nexts = state.nexts.map(next);
        state
    };
    firsts.into_iter().map(renumbered).collect()
}
