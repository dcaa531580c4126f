/* From reports to counters: each way of counting has a fast path of its own. */
#include "local/aggregate/intake.h"

#include <stdlib.h>
#include <string.h>

#include "local/aggregate/scatter.h"
#include "local/aggregate/vectors.h"
#include "local/client/layout.h"
#include "local/protocol/record.h"

/* Reports whose cells are worked out before they are counted; each has at most two. */
#define BLOCK 4096

struct sotto_report_intake {
	struct sotto_client_params params;
	size_t stride;
	enum sotto_counting counting;
	struct sotto_scatter *scatter; /* or */
	struct sotto_vectors *vectors;
	uint32_t at[2 * BLOCK];
	uint8_t minus[2 * BLOCK];
};

static bool goes_both_ways(const struct sotto_report_intake *in)
{
	return in->counting == SOTTO_COUNT_SIGNED || in->counting == SOTTO_COUNT_TREE;
}

/* Where single cells or whole vectors wait until there are enough of them. */
static enum sotto_status
prepare(struct sotto_report_intake *in, const struct sotto_report_shape *shape)
{
	switch (in->counting) {
	case SOTTO_COUNT_VECTORS:
		return sotto_vectors_new(in->params.size, 1, false, &in->vectors);
	case SOTTO_COUNT_ROWS:
	case SOTTO_COUNT_FRAGMENTS:
		return sotto_vectors_new(in->params.width, shape->groups, true, &in->vectors);
	case SOTTO_COUNT_BITS:
	case SOTTO_COUNT_SYMBOLS:
	case SOTTO_COUNT_SUBSETS:
	case SOTTO_COUNT_HASHES:
	case SOTTO_COUNT_SIGNED:
	case SOTTO_COUNT_TREE:
	case SOTTO_COUNT_BUCKETS:
	case SOTTO_COUNT_NOTHING:
		break;
	}
	return sotto_scatter_new(shape->cells, goes_both_ways(in), &in->scatter);
}

enum sotto_status
sotto_intake_new(const struct sotto_client_params *params, struct sotto_report_intake **out)
{
	struct sotto_report_intake *in = calloc(1, sizeof *in);
	struct sotto_report_shape shape;
	enum sotto_status st;

	if (!in)
		return SOTTO_ENOMEM;
	in->params = *params;
	in->stride = sotto_client_report_bytes(params);
	in->counting = sotto_protocol_of(params->protocol)->counting;
	st = sotto_shape_of(params, &shape);
	if (st == SOTTO_OK)
		st = prepare(in, &shape);
	if (st != SOTTO_OK) {
		sotto_intake_free(in);
		return st;
	}
	*out = in;
	return SOTTO_OK;
}

void sotto_intake_free(struct sotto_report_intake *in)
{
	if (!in)
		return;
	sotto_scatter_free(in->scatter);
	sotto_vectors_free(in->vectors);
	free(in);
}

/* ---- vectors ---- */

static void add_fragments(struct sotto_report_intake *in, const struct sotto_vector_sums *to,
			  const uint8_t *r, size_t n)
{
	const struct sotto_client_params *p = &in->params;
	const unsigned head = bytes_below(p->groups);
	const size_t words = (size_t)sfp_starts(p) * p->groups, word = 1 + sketch_bytes(p);

	for (size_t i = 0; i < n; i++, r += in->stride) {
		sotto_vectors_add(in->vectors, to,
				  (size_t)r[0] * p->groups + load_le(r + 1, head),
				  r + 1 + head);
		sotto_vectors_add(in->vectors, to, words + load_le(r + word, head),
				  r + word + head);
	}
}

/* ---- cells ---- */

/* Little-endian numbers of n bytes each; n is a constant where this is inlined. */
static inline __attribute__((always_inline)) void
numbers(uint32_t *out, const uint8_t *r, size_t stride, size_t count, unsigned n)
{
	for (size_t i = 0; i < count; i++, r += stride)
		out[i] = (uint32_t)load_le(r, n);
}

static size_t take_symbols(struct sotto_report_intake *in, const uint8_t *r, size_t n)
{
	size_t stride = in->stride;

	if (stride == 1)
		numbers(in->at, r, stride, n, 1);
	else if (stride == 2)
		numbers(in->at, r, stride, n, 2);
	else if (stride == 3)
		numbers(in->at, r, stride, n, 3);
	else
		numbers(in->at, r, stride, n, 4);
	return n;
}

static size_t take_hashed(struct sotto_report_intake *in, const uint8_t *r, size_t n)
{
	const unsigned head = bytes_below(in->params.groups),
		       tail = bytes_below(in->params.hashes);
	const uint32_t range = in->params.hashes;

	for (size_t i = 0; i < n; i++, r += in->stride)
		in->at[i] = (uint32_t)(load_le(r, head) * range + load_le(r + head, tail));
	return n;
}

/* The cells of n Hadamard reports, the first at r, in the table whose rows start at `row`. */
static void
take_signed(struct sotto_report_intake *in, const uint8_t *r, size_t n, size_t row, size_t from)
{
	const unsigned head = bytes_below(in->params.groups),
		       tail = bytes_below(2 * (uint64_t)in->params.width);
	const uint64_t width = in->params.width;

	for (size_t i = 0; i < n; i++, r += in->stride) {
		uint64_t packed = load_le(r + head, tail);

		in->at[from + i] = (uint32_t)((row + load_le(r, head)) * width + (packed >> 1));
		in->minus[from + i] = packed & 1;
	}
}

static size_t
take_tree(struct sotto_report_intake *in, const uint8_t *r, size_t n, uint64_t *groups)
{
	const struct sotto_client_params *p = &in->params;
	const size_t levels = tree_levels(p);
	const unsigned bytes = bytes_below(levels);

	for (size_t i = 0; i < n; i++) {
		size_t level = load_le(r + i * in->stride, bytes);

		groups[level]++;
		take_signed(in, r + i * in->stride + bytes, 1, level * p->groups, i);
	}
	take_signed(in, r + bytes + hadamard_bytes(p), n, levels * p->groups, n);
	return 2 * n;
}

/* How many increments a block of reports made of itself, in at and minus. */
static size_t
take_block(struct sotto_report_intake *in, const uint8_t *r, size_t n, uint64_t *groups)
{
	if (in->counting == SOTTO_COUNT_HASHES)
		return take_hashed(in, r, n);
	if (in->counting == SOTTO_COUNT_TREE)
		return take_tree(in, r, n, groups);
	if (in->counting == SOTTO_COUNT_SYMBOLS)
		return take_symbols(in, r, n);
	take_signed(in, r, n, 0, 0);
	return n;
}

static void add_blocks(struct sotto_report_intake *in, const uint8_t *r, size_t n,
		       uint64_t *groups, uint64_t *cells)
{
	const uint8_t *minus = goes_both_ways(in) ? in->minus : NULL;

	for (size_t i = 0; i < n; i += BLOCK) {
		size_t some = n - i < BLOCK ? n - i : BLOCK;
		size_t steps = take_block(in, r + i * in->stride, some, groups);

		sotto_scatter_add(in->scatter, cells, in->at, minus, steps);
	}
}

static void add_buckets(const struct sotto_report_intake *in, const uint8_t *r, size_t n,
			uint64_t *groups, uint64_t *cells)
{
	const uint32_t d = in->params.hashes;
	const unsigned bytes = bytes_below(in->params.size);

	for (size_t report = 0; report < n; report++, r += in->stride) {
		const uint8_t *bits = r + (size_t)d * bytes;

		for (uint32_t i = 0; i < d; i++) {
			size_t bucket = load_le(r + (size_t)i * bytes, bytes);

			groups[bucket]++;
			cells[bucket] += bits[i / 8] >> i % 8 & 1;
		}
	}
}

static void
add_subsets(const struct sotto_report_intake *in, const uint8_t *r, size_t n, uint64_t *cells)
{
	const unsigned bytes = bytes_below(in->params.size);
	const size_t symbols = n * in->params.hashes; /* reports are nothing but symbols */

	for (size_t i = 0; i < symbols; i++, r += bytes)
		cells[load_le(r, bytes)]++;
}

static uint64_t sum_bytes(const uint8_t *r, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += r[i];
	return sum;
}

void sotto_intake_add(struct sotto_report_intake *in, const uint8_t *reports, size_t n,
		      uint64_t *groups, uint64_t *cells)
{
	const struct sotto_vector_sums to = {groups, cells};

	switch (in->counting) {
	case SOTTO_COUNT_VECTORS:
		sotto_vectors_add_run(in->vectors, &to, reports, in->stride, 0, n);
		break;
	case SOTTO_COUNT_ROWS:
		sotto_vectors_add_run(in->vectors, &to, reports, in->stride,
				      bytes_below(in->params.groups), n);
		break;
	case SOTTO_COUNT_FRAGMENTS:
		add_fragments(in, &to, reports, n);
		break;
	case SOTTO_COUNT_BITS:
		cells[0] += sum_bytes(reports, n);
		break;
	case SOTTO_COUNT_BUCKETS:
		add_buckets(in, reports, n, groups, cells);
		break;
	case SOTTO_COUNT_SUBSETS:
		add_subsets(in, reports, n, cells);
		break;
	case SOTTO_COUNT_SYMBOLS:
	case SOTTO_COUNT_HASHES:
	case SOTTO_COUNT_SIGNED:
	case SOTTO_COUNT_TREE:
		add_blocks(in, reports, n, groups, cells);
		break;
	case SOTTO_COUNT_NOTHING:
		break;
	}
}

void sotto_intake_flush(struct sotto_report_intake *in, uint64_t *groups, uint64_t *cells)
{
	const struct sotto_vector_sums to = {groups, cells};

	if (in->vectors)
		sotto_vectors_flush(in->vectors, &to);
	if (in->scatter)
		sotto_scatter_flush(in->scatter, cells);
}
