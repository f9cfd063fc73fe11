//! Partitions to choose from.

use std::collections::BTreeSet;

use taquin::{Board, Estimate, Partition, Random, Reflection, Tile};

/// The specialised engines take at most this many databases of a partition.
const MAX_GROUPS: usize = 4;

/// The greatest pattern.
const MAX_TILES: usize = 8;

/// The placements of the partition that is measured first: the greatest within these.
const MAX_FIRST_PLACEMENTS: f64 = 536e6;

/// Several forms of a partition are measured up to this many placements.
const CHEAP: f64 = 1.1e9;

/// The forms of a partition that are measured.
const FORMS: usize = 3;

/// The random divisions from which compact ones are made.
const STARTS: usize = 60;

/// Returns partitions for a goal with one blank, in the order in which to measure them: named ones,
/// and others whose patterns are compact. The first of each kind has both sorts of databases.
pub fn candidates(goal: &Board) -> Vec<Estimate> {
    let size = goal.size();
    if size.is_line() || size.cells() > 64 || goal.blanks().count() != 1 {
        return Vec::new();
    }
    let tiles = size.cells() - 1;
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    for most in 2..=MAX_TILES.min(tiles) {
        let mut groups = vec![most; tiles / most];
        groups.extend(Some(tiles % most).filter(|&rest| rest > 0));
        // A single tile is better off in another pattern.
        let is_sound = groups.last() != Some(&1) && groups.len() <= most_groups(tiles);
        if is_sound {
            kinds.push(groups);
        }
    }
    kinds.sort_by(|a, b| placements(tiles, a).total_cmp(&placements(tiles, b)));
    if let Some(first) =
        kinds.iter().rposition(|kind| placements(tiles, kind) <= MAX_FIRST_PLACEMENTS)
    {
        kinds[..=first].rotate_right(1);
    }
    let mut list = Vec::new();
    for kind in kinds {
        let forms = if placements(tiles, &kind) <= CHEAP { FORMS } else { 1 };
        let partitions = partitions(goal, &kind, forms).into_iter();
        let fitting = partitions.filter(|partition| partition.patterns(goal).is_ok());
        for (at, partition) in fitting.enumerate() {
            list.push(Estimate::zpdb(partition.clone()));
            if at == 0 {
                list.push(Estimate::pdb(partition));
            }
        }
    }
    list
}

/// The most groups with some number of tiles: large boards are searched by the general engines.
fn most_groups(tiles: usize) -> usize {
    MAX_GROUPS.max(tiles.div_ceil(6))
}

/// The placements of all patterns in a partition.
fn placements(tiles: usize, groups: &[usize]) -> f64 {
    let of = |group: &usize| (tiles + 1 - group + 1..=tiles + 1).map(|n| n as f64).product::<f64>();
    groups.iter().map(of).sum()
}

/// The tiles of each pattern, in order.
type Groups = Vec<Vec<Tile>>;

/// Returns at most `forms` partitions into groups of these sizes.
fn partitions(goal: &Board, sizes: &[usize], forms: usize) -> Vec<Partition> {
    let mirror = Reflection::of(goal);
    let sorted = |mut groups: Groups| {
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort();
        groups
    };
    // A partition and its mirror image give the same estimates.
    let canonical = |groups: Groups| {
        let image = mirror.as_ref().map(|mirror| {
            let map = |group: &Vec<Tile>| {
                group.iter().map(|&tile| mirror.tile_map[usize::from(tile)]).collect()
            };
            sorted(groups.iter().map(map).collect())
        });
        let groups = sorted(groups);
        image.map_or_else(|| groups.clone(), |image| image.min(groups.clone()))
    };
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for (named, _) in Partition::named().filter(|(_, size)| *size == goal.size()) {
        let Ok(patterns) = named.patterns(goal) else { continue };
        let groups: Groups = patterns.iter().map(|pattern| pattern.tiles().to_vec()).collect();
        let mut lengths: Vec<usize> = groups.iter().map(Vec::len).collect();
        lengths.sort_by(|a, b| b.cmp(a));
        if lengths == sizes && known.insert(canonical(groups)) {
            found.push(named);
        }
    }
    let mut compact = BTreeSet::new();
    let mut random = Random::new(sizes.len() as u64);
    for _ in 0..STARTS {
        let (spread, groups) = compact_groups(goal, sizes, &mut random);
        compact.insert((spread, canonical(groups)));
    }
    for (_, groups) in compact {
        if found.len() < forms && known.insert(groups.clone()) {
            found.extend(Partition::from_lists(groups));
        }
    }
    found
}

/// Divides the tiles into groups at random, and exchanges tiles as long as that brings each group's
/// tiles closer together. Returns the sum of their distances, and the groups.
fn compact_groups(goal: &Board, sizes: &[usize], random: &mut Random) -> (usize, Groups) {
    let size = goal.size();
    let cells: Vec<u16> =
        (0..).zip(goal.tiles()).filter(|(_, tile)| **tile > 0).map(|(cell, _)| cell).collect();
    let mut group_of: Vec<usize> =
        sizes.iter().enumerate().flat_map(|(at, &count)| vec![at; count]).collect();
    random.shuffle(&mut group_of);
    let distance = |a: usize, b: usize| size.distance(cells[a], cells[b]);
    // A tile's distances to a group's tiles, without another tile.
    let apart = |group_of: &[usize], at: usize, group: usize, without: usize| -> usize {
        (0..cells.len())
            .filter(|&other| group_of[other] == group && other != at && other != without)
            .map(|other| distance(at, other))
            .sum()
    };
    loop {
        let mut changed = false;
        for a in 0..cells.len() {
            for b in 0..a {
                let (of_a, of_b) = (group_of[a], group_of[b]);
                if of_a == of_b {
                    continue;
                }
                let before = apart(&group_of, a, of_a, b) + apart(&group_of, b, of_b, a);
                let after = apart(&group_of, a, of_b, b) + apart(&group_of, b, of_a, a);
                if after < before {
                    group_of.swap(a, b);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let spread: usize = (0..cells.len()).map(|at| apart(&group_of, at, group_of[at], at)).sum();
    let mut groups = vec![Vec::new(); sizes.len()];
    for (&cell, &group) in cells.iter().zip(&group_of) {
        groups[group].push(goal.tiles()[usize::from(cell)]);
    }
    (spread, groups)
}

#[cfg(test)]
mod tests {
    use taquin::NamedGoal;

    use super::*;

    fn listed(size: &str) -> Vec<String> {
        let goal = NamedGoal::First.board(size.parse().unwrap(), 1);
        candidates(&goal).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn named_partitions_come_first_and_all_are_partitions() {
        let list = listed("5x5");
        assert_eq!(list[..2], ["zpdb=6-6-6-6", "pdb=6-6-6-6"]);
        assert_eq!(listed("4x4")[0], "zpdb=6-6-3");
        for size in ["2x3", "3x3", "3x4", "4x4", "5x5", "6x6"] {
            let goal = NamedGoal::Last.board(size.parse().unwrap(), 1);
            let list = candidates(&goal);
            assert!(!list.is_empty(), "{size}");
            for estimate in &list {
                let patterns = estimate.partition().unwrap().patterns(&goal).unwrap();
                let mut tiles: Vec<Tile> =
                    patterns.iter().flat_map(|pattern| pattern.tiles().to_vec()).collect();
                tiles.sort_unstable();
                let all: Vec<Tile> = (1..goal.size().cells() as Tile).collect();
                assert_eq!(tiles, all, "{size} {estimate}");
            }
            let texts: BTreeSet<String> = list.iter().map(ToString::to_string).collect();
            assert_eq!(texts.len(), list.len(), "{size}");
        }
    }

    #[test]
    fn lines_and_vast_boards_have_none() {
        assert_eq!(listed("1x5"), [""; 0]);
        assert_eq!(listed("9x9"), [""; 0]);
    }
}
