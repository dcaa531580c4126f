/*
 * The geometric mechanism on a long path, in doubles.  For each guess w and output z the
 * sum over y of prior(y) gain(w,y) alpha^|y-z| comes from two sweeps, one from each end:
 * N W steps where the matrix would take N W K.  Guesses go by in groups, so that the sweeps
 * of a group run side by side.
 */
#include <math.h>
#include <stdlib.h>

#include "channel/matrix/channel_matrix.h"
#include "channel/utility/channel_user.h"
#include "core/base/failure.h"

enum { LANES = 8, PATH_MAX_ANSWERS = 20000 };

struct sweep {
	size_t answers, guesses;
	double alpha;
	const double *prior;
	enum sotto_gain_kind kind;
	double number, span; /* of the rule; the largest distance */
	double (*q)[LANES], (*left)[LANES]; /* answers each: prior x gain, sums from the left */
	double *best;
};

static double gain_at(const struct sweep *s, size_t w, size_t y)
{
	double d = fabs((double)w - (double)y);

	switch (s->kind) {
	case SOTTO_GAIN_IDENTITY:
		return w == y;
	case SOTTO_GAIN_DISTANCE:
		return s->span - d;
	case SOTTO_GAIN_SQUARED:
		return s->span * s->span - d * d;
	case SOTTO_GAIN_WEIGHTED:
		return s->span * s->span - (1 + (double)y) * d;
	case SOTTO_GAIN_WINDOW:
		return d <= s->number;
	case SOTTO_GAIN_THRESHOLD:
		return w == ((double)y >= s->number);
	case SOTTO_GAIN_PARITY:
		return w == y % 2;
	}
	return 0;
}

static void fill_gains(struct sweep *s, size_t first, size_t lanes, double sums[LANES])
{
	for (size_t i = 0; i < LANES; i++)
		sums[i] = 0;
	for (size_t y = 0; y < s->answers; y++)
		for (size_t i = 0; i < LANES; i++) {
			s->q[y][i] = i < lanes ? s->prior[y] * gain_at(s, first + i, y) : 0;
			sums[i] += s->q[y][i];
		}
}

static void sweep_right(struct sweep *s)
{
	double sum[LANES] = {0};

	for (size_t z = 0; z < s->answers; z++)
		for (size_t i = 0; i < LANES; i++) {
			sum[i] = s->q[z][i] + s->alpha * sum[i];
			s->left[z][i] = sum[i];
		}
}

static double weight(const struct sweep *s, size_t z)
{
	if (s->answers == 1)
		return 1;
	return (z == 0 || z == s->answers - 1 ? 1 : 1 - s->alpha) / (1 + s->alpha);
}

/* Back from the right end; both sums together are the worth of each guess at z. */
static void sweep_left(struct sweep *s, size_t first, size_t lanes, struct sotto_path_use *u)
{
	double sum[LANES] = {0};

	for (size_t z = s->answers; z-- > 0;) {
		double worth[LANES];

		for (size_t i = 0; i < LANES; i++) {
			worth[i] = s->left[z][i] + s->alpha * sum[i];
			sum[i] = s->q[z][i] + s->alpha * sum[i];
		}
		for (size_t i = 0; i < lanes; i++)
			if (worth[i] > s->best[z]) {
				s->best[z] = worth[i];
				u->remap[z] = first + i;
			}
		if (z >= first && z < first + lanes && u->has_raw)
			u->raw += weight(s, z) * worth[z - first];
	}
}

static void find_use(struct sweep *s, struct sotto_path_use *u)
{
	u->prior_value = -INFINITY;
	u->has_raw = s->guesses == s->answers;
	for (size_t z = 0; z < s->answers; z++)
		s->best[z] = -INFINITY;
	for (size_t first = 0; first < s->guesses; first += LANES) {
		size_t lanes = s->guesses - first < LANES ? s->guesses - first : LANES;
		double sums[LANES];

		fill_gains(s, first, lanes, sums);
		for (size_t i = 0; i < lanes; i++)
			u->prior_value = fmax(u->prior_value, sums[i]);
		sweep_right(s);
		sweep_left(s, first, lanes, u);
	}
	for (size_t z = 0; z < s->answers; z++)
		u->utility += weight(s, z) * s->best[z];
}

/* The likeliest answer at each output: the same sweeps with max for plus. */
static void find_risk(struct sweep *s, struct sotto_path_use *u)
{
	double most = 0, after = 0, before = 0, weights = 0;

	for (size_t z = 0; z < s->answers; z++) {
		most = fmax(s->prior[z], s->alpha * most);
		before = fmax(before, s->prior[z]);
		s->best[z] = most;
		weights += weight(s, z);
	}
	most = 0;
	for (size_t z = s->answers; z-- > 0;) {
		most = fmax(s->prior[z], s->alpha * most);
		after += weight(s, z) * fmax(s->best[z], most);
	}
	u->bayes_risk = 1 - after;
	u->min_entropy = log2(after / before);
	u->capacity = weights;
}

static enum sotto_status
run(struct sweep *s, const struct sotto_matrix *prior, struct sotto_path_use *u)
{
	double *doubles = calloc(2 * s->answers, sizeof *doubles);
	enum sotto_status st = SOTTO_ENOMEM;

	s->q = calloc(s->answers, sizeof *s->q);
	s->left = calloc(s->answers, sizeof *s->left);
	u->remap = calloc(s->answers, sizeof *u->remap);
	u->outputs = s->answers;
	if (doubles && s->q && s->left && u->remap) {
		for (size_t y = 0; y < s->answers; y++)
			doubles[y] = mpq_get_d(prior->cells[y]);
		s->prior = doubles;
		s->best = doubles + s->answers;
		find_use(s, u);
		find_risk(s, u);
		st = SOTTO_OK;
	}
	free(doubles);
	free(s->q);
	free(s->left);
	if (st != SOTTO_OK)
		sotto_path_use_release(u);
	return st;
}

enum sotto_status sotto_path_use_find(const struct sotto_matrix *prior, const char *gain,
				      const struct sotto_eps *eps, struct sotto_path_use *out,
				      struct sotto_error *err)
{
	struct sotto_gain_rule rule = {.kind = SOTTO_GAIN_IDENTITY};
	struct sotto_path_use u = {0};
	struct sweep s = {0};
	enum sotto_status st;

	if (!prior || !gain || !eps || !out || prior->rows != 1 || prior->columns == 0)
		return SOTTO_EINVAL;
	if (prior->columns > PATH_MAX_ANSWERS)
		return sotto_fail(err, SOTTO_ERANGE, "there can be at most %d answers",
				  PATH_MAX_ANSWERS);
	mpq_init(rule.number);
	st = sotto_gain_rule_parse(gain, &rule, err);
	s.kind = rule.kind;
	s.number = mpq_get_d(rule.number);
	mpq_clear(rule.number);
	SOTTO_TRY(st);
	s.answers = prior->columns;
	s.guesses =
		s.kind == SOTTO_GAIN_THRESHOLD || s.kind == SOTTO_GAIN_PARITY ? 2 : s.answers;
	s.span = (double)(s.answers - 1);
	s.alpha = exp(-sotto_eps_double(eps));
	SOTTO_TRY(run(&s, prior, &u));
	*out = u;
	return SOTTO_OK;
}

void sotto_path_use_release(struct sotto_path_use *u)
{
	if (!u)
		return;
	free(u->remap);
	u->remap = NULL;
}
