#include "local/intake.h"

#include <stdlib.h>
#include <string.h>

#include "client/layout.h"
#include "local/bitsum.h"
#include "local/scatter.h"

/* Bit vectors of one group that wait for the kernel; all groups together have a cap. */
#define GROUP_BYTES 8192
#define WAITING_MAX ((size_t)64 << 20)

struct sotto_intake {
	struct sotto_client_params params;
	size_t stride;
	struct sotto_scatter *scatter;
	size_t padded; /* bytes of a waiting vector; 0: bits are counted one by one */
	size_t rows; /* waiting vectors of a group */
	size_t vector_groups;
	uint8_t *waiting;
	uint32_t *used;
	uint64_t *sums; /* of one flush */
};

static bool sends_bits(const struct sotto_client_params *p)
{
	switch (p->protocol) {
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE:
	case SOTTO_CLIENT_RAPPOR:
	case SOTTO_CLIENT_CMS:
	case SOTTO_CLIENT_SFP:
		return true;
	default:
		return false;
	}
}

static uint32_t vector_bits(const struct sotto_client_params *p)
{
	return p->protocol == SOTTO_CLIENT_SUE || p->protocol == SOTTO_CLIENT_OUE ? p->size
										  : p->width;
}

/* The kernel likes powers of two and multiples of its vector. */
static size_t padded_bytes(size_t bytes)
{
	size_t n = 1;

	while (n < bytes && n < 64)
		n *= 2;
	return bytes <= 64 ? n : (bytes + 63) / 64 * 64;
}

static enum sotto_status make_waiting(struct sotto_intake *in, const struct sotto_shape *shape)
{
	size_t groups = shape->groups ? shape->groups : 1;
	size_t padded = padded_bytes(bit_bytes(vector_bits(&in->params)));
	size_t rows = GROUP_BYTES / padded ? GROUP_BYTES / padded : 1;

	if (groups * rows * padded > WAITING_MAX)
		return SOTTO_OK; /* too many groups: count bit by bit */
	in->padded = padded;
	in->rows = rows;
	in->vector_groups = groups;
	in->waiting = calloc(groups, rows * padded);
	in->used = calloc(groups, sizeof *in->used);
	in->sums = malloc(8 * padded * sizeof *in->sums);
	return in->waiting && in->used && in->sums ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status
sotto_intake_new(const struct sotto_client_params *params, struct sotto_intake **out)
{
	struct sotto_intake *in = calloc(1, sizeof *in);
	struct sotto_shape shape;
	enum sotto_status st;

	if (!in)
		return SOTTO_ENOMEM;
	in->params = *params;
	in->stride = sotto_client_report_bytes(params);
	st = sotto_shape_of(params, &shape);
	if (st == SOTTO_OK)
		st = sends_bits(params) ? make_waiting(in, &shape)
					: sotto_scatter_new(shape.cells, &in->scatter);
	if (st != SOTTO_OK) {
		sotto_intake_free(in);
		return st;
	}
	*out = in;
	return SOTTO_OK;
}

void sotto_intake_free(struct sotto_intake *in)
{
	if (!in)
		return;
	sotto_scatter_free(in->scatter);
	free(in->waiting);
	free(in->used);
	free(in->sums);
	free(in);
}

static void flush_group(struct sotto_intake *in, size_t group, uint64_t *cells)
{
	uint32_t bits = vector_bits(&in->params);

	memset(in->sums, 0, 8 * in->padded * sizeof *in->sums);
	sotto_bitsum_add(in->sums, in->padded, in->waiting + group * in->rows * in->padded,
			 in->used[group]);
	for (uint32_t i = 0; i < bits; i++)
		cells[group * bits + i] += in->sums[i];
	in->used[group] = 0;
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

/* A call of memcpy per report would cost more than the counting; 128 bits are the usual size. */
static inline void copy_vector(uint8_t *to, const uint8_t *from, size_t n)
{
	if (n == 16)
		memcpy(to, from, 16);
	else if (n <= 8)
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
	else
		memcpy(to, from, n);
}

static inline void
add_vector(struct sotto_intake *in, size_t group, const uint8_t *vector, uint64_t *cells)
{
	uint32_t bits = vector_bits(&in->params);

	if (in->padded == 0) {
		count_bits(vector, bits, cells + group * bits);
		return;
	}
	copy_vector(in->waiting + (group * in->rows + in->used[group]) * in->padded, vector,
		    bit_bytes(bits));
	if (++in->used[group] == in->rows)
		flush_group(in, group, cells);
}

static void
add_bits(struct sotto_intake *in, const uint8_t *r, uint64_t *groups, uint64_t *cells)
{
	const struct sotto_client_params *p = &in->params;
	unsigned head = bytes_below(p->groups);
	size_t row;

	if (p->protocol == SOTTO_CLIENT_SUE || p->protocol == SOTTO_CLIENT_OUE) {
		add_vector(in, 0, r, cells);
		return;
	}
	if (p->protocol == SOTTO_CLIENT_SFP) {
		row = (size_t)r[0] * p->groups + load_le(r + 1, head);
		groups[row]++;
		add_vector(in, row, r + 1 + head, cells);
		r += 1 + sketch_bytes(p);
		row = (size_t)sfp_starts(p) * p->groups + load_le(r, head);
	} else {
		row = load_le(r, head);
	}
	groups[row]++;
	add_vector(in, row, r + head, cells);
}

/* The cell of a Hadamard sketch report at r, in the table-th table. */
static void add_signed(struct sotto_intake *in, const uint8_t *r, size_t table, uint64_t *cells)
{
	const struct sotto_client_params *p = &in->params;
	unsigned head = bytes_below(p->groups);
	uint64_t packed = load_le(r + head, bytes_below(2 * (uint64_t)p->width));
	uint64_t row = table * p->groups + load_le(r, head);

	sotto_scatter_add(in->scatter, cells, (uint32_t)(row * p->width + (packed >> 1)),
			  packed & 1);
}

static void add_buckets(const struct sotto_client_params *p, const uint8_t *r, uint64_t *groups,
			uint64_t *cells)
{
	unsigned bytes = bytes_below(p->size);
	const uint8_t *bits = r + (size_t)p->hashes * bytes;

	for (uint32_t i = 0; i < p->hashes; i++) {
		size_t bucket = load_le(r + (size_t)i * bytes, bytes);

		groups[bucket]++;
		cells[bucket] += bits[i / 8] >> i % 8 & 1;
	}
}

static void
add_one(struct sotto_intake *in, const uint8_t *r, uint64_t *groups, uint64_t *cells)
{
	const struct sotto_client_params *p = &in->params;
	unsigned bytes;
	size_t table;

	switch (p->protocol) {
	case SOTTO_CLIENT_RR:
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		cells[0] += r[0];
		break;
	case SOTTO_CLIENT_GRR:
	case SOTTO_CLIENT_HR:
		sotto_scatter_add(in->scatter, cells,
				  (uint32_t)load_le(r, (unsigned)in->stride), 0);
		break;
	case SOTTO_CLIENT_FLH:
		bytes = bytes_below(p->groups);
		sotto_scatter_add(in->scatter, cells,
				  (uint32_t)(load_le(r, bytes) * p->hashes +
					     load_le(r + bytes, bytes_below(p->hashes))),
				  0);
		break;
	case SOTTO_CLIENT_SUBSET:
		bytes = bytes_below(p->size);
		for (uint32_t i = 0; i < p->hashes; i++)
			cells[load_le(r + (size_t)i * bytes, bytes)]++;
		break;
	case SOTTO_CLIENT_HCMS:
		add_signed(in, r, 0, cells);
		break;
	case SOTTO_CLIENT_DBITFLIP:
		add_buckets(p, r, groups, cells);
		break;
	default: /* TREEHIST */
		bytes = bytes_below(tree_levels(p));
		table = load_le(r, bytes);
		groups[table]++;
		add_signed(in, r + bytes, table, cells);
		add_signed(in, r + bytes + hadamard_bytes(p), tree_levels(p), cells);
		break;
	}
}

/* RAPPOR and CMS with one byte of row number, the shape of most collections. */
static void add_byte_rows(struct sotto_intake *in, const uint8_t *r, size_t n, uint64_t *groups,
			  uint64_t *cells)
{
	size_t stride = in->stride;

	for (size_t i = 0; i < n; i++, r += stride) {
		groups[r[0]]++;
		add_vector(in, r[0], r + 1, cells);
	}
}

void sotto_intake_add(struct sotto_intake *in, const uint8_t *reports, size_t n,
		      uint64_t *groups, uint64_t *cells)
{
	const struct sotto_client_params *p = &in->params;
	bool bits = sends_bits(p);

	if ((p->protocol == SOTTO_CLIENT_RAPPOR || p->protocol == SOTTO_CLIENT_CMS) &&
	    p->groups <= 256) {
		add_byte_rows(in, reports, n, groups, cells);
		return;
	}
	for (size_t i = 0; i < n; i++, reports += in->stride) {
		if (bits)
			add_bits(in, reports, groups, cells);
		else
			add_one(in, reports, groups, cells);
	}
}

void sotto_intake_flush(struct sotto_intake *in, uint64_t *cells)
{
	for (size_t group = 0; group < in->vector_groups; group++)
		if (in->used[group])
			flush_group(in, group, cells);
	if (in->scatter)
		sotto_scatter_flush(in->scatter, cells);
}
