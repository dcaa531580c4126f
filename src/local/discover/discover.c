/* Frequent strings that nobody listed: prefixes that grow from round to round. */
#include "local/discover/discover_inside.h"
#include "local/decode/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/client/encode.h"
#include "local/client/layout.h"
#include "local/decode/consistency.h"
#include "local/decode/sketch.h"
#include "local/decode/supports.h"
#include "sotto/local.h"
#include "local/protocol/record.h"

static void set_bits(uint8_t *bytes, uint32_t from, uint32_t to, uint64_t value)
{
	for (uint32_t i = to; i-- > from; value >>= 1)
		bytes[i / 8] |= (uint8_t)((value & 1) << (7 - i % 8));
}

/*
 * Each prospect of `from` bits becomes 2^(to - from) of `to` bits; an empty list
 * of 0 bits becomes all.  Fails: SOTTO_ERANGE past SOTTO_ROUND_MAX, SOTTO_ENOMEM.
 */
static enum sotto_status prospects_extend(struct sotto_prospects *p, uint32_t from, uint32_t to)
{
	size_t base = p->count ? p->count : 1, fan;
	struct sotto_prospect *grown;

	if (to - from > 24 || base > SOTTO_ROUND_MAX >> (to - from))
		return SOTTO_ERANGE;
	fan = (size_t)1 << (to - from);
	grown = calloc(base * fan, sizeof *grown);
	if (!grown)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < base * fan; i++) {
		if (p->count)
			grown[i] = p->items[i / fan];
		set_bits(grown[i].bytes, from, to, i % fan);
	}
	free(p->items);
	p->items = grown;
	p->count = base * fan;
	return SOTTO_OK;
}

static int by_score(const void *x, const void *y)
{
	const struct sotto_prospect *a = x, *b = y;

	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

/* Sorts by score, best first, and keeps so many. */
static void prospects_keep(struct sotto_prospects *p, size_t keep)
{
	qsort(p->items, p->count, sizeof *p->items, by_score);
	p->count = p->count < keep ? p->count : keep;
}

enum sotto_status sotto_findings_of(const struct sotto_prospects *p, size_t value_bytes,
				    struct sotto_local_findings *out)
{
	out->items = calloc(p->count + 1, sizeof *out->items);
	if (!out->items)
		return SOTTO_ENOMEM;
	out->count = out->queried = p->count;
	for (size_t i = 0; i < p->count; i++) {
		struct sotto_local_found *f = &out->items[i];

		memcpy(f->bytes, p->items[i].bytes, value_bytes);
		f->length = value_bytes;
		while (f->length > 0 && f->bytes[f->length - 1] == 0)
			f->length--;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_findings_read(const struct sotto_sketch *s, const uint64_t *keys,
				      const struct sotto_local_options *o,
				      struct sotto_local_findings *out)
{
	struct sotto_local_estimate *e = malloc((out->count + 1) * sizeof *e);
	enum sotto_status st = e ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		st = sotto_sketch_read(s, keys, out->count,
				       sotto_local_interval_alpha(o, out->count), o->target, e);
	for (size_t i = 0; st == SOTTO_OK && i < out->count; i++)
		out->items[i].estimate = e[i];
	free(e);
	return st;
}

/* ---- PEM ---- */

/* Copies the reports of one group, without its number; own has room for all. */
static size_t take_group(const struct sotto_local_counts *c, uint32_t group, uint8_t *own)
{
	unsigned head = bytes_below(c->params->groups);
	size_t stride = sotto_client_report_bytes(c->params), n = 0;

	for (size_t i = 0; i < c->log_reports; i++)
		if (load_le(c->log + i * stride, head) == group)
			memcpy(own + n++ * (stride - head), c->log + i * stride + head,
			       stride - head);
	return n;
}

/* Supports of the prospects in one group's reports. */
static enum sotto_status pem_supports(const struct sotto_local_counts *c, uint32_t group,
				      const struct sotto_prospects *p, uint64_t *supports,
				      size_t *users)
{
	const struct sotto_client_params *q = c->params;
	size_t stride = sotto_client_report_bytes(q) - bytes_below(q->groups);
	uint64_t *keys = calloc(p->count + 1, sizeof *keys);
	uint8_t *own = malloc(c->log_reports * stride + 1);

	if (!keys || !own) {
		free(keys);
		free(own);
		return SOTTO_ENOMEM;
	}
	*users = take_group(c, group, own);
	for (size_t i = 0; i < p->count; i++)
		keys[i] = sotto_prefix_key(p->items[i].bytes, SOTTO_VALUE_BYTES,
					   pem_prefix_bits(q, group));
	memset(supports, 0, p->count * sizeof *supports);
	sotto_olh_count(own, *users, stride, q->hashes, keys, p->count, supports);
	free(keys);
	free(own);
	return SOTTO_OK;
}

/* A count among the users of one group, as a count among all. */
static void scale(struct sotto_local_estimate *e, double by)
{
	e->count *= by;
	e->sd *= by;
	e->low *= by;
	e->high *= by;
}

static enum sotto_status
pem_estimate(const struct sotto_local_counts *c, size_t users, const uint64_t *supports,
	     const struct sotto_local_search *s, struct sotto_local_findings *out)
{
	double p = sotto_local_chance(c->params->keep), q = 1.0 / c->params->hashes;

	for (size_t i = 0; i < out->count; i++) {
		struct sotto_local_estimate *e = &out->items[i].estimate;

		SOTTO_TRY(sotto_local_estimate_pure(
			users, supports[i], p, q,
			sotto_local_interval_alpha(&s->options, out->count),
			SOTTO_LOCAL_POPULATION, e));
		scale(e, (double)c->reports / (double)users);
	}
	return SOTTO_OK;
}

static enum sotto_status pem_round(const struct sotto_local_counts *c, uint32_t group,
				   const struct sotto_local_search *s, size_t keep,
				   struct sotto_prospects *p, struct sotto_local_findings *out)
{
	uint64_t *supports = malloc((p->count + 1) * sizeof *supports);
	size_t users = 0;
	enum sotto_status st =
		supports ? pem_supports(c, group, p, supports, &users) : SOTTO_ENOMEM;

	if (st == SOTTO_OK && users == 0)
		st = SOTTO_EINVAL;
	if (st == SOTTO_OK && group + 1 == c->params->groups) {
		st = sotto_findings_of(p, (c->params->size + 7) / 8, out);
		if (st == SOTTO_OK)
			st = pem_estimate(c, users, supports, s, out);
	} else if (st == SOTTO_OK) {
		for (size_t i = 0; i < p->count; i++)
			p->items[i].score = (double)supports[i];
		prospects_keep(p, keep);
	}
	free(supports);
	return st;
}

enum sotto_status sotto_discover_pem(const struct sotto_local_counts *c,
				     const struct sotto_local_search *s,
				     struct sotto_local_findings *out)
{
	struct sotto_prospects p = {NULL, 0};
	size_t keep = s->keep ? s->keep
			      : (size_t)1 << (c->params->grain < 20 ? c->params->grain : 20);
	uint32_t bits = 0;
	enum sotto_status st = SOTTO_OK;

	for (uint32_t g = 0; g < c->params->groups && st == SOTTO_OK; g++) {
		st = prospects_extend(&p, bits, pem_prefix_bits(c->params, g));
		bits = pem_prefix_bits(c->params, g);
		if (st == SOTTO_OK)
			st = pem_round(c, g, s, keep, &p, out);
	}
	free(p.items);
	return st;
}

/* ---- TreeHist ---- */

static enum sotto_status tree_sketch(const struct sotto_local_counts *c, uint32_t table,
				     struct sotto_sketch *s, double **cells)
{
	const struct sotto_client_params *p = c->params;
	size_t size = (size_t)p->groups * p->width;
	bool whole = table == tree_levels(p);

	SOTTO_TRY(sotto_sketch_transform(c->cells + table * size, p->groups, p->width, cells));
	*s = (struct sotto_sketch){.rows = p->groups,
				   .columns = p->width,
				   .salt = whole ? tree_value_salt(p) : p->salt,
				   .flip = sotto_local_chance(whole ? p->flip2 : p->flip),
				   .n = (double)(whole ? c->reports : c->groups[table]),
				   .table = *cells};
	return SOTTO_OK;
}

static void find_keys(const struct sotto_prospects *p, uint32_t bits, uint64_t *keys)
{
	for (size_t i = 0; i < p->count; i++)
		keys[i] = sotto_prefix_key(p->items[i].bytes, SOTTO_VALUE_BYTES, bits);
}

/* What each prospect's prefix counts in a sketch. */
static enum sotto_status
score(const struct sotto_sketch *s, uint32_t bits, struct sotto_prospects *p)
{
	uint64_t *keys = calloc(p->count + 1, sizeof *keys);
	double *counts = malloc((p->count + 1) * sizeof *counts);
	bool ok = keys && counts;

	if (ok)
		find_keys(p, bits, keys);
	if (ok)
		sotto_sketch_counts(s, keys, p->count, s->rows, counts);
	for (size_t i = 0; ok && i < p->count; i++)
		p->items[i].score = counts[i];
	free(keys);
	free(counts);
	return ok ? SOTTO_OK : SOTTO_ENOMEM;
}

/* Scores one level and prunes what is below one and a half standard deviations. */
static enum sotto_status tree_round(const struct sotto_local_counts *c, uint32_t level,
				    size_t keep, struct sotto_prospects *p)
{
	struct sotto_sketch s;
	double *cells, cut;
	size_t left = 0;
	enum sotto_status st;

	SOTTO_TRY(tree_sketch(c, level, &s, &cells));
	cut = 1.5 * sqrt(sotto_sketch_noise(&s));
	st = score(&s, tree_prefix_bits(c->params, level), p);
	free(cells);
	SOTTO_TRY(st);
	prospects_keep(p, keep);
	while (left < p->count && p->items[left].score > cut)
		left++;
	p->count = left;
	return SOTTO_OK;
}

/* What the last oracle, over all users, says of the prospects. */
static enum sotto_status
tree_estimate(const struct sotto_local_counts *c, const struct sotto_local_search *s,
	      struct sotto_prospects *p, struct sotto_local_findings *out)
{
	uint64_t *keys = malloc((p->count + 1) * sizeof *keys);
	struct sotto_sketch sketch;
	double *cells = NULL;
	enum sotto_status st = keys ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		st = tree_sketch(c, tree_levels(c->params), &sketch, &cells);
	if (st == SOTTO_OK)
		st = sotto_findings_of(p, (c->params->size + 7) / 8, out);
	if (st == SOTTO_OK) {
		find_keys(p, c->params->size, keys);
		st = sotto_findings_read(&sketch, keys, &s->options, out);
	}
	free(cells);
	free(keys);
	return st;
}

enum sotto_status sotto_discover_tree(const struct sotto_local_counts *c,
				      const struct sotto_local_search *s,
				      struct sotto_local_findings *out)
{
	struct sotto_prospects p = {NULL, 0};
	size_t keep = s->keep ? s->keep : 256;
	uint32_t bits = 0;
	enum sotto_status st = SOTTO_OK;

	for (uint32_t level = 0; level < tree_levels(c->params) && st == SOTTO_OK; level++) {
		if (level > 0 && p.count == 0)
			break; /* nothing is frequent */
		st = prospects_extend(&p, bits, tree_prefix_bits(c->params, level));
		bits = tree_prefix_bits(c->params, level);
		if (st == SOTTO_OK)
			st = tree_round(c, level, keep, &p);
	}
	if (st == SOTTO_OK)
		st = tree_estimate(c, s, &p, out);
	free(p.items);
	return st;
}

/* ---- all ---- */

static int by_count(const void *x, const void *y)
{
	const struct sotto_local_found *a = x, *b = y;

	return (a->estimate.count < b->estimate.count) -
	       (a->estimate.count > b->estimate.count);
}

typedef enum sotto_status (*searching)(const struct sotto_local_counts *c,
				       const struct sotto_local_search *search,
				       struct sotto_local_findings *out);

/* The same search again, which finds the same, with intervals at the level of those selected. */
static enum sotto_status select_intervals(const struct sotto_local_counts *c, searching search,
					  const struct sotto_local_search *how,
					  const struct sotto_local_findings *f,
					  struct sotto_local_estimate *e)
{
	struct sotto_local_search wider = *how;
	struct sotto_local_findings again = {0};
	struct sotto_local_estimate *from = malloc((f->count + 1) * sizeof *from);
	enum sotto_status st = from ? SOTTO_OK : SOTTO_ENOMEM;

	if (wider.options.tests < f->queried)
		wider.options.tests = f->queried;
	wider.options.alpha = sotto_post_selected_alpha(e, f->count, &wider.options);
	if (st == SOTTO_OK)
		st = search(c, &wider, &again);
	for (size_t i = 0; st == SOTTO_OK && i < f->count; i++)
		from[i] = again.items[i].estimate;
	if (st == SOTTO_OK)
		sotto_post_take_intervals(e, from, f->count);
	sotto_local_findings_release(&again);
	free(from);
	return st;
}

/* The correction works on an array of estimates; so they go there and back. */
static enum sotto_status decide(const struct sotto_local_counts *c, searching search,
				const struct sotto_local_search *how,
				struct sotto_local_findings *f)
{
	const struct sotto_local_options *o = &how->options;
	struct sotto_local_estimate *e = malloc((f->count + 1) * sizeof *e);
	uint64_t tests = o->tests > f->queried ? o->tests : f->queried;
	enum sotto_status st = e ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; e && i < f->count; i++)
		e[i] = f->items[i].estimate;
	if (st == SOTTO_OK)
		st = sotto_local_decide(e, f->count, tests, o->alpha, o->correction);
	if (st == SOTTO_OK && o->selected)
		st = select_intervals(c, search, how, f, e);
	for (size_t i = 0; st == SOTTO_OK && i < f->count; i++) {
		f->items[i].estimate = e[i];
		f->items[i].estimate.post = e[i].count > 0 ? e[i].count : 0;
	}
	free(e);
	return st;
}

void sotto_local_findings_release(struct sotto_local_findings *f)
{
	if (!f)
		return;
	free(f->items);
	*f = (struct sotto_local_findings){0};
}

enum sotto_status
sotto_local_discover(struct sotto_local_aggregate *a, const struct sotto_local_search *search,
		     struct sotto_local_findings *out, struct sotto_error *err)
{
	if (!a || !search || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_local_counts c = sotto_local_aggregate_counts(a);
	struct sotto_local_findings found = {0};
	const struct sotto_protocol *record;
	enum sotto_status st;

	if (c.reports == 0 || sotto_local_options_check(&search->options) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EINVAL,
				  "there are no reports, or alpha is not in (0, 1)");
	record = sotto_protocol_of(c.params->protocol);
	if (!record->discover)
		return sotto_fail(err, SOTTO_EINVAL,
				  "this protocol needs a list of candidates");
	st = record->discover(&c, search, &found);
	if (st == SOTTO_OK)
		st = decide(&c, record->discover, search, &found);
	if (st != SOTTO_OK) {
		sotto_local_findings_release(&found);
		return sotto_fail(err, st,
				  "the search could not be done: too many candidates in a "
				  "round, a group without reports, or no alphabet");
	}
	qsort(found.items, found.count, sizeof *found.items, by_count);
	*out = found;
	return SOTTO_OK;
}
