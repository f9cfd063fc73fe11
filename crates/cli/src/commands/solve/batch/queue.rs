//! The boards of a batch between the input, the workers and the output.
//!
//! Workers take boards in turn and put their answers into an ordered window, from which the main thread
//! writes. A worker that is too far ahead of the output waits, so that memory is bounded for inputs of
//! any length. Nothing waits for an input while the queue is locked: boards that were read are answered
//! even if no more come.
//!
//! Where a device solves boards together, a worker takes a group of them. What the device does not solve
//! comes back, and the workers take it board by board.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use taquin::Group;

/// The number of answers that each worker may be ahead of the output.
const AHEAD: usize = 64;

/// How long an answer may wait to be written together with others, and how often it is looked whether a
/// slow input has more boards.
const PAUSE: Duration = Duration::from_millis(5);

/// How long a board waits for others to become a group.
const GATHERING: Duration = Duration::from_millis(100);

/// The number of boards that are read ahead from a slow input.
const READ_AHEAD: usize = 1 << 14;

/// The number of a board, from 1, and its line of the output.
pub(super) type Answer = (u64, Option<Vec<u8>>);

/// Where boards come from.
pub(super) enum Input<E> {
    /// A file or a set, which never keeps its reader waiting.
    Quick(Box<dyn Iterator<Item = io::Result<E>> + Send>),
    /// A pipe or a terminal, which a thread of its own reads.
    Slow(Receiver<io::Result<E>>),
}

/// What a worker does next: `E` is a board as it was read, `R` one that comes back from a group.
#[derive(PartialEq, Debug)]
pub(super) enum Work<E, R> {
    Board(u64, E),
    Returned(u64, R),
    Group(Vec<(u64, E)>),
}

pub(super) struct Queue<'a, E, R> {
    state: Mutex<State<E, R>>,
    /// Notifies workers of room for answers, and of boards that came back.
    room: Condvar,
    /// Notifies the writer.
    ready: Condvar,
    threads: usize,
    /// Decides by a board about groups; a board that is not valid says nothing.
    decide: &'a (dyn Fn(&E) -> Option<Grouping> + Sync),
}

/// Whether boards are solved in groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grouping {
    Undecided,
    Alone,
    Together(Group),
}

struct State<E, R> {
    input: Input<E>,
    grouping: Grouping,
    /// Boards that wait for others to become a group, and since when.
    gathered: VecDeque<E>,
    since: Instant,
    /// The groups in progress.
    groups: usize,
    returned: BTreeMap<u64, R>,
    /// How many boards the workers have taken.
    taken: u64,
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

impl<E: Send + 'static> Input<E> {
    pub(super) fn quick(boards: impl Iterator<Item = io::Result<E>> + Send + 'static) -> Self {
        Self::Quick(Box::new(boards))
    }

    pub(super) fn slow(boards: impl Iterator<Item = io::Result<E>> + Send + 'static) -> Self {
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
        Self::Slow(receiver)
    }
}

impl<'a, E, R> Queue<'a, E, R> {
    /// A queue for workers on `threads` threads.
    pub(super) fn new(
        input: Input<E>,
        threads: usize,
        decide: &'a (dyn Fn(&E) -> Option<Grouping> + Sync),
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
        Self { state: Mutex::new(state), room, ready, threads, decide }
    }

    fn lock(&self) -> MutexGuard<'_, State<E, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `each` with one piece of work after the other until there is none. If it panics, the
    /// other workers end as well.
    pub(super) fn work(&self, mut each: impl FnMut(Work<E, R>)) {
        let _worker = Worker(self);
        while let Some(work) = self.next() {
            each(work);
        }
    }

    /// Returns what to do next, once there is room for the answers, or `None` at the end.
    fn next(&self) -> Option<Work<E, R>> {
        let mut state = self.lock();
        loop {
            if state.is_ended {
                return None;
            }
            if let Some((number, board)) = state.returned.pop_first() {
                return Some(Work::Returned(number, board));
            }
            let each = match state.grouping {
                Grouping::Together(group) => group.most.max(AHEAD),
                Grouping::Undecided | Grouping::Alone => AHEAD,
            };
            let has_room = state.taken - state.written <= (each * self.threads) as u64;
            if has_room && let Some(work) = state.take(self.decide) {
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
            state.grouping = Grouping::Alone;
        }
        self.room.notify_all();
    }

    /// Has all workers end after what they are doing.
    pub(super) fn end(&self) {
        self.lock().is_ended = true;
        self.room.notify_all();
    }

    /// Returns the error of the input or the output.
    pub(super) fn into_error(self) -> Option<io::Error> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).failed
    }

    /// Writes the answers in their order, until all workers have ended: many at a time, and each within
    /// a few milliseconds. Once it is cancelled, workers do not wait for more input.
    pub(super) fn write(&self, mut out: impl Write, is_cancelled: impl Fn() -> bool) {
        let mut state = self.lock();
        loop {
            if is_cancelled() {
                state.is_ended = true;
                self.room.notify_all();
            }
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

/// A worker of a queue, until it is dropped.
struct Worker<'a, E, R>(&'a Queue<'a, E, R>);

impl<E, R> Drop for Worker<'_, E, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
        self.0.lock().working -= 1;
        self.0.ready.notify_one();
    }
}

impl<E, R> State<E, R> {
    /// Returns boards for a worker, if there are any now.
    fn take(&mut self, decide: &dyn Fn(&E) -> Option<Grouping>) -> Option<Work<E, R>> {
        if self.grouping == Grouping::Undecided {
            let board = self.read()?;
            match decide(&board) {
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
                self.gathered.push_back(board);
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
            // They are too few, and so are those that follow.
            self.grouping = Grouping::Alone;
        }
        let board = self.gathered.pop_front().or_else(|| self.read())?;
        Some(self.numbered(board))
    }

    fn numbered(&mut self, board: E) -> Work<E, R> {
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
    use std::sync::mpsc::{Sender, channel};

    type Numbers<'a> = Queue<'a, u32, u32>;

    const ALONE: &(dyn Fn(&u32) -> Option<Grouping> + Sync) = &|_| Some(Grouping::Alone);

    /// Decides for groups by the second board.
    fn grouping(least: usize, most: usize) -> impl Fn(&u32) -> Option<Grouping> + Sync {
        move |&board| (board > 0).then_some(Grouping::Together(Group { least, most }))
    }

    fn boards(count: u32) -> Input<u32> {
        Input::quick((0..count).map(Ok))
    }

    /// Runs workers: `together` returns which boards of a group come back, and whether the device
    /// failed; `alone` is called for every other board. Returns the output.
    fn run(
        queue: &Numbers<'_>,
        together: impl Fn(&[(u64, u32)]) -> (Vec<(u64, u32)>, bool) + Sync,
        alone: impl Fn() + Sync,
    ) -> String {
        let mut out = Vec::new();
        run_to(queue, together, alone, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn run_to(
        queue: &Numbers<'_>,
        together: impl Fn(&[(u64, u32)]) -> (Vec<(u64, u32)>, bool) + Sync,
        alone: impl Fn() + Sync,
        out: impl Write,
    ) {
        let answer = |number: u64, board: u32| (number, Some(board.to_string().into_bytes()));
        std::thread::scope(|scope| {
            for _ in 0..queue.threads {
                scope.spawn(|| {
                    queue.work(|work| match work {
                        Work::Board(number, board) | Work::Returned(number, board) => {
                            alone();
                            queue.put([answer(number, board)]);
                        }
                        Work::Group(boards) => {
                            let (returned, has_failed) = together(&boards);
                            let solved = boards.iter().filter(|board| !returned.contains(board));
                            let answers = solved.map(|&(number, board)| answer(number, board));
                            queue.put_group(answers.collect(), returned, has_failed);
                        }
                    });
                });
            }
            queue.write(out, || false);
        });
    }

    fn lines(count: u32) -> String {
        let lines: Vec<String> = (0..count).map(|board| board.to_string()).collect();
        lines.join("\n") + "\n"
    }

    #[test]
    fn without_groups_boards_are_taken_one_by_one() {
        let (queue, alone) = (Queue::new(boards(1000), 3, ALONE), AtomicUsize::new(0));
        let count = || _ = alone.fetch_add(1, Relaxed);
        assert_eq!(run(&queue, |_| unreachable!(), count), lines(1000));
        assert_eq!(alone.into_inner(), 1000);
    }

    #[test]
    fn groups_are_answered_in_order() {
        let decide = grouping(1, 64);
        let (queue, alone) = (Queue::new(boards(1000), 4, &decide), AtomicUsize::new(0));
        let together = |boards: &[(u64, u32)]| {
            assert!(boards.len() <= 64);
            // Boards of another size come back.
            (boards.iter().filter(|(_, board)| board % 10 == 3).copied().collect(), false)
        };
        let count = || _ = alone.fetch_add(1, Relaxed);
        assert_eq!(run(&queue, together, count), lines(1000));
        // The first one says nothing about groups.
        assert_eq!(alone.into_inner(), 101);
    }

    #[test]
    fn too_few_boards_are_solved_alone() {
        let decide = grouping(100, 200);
        let few = Queue::new(boards(100), 2, &decide);
        assert_eq!(run(&few, |_| unreachable!(), || ()), lines(100));
        let (enough, alone) = (Queue::new(boards(101), 1, &decide), AtomicUsize::new(0));
        let count = || _ = alone.fetch_add(1, Relaxed);
        assert_eq!(run(&enough, |_| (Vec::new(), false), count), lines(101));
        assert_eq!(alone.into_inner(), 1);
    }

    #[test]
    fn after_a_failure_all_workers_solve_what_is_left() {
        let decide = |_: &u32| Some(Grouping::Together(Group { least: 1, most: 100 }));
        let queue = Queue::new(boards(300), 2, &decide);
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

    /// Without an end the other workers would wait for room, and the writer for all of them.
    #[test]
    fn a_worker_that_panics_ends_the_work_of_all() {
        let some = grouping(1, 64);
        for decide in [ALONE, &some] {
            let queue = Queue::new(boards(100_000), 3, decide);
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
            for input in [Input::quick(boards()), Input::slow(boards())] {
                let queue = Queue::new(input, 2, decide);
                assert_eq!(run(&queue, |_| (Vec::new(), false), || ()), lines(7));
                assert_eq!(queue.into_error().unwrap().to_string(), "a test");
            }
        }
    }

    /// What is written, line by line.
    struct Lines(Sender<()>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            for _ in bytes.iter().filter(|&&byte| byte == b'\n') {
                let _ = self.0.send(());
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Each board comes after the answer to the one before: whoever waited for it would wait forever.
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
            let queue = Numbers::new(Input::slow(input.map(Ok)), 3, decide);
            run_to(&queue, |_| (Vec::new(), false), || (), Lines(written));
        }
    }
}
