// Pattern databases of the 24-puzzle.
//
// A pattern is six tiles. `layer` computes the least number of moves of these tiles by breadth-first
// search, where moves of other tiles cost nothing, and so the blank goes wherever it is not blocked.
// A state is the cells of the tiles, as a number with six digits of radix 25, and for each of them a
// set of blank cells. `pack` makes the table that the searches look up: (distance - Manhattan
// distance) / 2, at most 3, in two bits, indexed by six fields of five bits.

constexpr u32 STATES = 25u * 25 * 25 * 25 * 25 * 25;
constexpr u32 CELLS = (1u << 25) - 1, FIRST_COLUMN = 0x108421, LAST_COLUMN = FIRST_COLUMN << 4;

// The cells next to a set of cells.
__device__ __forceinline__ u32 next_to(u32 cells) {
    return ((cells << 5) | (cells >> 5) | ((cells & ~LAST_COLUMN) << 1) | ((cells & ~FIRST_COLUMN) >> 1)) & CELLS;
}

// The free cells that the blank can get to.
__device__ __forceinline__ u32 reached(u32 cells, u32 free) {
    u32 before;
    do {
        before = cells;
        cells = (cells | next_to(cells)) & free;
    } while (cells != before);
    return cells;
}

// Expands the layer of a depth: `current` and `next` have the blank cells that are new in this layer
// and in the next one, `known` those of all layers. Distances are stored plus one; `found` counts
// them.
extern "C" __global__ void __launch_bounds__(256)
layer(const u32 *current, u32 *next, u32 *known, u8 *distance, u32 depth, u32 *found) {
    const u32 state = blockIdx.x * 256 + threadIdx.x;
    if (state >= STATES || current[state] == 0) return;
    u32 cells[6], occupied = 0, rest = state;
    for (int i = 0; i < 6; i++) {
        cells[i] = rest % 25;
        rest /= 25;
        occupied |= 1u << cells[i];
    }
    const u32 before = known[state];
    const u32 blanks = reached(current[state], CELLS & ~occupied) & ~before;
    if (blanks == 0) return;
    known[state] = before | blanks;
    if (distance[state] == 0) {
        distance[state] = depth + 1;
        atomicAdd(found, 1);
    }
    u32 place_value = 1;
    for (int i = 0; i < 6; i++) {
        for (u32 targets = next_to(1u << cells[i]) & blanks; targets; targets &= targets - 1) {
            const u32 target = __ffs(targets) - 1;
            const u32 child = state + (target - cells[i]) * place_value;
            if (!(known[child] >> cells[i] & 1)) atomicOr(next + child, 1u << cells[i]);
        }
        place_value *= 25;
    }
}

// How a pattern lies on the one whose distances were computed.
struct Turn {
    u8 cell[32]; // for each cell, the turned one
    u8 slot[8];  // for each field, the digit of the turned tile
    u8 goal[8];  // for each field, the tile, which is also its goal cell
};

__device__ __forceinline__ int separation(int a, int b) {
    return abs(a / 5 - b / 5) + abs(a % 5 - b % 5);
}

// Makes the table of a pattern: each thread one word, which is sixteen entries.
extern "C" __global__ void __launch_bounds__(256)
pack(const u8 *distance, u32 *table, const __grid_constant__ Turn turn) {
    const u32 word = blockIdx.x * 256 + threadIdx.x;
    u32 place_value[6] = {1, 25, 625, 15625, 390625, 9765625};
    u32 state = 0, occupied = 0;
    int manhattan = 0;
    for (int field = 1; field < 6; field++) {
        const u32 cell = word >> (5 * field - 4) & 31;
        // No board has such an index.
        if (cell >= 25 || occupied >> cell & 1) {
            table[word] = 0;
            return;
        }
        occupied |= 1u << cell;
        state += turn.cell[cell] * place_value[turn.slot[field]];
        manhattan += separation(cell, turn.goal[field]);
    }
    u32 entries = 0;
    for (u32 i = 0; i < 16; i++) {
        const u32 cell = (word & 1) * 16 + i;
        if (cell >= 25 || occupied >> cell & 1) continue;
        const int known = (int)distance[state + turn.cell[cell] * place_value[turn.slot[0]]] - 1;
        const int more = (known - manhattan - separation(cell, turn.goal[0])) / 2;
        entries |= (u32)min(more, 3) << (2 * i);
    }
    table[word] = entries;
}
