//! The rules of beam searches, on the processor and elsewhere.

/// The number of ranks. A rank is a score and a random part.
pub const RANKS: usize = 1 << 14;

/// Boards with equal score are split into random parts, so that truncation is unbiased.
pub const PARTS: u32 = 16;

/// Ranks begin this far below the best score of the previous level.
pub const BELOW: u32 = 128;

/// By how much a candidate may be worse than the worst board of the previous level.
pub const SLACK: i32 = 4;

/// The number of remembered boards per board in the beam.
pub const REMEMBERED: usize = 16;

/// Boards with their blank on one cell may take this multiple of their even share in the beam.
/// Otherwise a beam would stay in an ordered region, because the number of paths there keeps
/// growing.
pub const SHARE: usize = 4;
