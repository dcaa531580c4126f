/*
 * Certifies a path too long for a linear program from its prior and gain alone, once for alpha
 * rounded up and once rounded down; no matrix of the channel is built.
 */
#include "channel/optimal/optimal_long.h"

#include "channel/channel_show.h"
#include "channel/optimal/optimal_show.h"
#include "frame/complaint.h"

static enum sotto_status certify(const struct sotto_matrix *prior, const char *gain,
				 const struct sotto_eps *eps, enum sotto_alpha_side side,
				 struct sotto_rational *utility, bool *optimal,
				 struct sotto_error *why)
{
	struct sotto_certificate c;
	enum sotto_status st = sotto_path_certificate_find(prior, gain, eps, side, &c, why);

	if (st != SOTTO_OK)
		return st;
	*optimal = *optimal && c.optimal;
	sotto_rational_set(utility, &c.utility);
	sotto_certificate_release(&c);
	return SOTTO_OK;
}

/* Below and above e^-epsilon, which are the same where that is a fraction. */
static enum sotto_status bound(const struct sotto_matrix *prior, const char *gain,
			       const struct sotto_eps *eps, struct sotto_optimal *o,
			       bool *optimal, struct sotto_error *why)
{
	enum sotto_status st =
		certify(prior, gain, eps, SOTTO_ALPHA_UP, &o->lower, optimal, why);
	struct sotto_rational alpha;

	sotto_rational_init(&alpha);
	sotto_rational_set(&o->upper, &o->lower);
	if (st == SOTTO_OK && *optimal && !sotto_eps_alpha(eps, &alpha))
		st = certify(prior, gain, eps, SOTTO_ALPHA_DOWN, &o->upper, optimal, why);
	sotto_rational_release(&alpha);
	return st;
}

/* All ratios of a geometric mechanism are the same, so two answers tell its epsilon. */
static enum sotto_status find_verdict(const struct sotto_eps *eps, struct sotto_verdict *v)
{
	struct sotto_matrix *channel = NULL;
	struct sotto_graph *two = NULL;
	enum sotto_status st = sotto_graph_read("path", 2, &two, NULL);

	if (st == SOTTO_OK)
		st = sotto_channel_build(SOTTO_BUILD_GEOMETRIC, two, eps, &channel, NULL);
	if (st == SOTTO_OK)
		st = sotto_verify_epsilon(channel, two, v);
	sotto_matrix_free(channel);
	sotto_graph_free(two);
	return st;
}

static enum outcome show(const struct sotto_matrix *prior, const char *gain,
			 const struct sotto_eps *eps, const struct invocation *call,
			 struct sotto_error *err)
{
	struct sotto_optimal o = {.method = SOTTO_OPTIMAL_CERTIFICATE};
	struct sotto_error why = {""};
	struct sotto_verdict v;
	enum outcome outcome = OUTCOME_DONE;
	bool optimal = true;
	enum sotto_status st;

	sotto_rational_init(&o.lower);
	sotto_rational_init(&o.upper);
	sotto_verdict_init(&v);
	st = bound(prior, gain, eps, &o, &optimal, &why);
	if (st == SOTTO_OK)
		st = find_verdict(eps, &v);
	if (st != SOTTO_OK)
		outcome = channel_complain(st, &why, err);
	else if (!optimal)
		outcome = complaint_refuse(
			err,
			"the geometric mechanism is not the best for this user, and a better "
			"one is looked for among at most %d answers",
			OPTIMAL_MATRIX_MAX);
	else
		optimal_show(&o, &v, call);
	sotto_verdict_release(&v);
	sotto_optimal_release(&o);
	return outcome;
}

enum outcome optimal_long(const struct problem_settings *s, const struct invocation *call,
			  struct sotto_error *err)
{
	struct sotto_matrix *prior = NULL;
	struct sotto_error why = {""};
	struct sotto_eps *eps = NULL;
	enum outcome outcome;
	enum sotto_status st;

	if (!s->epsilon)
		return complaint_usage(
			err, "say which epsilon: --epsilon 0.5, ln2, ln(3/2) or alpha=1/2");
	if (s->answers.value > 10000)
		return complaint_usage(err, "there can be at most 10000 answers");
	st = sotto_eps_new(s->epsilon, &eps, &why);
	if (st == SOTTO_OK && sotto_eps_double(eps) == 0) {
		sotto_eps_free(eps);
		return complaint_usage(err,
				       "at epsilon 0 nothing is told; take a larger one, or "
				       "at most %d answers",
				       OPTIMAL_MATRIX_MAX);
	}
	if (st == SOTTO_OK)
		st = channel_prior_read(s, &prior, &why);
	outcome = st == SOTTO_OK ? show(prior, s->gain ? s->gain : "distance", eps, call, err)
				 : channel_complain(st, &why, err);
	sotto_matrix_free(prior);
	sotto_eps_free(eps);
	return outcome;
}
