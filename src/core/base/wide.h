/*
 * wide.h - names the 128-bit integers
 *
 * These are the only typedefs of data in the tree: the compiler's spelling needs __extension__ to
 * pass without a warning.
 */
#ifndef SOTTO_WIDE_H
#define SOTTO_WIDE_H

__extension__ typedef __int128 sotto_i128;
__extension__ typedef unsigned __int128 sotto_u128;

#endif
