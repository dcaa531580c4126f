/* Answers of one person: any two true answers are neighbours. */
#include "audit/audit_subject.h"

#include <stdlib.h>

#include "frame/allocation.h"
#include "sotto/choose.h"

enum { ANSWERS = 5 };

/* Two coins; the classic ones, so epsilon is ln 3 whatever the command line asks for. */
static enum sotto_status
coins_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	struct sotto_randomized_response *m = memory_new(1, sizeof *m);
	struct sotto_rational half;
	struct sotto_cost cost;
	enum sotto_status st;

	(void)terms;
	sotto_rational_init(&half);
	sotto_cost_init(&cost);
	st = sotto_rational_set_ratio(&half, 1, 2);
	if (st == SOTTO_OK)
		st = sotto_randomized_response_init(m, &half, &half, err);
	if (st == SOTTO_OK)
		st = sotto_randomized_response_cost(m, &cost);
	sotto_rational_release(&half);
	out->mechanism = m;
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status
coins_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy answer = {0};
	enum sotto_status st = sotto_randomized_response_publish(mechanism, rng,
								 sotto_exact_of(side), &answer);

	*outcome = answer.value;
	return st;
}

static void coins_close(void *mechanism)
{
	sotto_randomized_response_release(mechanism);
	free(mechanism);
}

static enum sotto_status
kary_open(const struct audit_terms *terms, struct audit_case *out, struct sotto_error *err)
{
	struct sotto_kary_response *m = NULL;
	struct sotto_cost cost;
	enum sotto_status st = sotto_kary_response_new(terms->epsilon, ANSWERS, &m, err);

	out->mechanism = m;
	sotto_cost_init(&cost);
	if (st == SOTTO_OK)
		st = sotto_kary_response_cost(m, &cost);
	return audit_claim_take(&out->claim, st, &cost);
}

static enum sotto_status
kary_run(void *mechanism, unsigned side, struct sotto_rng *rng, int64_t *outcome)
{
	struct sotto_noisy answer = {0};
	enum sotto_status st = sotto_kary_response_publish(
		mechanism, rng, sotto_exact_of(side ? ANSWERS - 1 : 1), &answer);

	*outcome = answer.value;
	return st;
}

static void kary_close(void *mechanism)
{
	sotto_kary_response_free(mechanism);
}

const struct audit_subject audit_response[] = {
	{.name = "randomized-response",
	 .inputs = "no, or yes; two fair coins",
	 .outcome = "the answer",
	 .open = coins_open,
	 .run = coins_run,
	 .close = coins_close},
	{.name = "k-ary-response",
	 .inputs = "the second of 5 answers, or the last",
	 .outcome = "the answer",
	 .open = kary_open,
	 .run = kary_run,
	 .close = kary_close},
	{.name = NULL}};
