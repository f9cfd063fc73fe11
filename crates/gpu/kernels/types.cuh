// Types that all kernels share.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

constexpr u32 ALL_LANES = 0xFFFFFFFFu;
