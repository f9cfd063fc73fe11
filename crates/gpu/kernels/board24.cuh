// Boards of the 24-puzzle, and the look-ups in their pattern databases.
//
// A tile has the number of its goal cell. A board is five row words, with the tiles as fields of five
// bits from bit 2 on (so that a field is four times its tile); the field of the blank is 0. Its four
// pattern words have the cells of six tiles each, as fields of five bits: indices of tables. The
// fields are ordered so that a pattern word of the mirrored partition has the lower four fields of
// one plain word and the upper two of another.
//
// The estimate is the Manhattan distance plus twice the sum of the entries, on the plain or on the
// mirrored side, whichever is greater. The slack of a side is half of what the threshold leaves over.

enum Move { UP, LEFT, RIGHT, DOWN }; // of the blank; the inverse of m is 3 - m

constexpr u32 INDEX = 0x3FFFFFFF;    // the six fields of a pattern word; the entry is above them
constexpr u32 LOW_FIELDS = 0x000FFFFF; // the lower four fields
constexpr u32 TABLE_SHIFT = 26;      // a table has 2^26 words of sixteen entries
constexpr u32 NO_BLANK = 31;         // the blank of a node that is none

// What is looked up for tiles and cells. A tile has: 0-4 the shift of its field, 5-7 its goal column,
// 8 whether it is among the lower four fields, 9-10 its plain pattern, 11-15 where the entry of its
// mirrored pattern is in a header, 16-17 the plain pattern that the other fields of its mirrored
// pattern are in, 18-19 its mirrored pattern, 26-27 its plain pattern again.
// A cell has, in x: 9-11 its row, 12-27 the moves after each move of the blank from it (without the
// inverse), 28-31 its moves; in y: 0-4 five times its column, 8-15 twenty times its row, 21-23 its
// column.
struct Lookup {
    u32 tile[32];
    uint2 cell[32];
};

__device__ __forceinline__ u32 plain_pattern(u32 tile) { return tile >> 9 & 3; }
__device__ __forceinline__ u32 other_pattern(u32 tile) { return tile >> 16 & 3; }
__device__ __forceinline__ u32 mirrored_pattern(u32 tile) { return tile >> 18 & 3; }

// `a` where `mask` is set, and `b` elsewhere.
__device__ __forceinline__ u32 select(u32 mask, u32 a, u32 b) { return (a & mask) | (b & ~mask); }

// The mirrored pattern word of a tile, from the plain word with its field and the other one.
__device__ __forceinline__ u32 mirrored_word(u32 tile, u32 own, u32 other) {
    return select(tile & 256 ? LOW_FIELDS : ~LOW_FIELDS, own, other);
}

__device__ __forceinline__ u32 entry(const u32 *__restrict__ tables, u32 table, u32 word) {
    return __ldg(tables + ((table << TABLE_SHIFT) | (word & INDEX) >> 4)) >> (word % 16 * 2) & 3;
}

__device__ __forceinline__ u32 inverses(u32 moves) {
    return (moves & 1) << 3 | (moves & 2) << 1 | (moves & 4) >> 1 | (moves & 8) >> 3;
}

// All that is known of a board: `words` is in shared memory, with `stride` between the words.
struct Known {
    int manhattan;
    int sums[2];  // of the entries of the plain and the mirrored side
    u32 mirrored; // the entries of the mirrored side, two bits each
};

// Computes the pattern words, with their entries in the upper two bits, and the estimate.
__device__ Known know(const u32 *rows, u32 blank, u32 *words, u32 stride, const Lookup &lookup, const u32 *__restrict__ tables) {
    Known known{};
    for (int i = 0; i < 4; i++) words[i * stride] = 0;
    #pragma unroll
    for (int cell = 0; cell < 25; cell++) {
        if (cell == blank) continue;
        const u32 number = rows[cell / 5] >> (2 + 5 * (cell % 5)) & 31;
        const u32 tile = lookup.tile[number];
        words[plain_pattern(tile) * stride] += (u32)cell << (tile & 31);
        known.manhattan += abs((int)number / 5 - cell / 5) + abs((int)number % 5 - cell % 5);
    }
    const u32 a = words[0], b = words[stride], c = words[2 * stride], d = words[3 * stride];
    const u32 mirrored[4] = {select(LOW_FIELDS, a, c), select(LOW_FIELDS, c, d), select(LOW_FIELDS, b, a), select(LOW_FIELDS, d, b)};
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        const u32 word = words[i * stride];
        const u32 plain = entry(tables, i, word), other = entry(tables, 4 + i, mirrored[i]);
        words[i * stride] = word | plain << 30;
        known.sums[0] += plain;
        known.sums[1] += other;
        known.mirrored |= other << (2 * i);
    }
    return known;
}
