/*
 * A closed form where there is one (a count, uniform prior, identity gain), else bisection: the
 * best utility grows with epsilon.
 */
#include "channel/utility/utility_target.h"

#include <math.h>
#include <stdlib.h>

#include "channel/channel_show.h"
#include "channel/problem_options.h"
#include "show/number_text.h"

enum { TARGET_STEPS = 50, TARGET_MOST = 64 };

/* True if the best mechanism at epsilon is worth at least the target. */
static bool
is_enough(const struct sotto_user_case *p, double epsilon, const struct sotto_rational *target)
{
	char *text = number_text_double(epsilon);
	struct sotto_eps *eps = NULL;
	struct sotto_optimal o;
	bool enough = false;

	if (sotto_eps_new(text, &eps, NULL) == SOTTO_OK &&
	    sotto_optimal_find(p->graph, eps, p->prior, p->gain, SOTTO_WAYS_ALL, &o, NULL) ==
		    SOTTO_OK) {
		enough = sotto_rational_compare(&o.lower, target) >= 0;
		sotto_optimal_release(&o);
	}
	sotto_eps_free(eps);
	free(text);
	return enough;
}

/* By bisection: the best utility grows with epsilon.  NAN if no epsilon is enough. */
static double bisect(const struct sotto_user_case *p, const struct sotto_rational *target)
{
	double low = 0, high = 1;

	if (is_enough(p, 0, target))
		return 0;
	while (high <= TARGET_MOST && !is_enough(p, high, target))
		high *= 2;
	if (high > TARGET_MOST)
		return NAN;
	for (int i = 0; i < TARGET_STEPS && high - low > 1e-11 * high; i++) {
		double middle = low + (high - low) / 2;

		if (is_enough(p, middle, target))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/*
 * A count, uniform prior and identity gain: U = (N - (N-2)a)/(N(1+a)), so a = N(1-U)/(N-2+NU).
 * The ratio e^epsilon = 1/a is then a fraction.
 */
static bool closed_form(const struct sotto_user_case *p, const struct sotto_rational *u,
			struct sotto_rational *ratio)
{
	int64_t n = (int64_t)sotto_graph_answers(p->graph);
	struct sotto_rational above, below, one;
	bool fine;

	if (n < 2 || !channel_is_path(p) || !channel_is_uniform_identity(p))
		return false;
	sotto_rational_init(&above);
	sotto_rational_init(&below);
	sotto_rational_init(&one);
	sotto_rational_set_integer(&one, 1);
	sotto_rational_set_integer(&above, n);
	sotto_rational_multiply(&above, &above, u);
	sotto_rational_set_integer(&below, n);
	sotto_rational_subtract(&below, &below, &above); /* N(1 - U) */
	sotto_rational_set_integer(ratio, n - 2);
	sotto_rational_add(&above, &above, ratio); /* N - 2 + N U */
	fine = sotto_rational_sign(&below) > 0 &&
	       sotto_rational_divide(ratio, &above, &below) == SOTTO_OK &&
	       sotto_rational_compare(ratio, &one) >= 0;
	sotto_rational_release(&above);
	sotto_rational_release(&below);
	sotto_rational_release(&one);
	return fine;
}

void utility_target_find(const struct sotto_user_case *p, const struct sotto_rational *u,
			 struct target *out)
{
	sotto_rational_init(&out->ratio);
	out->has_ratio = closed_form(p, u, &out->ratio);
	out->epsilon = out->has_ratio
			       ? nextafter(log(sotto_rational_double_up(&out->ratio)), INFINITY)
			       : bisect(p, u);
}

void utility_target_release(struct target *t)
{
	sotto_rational_release(&t->ratio);
}

void utility_target_print(const struct target *t, const char *text, FILE *out)
{
	char *ratio;

	if (isnan(t->epsilon)) {
		fprintf(out, "%-22sno epsilon is enough for %s\n", "smallest epsilon", text);
		return;
	}
	channel_print_epsilon(22, "smallest epsilon", t->epsilon, out);
	if (t->has_ratio) {
		ratio = channel_text_exact(&t->ratio);
		fprintf(out, " = ln(%s)", ratio);
		free(ratio);
	}
	fprintf(out, " for a utility of %s\n", text);
}

void utility_target_write(struct json_writer *json, const struct target *t)
{
	char *ratio = channel_fraction(&t->ratio);

	json_member_double(json, "target_epsilon", t->epsilon);
	json_key(json, "target_ratio");
	if (t->has_ratio)
		json_write_text(json, ratio);
	else
		json_write_null(json);
	free(ratio);
}
