/*
 * bitsum_kernel.h - the kernel, included by one file per instruction set
 *
 * VEC is the vector type and REGISTER the constraint of where it is kept, LOAD
 * reads one, ADD(a, b, c, high, low) is a full adder, NAME the function, FOLD and
 * DROP the steps of a sum that goes on.  A row is the least run of whole vectors
 * that is a whole number of reports; its columns are as wide as VEC.
 */

#define WIDTH sizeof(VEC)

/* Each vector is read once: as an operand of two instructions it would be read twice. */
#define IN_REGISTER(x) __asm__("" : "+" REGISTER(x))
#define LEVELS SOTTO_BITSUM_LEVELS /* sums fit 32 bits: at most 2^27 blocks of 16 rows */
#define BLOCKS_MAX ((size_t)SOTTO_BITSUM_BLOCKS_MAX)

struct column {
	VEC plane[LEVELS];
	VEC waiting[LEVELS];
};

/* 16 rows of one column into the planes 1, 2, 4, 8; the carry has weight 16. */
static inline __attribute__((always_inline)) VEC
fold16(VEC plane[4], const uint8_t *at, size_t stride)
{
	VEC one = plane[0], two = plane[1], four = plane[2], eight = plane[3];
	VEC twos[2], fours[2], eights[2], sixteen;

	for (unsigned e = 0; e < 2; e++) {
		for (unsigned f = 0; f < 2; f++) {
			for (unsigned t = 0; t < 2; t++) {
				VEC a = LOAD(at), b = LOAD(at + stride);

				IN_REGISTER(a);
				IN_REGISTER(b);

				ADD(one, a, b, twos[t], one);
				at += 2 * stride;
			}
			ADD(two, twos[0], twos[1], fours[f], two);
		}
		ADD(four, fours[0], fours[1], eights[e], four);
	}
	ADD(eight, eights[0], eights[1], sixteen, eight);
	plane[0] = one;
	plane[1] = two;
	plane[2] = four;
	plane[3] = eight;
	return sixteen;
}

/*
 * A carry of the weight of a level; `before` counts those before it: its bits say
 * which levels have one waiting.
 */
static inline void lift(struct column *c, VEC carry, size_t before, unsigned level)
{
	for (; before & 1; before >>= 1, level++) {
		VEC high;

		ADD(c->plane[level], c->waiting[level], carry, high, c->plane[level]);
		carry = high;
	}
	c->waiting[level] = carry;
}

static inline void fold_block(struct column *c, const uint8_t *at, size_t stride, size_t block)
{
	lift(c, fold16(c->plane, at, stride), block, 4);
}

/*
 * Four blocks, the first of a number that 4 divides: nothing waits below level 6.
 * The planes stay in registers from one to the next.
 */
static inline void fold_four(struct column *c, const uint8_t *at, size_t stride, size_t block)
{
	VEC plane[6], two[2], four;

	memcpy(plane, c->plane, sizeof plane);
	for (unsigned i = 0; i < 2; i++) {
		VEC a = fold16(plane, at, stride), b = fold16(plane, at + 16 * stride, stride);

		ADD(plane[4], a, b, two[i], plane[4]);
		at += 32 * stride;
	}
	ADD(plane[5], two[0], two[1], four, plane[5]);
	memcpy(c->plane, plane, sizeof plane);
	lift(c, four, block / 4, 6);
}

static void drop_word(uint32_t *restrict sums, uint32_t word, unsigned level)
{
	for (unsigned b = 0; b < 32; b++)
		sums[b] += (word >> b & 1) << level;
}

static void drop_plane(uint32_t *sums, const VEC *plane, unsigned level)
{
	for (size_t w = 0; w < WIDTH / 4; w++) {
		uint32_t word;

		memcpy(&word, (const uint8_t *)plane + 4 * w, 4);
		drop_word(sums + 32 * w, word, level);
	}
}

/* Adds a column's planes to the counters of its bits; `at` is its byte offset in the row. */
static void
drop(uint64_t *counters, size_t bytes, const struct column *c, size_t at, size_t blocks)
{
	uint32_t sums[8 * WIDTH] = {0};
	size_t byte = at % bytes;

	for (unsigned level = 0; level < LEVELS && (level < 5 || blocks >> (level - 5));
	     level++) {
		drop_plane(sums, &c->plane[level], level);
		if (level >= 4 && (blocks >> (level - 4) & 1))
			drop_plane(sums, &c->waiting[level], level);
	}
	for (size_t i = 0; i < WIDTH; i++) {
		for (unsigned b = 0; b < 8; b++)
			counters[8 * byte + b] += sums[8 * i + b];
		byte = byte + 1 == bytes ? 0 : byte + 1;
	}
}

/* The levels that so many blocks reach; a waiting carry is written before it is read. */
static void clear(struct column *c, size_t blocks)
{
	for (unsigned level = 0; level < LEVELS && (level < 5 || blocks >> (level - 5));
	     level++)
		memset(&c->plane[level], 0, sizeof c->plane[level]);
}

static void sum_column(uint64_t *counters, size_t bytes, const uint8_t *at, size_t offset,
		       size_t stride, size_t blocks)
{
	struct column c;

	size_t b = 0;

	clear(&c, blocks);
	for (; b + 4 <= blocks; b += 4, at += 64 * stride)
		fold_four(&c, at, stride, b);
	for (; b < blocks; b++, at += 16 * stride)
		fold_block(&c, at, stride, b);
	drop(counters, bytes, &c, offset, blocks);
}

/*
 * Up to this many columns go side by side and the stream stays sequential; of
 * wider rows a stretch that fits the second cache is read once per column.
 */
#define SIDE_BY_SIDE 4

static inline __attribute__((always_inline)) void
sum_columns(uint64_t *counters, size_t bytes, const uint8_t *rows, size_t columns,
	    size_t stride, size_t blocks)
{
	struct column c[SIDE_BY_SIDE];
	size_t b = 0;

	for (size_t i = 0; i < columns; i++)
		clear(&c[i], blocks);
	for (; b + 4 <= blocks; b += 4, rows += 64 * stride)
		for (size_t i = 0; i < columns; i++)
			fold_four(&c[i], rows + i * WIDTH, stride, b);
	for (; b < blocks; b++, rows += 16 * stride)
		for (size_t i = 0; i < columns; i++)
			fold_block(&c[i], rows + i * WIDTH, stride, b);
	for (size_t i = 0; i < columns; i++)
		drop(counters, bytes, &c[i], i * WIDTH, blocks);
}

static size_t common_divisor(size_t a, size_t b)
{
	while (b) {
		size_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

void NAME(uint64_t *counters, size_t bytes, const uint8_t *vectors, size_t n)
{
	size_t stride = bytes / common_divisor(bytes, WIDTH) * WIDTH;
	size_t per_row = stride / bytes, blocks = n / per_row / 16,
	       done = blocks * 16 * per_row;
	bool narrow = stride <= SIDE_BY_SIDE * WIDTH;
	size_t chunk = narrow ? BLOCKS_MAX : 262144 / stride / 16 + 1;

	for (size_t b = 0; b < blocks; b += chunk) {
		const uint8_t *rows = vectors + b * 16 * stride;
		size_t some = blocks - b < chunk ? blocks - b : chunk;

		if (stride == WIDTH)
			sum_columns(counters, bytes, rows, 1, WIDTH, some);
		else if (narrow)
			sum_columns(counters, bytes, rows, stride / WIDTH, stride, some);
		for (size_t at = 0; !narrow && at < stride; at += WIDTH)
			sum_column(counters, bytes, rows + at, at, stride, some);
	}
	sotto_bitsum_naive(counters, bytes, vectors + done * bytes, n - done);
}

/* ---- a sum that goes on ---- */

#define COLUMNS (SOTTO_BITSUM_ROW / WIDTH)

_Static_assert(COLUMNS * sizeof(struct column) ==
		       sizeof(((struct sotto_bitsum_state *)0)->columns),
	       "the state is the columns of one row");

void FOLD(struct sotto_bitsum_state *s, const uint8_t *block)
{
	struct column *c = (void *)s->columns;

	for (size_t i = 0; i < COLUMNS; i++)
		fold_block(&c[i], block + i * WIDTH, SOTTO_BITSUM_ROW, s->blocks);
	s->blocks++;
}

void DROP(struct sotto_bitsum_state *s, size_t bytes, uint64_t *counters)
{
	struct column *c = (void *)s->columns;

	for (size_t i = 0; i < COLUMNS; i++) {
		drop(counters, bytes, &c[i], i * WIDTH, s->blocks);
		clear(&c[i], s->blocks);
	}
	s->blocks = 0;
}
