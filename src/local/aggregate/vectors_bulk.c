/* Bit vectors wait per group until there are enough for a bit sum. */
#include "local/aggregate/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "local/aggregate/bitsum.h"
#include "local/aggregate/pages.h"
#include "local/client/layout.h"

/*
 * Short vectors wait until they fill a block, which goes into a sum that goes
 * on; the blocks of all groups of a usual collection fit the first caches.  Long
 * ones wait until there are ROWS of them.  All that waits has a limit; past it
 * bits are counted one by one.  A run of one group need not wait.
 */
#define ROWS 16
#define WAITING_MAX ((size_t)192 << 20)
#define RUN_MIN 256
#define TOGETHER 4 /* reports whose places are found before any is copied */
#define AHEAD ((size_t)1 << 16) /* bytes: what is looked at next comes from memory meanwhile */

struct sotto_vectors {
	uint32_t bits;
	bool counted;
	size_t groups;
	size_t bytes; /* of a vector as it comes */
	size_t padded; /* of a waiting one */
	size_t room; /* for waiting bytes of a group; 0: bits are counted one by one */
	uint8_t *waiting; /* padding stays zero */
	uint32_t *next; /* where in it the next vector of each group goes */
	struct sotto_bitsum_steps steps;
	struct sotto_bitsum_state *states; /* of each group, or NULL for long vectors */
	uint64_t *sums; /* of one group */
};

/* A divisor of the kernel's row, or a multiple. */
static size_t padded_bytes(size_t bytes)
{
	size_t n = 1;

	while (n < bytes && n < SOTTO_BITSUM_ROW)
		n *= 2;
	return bytes <= n
		       ? n
		       : (bytes + SOTTO_BITSUM_ROW - 1) / SOTTO_BITSUM_ROW * SOTTO_BITSUM_ROW;
}

static enum sotto_status make_waiting(struct sotto_vectors *v)
{
	bool is_short = v->padded <= SOTTO_BITSUM_ROW;
	size_t room = is_short ? SOTTO_BITSUM_BLOCK : ROWS * v->padded;

	if (v->groups > WAITING_MAX / (room + (is_short ? sizeof *v->states : 0)))
		return SOTTO_OK;
	v->room = room;
	v->waiting = sotto_pages_new(v->groups * room, false);
	v->next = malloc(v->groups * sizeof *v->next);
	v->sums = malloc(8 * v->padded * sizeof *v->sums);
	if (!v->waiting || !v->next || !v->sums)
		return SOTTO_ENOMEM;
	for (size_t group = 0; group < v->groups; group++)
		v->next[group] = (uint32_t)(group * room);
	if (is_short) {
		v->steps = sotto_bitsum_steps_choose();
		v->states = sotto_pages_new(v->groups * sizeof *v->states, false);
		if (!v->states)
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_vectors_new(uint32_t bits, size_t groups, bool counted, struct sotto_vectors **out)
{
	struct sotto_vectors *v = calloc(1, sizeof *v);

	if (!v)
		return SOTTO_ENOMEM;
	v->bits = bits;
	v->counted = counted;
	v->groups = groups;
	v->bytes = bit_bytes(bits);
	v->padded = padded_bytes(v->bytes);
	if (make_waiting(v) != SOTTO_OK) {
		sotto_vectors_free(v);
		return SOTTO_ENOMEM;
	}
	*out = v;
	return SOTTO_OK;
}

void sotto_vectors_free(struct sotto_vectors *v)
{
	if (!v)
		return;
	sotto_pages_free(v->waiting, v->groups * v->room);
	sotto_pages_free(v->states, v->groups * sizeof *v->states);
	free(v->next);
	free(v->sums);
	free(v);
}

/* Brings the sum of a group, and the first n vectors that wait for it, to the counters. */
static void
sum_waiting(struct sotto_vectors *v, const struct sotto_vector_sums *to, size_t group, size_t n)
{
	uint64_t *cells = to->cells + group * v->bits;

	memset(v->sums, 0, 8 * v->padded * sizeof *v->sums);
	sotto_bitsum_add(v->sums, v->padded, v->waiting + group * v->room, n);
	if (v->states)
		v->steps.drop(&v->states[group], v->padded, v->sums);
	for (uint32_t i = 0; i < v->bits; i++)
		cells[i] += v->sums[i];
	if (v->counted)
		to->groups[group] += n;
}

/* The group has all the vectors that may wait; from now on none does. */
static void
group_is_full(struct sotto_vectors *v, const struct sotto_vector_sums *to, size_t group)
{
	size_t n = v->room / v->padded;

	if (!v->states || v->states[group].blocks == SOTTO_BITSUM_BLOCKS_MAX) {
		sum_waiting(v, to, group, n);
		return;
	}
	v->steps.fold(&v->states[group], v->waiting + group * v->room);
	if (v->counted)
		to->groups[group] += n;
}

static void count_bits(const uint8_t *vector, uint32_t bits, uint64_t *cells)
{
	for (uint32_t at = 0; at < bits; at += 64) {
		uint64_t word = load_le(vector + at / 8,
					bits - at >= 64 ? 8 : (unsigned)bit_bytes(bits - at));

		for (; word; word &= word - 1)
			cells[at + (unsigned)__builtin_ctzll(word)]++;
	}
}

static void count_now(struct sotto_vectors *v, const struct sotto_vector_sums *to, size_t group,
		      const uint8_t *vector)
{
	count_bits(vector, v->bits, to->cells + group * v->bits);
	if (v->counted)
		to->groups[group]++;
}

void sotto_vectors_add(struct sotto_vectors *v, const struct sotto_vector_sums *to,
		       size_t group, const uint8_t *vector)
{
	if (v->room == 0) {
		count_now(v, to, group, vector);
		return;
	}
	memcpy(v->waiting + v->next[group], vector, v->bytes);
	v->next[group] += (uint32_t)v->padded;
	if (v->next[group] == (group + 1) * v->room) {
		v->next[group] = (uint32_t)(group * v->room);
		group_is_full(v, to, group);
	}
}

/*
 * Short vectors; bytes, padded and head are constants where it is called for the usual
 * sizes, and n is at most TOGETHER.  Places first and copies after: were each vector copied
 * before the next place is looked up, that look would wait until the address of the copy is
 * known, because groups come again too soon for the processor to bet that the two differ.
 */
static inline __attribute__((always_inline)) void
run_few(struct sotto_vectors *v, const struct sotto_vector_sums *to, const uint8_t *r,
	size_t stride, size_t n, unsigned head, size_t bytes, size_t padded)
{
	const uint32_t inside = SOTTO_BITSUM_BLOCK - 1, step = (uint32_t)padded;
	uint32_t place[TOGETHER];

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		const uint8_t *report = r + i * stride;
		size_t group = head == 1 ? report[0] : load_le(report, head);
		uint32_t at = v->next[group];

		place[i] = at;
		v->next[group] = (at & ~inside) | ((at + step) & inside);
	}
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		memcpy(v->waiting + place[i], r + i * stride + head, bytes);
		if (((place[i] + step) & inside) == 0)
			group_is_full(v, to, place[i] / SOTTO_BITSUM_BLOCK);
	}
}

static inline __attribute__((always_inline)) void
run(struct sotto_vectors *v, const struct sotto_vector_sums *to, const uint8_t *r,
    size_t stride, size_t n, unsigned head, size_t bytes, size_t padded)
{
	for (; n >= TOGETHER; n -= TOGETHER, r += TOGETHER * stride) {
		for (size_t i = 0; i < TOGETHER * (head + bytes); i += 128)
			__builtin_prefetch(r + AHEAD + i, 0, 2);
		run_few(v, to, r, stride, TOGETHER, head, bytes, padded);
	}
	for (; n > 0; n--, r += stride)
		run_few(v, to, r, stride, 1, head, bytes, padded);
}

/* Vectors of the one group, back to back: summed where they lie. */
static void sum_run(struct sotto_vectors *v, const struct sotto_vector_sums *to,
		    const uint8_t *vectors, size_t n)
{
	memset(v->sums, 0, 8 * v->bytes * sizeof *v->sums);
	sotto_bitsum_add(v->sums, v->bytes, vectors, n);
	for (uint32_t i = 0; i < v->bits; i++)
		to->cells[i] += v->sums[i];
	if (v->counted)
		to->groups[0] += n;
}

void sotto_vectors_add_run(struct sotto_vectors *v, const struct sotto_vector_sums *to,
			   const uint8_t *reports, size_t stride, unsigned head, size_t n)
{
	if (head == 0 && stride == v->bytes && v->room && n >= RUN_MIN)
		sum_run(v, to, reports, n);
	else if (!v->states)
		for (size_t i = 0; i < n; i++, reports += stride)
			sotto_vectors_add(v, to, load_le(reports, head), reports + head);
	else if (head == 1 && v->bytes == 16)
		run(v, to, reports, stride, n, 1, 16, 16);
	else if (head == 1 && v->bytes == 4)
		run(v, to, reports, stride, n, 1, 4, 4);
	else if (head == 1 && v->bytes == 1)
		run(v, to, reports, stride, n, 1, 1, 1);
	else
		run(v, to, reports, stride, n, head, v->bytes, v->padded);
}

void sotto_vectors_flush(struct sotto_vectors *v, const struct sotto_vector_sums *to)
{
	for (size_t group = 0; v->room && group < v->groups; group++) {
		size_t used = v->next[group] - group * v->room;

		v->next[group] = (uint32_t)(group * v->room);
		if (used || (v->states && v->states[group].blocks))
			sum_waiting(v, to, group, used / v->padded);
	}
}
