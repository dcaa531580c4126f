/*
 * Reads groups, heads, the list of open candidates and tails in the order of the definition;
 * each decision is made with certified digits.
 */
#include "testlib/sampler/gauss_replay.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/number/exp/expansion.h"
#include "core/random/gaussian/dgauss_block.h"
#include "core/random/generator/random_source.h"

enum { GROUP = 64, LANES = 4096, CELLS = 128, TAIL = 127, TIED_WORDS = 4 };

struct candidate {
	int64_t value;
	uint16_t head;
	unsigned cell;
	bool in_list; /* has a word */
	uint64_t word;
	bool yes;
};

/* Steele, Lea and Flood 2014 (SplitMix64): reproducible, not random. */
static uint64_t mix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static bool chance(struct gauss_replay *r, unsigned of_256)
{
	return mix(&r->state) % 256 < of_256;
}

static uint64_t magnitude_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* floor(2^bits p), p the acceptance */
static void acceptance_floor(const struct gauss_replay *r, const struct candidate *c,
			     unsigned bits, mpz_t out)
{
	const struct sotto_dgauss *g = r->law;
	mpq_t x;

	mpq_init(x);
	mpq_set_ui(x, magnitude_of(c->value), 1);
	mpq_mul(x, x, x);
	mpq_div(x, x, g->sigma2);
	mpq_div_2exp(x, x, 1);
	sotto_expansion_scaled_floor(x, g->cells.scale, g->cells.weight[c->cell], bits, out);
	mpq_clear(x);
}

/* A word; a written one may be the given digits. */
static uint64_t next_word(struct gauss_replay *r, bool may_tie, uint64_t tie)
{
	uint64_t word;

	assert(r->at + 8 <= r->room);
	if (r->odds) {
		word = may_tie && chance(r, r->odds->tied_word) ? tie : mix(&r->state);
		for (int i = 0; i < 8; i++)
			r->tape[r->at + i] = (uint8_t)(word >> 8 * i);
	}
	word = sotto_load_word(r->tape + r->at);
	r->at += 8;
	return word;
}

/* The 64 digits after the first `bits`. */
static uint64_t
digits_after(const struct gauss_replay *r, const struct candidate *c, unsigned bits)
{
	uint64_t word;
	mpz_t z;

	mpz_init(z);
	acceptance_floor(r, c, bits + 64, z);
	mpz_fdiv_r_2exp(z, z, 64);
	word = mpz_get_ui(z);
	mpz_clear(z);
	return word;
}

static unsigned cell_of(const struct sotto_dgauss_cells *c, const uint8_t *bytes, unsigned i)
{
	unsigned column = bytes[i] % CELLS;

	return bytes[GROUP + i] < c->keep[column] ? column : c->other[column];
}

/* A column and a threshold that give the tail. */
static void write_tail(const struct sotto_dgauss_cells *c, uint8_t *bytes, unsigned i)
{
	for (unsigned column = 0; column < CELLS; column++)
		for (unsigned byte = 0; byte < 256; byte++)
			if ((byte < c->keep[column] ? column : c->other[column]) == TAIL) {
				bytes[i] = (uint8_t)(bytes[i] & CELLS) | (uint8_t)column;
				bytes[GROUP + i] = (uint8_t)byte;
			}
}

static int64_t value_of(const struct sotto_dgauss_cells *c, const uint8_t *bytes, unsigned i)
{
	uint64_t place = 0, magnitude;

	for (unsigned k = 0; k < c->digits; k++) {
		const uint8_t *digit = bytes + (4 + 2 * k) * GROUP + 2 * i;

		place = place * 65536 + digit[0] + 256u * digit[1];
	}
	magnitude = ((uint64_t)cell_of(c, bytes, i) << c->shift) +
		    (place >> (16 * c->digits - c->shift));
	return bytes[i] >= CELLS ? -1 - (int64_t)magnitude : (int64_t)magnitude;
}

static void write_group(struct gauss_replay *r, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)mix(&r->state);
	for (unsigned i = 0; i < GROUP; i++)
		if (chance(r, r->odds->tail))
			write_tail(&r->law->cells, bytes, i);
}

static void write_head(struct gauss_replay *r, const struct candidate *c, uint8_t *at)
{
	unsigned long head;
	mpz_t z;

	if (chance(r, r->odds->rejected))
		at[0] = at[1] = 255;
	if (!chance(r, r->odds->tied_head))
		return;
	mpz_init(z);
	acceptance_floor(r, c, 16, z);
	head = c->cell == TAIL ? 0 : mpz_get_ui(z);
	head = head > 65535 ? 65535 : head;
	at[0] = (uint8_t)head;
	at[1] = (uint8_t)(head >> 8);
	mpz_clear(z);
}

/* What the judge decided on 16 digits must be so whatever the others are. */
static void check_verdict(struct gauss_replay *r, const struct candidate *c, bool yes)
{
	mpz_t z;

	mpz_init(z);
	if (c->cell != TAIL) /* where it is below 2^-74 */
		acceptance_floor(r, c, 16, z);
	r->misjudged += yes ? mpz_cmp_ui(z, c->head) <= 0 : mpz_cmp_ui(z, c->head) >= 0;
	mpz_clear(z);
}

/* Reads 64 candidates and appends the open ones to the list. */
static void
read_group(struct gauss_replay *r, struct candidate *c, struct candidate **open, size_t *count)
{
	const struct sotto_dgauss_cells *cells = &r->law->cells;
	size_t size = GROUP * (4 + 2 * (size_t)cells->digits);
	uint8_t *bytes = r->tape + r->at;
	struct sotto_dgauss_verdict verdict;
	int64_t value[GROUP];
	uint16_t head[GROUP];

	assert(r->at + size <= r->room);
	if (r->odds)
		write_group(r, bytes, size);
	for (unsigned i = 0; i < GROUP; i++) {
		c[i] = (struct candidate){.value = value_of(cells, bytes, i),
					  .cell = cell_of(cells, bytes, i)};
		if (r->odds)
			write_head(r, &c[i], bytes + 2 * GROUP + 2 * i);
		c[i].head = (uint16_t)(bytes[2 * GROUP + 2 * i] | bytes[2 * GROUP + 2 * i + 1]
									  << 8);
	}
	sotto_dgauss_portable.judge(cells, bytes, value, head, &verdict);
	for (unsigned i = 0; i < GROUP; i++) {
		r->misjudged += value[i] != c[i].value || head[i] != c[i].head;
		c[i].yes = verdict.yes >> i & 1;
		if (verdict.open >> i & 1)
			open[(*count)++] = &c[i];
		else
			check_verdict(r, &c[i], c[i].yes);
	}
	r->at += size;
}

/* In the tail: the cell, with probability 2^-(h+1) the h-th. */
static unsigned read_halvings(struct gauss_replay *r, struct candidate *c)
{
	unsigned h = 0;
	int64_t step;

	for (;;) {
		uint64_t word = next_word(r, h < 64 * 4, 0);

		for (unsigned i = 0; i < 64; i++, h++)
			if (word >> i & 1)
				goto found;
	}
found:
	step = (int64_t)((uint64_t)h << r->law->cells.shift);
	c->value += c->value < 0 ? -step : step;
	return h;
}

/* Decides by all digits there are, and reads more while they are tied. */
static void settle(struct gauss_replay *r, struct candidate *c)
{
	unsigned bits = c->in_list ? 80 : 16, raise = 0, words = 0;
	mpz_t digits, floor;
	int order;

	mpz_inits(digits, floor, NULL);
	mpz_set_ui(digits, c->head);
	if (c->in_list) {
		mpz_mul_2exp(digits, digits, 64);
		mpz_add_ui(digits, digits, c->word);
	}
	if (c->cell == TAIL) {
		raise = read_halvings(r, c) + 1;
		r->tails_settled++;
	}
	for (;; bits += 64) {
		acceptance_floor(r, c, bits + raise, floor);
		order = mpz_cmp(digits, floor);
		if (order != 0)
			break;
		r->tied_words += bits > 16;
		mpz_mul_2exp(digits, digits, 64);
		mpz_add_ui(
			digits, digits,
			next_word(r, words++ < TIED_WORDS, digits_after(r, c, bits + raise)));
	}
	c->yes = order < 0;
	r->tails_accepted += c->yes && c->cell == TAIL;
	mpz_clears(digits, floor, NULL);
}

/* Is a candidate of the tail, with its word, worth a look?  2^32 u m < 2^23 c. */
static bool tail_is_open(const struct gauss_replay *r, const struct candidate *c)
{
	const struct sotto_dgauss_cells *cells = &r->law->cells;

	return c->head == 0 && c->word < 1 << 24 &&
	       (c->word * cells->weight[TAIL]) << 9 < cells->scale;
}

/* A word worth writing: a tie, or in the tail one on either side of what is open. */
static uint64_t rare_word(struct gauss_replay *r, const struct candidate *c)
{
	if (!r->odds)
		return 0;
	return c->cell == TAIL ? mix(&r->state) % 16 : digits_after(r, c, 16);
}

static size_t budget_of(const struct sotto_dgauss *g, size_t lanes)
{
	return g->cells.shift ? 11 + lanes / 384 : 8 + lanes / 1024;
}

static void
read_list(struct gauss_replay *r, struct candidate **open, size_t count, size_t lanes)
{
	size_t budget = budget_of(r->law, lanes);
	size_t listed = count < budget ? count : budget;

	for (size_t i = 0; i < budget; i++) {
		bool real = i < listed;
		uint64_t word = next_word(r, real, real ? rare_word(r, open[i]) : 0);

		if (real) {
			open[i]->in_list = true;
			open[i]->word = word;
		}
	}
	for (size_t i = listed; i < count; i++)
		settle(r, open[i]);
	r->left_over += count - listed;
	for (size_t i = 0; i < listed; i++) {
		if (open[i]->cell == TAIL && !tail_is_open(r, open[i]))
			open[i]->yes = false;
		else
			settle(r, open[i]);
	}
}

static uint64_t plan(const struct sotto_dgauss *g, size_t n)
{
	mpz_t z, root;
	uint64_t groups;

	mpz_init_set_ui(z, n);
	mpz_init(root);
	mpz_sqrt(root, z);
	mpz_mul(z, root, root);
	if (mpz_cmp_ui(z, n) < 0)
		mpz_add_ui(root, root, 1);
	mpz_mul_ui(z, root, 10);
	mpz_add_ui(z, z, n + 50);
	mpz_mul_2exp(z, z, 32);
	mpz_fdiv_q_ui(z, z, g->cells.acceptance);
	mpz_add_ui(z, z, 1);
	groups = mpz_get_ui(z) / GROUP + 1;
	mpz_clear(z);
	mpz_clear(root);
	return groups * GROUP;
}

static size_t
read_block(struct gauss_replay *r, size_t lanes, int64_t *out, size_t have, size_t n)
{
	struct candidate *c = calloc(lanes, sizeof *c), **open = calloc(lanes, sizeof(void *));
	size_t count = 0;

	if (!c || !open)
		abort();
	for (size_t i = 0; i < lanes; i += GROUP)
		read_group(r, c + i, open, &count);
	read_list(r, open, count, lanes);
	for (size_t i = 0; i < lanes; i++)
		if (c[i].yes && have < n)
			out[have++] = c[i].value;
	free(c);
	free(open);
	return have;
}

void gauss_replay_fill(struct gauss_replay *r, int64_t *out, size_t n)
{
	size_t have = 0;

	while (have < n) {
		uint64_t lanes = plan(r->law, n - have);

		r->plans++;
		for (; lanes > LANES; lanes -= LANES)
			have = read_block(r, LANES, out, have, n);
		have = read_block(r, (size_t)lanes, out, have, n);
	}
}

size_t gauss_replay_plain_bytes(const struct sotto_dgauss *law, size_t n)
{
	size_t lanes = plan(law, n), blocks = (lanes + LANES - 1) / LANES;
	size_t last = lanes - (blocks - 1) * LANES;

	return lanes * (4 + 2 * (size_t)law->cells.digits) +
	       8 * ((blocks - 1) * budget_of(law, LANES) + budget_of(law, last));
}

size_t gauss_replay_room(const struct sotto_dgauss *law, size_t n)
{
	/* Several plans, and some words for every candidate. */
	return 20 * (gauss_replay_plain_bytes(law, n) + 8 * plan(law, n));
}
