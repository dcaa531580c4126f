/*
 * A generator is dead in a forked child and after a failure; the bytes in its window are
 * the parent's.  Every sampler must renew it before it reads one.
 */
#include "core/random/coin/bernoulli.h"
#include "core/random/gaussian/dgauss.h"
#include "core/random/generator/uniform.h"
#include "core/random/laplace/dlaplace.h"
#include "core/random/laplace/geometric.h"
#include "sotto/rng.h"

#include "core/random/coin/odds_coin.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { MANY = 3000 }; /* fills by blocks */

static struct sotto_rational half, big; /* big: of more digits than a word */
static struct sotto_geometric *geometric;
static struct sotto_dlaplace *dlaplace;
static struct sotto_dgauss *dgauss;
static struct sotto_odds_coin odds;
static int64_t values[MANY];
static size_t places[MANY];
static uint8_t bytes[MANY];
static uint64_t word;
static bool bit;

static enum sotto_status fill_bytes(struct sotto_rng *rng)
{
	return sotto_rng_fill(rng, bytes, sizeof bytes);
}

static enum sotto_status draw_word(struct sotto_rng *rng)
{
	return sotto_uniform_word(rng, &word);
}

static enum sotto_status draw_below(struct sotto_rng *rng)
{
	return sotto_uniform_below(rng, 10, &word);
}

static enum sotto_status draw_permutation(struct sotto_rng *rng)
{
	return sotto_uniform_permutation(rng, places, MANY);
}

static enum sotto_status draw_ratio(struct sotto_rng *rng)
{
	return sotto_bernoulli_ratio(rng, 1, 3, &bit);
}

static enum sotto_status draw_certain_ratio(struct sotto_rng *rng)
{
	return sotto_bernoulli_ratio(rng, 3, 3, &bit);
}

static enum sotto_status draw_rational(struct sotto_rng *rng)
{
	return sotto_bernoulli_rational(rng, &big, &bit);
}

static enum sotto_status draw_exp(struct sotto_rng *rng)
{
	return sotto_bernoulli_exp(rng, &half, &bit);
}

static enum sotto_status draw_odds(struct sotto_rng *rng)
{
	return sotto_odds_coin_flip(&odds, rng, &bit);
}

static enum sotto_status draw_geometric(struct sotto_rng *rng)
{
	return sotto_geometric_draw(geometric, rng, values);
}

static enum sotto_status fill_geometric(struct sotto_rng *rng)
{
	return sotto_geometric_fill(geometric, rng, values, MANY);
}

static enum sotto_status draw_dlaplace(struct sotto_rng *rng)
{
	return sotto_dlaplace_draw(dlaplace, rng, values);
}

static enum sotto_status fill_dlaplace(struct sotto_rng *rng)
{
	return sotto_dlaplace_fill(dlaplace, rng, values, MANY);
}

static enum sotto_status fill_dlaplace_strictly(struct sotto_rng *rng)
{
	return sotto_dlaplace_fill_strict(dlaplace, rng, values, MANY);
}

static enum sotto_status draw_dgauss(struct sotto_rng *rng)
{
	return sotto_dgauss_draw(dgauss, rng, values);
}

static enum sotto_status fill_dgauss(struct sotto_rng *rng)
{
	return sotto_dgauss_fill(dgauss, rng, values, MANY);
}

static enum sotto_status (*const samplers[])(struct sotto_rng *) = {
	fill_bytes,     draw_word,
	draw_below,     draw_permutation,
	draw_ratio,     draw_certain_ratio,
	draw_rational,  draw_exp,
	draw_odds,      draw_geometric,
	fill_geometric, draw_dlaplace,
	fill_dlaplace,  fill_dlaplace_strictly,
	draw_dgauss,    fill_dgauss,
};

static const volatile uint64_t dead;

static enum sotto_status cannot_renew(struct sotto_rng *rng)
{
	(void)rng;
	return SOTTO_EENTROPY;
}

/* What the sampler does with a megabyte in the window; `used` bytes of it were read. */
static enum sotto_status sample(size_t i, bool alive, size_t *used)
{
	struct tape *t = tape_open_random(i, 1 << 20, 0);
	enum sotto_status st;

	CHECK_INT(t->rng.renew(&t->rng), SOTTO_OK);
	CHECK_INT(t->rng.end - t->rng.next, 1 << 20);
	if (!alive) {
		t->rng.alive = &dead;
		t->rng.renew = cannot_renew;
	}
	st = samplers[i](&t->rng);
	*used = tape_used(t);
	tape_close(t);
	return st;
}

static void no_sampler_reads_the_window_of_a_dead_generator(void)
{
	for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++) {
		size_t used;
		bool drawn = sample(i, true, &used) == SOTTO_OK;

		drawn = drawn && (used > 0 || samplers[i] == draw_certain_ratio);
		(void)tap_check(drawn, __FILE__, __LINE__, "sampler %zu, alive", i);
		(void)tap_check(sample(i, false, &used) == SOTTO_EENTROPY && used == 0,
				__FILE__, __LINE__, "sampler %zu, dead: %zu bytes read", i,
				used);
	}
}

int main(void)
{
	half = rational_of("1/2");
	big = rational_of("1/100000000000000000000000000000000000000003");
	sotto_odds_coin_init(&odds, half.q, half.q);
	if (sotto_geometric_new(&half, &geometric) != SOTTO_OK ||
	    sotto_dlaplace_new(&half, &dlaplace) != SOTTO_OK ||
	    sotto_dgauss_new(&half, &dgauss) != SOTTO_OK)
		return 1;
	RUN(no_sampler_reads_the_window_of_a_dead_generator);
	sotto_geometric_free(geometric);
	sotto_dlaplace_free(dlaplace);
	sotto_dgauss_free(dgauss);
	sotto_odds_coin_release(&odds);
	sotto_rational_release(&half);
	sotto_rational_release(&big);
	return tap_done();
}
