//! The courses and papers that taquin knows.

use taquin::{BoardFormat, Costs, NamedGoal};

use super::{Convention, CourseMethod, Figure, PLAIN, What, Wording};

/// Every convention.
pub static COURSES: [Convention; 9] = [
    Convention {
        name: "ucr-list",
        about: "an 8-puzzle project (UC Riverside) with a sorted list: least f, then least g, then oldest",
        board: Some("1 2 3/4 0 6/7 5 8"),
        methods: &[
            method(
                &["1", "uniform cost", "uniform cost search"],
                "ucs,duplicates=generated,reopen=never,undo=keep,moves=LRUD",
            ),
            method(
                &["2", "misplaced", "A* with the misplaced tile heuristic"],
                "astar:misplaced,tie=low-g,order=fifo,duplicates=generated,reopen=never,undo=keep,moves=LRUD",
            ),
            method(
                &["3", "manhattan", "A* with the Manhattan distance heuristic"],
                "astar:manhattan,tie=low-g,order=fifo,duplicates=generated,reopen=never,undo=keep,moves=LRUD",
            ),
        ],
        default: "manhattan",
        figures: &[
            figure("nodes_expanded", What::Expanded),
            figure("max_queue_size", What::Queue),
            figure("goal_depth", What::Depth),
            figure("cpu_time", What::Seconds),
        ],
        wording: Wording {
            solved: concat!(
                "Goal!!\n\n",
                "To solve this problem the search algorithm expanded a total of {nodes_expanded} nodes.\n",
                "The maximum number of nodes in the queue at any one time was {max_queue_size}.\n",
                "The depth of the goal node was {goal_depth}\n",
                "CPU Time: {cpu_time} seconds\n",
            ),
            failed: "Cannot find Solution\n",
            ..PLAIN
        },
        remarks: &[
            "a board is dropped if it was ever generated; nothing is reopened",
            "the goal is tested when it is taken out, and is not counted as expanded",
            "the largest queue is read after each expansion, and is 0 at the start",
        ],
        ..BASE
    },
    Convention {
        name: "ucr-heap",
        about: "the same project with a binary heap by f alone: ties fall as heapq happens to have them",
        seconds: Some(200),
        methods: &[
            method(
                &["1", "uniform cost", "uniform cost search"],
                "ucs,order=heap,duplicates=generated,reopen=never,undo=keep,moves=DLUR",
            ),
            method(
                &["2", "misplaced", "A* with the misplaced tile heuristic"],
                "astar:misplaced,tie=none,order=heap,duplicates=generated,reopen=never,undo=keep,moves=DLUR",
            ),
            method(
                &["3", "manhattan", "A* with the Manhattan distance heuristic"],
                "astar:manhattan,tie=none,order=heap,duplicates=generated,reopen=never,undo=keep,moves=DLUR",
            ),
        ],
        default: "manhattan",
        figures: &[
            figure("depth", What::Depth),
            figure("node_expand_number", What::Expanded),
            figure("max_queue_size", What::Queue),
            figure("running_time", What::Seconds),
        ],
        wording: Wording {
            format: BoardFormat::Nested,
            blank: '0',
            expansion: "The best state to expand with a g(n) = {g} and h(n) = {h} is...\n{board}\n\n",
            solved: concat!(
                "Depth was: {depth}\n",
                "Node expand number: {node_expand_number}\n",
                "max queue size: {max_queue_size}\n",
                "Running time: {running_time}seconds\n",
            ),
            failed: "Can't solve this puzzle!\n",
            late: Some("Time Limit Exceeded\n"),
            ..PLAIN
        },
        remarks: &[
            "a board is dropped if it was ever generated, also when the new path is cheaper: the answer \
             need not be optimal",
            "the heap sifts as CPython's heapq does, which order=heap reproduces",
        ],
        ..BASE
    },
    Convention {
        name: "cse5aif",
        about: "a lab on breadth-first search (La Trobe CSE5AIF), the blank first in the goal",
        goal: NamedGoal::First,
        methods: &[method(
            &["bfs", "breadth-first", "breadth-first search"],
            "bfs,goal=expansion,undo=keep,moves=RLUD",
        )],
        default: "bfs",
        figures: &[
            figure("visited_states", What::Visited),
            figure("path", What::Boards),
            figure("steps", What::Depth),
            figure("elapsed_time", What::Seconds),
        ],
        wording: Wording {
            format: BoardFormat::Rows,
            blank: '0',
            opening: "Finding solution...\n",
            expansion: "Taken out at depth {depth}:\n{board}\n\n",
            solved: concat!(
                "Number of visited states: {visited_states}\n\n",
                "{path}\n\n",
                "Number of steps taken: {steps}\n",
                "Elapsed time: {elapsed_time}\n",
            ),
            failed: "Puzzle has no solution!\n",
            ..PLAIN
        },
        remarks: &[
            "whether a board can be solved is decided by its inversions, before any search",
            "the printed table of inversions of 5 2 8/4 1 7/0 3 6 says that 7 precedes 3 and 4: it \
             precedes 3 and 6, 14 inversions in all ('taquin check --as cse5aif')",
        ],
        ..BASE
    },
    Convention {
        name: "nxm",
        about: "a report on boards of any size with any number of blanks, blanks last",
        jumps: true,
        methods: &[
            method(&["BFS"], "bfs,duplicates=expanded,undo=keep,moves=ULDR"),
            method(&["DFS"], "dfs,duplicates=expanded,undo=keep,moves=ULDR"),
            method(
                &["GBFS"],
                "greedy:manhattan,goal=expansion,duplicates=expanded,undo=keep,moves=ULDR",
            ),
            method(
                &["AS", "A*"],
                "astar:manhattan,rank=h,tie=none,order=fifo,duplicates=expanded,undo=keep,moves=ULDR",
            ),
            method(&["CUS1"], "random,goal=expansion,duplicates=expanded,undo=keep,moves=ULDR"),
            method(
                &["CUS2"],
                "astar:misplaced,tie=none,order=fifo,duplicates=expanded,undo=keep,moves=ULDR",
            ),
        ],
        default: "AS",
        figures: &[
            figure("nodes", What::Generated),
            figure("depth", What::Depth),
            figure("path", What::Moves),
        ],
        wording: Wording {
            format: BoardFormat::Rows,
            blank: '0',
            expansion: "Expanding at depth {depth}, h(n) = {h}:\n{board}\n\n",
            solved: "Nodes generated: {nodes}\nSteps: {depth}\n{path}\n",
            failed: "No solution found.\n",
            ..PLAIN
        },
        remarks: &[
            "blanks are tried in row-major order, each up, left, down, right; a blank that steps onto \
             another makes a node with the same board",
            "the root and the duplicates count as generated",
            "BFS and DFS stop at the goal when it is generated, the informed ones when it is chosen",
            "AS ranks by h alone, as that report describes it: it is identical to GBFS",
            "CUS1 takes any node of the fringe; CUS1,seed=7 takes others",
        ],
        ..BASE
    },
    Convention {
        name: "columbia",
        about: "driver.py of a course on artificial intelligence (Columbia), the blank first in the goal",
        goal: NamedGoal::First,
        methods: &[
            method(&["bfs"], "bfs,goal=expansion,undo=keep,moves=UDLR"),
            method(&["dfs"], "dfs,goal=expansion,undo=keep,moves=RLDU"),
            method(
                &["ast", "A*"],
                "astar:manhattan,tie=low-g,order=fifo,duplicates=generated,reopen=never,undo=keep,moves=UDLR",
            ),
            method(&["ida"], "ida:manhattan,moves=UDLR"),
        ],
        default: "ast",
        figures: &[
            figure("path_to_goal", What::Directions),
            figure("cost_of_path", What::Cost),
            figure("nodes_expanded", What::Expanded),
            figure("search_depth", What::Depth),
            figure("max_search_depth", What::DepthPeak),
            figure("running_time", What::Seconds),
            figure("max_ram_usage", What::Megabytes),
        ],
        wording: Wording {
            format: BoardFormat::Flat,
            blank: '0',
            expansion: "expanding {board} depth {depth}\n",
            solved: concat!(
                "path_to_goal: {path_to_goal}\n",
                "cost_of_path: {cost_of_path}\n",
                "nodes_expanded: {nodes_expanded}\n",
                "search_depth: {search_depth}\n",
                "max_search_depth: {max_search_depth}\n",
                "running_time: {running_time}\n",
                "max_ram_usage: {max_ram_usage}\n",
            ),
            failed: "path_to_goal: None\n",
            ..PLAIN
        },
        remarks: &[
            "children in the order up, down, left, right; dfs pushes them in reverse, so that up is taken \
             first",
            "a board is dropped if it is in the frontier or was explored; the goal is tested when it is \
             taken out and is not counted as expanded",
            "max_search_depth is the greatest depth of a node put on the frontier",
        ],
        ..BASE
    },
    Convention {
        name: "princeton",
        about: "the 8 Puzzle assignment (Princeton COS 226): A* without a list of closed boards",
        methods: &[
            method(&["manhattan"], "astar:manhattan,tie=none,order=fifo,duplicates=keep"),
            method(&["hamming"], "astar:misplaced,tie=none,order=fifo,duplicates=keep"),
        ],
        default: "manhattan",
        figures: &[
            figure("minimum_number_of_moves", What::Depth),
            figure("enqueued", What::Generated),
            figure("dequeued", What::Taken),
            figure("solution", What::Boards),
        ],
        wording: Wording {
            format: BoardFormat::Sized,
            blank: '0',
            node: "priority = {f}\nmoves = {g}\nestimate = {h}\n{board}\n\n",
            expansion: "Step {step}:\n\n{queue}",
            goal: "Step {step}:\n\n{queue}",
            solved: "Minimum number of moves = {minimum_number_of_moves}\n\n{solution}\n",
            failed: "No solution possible\n",
            ..PLAIN
        },
        remarks: &[
            "a board file has its size on the first line",
            "the board before the parent is never put on the queue; nothing else is dropped",
            "ties are not prescribed: here the oldest comes first",
        ],
        ..BASE
    },
    Convention {
        name: "42",
        about: "n-puzzle of the school 42: the goal is a snail, # begins a comment",
        goal: NamedGoal::Snail,
        methods: &[
            method(&["manhattan"], "astar:manhattan"),
            method(&["hamming"], "astar:misplaced"),
            method(&["linear_conflict"], "astar:linear"),
            method(&["euclidean"], "astar:euclidean"),
            method(&["gaschnig"], "astar:gaschnig"),
            method(&["uniform"], "ucs"),
            method(&["greedy"], "greedy:manhattan,goal=expansion"),
        ],
        default: "manhattan",
        figures: &[
            figure("states_selected", What::Taken),
            figure("states_in_memory", What::Stored),
            figure("moves", What::Depth),
            figure("solution", What::Boards),
        ],
        wording: Wording {
            format: BoardFormat::Rows,
            blank: '0',
            expansion: "Selected, g = {g}, h = {h}:\n{board}\n\n",
            solved: concat!(
                "Total number of states ever selected in the opened set: {states_selected}\n",
                "Maximum number of states ever represented in memory at the same time: {states_in_memory}\n",
                "Number of moves: {moves}\n\n",
                "{solution}\n",
            ),
            failed: "This puzzle is unsolvable\n",
            ..PLAIN
        },
        remarks: &["the subject leaves ties open: the dearest path so far first, then the newest"],
        ..BASE
    },
    Convention {
        name: "uta",
        about: "the expense 8-puzzle (UT Arlington CSE 5360): moving tile k costs k",
        cost: Costs::Tile,
        methods: &[
            method(&["bfs"], "bfs,goal=expansion,duplicates=expanded,undo=keep"),
            method(&["ucs"], "ucs,duplicates=expanded,undo=keep"),
            method(&["dfs"], "dfs,goal=expansion,duplicates=expanded,undo=keep"),
            method(&["dls"], "dfs,depth=20,goal=expansion,duplicates=expanded,undo=keep"),
            method(&["ids"], "ids,goal=expansion,undo=keep"),
            method(&["greedy"], "greedy:manhattan,goal=expansion,duplicates=expanded,undo=keep"),
            method(&["a*"], "astar:manhattan,tie=none,order=fifo,duplicates=expanded,undo=keep"),
        ],
        default: "a*",
        figures: &[
            figure("nodes_popped", What::Popped),
            figure("nodes_expanded", What::Expanded),
            figure("nodes_generated", What::Generated),
            figure("max_fringe_size", What::Queue),
            figure("depth", What::Depth),
            figure("cost", What::Cost),
            figure("steps", What::Steps),
        ],
        wording: Wording {
            format: BoardFormat::Nested,
            blank: '0',
            heading: concat!(
                "Command-Line Arguments : ['{start}', '{goal}', '{method}', 'true']\n",
                "Method selected: {method}\n",
                "Running {method}\n",
            ),
            node: "< state = {board}, action = {action} g(n) = {g}, d = {depth}, f(n) = {f}, Parent = Pointer to {parent} >",
            expansion: "Generating successors to {node}:\n",
            successors: "\t{successors} successors generated\n\tClosed: [{closed}]\n\tFringe: [{fringe}]\n",
            solved: concat!(
                "Nodes Popped: {nodes_popped}\n",
                "Nodes Expanded: {nodes_expanded}\n",
                "Nodes Generated: {nodes_generated}\n",
                "Max Fringe Size: {max_fringe_size}\n",
                "Solution Found at depth {depth} with cost of {cost}.\n",
                "Steps:\n\t{steps}\n",
            ),
            failed: "No solution found\n",
            ..PLAIN
        },
        remarks: &[
            "the goal is a file of its own: --goal-file; without one it is 1 2 3/4 5 6/7 8 0",
            "every child is put on the fringe and dropped when it is taken out, if its board was expanded",
            "Manhattan distance is weighted by the tile's cost; the root counts as generated",
            "dls asks for a limit: dls,depth=12",
        ],
        ..BASE
    },
    Convention {
        name: "korf85",
        about: "Korf's IDA* of 1985 on the 15-puzzle: nodes generated, the root included",
        goal: NamedGoal::First,
        methods: &[method(&["ida", "IDA*"], "ida:manhattan")],
        default: "ida",
        figures: &[figure("length", What::Depth), figure("nodes_generated", What::Generated)],
        wording: Wording {
            format: BoardFormat::Slashes,
            blank: '0',
            expansion: "expanding {board} g = {g}, h = {h}\n",
            solved: "{length} moves, {nodes_generated} nodes generated\n",
            failed: "no solution\n",
            ..PLAIN
        },
        remarks: &[
            "operators in the order up, left, right, down; no immediate reversal; the goal is tested when \
             it is generated; nodes of all thresholds are added, the root once",
        ],
        ..BASE
    },
];

const BASE: Convention = Convention {
    name: "",
    about: "",
    goal: NamedGoal::Last,
    cost: Costs::Unit,
    jumps: false,
    seconds: None,
    board: None,
    methods: &[],
    default: "",
    figures: &[],
    wording: PLAIN,
    remarks: &[],
};

const fn method(names: &'static [&'static str], method: &'static str) -> CourseMethod {
    CourseMethod { names, method }
}

const fn figure(key: &'static str, what: What) -> Figure {
    Figure { key, what }
}
