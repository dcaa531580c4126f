/*
 * Bounds what two users lose by sharing one mechanism: the sum of both best utilities less the
 * best sum that one mechanism gives.  The experiment tries all pairs of users with uniform
 * priors.
 */
#include "channel/optimal/optimal_gap.h"

#include <math.h>
#include <stdlib.h>

#include "channel/channel_show.h"
#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/number_text.h"
#include "show/progress.h"
#include "show/table.h"

enum { ANSWERS_MAX = 5, USERS_MAX = 32 };

/* Both users' best utilities less what one mechanism gives both. */
struct difference {
	struct sotto_rational least, most;
};

static void difference_init(struct difference *d)
{
	sotto_rational_init(&d->least);
	sotto_rational_init(&d->most);
}

static void difference_release(struct difference *d)
{
	sotto_rational_release(&d->least);
	sotto_rational_release(&d->most);
}

static void difference_of(const struct sotto_gap *g, struct difference *d)
{
	sotto_rational_add(&d->least, &g->solo[0], &g->solo[1]);
	sotto_rational_subtract(&d->least, &d->least, &g->joint_upper);
	sotto_rational_add(&d->most, &g->solo_upper[0], &g->solo_upper[1]);
	sotto_rational_subtract(&d->most, &d->most, &g->joint);
	if (sotto_rational_sign(&d->least) < 0)
		sotto_rational_set_integer(&d->least, 0);
}

/* ---- two users ------------------------------------------------------------------------------ */

static void print_part(const char *label, const struct sotto_rational *low,
		       const struct sotto_rational *high, FILE *out)
{
	char *least = channel_text_exact(low), *most = channel_text_exact(high);

	if (sotto_rational_compare(low, high) == 0)
		fprintf(out, "%-22s%s\n", label, least);
	else
		fprintf(out, "%-22sbetween %.12g and %.12g\n", label,
			sotto_rational_double_down(low), sotto_rational_double_up(high));
	free(least);
	free(most);
}

static void print_pair(const struct sotto_gap *g, const struct difference *d, FILE *out)
{
	print_part("first user alone", &g->solo[0], &g->solo_upper[0], out);
	print_part("second user alone", &g->solo[1], &g->solo_upper[1], out);
	print_part("both, one mechanism", &g->joint, &g->joint_upper, out);
	print_part("lost by sharing", &d->least, &d->most, out);
}

static void write_bounds(struct json_writer *json, const char *key,
			 const struct sotto_rational *low, const struct sotto_rational *high)
{
	json_key(json, key);
	json_open_record(json);
	json_member_double(json, "lower", sotto_rational_double_down(low));
	json_member_double(json, "upper", sotto_rational_double_up(high));
	json_key(json, "exact");
	if (sotto_rational_compare(low, high) == 0) {
		char *text = channel_fraction(low);

		json_write_text(json, text);
		free(text);
	} else {
		json_write_null(json);
	}
	json_close_object(json);
}

static void write_pair(const struct sotto_gap *g, const struct difference *d, FILE *out)
{
	struct json_writer json;

	json_begin(&json, out);
	json_open_object(&json);
	write_bounds(&json, "first", &g->solo[0], &g->solo_upper[0]);
	write_bounds(&json, "second", &g->solo[1], &g->solo_upper[1]);
	write_bounds(&json, "joint", &g->joint, &g->joint_upper);
	write_bounds(&json, "gap", &d->least, &d->most);
	json_close_object(&json);
	json_end(&json);
}

static void print_pair_csv(const struct sotto_gap *g, const struct difference *d, FILE *out)
{
	static const struct column columns[] = {{"what", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"lower", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
						{"upper", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	const struct {
		const char *name;
		const struct sotto_rational *low, *high;
	} rows[] = {{"first", &g->solo[0], &g->solo_upper[0]},
		    {"second", &g->solo[1], &g->solo_upper[1]},
		    {"joint", &g->joint, &g->joint_upper},
		    {"gap", &d->least, &d->most}};
	struct table t;

	table_init(&t, columns, 3);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		table_add_text(&t, rows[i].name);
		table_add_double(&t, sotto_rational_double_down(rows[i].low), 17);
		table_add_double(&t, sotto_rational_double_up(rows[i].high), 17);
	}
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
}

enum outcome optimal_gap_pair(const struct sotto_user_case *p, const char *path,
			      const struct invocation *call, struct sotto_error *err)
{
	const struct sotto_user_case_texts over = {.answers = sotto_graph_answers(p->graph)};
	struct sotto_error why = {""};
	struct sotto_user_case other;
	struct difference d;
	struct sotto_gap g;
	enum sotto_status st = sotto_user_case_read(path, &over, &other, &why);

	if (st != SOTTO_OK)
		return channel_complain(st, &why, err);
	st = sotto_gap_find(
		p->graph, p->eps,
		(struct sotto_reader[]){{p->prior, p->gain}, {other.prior, other.gain}}, &g,
		&why);
	sotto_user_case_release(&other);
	if (st != SOTTO_OK)
		return channel_complain(st, &why, err);
	difference_init(&d);
	difference_of(&g, &d);
	if (call->format == FORMAT_JSON)
		write_pair(&g, &d, call->out);
	else if (call->format == FORMAT_CSV)
		print_pair_csv(&g, &d, call->out);
	else
		print_pair(&g, &d, call->out);
	difference_release(&d);
	sotto_gap_release(&g);
	return OUTCOME_DONE;
}

/* ---- the experiment ---------------------------------------------------------------------------- */

/* A user: the prior is uniform on a set of answers, bit y for answer y. */
struct group {
	unsigned sets[USERS_MAX];
	struct sotto_matrix *priors[USERS_MAX];
	size_t count;
};

static void group_init(struct group *u, size_t answers)
{
	u->count = 0;
	for (unsigned set = 1; set < 1u << answers; set++) {
		int size = __builtin_popcount(set);
		struct sotto_rational share;

		if (size != 2 && size != 3 && (size_t)size != answers)
			continue;
		sotto_rational_init(&share);
		if (sotto_rational_set_ratio(&share, 1, size) != SOTTO_OK ||
		    sotto_matrix_new(1, answers, &u->priors[u->count]) != SOTTO_OK)
			memory_fail();
		for (size_t y = 0; y < answers; y++)
			if (set >> y & 1 &&
			    sotto_matrix_set(u->priors[u->count], 0, y, &share) != SOTTO_OK)
				memory_fail();
		u->sets[u->count++] = set;
		sotto_rational_release(&share);
	}
}

static void group_release(struct group *u)
{
	for (size_t i = 0; i < u->count; i++)
		sotto_matrix_free(u->priors[i]);
}

/* A bar for all pairs on all graphs. */
struct watch {
	struct progress bar;
	uint64_t done;
};

/* What all pairs came to on one graph. */
struct tally {
	size_t pairs, gaps;
	unsigned first, second; /* of the largest gap */
	double largest;
};

static enum sotto_status tally_pairs(const struct sotto_user_case *p, const struct group *u,
				     struct watch *watch, struct tally *t,
				     struct sotto_error *why)
{
	struct difference d;
	enum sotto_status st = SOTTO_OK;

	difference_init(&d);
	for (size_t i = 0; i < u->count; i++)
		for (size_t j = i + 1; j < u->count && st == SOTTO_OK; j++) {
			const struct sotto_reader readers[2] = {{u->priors[i], p->gain},
								{u->priors[j], p->gain}};
			struct sotto_gap g;

			st = sotto_gap_find(p->graph, p->eps, readers, &g, why);
			progress_step(&watch->bar, ++watch->done);
			if (st != SOTTO_OK)
				break;
			difference_of(&g, &d);
			sotto_gap_release(&g);
			t->pairs++;
			if (sotto_rational_sign(&d.least) == 0)
				continue;
			t->gaps++;
			if (channel_near(&d.least) > t->largest) {
				t->largest = channel_near(&d.least);
				t->first = u->sets[i];
				t->second = u->sets[j];
			}
		}
	difference_release(&d);
	return st;
}

static void add_set(struct table *t, unsigned set)
{
	char *text = memory_copy_text("");

	for (unsigned y = 0; set >> y; y++)
		if (set >> y & 1) {
			char *longer = memory_text("%s%s%u", text, *text ? " " : "", y);

			free(text);
			text = longer;
		}
	table_add_text(t, text);
	free(text);
}

static void add_tally(struct table *t, const char *graph, const struct tally *found)
{
	table_add_text(t, graph);
	table_add_integer(t, (int64_t)found->pairs);
	table_add_integer(t, (int64_t)found->gaps);
	table_add_double(t, found->largest, 10);
	if (found->gaps) {
		add_set(t, found->first);
		add_set(t, found->second);
	} else {
		table_add_nothing(t);
		table_add_nothing(t);
	}
}

static enum sotto_status tally_graph(const char *name, const char *gain,
				     const struct sotto_user_case *p, const struct group *u,
				     struct watch *watch, struct tally *out,
				     struct sotto_error *why)
{
	const struct sotto_user_case_texts texts = {
		.answers = sotto_graph_answers(p->graph), .graph = name, .gain = gain};
	struct sotto_user_case here;
	enum sotto_status st = sotto_user_case_make(&texts, &here, why);

	if (st != SOTTO_OK)
		return st;
	here.eps = p->eps;
	st = tally_pairs(&here, u, watch, out, why);
	here.eps = NULL;
	sotto_user_case_release(&here);
	return st;
}

enum outcome optimal_gap_experiment(const struct sotto_user_case *p, const char *graph,
				    const char *gain, const struct invocation *call,
				    struct sotto_error *err)
{
	static const struct column columns[] = {
		{"graph", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"pairs", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"gaps", "pairs with a gap", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"largest_gap", "largest gap", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"first_user", "between the user of", COLUMN_TEXT, ALIGN_BY_KIND},
		{"second_user", "and the user of", COLUMN_TEXT, ALIGN_BY_KIND}};
	const char *const graphs[] = {graph ? graph : "path", "cycle", "complete"};
	size_t answers = sotto_graph_answers(p->graph), count = graph ? 1 : 3;
	struct sotto_error why = {""};
	enum sotto_status st = SOTTO_OK;
	struct watch watch = {.done = 0};
	struct group users;
	struct table t;

	if (answers < 3 || answers > ANSWERS_MAX)
		return complaint_usage(err, "--gap is for 3 to %d answers", ANSWERS_MAX);
	group_init(&users, answers);
	progress_begin(&watch.bar, "pairs of users",
		       count * users.count * (users.count - 1) / 2);
	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; i < count && st == SOTTO_OK; i++) {
		struct tally found = {0};

		st = tally_graph(graphs[i], gain, p, &users, &watch, &found, &why);
		if (st == SOTTO_OK)
			add_tally(&t, graphs[i], &found);
	}
	progress_end(&watch.bar);
	if (st == SOTTO_OK)
		table_print(&t, call->format, call->out);
	table_release(&t);
	group_release(&users);
	return st == SOTTO_OK ? OUTCOME_DONE : channel_complain(st, &why, err);
}
