/*
 * Computes the figures of every mechanism first and prints afterwards, because a row's share of
 * the best and its place on the Pareto front depend on all the others.
 */
#include "channel/utility/utility_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel_show.h"
#include "channel/problem_options.h"
#include "channel/utility/utility_real.h"
#include "channel/utility/utility_worth.h"
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
	{"pareto", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
	{"derivable", "from geometric", COLUMN_TEXT, ALIGN_BY_KIND},
};

/* Larger ones take minutes: fractions of the exponential mechanism are long. */
enum { COMPARED_MAX = 48 };

/* What is compared: mechanisms by name, the minimax one, the best. */
struct entry {
	const char *name;
	struct worth worth;
};

struct comparison {
	struct entry *entries;
	size_t count;
	double best; /* NAN without a solver */
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

/* Is another as useful and as private, and one of both more so? */
static bool is_dominated(const struct comparison *c, const struct worth *w)
{
	double utility = channel_near(&w->use.utility), leakage = w->leakage.min_entropy;
	double slack = 1e-12 * (1 + fabs(utility)), bits = 1e-12 * (1 + leakage);

	for (size_t i = 0; i < c->count; i++) {
		const struct worth *other = &c->entries[i].worth;
		double more = channel_near(&other->use.utility) - utility;
		double less = leakage - other->leakage.min_entropy;

		if (more >= -slack && less >= -bits && (more > slack || less > bits))
			return true;
	}
	return false;
}

static void add_row(struct table *t, const struct sotto_user_case *p,
		    const struct comparison *c, const struct entry *e)
{
	const struct worth *w = &e->worth;

	table_add_text(t, e->name);
	if (w->verdict.infinite)
		table_add_nothing(t);
	else
		table_add_double_up(t, w->verdict.epsilon_up, 8);
	table_add_double(t, channel_near(&w->use.utility), 10);
	if (w->use.has_raw)
		table_add_double(t, channel_near(&w->use.raw), 10);
	else
		table_add_nothing(t);
	if (c->best > 0)
		table_add_double(t, channel_near(&w->use.utility) / c->best, 5);
	else /* no share of nothing, nor of a loss */
		table_add_nothing(t);
	table_add_double(t, channel_near(&w->use.worst_loss), 6);
	table_add_double(t, w->leakage.min_entropy, 6);
	table_add_text(t, is_dominated(c, w) ? "no" : "yes");
	add_derivable(t, p, w->channel);
}

/* ---- what is compared ------------------------------------------------------------------------- */

/* The channel is taken over. */
static void add_channel(struct comparison *c, const struct sotto_user_case *p, const char *name,
			struct sotto_matrix *channel)
{
	struct worth w = {.channel = channel};

	sotto_verdict_init(&w.verdict);
	if (sotto_use_find(channel, p->prior, p->gain, &w.use) != SOTTO_OK ||
	    sotto_leakage_find(channel, p->prior, &w.leakage) != SOTTO_OK ||
	    sotto_verify_epsilon(channel, p->graph, &w.verdict) != SOTTO_OK)
		memory_fail();
	c->entries[c->count++] = (struct entry){name, w};
}

/* Neither is there without a solver where one is needed. */
static void add_solved(struct comparison *c, const struct sotto_user_case *p)
{
	struct sotto_minimax minimax;
	struct sotto_optimal best;

	if (sotto_minimax_find(p->graph, p->eps, p->gain, NULL, &minimax, NULL) == SOTTO_OK) {
		add_channel(c, p, "minimax", minimax.channel);
		minimax.channel = NULL;
		sotto_minimax_release(&minimax);
	}
	c->best = NAN;
	if (sotto_optimal_find(p->graph, p->eps, p->prior, p->gain, SOTTO_WAYS_ALL, &best,
			       NULL) == SOTTO_OK) {
		c->best = channel_near(&best.lower);
		add_channel(c, p, "best", best.channel);
		best.channel = NULL;
		sotto_optimal_release(&best);
	}
}

/* Those of the problem file, which must exist, or all that there are on this graph. */
static enum outcome
compare_all(struct comparison *c, const struct sotto_user_case *p, struct sotto_error *err)
{
	bool listed = p->mechanisms[0] && p->mechanisms[1];
	size_t count;
	struct progress bar;

	for (count = 0; listed && p->mechanisms[count];)
		count++;
	count = listed ? count : SOTTO_BUILD_COUNT;
	c->entries = memory_new(count + 2, sizeof *c->entries);
	progress_begin(&bar, "mechanisms", count + 1);
	for (size_t i = 0; i < count; i++) {
		const char *name =
			listed ? p->mechanisms[i] : sotto_build_name((enum sotto_build)i);
		struct sotto_error why = {""};
		struct entry *e = &c->entries[c->count];
		enum sotto_status st = utility_worth_find(p, name, &e->worth, &why);

		e->name = name;
		c->count += st == SOTTO_OK;
		if (listed && st != SOTTO_OK) {
			progress_end(&bar);
			return channel_complain(st, &why, err);
		}
		progress_step(&bar, i + 1);
	}
	add_solved(c, p);
	progress_end(&bar);
	return OUTCOME_DONE;
}

static void comparison_release(struct comparison *c)
{
	for (size_t i = 0; i < c->count; i++)
		utility_worth_release(&c->entries[i].worth);
	free(c->entries);
}

/* ---- in words ------------------------------------------------------------------------------------ */

static void print_certificate(const struct sotto_user_case *p, FILE *out)
{
	struct sotto_certificate c;

	if (sotto_certificate_find(p->graph, p->eps, SOTTO_ALPHA_UP, p->prior, p->gain, &c) !=
	    SOTTO_OK)
		return;
	if (c.applies)
		fprintf(out, "the tight mechanism with its best remap is %s for this user\n",
			c.optimal ? "proven best" : "not the best");
	sotto_certificate_release(&c);
}

static bool needs_remap(const struct entry *e)
{
	return (strcmp(e->name, sotto_build_name(SOTTO_BUILD_GEOMETRIC)) == 0 ||
		strcmp(e->name, sotto_build_name(SOTTO_BUILD_TIGHT)) == 0) &&
	       e->worth.use.has_raw &&
	       sotto_rational_compare(&e->worth.use.raw, &e->worth.use.utility) != 0;
}

/* Who wins, what needs a remap, what leaves epsilon unused. */
static void print_words(const struct sotto_user_case *p, const struct comparison *c, FILE *out)
{
	const char *before = "less epsilon than allowed is used by: ";
	bool remap = false;

	print_certificate(p, out);
	for (size_t i = 0; i < c->count; i++)
		remap = remap || needs_remap(&c->entries[i]);
	if (remap)
		fputs("guess again after seeing the output: the raw output is not the best "
		      "guess\n",
		      out);
	for (size_t i = 0; i < c->count; i++) {
		const struct entry *e = &c->entries[i];

		if (e->worth.verdict.epsilon_up >= sotto_eps_double(p->eps) * 0.999)
			continue;
		fprintf(out, "%s%s", before, e->name);
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', out);
	fputs("pareto: no other leaks less and is worth as much, or is worth more and leaks no "
	      "more\n",
	      out);
	utility_real_print(sotto_eps_double(p->eps), out);
}

enum outcome utility_compare(const struct sotto_user_case *p, const struct invocation *call,
			     struct sotto_error *err)
{
	struct comparison c = {.best = NAN};
	enum outcome outcome;
	struct table t;

	if (sotto_graph_answers(p->graph) > COMPARED_MAX)
		return complaint_usage(
			err,
			"--compare is for at most %d answers; ask for one mechanism with "
			"--mechanism",
			COMPARED_MAX);
	outcome = compare_all(&c, p, err);
	if (outcome == OUTCOME_DONE) {
		table_init(&t, columns, sizeof columns / sizeof columns[0]);
		for (size_t i = 0; i < c.count; i++)
			add_row(&t, p, &c, &c.entries[i]);
		table_print(&t, call->format, call->out);
		table_release(&t);
		if (call->format == FORMAT_TABLE)
			print_words(p, &c, command_notes(call));
	}
	comparison_release(&c);
	return outcome;
}
