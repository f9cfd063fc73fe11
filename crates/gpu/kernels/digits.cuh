// The order of the tiles as a number in the factorial number system.
//
// The tiles in reading order, without the blank, are a permutation. Its digits have the radices m,
// m - 1, .. 1: each counts the smaller tiles behind its position. A vertical move of the blank takes
// one tile past COLS - 1 others: it rotates COLS adjacent positions, and so changes only their
// digits. The link of class k is the rotation whose first digit has the radix k.

// Which way a link leads: DOWN takes the blank from the cell below, UP from the cell above.
enum Direction { DOWN, UP };

// Replaces the digits of a board by those of the board that the link comes from.
constexpr void rotate_digits(int k, int cols, int direction, int *digits) {
    bool used[16] = {};
    int order[4] = {}, turned[4] = {};
    for (int i = 0; i < cols; i++) {
        int skip = digits[i], value = 0;
        for (value = 0; value < k; value++)
            if (!used[value] && skip-- == 0) break;
        used[value] = true;
        order[i] = value;
    }
    for (int i = 0; i < cols; i++)
        turned[i] = order[direction == DOWN ? (i + cols - 1) % cols : (i + 1) % cols];
    for (int i = 0; i < cols; i++) {
        digits[i] = turned[i];
        for (int j = 0; j < i; j++)
            if (turned[j] < turned[i]) digits[i]--;
    }
}

// The number of values of `count` digits from the radix k downwards.
constexpr u32 values(int k, int count) {
    u32 product = 1;
    for (int i = 0; i < count; i++) product *= k - i;
    return product;
}
