/* Sums, inverses and cuts of the curves of an exact tree. */
#include "census/exact/census_exact_curve.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/base/failure.h"

void sotto_exact_curve_release(struct sotto_exact_curve *c)
{
	for (size_t i = 0; i < c->n; i++)
		mpq_clears(c->corners[i].mu, c->corners[i].x, NULL);
	free(c->corners);
	*c = (struct sotto_exact_curve){0};
}

enum sotto_status
sotto_exact_curve_push(struct sotto_exact_curve *c, const mpq_t mu, const mpq_t x)
{
	struct sotto_exact_corner *last = c->n ? &c->corners[c->n - 1] : NULL;

	if (last && mpq_equal(last->mu, mu) && mpq_equal(last->x, x))
		return SOTTO_OK;
	if (c->n == c->room) {
		size_t room = 2 * c->room + 4;
		struct sotto_exact_corner *grown = realloc(c->corners, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		c->corners = grown;
		c->room = room;
	}
	last = &c->corners[c->n++];
	mpq_inits(last->mu, last->x, NULL);
	mpq_set(last->mu, mu);
	mpq_set(last->x, x);
	return SOTTO_OK;
}

/* The point of the line through a and b at the given x (or the given mu). */
static void cross(const mpq_t from, const mpq_t to, const mpq_t at, const mpq_t start,
		  const mpq_t end, mpq_t out)
{
	mpq_t share;

	mpq_init(share);
	mpq_sub(share, to, from);
	mpq_sub(out, at, from);
	mpq_div(share, out, share);
	mpq_sub(out, end, start);
	mpq_mul(out, out, share);
	mpq_add(out, out, start);
	mpq_clear(share);
}

/* The first corner whose mu (or x) is not below the value; n if there is none. */
static size_t find(const struct sotto_exact_curve *c, const mpq_t value, bool by_x)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct sotto_exact_corner *k = &c->corners[middle];

		if (mpq_cmp(by_x ? k->x : k->mu, value) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void sotto_exact_curve_at(const struct sotto_exact_curve *c, const mpq_t mu, mpq_t left,
			  mpq_t right)
{
	size_t i = find(c, mu, false);

	if (i == c->n) {
		mpq_set(left, c->corners[c->n - 1].x);
		mpq_set(right, left);
		return;
	}
	if (mpq_equal(c->corners[i].mu, mu)) {
		mpq_set(left, c->corners[i].x);
		while (i + 1 < c->n && mpq_equal(c->corners[i + 1].mu, mu))
			i++;
		mpq_set(right, c->corners[i].x);
		return;
	}
	if (i == 0)
		mpq_set(left, c->corners[0].x);
	else
		cross(c->corners[i - 1].mu, c->corners[i].mu, mu, c->corners[i - 1].x,
		      c->corners[i].x, left);
	mpq_set(right, left);
}

void sotto_exact_curve_invert(const struct sotto_exact_curve *c, const mpq_t x, mpq_t mu)
{
	size_t i = find(c, x, true);

	if (i == 0 || i == c->n)
		mpq_set(mu, c->corners[i == 0 ? 0 : c->n - 1].mu);
	else
		cross(c->corners[i - 1].x, c->corners[i].x, x, c->corners[i - 1].mu,
		      c->corners[i].mu, mu);
}

static enum sotto_status push_crossing(struct sotto_exact_curve *out,
				       const struct sotto_exact_corner *a,
				       const struct sotto_exact_corner *b, const mpq_t x)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t mu;

	if (mpq_cmp(a->x, x) >= 0 || mpq_cmp(b->x, x) <= 0)
		return SOTTO_OK;
	mpq_init(mu);
	cross(a->x, b->x, x, a->mu, b->mu, mu);
	st = sotto_exact_curve_push(out, mu, x);
	mpq_clear(mu);
	return st;
}

enum sotto_status
sotto_exact_curve_clip(struct sotto_exact_curve *c, const mpq_t low, const mpq_t high)
{
	struct sotto_exact_curve out = {0};
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < c->n; i++) {
		mpq_srcptr x = c->corners[i].x;

		if (i > 0)
			st = push_crossing(&out, &c->corners[i - 1], &c->corners[i], low);
		if (st == SOTTO_OK && i > 0)
			st = push_crossing(&out, &c->corners[i - 1], &c->corners[i], high);
		if (mpq_cmp(x, low) < 0)
			x = low;
		if (mpq_cmp(x, high) > 0)
			x = high;
		if (st == SOTTO_OK)
			st = sotto_exact_curve_push(&out, c->corners[i].mu, x);
	}
	sotto_exact_curve_release(c);
	*c = out;
	return st;
}

/* Adds the point of a curve at mu: as high as X is there, on the side of what is kept. */
static enum sotto_status push_point(struct sotto_exact_curve *out,
				    const struct sotto_exact_curve *c, mpq_srcptr mu, bool left)
{
	enum sotto_status st;
	mpq_t before, after;

	mpq_inits(before, after, NULL);
	sotto_exact_curve_at(c, mu, before, after);
	st = sotto_exact_curve_push(out, mu, left ? after : before);
	mpq_clears(before, after, NULL);
	return st;
}

enum sotto_status
sotto_exact_curve_cut(struct sotto_exact_curve *c, mpq_srcptr left, mpq_srcptr right)
{
	struct sotto_exact_curve out = {0};
	enum sotto_status st = SOTTO_OK;

	if (left)
		st = push_point(&out, c, left, true);
	for (size_t i = left ? find(c, left, false) : 0; st == SOTTO_OK && i < c->n; i++) {
		if (right && mpq_cmp(c->corners[i].mu, right) >= 0)
			break;
		if (!left || mpq_cmp(c->corners[i].mu, left) > 0)
			st = sotto_exact_curve_push(&out, c->corners[i].mu, c->corners[i].x);
	}
	if (st == SOTTO_OK && right)
		st = push_point(&out, c, right, false);
	sotto_exact_curve_release(c);
	*c = out;
	return st;
}

enum sotto_status
sotto_exact_curve_copy(const struct sotto_exact_curve *from, struct sotto_exact_curve *out)
{
	for (size_t i = 0; i < from->n; i++)
		SOTTO_TRY(sotto_exact_curve_push(out, from->corners[i].mu, from->corners[i].x));
	return SOTTO_OK;
}

/* ---- sums -------------------------------------------------------------------------------- */

/* A stretch between two corners of a curve, at one of its ends. */
struct event {
	const struct sotto_exact_corner *from; /* the next corner is its other end */
	bool begins;
};

static mpq_srcptr place(const struct event *e)
{
	return e->begins ? e->from[0].mu : e->from[1].mu;
}

static int compare_places(const void *a, const void *b)
{
	return mpq_cmp(place(a), place(b));
}

/* The line that a sum follows between two places, and work. */
struct sweep {
	mpq_t at, left, right, slope, part;
};

/* A jump counts at once, a slope from here on. */
static void take_event(struct sweep *s, const struct event *e)
{
	const struct sotto_exact_corner *from = &e->from[0], *to = &e->from[1];

	mpq_sub(s->part, to->x, from->x);
	if (mpq_equal(from->mu, to->mu)) {
		if (e->begins)
			mpq_add(s->right, s->right, s->part);
		return;
	}
	mpq_sub(s->at, to->mu, from->mu);
	mpq_div(s->part, s->part, s->at);
	if (e->begins)
		mpq_add(s->slope, s->slope, s->part);
	else
		mpq_sub(s->slope, s->slope, s->part);
}

/* From left to right, through one place after the other. */
static enum sotto_status
sweep(struct sweep *s, const struct event *events, size_t n, struct sotto_exact_curve *out)
{
	for (size_t i = 0, next; i < n; i = next) {
		mpq_srcptr mu = place(&events[i]);

		if (i > 0) {
			mpq_sub(s->part, mu, place(&events[i - 1]));
			mpq_mul(s->part, s->part, s->slope);
			mpq_add(s->right, s->right, s->part);
		}
		mpq_set(s->left, s->right);
		for (next = i; next < n && mpq_equal(place(&events[next]), mu); next++)
			take_event(s, &events[next]);
		SOTTO_TRY(sotto_exact_curve_push(out, mu, s->left));
		SOTTO_TRY(sotto_exact_curve_push(out, mu, s->right));
	}
	return SOTTO_OK;
}

/* Both ends of every stretch; a curve of one corner has none, and is as high everywhere. */
static size_t
list_events(const struct sotto_exact_curve *curves, size_t n, struct event *events, mpq_t start)
{
	size_t count = 0;

	for (size_t c = 0; c < n; c++) {
		mpq_add(start, start, curves[c].corners[0].x);
		for (size_t i = 0; i + 1 < curves[c].n; i++) {
			events[count++] = (struct event){&curves[c].corners[i], true};
			events[count++] = (struct event){&curves[c].corners[i], false};
		}
	}
	return count;
}

enum sotto_status sotto_exact_curve_sum(const struct sotto_exact_curve *curves, size_t n,
					struct sotto_exact_curve *out)
{
	struct event *events;
	enum sotto_status st;
	struct sweep s;
	size_t count = 0;

	for (size_t c = 0; c < n; c++)
		count += 2 * curves[c].n;
	events = malloc((count + 1) * sizeof *events);
	if (!events)
		return SOTTO_ENOMEM;
	mpq_inits(s.at, s.left, s.right, s.slope, s.part, NULL);
	count = list_events(curves, n, events, s.right);
	qsort(events, count, sizeof *events, compare_places);
	st = count > 0 ? sweep(&s, events, count, out)
		       : sotto_exact_curve_push(out, curves[0].corners[0].mu, s.right);
	mpq_clears(s.at, s.left, s.right, s.slope, s.part, NULL);
	free(events);
	return st;
}
