// Whole spaces: all boards of a size in breadth-first order, one bit for each.
//
// A slab holds the boards with the blank in one cell, numbered by the order of their tiles. The layer
// of depth d lies in the slabs whose cells have the colour of d on a chessboard; the other slabs hold
// the layer before. All neighbours of a layer lie in the layers before and behind it. So
//
//     slab = (union of the neighbouring slabs, renumbered) and not slab
//
// for the slabs of the other colour makes them the next layer, in place. A horizontal move keeps the
// order of the tiles; a vertical one changes COLS adjacent digits of its number (digits.cuh).
//
// Words are numbered by the digits of the radices m .. 6. Six words are a group (the digit of radix
// 6), and 336 words a block (radices 8, 7, 6). A byte for each block tells whether it is empty, so
// that small layers cost little. `plan` lists the blocks to compute, `step` computes them.

constexpr u32 GROUP = 6, BLOCK = 336, GROUPS = BLOCK / GROUP;
constexpr u32 STEP_THREADS = BLOCK / 2; // two words each
constexpr u32 PLAN_THREADS = 256;
constexpr u32 CLASSES = 16;
constexpr u32 CELL_SHIFT = 28; // an entry of the plan is a block and, above it, the cell of its slab
constexpr u32 MOST_SOURCES = 12;

// How the blocks of a link of one class lie: the digits that change have `rows` values and the place
// value `stride` in the number of a block. No rows: a block comes from the block of the same number.
struct BlockLink {
    u32 stride, rows;
    u32 first[2]; // where the rows of `sources` begin, for each direction
};

struct Links {
    BlockLink block[CLASSES];
    u32 map[2][CLASSES];   // where the table of digits of a class begins
    u32 chunk[2];          // where the table of chunks begins
};

struct Board {
    u32 cells, cols, blocks;
    u32 goal_row;
    u32 colour; // of the slabs to compute: (row + column) modulo 2
    u32 slabs;  // of this colour
    u32 tile;   // blocks of one slab that are adjacent in the plan
};

struct Tables {
    const Links *links;
    const u16 *sources; // rows of 1 + MOST_SOURCES: how many, and which rows of digits
    const u16 *maps;    // for each value of the digits, that of the source
    const u64 *chunks;  // five sources of 12 bits each: word and, above, shift (four columns: chunk)
};

struct Words {
    u64 x, y;
};

__device__ __forceinline__ void add(Words &sum, Words more) {
    sum.x |= more.x;
    sum.y |= more.y;
}

__device__ __forceinline__ Words load(const u64 *words, u64 pair) {
    ulonglong2 value = __ldg((const ulonglong2 *)words + pair);
    return Words{value.x, value.y};
}

__device__ __forceinline__ const u16 *source_row(const Tables &tables, int k, int direction, u32 block, u32 &row) {
    const BlockLink &link = tables.links->block[k];
    row = block / link.stride % link.rows;
    return tables.sources + link.first[direction] + row * (1 + MOST_SOURCES);
}

__device__ bool any_source(const u8 *flags, const Tables &tables, int k, int direction, u32 block) {
    const BlockLink &link = tables.links->block[k];
    if (link.rows == 0) return flags[block];
    u32 row;
    const u16 *sources = source_row(tables, k, direction, block, row);
    for (u32 i = 1; i <= sources[0]; i++)
        if (flags[block + (sources[i] - row) * link.stride]) return true;
    return false;
}

// Lists the blocks that have content or may get some: tile by tile, so that what neighbouring slabs
// read is still in the cache.
extern "C" __global__ void __launch_bounds__(PLAN_THREADS)
plan(const u8 *flags, const Links *links, const u16 *sources, const u16 *maps, const u64 *chunks,
     const __grid_constant__ Board board, u32 *list, u32 *length) {
    const Tables tables{links, sources, maps, chunks};
    __shared__ u32 before[PLAN_THREADS / 32], base;
    const u32 at = blockIdx.x * PLAN_THREADS + threadIdx.x;
    bool active = false;
    u32 entry = 0;
    if (at < board.slabs * board.blocks) {
        const u32 per_tile = board.slabs * board.tile, tile = at / per_tile, rest = at % per_tile;
        const u32 slab = rest / board.tile, block = tile * board.tile + rest % board.tile;
        const u32 cell = 2 * slab + (COLUMNS % 2 ? board.colour : (2 * slab / COLUMNS + board.colour) % 2);
        const u32 col = cell % board.cols;
        const int k = board.cells - 1 - cell;
        auto of = [&](u32 other) { return flags + (u64)other * board.blocks; };
        active = of(cell)[block]
              || (col > 0 && of(cell - 1)[block])
              || (col + 1 < board.cols && of(cell + 1)[block])
              || (cell + board.cols < board.cells && any_source(of(cell + board.cols), tables, k, DOWN, block))
              || (cell >= board.cols && any_source(of(cell - board.cols), tables, k + board.cols, UP, block));
        entry = block | cell << CELL_SHIFT;
    }
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const u32 mask = __ballot_sync(ALL_LANES, active);
    if (lane == 0) before[warp] = __popc(mask);
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 sum = 0;
        for (u32 i = 0; i < PLAN_THREADS / 32; i++) {
            const u32 count = before[i];
            before[i] = sum;
            sum += count;
        }
        base = sum ? atomicAdd(length, sum) : 0;
    }
    __syncthreads();
    if (active) list[base + before[warp] + __popc(mask & ((1u << lane) - 1))] = entry;
}

// The parity of the digits of a group's number, whose radices are 7, 8, ..
__device__ __forceinline__ u32 digit_parity(u32 group) {
    u32 sum = 0;
    #pragma unroll
    for (u32 radix = 7; radix < 16; radix++) {
        sum += group % radix;
        group /= radix;
    }
    return sum & 1;
}

// The words of group `group`, number `pair` of two, in a range of `words` words that a link stays in.
template <u32 WORDS> struct Range {
    static constexpr u32 groups = WORDS / GROUP;
    const u64 *first; // the first word of the range
    u32 place;        // of the two words in the range

    __device__ __forceinline__ Range(const u64 *slab, u32 group, u32 pair)
        : first(slab + (u64)(group / groups) * WORDS), place(group % groups * GROUP + pair * 2) {}
};

// Whether the link of class K permutes the bits of a group.
constexpr bool in_group(int cols, int k) { return cols >= 3 && k == 6; }

// Adds what the link of class K brings to the two words number `pair` of group `group`.
template <int COLS, int K, int DIRECTION>
__device__ __forceinline__ void follow(const u64 *slab, const u8 *flags, const Tables &tables, int k,
                                       u32 block, u32 group, u32 pair, u32 slab_parity, Words &sum) {
    const Links &links = *tables.links;
    if constexpr (K >= 8 + COLS) { // whole blocks
        u32 row;
        const u16 *sources = source_row(tables, k, DIRECTION, block, row);
        const u32 source = block + (sources[1] - row) * links.block[k].stride;
        if (flags[source]) add(sum, load(slab, (u64)(group + (source - block) * GROUPS) * 3 + pair));
    } else if constexpr (K >= 6 + COLS) { // whole groups
        constexpr u32 stride = K == 6 + COLS ? 1 : 7;
        const u32 digits = group / stride % values(K, COLS);
        const u32 source = group + (__ldg(tables.maps + links.map[DIRECTION][K] + digits) - digits) * stride;
        if (flags[source / GROUPS]) add(sum, load(slab, (u64)source * 3 + pair));
    } else if (K > 8 || flags[block]) { // a class above 8 has words of several blocks
        if constexpr (K == 5 + COLS) { // whole words
            const Range<values(K, COLS)> range(slab, group, pair);
            const u16 *map = tables.maps + links.map[DIRECTION][K] + range.place;
            sum.x |= range.first[map[0]];
            sum.y |= range.first[map[1]];
        } else if constexpr (K == 4 + COLS) { // chunks of 12 bits
            const Range<values(K, COLS) / 5> range(slab, group, pair);
            const u64 *chunks = tables.chunks + links.chunk[DIRECTION] + range.place;
            #pragma unroll
            for (int i = 0; i < 2; i++) {
                u64 result = 0;
                #pragma unroll
                for (int chunk = 0; chunk < 5; chunk++) {
                    const u32 source = (u32)(chunks[i] >> (12 * chunk)) & 0xFFF;
                    // With four columns six bits are too few for the number of a word.
                    const u64 bits = COLS == 4 ? range.first[source & 511] >> (source / 512 * 12)
                                               : range.first[source & 63] >> (source >> 6);
                    result |= (bits & 0xFFF) << (12 * chunk);
                }
                (i == 0 ? sum.x : sum.y) |= result;
            }
        } else if constexpr (K == 7) { // four columns: chunks of 3 bits, twenty in a word
            const Range<values(K, COLS) / 20> range(slab, group, pair);
            const u16 *map = tables.maps + links.map[DIRECTION][K] + range.place * 20;
            for (int i = 0; i < 2; i++) {
                u64 result = 0;
                for (int chunk = 0; chunk < 20; chunk++) {
                    const u32 source = map[20 * i + chunk];
                    result |= (range.first[source / 20] >> (source % 20 * 3) & 7) << (3 * chunk);
                }
                (i == 0 ? sum.x : sum.y) |= result;
            }
        } else if constexpr (in_group(COLS, K)) { // bits of the six words of this group
            const Words a = load(slab, (u64)group * 3), b = load(slab, (u64)group * 3 + 1),
                        c = load(slab, (u64)group * 3 + 2);
            const u64 words[6] = {a.x, a.y, b.x, b.y, c.x, c.y};
            if (pair == 0) add(sum, Words{permuted<InGroup<COLS, DIRECTION, 0>>(words), permuted<InGroup<COLS, DIRECTION, 1>>(words)});
            else if (pair == 1) add(sum, Words{permuted<InGroup<COLS, DIRECTION, 2>>(words), permuted<InGroup<COLS, DIRECTION, 3>>(words)});
            else add(sum, Words{permuted<InGroup<COLS, DIRECTION, 4>>(words), permuted<InGroup<COLS, DIRECTION, 5>>(words)});
        } else { // bits of this word
            constexpr bool depends_on_parity = K <= COLS + 1 && K > 2;
            Words words = load(slab, (u64)group * 3 + pair);
            if constexpr (depends_on_parity) {
                // The two words of a pair differ in the parity of their numbers.
                const bool odd = (digit_parity(group) + slab_parity) & 1;
                const u64 even = permuted<InWord<COLS, K, DIRECTION, 0>>(odd ? &words.y : &words.x);
                const u64 other = permuted<InWord<COLS, K, DIRECTION, 1>>(odd ? &words.x : &words.y);
                add(sum, odd ? Words{other, even} : Words{even, other});
            } else {
                add(sum, Words{permuted<InWord<COLS, K, DIRECTION, 0>>(&words.x),
                               permuted<InWord<COLS, K, DIRECTION, 0>>(&words.y)});
            }
        }
    }
}

// Computes two words of a block for a cell behind which K tiles follow (8 + COLS: that or more).
// Returns the number of boards in them.
template <int COLS, int K>
__device__ __forceinline__ u32 compute(u64 *slabs, const u8 *all_flags, const Tables &tables,
                                       const Board &board, u32 cell, u32 block) {
    // Where the words of a group are computed from all six, the threads of a warp have the same pair.
    constexpr bool by_pair = in_group(COLS, K) || in_group(COLS, K + COLS);
    const u32 thread = threadIdx.x;
    const u32 pair = by_pair ? thread / GROUPS : thread % 3;
    const u32 group = block * GROUPS + (by_pair ? thread % GROUPS : thread / 3);
    const u64 size = (u64)board.blocks * BLOCK;
    auto slab = [&](u32 other) { return slabs + other * size; };
    auto flags = [&](u32 other) { return all_flags + (u64)other * board.blocks; };
    const u64 at = (u64)group * 3 + pair;
    const u32 row = cell / COLS, col = cell % COLS;
    const u32 parity = (row + board.goal_row) * (COLS - 1) & 1;

    const bool had_content = flags(cell)[block];
    Words *const target = (Words *)slab(cell) + at;
    Words old{0, 0}, sum{0, 0};
    if (had_content) old = *target;
    if (col > 0 && flags(cell - 1)[block]) add(sum, load(slab(cell - 1), at));
    if (col + 1 < COLS && flags(cell + 1)[block]) add(sum, load(slab(cell + 1), at));
    const int k = board.cells - 1 - cell;
    if constexpr (K >= COLS) {
        follow<COLS, K, DOWN>(slab(cell + COLS), flags(cell + COLS), tables, k, block, group, pair, parity, sum);
    }
    if (cell >= COLS) {
        follow<COLS, K + COLS, UP>(slab(cell - COLS), flags(cell - COLS), tables, k + COLS, block, group, pair, parity, sum);
    }
    sum.x &= ~old.x;
    sum.y &= ~old.y;
    const u32 count = __popcll(sum.x) + __popcll(sum.y);
    if (had_content || count) *target = sum;
    return count;
}

// Chooses the code for the class of a cell.
template <int COLS, int K = 0>
__device__ __forceinline__ u32 compute_cell(int k, u64 *slabs, const u8 *flags, const Tables &tables,
                                            const Board &board, u32 cell, u32 block) {
    if constexpr (K < 8 + COLS) {
        if (k != K) return compute_cell<COLS, K + 1>(k, slabs, flags, tables, board, cell, block);
    }
    return compute<COLS, K>(slabs, flags, tables, board, cell, block);
}

// Computes the blocks of the plan, `per_block` of them in each thread block (at most 32), and adds
// the number of their boards to one of the 256 counters.
extern "C" __global__ void __launch_bounds__(STEP_THREADS, COLUMNS == 2 ? 7 : COLUMNS == 3 ? 8 : 4)
step(u64 *slabs, u8 *flags, const Links *links, const u16 *sources, const u16 *maps, const u64 *chunks,
     const __grid_constant__ Board board, const u32 *list, u32 length, u32 per_block, u64 *counters) {
    const Tables tables{links, sources, maps, chunks};
    constexpr u32 WARPS = (STEP_THREADS + 31) / 32;
    __shared__ u32 sums[WARPS], masks[WARPS];
    const u32 first = blockIdx.x * per_block, last = min(first + per_block, length);
    u32 sum = 0, non_empty = 0;
    for (u32 i = first; i < last; i++) {
        const u32 entry = list[i], cell = entry >> CELL_SHIFT, block = entry & ((1u << CELL_SHIFT) - 1);
        const u32 count = compute_cell<COLUMNS>(board.cells - 1 - cell, slabs, flags, tables, board, cell, block);
        sum += count;
        non_empty |= (u32)(count != 0) << (i - first);
    }
    // The last warp is not full.
    const u32 lanes = threadIdx.x < STEP_THREADS / 32 * 32 ? ALL_LANES : (1u << STEP_THREADS % 32) - 1;
    for (u32 distance = 16; distance > 0; distance /= 2) {
        const u32 lane = threadIdx.x % 32 ^ distance;
        const u32 other_sum = __shfl_xor_sync(lanes, sum, distance);
        const u32 other_mask = __shfl_xor_sync(lanes, non_empty, distance);
        if (lanes >> lane & 1) {
            sum += other_sum;
            non_empty |= other_mask;
        }
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
        masks[threadIdx.x / 32] = non_empty;
    }
    __syncthreads();
    // The flag of a block is read only by the thread block that computes it, so that it can be
    // written at the end.
    non_empty = 0;
    u64 total = 0;
    for (u32 i = 0; i < WARPS; i++) {
        non_empty |= masks[i];
        total += sums[i];
    }
    if (first + threadIdx.x < last) {
        const u32 entry = list[first + threadIdx.x];
        flags[(u64)(entry >> CELL_SHIFT) * board.blocks + (entry & ((1u << CELL_SHIFT) - 1))] = non_empty >> threadIdx.x & 1;
    }
    if (threadIdx.x == 0 && total) atomicAdd(counters + blockIdx.x % 256, total);
}
