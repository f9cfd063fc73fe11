// Links inside of words, as fixed permutations of bits.
//
// A word of 64 bits holds the 60 orders of the last five tiles that have the right parity: the digits
// of the radices 5, 4 and 3; the digit of radix 2 follows from the parity. A permutation of bits is a
// sum of terms "shift, then mask", which are computed by the compiler.

struct Term {
    int word;  // the word that the bits come from, in a group of six
    int shift; // to the left
    u64 mask;
};

struct Terms {
    int count;
    Term term[60];
};

constexpr void add_bit(Terms &terms, int word, int from, int to) {
    int i = 0;
    while (i < terms.count && (terms.term[i].word != word || terms.term[i].shift != to - from)) i++;
    if (i == terms.count) terms.term[terms.count++] = Term{word, to - from, 0};
    terms.term[i].mask |= 1ull << to;
}

// The link of class k <= 5. `parity` is that of the order without the digits of the word.
constexpr Terms terms_in_word(int cols, int k, int direction, int parity) {
    Terms terms{};
    for (int bit = 0; bit < 60; bit++) {
        int digits[8] = {bit / 12, bit / 3 % 4, bit % 3, 0, 0};
        digits[3] = (parity + digits[0] + digits[1] + digits[2]) & 1;
        rotate_digits(k, cols, direction, digits + (5 - k));
        add_bit(terms, 0, digits[0] * 12 + digits[1] * 3 + digits[2], bit);
    }
    return terms;
}

// The link of class 6 with three or four columns: word `target` of a group of six.
constexpr Terms terms_in_group(int cols, int direction, int target) {
    Terms terms{};
    for (int bit = 0; bit < 60; bit++) {
        int digits[4] = {target, bit / 12, bit / 3 % 4, bit % 3};
        rotate_digits(6, cols, direction, digits);
        add_bit(terms, digits[0], digits[1] * 12 + digits[2] * 3 + digits[3], bit);
    }
    return terms;
}

template <int SHIFT, u64 MASK> __device__ __forceinline__ u64 moved(u64 word) {
    if constexpr (SHIFT >= 0) return (word << SHIFT) & MASK;
    else return (word >> -SHIFT) & MASK;
}

template <int COLS, int K, int DIRECTION, int PARITY> struct InWord {
    static constexpr Terms terms = terms_in_word(COLS, K, DIRECTION, PARITY);
};

template <int COLS, int DIRECTION, int TARGET> struct InGroup {
    static constexpr Terms terms = terms_in_group(COLS, DIRECTION, TARGET);
};

// Applies all terms of `Map` from number I on.
template <class Map, int I = 0> __device__ __forceinline__ u64 permuted(const u64 *words) {
    if constexpr (I == Map::terms.count) return 0;
    else {
        constexpr int from = Map::terms.term[I].word;
        return moved<Map::terms.term[I].shift, Map::terms.term[I].mask>(words[from])
             | permuted<Map, I + 1>(words);
    }
}
