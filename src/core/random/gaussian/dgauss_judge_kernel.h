/*
 * dgauss_judge_kernel.h - 64 candidates: drawn, and accepted or rejected on 16 digits
 *
 * Compiled once per instruction set.  The including file defines
 *
 *	JUDGE_BYTES                 size of its vectors
 *	judge_product(a, b)         upper halves of the products of two judge_lanes
 *	judge_lookup(table, index, out)     out[i] = table[index[i] % 128], 64 bytes
 *	judge_choose(random, keep, a, b, out)  out[i] = random[i] < keep[i] ? a[i] % 128 : b[i]
 *	judge_compare(p, head, below, above, verdict)  as dgauss_block.h says
 *
 * No address depends on a random byte.  The arithmetic is on 16-bit lanes, modulo
 * 2^16, the same everywhere; its error bound and the tape are in dgauss_block.md.
 * There lambda is the place in the cell, 0 at the inner and 1 at the outer edge.
 */
typedef uint16_t judge_lanes __attribute__((vector_size(JUDGE_BYTES)));
typedef uint8_t judge_bytes __attribute__((vector_size(JUDGE_BYTES / 2)));

enum { JUDGE_LANES = JUDGE_BYTES / 2 };

static inline judge_lanes judge_product(judge_lanes a, judge_lanes b);

static inline judge_lanes judge_load(const uint8_t *bytes)
{
	judge_lanes x;

	memcpy(&x, bytes, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = x << 8 | x >> 8;
#endif
	return x;
}

static inline judge_lanes judge_widen(const uint8_t *bytes)
{
	judge_bytes x;

	memcpy(&x, bytes, sizeof x);
	return __builtin_convertvector(x, judge_lanes);
}

static inline judge_lanes judge_all(uint16_t x)
{
	return (judge_lanes){0} + x;
}

/* Returns 2^16 exp(-delta) for delta in units of 2^-15, below 1.126. */
static inline judge_lanes judge_exp(const struct sotto_dgauss_cells *c, judge_lanes delta)
{
	judge_lanes sum = judge_all(c->series[SOTTO_DGAUSS_SERIES - 1]);

	for (int n = SOTTO_DGAUSS_SERIES - 2; n >= 0; n--)
		sum = c->series[n] - judge_product(delta, sum);
	return 65535 - 2 * judge_product(delta, sum);
}

/*
 * Returns delta = lambda (2 j + lambda) kappa: how much larger the exponent is than at the inner
 * edge.
 */
static inline judge_lanes judge_delta(const struct sotto_dgauss_cells *c, judge_lanes cell,
				      judge_lanes sign, judge_lanes place)
{
	judge_lanes step = sign & c->sign_step;
	judge_lanes sum = (place & c->place_mask) + step;
	judge_lanes lambda = sum | (judge_lanes)(sum < step); /* 1 is clamped to 1 - 2^-16 */
	judge_lanes linear = cell * c->slope_high + ((cell * c->slope_low + 128) >> 8);
	judge_lanes curve = (judge_product(lambda, judge_all(c->curve)) + 32) >> 6;

	return judge_product(lambda, linear + curve);
}

/* Draws cells by the alias table. */
static inline void judge_draw_cells(const struct sotto_dgauss_cells *c, const uint8_t *bytes,
				    uint8_t cell[SOTTO_DGAUSS_GROUP])
{
	uint8_t keep[SOTTO_DGAUSS_GROUP], other[SOTTO_DGAUSS_GROUP];

	judge_lookup(c->keep, bytes, keep);
	judge_lookup(c->other, bytes, other);
	judge_choose(bytes + SOTTO_DGAUSS_GROUP, keep, bytes, other, cell);
}

/* Returns 0 or 2^16 - 1: the first digit of the byte that holds the column. */
static inline judge_lanes judge_sign(const uint8_t *bytes)
{
	return -(judge_widen(bytes) >> 7);
}

/* Computes 2^16 times the acceptance for cells of width one. */
static inline void judge_narrow_cells(const struct sotto_dgauss_cells *c, const uint8_t *bytes,
				      const uint8_t cell[SOTTO_DGAUSS_GROUP],
				      uint16_t p[SOTTO_DGAUSS_GROUP])
{
	uint8_t edge[4][SOTTO_DGAUSS_GROUP];

	judge_lookup(c->inner[0], cell, edge[0]);
	judge_lookup(c->inner[1], cell, edge[1]);
	judge_lookup(c->outer[0], cell, edge[2]);
	judge_lookup(c->outer[1], cell, edge[3]);
	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += JUDGE_LANES) {
		judge_lanes inner = judge_widen(edge[1] + i) << 8 | judge_widen(edge[0] + i);
		judge_lanes outer = judge_widen(edge[3] + i) << 8 | judge_widen(edge[2] + i);
		judge_lanes x = inner ^ ((inner ^ outer) & judge_sign(bytes + i));

		memcpy(p + i, &x, sizeof x);
	}
}

/* The same for wider cells. */
static inline void judge_wide_cells(const struct sotto_dgauss_cells *c, const uint8_t *bytes,
				    const uint8_t cell[SOTTO_DGAUSS_GROUP],
				    uint16_t p[SOTTO_DGAUSS_GROUP])
{
	const uint8_t *place = bytes + 4 * SOTTO_DGAUSS_GROUP;
	uint8_t edge[2][SOTTO_DGAUSS_GROUP];

	judge_lookup(c->inner[0], cell, edge[0]);
	judge_lookup(c->inner[1], cell, edge[1]);
	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += JUDGE_LANES) {
		judge_lanes inner = judge_widen(edge[1] + i) << 8 | judge_widen(edge[0] + i);
		judge_lanes delta = judge_delta(c, judge_widen(cell + i), judge_sign(bytes + i),
						judge_load(place + 2 * i));
		judge_lanes x = judge_product(inner, judge_exp(c, delta));

		memcpy(p + i, &x, sizeof x);
	}
}

static inline uint64_t judge_digit(const uint8_t *bytes, unsigned k, unsigned i)
{
	const uint8_t *at = bytes + (4 + 2 * k) * SOTTO_DGAUSS_GROUP + 2 * i;

	return (uint64_t)at[0] | (uint64_t)at[1] << 8;
}

/* Combines cell, place and sign; `digits` is c->digits, known to the compiler. */
static inline __attribute__((always_inline)) void
judge_place(const struct sotto_dgauss_cells *c, const uint8_t *bytes,
	    const uint8_t cell[SOTTO_DGAUSS_GROUP], unsigned digits, int64_t *value)
{
	const unsigned shift = c->shift, drop = 16 * digits - shift;

	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i++) {
		uint64_t place = 0;

		for (unsigned k = 0; k < digits; k++)
			place = place << 16 | judge_digit(bytes, k, i);
		value[i] = (int64_t)((uint64_t)cell[i] << shift | place >> drop) ^
			   -(int64_t)(bytes[i] >> 7);
	}
}

static inline void judge_place_any(const struct sotto_dgauss_cells *c, const uint8_t *bytes,
				   const uint8_t cell[SOTTO_DGAUSS_GROUP], int64_t *value)
{
	if (c->digits == 0)
		judge_place(c, bytes, cell, 0, value);
	else if (c->digits == 1)
		judge_place(c, bytes, cell, 1, value);
	else if (c->digits == 2)
		judge_place(c, bytes, cell, 2, value);
	else
		judge_place(c, bytes, cell, 3, value);
}

static void judge(const struct sotto_dgauss_cells *c, const uint8_t *bytes, int64_t *value,
		  uint16_t *head, struct sotto_dgauss_verdict *verdict)
{
	uint8_t cell[SOTTO_DGAUSS_GROUP];
	uint16_t p[SOTTO_DGAUSS_GROUP];

	judge_draw_cells(c, bytes, cell);
	for (unsigned i = 0; i < SOTTO_DGAUSS_GROUP; i += JUDGE_LANES) {
		judge_lanes x = judge_load(bytes + 2 * (SOTTO_DGAUSS_GROUP + i));

		memcpy(head + i, &x, sizeof x);
	}
	if (c->shift == 0) {
		judge_narrow_cells(c, bytes, cell, p);
		judge_compare(p, head, 0, 0, verdict);
	} else {
		judge_wide_cells(c, bytes, cell, p);
		judge_compare(p, head, SOTTO_DGAUSS_BELOW, SOTTO_DGAUSS_ABOVE, verdict);
	}
	judge_place_any(c, bytes, cell, value);
}
