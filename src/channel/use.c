#include <stdlib.h>

#include "base/failure.h"
#include "channel/matrix.h"
#include "sotto/utility.h"

static enum sotto_status allocate(struct sotto_use *u, size_t outputs, size_t guesses)
{
	u->outputs = outputs;
	u->guesses = guesses;
	u->remap = calloc(outputs, sizeof *u->remap);
	u->best = calloc(outputs * guesses, sizeof *u->best);
	return u->remap && u->best ? SOTTO_OK : SOTTO_ENOMEM;
}

/* prior(y) gain(w,y), a row for each guess */
static enum sotto_status weighted_gain(const struct sotto_matrix *prior,
				       const struct sotto_matrix *gain,
				       struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(gain->rows, gain->columns, out));
	for (size_t w = 0; w < gain->rows; w++)
		for (size_t y = 0; y < gain->columns; y++)
			mpq_mul(sotto_matrix_at(*out, w, y), sotto_matrix_at(gain, w, y),
				prior->cells[y]);
	return SOTTO_OK;
}

/* The best guesses of one output, and what they add to the utility. */
static void choose(struct sotto_use *u, const struct sotto_matrix *worth, size_t z)
{
	size_t best = 0;

	for (size_t w = 1; w < u->guesses; w++)
		if (mpq_cmp(sotto_matrix_at(worth, w, z), sotto_matrix_at(worth, best, z)) > 0)
			best = w;
	u->remap[z] = best;
	for (size_t w = 0; w < u->guesses; w++)
		u->best[z * u->guesses + w] = mpq_equal(sotto_matrix_at(worth, w, z),
							sotto_matrix_at(worth, best, z));
	mpq_add(u->utility.q, u->utility.q, sotto_matrix_at(worth, best, z));
	if (u->has_raw)
		mpq_add(u->raw.q, u->raw.q, sotto_matrix_at(worth, z, z));
}

static void find_prior_value(struct sotto_use *u, const struct sotto_matrix *weighted)
{
	mpq_t sum;

	mpq_init(sum);
	for (size_t w = 0; w < weighted->rows; w++) {
		sotto_matrix_row_sum(sum, weighted, w);
		if (w == 0 || mpq_cmp(sum, u->prior_value.q) > 0)
			mpq_set(u->prior_value.q, sum);
	}
	mpq_clear(sum);
}

/* The best gain that any guess has for the answer */
static void best_gain(const struct sotto_matrix *gain, size_t y, mpq_t out)
{
	mpq_set(out, sotto_matrix_at(gain, 0, y));
	for (size_t w = 1; w < gain->rows; w++)
		if (mpq_cmp(sotto_matrix_at(gain, w, y), out) > 0)
			mpq_set(out, sotto_matrix_at(gain, w, y));
}

/* max over answers of (the best gain of the answer) - (its expected gain under the remap) */
static void find_worst_loss(const struct sotto_use *u, const struct sotto_matrix *channel,
			    const struct sotto_matrix *gain, mpq_t out)
{
	mpq_t loss, term;

	mpq_inits(loss, term, (mpq_ptr)0);
	mpq_set_ui(out, 0, 1);
	for (size_t y = 0; y < channel->rows; y++) {
		best_gain(gain, y, loss);
		for (size_t z = 0; z < channel->columns; z++) {
			mpq_mul(term, sotto_matrix_at(channel, y, z),
				sotto_matrix_at(gain, u->remap[z], y));
			mpq_sub(loss, loss, term);
		}
		if (mpq_cmp(loss, out) > 0)
			mpq_set(out, loss);
	}
	mpq_clears(loss, term, (mpq_ptr)0);
}

enum sotto_status sotto_use_find(const struct sotto_matrix *channel,
				 const struct sotto_matrix *prior,
				 const struct sotto_matrix *gain, struct sotto_use *out)
{
	struct sotto_matrix *weighted = NULL, *worth = NULL;
	struct sotto_use u = {.has_raw = channel->columns == gain->rows};
	enum sotto_status st;

	if (prior->columns != channel->rows || gain->columns != channel->rows || !gain->rows)
		return SOTTO_EINVAL;
	sotto_rational_init(&u.utility);
	sotto_rational_init(&u.raw);
	sotto_rational_init(&u.prior_value);
	sotto_rational_init(&u.worst_loss);
	st = allocate(&u, channel->columns, gain->rows);
	if (st == SOTTO_OK)
		st = weighted_gain(prior, gain, &weighted);
	if (st == SOTTO_OK)
		st = sotto_matrix_product(weighted, channel, &worth);
	if (st == SOTTO_OK) {
		for (size_t z = 0; z < u.outputs; z++)
			choose(&u, worth, z);
		find_prior_value(&u, weighted);
		find_worst_loss(&u, channel, gain, u.worst_loss.q);
		*out = u;
	} else {
		sotto_use_release(&u);
	}
	sotto_matrix_free(weighted);
	sotto_matrix_free(worth);
	return st;
}

void sotto_use_release(struct sotto_use *u)
{
	sotto_rational_release(&u->utility);
	sotto_rational_release(&u->raw);
	sotto_rational_release(&u->prior_value);
	sotto_rational_release(&u->worst_loss);
	free(u->remap);
	free(u->best);
	u->remap = NULL;
	u->best = NULL;
}
