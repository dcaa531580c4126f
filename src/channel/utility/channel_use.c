/* What an analyst gains from a channel by the best guesses, in exact fractions. */
#include <stdlib.h>

#include "channel/matrix/channel_integers.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

static enum sotto_status allocate(struct sotto_use *u, size_t outputs, size_t guesses)
{
	u->outputs = outputs;
	u->guesses = guesses;
	u->remap = calloc(outputs, sizeof *u->remap);
	u->best = calloc(outputs * guesses, sizeof *u->best);
	return u->remap && u->best ? SOTTO_OK : SOTTO_ENOMEM;
}

/*
 * The sums below are kept as integers: prior times gain over one denominator, and each
 * column of the channel over its own.
 */
struct sums {
	const struct sotto_matrix *channel, *gain;
	mpz_t *weighted; /* prior(y) gain(w,y), a row for each guess */
	mpz_t denominator;
	mpz_t *column, column_denominator;
	mpz_t *worth; /* of each guess at one output */
};

static enum sotto_status sums_init(struct sums *s, const struct sotto_matrix *channel,
				   const struct sotto_matrix *prior,
				   const struct sotto_matrix *gain)
{
	size_t cells = gain->rows * gain->columns;
	struct sotto_matrix *product;

	*s = (struct sums){.channel = channel, .gain = gain};
	mpz_inits(s->denominator, s->column_denominator, (mpz_ptr)0);
	s->weighted = sotto_integers_new(cells);
	s->column = sotto_integers_new(channel->rows);
	s->worth = sotto_integers_new(gain->rows);
	if (!s->weighted || !s->column || !s->worth)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_matrix_new(gain->rows, gain->columns, &product));
	for (size_t i = 0; i < cells; i++)
		mpq_mul(product->cells[i], gain->cells[i], prior->cells[i % gain->columns]);
	sotto_integers_of((const mpq_t *)product->cells, 1, cells, s->weighted, s->denominator);
	sotto_matrix_free(product);
	return SOTTO_OK;
}

static void sums_release(struct sums *s)
{
	sotto_integers_free(s->weighted, s->gain->rows * s->gain->columns);
	sotto_integers_free(s->column, s->channel->rows);
	sotto_integers_free(s->worth, s->gain->rows);
	mpz_clears(s->denominator, s->column_denominator, (mpz_ptr)0);
}

/* sum += part / (denominator of the gains x another) */
static void add_part(const struct sums *s, const mpz_t part, const mpz_t another, mpq_t sum)
{
	mpq_t term;

	mpq_init(term);
	mpq_set_z(term, part);
	mpz_mul(mpq_denref(term), s->denominator, another);
	mpq_canonicalize(term);
	mpq_add(sum, sum, term);
	mpq_clear(term);
}

/* What each guess is worth at output z. */
static void find_worths(struct sums *s, size_t z)
{
	size_t n = s->channel->rows;

	sotto_integers_of((const mpq_t *)s->channel->cells + z, s->channel->columns, n,
			  s->column, s->column_denominator);
	for (size_t w = 0; w < s->gain->rows; w++) {
		mpz_set_ui(s->worth[w], 0);
		for (size_t y = 0; y < n; y++)
			if (mpz_sgn(s->weighted[w * n + y]) != 0)
				mpz_addmul(s->worth[w], s->column[y], s->weighted[w * n + y]);
	}
}

/* The best guesses of one output, and what they add to the utility. */
static void choose(struct sotto_use *u, const struct sums *s, size_t z)
{
	size_t best = 0;

	for (size_t w = 1; w < u->guesses; w++)
		if (mpz_cmp(s->worth[w], s->worth[best]) > 0)
			best = w;
	u->remap[z] = best;
	for (size_t w = 0; w < u->guesses; w++)
		u->best[z * u->guesses + w] = mpz_cmp(s->worth[w], s->worth[best]) == 0;
	add_part(s, s->worth[best], s->column_denominator, u->utility.q);
	if (u->has_raw)
		add_part(s, s->worth[z], s->column_denominator, u->raw.q);
}

static void find_prior_value(struct sotto_use *u, struct sums *s)
{
	size_t n = s->gain->columns, best = 0;

	for (size_t w = 0; w < s->gain->rows; w++) {
		mpz_set_ui(s->worth[w], 0);
		for (size_t y = 0; y < n; y++)
			mpz_add(s->worth[w], s->worth[w], s->weighted[w * n + y]);
		if (mpz_cmp(s->worth[w], s->worth[best]) > 0)
			best = w;
	}
	mpz_set_ui(s->column_denominator, 1);
	add_part(s, s->worth[best], s->column_denominator, u->prior_value.q);
}

/* ---- the worst answer ---------------------------------------------------------------- */

/* The best gain that any guess has for the answer */
static void best_gain(const struct sotto_matrix *gain, size_t y, mpq_t out)
{
	mpq_set(out, sotto_matrix_at(gain, 0, y));
	for (size_t w = 1; w < gain->rows; w++)
		if (mpq_cmp(sotto_matrix_at(gain, w, y), out) > 0)
			mpq_set(out, sotto_matrix_at(gain, w, y));
}

/* Expected gain of the remap at answer y: row and gains over one denominator each. */
static void expected_gain(const struct sotto_use *u, const struct sums *s, size_t y, mpz_t *row,
			  mpz_t *gains, mpq_t out)
{
	size_t columns = s->channel->columns, guesses = s->gain->rows;
	mpz_t one, other, sum;

	mpz_inits(one, other, sum, (mpz_ptr)0);
	sotto_integers_of((const mpq_t *)s->channel->cells + y * columns, 1, columns, row, one);
	sotto_integers_of((const mpq_t *)s->gain->cells + y, s->gain->columns, guesses, gains,
			  other);
	for (size_t z = 0; z < columns; z++)
		mpz_addmul(sum, row[z], gains[u->remap[z]]);
	mpq_set_num(out, sum);
	mpz_mul(mpq_denref(out), one, other);
	mpq_canonicalize(out);
	mpz_clears(one, other, sum, (mpz_ptr)0);
}

/* max over answers of (the best gain of the answer) - (its expected gain under the remap) */
static enum sotto_status find_worst_loss(struct sotto_use *u, const struct sums *s)
{
	mpz_t *row = sotto_integers_new(s->channel->columns);
	mpz_t *gains = sotto_integers_new(s->gain->rows);
	enum sotto_status st = row && gains ? SOTTO_OK : SOTTO_ENOMEM;
	mpq_t loss, expected;

	mpq_inits(loss, expected, (mpq_ptr)0);
	for (size_t y = 0; y < s->channel->rows && st == SOTTO_OK; y++) {
		best_gain(s->gain, y, loss);
		expected_gain(u, s, y, row, gains, expected);
		mpq_sub(loss, loss, expected);
		if (mpq_cmp(loss, u->worst_loss.q) > 0)
			mpq_set(u->worst_loss.q, loss);
	}
	mpq_clears(loss, expected, (mpq_ptr)0);
	sotto_integers_free(row, s->channel->columns);
	sotto_integers_free(gains, s->gain->rows);
	return st;
}

/* ---- the whole ------------------------------------------------------------------------- */

/* Products of machine words; a second does some 10^9 of them. */
static bool is_too_large(const struct sotto_matrix *channel, const struct sotto_matrix *gain)
{
	const double most = 4e9;
	size_t words = 0;
	mpz_t common;

	mpz_init(common);
	for (size_t z = 0; z < channel->columns; z += 1 + channel->columns / 3) {
		sotto_integers_of((const mpq_t *)channel->cells + z, channel->columns,
				  channel->rows, NULL, common);
		words = mpz_size(common) > words ? mpz_size(common) : words;
	}
	mpz_clear(common);
	return (double)(words + 4) * (double)channel->rows * (double)channel->columns *
		       (double)gain->rows >
	       most;
}

static enum sotto_status fill(struct sotto_use *u, struct sums *s)
{
	for (size_t z = 0; z < u->outputs; z++) {
		find_worths(s, z);
		choose(u, s, z);
	}
	find_prior_value(u, s);
	return find_worst_loss(u, s);
}

enum sotto_status sotto_use_find(const struct sotto_matrix *channel,
				 const struct sotto_matrix *prior,
				 const struct sotto_matrix *gain, struct sotto_use *out)
{
	struct sotto_use u = {0};
	struct sums s;
	enum sotto_status st;

	if (!channel || !prior || !gain || !out || prior->columns != channel->rows ||
	    gain->columns != channel->rows || !gain->rows || !channel->columns)
		return SOTTO_EINVAL;
	if (is_too_large(channel, gain))
		return SOTTO_ERANGE;
	u.has_raw = channel->columns == gain->rows;
	sotto_rational_init(&u.utility);
	sotto_rational_init(&u.raw);
	sotto_rational_init(&u.prior_value);
	sotto_rational_init(&u.worst_loss);
	st = allocate(&u, channel->columns, gain->rows);
	if (st == SOTTO_OK) {
		st = sums_init(&s, channel, prior, gain);
		if (st == SOTTO_OK)
			st = fill(&u, &s);
		sums_release(&s);
	}
	if (st == SOTTO_OK)
		*out = u;
	else
		sotto_use_release(&u);
	return st;
}

void sotto_use_release(struct sotto_use *u)
{
	if (!u)
		return;
	sotto_rational_release(&u->utility);
	sotto_rational_release(&u->raw);
	sotto_rational_release(&u->prior_value);
	sotto_rational_release(&u->worst_loss);
	free(u->remap);
	free(u->best);
	u->remap = NULL;
	u->best = NULL;
}
