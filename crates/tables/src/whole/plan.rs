//! Which blocks a process holds, which it needs, and which others need.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use taquin_tiles::Board;

use crate::bits::bits;

use super::index::SpaceIndex;
use super::links::Links;
use super::maps::Map;
use super::runs::{all_runs, run_words};
use super::share::Member;
use super::{ExploreError, Extent, Metric, extent};

/// Which blocks a process holds, which it needs, and which others need.
pub struct SharePlan {
    pub(super) index: Arc<SpaceIndex>,
    pub(super) metric: Metric,
    pub(super) links: Links,
    pub(super) member: Member,
    pub(super) halves: [ColourPlan; 2],
}

/// The part of a plan for one colour.
#[derive(Clone, Default, Debug)]
pub(super) struct ColourPlan {
    /// The first slab of the colour.
    pub(super) first: usize,
    /// The rank of each slab of the colour in the order in which blocks are divided.
    ranks: Vec<usize>,
    /// For each slab of the colour, the blocks that are held.
    pub(super) held: Vec<Range<usize>>,
    /// For each slab, the place of its first block among all held blocks of both colours.
    pub(super) places: Vec<usize>,
    /// The blocks that this process needs from others, in ascending order.
    pub(super) needed: Vec<usize>,
    /// The runs needed from each block, and their destinations.
    arrivals: Vec<NeededRuns>,
    /// For each slab, where its blocks begin, and the end of all.
    starts: Vec<usize>,
    /// The place of the first of these among all that arrive for a layer.
    pub(super) arrival: usize,
    /// The number of words that these need.
    arrival_words: usize,
    /// The blocks of this process that others need, in ascending order of process and number.
    pub(super) wanted: Vec<NeededBlock>,
}

/// The runs needed from another process's block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NeededRuns {
    /// A bit for each run.
    pub(super) runs: u64,
    /// The place where the block would begin among the arriving words. There are words from its
    /// first needed run to its last one. Before and after them are other blocks.
    pub(super) start: usize,
}

/// A block that another process needs, or this one of another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct NeededBlock {
    /// The process that needs it.
    pub(super) process: u32,
    pub(super) number: usize,
    /// Its place among all that this process holds, if it does.
    pub(super) place: usize,
    /// The runs that it needs, a bit for each.
    pub(super) runs: u64,
}

/// A piece is this part of the data that a process needs for a full layer, within the limits of
/// [`PIECE`].
const PIECES: usize = 4;

/// The least and most bytes per piece.
const PIECE: RangeInclusive<usize> = 1 << 18..=1 << 25;

impl SharePlan {
    /// The plan's bytes per slab if there is only one process.
    pub(super) const SLAB_BYTES: usize = size_of::<Range<usize>>() + 3 * size_of::<usize>();

    /// Creates one process's plan for a goal's space.
    ///
    /// # Errors
    /// Fails if the share alone would take more than `memory` bytes.
    pub fn new(
        goal: &Board,
        metric: Metric,
        member: Member,
        memory: u64,
    ) -> Result<Self, ExploreError> {
        let Extent { states, bytes } = extent(goal, Metric::Single);
        let bytes = bytes.saturating_mul(layers(metric) as u64);
        let least = bytes / member.processes as u64;
        if bytes == u64::MAX || least > memory {
            let needed = if bytes == u64::MAX { bytes } else { least };
            return Err(ExploreError::Memory { states, needed, allowed: memory });
        }
        let index = Arc::new(SpaceIndex::new(goal, Metric::Single, u64::MAX)?);
        let links = Links::new(&index);
        let mut place = 0;
        let halves = [0, 1].map(|colour| {
            let (ranks, held) = (ranks(&index, colour), held(&index, colour, member));
            let places = held.iter().map(|blocks| {
                place += blocks.len();
                place - blocks.len()
            });
            let places = places.collect();
            let first = index.slabs_of(colour).start;
            let starts = vec![0; held.len() + 1];
            ColourPlan { first, ranks, held, places, starts, ..ColourPlan::default() }
        });
        let mut this = Self { index, metric, links, member, halves };
        if member.processes > 1 {
            let [(others_0, own_0), (others_1, own_1)] =
                [0, 1].map(|colour| this.crossings(colour));
            let mut needed = [others_0, others_1].concat();
            unite(&mut needed);
            let first = this.halves[1].first * this.index.shape().blocks();
            let of_second =
                needed.split_off(needed.partition_point(|wanted| wanted.number < first));
            if metric == Metric::Multi {
                this.halves[1].arrival = needed.len();
            }
            // There are words before the first block and after the last one.
            let shape = this.index.shape();
            let mut end = shape.block_words();
            // A move into a block has its reverse, so that a process that holds one of two blocks
            // needs the other one exactly if that one's process needs this one.
            for (half, (needed, wanted)) in
                this.halves.iter_mut().zip([(needed, own_0), (of_second, own_1)])
            {
                let slabs = half.first..=half.first + half.held.len();
                let blocks = this.index.shape().blocks();
                let start = |slab: usize| needed.partition_point(|w| w.number < slab * blocks);
                half.starts = slabs.map(start).collect();
                if metric == Metric::Single {
                    end = shape.block_words();
                }
                let arrivals = needed.iter().map(|&NeededBlock { runs, .. }| {
                    let first = runs.trailing_zeros() as usize * run_words(shape);
                    let start = end - first;
                    end = start + (u64::BITS - runs.leading_zeros()) as usize * run_words(shape);
                    NeededRuns { runs, start }
                });
                half.arrivals = arrivals.collect();
                half.arrival_words = end + shape.block_words();
                half.needed = needed.iter().map(|wanted| wanted.number).collect();
                half.wanted = wanted;
            }
        }
        Ok(this)
    }

    /// Returns the other processes' blocks that moves connect with the held blocks of a colour,
    /// with the needed runs, and these blocks with the processes that hold the others.
    fn crossings(&self, colour: usize) -> (Vec<NeededBlock>, Vec<NeededBlock>) {
        let shape = self.index.shape();
        let run_words = run_words(shape);
        let blocks = shape.blocks();
        let half = &self.halves[colour];
        // The steps of a move.
        let most = if self.metric == Metric::Single { 1 } else { usize::MAX };
        let (mut others, mut own) = (Vec::new(), Vec::new());
        let (mut reached, mut sources) = (Vec::new(), Vec::new());
        let mut enough = blocks;
        for ((slab, held), first) in (half.first..).zip(&half.held).zip(&half.places) {
            for (block, place) in held.clone().zip(*first..) {
                for &last in self.links.of_plane(slab / shape.parities()) {
                    let mut target = slab;
                    reached.clear();
                    reached.push(block);
                    for link in self.links.chain(last).take(most) {
                        let from = link.source_slab(target, shape);
                        self.links.sources(&link, &reached, &mut sources);
                        for &source in &sources {
                            let owner = self.owner(from, source);
                            if owner != self.member.process {
                                // The reverse step needs exactly the data that comes from there.
                                let map = self.links.map(&link).filter(|_| most == 1);
                                let runs = map.map_or([u64::MAX; 2], |map| {
                                    map.runs_from(block, source, run_words)
                                });
                                let [runs, of_source] = runs.map(|runs| runs & all_runs(shape));
                                let (process, number) = (owner as u32, slab * blocks + block);
                                own.push(NeededBlock { process, number, place, runs });
                                let process = self.member.process as u32;
                                let (number, runs) = (from * blocks + source, of_source);
                                others.push(NeededBlock { process, number, place: 0, runs });
                            }
                        }
                        std::mem::swap(&mut reached, &mut sources);
                        target = from;
                    }
                }
            }
            // Deduplicate periodically to bound memory.
            if others.len() > enough {
                unite(&mut others);
                unite(&mut own);
                enough = 2 * others.len().max(own.len()).max(blocks);
            }
        }
        unite(&mut others);
        unite(&mut own);
        (others, own)
    }

    /// Returns the process that holds a block.
    fn owner(&self, slab: usize, block: usize) -> usize {
        let ColourPlan { first, ranks, .. } = self.half_of(slab);
        let all = ranks.len() * self.index.shape().blocks();
        let number = block * ranks.len() + ranks[slab - first];
        ((number + 1) * self.member.processes - 1) / all
    }

    /// Returns the share's size: the boards of the whole space, and this process's bytes, including
    /// data in transit.
    pub fn extent(&self) -> Extent {
        let shape = self.index.shape();
        let block = shape.block_words() * size_of::<u64>();
        let numbers = |half: &ColourPlan| {
            (half.needed.len() + half.starts.len() + half.ranks.len()) * size_of::<usize>()
                + half.arrivals.len() * size_of::<NeededRuns>()
                + half.wanted.len() * size_of::<NeededBlock>()
        };
        let needed = self.needed();
        // Two pieces may be on their way in both directions.
        let moving = (2 * self.traffic() as usize).min(4 * self.piece());
        let planes = Links::plane_bytes(shape) * (self.index.slabs() / shape.parities());
        let bytes = self.held() * (layers(self.metric) * block + 1)
            + self.arrival_words() * size_of::<u64>()
            + needed
            + moving
            + self.collected() * block
            + self.halves.iter().map(numbers).sum::<usize>()
            + planes
            + Map::all_bytes(shape);
        Extent { states: extent(self.index.goal(), Metric::Single).states, bytes: bytes as u64 }
    }

    /// Returns the number of blocks that threads collect at a time, if segments slide as one.
    fn collected(&self) -> usize {
        if self.metric == Metric::Single {
            return 0;
        }
        let of_slab = self.halves.iter().flat_map(|half| {
            (half.first..).zip(&half.held).map(|(slab, held)| {
                let at = slab - half.first;
                held.len() + half.starts[at + 1] - half.starts[at]
            })
        });
        3 * of_slab.max().unwrap_or(0) * rayon::current_num_threads().min(self.index.slabs())
    }

    /// Returns the bytes per piece.
    pub(super) fn piece(&self) -> usize {
        (self.traffic() as usize / PIECES).clamp(*PIECE.start(), *PIECE.end())
    }

    /// Returns the number of blocks that are held.
    pub(super) fn held(&self) -> usize {
        self.halves.iter().flat_map(|half| &half.held).map(ExactSizeIterator::len).sum()
    }

    /// Returns the most bytes that other processes send to this one for a layer. It sends about as
    /// many.
    pub fn traffic(&self) -> u64 {
        let run = run_words(self.index.shape()) * size_of::<u64>();
        let of_half = |half: &ColourPlan| -> usize {
            half.arrivals.iter().map(|arrival| arrival.runs.count_ones() as usize * run).sum()
        };
        let bytes = self.halves.iter().map(of_half);
        match self.metric {
            Metric::Single => bytes.max().unwrap_or(0) as u64,
            Metric::Multi => bytes.sum::<usize>() as u64,
        }
    }

    /// Returns the most blocks that a layer needs from other processes.
    pub(super) fn needed(&self) -> usize {
        self.halves.iter().map(|half| half.arrival + half.needed.len()).max().unwrap_or(0)
    }

    /// Returns the number of words received for a layer.
    pub(super) fn arrival_words(&self) -> usize {
        self.halves.iter().map(|half| half.arrival_words).max().unwrap_or(0)
    }

    /// Returns the goal.
    pub fn goal(&self) -> &Board {
        self.index.goal()
    }

    /// Returns the parts with blocks of the layer at `depth`.
    pub(super) fn halves_at(&self, depth: usize) -> &[ColourPlan] {
        let colour = self.index.colour_at(depth);
        match self.metric {
            Metric::Single => &self.halves[colour..=colour],
            Metric::Multi => &self.halves,
        }
    }

    /// Returns the part with a slab.
    pub(super) fn half_of(&self, slab: usize) -> &ColourPlan {
        &self.halves[usize::from(slab >= self.halves[1].first)]
    }

    /// Returns the place of a block that is held, by its number.
    pub(super) fn place(&self, number: usize) -> Option<usize> {
        let blocks = self.index.shape().blocks();
        self.half_of(number / blocks).place(number / blocks, number % blocks)
    }
}

/// Returns the number of bits for each board.
const fn layers(metric: Metric) -> usize {
    match metric {
        Metric::Single => 1,
        Metric::Multi => 2,
    }
}

impl ColourPlan {
    /// Returns the place of a block that is held.
    #[inline]
    pub(super) fn place(&self, slab: usize, block: usize) -> Option<usize> {
        let held = &self.held[slab - self.first];
        held.contains(&block).then(|| self.places[slab - self.first] + block - held.start)
    }

    /// Returns the numbers of the blocks that are held, in as few ranges as possible.
    pub(super) fn ranges(&self, blocks: usize) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (slab, held) in (self.first..).zip(&self.held) {
            let numbers = slab * blocks + held.start..slab * blocks + held.end;
            match ranges.last_mut() {
                Some(last) if last.end == numbers.start => last.end = numbers.end,
                _ => ranges.push(numbers),
            }
        }
        ranges
    }

    /// Returns the blocks that a process needs.
    pub(super) fn wanted_by(&self, process: usize) -> &[NeededBlock] {
        let [first, end] = [process, process + 1].map(|process| {
            self.wanted.partition_point(|wanted| (wanted.process as usize) < process)
        });
        &self.wanted[first..end]
    }

    /// Returns the needed runs of an arriving block, and their destinations, by its place.
    #[inline]
    pub(super) fn arrival_at(&self, place: usize) -> NeededRuns {
        self.arrivals[place - self.arrival]
    }

    /// Returns the place of an arriving block by its number, if it is soon after another place.
    #[inline]
    pub(super) fn arrival_after(&self, place: usize, number: usize) -> Option<usize> {
        const MAX_STEPS: usize = 8;
        let after = self.needed.get(place.checked_sub(self.arrival)?..)?;
        let at = after.iter().take(MAX_STEPS).position(|&needed| needed == number)?;
        Some(place + at)
    }

    /// Returns the place of an arriving block by its number.
    pub(super) fn arrival(&self, slab: usize, number: usize) -> Option<usize> {
        let at = slab.checked_sub(self.first)?;
        let (start, end) = (*self.starts.get(at)?, *self.starts.get(at + 1)?);
        let place = self.needed[start..end].binary_search(&number).ok()?;
        Some(self.arrival + start + place)
    }
}

/// Sorts blocks, and unites the runs of duplicates.
fn unite(blocks: &mut Vec<NeededBlock>) {
    blocks.sort_unstable();
    blocks.dedup_by(|next, wanted| {
        let is_same = (next.process, next.number) == (wanted.process, wanted.number);
        if is_same {
            wanted.runs |= next.runs;
        }
        is_same
    });
}

/// Returns the blocks that a process holds in each slab of a colour.
pub(super) fn held(index: &SpaceIndex, colour: usize, member: Member) -> Vec<Range<usize>> {
    let Member { process, processes } = member;
    let slabs = index.slabs_of(colour).len();
    let all = slabs * index.shape().blocks();
    let [first, end] = [process, process + 1].map(|process| all * process / processes);
    // The blocks whose numbers are below a bound.
    let below = |bound: usize, rank: usize| bound.saturating_sub(rank).div_ceil(slabs);
    let ranks = ranks(index, colour).into_iter();
    ranks.map(|rank| below(first, rank)..below(end, rank)).collect()
}

/// Returns each slab's rank among the slabs of a colour with the same block, ordered by the sum of
/// the blanks' cells. A step changes the sum little, so few steps cross a bound between two
/// processes.
fn ranks(index: &SpaceIndex, colour: usize) -> Vec<usize> {
    let planes = &index.planes()[index.planes_of(colour)];
    let mut order: Vec<usize> = (0..planes.len()).collect();
    order.sort_by_key(|&plane| bits(planes[plane]).sum::<usize>());
    let parities = index.shape().parities();
    let mut ranks = vec![0; planes.len() * parities];
    for (rank, plane) in order.into_iter().enumerate() {
        for parity in 0..parities {
            ranks[plane * parities + parity] = rank * parities + parity;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use taquin_tiles::NamedGoal;

    use super::*;

    /// Each process sends exactly those runs that the other one has room for.
    #[test]
    fn processes_agree_on_what_is_sent() {
        let spaces = [("3x4", 1, 3), ("2x5", 1, 4), ("2x6", 4, 4), ("3x3", 3, 7)];
        for (size, blanks, processes) in spaces {
            let goal = NamedGoal::Last.board(size.parse().unwrap(), blanks);
            let plans: Vec<SharePlan> = (0..processes)
                .map(|process| Member { process, processes })
                .map(|member| SharePlan::new(&goal, Metric::Single, member, u64::MAX).unwrap())
                .collect();
            for (process, plan) in plans.iter().enumerate() {
                for (colour, half) in plan.halves.iter().enumerate() {
                    let runs = half.arrivals.iter().map(|arrival| arrival.runs);
                    let needed: Vec<(usize, u64)> = half.needed.iter().copied().zip(runs).collect();
                    let wanted = plans.iter().flat_map(|from| {
                        let wanted = from.halves[colour].wanted_by(process).iter();
                        wanted.map(|wanted| (wanted.number, wanted.runs))
                    });
                    let mut wanted: Vec<(usize, u64)> = wanted.collect();
                    wanted.sort_unstable();
                    assert_eq!(needed, wanted, "{size} with {blanks} blanks, {process}");
                }
            }
        }
    }
}
