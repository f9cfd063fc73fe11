// The depth-first search of the 24-puzzle, by warps.
//
// A warp has a stack of whole nodes. In each step it takes 32 of them, one for each lane, evaluates
// their children, and pushes those within the threshold, which ballots make room for. No lane waits
// for another, because no node depends on another.
//
// The top of the stack is a ring in shared memory; chunks of 32 nodes are spilled to global memory and
// come back. Warps take chunks from a common pool. When it is empty, each warp goes on for
// some steps and leaves its nodes to the next round as a new pool, so that the work is always
// spread over all warps.
//
// Nodes with some slack are few, and nearly all duplicate work is below them. They have a stack of
// their own in global memory, and each is looked up in a table of boards that were searched before.
// An entry is the whole board with its slack: a search that is skipped has been, or is being, done with
// the same number of moves left. (The other search may not undo its last move. A shortest
// solution does not need that move: it would pass a board again.) Entries overwrite each other, which
// only costs time.

constexpr u32 MOST_WARPS = 16;          // in a thread block; one thread block on each multiprocessor
constexpr u32 RING = 128;               // nodes of a ring
constexpr u32 STACK_CHUNKS = 512;       // of a warp in global memory:
constexpr u32 SPILL = STACK_CHUNKS / 2; // nodes with slack below, what the ring spills above
constexpr u32 REPORTED = 1 << 12;       // steps after which the counts are reported
constexpr u32 NO_SLACK = 0x80000000;    // marks chunks without slack in the list of a round

// These shift modulo 32 in one instruction.
__device__ __forceinline__ u32 shifted_left(u32 value, u32 by) { return __funnelshift_l(0, value, by); }
__device__ __forceinline__ u32 shifted_right(u32 value, u32 by) { return __funnelshift_r(value, 0, by); }

__device__ __forceinline__ u32 &at_byte(u32 *words, u32 offset) { return *(u32 *)((char *)words + offset); }
__device__ __forceinline__ u32 at_byte(const u32 *words, u32 offset) { return *(const u32 *)((const char *)words + offset); }

struct Pair {
    u64 low, high;
};

// Replaces an entry of the table of boards, and returns the old one.
__device__ __forceinline__ Pair exchange(Pair *entry, Pair value) {
    Pair old{0, 0};
#if __CUDA_ARCH__ >= 900
    asm volatile("{.reg .b128 x, y; mov.b128 x, {%2, %3}; atom.global.exch.b128 y, [%4], x; mov.b128 {%0, %1}, y;}"
                 : "=l"(old.low), "=l"(old.high) : "l"(value.low), "l"(value.high), "l"(entry) : "memory");
#endif
    return old;
}

__device__ __forceinline__ u32 board_hash(const u32 *patterns) {
    u32 x = patterns[0] * 0x9E3779B1u + patterns[1] * 0x85EBCA77u;
    const u32 y = patterns[2] * 0xC2B2AE3Du + patterns[3] * 0x27D4EB2Fu;
    x = (x ^ x >> 15) * 0x2C1B3C6Du + y;
    x = (x ^ x >> 13) * 0x297A2D39u;
    return x ^ x >> 16 ^ y * 0x165667B1u;
}

// The round of a search.
struct Round {
    u32 tickets;    // parts of chunks in the pool
    u32 per_ticket; // nodes of a ticket: 32, 16, .. 1
    u32 listed;     // whether the pool is a list of chunks
    u32 patience;   // steps that a warp does after the pool is empty
    u32 stop_at_goal;
    u32 least_slack; // of nodes that are looked up in the table of boards
    u32 mask;        // of the entries of the table of boards
};

extern "C" __global__ void __launch_bounds__(MOST_WARPS * 32, 1)
search(const u32 *__restrict__ tables, const Lookup *lookup, const u32 *__restrict__ pool,
       const u32 *__restrict__ list, u32 *stacks, u32 *left_list, Pair *boards,
       const __grid_constant__ Round round, const __grid_constant__ uint4 goal, Control *control) {
    extern __shared__ u32 shared[];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, below = (1u << lane) - 1;
    const u32 warps = blockDim.x / 32, number = blockIdx.x * warps + warp;
    u32 *const ring = shared + warp * NODE_WORDS * RING;
    u32 *const stack = stacks + (u64)number * STACK_CHUNKS * CHUNK;
    Lookup &near = *(Lookup *)(shared + warps * NODE_WORDS * RING);
    if (threadIdx.x < 32) {
        near.tile[lane] = lookup->tile[lane];
        near.cell[lane] = lookup->cell[lane];
    }
    __syncthreads();
    const u32 *const mirrored_tables = tables + (4u << TABLE_SHIFT);

    int bottom = 0, top = 0;  // of the ring, modulo its size
    u32 spilled = 0;          // chunks
    u32 with_slack = 0;       // nodes of the stack of nodes with slack
    bool pool_is_empty = false;
    int patience = round.patience;
    u32 expanded = 0, generated = 0, steps = 0;

    auto slot = [&](int place) { return ring + (place & (RING - 1)); };
    auto slack_slot = [&](u32 place) { return stack + place / 32 * CHUNK + place % 32; };
    // Adds the counts of the warp to those of all.
    auto add_counts = [&]() {
        u64 sums[2] = {expanded, generated};
        for (int i = 0; i < 2; i++) {
            for (u32 distance = 16; distance > 0; distance /= 2) sums[i] += __shfl_down_sync(ALL_LANES, sums[i], distance);
        }
        if (lane == 0) {
            atomicAdd(&control->expanded, sums[0]);
            atomicAdd(&control->generated, sums[1]);
        }
        expanded = generated = 0;
    };
    auto into_ring = [&](const u32 *chunk, int place, u32 count) {
        if (lane < count) {
            u32 *const node = slot(place + lane);
            #pragma unroll
            for (u32 i = 0; i < NODE_WORDS; i++) node[i * RING] = chunk[i * 32 + lane];
        }
        __syncwarp();
    };

    while (true) {
        // 1. Is there an end?
        if (++steps % 16 == 0) {
            if (!pool_is_empty && *(volatile u32 *)&control->taken >= round.tickets) pool_is_empty = true;
            if (*(volatile u32 *)&control->stop) break;
            if (round.stop_at_goal && *(volatile u32 *)&control->found) break;
            if (steps % REPORTED == 0) add_counts();
        }

        // 2. Which nodes come next: full warps if possible.
        int in_ring = top - bottom;
        bool take_slack = false;
        if (in_ring < 32) {
            if (spilled > 0) {
                spilled--;
                bottom -= 32;
                in_ring += 32;
                into_ring(stack + (SPILL + spilled) * CHUNK, bottom, 32);
            } else {
                const bool hungry = round.per_ticket == 32 ? with_slack < 32 : with_slack + in_ring == 0;
                if (!pool_is_empty && hungry) {
                    u32 ticket = 0;
                    if (lane == 0) ticket = atomicAdd(&control->taken, 1);
                    ticket = __shfl_sync(ALL_LANES, ticket, 0);
                    if (ticket >= round.tickets) pool_is_empty = true;
                    else {
                        const u32 parts = 32 / round.per_ticket, count = round.per_ticket;
                        const u32 place = round.listed ? list[ticket / parts] : ticket / parts;
                        const u32 *const chunk = pool + (u64)(place & ~NO_SLACK) * CHUNK + ticket % parts * count;
                        if (place & NO_SLACK) {
                            into_ring(chunk, top, count);
                            top += count;
                            in_ring += count;
                        } else {
                            if (lane < count) {
                                u32 *const node = slack_slot(with_slack + lane);
                                for (u32 i = 0; i < NODE_WORDS; i++) node[i * 32] = chunk[i * 32 + lane];
                            }
                            with_slack += count;
                            __syncwarp();
                        }
                    }
                }
                if (in_ring < 32 && with_slack > 0) take_slack = true;
                else if (in_ring == 0) {
                    if (pool_is_empty) break;
                    continue;
                }
            }
        }

        // 3. Leave the rest to the next round.
        if (pool_is_empty && --patience < 0) {
            const u32 slack_chunks = (with_slack + 31) / 32, ring_chunks = (in_ring + 31) / 32;
            u32 base = 0;
            if (lane == 0) base = atomicAdd(&control->left, slack_chunks + spilled + ring_chunks);
            base = __shfl_sync(ALL_LANES, base, 0);
            if (with_slack % 32 && lane >= with_slack % 32) stack[with_slack / 32 * CHUNK + HEADER * 32 + lane] = NO_BLANK;
            for (u32 i = 0; i < ring_chunks; i++) {
                u32 *const chunk = stack + (SPILL + spilled + i) * CHUNK + lane;
                const int place = i * 32 + lane;
                const u32 *const node = slot(bottom + place);
                for (u32 j = 0; j < NODE_WORDS; j++) chunk[j * 32] = place < in_ring ? node[j * RING] : NO_BLANK;
            }
            const u32 first = number * STACK_CHUNKS;
            for (u32 i = lane; i < slack_chunks; i += 32) left_list[base + i] = first + i;
            for (u32 i = lane; i < spilled + ring_chunks; i += 32) left_list[base + slack_chunks + i] = (first + SPILL + i) | NO_SLACK;
            break;
        }

        // 4. Take up to 32 nodes.
        u32 *node;
        u32 taken;
        if (take_slack) {
            taken = min(with_slack, 32u);
            node = slot(top + lane);
            if (lane < taken) {
                const u32 *const from = slack_slot(with_slack - 1 - lane);
                #pragma unroll
                for (u32 i = 0; i < NODE_WORDS; i++) node[i * RING] = from[i * 32];
            }
            with_slack -= taken;
        } else {
            taken = min((u32)in_ring, 32u);
            node = slot(top - 1 - (int)lane);
            top -= taken;
        }
        const u32 head = lane < taken ? node[HEADER * RING] : NO_BLANK;
        u32 words[9];
        #pragma unroll
        for (u32 i = 0; i < 9; i++) words[i] = node[i * RING];
        const u32 blank = head & 31, moves = head >> 23;
        const int plain_slack = head >> 5 & 31, mirrored_slack = head >> 10 & 31;
        expanded += blank != NO_BLANK;
        generated += __popc(moves);
        if (words[0] == goal.x && words[1] == goal.y && words[2] == goal.z && words[3] == goal.w && blank != NO_BLANK)
            report_goal(control, item_of(words + ROWS));

        // 5. Enter nodes with slack into the table of boards. The answer is needed after the look-ups.
        bool is_entered = false;
        Pair mine{0, 0}, old{0, 0};
        if (take_slack) {
            const u32 slack = min(plain_slack, mirrored_slack), hashed = board_hash(words);
            is_entered = slack >= round.least_slack && blank != NO_BLANK;
            // A quarter for nodes with more slack, which are fewer and matter more.
            Pair *const place = slack > round.least_slack ? boards + (hashed & round.mask >> 2)
                                                          : boards + ((u64)(round.mask >> 2) + 1) + (hashed & round.mask);
            // The five bits of the slack are above the fields.
            const u32 bits = plain_slack;
            mine.low = select(INDEX, words[0], bits << 30) | (u64)select(INDEX, words[1], bits >> 2 << 30) << 32;
            mine.high = select(INDEX, words[2], bits >> 4 << 30) | (u64)(words[3] & INDEX) << 32;
            if (is_entered) old = exchange(place, mine);
        }

        // 6. Evaluate the children: first on the plain side, then on the mirrored one.
        const uint2 cell = near.cell[blank];
        const u32 *const row = (const u32 *)((const char *)node + (cell.x & 0xE00));
        const u32 row_here = row[ROWS * RING], row_above = row[(ROWS - 1) * RING], row_below = row[(ROWS + 1) * RING];
        const u32 shift = cell.y & 31, row_mark = cell.y >> 8 & 255, col_mark = cell.y >> 16 & 0xE0;
        u32 number4[4], tile[4], plain[4], mirrored[4], loaded[4];
        int slack_a[4], slack_b[4];
        bool is_kept[4];
        #pragma unroll
        for (int move = 0; move < 4; move++) {
            const u32 from = move == UP ? row_above : move == DOWN ? row_below : row_here;
            const u32 by = move == LEFT ? shift - 5 : move == RIGHT ? shift + 5 : shift;
            number4[move] = shifted_right(from, by) & 0x7C; // four times the tile
            tile[move] = at_byte(near.tile, number4[move]);
            const bool closer = move == UP ? number4[move] >= row_mark : move == DOWN ? number4[move] < row_mark + 20
                              : move == LEFT ? (tile[move] & 0xE0) >= col_mark : (tile[move] & 0xE0) <= col_mark;
            const u32 own = at_byte(node, tile[move] & 0x600), other = at_byte(node, tile[move] >> 7 & 0x600);
            const int lost = closer ? 0 : 1;
            slack_a[move] = plain_slack - lost + (int)(own >> 30);
            slack_b[move] = mirrored_slack - lost + (int)(shifted_right(head, tile[move] >> 11) & 3);
            const u32 change = shifted_left(move == UP || move == DOWN ? 5 : 1, tile[move]);
            const u32 word = mirrored_word(tile[move], own, other);
            plain[move] = move == UP || move == LEFT ? own + change : own - change;
            mirrored[move] = move == UP || move == LEFT ? word + change : word - change;
            is_kept[move] = (moves >> move & 1) && (slack_a[move] | slack_b[move]) >= 0;
            loaded[move] = 0;
            if (is_kept[move]) loaded[move] = __ldg(tables + select((1u << TABLE_SHIFT) - 1, plain[move] >> 4, tile[move]));
        }
        #pragma unroll
        for (int move = 0; move < 4; move++) {
            const u32 found = shifted_left(loaded[move], 30 - 2 * plain[move]);
            slack_a[move] -= (int)(found >> 30);
            plain[move] = select(INDEX, plain[move], found);
            is_kept[move] = is_kept[move] && slack_a[move] >= 0;
            loaded[move] = 0;
            if (is_kept[move]) loaded[move] = __ldg(mirrored_tables + select((1u << TABLE_SHIFT) - 1, mirrored[move] >> 4, tile[move] << 8));
        }
        const bool is_known = is_entered && old.low == mine.low && old.high == mine.high;
        u32 child_head[4];
        #pragma unroll
        for (int move = 0; move < 4; move++) {
            const u32 found = shifted_left(loaded[move], 30 - 2 * mirrored[move]) >> 30;
            const u32 place = tile[move] >> 11, before = shifted_right(head, place) & 3;
            slack_b[move] -= (int)found;
            is_kept[move] = is_kept[move] && slack_b[move] >= 0 && !is_known;
            const u32 next_moves = move == UP ? cell.x << 11 : move == LEFT ? cell.x << 7 : move == RIGHT ? cell.x << 3 : cell.x >> 1;
            const int step = move == UP ? -5 : move == LEFT ? -1 : move == RIGHT ? 1 : 5;
            child_head[move] = (head & HEADER_KEPT) + step + (u32)slack_a[move] * 32 + (u32)slack_b[move] * 1024
                             + shifted_left(found - before, place) + (next_moves & HEADER_MOVES);
        }
        __syncwarp();

        // 7. Push the children that are kept.
        auto put = [&](int move, u32 *child) {
            #pragma unroll
            for (u32 i = 0; i < 9; i++) child[i * RING] = words[i];
            child[HEADER * RING] = child_head[move];
            at_byte(child, tile[move] & 0x600) = plain[move];
            u32 *const child_row = (u32 *)((char *)child + (cell.x & 0xE00));
            const u32 moved = number4[move] << shift;
            if (move == UP) {
                child_row[ROWS * RING] = row_here ^ moved;
                child_row[(ROWS - 1) * RING] = row_above ^ moved;
            } else if (move == DOWN) {
                child_row[ROWS * RING] = row_here ^ moved;
                child_row[(ROWS + 1) * RING] = row_below ^ moved;
            } else {
                child_row[ROWS * RING] = row_here ^ moved ^ number4[move] << (move == LEFT ? shift - 5 : shift + 5);
            }
        };
        if (take_slack) {
            // Children with slack go below the bottom of the ring first, then together to their stack.
            u32 below_bottom = 0;
            #pragma unroll
            for (int move = 0; move < 4; move++) {
                const bool has_slack = min(slack_a[move], slack_b[move]) >= (int)round.least_slack;
                const u32 with = __ballot_sync(ALL_LANES, is_kept[move] && has_slack);
                const u32 without = __ballot_sync(ALL_LANES, is_kept[move] && !has_slack);
                if (is_kept[move]) put(move, has_slack ? slot(bottom - 1 - (int)(below_bottom + __popc(with & below)))
                                                       : slot(top + (int)__popc(without & below)));
                below_bottom += __popc(with);
                top += __popc(without);
            }
            __syncwarp();
            for (u32 i = lane; i < below_bottom; i += 32) {
                const u32 *const from = slot(bottom - 1 - (int)i);
                u32 *const to = slack_slot(with_slack + i);
                #pragma unroll
                for (u32 j = 0; j < NODE_WORDS; j++) to[j * 32] = from[j * RING];
            }
            with_slack += below_bottom;
            if (with_slack > SPILL * 32 - 128) {
                control->full = 1;
                break;
            }
        } else {
            #pragma unroll
            for (int move = 0; move < 4; move++) {
                const u32 kept = __ballot_sync(ALL_LANES, is_kept[move]);
                if (is_kept[move]) put(move, slot(top + (int)__popc(kept & below)));
                top += __popc(kept);
            }
        }
        __syncwarp();

        // 8. Spill the oldest nodes.
        while (top - bottom > 64 && spilled < SPILL - 4) {
            u32 *const chunk = stack + (SPILL + spilled) * CHUNK + lane;
            const u32 *const from = slot(bottom + (int)lane);
            #pragma unroll
            for (u32 i = 0; i < NODE_WORDS; i++) chunk[i * 32] = from[i * RING];
            spilled++;
            bottom += 32;
            __syncwarp();
        }
        if (top - bottom > 64) {
            control->full = 1;
            break;
        }
    }
    add_counts();
}
