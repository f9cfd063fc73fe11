// Types that all kernels share.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define ALL_LANES 0xFFFFFFFFu // the mask of a whole warp
