// The nodes of the depth-first search of the 24-puzzle: ten words each, in chunks of 32 nodes in which
// the words of the same kind lie together.

constexpr u32 PATTERNS = 0, ROWS = 4, HEADER = 9, NODE_WORDS = 10;
constexpr u32 CHUNK = NODE_WORDS * 32;

// A header has: 0-4 the blank, 5-9 and 10-14 the slacks of the plain and the mirrored side, 15-22 the
// entries of the mirrored side, 23-26 the moves to try.
__device__ __forceinline__ u32 header(u32 blank, u32 plain_slack, u32 mirrored_slack, u32 mirrored, u32 moves) {
    return blank | plain_slack << 5 | mirrored_slack << 10 | mirrored << 15 | moves << 23;
}

constexpr u32 HEADER_KEPT = 0x7F801F; // what a child has of its parent's header: blank and entries
constexpr u32 HEADER_MOVES = 0xF << 23;

// Seven bits of the number of the item that a node descends from, in bits 0-1 and 27-31 of each row.
__device__ __forceinline__ u32 spare(u32 item, int row) {
    const u32 bits = item >> (7 * row) & 127;
    return (bits & 3) | bits >> 2 << 27;
}

__device__ __forceinline__ u32 item_of(const u32 *rows) {
    u32 item = 0;
    for (int i = 0; i < 5; i++) item |= ((rows[i] & 3) | rows[i] >> 27 << 2) << (7 * i);
    return item;
}
