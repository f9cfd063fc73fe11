//! The laboratory: courses and papers as conventions, comparisons, and other spaces on the same kernel.
