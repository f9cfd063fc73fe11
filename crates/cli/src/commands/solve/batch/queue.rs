//! The boards of a batch between the input, the workers and the output.
//!
//! Workers take boards in turn and put their answers into an ordered window, from which the main thread
//! writes. A worker that is too far ahead of the output waits, so that memory is bounded for inputs of
//! any length.
//!
//! Where a device solves boards together, a worker takes a group of them. What the device does not solve
//! comes back, and the workers take it board by board.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use taquin::Group;

/// The number of answers that each worker may be ahead of the output.
const AHEAD: usize = 64;

/// How long an answer may wait to be written together with others.
const PAUSE: Duration = Duration::from_millis(5);

/// How long a worker waits for the boards of a group after the first one: about as long as a device
/// needs to solve them.
const GATHERING: Duration = Duration::from_millis(100);

/// The number of a board, from 1, and its line of the output.
pub(super) type Answer = (u64, Option<Vec<u8>>);

/// What a worker does next: `E` is a board as it was read, `R` one that comes back from a group.
#[derive(PartialEq, Debug)]
pub(super) enum Work<E, R> {
    Board(u64, E),
    Returned(u64, R),
    Group(Vec<(u64, E)>),
}

pub(super) struct Queue<E, R> {
    state: Mutex<State<E, R>>,
    /// Notifies workers of room for answers, and of boards that came back.
    room: Condvar,
    /// Notifies the writer.
    ready: Condvar,
    threads: usize,
}

struct State<E, R> {
    input: Box<dyn Iterator<Item = io::Result<E>> + Send>,
    /// Boards that were too few for a group; they come before the rest of the input.
    ungrouped: VecDeque<E>,
    group: Option<Group>,
    /// [`GATHERING`], but for tests.
    gathering: Duration,
    /// The groups in progress.
    groups: usize,
    returned: BTreeMap<u64, R>,
    read: u64,
    written: u64,
    /// How many workers have not ended.
    working: usize,
    /// How many workers wait.
    idle: usize,
    waiting: BTreeMap<u64, Option<Vec<u8>>>,
    /// The error of the input or the output.
    failed: Option<io::Error>,
    /// Whether the input is at its end.
    is_read: bool,
    /// Whether nothing more is to be done.
    is_ended: bool,
}

impl<E, R> Queue<E, R> {
    /// A queue for workers on `threads` threads.
    pub(super) fn new(
        input: impl Iterator<Item = io::Result<E>> + Send + 'static,
        group: Option<Group>,
        threads: usize,
    ) -> Self {
        let state = State {
            input: Box::new(input.fuse()),
            ungrouped: VecDeque::new(),
            group,
            gathering: GATHERING,
            groups: 0,
            returned: BTreeMap::new(),
            read: 0,
            written: 0,
            working: threads,
            idle: 0,
            waiting: BTreeMap::new(),
            failed: None,
            is_read: false,
            is_ended: false,
        };
        Self { state: Mutex::new(state), room: Condvar::new(), ready: Condvar::new(), threads }
    }

    fn lock(&self) -> MutexGuard<'_, State<E, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what to do next, once there is room for the answers, or `None` at the end.
    pub(super) fn next(&self) -> Option<Work<E, R>> {
        let mut state = self.lock();
        loop {
            if state.is_ended {
                return None;
            }
            if let Some((number, board)) = state.returned.pop_first() {
                return Some(Work::Returned(number, board));
            }
            if state.is_read && state.groups == 0 {
                return None;
            }
            let each = state.group.map_or(AHEAD, |group| group.most.max(AHEAD));
            if state.is_read || state.read - state.written > (each * self.threads) as u64 {
                state.idle += 1;
                self.ready.notify_one();
                state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
                continue;
            }
            let work = match state.group {
                None => state.read().map(|(number, board)| Work::Board(number, board)),
                Some(group) => state.gather(group).map(Work::Group),
            };
            if state.is_read && state.idle > 0 {
                self.room.notify_all();
            }
            if work.is_some() {
                return work;
            }
        }
    }

    /// Takes the answers of a worker.
    pub(super) fn put(&self, answers: impl IntoIterator<Item = Answer>) {
        self.lock().waiting.extend(answers);
    }

    /// Takes what a worker has done with a group: the answers, and the boards that have to be solved
    /// alone. If the device failed, there are no more groups.
    pub(super) fn put_group(
        &self,
        answers: Vec<Answer>,
        returned: Vec<(u64, R)>,
        has_failed: bool,
    ) {
        let mut state = self.lock();
        state.waiting.extend(answers);
        state.returned.extend(returned);
        state.groups -= 1;
        if has_failed {
            state.group = None;
        }
        self.room.notify_all();
    }

    /// Has all workers end after what they are doing.
    pub(super) fn end(&self) {
        self.lock().is_ended = true;
        self.room.notify_all();
    }

    /// Counts a worker that has ended.
    pub(super) fn leave(&self) {
        self.lock().working -= 1;
        self.ready.notify_one();
    }

    /// Returns the error of the input or the output.
    pub(super) fn into_error(self) -> Option<io::Error> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).failed
    }

    /// Writes the answers in their order, until all workers have ended: many at a time, and each within
    /// a few milliseconds.
    pub(super) fn write(&self, mut out: impl Write) {
        let mut state = self.lock();
        loop {
            let is_last = state.working == 0;
            let mut lines = Vec::new();
            let before = state.written;
            loop {
                let next = state.written + 1;
                let Some(answer) = state.waiting.remove(&next) else { break };
                state.written = next;
                if let Some(line) = answer {
                    lines.extend(line);
                    lines.push(b'\n');
                }
            }
            // A notification costs a system call even if no worker waits.
            if state.idle > 0 && state.written > before {
                self.room.notify_all();
            }
            if !lines.is_empty() {
                drop(state);
                let written = out.write_all(&lines).and_then(|()| out.flush());
                state = self.lock();
                if let Err(error) = written {
                    state.failed = Some(error);
                    state.is_ended = true;
                    self.room.notify_all();
                    return;
                }
            }
            if is_last {
                return;
            }
            let waited = self.ready.wait_timeout(state, PAUSE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl<E, R> State<E, R> {
    /// Reads a board.
    fn read(&mut self) -> Option<(u64, E)> {
        let board = match self.ungrouped.pop_front() {
            Some(board) => Some(Ok(board)),
            None if self.failed.is_some() => None,
            None => self.input.next(),
        };
        match board {
            Some(Ok(board)) => {
                self.read += 1;
                return Some((self.read, board));
            }
            Some(Err(error)) => self.failed = Some(error),
            None => {}
        }
        self.is_read = true;
        None
    }

    /// Reads a group of boards: those that come within a short time. If they are too few, they are
    /// solved alone, and so are all that follow.
    fn gather(&mut self, group: Group) -> Option<Vec<(u64, E)>> {
        let mut boards = Vec::new();
        boards.extend(self.read());
        let began = Instant::now();
        while boards.len() < group.most && !self.is_read && began.elapsed() < self.gathering {
            boards.extend(self.read());
        }
        if boards.is_empty() {
            return None;
        }
        if boards.len() >= group.least {
            self.groups += 1;
            return Some(boards);
        }
        self.group = None;
        self.read -= boards.len() as u64;
        // The end of the input is found again after these boards.
        self.is_read = false;
        for (_, board) in boards.into_iter().rev() {
            self.ungrouped.push_front(board);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    type Numbers = Queue<u32, u32>;

    fn queue(count: u32, group: Option<(usize, usize)>, threads: usize) -> Numbers {
        let group = group.map(|(least, most)| Group { least, most });
        Queue::new((0..count).map(Ok), group, threads)
    }

    /// Runs workers: `together` returns which boards of a group come back, and whether the device
    /// failed; `alone` is called for every other board. Returns the output.
    fn run(
        queue: &Numbers,
        together: impl Fn(&[(u64, u32)]) -> (Vec<(u64, u32)>, bool) + Sync,
        alone: impl Fn() + Sync,
    ) -> String {
        let mut out = Vec::new();
        let answer = |number: u64, board: u32| (number, Some(board.to_string().into_bytes()));
        std::thread::scope(|scope| {
            for _ in 0..queue.threads {
                scope.spawn(|| {
                    while let Some(work) = queue.next() {
                        match work {
                            Work::Board(number, board) | Work::Returned(number, board) => {
                                alone();
                                queue.put([answer(number, board)]);
                            }
                            Work::Group(boards) => {
                                let (returned, has_failed) = together(&boards);
                                let solved =
                                    boards.iter().filter(|board| !returned.contains(board));
                                let answers = solved.map(|&(number, board)| answer(number, board));
                                queue.put_group(answers.collect(), returned, has_failed);
                            }
                        }
                    }
                    queue.leave();
                });
            }
            queue.write(&mut out);
        });
        String::from_utf8(out).unwrap()
    }

    fn lines(count: u32) -> String {
        let lines: Vec<String> = (0..count).map(|board| board.to_string()).collect();
        lines.join("\n") + "\n"
    }

    #[test]
    fn without_groups_boards_are_taken_one_by_one() {
        let (queue, alone) = (queue(1000, None, 3), AtomicUsize::new(0));
        let count = || _ = alone.fetch_add(1, Relaxed);
        assert_eq!(run(&queue, |_| unreachable!(), count), lines(1000));
        assert_eq!(alone.into_inner(), 1000);
    }

    #[test]
    fn groups_are_answered_in_order() {
        let (queue, alone) = (queue(1000, Some((1, 64)), 4), AtomicUsize::new(0));
        let together = |boards: &[(u64, u32)]| {
            assert!(boards.len() <= 64);
            // Boards of another size come back.
            (boards.iter().filter(|(_, board)| board % 10 == 3).copied().collect(), false)
        };
        let count = || _ = alone.fetch_add(1, Relaxed);
        assert_eq!(run(&queue, together, count), lines(1000));
        assert_eq!(alone.into_inner(), 100);
    }

    #[test]
    fn too_few_boards_are_solved_alone() {
        let few = queue(99, Some((100, 200)), 2);
        assert_eq!(run(&few, |_| unreachable!(), || ()), lines(99));
        let enough = queue(100, Some((100, 200)), 1);
        enough.lock().gathering = Duration::MAX;
        assert_eq!(run(&enough, |_| (Vec::new(), false), || unreachable!()), lines(100));
    }

    #[test]
    fn after_a_failure_all_workers_solve_what_is_left() {
        let queue = queue(300, Some((1, 100)), 2);
        let together = |boards: &[(u64, u32)]| match boards[0].1 {
            0 => (Vec::new(), false),
            _ => (boards.to_vec(), true),
        };
        let (both, workers) = (Barrier::new(2), Mutex::new(HashSet::new()));
        let alone = || {
            if workers.lock().unwrap().insert(std::thread::current().id()) {
                both.wait();
            }
        };
        assert_eq!(run(&queue, together, alone), lines(300));
    }

    #[test]
    fn an_error_of_the_input_comes_after_the_boards_before_it() {
        for group in [None, Some((1, 4)), Some((10, 20))] {
            let input = (0..7).map(Ok).chain([Err(io::Error::other("a test"))]);
            let group = group.map(|(least, most)| Group { least, most });
            let queue = Numbers::new(input, group, 2);
            assert_eq!(run(&queue, |_| (Vec::new(), false), || ()), lines(7), "{group:?}");
            assert_eq!(queue.into_error().unwrap().to_string(), "a test");
        }
    }

    #[test]
    fn a_slow_input_is_not_waited_for() {
        // Each board comes after the answer to the one before.
        let (answered, asked) = std::sync::mpsc::channel();
        let input = (0..5).inspect(move |&board| {
            if board > 0 {
                asked.recv().unwrap();
            }
        });
        let group = Some(Group { least: 1, most: 1000 });
        let queue = Numbers::new(input.map(Ok), group, 1);
        queue.lock().gathering = Duration::ZERO;
        let together = |boards: &[(u64, u32)]| {
            for _ in boards {
                answered.send(()).unwrap();
            }
            (Vec::new(), false)
        };
        assert_eq!(run(&queue, together, || unreachable!()), lines(5));
    }
}
