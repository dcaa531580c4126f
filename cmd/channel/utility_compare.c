#include "channel/utility_compare.h"

#include <math.h>
#include <string.h>

#include "channel/channel_show.h"
#include "channel/problem_options.h"
#include "channel/utility_worth.h"
#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/progress.h"
#include "show/table.h"

static const struct column columns[] = {
	{"mechanism", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
	{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"utility", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"utility_without_remap", "no remap", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"share", "of the best", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"worst_loss", "worst loss", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"min_entropy", "leakage (bits)", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"derivable", "from geometric", COLUMN_TEXT, ALIGN_BY_KIND},
};

/* yes or no on a path with a rational alpha; nothing elsewhere */
static void add_derivable(struct table *t, const struct sotto_user_case *p,
			  const struct sotto_matrix *channel)
{
	struct sotto_derivation d = {0};
	struct sotto_rational alpha;

	sotto_rational_init(&alpha);
	if (channel_is_path(p) && sotto_eps_alpha(p->eps, &alpha) &&
	    sotto_derive(channel, &alpha, &d) == SOTTO_OK)
		table_add_text(t, d.derivable ? "yes" : "no");
	else
		table_add_nothing(t);
	sotto_derivation_release(&d);
	sotto_rational_release(&alpha);
}

static void add_row(struct table *t, const struct sotto_user_case *p, const char *name,
		    const struct worth *w, double best)
{
	table_add_text(t, name);
	if (w->verdict.infinite)
		table_add_nothing(t);
	else
		table_add_double_up(t, w->verdict.epsilon_up, 8);
	table_add_double(t, channel_near(&w->use.utility), 10);
	if (w->use.has_raw)
		table_add_double(t, channel_near(&w->use.raw), 10);
	else
		table_add_nothing(t);
	table_add_double(t, channel_near(&w->use.utility) / best, 5);
	table_add_double(t, channel_near(&w->use.worst_loss), 6);
	table_add_double(t, w->leakage.min_entropy, 6);
	add_derivable(t, p, w->channel);
}

/* The best one as a row, and what it is worth; NAN without a solver. */
static double find_best(const struct sotto_user_case *p, struct worth *out, bool *found)
{
	struct sotto_optimal o;
	struct worth w = {0};

	*found = false;
	if (sotto_optimal_find(p->graph, p->eps, p->prior, p->gain, SOTTO_WAYS_ALL, &o, NULL) !=
	    SOTTO_OK)
		return NAN;
	w.channel = o.channel;
	o.channel = NULL;
	sotto_optimal_release(&o);
	sotto_verdict_init(&w.verdict);
	if (sotto_use_find(w.channel, p->prior, p->gain, &w.use) != SOTTO_OK ||
	    sotto_leakage_find(w.channel, p->prior, &w.leakage) != SOTTO_OK ||
	    sotto_verify_epsilon(w.channel, p->graph, &w.verdict) != SOTTO_OK)
		memory_fail();
	*out = w;
	*found = true;
	return channel_near(&w.use.utility);
}

/*
 * What noise on a real number would do at this epsilon and sensitivity 1: 1/epsilon, and
 * e^(epsilon/2)/(e^epsilon - 1) with the staircase (Geng and Viswanath, arXiv 1212.1186).
 */
static void print_real(double epsilon, FILE *out)
{
	if (epsilon > 0)
		fprintf(out,
			"a real number of sensitivity 1 would be off by %.10g on average with "
			"Laplace noise, by %.10g with staircase noise\n",
			1 / epsilon, exp(epsilon / 2) / expm1(epsilon));
}

/* Who wins, what needs a remap, what leaves epsilon unused. */
static void
print_words(const struct sotto_user_case *p, const char *unused, bool remap, FILE *out)
{
	struct sotto_certificate c;

	if (sotto_certificate_find(p->graph, p->eps, SOTTO_ALPHA_UP, p->prior, p->gain, &c) ==
	    SOTTO_OK) {
		if (c.applies)
			fprintf(out,
				"the tight mechanism with its best remap is %s for this user\n",
				c.optimal ? "proven best" : "not the best");
		sotto_certificate_release(&c);
	}
	if (remap)
		fputs("guess again after seeing the output: the raw output is not the best "
		      "guess\n",
		      out);
	if (*unused)
		fprintf(out, "less epsilon than allowed is used by: %s\n", unused);
	print_real(sotto_eps_double(p->eps), out);
}

/* Larger ones take minutes: fractions of the exponential mechanism are long. */
enum { COMPARED_MAX = 48 };

enum outcome utility_compare(const struct sotto_user_case *p, const struct invocation *call,
			     struct sotto_error *err)
{
	char unused[200] = "";
	struct worth best_row;
	bool found, remap = false;
	struct progress bar;
	struct table t;
	double best;

	if (sotto_graph_answers(p->graph) > COMPARED_MAX)
		return complaint_usage(
			err,
			"--compare is for at most %d answers; ask for one mechanism with "
			"--mechanism",
			COMPARED_MAX);
	progress_begin(&bar, "mechanisms", SOTTO_BUILD_COUNT + 1);
	best = find_best(p, &best_row, &found);
	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	for (enum sotto_build b = 0; b < SOTTO_BUILD_COUNT; b++) {
		struct sotto_error why = {""};
		struct worth w;

		progress_step(&bar, (uint64_t)b + 1);
		if (utility_worth_find(p, sotto_build_name(b), &w, &why) != SOTTO_OK)
			continue;
		add_row(&t, p, sotto_build_name(b), &w, best);
		if (w.verdict.epsilon_up < sotto_eps_double(p->eps) * 0.999)
			(void)snprintf(unused + strlen(unused), sizeof unused - strlen(unused),
				       "%s%s", *unused ? ", " : "", sotto_build_name(b));
		if (b == SOTTO_BUILD_GEOMETRIC || b == SOTTO_BUILD_TIGHT)
			remap = remap ||
				(w.use.has_raw &&
				 sotto_rational_compare(&w.use.raw, &w.use.utility) != 0);
		utility_worth_release(&w);
	}
	progress_end(&bar);
	if (found) {
		add_row(&t, p, "best", &best_row, best);
		utility_worth_release(&best_row);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (call->format == FORMAT_TABLE)
		print_words(p, unused, remap, command_notes(call));
	return OUTCOME_DONE;
}
