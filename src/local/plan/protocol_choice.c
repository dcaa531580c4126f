/* Compares the protocols that answer a question, and marks the best. */
#include "local/decode/estimate.h"
#include "local/decode/sketch.h"
#include "local/protocol/design.h"
#include "sotto/local.h"

#include <math.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/number/normal.h"
#include "local/protocol/report_shape.h"
#include "sotto/decode.h"
#include "sotto/local.h"
#include "local/protocol/record.h"

#define BLOOM_BITS 128
#define BLOOM_HASHES 2
#define COHORTS 64

/*
 * RAPPOR whose single report costs eps, or with memoize all reports of a value: one
 * round of noise in which a bit keeps its value with s/(1 + s), s = e^(eps/2h).  Fresh
 * noise is in p and q, permanent noise in f.
 */
static enum sotto_status
design_rappor(struct sotto_client_params *p, double eps, bool memoize, struct sotto_error *err)
{
	struct sotto_rational f, zero, one;
	double keep = 1 / (1 + exp(-eps / (2 * BLOOM_HASHES)));
	enum sotto_status st;

	*p = (struct sotto_client_params){
		.width = BLOOM_BITS, .hashes = BLOOM_HASHES, .groups = COHORTS};
	sotto_rational_init(&f);
	sotto_rational_init(&zero);
	sotto_rational_init(&one);
	st = sotto_rational_set_double(&f, memoize ? 2 * (1 - keep) : 0);
	if (st == SOTTO_OK)
		st = sotto_rational_set_double(&one, memoize ? 1 : keep);
	if (st == SOTTO_OK)
		st = sotto_rational_set_double(&zero, memoize ? 0 : 1 - keep);
	if (st == SOTTO_OK)
		st = sotto_local_design_rappor(p, &f, &zero, &one, err);
	sotto_rational_release(&f);
	sotto_rational_release(&zero);
	sotto_rational_release(&one);
	return st;
}

static enum sotto_status design(struct sotto_client_params *p, uint32_t protocol,
				const struct sotto_local_question *q, struct sotto_error *err)
{
	const struct sotto_protocol *record = sotto_protocol_of(protocol);

	*p = (struct sotto_client_params){.protocol = protocol, .memoize = q->memoize};
	if (record->given == SOTTO_GIVEN_CHANCES)
		return design_rappor(p, sotto_rational_double_down(q->epsilon), q->memoize,
				     err);
	p->width = record->sketch_columns;
	p->groups = record->sketch_rows;
	if (!p->width)
		p->size = (uint32_t)q->values;
	return sotto_local_design(p, q->epsilon, NULL, NULL, err);
}

static enum sotto_status
fill(struct sotto_local_choice *c, const struct sotto_local_question *q)
{
	double n = (double)q->users, d = (double)q->values;
	const struct sotto_protocol *record = sotto_protocol_of(c->params.protocol);
	struct sotto_local_privacy privacy;
	struct sotto_report_shape shape;
	enum sotto_status st;

	SOTTO_TRY(sotto_shape_of(&c->params, &shape));
	sotto_local_privacy_init(&privacy);
	st = sotto_local_privacy_state(&c->params, q->reports, &privacy);
	c->epsilon = privacy.report;
	c->after = privacy.after;
	c->permanent = privacy.permanent;
	sotto_local_privacy_release(&privacy);
	c->report_bytes = sotto_client_report_bytes(&c->params);
	/* a key makes answers, and RAPPOR's cohort, the same every time */
	c->client_bytes = q->memoize || c->params.protocol == SOTTO_CLIENT_RAPPOR
				  ? SOTTO_CLIENT_STATE_BYTES
				  : 0;
	c->sd = sqrt(record->null_variance(&c->params, n, d));
	c->cohorts = c->params.protocol == SOTTO_CLIENT_HR || c->params.groups == 0
			     ? 1
			     : c->params.groups;
	c->cohort_sd = sqrt(record->null_variance(&c->params, n / c->cohorts, d));
	c->detects = sotto_normal_upper(q->alpha / d) * c->sd / n;
	c->server_bytes = shape.keeps_reports ? n * (double)c->report_bytes
					      : 8.0 * (double)(shape.cells + shape.groups);
	c->decode_steps = record->decode_steps
				  ? record->decode_steps(&c->params, n, d, (double)shape.cells)
				  : d;
	return st;
}

static void mark_best(struct sotto_local_choice *c, size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (c[i].sd < c[best].sd)
			best = i;
	for (size_t i = 0, limit = best; i < count; i++)
		if (c[i].sd <= 1.05 * c[limit].sd &&
		    (c[i].report_bytes < c[best].report_bytes ||
		     (c[i].report_bytes == c[best].report_bytes && c[i].sd < c[best].sd)))
			best = i;
	c[best].best = true;
}

enum sotto_status sotto_local_plan(const struct sotto_local_question *q,
				   struct sotto_local_choice out[SOTTO_LOCAL_CHOICES],
				   size_t *count, struct sotto_error *err)
{
#define COUNT_ONE(id, number, text) +1
#define NUMBER(id, number, text) number,
	static const uint32_t protocols[] = {SOTTO_CLIENT_PROTOCOLS(NUMBER)};

	_Static_assert(SOTTO_CLIENT_PROTOCOLS(COUNT_ONE) <= SOTTO_LOCAL_CHOICES,
		       "there is room for all protocols");
#undef NUMBER
#undef COUNT_ONE
	size_t n = 0;

	if (!out || !count)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	if (q->users < 1 || q->values < 2 || q->values > UINT32_MAX / 2 || !(q->alpha > 0) ||
	    q->alpha >= 1)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"a plan needs at least one user, two values and 0 < alpha < 1");
	for (size_t i = 0; i < sizeof protocols / sizeof protocols[0]; i++) {
		struct sotto_local_choice c = {.best = false};
		enum sotto_status st;

		if (!sotto_protocol_of(protocols[i])->null_variance)
			continue;
		st = design(&c.params, protocols[i], q, err);
		if (st == SOTTO_ERANGE)
			return st;
		/* a report of this protocol would be too long for so many values */
		if (st != SOTTO_OK)
			continue;
		SOTTO_TRY(fill(&c, q));
		out[n++] = c;
	}
	mark_best(out, n);
	*count = n;
	return SOTTO_OK;
}
