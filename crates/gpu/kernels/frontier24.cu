// The first layers of a search of the 24-puzzle, breadth-first, without duplicates.
//
// A layer has the boards at one depth whose estimate is within the threshold. Equal boards of a layer
// are found by hashing and compared tile by tile, so that no hash collision can drop a board; their
// last moves are united, and none of them is undone. The layers stay in memory, one behind the other,
// until the way to a board of the last layer has been traced back. The rows alone tell the boards of a
// layer apart: if two differed by exchanging the blank and the tile whose number is 0, they would have
// different parities.

constexpr u32 THREADS = 128;

// A board of a layer.
struct Item {
    u32 rows[5];
    u32 state; // 0-4 blank, 8-11 the moves that led here, 16-21 slack, 31 whether it is a duplicate
};

constexpr u32 DUPLICATE = 0x80000000;

// What the kernels of a search share with the host.
struct Control {
    u32 taken;   // tickets of the pool that were taken
    u32 left;    // chunks that were left to the next round
    u32 count;   // items of the next layer
    u32 dead;    // duplicates among them
    u32 found;   // whether the goal was found
    u32 root;    // the item that it was found from
    u32 stop;    // whether the host wants an end
    u32 full;    // whether a stack overflowed
    u64 expanded, generated;
};

__device__ __forceinline__ void report_goal(Control *control, u32 root) {
    if (atomicExch(&control->found, 1) == 0) control->root = root;
}

__device__ __forceinline__ u64 hash(const u32 *rows) {
    u64 x = 0;
    #pragma unroll
    for (int i = 0; i < 5; i++) {
        x = (x ^ rows[i]) * 0x9E3779B97F4A7C15ull;
        x ^= x >> 32;
    }
    x *= 0xBF58476D1CE4E5B9ull;
    return x ^ x >> 32;
}

__device__ __forceinline__ bool same_board(const Item *a, const Item &b) {
    bool same = true;
    #pragma unroll
    for (int i = 0; i < 5; i++) same &= __ldcg(&a->rows[i]) == b.rows[i];
    return same;
}

// The next number of a counter for each thread that calls it, with one atomic operation for a warp.
__device__ __forceinline__ u32 next_number(u32 *counter) {
    const u32 active = __activemask(), lane = threadIdx.x % 32, leader = __ffs(active) - 1;
    u32 base = 0;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    return __shfl_sync(active, base, leader) + __popc(active & ((1u << lane) - 1));
}

// Expands the items `first .. first + count` into those from `first + count` on, up to `capacity`.
// `depth` is that of the children. `hashes` has the hash and the number of an item in each slot; with
// no slots, duplicates are kept.
extern "C" __global__ void __launch_bounds__(THREADS)
expand(Item *items, u32 first, u32 count, u32 capacity, u64 *hashes, u32 hash_mask, const Lookup *lookup,
       const u32 *__restrict__ tables, int depth, int threshold, Control *control) {
    __shared__ u32 shared_words[4 * THREADS];
    u32 *const words = shared_words + threadIdx.x;
    const u32 at = blockIdx.x * THREADS + threadIdx.x;
    Item item{{}, DUPLICATE};
    if (at < count) item = items[first + at];
    const bool is_live = !(item.state & DUPLICATE);
    const u32 blank = item.state & 31, row = blank / 5, col = blank % 5;
    u32 moves = is_live ? lookup->cell[blank].x >> 28 & ~inverses(item.state >> 8 & 15) : 0;
    const u32 live = __popc(__ballot_sync(ALL_LANES, is_live));
    u32 children = __popc(moves);
    for (u32 distance = 16; distance > 0; distance /= 2) children += __shfl_down_sync(ALL_LANES, children, distance);
    if (threadIdx.x % 32 == 0 && live) {
        atomicAdd(&control->expanded, (u64)live);
        atomicAdd(&control->generated, (u64)children);
    }
    if (!is_live) return;
    const Known known = know(item.rows, item.state & 31, words, THREADS, *lookup, tables);
    for (; moves; moves &= moves - 1) {
        const int move = __ffs(moves) - 1;
        const int down = move == DOWN ? 1 : move == UP ? -1 : 0, right = move == RIGHT ? 1 : move == LEFT ? -1 : 0;
        const u32 from_row = row + down, from_shift = 2 + 5 * (col + right), shift = 2 + 5 * col;
        u32 number = 0;
        #pragma unroll
        for (u32 i = 0; i < 5; i++)
            if (i == from_row) number = item.rows[i] >> from_shift & 31;
        const u32 tile = lookup->tile[number];
        const u32 own = words[plain_pattern(tile) * THREADS], other = words[other_pattern(tile) * THREADS];
        const u32 change = (u32)-(5 * down + right) << (tile & 31);
        const u32 mirrored = mirrored_pattern(tile);
        const int plain_sum = known.sums[0] - (int)(own >> 30) + (int)entry(tables, plain_pattern(tile), own + change);
        const int mirrored_sum = known.sums[1] - (int)(known.mirrored >> (2 * mirrored) & 3)
                               + (int)entry(tables, 4 + mirrored, mirrored_word(tile, own, other) + change);
        const u32 goal_row = number / 5, goal_col = number % 5;
        const bool closer = move == UP ? goal_row >= row : move == DOWN ? goal_row <= row
                          : move == LEFT ? goal_col >= col : goal_col <= col;
        const int manhattan = known.manhattan + (closer ? -1 : 1);
        const int rest = threshold - depth - manhattan - 2 * max(plain_sum, mirrored_sum);
        if (rest < 0) continue;

        Item child;
        #pragma unroll
        for (u32 i = 0; i < 5; i++) {
            child.rows[i] = item.rows[i];
            if (i == from_row) child.rows[i] ^= number << from_shift;
            if (i == row) child.rows[i] ^= number << shift;
        }
        child.state = (blank + 5 * down + right) | 256u << move | (u32)min(rest / 2, 63) << 16;
        const u32 place = next_number(&control->count);
        if (place >= capacity) continue;
        Item *const target = items + first + count + place;
        *target = child;
        // A duplicate has lost its moves: the goal is reported by the thread whose item is kept.
        if (hash_mask == 0) {
            if (manhattan == 0) report_goal(control, first + count + place);
            continue;
        }
        __threadfence();
        const u64 hashed = hash(child.rows), mine = (hashed & 0xFFFFFFFF00000000ull) | (place + 1);
        for (u32 slot = (u32)hashed & hash_mask;; slot = (slot + 1) & hash_mask) {
            u64 taken = *(volatile u64 *)(hashes + slot);
            if (taken == 0 && (taken = atomicCAS(hashes + slot, 0ull, mine)) == 0) {
                if (manhattan == 0) report_goal(control, first + count + place);
                break;
            }
            Item *const twin = items + first + count + ((u32)taken - 1);
            if (taken >> 32 == hashed >> 32 && same_board(twin, child)) {
                atomicOr(&twin->state, 256u << move);
                target->state = DUPLICATE;
                atomicAdd(&control->dead, 1);
                break;
            }
        }
    }
}

// Writes the items of a layer with this slack (below 0: with any) and of one of `classes` hash classes
// behind each other into the pool of the depth-first search. search24.cu describes the nodes.
extern "C" __global__ void __launch_bounds__(THREADS)
fill_pool(const Item *items, u32 first, u32 count, u32 *pool, const Lookup *lookup,
          const u32 *__restrict__ tables, int depth, int threshold, int slack, u32 class_, u32 classes,
          Control *control) {
    __shared__ u32 shared_words[4 * THREADS];
    u32 *const words = shared_words + threadIdx.x;
    const u32 at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= count) return;
    const Item item = items[first + at];
    if (item.state & DUPLICATE || (slack >= 0 && (int)(item.state >> 16 & 63) != slack)) return;
    if (classes > 1 && (u32)(hash(item.rows) >> 32) % classes != class_) return;
    const Known known = know(item.rows, item.state & 31, words, THREADS, *lookup, tables);
    const u32 place = next_number(&control->count);
    u32 *const node = pool + (u64)(place / 32) * CHUNK + place % 32;
    for (int i = 0; i < 4; i++) node[(PATTERNS + i) * 32] = words[i * THREADS];
    // The spare bits of the rows have the number of the item.
    for (int i = 0; i < 5; i++) node[(ROWS + i) * 32] = item.rows[i] | spare(first + at, i);
    const u32 blank = item.state & 31;
    const int rest = (threshold - depth - known.manhattan) / 2;
    const u32 moves = lookup->cell[blank].x >> 28 & ~inverses(item.state >> 8 & 15);
    node[HEADER * 32] = header(blank, rest - known.sums[0], rest - known.sums[1], known.mirrored, moves);
}

// Fills the last chunk of the pool with nodes that are none.
extern "C" __global__ void pad_pool(u32 *pool, u32 count) {
    if (count % 32 && threadIdx.x >= count % 32) pool[(u64)(count / 32) * CHUNK + HEADER * 32 + threadIdx.x] = NO_BLANK;
}

// Finds the item of a layer with these rows, and copies its number and its moves.
extern "C" __global__ void __launch_bounds__(THREADS)
find(const Item *items, u32 first, u32 count, const __grid_constant__ Item wanted, Control *control) {
    const u32 at = blockIdx.x * THREADS + threadIdx.x;
    if (at >= count || items[first + at].state & DUPLICATE || !same_board(items + first + at, wanted)) return;
    control->root = first + at;
    control->found = 1;
}
