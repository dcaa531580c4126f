/* sotto utility: what a mechanism is worth to a user, and mechanisms side by side */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel_problem.h"
#include "channel_show.h"
#include "commands.h"
#include "complaint.h"
#include "memory.h"
#include "number_text.h"
#include "table.h"
#include "utility_draw.h"

struct utility_settings {
	struct problem_settings problem;
	const char *mechanism;
	bool compare;
	const char *svg, *plot;
	const char *range;
	struct option_rational target;
};

#define OPTION(field, name_, argument_, kind_, help_)                                          \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(struct utility_settings, field)

static const struct option options[] = {
	{OPTION(mechanism, "mechanism", "M", OPTION_TEXT,
		"geometric, laplace, k-rr, exponential, exponential-retuned, tight or a CSV "
		"file; default geometric on a path, else k-rr"),
	 .letter = 'm'},
	PROBLEM_OPTIONS(struct utility_settings),
	{OPTION(compare, "compare", NULL, OPTION_FLAG,
		"set all mechanisms side by side, with the best one")},
	{OPTION(target, "target", "U", OPTION_RATIONAL,
		"also find the smallest epsilon whose best mechanism is worth U")},
	{OPTION(svg, "svg", "FILE", OPTION_TEXT, "draw utility against epsilon")},
	{OPTION(plot, "plot", "FILE", OPTION_TEXT, "the same as --svg"), .hidden = true},
	{OPTION(range, "eps-range", "A:B:N", OPTION_TEXT,
		"with --svg: N epsilons from A to B; default 0.1:3:30")},
	OPTIONS_END};

/* ---- one mechanism --------------------------------------------------------------------------------- */

struct worth {
	struct sotto_matrix *channel;
	struct sotto_use use;
	struct sotto_leakage leakage;
	struct sotto_verdict verdict;
	bool is_exact; /* no fraction stands in for an irrational number */
};

static void worth_release(struct worth *w)
{
	sotto_matrix_free(w->channel);
	sotto_use_release(&w->use);
	sotto_verdict_release(&w->verdict);
}

static enum sotto_status find_worth(const struct sotto_user_case *p, const char *mechanism,
				    struct worth *out, struct sotto_error *why)
{
	struct worth w = {0};
	enum sotto_status st = channel_of_mechanism(p, mechanism, &w.channel, why);

	if (st != SOTTO_OK)
		return st;
	st = sotto_use_find(w.channel, p->prior, p->gain, &w.use);
	if (st != SOTTO_OK) {
		sotto_matrix_free(w.channel);
		return st;
	}
	w.is_exact = channel_is_exact(p, mechanism);
	sotto_verdict_init(&w.verdict);
	st = sotto_leakage_find(w.channel, p->prior, &w.leakage);
	if (st == SOTTO_OK)
		st = sotto_verify_epsilon(w.channel, p->graph, &w.verdict);
	if (st == SOTTO_OK)
		*out = w;
	else
		worth_release(&w);
	return st;
}

static void print_line(const char *label, const struct sotto_rational *r, FILE *out)
{
	char *exact = channel_text_exact(r), *near = number_text_rounded(channel_near(r), 12);

	fprintf(out, "%-22s%s", label, near);
	if (strcmp(exact, near) != 0)
		fprintf(out, " = %s", exact);
	fputc('\n', out);
	free(exact);
	free(near);
}

static void print_remap(const struct sotto_use *u, FILE *out)
{
	bool identity = true;

	for (size_t z = 0; z < u->outputs; z++)
		identity = identity && u->remap[z] == z;
	fprintf(out, "%-22s", "best guess by output");
	if (identity)
		fputs("the output itself", out);
	for (size_t z = 0; z < u->outputs && !identity; z++)
		fprintf(out, "%s%zu", z ? " " : "", u->remap[z]);
	fputc('\n', out);
}

static void print_worth(const struct worth *w, FILE *out)
{
	const struct sotto_leakage *l = &w->leakage;

	print_line("utility", &w->use.utility, out);
	if (w->use.has_raw)
		print_line("  without a remap", &w->use.raw, out);
	print_line("  without the output", &w->use.prior_value, out);
	print_remap(&w->use, out);
	print_line("worst expected loss", &w->use.worst_loss, out);
	if (w->verdict.infinite)
		fprintf(out, "%-22sinfinite\n", "epsilon");
	else
		fprintf(out, "%-22s%.12g\n", "epsilon", w->verdict.epsilon_up);
	fprintf(out, "%-22s%.10g bits of %.10g\n", "the output tells", l->information,
		l->entropy);
	fprintf(out, "%-22s%.10g bits, at most %.10g for any prior\n", "min-entropy leakage",
		l->min_entropy, log2(l->capacity));
	fprintf(out, "%-22s%.10g, %.10g before\n", "guesses to the answer", l->guessing_after,
		l->guessing_before);
}

static void write_ties(struct json_writer *json, const struct sotto_use *u)
{
	json_key(json, "tie_sets");
	json_open_array(json);
	for (size_t z = 0; z < u->outputs; z++) {
		json_open_row(json);
		for (size_t w = 0; w < u->guesses; w++)
			if (u->best[z * u->guesses + w])
				json_write_integer(json, (int64_t)w);
		json_close_array(json);
	}
	json_close_array(json);
}

static void write_number(struct json_writer *json, const char *key, double x)
{
	json_key(json, key);
	json_write_double(json, x);
}

static void write_leakage(struct json_writer *json, const struct worth *w)
{
	const struct sotto_leakage *l = &w->leakage;
	double gained = channel_near(&w->use.utility),
	       before = channel_near(&w->use.prior_value);

	json_key(json, "leakage");
	json_open_object(json);
	write_number(json, "additive", gained - before);
	write_number(json, "multiplicative", before != 0 ? gained / before : NAN);
	write_number(json, "min_entropy", l->min_entropy);
	write_number(json, "bayes_capacity", l->capacity);
	write_number(json, "min_capacity", log2(l->capacity));
	write_number(json, "additive_capacity", l->additive_capacity);
	write_number(json, "entropy", l->entropy);
	write_number(json, "conditional_entropy", l->entropy_after);
	write_number(json, "mutual_information", l->information);
	write_number(json, "shannon_capacity", l->shannon_capacity);
	write_number(json, "guessing_before", l->guessing_before);
	write_number(json, "guessing_after", l->guessing_after);
	write_number(json, "predicate", l->predicate);
	json_close_object(json);
}

static void write_worth(struct json_writer *json, const char *mechanism, const struct worth *w)
{
	json_key(json, "mechanism");
	json_write_text(json, mechanism);
	channel_write_exact(json, "utility", &w->use.utility, w->is_exact);
	if (w->use.has_raw)
		channel_write_exact(json, "utility_without_remap", &w->use.raw, w->is_exact);
	json_key(json, "remap");
	json_open_row(json);
	for (size_t z = 0; z < w->use.outputs; z++)
		json_write_integer(json, (int64_t)w->use.remap[z]);
	json_close_array(json);
	write_ties(json, &w->use);
	channel_write_exact(json, "prior_value", &w->use.prior_value, true);
	channel_write_exact(json, "worst_loss", &w->use.worst_loss, w->is_exact);
	write_number(json, "bayes_risk", w->leakage.bayes_risk);
	write_leakage(json, w);
	write_number(json, "epsilon", w->verdict.epsilon_up);
}

/* ---- side by side -------------------------------------------------------------------------------------- */

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
	struct sotto_matrix *geometric = NULL;
	struct sotto_rational alpha;

	sotto_rational_init(&alpha);
	if (sotto_channel_build(SOTTO_BUILD_GEOMETRIC, p->graph, p->eps, &geometric, NULL) ==
		    SOTTO_OK &&
	    sotto_eps_alpha(p->eps, &alpha) && sotto_derive(channel, &alpha, &d) == SOTTO_OK)
		table_add_text(t, d.derivable ? "yes" : "no");
	else
		table_add_nothing(t);
	sotto_matrix_free(geometric);
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
}

static enum outcome compare(const struct sotto_user_case *p, const struct invocation *call)
{
	char unused[200] = "";
	struct worth best_row;
	bool found, remap = false;
	double best = find_best(p, &best_row, &found);
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	for (enum sotto_build b = 0; b < SOTTO_BUILD_COUNT; b++) {
		struct sotto_error why = {""};
		struct worth w;

		if (find_worth(p, sotto_build_name(b), &w, &why) != SOTTO_OK)
			continue;
		add_row(&t, p, sotto_build_name(b), &w, best);
		if (w.verdict.epsilon_up < sotto_eps_double(p->eps) * 0.999)
			(void)snprintf(unused + strlen(unused), sizeof unused - strlen(unused),
				       "%s%s", *unused ? ", " : "", sotto_build_name(b));
		if (b == SOTTO_BUILD_GEOMETRIC || b == SOTTO_BUILD_TIGHT)
			remap = remap ||
				(w.use.has_raw &&
				 sotto_rational_compare(&w.use.raw, &w.use.utility) != 0);
		worth_release(&w);
	}
	if (found) {
		add_row(&t, p, "best", &best_row, best);
		worth_release(&best_row);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (call->format == FORMAT_TABLE)
		print_words(p, unused, remap, command_notes(call));
	return OUTCOME_DONE;
}

/* ---- the smallest epsilon for a utility ------------------------------------------------------------------ */

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
static double find_target(const struct sotto_user_case *p, const struct sotto_rational *target)
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

static void print_target(double epsilon, const char *target, FILE *out)
{
	if (isnan(epsilon))
		fprintf(out, "%-22sno epsilon is enough for %s\n", "smallest epsilon", target);
	else
		fprintf(out, "%-22s%.10g for a utility of %s\n", "smallest epsilon", epsilon,
			target);
}

/* ---- the whole ------------------------------------------------------------------------------------------------ */

/* What is asked for, or what suits the graph. */
static const char *chosen(const struct sotto_user_case *p)
{
	struct sotto_matrix *geometric = NULL;
	bool path;

	if (p->mechanism)
		return p->mechanism;
	path = sotto_channel_build(SOTTO_BUILD_GEOMETRIC, p->graph, p->eps, &geometric, NULL) ==
	       SOTTO_OK;
	sotto_matrix_free(geometric);
	return path ? "geometric" : "k-rr";
}

static enum outcome
show(const struct sotto_user_case *p, const struct invocation *call, struct sotto_error *err)
{
	const struct utility_settings *s = call->settings;
	double target = s->target.given ? find_target(p, &s->target.value) : NAN;
	struct sotto_error why = {""};
	struct json_writer json;
	struct worth w;
	enum sotto_status st = find_worth(p, chosen(p), &w, &why);

	if (st != SOTTO_OK)
		return channel_complain(st, &why, err);
	if (call->format == FORMAT_JSON) {
		json_begin(&json, call->out);
		json_open_object(&json);
		write_worth(&json, chosen(p), &w);
		if (s->target.given)
			write_number(&json, "target_epsilon", target);
		json_close_object(&json);
		json_end(&json);
	} else {
		print_worth(&w, call->out);
		if (s->target.given)
			print_target(target, s->target.text, call->out);
	}
	worth_release(&w);
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct utility_settings *s = call->settings;
	const char *svg = s->svg ? s->svg : s->plot;
	struct sotto_user_case problem;
	enum outcome outcome;

	outcome = channel_problem_read(call, &s->problem, s->mechanism, &problem, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	outcome = s->compare ? compare(&problem, call) : show(&problem, call, err);
	if (outcome == OUTCOME_DONE && svg)
		outcome = utility_draw(&problem, s->range ? s->range : "0.1:3:30", svg, err);
	sotto_user_case_release(&problem);
	return outcome;
}

const struct command command_utility = {
	.name = "utility",
	.summary = "say what a mechanism is worth to a user, or compare mechanisms",
	.usage = "--n N --epsilon E [--mechanism M] [OPTION]...\nPROBLEM.yaml [OPTION]...",
	.details =
		"A user has a prior over the answers 0 .. N-1 and a gain for each guess; the\n"
		"utility is the expected gain of the best guess after seeing the output, and "
		"is\n"
		"exact.  PROBLEM.yaml holds answers, graph, epsilon, prior, gain and "
		"mechanism;\n"
		"options go before what it says.",
	.options = options,
	.settings_size = sizeof(struct utility_settings),
	.operands_max = 1,
	.prints_results = true,
	.run = run,
};
