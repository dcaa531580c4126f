/*
 * A table of weights for the named priors, and a formula in the distance for each named gain; a
 * number in a name is read exactly.
 */
#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"
#include "channel/utility/channel_user.h"
#include "core/base/failure.h"
#include "sotto/utility.h"

/* ---- names with a number: "window 1", window(1), "binomial 0.3" ----------------------- */

static bool split_name(const char *name, const char *word, mpq_t number)
{
	size_t n = strlen(word);
	struct sotto_rational r;
	char text[80];
	bool fine;

	if (strncmp(name, word, n) != 0)
		return false;
	name += n;
	if ((*name != ' ' && *name != '(') || strlen(name) >= sizeof text)
		return false;
	name += strspn(name, " (");
	n = strlen(name);
	while (n && (name[n - 1] == ')' || name[n - 1] == ' '))
		n--;
	memcpy(text, name, n);
	text[n] = '\0';
	sotto_rational_init(&r);
	fine = sotto_rational_parse(&r, text, NULL) == SOTTO_OK;
	if (fine)
		mpq_set(number, r.q);
	sotto_rational_release(&r);
	return fine;
}

/* ---- priors ------------------------------------------------------------------------------ */

/* weight of y among n answers, not normalized */
typedef void (*weight_fn)(mpq_t out, size_t y, size_t n);

static void weigh_uniform(mpq_t out, size_t y, size_t n)
{
	(void)y;
	(void)n;
	mpq_set_ui(out, 1, 1);
}

static void weigh_triangular(mpq_t out, size_t y, size_t n)
{
	(void)n;
	mpq_set_ui(out, y + 1, 1);
}

static void weigh_bimodal(mpq_t out, size_t y, size_t n)
{
	size_t far = n - 1 - y;

	mpq_set_ui(out, 1, 1);
	mpq_div_2exp(out, out, y < far ? y : far);
}

static void weigh_geometric(mpq_t out, size_t y, size_t n)
{
	(void)n;
	mpq_set_ui(out, 1, 1);
	mpq_div_2exp(out, out, y);
}

static const struct {
	const char *name;
	weight_fn weigh;
} priors[] = {
	{"uniform", weigh_uniform},
	{"triangular", weigh_triangular},
	{"bimodal", weigh_bimodal},
	{"geometric", weigh_geometric},
};

static enum sotto_status binomial_prior(const mpq_t p, size_t answers,
					struct sotto_matrix **out, struct sotto_error *err)
{
	mpq_t factor, q;
	mpz_t ways;

	if (mpq_sgn(p) < 0 || mpq_cmp_ui(p, 1, 1) > 0)
		return sotto_fail(err, SOTTO_ERANGE,
				  "binomial takes a probability from 0 to 1");
	SOTTO_TRY(sotto_matrix_new(1, answers, out));
	mpq_inits(factor, q, (mpq_ptr)0);
	mpz_init(ways);
	mpq_set_ui(q, 1, 1);
	mpq_sub(q, q, p);
	for (size_t y = 0; y < answers; y++) {
		mpq_ptr cell = (*out)->cells[y];

		mpz_bin_uiui(ways, answers - 1, y);
		mpq_set_z(cell, ways);
		mpz_pow_ui(mpq_numref(factor), mpq_numref(p), y);
		mpz_pow_ui(mpq_denref(factor), mpq_denref(p), y);
		mpq_mul(cell, cell, factor);
		mpz_pow_ui(mpq_numref(factor), mpq_numref(q), answers - 1 - y);
		mpz_pow_ui(mpq_denref(factor), mpq_denref(q), answers - 1 - y);
		mpq_mul(cell, cell, factor);
	}
	mpz_clear(ways);
	mpq_clears(factor, q, (mpq_ptr)0);
	return SOTTO_OK;
}

enum sotto_status sotto_prior_named(const char *name, size_t answers, struct sotto_matrix **out,
				    struct sotto_error *err)
{
	enum sotto_status st = SOTTO_EPARSE;
	mpq_t p;

	if (!name || !out || answers == 0)
		return SOTTO_EINVAL;
	for (size_t i = 0; i < sizeof priors / sizeof priors[0]; i++) {
		if (strcmp(priors[i].name, name) != 0)
			continue;
		SOTTO_TRY(sotto_matrix_new(1, answers, out));
		for (size_t y = 0; y < answers; y++)
			priors[i].weigh((*out)->cells[y], y, answers);
		return sotto_matrix_normalize(*out);
	}
	mpq_init(p);
	if (split_name(name, "binomial", p) || split_name(name, "binom", p))
		st = binomial_prior(p, answers, out, err);
	else
		st = sotto_fail(
			err, SOTTO_EPARSE,
			"there is no prior '%.40s'; write uniform, triangular, bimodal, "
			"geometric, binomial(0.3) or the name of a CSV file",
			name);
	mpq_clear(p);
	return st;
}

enum sotto_status sotto_prior_of(const struct sotto_matrix *weights, size_t answers,
				 bool normalize, struct sotto_matrix **out,
				 struct sotto_error *err)
{
	struct sotto_matrix *m;
	enum sotto_status st = SOTTO_OK;
	size_t n;
	mpq_t sum;

	if (!weights || !out)
		return SOTTO_EINVAL;
	n = weights->rows * weights->columns;
	if ((weights->rows != 1 && weights->columns != 1) || n != answers)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a prior has one probability for each of the %zu answers",
				  answers);
	SOTTO_TRY(sotto_matrix_new(1, n, &m));
	mpq_init(sum);
	for (size_t i = 0; i < n; i++) {
		mpq_set(m->cells[i], weights->cells[i]);
		mpq_add(sum, sum, weights->cells[i]);
		if (mpq_sgn(weights->cells[i]) < 0)
			st = sotto_fail(err, SOTTO_EINVAL,
					"the prior of answer %zu is negative", i);
	}
	if (st == SOTTO_OK && (normalize ? mpq_sgn(sum) <= 0 : mpq_cmp_ui(sum, 1, 1) != 0))
		st = sotto_fail(
			err, SOTTO_EINVAL,
			"the prior does not sum to exactly 1; write fractions such as 1/3, or "
			"ask for it to be normalized");
	if (st == SOTTO_OK && normalize)
		st = sotto_matrix_normalize(m);
	mpq_clear(sum);
	if (st == SOTTO_OK)
		*out = m;
	else
		sotto_matrix_free(m);
	return st;
}

/* ---- gains -------------------------------------------------------------------------------- */

/* The gain of a guess at distance d from y; D is the largest distance. */
static void gain_cell(mpq_t out, enum sotto_gain_kind gain, const mpq_t d, const mpq_t diameter,
		      size_t y, const mpq_t r)
{
	mpq_t loss;

	mpq_init(loss);
	switch (gain) {
	case SOTTO_GAIN_IDENTITY:
		mpq_set_ui(out, mpq_sgn(d) == 0, 1);
		break;
	case SOTTO_GAIN_WINDOW:
		mpq_set_ui(out, mpq_sgn(d) >= 0 && mpq_cmp(d, r) <= 0, 1);
		break;
	case SOTTO_GAIN_DISTANCE:
		mpq_sub(out, diameter, d);
		break;
	case SOTTO_GAIN_SQUARED:
		mpq_mul(loss, d, d);
		mpq_mul(out, diameter, diameter);
		mpq_sub(out, out, loss);
		break;
	case SOTTO_GAIN_WEIGHTED:
		mpq_set_ui(loss, y + 1, 1);
		mpq_mul(loss, loss, d);
		mpq_mul(out, diameter, diameter);
		mpq_sub(out, out, loss);
		break;
	case SOTTO_GAIN_THRESHOLD:
	case SOTTO_GAIN_PARITY:
		break; /* no gain of a distance */
	}
	mpq_clear(loss);
}

static enum sotto_status distance_gain(enum sotto_gain_kind gain,
				       const struct sotto_graph *graph, const mpq_t r,
				       struct sotto_matrix **out)
{
	struct sotto_matrix *m;
	mpq_t diameter, d;

	SOTTO_TRY(sotto_graph_distances(graph, &m));
	mpq_inits(diameter, d, (mpq_ptr)0);
	sotto_graph_diameter(m, diameter);
	for (size_t w = 0; w < m->rows; w++)
		for (size_t y = 0; y < m->columns; y++) {
			mpq_ptr cell = sotto_matrix_at(m, w, y);

			mpq_set(d, cell);
			if (mpq_sgn(d) < 0 && gain != SOTTO_GAIN_IDENTITY &&
			    gain != SOTTO_GAIN_WINDOW)
				mpq_set(d, diameter); /* not related: as far as it can be */
			gain_cell(cell, gain, d, diameter, y, r);
		}
	mpq_clears(diameter, d, (mpq_ptr)0);
	*out = m;
	return SOTTO_OK;
}

/* Two guesses: 0 "no", 1 "yes". */
static enum sotto_status
yes_no_gain(size_t answers, const mpq_t threshold, bool parity, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(2, answers, out));
	for (size_t y = 0; y < answers; y++) {
		bool yes = parity ? y % 2 : mpq_cmp_ui(threshold, y, 1) <= 0;

		mpq_set_ui(sotto_matrix_at(*out, yes, y), 1, 1);
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_gain_rule_parse(const char *name, struct sotto_gain_rule *rule, struct sotto_error *err)
{
	static const char *const plain[] = {
		[SOTTO_GAIN_IDENTITY] = "identity", [SOTTO_GAIN_DISTANCE] = "distance",
		[SOTTO_GAIN_SQUARED] = "squared",   [SOTTO_GAIN_WEIGHTED] = "weighted",
		[SOTTO_GAIN_PARITY] = "parity",
	};

	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (plain[i] && strcmp(plain[i], name) == 0) {
			rule->kind = (enum sotto_gain_kind)i;
			return SOTTO_OK;
		}
	if (split_name(name, "threshold", rule->number))
		rule->kind = SOTTO_GAIN_THRESHOLD;
	else if (split_name(name, "window", rule->number))
		rule->kind = SOTTO_GAIN_WINDOW;
	else
		return sotto_fail(
			err, SOTTO_EPARSE,
			"there is no gain '%.40s'; write identity, distance, squared, "
			"weighted, window(1), threshold(3), parity or the name of a CSV file",
			name);
	return SOTTO_OK;
}

enum sotto_status sotto_gain_named(const char *name, const struct sotto_graph *graph,
				   struct sotto_matrix **out, struct sotto_error *err)
{
	struct sotto_gain_rule rule = {.kind = SOTTO_GAIN_IDENTITY};
	enum sotto_status st;

	if (!name || !graph || !out)
		return SOTTO_EINVAL;
	mpq_init(rule.number);
	st = sotto_gain_rule_parse(name, &rule, err);
	if (st == SOTTO_OK && rule.kind == SOTTO_GAIN_PARITY)
		st = yes_no_gain(graph->nodes, rule.number, true, out);
	else if (st == SOTTO_OK && rule.kind == SOTTO_GAIN_THRESHOLD)
		st = yes_no_gain(graph->nodes, rule.number, false, out);
	else if (st == SOTTO_OK)
		st = distance_gain(rule.kind, graph, rule.number, out);
	mpq_clear(rule.number);
	return st;
}
