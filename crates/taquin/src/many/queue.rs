//! Many boards between the input, the workers and the output.
//!
//! Workers take boards in turn and put their answers into an ordered window, from which one thread
//! writes. A worker that is too far ahead of the output waits, so that memory is bounded for inputs
//! of any length. Nothing waits for an input while the queue is locked: boards that were read are
//! answered even if no more come.
//!
//! If a device solves boards together, a worker takes a group for it. Boards that the device does
//! not solve come back, and the workers take them one by one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use taquin_search::Instant;

use super::Group;

/// The number of answers that each worker may be ahead of the output.
const MAX_AHEAD: usize = 64;

/// How long an answer may wait to be written together with others, and how often it is looked
/// whether a slow input has more boards.
const PAUSE: Duration = Duration::from_millis(5);

/// How long a board waits for others to become a group.
const GATHERING: Duration = Duration::from_millis(100);

/// The number of boards that are read ahead from a slow input.
const READ_AHEAD: usize = 1 << 14;

/// Where boards come from. The boards before an error are solved.
pub struct BoardInput<E>(Input<E>);

enum Input<E> {
    Quick(Box<dyn Iterator<Item = io::Result<E>> + Send>),
    Slow(Receiver<io::Result<E>>),
}

/// A board as it came from the input, or parsed.
#[derive(PartialEq, Debug)]
pub(super) enum Board<E, B> {
    Raw(E),
    Parsed(B),
}

/// The next work of a worker. Boards are numbered from 1.
#[derive(PartialEq, Debug)]
pub(super) enum Work<E, B> {
    Board(u64, Board<E, B>),
    Group(Vec<(u64, Board<E, B>)>),
}

pub(super) struct Queue<'a, E, B, A> {
    state: Mutex<State<E, B, A>>,
    /// Notifies workers that there is room for answers, or that boards came back.
    room: Condvar,
    /// Notifies the writer.
    ready: Condvar,
    threads: usize,
    rules: Rules<'a, E, B>,
}

/// How boards are parsed and grouped.
pub(super) struct Rules<'a, E, B> {
    pub(super) parse: &'a (dyn Fn(E) -> B + Sync),
    /// Decides by a board about groups; a board that is not valid says nothing.
    pub(super) decide: &'a (dyn Fn(&B) -> Option<Grouping> + Sync),
}

/// Whether boards are solved in groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grouping {
    Undecided,
    Alone,
    Together(Group),
}

struct State<E, B, A> {
    input: Input<E>,
    grouping: Grouping,
    /// Boards that wait for others to become a group, and since when.
    gathered: VecDeque<Board<E, B>>,
    since: Instant,
    /// The groups in progress.
    groups: usize,
    returned: BTreeMap<u64, B>,
    /// How many boards the workers have taken.
    taken: u64,
    written: u64,
    /// How many workers are still running.
    working: usize,
    /// How many workers wait.
    idle: usize,
    waiting: BTreeMap<u64, A>,
    /// The error of the input or the output.
    failed: Option<io::Error>,
    /// Whether the input is at its end.
    is_read: bool,
    /// Whether nothing more is to be done.
    is_ended: bool,
}

impl<E: Send + 'static> BoardInput<E> {
    /// Boards that come together, as from a file or a set.
    pub fn quick(boards: impl Iterator<Item = io::Result<E>> + Send + 'static) -> Self {
        Self(Input::Quick(Box::new(boards)))
    }

    /// Boards that keep their reader waiting, as from a pipe or a terminal: a thread of its own
    /// reads them.
    pub fn slow(boards: impl Iterator<Item = io::Result<E>> + Send + 'static) -> Self {
        let (sender, receiver) = sync_channel(READ_AHEAD);
        // Nothing waits for this thread: the process may end while it waits for input.
        std::thread::spawn(move || {
            for board in boards {
                let is_last = board.is_err();
                if sender.send(board).is_err() || is_last {
                    return;
                }
            }
        });
        Self(Input::Slow(receiver))
    }
}

impl<E> fmt::Debug for BoardInput<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoardInput").finish_non_exhaustive()
    }
}

impl<'a, E, B, A> Queue<'a, E, B, A> {
    /// A queue for workers on `threads` threads.
    pub(super) fn new(
        BoardInput(input): BoardInput<E>,
        threads: usize,
        rules: Rules<'a, E, B>,
    ) -> Self {
        let state = State {
            input,
            grouping: Grouping::Undecided,
            gathered: VecDeque::new(),
            since: Instant::now(),
            groups: 0,
            returned: BTreeMap::new(),
            taken: 0,
            written: 0,
            working: threads,
            idle: 0,
            waiting: BTreeMap::new(),
            failed: None,
            is_read: false,
            is_ended: false,
        };
        let (room, ready) = (Condvar::new(), Condvar::new());
        Self { state: Mutex::new(state), room, ready, threads, rules }
    }

    fn lock(&self) -> MutexGuard<'_, State<E, B, A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `each` with one piece of work after the other until there is none. If it panics, the
    /// other workers end as well.
    pub(super) fn work(&self, mut each: impl FnMut(Work<E, B>)) {
        let _worker = Worker(self);
        while let Some(work) = self.next() {
            each(work);
        }
    }

    /// Returns what to do next, once there is room for the answers, or `None` at the end.
    fn next(&self) -> Option<Work<E, B>> {
        let mut state = self.lock();
        loop {
            if state.is_ended {
                return None;
            }
            if let Some((number, board)) = state.returned.pop_first() {
                return Some(Work::Board(number, Board::Parsed(board)));
            }
            let each = match state.grouping {
                Grouping::Together(group) => group.most.max(MAX_AHEAD),
                Grouping::Undecided | Grouping::Alone => MAX_AHEAD,
            };
            let has_room = state.taken - state.written <= (each * self.threads) as u64;
            if has_room && let Some(work) = state.take(&self.rules) {
                return Some(work);
            }
            let is_at_end = state.is_read && state.gathered.is_empty();
            if is_at_end && state.groups == 0 {
                self.room.notify_all();
                return None;
            }
            state.idle += 1;
            self.ready.notify_one();
            state = if has_room && !is_at_end {
                let waited = self.room.wait_timeout(state, PAUSE);
                waited.unwrap_or_else(PoisonError::into_inner).0
            } else {
                self.room.wait(state).unwrap_or_else(PoisonError::into_inner)
            };
            state.idle -= 1;
        }
    }

    /// Takes the answer to a board.
    pub(super) fn put(&self, number: u64, answer: A) {
        self.lock().waiting.insert(number, answer);
    }

    /// Takes a worker's results for a group: the answers, and the boards that have to be solved
    /// alone. If the device failed, there are no more groups.
    pub(super) fn put_group(
        &self,
        answers: Vec<(u64, A)>,
        returned: Vec<(u64, B)>,
        has_failed: bool,
    ) {
        let mut state = self.lock();
        state.waiting.extend(answers);
        state.returned.extend(returned);
        state.groups -= 1;
        if has_failed {
            state.grouping = Grouping::Alone;
        }
        self.room.notify_all();
    }

    /// Makes all workers end after their current work.
    pub(super) fn end(&self) {
        self.lock().is_ended = true;
        self.room.notify_all();
    }

    /// Returns the error of the input or the output.
    pub(super) fn into_error(self) -> Option<io::Error> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).failed
    }

    /// Hands on the answers in their order, until all workers have ended: many at a time, and each
    /// within a few milliseconds. Once it is cancelled, workers do not wait for more input.
    pub(super) fn write(
        &self,
        write: &mut dyn FnMut(Vec<A>) -> io::Result<()>,
        is_cancelled: impl Fn() -> bool,
    ) {
        let mut state = self.lock();
        loop {
            if is_cancelled() {
                state.is_ended = true;
                self.room.notify_all();
            }
            let is_last = state.working == 0;
            let mut answers = Vec::new();
            loop {
                let next = state.written + 1;
                let Some(answer) = state.waiting.remove(&next) else { break };
                state.written = next;
                answers.push(answer);
            }
            if !answers.is_empty() {
                // A notification costs a system call even if no worker waits.
                if state.idle > 0 {
                    self.room.notify_all();
                }
                drop(state);
                let written = write(answers);
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

/// A worker of a queue, until it is dropped.
struct Worker<'a, E, B, A>(&'a Queue<'a, E, B, A>);

impl<E, B, A> Drop for Worker<'_, E, B, A> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
        self.0.lock().working -= 1;
        self.0.ready.notify_one();
    }
}

impl<E, B, A> State<E, B, A> {
    /// Returns boards for a worker, if there are any now.
    fn take(&mut self, rules: &Rules<'_, E, B>) -> Option<Work<E, B>> {
        if self.grouping == Grouping::Undecided {
            let board = (rules.parse)(self.read()?);
            let decided = (rules.decide)(&board);
            let board = Board::Parsed(board);
            match decided {
                None => return Some(self.numbered(board)),
                Some(grouping) => self.grouping = grouping,
            }
            self.since = Instant::now();
            self.gathered.push_back(board);
        }
        if let Grouping::Together(group) = self.grouping {
            while self.gathered.len() < group.most
                && let Some(board) = self.read()
            {
                if self.gathered.is_empty() {
                    self.since = Instant::now();
                }
                self.gathered.push_back(Board::Raw(board));
            }
            let is_complete = self.gathered.len() >= group.most
                || self.is_read
                || self.since.elapsed() >= GATHERING;
            if !is_complete || self.gathered.is_empty() {
                return None;
            }
            if self.gathered.len() >= group.least {
                self.groups += 1;
                let numbers = self.taken + 1..;
                self.taken += self.gathered.len() as u64;
                return Some(Work::Group(numbers.zip(self.gathered.drain(..)).collect()));
            }
            // They are too few, and so are all later groups.
            self.grouping = Grouping::Alone;
        }
        let board = self.gathered.pop_front().or_else(|| self.read().map(Board::Raw))?;
        Some(self.numbered(board))
    }

    fn numbered(&mut self, board: Board<E, B>) -> Work<E, B> {
        self.taken += 1;
        Work::Board(self.taken, board)
    }

    /// Reads a board, if there is one now.
    fn read(&mut self) -> Option<E> {
        if self.is_read {
            return None;
        }
        let board = match &mut self.input {
            Input::Quick(boards) => boards.next(),
            Input::Slow(boards) => match boards.try_recv() {
                Err(TryRecvError::Empty) => return None,
                board => board.ok(),
            },
        };
        match board {
            Some(Ok(board)) => return Some(board),
            Some(Err(error)) => self.failed = Some(error),
            None => {}
        }
        self.is_read = true;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::sync::mpsc::channel;

    type Numbers<'a> = Queue<'a, u32, u32, u32>;

    const ALONE: &(dyn Fn(&u32) -> Option<Grouping> + Sync) = &|_| Some(Grouping::Alone);

    fn queue(
        input: BoardInput<u32>,
        threads: usize,
        decide: &(dyn Fn(&u32) -> Option<Grouping> + Sync),
    ) -> Numbers<'_> {
        Queue::new(input, threads, Rules { parse: &|board| board, decide })
    }

    fn number(board: &Board<u32, u32>) -> u32 {
        let (Board::Raw(number) | Board::Parsed(number)) = board;
        *number
    }

    /// Decides for groups by the second board.
    fn grouping(least: usize, most: usize) -> impl Fn(&u32) -> Option<Grouping> + Sync {
        move |&board| (board > 0).then_some(Grouping::Together(Group { least, most }))
    }

    fn boards(count: u32) -> BoardInput<u32> {
        BoardInput::quick((0..count).map(Ok))
    }

    /// Runs workers: `together` returns which boards in a group come back, and whether the device
    /// failed. `alone` is called for every other board. Returns the output.
    fn run(
        queue: &Numbers<'_>,
        together: impl Fn(&[(u64, u32)]) -> (Vec<(u64, u32)>, bool) + Sync,
        alone: impl Fn() + Sync,
    ) -> Vec<u32> {
        let mut out = Vec::new();
        run_to(queue, together, alone, &mut |answers| out.extend(answers));
        out
    }

    fn run_to(
        queue: &Numbers<'_>,
        together: impl Fn(&[(u64, u32)]) -> (Vec<(u64, u32)>, bool) + Sync,
        alone: impl Fn() + Sync,
        out: &mut dyn FnMut(Vec<u32>),
    ) {
        std::thread::scope(|scope| {
            for _ in 0..queue.threads {
                scope.spawn(|| {
                    queue.work(|work| match work {
                        Work::Board(at, board) => {
                            alone();
                            queue.put(at, number(&board));
                        }
                        Work::Group(boards) => {
                            let boards = boards.into_iter().map(|(at, board)| (at, number(&board)));
                            let boards: Vec<(u64, u32)> = boards.collect();
                            let (returned, has_failed) = together(&boards);
                            let solved = boards.iter().filter(|board| !returned.contains(board));
                            queue.put_group(solved.copied().collect(), returned, has_failed);
                        }
                    });
                });
            }
            let mut write = |answers| {
                out(answers);
                Ok(())
            };
            queue.write(&mut write, || false);
        });
    }

    #[test]
    fn without_groups_boards_are_taken_one_by_one() {
        let (queue, alone) = (queue(boards(1000), 3, ALONE), AtomicUsize::new(0));
        let count = || _ = alone.fetch_add(1, Relaxed);
        assert_eq!(run(&queue, |_| unreachable!(), count), (0..1000).collect::<Vec<_>>());
        assert_eq!(alone.into_inner(), 1000);
    }

    #[test]
    fn groups_are_answered_in_order() {
        let decide = grouping(1, 64);
        let (queue, alone) = (queue(boards(1000), 4, &decide), AtomicUsize::new(0));
        let together = |boards: &[(u64, u32)]| {
            assert!(boards.len() <= 64);
            // Boards of another size come back.
            (boards.iter().filter(|(_, board)| board % 10 == 3).copied().collect(), false)
        };
        let count = || _ = alone.fetch_add(1, Relaxed);
        assert_eq!(run(&queue, together, count), (0..1000).collect::<Vec<_>>());
        // The first one says nothing about groups.
        assert_eq!(alone.into_inner(), 101);
    }

    #[test]
    fn too_few_boards_are_solved_alone() {
        let decide = grouping(100, 200);
        let few = queue(boards(100), 2, &decide);
        assert_eq!(run(&few, |_| unreachable!(), || ()), (0..100).collect::<Vec<_>>());
        let (enough, alone) = (queue(boards(101), 1, &decide), AtomicUsize::new(0));
        let count = || _ = alone.fetch_add(1, Relaxed);
        assert_eq!(run(&enough, |_| (Vec::new(), false), count), (0..101).collect::<Vec<_>>());
        assert_eq!(alone.into_inner(), 1);
    }

    #[test]
    fn after_a_failure_all_workers_solve_what_is_left() {
        let decide = |_: &u32| Some(Grouping::Together(Group { least: 1, most: 100 }));
        let queue = queue(boards(300), 2, &decide);
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
        assert_eq!(run(&queue, together, alone), (0..300).collect::<Vec<_>>());
    }

    /// Without an end the other workers would wait for room, and the writer for all of them.
    #[test]
    fn a_worker_that_panics_ends_the_work_of_all() {
        let some = grouping(1, 64);
        for decide in [ALONE, &some] {
            let queue = queue(boards(100_000), 3, decide);
            let calls = AtomicUsize::new(0);
            let panic = || assert!(calls.fetch_add(1, Relaxed) != 20, "a test");
            let together = |boards: &[(u64, u32)]| {
                panic();
                (Vec::new(), boards.is_empty())
            };
            let ran = catch_unwind(AssertUnwindSafe(|| run(&queue, together, panic)));
            assert!(ran.is_err() && calls.into_inner() < 10_000);
        }
    }

    #[test]
    fn an_error_of_the_input_comes_after_the_boards_before_it() {
        let boards = || (0..7).map(Ok).chain([Err(io::Error::other("a test")), Ok(9)]);
        let (some, few) = (grouping(1, 4), grouping(10, 20));
        for decide in [ALONE, &some, &few] {
            for input in [BoardInput::quick(boards()), BoardInput::slow(boards())] {
                let queue = queue(input, 2, decide);
                assert_eq!(run(&queue, |_| (Vec::new(), false), || ()), (0..7).collect::<Vec<_>>());
                assert_eq!(queue.into_error().unwrap().to_string(), "a test");
            }
        }
    }

    /// Each board comes after the previous answer, so a worker that waited for the board would wait
    /// forever.
    #[test]
    fn answers_do_not_wait_for_more_boards() {
        let (some, few) = (grouping(1, 1000), grouping(100, 200));
        for decide in [ALONE, &some, &few] {
            let (written, answers) = channel();
            let input = (0..6).inspect(move |&board| {
                if board > 0 {
                    answers.recv().unwrap();
                }
            });
            let queue = queue(BoardInput::slow(input.map(Ok)), 3, decide);
            let mut out = |answers: Vec<u32>| {
                for _ in answers {
                    let _ = written.send(());
                }
            };
            run_to(&queue, |_| (Vec::new(), false), || (), &mut out);
        }
    }
}
