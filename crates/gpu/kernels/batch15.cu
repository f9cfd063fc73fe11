// Many 15-puzzles at once: IDA* by warps, with pattern databases.
//
// Each board has its own threshold, but all are searched together: a node knows its board, and the
// slack that the threshold leaves it. A warp takes 32 nodes from its stack, evaluates their children
// and pushes those within the threshold, whatever board they belong to. Warps take nodes from a common
// pool. When it is empty, each warp goes on for some steps and leaves its nodes to the next round as a
// new pool. When no nodes are left, boards without a solution start again with the next threshold.
//
// The cells of the tiles are 15 fields of four bits, in the order of the patterns, so that the fields
// of a pattern are the index of its table; on the other side of the mirror another word has the cells
// of the mirror image. An entry is (distance - Manhattan distance) / 2, in four bits.

constexpr u32 WARPS = 8;       // of a thread block
constexpr u32 STACK = 6144;    // nodes of a warp
constexpr u32 MOST_PATTERNS = 4;
constexpr u32 MOST_MOVES = 96; // of a path

struct alignas(16) Node {
    u64 tiles;     // the tile of each cell, 0 for the blank
    u64 places[2]; // the cells of the tiles, on both sides
    u32 entries;   // of the patterns, four bits each; those of the mirror image from bit 16 on
    u32 header;    // 0-3 blank, 4-7 moves to try, 8-15 and 16-23 the slacks of both sides, 24-31 moves made
    u32 board;
    u32 path[7];   // two bits a move; the last word is not used
};

struct Puzzle {
    u64 goal;                    // the places of the goal
    u64 first[MOST_PATTERNS];    // the first entry of each table
    u32 shift[MOST_PATTERNS];    // of the fields of each pattern
    u32 bits[MOST_PATTERNS];     // and their number
    u32 patterns;
    u32 sides;                   // 1: there is no mirror image
    u8 slot[2][16];              // the field of each tile, times four
    u8 pattern[2][16];           // the pattern of each tile
    u8 mirrored[16];             // the mirror image of each cell
    u8 distance[16][16];         // of each tile from its goal cell
    u8 moves[16];                // of the blank from each cell
    u8 after[16][4];             // the moves after each move of the blank from it, without the inverse
};

struct Control {
    u32 taken;  // nodes of the pool that were taken
    u32 left;   // nodes that were left to the next round
    u32 solved; // boards
    u32 full;   // whether a stack, a path or the pool of the next round overflowed
    u64 expanded, generated;
};

struct Result {
    u32 length; // plus one, or 0 if there is no solution yet
    u32 bound;  // the threshold
    u32 path[6];
    u64 expanded, generated;
    u64 before_expanded, before_generated; // below the thresholds before
};

__device__ __forceinline__ u32 index_of(const Puzzle &puzzle, u32 pattern, u64 places) {
    return (u32)(places >> puzzle.shift[pattern]) & (u32)((1ull << puzzle.bits[pattern]) - 1);
}

__device__ __forceinline__ u32 entry_at(const u32 *__restrict__ tables, const Puzzle &puzzle, u32 pattern, u64 places) {
    const u64 at = puzzle.first[pattern] + index_of(puzzle, pattern, places);
    return __ldg(tables + at / 8) >> (at % 8 * 4) & 15;
}

// Writes the entries of a database, which are in the order of its own numbering: sets of cells, then
// orders of the tiles, whose digits count the later tiles on lower cells. Each thread has one entry.
extern "C" __global__ void __launch_bounds__(256)
unpack(const u8 *database, const u16 *sets, u32 tiles, u32 orders, u32 count, u64 first, u32 *tables) {
    const u32 number = blockIdx.x * 256 + threadIdx.x;
    if (number >= count) return;
    u32 free = sets[number / orders], order = number % orders, weight = orders, index = 0;
    for (u32 tile = 0; tile < tiles; tile++) {
        weight /= tiles - tile;
        u32 skip = order / weight, cells = free;
        order %= weight;
        for (; skip > 0; skip--) cells &= cells - 1;
        const u32 cell = __ffs(cells) - 1;
        free &= ~(1u << cell);
        index |= cell << (4 * tile);
    }
    const u32 entry = database[number / 2] >> (number % 2 * 4) & 15;
    const u64 at = first + index;
    atomicOr(tables + at / 8, entry << (at % 8 * 4));
}

// Makes the nodes of the boards that have no solution: with `more` times two moves above their
// estimates.
extern "C" __global__ void __launch_bounds__(256)
start(const u64 *boards, u32 count, u32 more, const Puzzle *puzzle_at, const u32 *__restrict__ tables,
      Result *results, Node *pool, Control *control) {
    __shared__ Puzzle puzzle;
    if (threadIdx.x == 0) puzzle = *puzzle_at;
    __syncthreads();
    const u32 number = blockIdx.x * 256 + threadIdx.x;
    if (number >= count || results[number].length) return;
    Node node{};
    node.tiles = boards[number];
    node.board = number;
    u32 blank = 0, distance = 0;
    for (u32 cell = 0; cell < 16; cell++) {
        const u32 tile = node.tiles >> (4 * cell) & 15;
        if (tile == 0) blank = cell;
        else {
            distance += puzzle.distance[tile][cell];
            node.places[0] |= (u64)cell << puzzle.slot[0][tile];
            node.places[1] |= (u64)puzzle.mirrored[cell] << puzzle.slot[1][tile];
        }
    }
    u32 sums[2] = {0, 0};
    for (u32 side = 0; side < puzzle.sides; side++) {
        for (u32 pattern = 0; pattern < puzzle.patterns; pattern++) {
            const u32 entry = entry_at(tables, puzzle, pattern, node.places[side]);
            sums[side] += entry;
            node.entries |= entry << (16 * side + 4 * pattern);
        }
    }
    const u32 most = max(sums[0], sums[1]) + more;
    node.header = blank | puzzle.moves[blank] << 4 | (most - sums[0]) << 8 | (most - sums[1]) << 16;
    pool[atomicAdd(&control->left, 1)] = node;
    Result &result = results[number];
    result.bound = distance + 2 * most;
    result.before_expanded = result.expanded;
    result.before_generated = result.generated;
}

// Counts the nodes of a warp for their boards. Late in a round most nodes belong to one board: they are
// added up first.
__device__ __forceinline__ void count(Result *results, u32 board, u32 moves, u32 lane) {
    const u32 expanded = __ballot_sync(ALL_LANES, moves != 0);
    if (expanded == 0) return;
    const u32 leader = __ffs(expanded) - 1;
    const bool is_first = board == __shfl_sync(ALL_LANES, board, leader);
    const u32 nodes = __popc(__ballot_sync(ALL_LANES, moves && is_first));
    u32 children = 0;
    #pragma unroll
    for (int move = 0; move < 4; move++) children += __popc(__ballot_sync(ALL_LANES, is_first && (moves >> move & 1)));
    if (moves && (!is_first || lane == leader)) {
        atomicAdd(&results[board].expanded, is_first ? nodes : 1);
        atomicAdd(&results[board].generated, is_first ? children : __popc(moves));
    }
}

// A round: the pool has `nodes` nodes, which are taken `per_ticket` at a time.
extern "C" __global__ void __launch_bounds__(WARPS * 32)
search(const Node *__restrict__ pool, u32 nodes, u32 per_ticket, u32 patience, Node *left, u32 room,
       const Puzzle *puzzle_at, const u32 *__restrict__ tables, Node *stacks, Result *results, Control *control) {
    __shared__ Puzzle puzzle;
    for (u32 i = threadIdx.x; i < sizeof(Puzzle) / 4; i += WARPS * 32) ((u32 *)&puzzle)[i] = ((const u32 *)puzzle_at)[i];
    __syncthreads();
    const u32 lane = threadIdx.x % 32, below = (1u << lane) - 1;
    Node *const stack = stacks + (u64)(blockIdx.x * WARPS + threadIdx.x / 32) * STACK;
    u32 size = 0, steps = 0;
    bool pool_is_empty = false;
    int rest = patience;
    u32 expanded = 0, generated = 0;

    while (true) {
        // 1. Is the pool empty?
        if (++steps % 16 == 0 && *(volatile u32 *)&control->taken >= nodes) pool_is_empty = true;

        // 2. Take nodes from the pool if there are too few.
        if (size < 32 && !pool_is_empty) {
            u32 ticket = 0;
            if (lane == 0) ticket = atomicAdd(&control->taken, per_ticket);
            ticket = __shfl_sync(ALL_LANES, ticket, 0);
            if (ticket >= nodes) pool_is_empty = true;
            else {
                const u32 count = min(per_ticket, nodes - ticket);
                if (lane < count) stack[size + lane] = pool[ticket + lane];
                size += count;
                __syncwarp();
            }
        }
        if (size == 0) {
            if (pool_is_empty) break;
            continue;
        }

        // 3. Leave the rest to the next round.
        if (pool_is_empty && --rest < 0) {
            u32 place = 0;
            if (lane == 0) place = atomicAdd(&control->left, size);
            place = __shfl_sync(ALL_LANES, place, 0);
            if (place + size > room) {
                control->full = 1;
                break;
            }
            for (u32 i = lane; i < size; i += 32) left[place + i] = stack[i];
            break;
        }

        // 4. Take up to 32 nodes.
        const u32 taken = min(size, 32u);
        Node node{};
        if (lane < taken) node = stack[size - 1 - lane];
        size -= taken;
        __syncwarp();
        const u32 blank = node.header & 15, made = node.header >> 24;
        u32 moves = lane < taken ? node.header >> 4 & 15 : 0;
        if (moves && *(volatile u32 *)&results[node.board].length) moves = 0;
        if (moves && node.places[0] == puzzle.goal) {
            moves = 0;
            if (atomicCAS(&results[node.board].length, 0, made + 1) == 0) {
                #pragma unroll
                for (u32 i = 0; i < 6; i++) results[node.board].path[i] = node.path[i];
                atomicAdd(&control->solved, 1);
            }
        }
        if (moves && made >= MOST_MOVES) {
            control->full = 1;
            moves = 0;
        }
        expanded += moves != 0;
        generated += __popc(moves);
        count(results, node.board, moves, lane);

        // 5. Evaluate the children: first on one side, then on the other.
        u32 tile[4], before[2][4], found[2][4];
        int slack[2][4];
        bool is_kept[4];
        #pragma unroll
        for (int move = 0; move < 4; move++) {
            const u32 from = (blank + (move == 0 ? -4 : move == 1 ? -1 : move == 2 ? 1 : 4)) & 15;
            tile[move] = node.tiles >> (4 * from) & 15;
            const int lost = puzzle.distance[tile[move]][blank] > puzzle.distance[tile[move]][from];
            #pragma unroll
            for (int side = 0; side < 2; side++) {
                before[side][move] = node.entries >> (16 * side + 4 * puzzle.pattern[side][tile[move]]) & 15;
                slack[side][move] = (int)(node.header >> (8 + 8 * side) & 255) - lost + (int)before[side][move];
                found[side][move] = 0;
            }
            is_kept[move] = (moves >> move & 1) && slack[0][move] >= 0 && slack[1][move] >= 0;
        }
        auto moved = [&](int side, int move) {
            const u32 from = (blank + (move == 0 ? -4 : move == 1 ? -1 : move == 2 ? 1 : 4)) & 15;
            const u64 change = side ? (u64)puzzle.mirrored[blank] - puzzle.mirrored[from] : (u64)blank - from;
            return node.places[side] + (change << puzzle.slot[side][tile[move]]);
        };
        #pragma unroll
        for (int side = 0; side < 2; side++) {
            #pragma unroll
            for (int move = 0; move < 4; move++)
                if (is_kept[move] && side < puzzle.sides) found[side][move] = entry_at(tables, puzzle, puzzle.pattern[side][tile[move]], moved(side, move));
            #pragma unroll
            for (int move = 0; move < 4; move++) {
                slack[side][move] -= (int)found[side][move];
                is_kept[move] = is_kept[move] && slack[side][move] >= 0;
            }
        }

        // 6. Push the children that are kept.
        #pragma unroll
        for (int move = 0; move < 4; move++) {
            const u32 kept = __ballot_sync(ALL_LANES, is_kept[move]);
            if (is_kept[move]) {
                const u32 from = (blank + (move == 0 ? -4 : move == 1 ? -1 : move == 2 ? 1 : 4)) & 15;
                const u64 tiles = node.tiles ^ (u64)tile[move] << (4 * from) ^ (u64)tile[move] << (4 * blank);
                const u64 plain = moved(0, move), mirrored = moved(1, move);
                u32 entries = node.entries, path[6];
                #pragma unroll
                for (int side = 0; side < 2; side++)
                    entries ^= (before[side][move] ^ found[side][move]) << (16 * side + 4 * puzzle.pattern[side][tile[move]]);
                #pragma unroll
                for (u32 i = 0; i < 6; i++) path[i] = node.path[i] | (i == made / 16 ? (u32)move << (made % 16 * 2) : 0);
                const u32 header = from | puzzle.after[blank][move] << 4 | (u32)slack[0][move] << 8
                                 | (u32)slack[1][move] << 16 | (made + 1) << 24;
                // In registers: a structure would go through local memory.
                uint4 *const child = (uint4 *)(stack + size + __popc(kept & below));
                child[0] = uint4{(u32)tiles, (u32)(tiles >> 32), (u32)plain, (u32)(plain >> 32)};
                child[1] = uint4{(u32)mirrored, (u32)(mirrored >> 32), entries, header};
                child[2] = uint4{node.board, path[0], path[1], path[2]};
                child[3] = uint4{path[3], path[4], path[5], 0};
            }
            size += __popc(kept);
        }
        __syncwarp();
        if (size > STACK - 160) {
            control->full = 1;
            break;
        }
    }
    u64 sums[2] = {expanded, generated};
    for (int i = 0; i < 2; i++) {
        for (u32 distance = 16; distance > 0; distance /= 2) sums[i] += __shfl_down_sync(ALL_LANES, sums[i], distance);
    }
    if (lane == 0) {
        atomicAdd(&control->expanded, sums[0]);
        atomicAdd(&control->generated, sums[1]);
    }
}
