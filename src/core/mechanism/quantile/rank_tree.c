/*
 * Ranks from a tree of noisy counts.  Only the counts on the way are drawn: noise
 * that nobody looks at need not exist.  All ranks go down together, level by
 * level, and ranks in the same node see the same noisy counts of its children.
 */
#include "core/mechanism/quantile/rank_tree.h"
#include "core/mechanism/quantile/quantile.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/base/wide.h"
#include "core/base/wipe.h"
#include "core/mechanism/quantile/rank.h"
#include "sotto/noise.h"

enum { BITS_MAX = 8 };

/* ---- shape ------------------------------------------------------------------------ */

static unsigned height_for(int64_t outcomes, unsigned bits)
{
	unsigned height = 0;

	while (height * bits < 62 && (int64_t)1 << height * bits < outcomes)
		height++;
	return height;
}

/* Noisy counts that are added up at most: children left of the way, and N for the rank. */
static double terms(const struct sotto_rank_tree *t)
{
	return (double)t->height * ((1u << t->bits) - 1) + 1;
}

/* Up to a factor: levels share epsilon evenly, or its square under zCDP. */
static double badness(const struct sotto_rank_tree *t, bool gaussian)
{
	double levels = t->height + 1;

	return sqrt(terms(t)) * (gaussian ? sqrt(levels) : levels);
}

struct sotto_rank_tree sotto_rank_tree_best(int64_t outcomes, bool gaussian)
{
	struct sotto_rank_tree best = {1, height_for(outcomes, 1)};

	for (unsigned bits = 2; bits <= BITS_MAX; bits++) {
		struct sotto_rank_tree t = {bits, height_for(outcomes, bits)};

		if (badness(&t, gaussian) < badness(&best, gaussian))
			best = t;
	}
	return best;
}

/* ---- error ------------------------------------------------------------------------ */

/* Chernoff: the best of (n ln E[exp(x Z)] - ln beta) / x over x (quantile.md). */
static double laplace_sum_error(double n, double scale, double beta)
{
	double best = INFINITY, unit = sinh(0.5 / scale);

	for (int i = 1; i < 1000; i++) {
		double x = i / (1000 * scale), ratio = sinh(x / 2) / unit;
		double error = (-n * log1p(-ratio * ratio) - log(beta)) / x;

		best = error < best ? error : best;
	}
	return best;
}

int64_t sotto_rank_tree_error_up(const struct sotto_rank_tree *t, bool gaussian, double scale,
				 double beta)
{
	double each = beta / (t->height > 0 ? t->height : 1);
	double error = gaussian ? scale * sqrt(-2 * terms(t) * log(each))
				: laplace_sum_error(terms(t), scale, each);
	double halves = 2 * ceil(error);

	return halves < 0x1p60 ? (int64_t)halves : (int64_t)1 << 60;
}

/* ---- going down ------------------------------------------------------------------- */

/* One rank on its way. */
struct walk {
	sotto_i128 target; /* in units of a value over 2 whole */
	sotto_i128 unit; /* 2 whole */
	int64_t node; /* of the level */
	sotto_i128 below; /* noisy count of values left of the node */
	int side; /* of its offset */
};

struct descent {
	const struct sotto_rank_tree *tree;
	const struct sotto_rank_noise *noise;
	const struct sotto_histogram *h;
	struct sotto_rng *rng;
	int64_t *sums;
	struct walk *walks;
	size_t count;
	struct sotto_exact exact[1 << BITS_MAX];
	struct sotto_noisy noisy[1 << BITS_MAX];
};

/* Values of the data below v; the same number of steps for every v. */
static int64_t count_below(const struct descent *d, int64_t v)
{
	size_t low = 0;

	for (size_t left = d->h->n; left > 0; left /= 2) {
		size_t half = left - left / 2;

		low += half & (size_t)sotto_mask(d->h->values[low + half - 1].secret < v);
	}
	return d->sums[low];
}

/* All noisy counts are as good as published (quantile.md): branches may look at them. */
static enum sotto_status publish(struct descent *d, size_t n)
{
	enum sotto_status st = d->noise->laplace
				       ? sotto_laplace_publish_all(d->noise->laplace, d->rng,
								   d->exact, d->noisy, n)
				       : sotto_gaussian_publish_all(d->noise->gaussian, d->rng,
								    d->exact, d->noisy, n);

	SOTTO_DECLASSIFY_BYTES(d->noisy, sizeof d->noisy);
	return st;
}

/* The noisy counts of a node's children, of those that reach into the grid. */
static enum sotto_status
publish_children(struct descent *d, unsigned level, int64_t node, size_t *n)
{
	unsigned shift = d->tree->bits * (d->tree->height - level - 1);
	int64_t first = node << d->tree->bits, last = (d->h->hi - d->h->lo) >> shift;
	int64_t most = (int64_t)1 << d->tree->bits;
	int64_t before = count_below(d, d->h->lo + (first << shift));

	*n = (size_t)(last - first + 1 < most ? last - first + 1 : most);
	for (size_t i = 0; i < *n; i++) {
		int64_t end = (first + (int64_t)i + 1) << shift;
		int64_t upto = count_below(d, d->h->lo + end);

		d->exact[i] = sotto_exact_of(upto - before);
		before = upto;
	}
	return publish(d, *n);
}

/*
 * Which child has the rank.  The running sums need not grow, since they are noisy: an
 * end of an interval takes the first (last) crossing, a rank itself that of the mean of
 * the two growing curves around the sums.
 */
static size_t choose_child(const struct descent *d, const struct walk *w, size_t n)
{
	sotto_i128 sum = w->below, most = 0, suffix[1 << BITS_MAX];

	for (size_t i = 0; i < n; i++)
		suffix[i] = sum += d->noisy[i].value;
	for (size_t i = n - 1; i-- > 0;)
		if (suffix[i] > suffix[i + 1])
			suffix[i] = suffix[i + 1];
	sum = w->below;
	for (size_t i = 0; i + 1 < n; i++) {
		sotto_i128 twice;

		sum += d->noisy[i].value;
		most = i == 0 || sum > most ? sum : most;
		twice = w->side < 0 ? 2 * most : w->side > 0 ? 2 * suffix[i] : most + suffix[i];
		if (twice * w->unit >= 2 * w->target)
			return i;
	}
	return n - 1;
}

static void step_down(struct descent *d, struct walk *w, size_t n)
{
	size_t child = choose_child(d, w, n);

	for (size_t i = 0; i < child; i++)
		w->below += d->noisy[i].value;
	w->node = (w->node << d->tree->bits) + (int64_t)child;
}

/* Every node that some rank is in is opened once; all its ranks then step down. */
static enum sotto_status descend_level(struct descent *d, unsigned level, bool *done)
{
	for (size_t i = 0; i < d->count; i++)
		done[i] = false;
	for (size_t i = 0; i < d->count; i++) {
		int64_t node = d->walks[i].node;
		size_t n;

		if (done[i])
			continue;
		SOTTO_TRY(publish_children(d, level, node, &n));
		for (size_t j = i; j < d->count; j++)
			if (!done[j] && d->walks[j].node == node) {
				step_down(d, &d->walks[j], n);
				done[j] = true;
			}
	}
	return SOTTO_OK;
}

static enum sotto_status start(struct descent *d, const struct sotto_rank *ranks)
{
	int64_t n;

	d->exact[0] = sotto_exact_of(d->sums[d->h->n]);
	SOTTO_TRY(publish(d, 1));
	n = d->noisy[0].value;
	n = n < 0 ? 0 : n > SOTTO_RANK_VALUES_MAX ? SOTTO_RANK_VALUES_MAX : n;
	for (size_t i = 0; i < d->count; i++)
		d->walks[i] =
			(struct walk){.target = sotto_rank_target(&ranks[i], n),
				      .unit = 2 * (sotto_i128)ranks[i].whole,
				      .side = (ranks[i].offset > 0) - (ranks[i].offset < 0)};
	return SOTTO_OK;
}

static enum sotto_status
descend(struct descent *d, const struct sotto_rank *ranks, struct sotto_noisy *out)
{
	bool *done = calloc(d->count + 1, sizeof *done);
	enum sotto_status st;

	d->walks = calloc(d->count + 1, sizeof *d->walks);
	st = done && d->walks ? start(d, ranks) : SOTTO_ENOMEM;
	for (unsigned level = 0; st == SOTTO_OK && level < d->tree->height; level++)
		st = descend_level(d, level, done);
	for (size_t i = 0; st == SOTTO_OK && i < d->count; i++)
		out[i].value = d->h->lo + d->walks[i].node;
	free(d->walks);
	free(done);
	return st;
}

enum sotto_status
sotto_rank_tree_publish(const struct sotto_rank_tree *t, const struct sotto_rank_noise *noise,
			struct sotto_rng *rng, const struct sotto_histogram *h,
			const struct sotto_rank *ranks, size_t count, struct sotto_noisy *out)
{
	if (!t || !noise || !rng || !h || (!ranks && count > 0) || !out)
		return SOTTO_EINVAL;

	struct descent d = {.tree = t, .noise = noise, .h = h, .rng = rng, .count = count};
	enum sotto_status st = sotto_histogram_add_up(h, &d.sums);

	if (st == SOTTO_OK)
		st = descend(&d, ranks, out);
	sotto_histogram_forget(h, d.sums);
	sotto_wipe(d.exact, sizeof d.exact);
	return st;
}
