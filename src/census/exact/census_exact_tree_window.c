/* Prices at which nodes want to be what doubles have as their optimum. */
#include "census/exact/census_exact_tree_window.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "census/exact/census_json_text.h"
#include "census/tree/census_tree.h"

struct prices {
	double left, right; /* of the node; of the children together while they are added */
	double scale; /* of the terms that they come from */
};

struct guess {
	struct sotto_tree tree;
	uint32_t *first, *count;
	double *y, *s, *low, *high, *x;
	struct prices *prices;
};

static void guess_release(struct guess *g)
{
	free(g->first);
	free(g->y);
	free(g->prices);
}

static double nearest(const struct sotto_extended *e)
{
	return e->infinite ? INFINITY : sotto_rational_nearest(e->q);
}

static bool guess_init(struct guess *g, const struct sotto_exact_tree *t)
{
	*g = (struct guess){.first = malloc(2 * t->n * sizeof *g->first),
			    .y = malloc(5 * t->n * sizeof *g->y),
			    .prices = malloc(t->n * sizeof *g->prices)};
	if (!g->first || !g->y || !g->prices)
		return false;
	g->count = g->first + t->n;
	g->s = g->y + t->n;
	g->low = g->s + t->n;
	g->high = g->low + t->n;
	g->x = g->high + t->n;
	for (size_t i = 0; i < t->n; i++) {
		const struct sotto_exact_node *v = &t->nodes[i];

		g->first[i] = (uint32_t)v->first;
		g->count[i] = (uint32_t)v->count;
		g->y[i] = sotto_rational_nearest(v->value);
		g->s[i] = nearest(&v->variance);
		g->low[i] = sotto_rational_nearest(v->low);
		g->high[i] = nearest(&v->high);
	}
	g->tree = (struct sotto_tree){.n = t->n, .first = g->first, .count = g->count};
	return true;
}

/* From the prices of the children, or none, to those of the node. */
static void set_own(const struct guess *g, size_t i)
{
	struct prices *p = &g->prices[i];
	double x = g->x[i], little = 1e-9 * (1 + fabs(x));
	bool measured = isfinite(g->s[i]) && g->s[i] > 0;

	if (g->count[i] == 0)
		*p = (struct prices){0, 0, 0};
	if (measured) {
		p->left += (x - g->y[i]) / g->s[i];
		p->right += (x - g->y[i]) / g->s[i];
		p->scale = fmax(p->scale, (1 + fabs(x) + fabs(g->y[i])) / g->s[i]);
	}
	if (x <= g->low[i] + little)
		p->left = -INFINITY;
	if (x >= g->high[i] - little)
		p->right = INFINITY;
}

static void add_to_parent(const struct guess *g, size_t i, size_t parent)
{
	struct prices *p = &g->prices[parent];

	p->left = fmax(p->left, g->prices[i].left);
	p->right = fmin(p->right, g->prices[i].right);
	p->scale = fmax(p->scale, g->prices[i].scale);
}

/* A short fraction at or beyond x, on the side of `away`. */
static void set_end(struct sotto_extended *end, double x, double away)
{
	enum { BITS = 20 };
	int exponent;
	double part = frexp(x + away, &exponent);

	end->infinite = !isfinite(x + away);
	if (end->infinite)
		return;
	part = ldexp(part, BITS);
	mpq_set_d(end->q, ldexp(away < 0 ? floor(part) : ceil(part), exponent - BITS));
}

static void set_window(struct sotto_exact_window *w, const struct prices *p)
{
	double left = fmin(p->left, p->right), right = fmax(p->left, p->right);
	double margin = 1e-7 * p->scale + 1e-300;

	set_end(&w->left, left, -margin);
	set_end(&w->right, right, margin);
}

static void set_windows(const struct guess *g, const struct sotto_exact_tree *t,
			struct sotto_exact_window *w)
{
	for (size_t i = 0; i < t->n; i++)
		g->prices[i] = (struct prices){-INFINITY, INFINITY, 0};
	for (size_t i = t->n; i-- > 0;) {
		set_window(&w[i], &g->prices[i]);
		set_own(g, i);
		if (i > 0)
			add_to_parent(g, i, t->nodes[i].parent);
	}
}

struct sotto_exact_window *sotto_exact_windows_new(const struct sotto_exact_tree *t)
{
	struct sotto_exact_window *w = malloc(t->n * sizeof *w);
	size_t bad;
	struct guess g;

	if (!w)
		return NULL;
	for (size_t i = 0; i < t->n; i++)
		mpq_inits(w[i].left.q, w[i].right.q, NULL);
	if (guess_init(&g, t) &&
	    sotto_tree_nnls(&g.tree, &(struct sotto_tree_measures){g.y, g.s, g.low, g.high},
			    g.x, &bad) == SOTTO_OK) {
		set_windows(&g, t, w);
	} else {
		sotto_exact_windows_free(w, t->n);
		w = NULL;
	}
	guess_release(&g);
	return w;
}

void sotto_exact_windows_free(struct sotto_exact_window *w, size_t n)
{
	for (size_t i = 0; w && i < n; i++)
		mpq_clears(w[i].left.q, w[i].right.q, NULL);
	free(w);
}
