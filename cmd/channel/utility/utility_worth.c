/*
 * Asks the library for utility, leakage and exact epsilon of one channel, and sets the leakage
 * beside the bounds of Alvim et al. for any mechanism of that epsilon.
 */
#include "channel/utility/utility_worth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel_show.h"
#include "channel/problem_options.h"
#include "show/number_text.h"
#include "show/table.h"

void utility_worth_release(struct worth *w)
{
	sotto_matrix_free(w->channel);
	sotto_use_release(&w->use);
	sotto_verdict_release(&w->verdict);
}

enum sotto_status utility_worth_find(const struct sotto_user_case *p, const char *mechanism,
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
		utility_worth_release(&w);
	return st;
}

static void print_remap(const struct sotto_user_case *p, const struct sotto_use *u, FILE *out)
{
	bool identity = true;

	for (size_t z = 0; z < u->outputs; z++)
		identity = identity && u->remap[z] == z;
	fprintf(out, "%-22s", "best guess by output");
	if (identity)
		fputs("the output itself", out);
	for (size_t z = 0; z < u->outputs && !identity; z++) {
		fputs(z ? " " : "", out);
		if (p->labels && u->guesses == sotto_graph_answers(p->graph))
			fputs(p->labels[u->remap[z]], out);
		else
			fprintf(out, "%zu", u->remap[z]);
	}
	fputc('\n', out);
}

/*
 * What any mechanism of the channel's epsilon can leak (Alvim et al., arXiv 1103.5188): on a
 * path at most log2(N U), U the best utility of a uniform prior and identity gain; from u
 * persons with one bit each at most u log2(2/(1 + alpha)), u = N - 1 for a count.
 */
static void find_bounds(const struct sotto_user_case *p, const struct worth *w, double *path,
			double *persons)
{
	double n = (double)sotto_graph_answers(p->graph), alpha = exp(-w->verdict.epsilon_up);

	*path = *persons = NAN;
	if (w->verdict.infinite || !channel_is_path(p))
		return;
	*path = n > 1 ? log2((n - (n - 2) * alpha) / (1 + alpha)) : 0;
	*persons = (n - 1) * log2(2 / (1 + alpha));
}

static void print_bounds(const struct sotto_user_case *p, const struct worth *w, FILE *out)
{
	double path, persons;

	find_bounds(p, w, &path, &persons);
	if (isnan(path))
		return;
	fprintf(out,
		"%-22s%.10g bits for a count of this epsilon; %.10g for %zu persons with a "
		"bit each\n",
		"  at most", path, persons, sotto_graph_answers(p->graph) - 1);
}

void utility_worth_print(const struct sotto_user_case *p, const struct worth *w, FILE *out)
{
	const struct sotto_leakage *l = &w->leakage;

	channel_print_line(22, "utility", &w->use.utility, out);
	if (w->use.has_raw)
		channel_print_line(22, "  without a remap", &w->use.raw, out);
	channel_print_line(22, "  without the output", &w->use.prior_value, out);
	print_remap(p, &w->use, out);
	channel_print_line(22, "worst expected loss", &w->use.worst_loss, out);
	if (w->verdict.infinite)
		fprintf(out, "%-22sinfinite\n", "epsilon");
	else {
		channel_print_epsilon(22, "epsilon", w->verdict.epsilon_up, out);
		fputc('\n', out);
	}
	fprintf(out, "%-22s%.10g bits of %.10g\n", "the output tells", l->information,
		l->entropy);
	fprintf(out, "%-22s%.10g bits, at most %.10g for any prior\n", "min-entropy leakage",
		l->min_entropy, log2(l->capacity));
	print_bounds(p, w, out);
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

static void
write_leakage(struct json_writer *json, const struct sotto_user_case *p, const struct worth *w)
{
	const struct sotto_leakage *l = &w->leakage;
	double gained = channel_near(&w->use.utility),
	       before = channel_near(&w->use.prior_value);
	double path, persons;

	json_key(json, "leakage");
	json_open_object(json);
	json_member_double(json, "additive", gained - before);
	json_member_double(json, "multiplicative", before != 0 ? gained / before : NAN);
	json_member_double(json, "min_entropy", l->min_entropy);
	json_member_double(json, "bayes_capacity", l->capacity);
	json_member_double(json, "min_capacity", log2(l->capacity));
	json_member_double(json, "additive_capacity", l->additive_capacity);
	json_member_double(json, "entropy", l->entropy);
	json_member_double(json, "conditional_entropy", l->entropy_after);
	json_member_double(json, "mutual_information", l->information);
	json_member_double(json, "shannon_capacity", l->shannon_capacity);
	json_member_double(json, "guessing_before", l->guessing_before);
	json_member_double(json, "guessing_after", l->guessing_after);
	json_member_double(json, "predicate", l->predicate);
	find_bounds(p, w, &path, &persons);
	json_member_double(json, "path_bound", path);
	json_member_double(json, "individuals_bound", persons);
	json_close_object(json);
}

static void write_labels(struct json_writer *json, const struct sotto_user_case *p)
{
	if (!p->labels)
		return;
	json_key(json, "labels");
	json_open_row(json);
	for (size_t y = 0; y < sotto_graph_answers(p->graph); y++)
		json_write_text(json, p->labels[y]);
	json_close_array(json);
}

void utility_worth_write(struct json_writer *json, const struct sotto_user_case *p,
			 const char *mechanism, const struct worth *w)
{
	json_member_text(json, "mechanism", mechanism);
	channel_write_exact(json, "utility", &w->use.utility, w->is_exact);
	if (w->use.has_raw)
		channel_write_exact(json, "utility_without_remap", &w->use.raw, w->is_exact);
	else
		json_member_double(json, "utility_without_remap", NAN);
	json_key(json, "remap");
	json_open_row(json);
	for (size_t z = 0; z < w->use.outputs; z++)
		json_write_integer(json, (int64_t)w->use.remap[z]);
	json_close_array(json);
	write_ties(json, &w->use);
	write_labels(json, p);
	channel_write_exact(json, "prior_value", &w->use.prior_value, true);
	channel_write_exact(json, "worst_loss", &w->use.worst_loss, w->is_exact);
	json_member_double(json, "bayes_risk", w->leakage.bayes_risk);
	write_leakage(json, p, w);
	json_member_double(json, "epsilon", w->verdict.epsilon_up);
}

void utility_worth_csv(const char *mechanism, const struct worth *w, FILE *out)
{
	static const struct column columns[] = {
		{"mechanism", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"utility", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"utility_without_remap", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"prior_value", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"worst_loss", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"bayes_risk", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"min_entropy", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	table_add_text(&t, mechanism);
	if (w->verdict.infinite)
		table_add_nothing(&t);
	else
		table_add_double_up(&t, w->verdict.epsilon_up, 17);
	table_add_double(&t, channel_near(&w->use.utility), 17);
	if (w->use.has_raw)
		table_add_double(&t, channel_near(&w->use.raw), 17);
	else
		table_add_nothing(&t);
	table_add_double(&t, channel_near(&w->use.prior_value), 17);
	table_add_double(&t, channel_near(&w->use.worst_loss), 17);
	table_add_double(&t, w->leakage.bayes_risk, 17);
	table_add_double(&t, w->leakage.min_entropy, 17);
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
}
