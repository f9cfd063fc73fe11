// A level of a beam search.
//
// A board is a byte for each cell (a tile is numbered by its goal cell, then the blank, then the
// outside, which follows the last cell). A level has three steps: `generate` evaluates all children
// and counts them by the cell of their blank and by their rank (the score, and a random part of it);
// `count_up` and `find_bar` find the rank up to which children are taken; `take` drops children
// that are known, and writes the boards of the others.

constexpr u32 THREADS = 256;
constexpr u32 RANKS = 1 << 14;
constexpr u32 PARTS = 16;     // boards with equal score are split into random parts
constexpr u32 BLANK_KIND = 25;

// What the score of a board is made of. The tables have a row of `cells + 1` for each content.
struct Score {
    const u16 *neighbours; // of each cell, by the move
    const u32 *values;     // of a tile on a cell
    const u8 *kinds;       // of a content on a cell
    const signed char *pairs, *farther;
    const u16 *numbers;    // of each content along the rows, and along the columns
    const u64 *keys;       // of each tile, then of each cell
    u32 cells, rows, cols, stride;
    int crossing;          // what a crossing scores; 0 if they are not counted
};

// The boards of a level.
struct Level {
    u8 *boards;
    u64 *hashes;
    u32 *scores;
    u32 *states; // 0-7 the cell of the blank, 8-9 the last move, 16-31 the Manhattan distance
};

// A child that may be taken.
struct Child {
    u64 hash;
    u32 score, state, link;
    u32 rank;
};

// What the kernels share with the host.
struct Control {
    u32 children, passed, taken;
    u32 is_found, found; // a link to the goal
    u32 bar;
    u64 best; // the least score and its number
};

__device__ __forceinline__ u64 key(const Score &score, u32 tile, u32 cell) {
    const u64 product = score.keys[tile] * score.keys[score.cells + cell];
    return product ^ product >> 32;
}

__device__ __forceinline__ u32 kind(const Score &score, u32 content, u32 cell) {
    return score.kinds[content * (score.cells + 1) + cell];
}

__device__ __forceinline__ int pair(const Score &score, u32 step, u32 one, u32 other) {
    return score.pairs[step << 10 | one << 5 | other];
}

// The next number of a counter for each thread that calls it, with one atomic operation for a warp.
__device__ __forceinline__ u32 next_number(u32 *counter) {
    const u32 active = __activemask(), lane = threadIdx.x % 32, leader = __ffs(active) - 1;
    u32 base = 0;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    return __shfl_sync(active, base, leader) + __popc(active & ((1u << lane) - 1));
}

// The change of the number of crossings when the tile on `to` moves to the blank: only the line that it
// leaves or enters can change, and only if it belongs there.
__device__ int crossings(const Score &score, const u8 *board, u32 step, u32 before, u32 after, u32 tile, u32 to) {
    const bool is_vertical = step == 0 || step == 3;
    const bool leaves = is_vertical ? before / 5 == 2 : before % 5 == 2;
    const bool comes = is_vertical ? after / 5 == 2 : after % 5 == 2;
    if (!(leaves || comes)) return 0;
    const u32 cols = score.cols, home_row = tile / cols, home_col = tile % cols;
    const u32 place = is_vertical ? to % cols : to / cols, line = is_vertical ? home_row : home_col;
    const u32 first = is_vertical ? home_row * cols : home_col, next = is_vertical ? 1 : cols;
    const u32 count = is_vertical ? cols : score.rows;
    const u16 *const numbers = score.numbers + (is_vertical ? 0 : score.cells + 2);
    const u32 number = numbers[tile], least = line * count, in_line = number - least, behind = count - 1 - in_line;
    int crossed = 0;
    for (u32 at = 0; at < count; at++) {
        const u32 other = numbers[board[first + at * next]];
        if (at < place) crossed += (u32)(other - number - 1) < behind;
        if (at > place) crossed += (u32)(other - least) < in_line;
    }
    return comes ? crossed : -crossed;
}

// Evaluates the children of `count` boards. Children that are farther from the goal than `left` or score
// more than `bar` above `base` are dropped.
extern "C" __global__ void __launch_bounds__(THREADS)
generate(const __grid_constant__ Score score, const __grid_constant__ Level level, u32 count, u32 is_start,
         u32 left, u32 base, int bar, Child *children, u32 *ranks, Control *control) {
    const u32 at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= count) return;
    const u8 *const board = level.boards + (u64)at * score.stride;
    const u32 state = level.states[at], blank = state & 255, back = is_start ? 4 : 3 - (state >> 8 & 3);
    u32 near[4], kinds[4];
    int around = 0;
    #pragma unroll
    for (u32 step = 0; step < 4; step++) {
        near[step] = score.neighbours[4 * blank + step];
        kinds[step] = kind(score, board[near[step]], near[step]);
        around += pair(score, step, BLANK_KIND, kinds[step]);
    }
    const u32 old_score = level.scores[at];
    const u64 old_hash = level.hashes[at];
    #pragma unroll
    for (u32 step = 0; step < 4; step++) {
        const u32 to = near[step], before = kinds[step];
        if (step == back || before >= BLANK_KIND) continue;
        const u32 manhattan = (state >> 16) + score.farther[step << 5 | before];
        if (manhattan > left) continue;
        const u32 tile = board[to], after = kind(score, tile, blank);
        int change = pair(score, step, after, BLANK_KIND) - around;
        #pragma unroll
        for (u32 other = 0; other < 4; other++) {
            if (other != step) change += pair(score, other, after, kinds[other]);
            if (other != 3 - step) {
                const u32 cell = score.neighbours[4 * to + other];
                const u32 beside = kind(score, board[cell], cell);
                change += pair(score, other, BLANK_KIND, beside) - pair(score, other, before, beside);
            }
        }
        const u32 *const values = score.values + tile * (score.cells + 1);
        change += (int)(values[blank] - values[to]);
        if (score.crossing) change += score.crossing * crossings(score, board, step, before, after, tile, to);
        Child child;
        child.score = old_score + change;
        const int above = (int)(child.score - base);
        if (above > bar) continue;
        child.hash = old_hash + key(score, tile, blank) - key(score, tile, to);
        child.rank = min((u32)max(above, 0), RANKS / PARTS - 1) * PARTS + (u32)(child.hash >> 32) % PARTS;
        child.state = to | step << 8 | manhattan << 16;
        child.link = at << 2 | step;
        if (manhattan == 0 && atomicExch(&control->is_found, 1) == 0) control->found = child.link;
        children[next_number(&control->children)] = child;
        atomicAdd(ranks + to * RANKS + child.rank, 1);
    }
}

// Turns the counts of a cell into sums from rank 0 on, at most `share` each. A block for each cell.
extern "C" __global__ void __launch_bounds__(1024) count_up(u32 *ranks, u32 share) {
    constexpr u32 EACH = RANKS / 1024;
    __shared__ u32 sums[1024];
    u32 *const mine = ranks + blockIdx.x * RANKS + threadIdx.x * EACH;
    u32 sum = 0;
    for (u32 i = 0; i < EACH; i++) sum += mine[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (u32 distance = 1; distance < 1024; distance *= 2) {
        const u32 before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    sum = sums[threadIdx.x] - sum;
    for (u32 i = 0; i < EACH; i++) {
        sum += mine[i];
        mine[i] = min(sum, share);
    }
}

// Finds the last rank up to which there are at most `wanted` children. One block.
extern "C" __global__ void __launch_bounds__(THREADS)
find_bar(const u32 *ranks, u32 cells, u32 wanted, Control *control) {
    __shared__ u32 total;
    u32 low = 0, high = RANKS - 1;
    while (low < high) {
        const u32 middle = (low + high + 1) / 2;
        if (threadIdx.x == 0) total = 0;
        __syncthreads();
        if (threadIdx.x < cells) atomicAdd(&total, ranks[threadIdx.x * RANKS + middle]);
        __syncthreads();
        if (total <= wanted) low = middle;
        else high = middle - 1;
        __syncthreads();
    }
    if (threadIdx.x == 0) control->bar = low;
}

// Takes the children up to the bar that are not known into the next level, at most `room` of them.
extern "C" __global__ void __launch_bounds__(THREADS)
take(const __grid_constant__ Score score, const __grid_constant__ Level level, const __grid_constant__ Level next,
     const Child *children, const u32 *ranks, u32 share, u64 *known, u64 known_mask, u32 *links, u32 room,
     Control *control) {
    const u32 at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= control->children) return;
    const Child child = children[at];
    const u32 to = child.state & 255;
    if (child.rank > control->bar || (child.rank > 0 && ranks[to * RANKS + child.rank - 1] >= share)) return;
    next_number(&control->passed);
    const u64 slot = (child.hash >> 32) * 0x9E3779B97F4A7C15ull >> 24 & known_mask;
    if (atomicExch(known + slot, child.hash) == child.hash) return;
    const u32 number = next_number(&control->taken);
    if (number >= room) return;
    next.hashes[number] = child.hash;
    next.scores[number] = child.score;
    next.states[number] = child.state;
    links[number] = child.link;
    const u64 mine = (u64)(child.score ^ 0x80000000u) << 32 | number;
    if (mine < *(volatile u64 *)&control->best) atomicMin(&control->best, mine);
    const u32 *const from = (const u32 *)(level.boards + (u64)(child.link >> 2) * score.stride);
    u8 *const board = next.boards + (u64)number * score.stride;
    for (u32 word = 0; word < score.stride / 4; word++) ((u32 *)board)[word] = from[word];
    // The blank was where the move came from.
    const u32 blank = score.neighbours[4 * to + 3 - (child.link & 3)];
    board[blank] = board[to];
    board[to] = score.cells;
}
