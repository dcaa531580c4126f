/* sotto optimal: the best mechanism at an epsilon for a user, with a proof */
#include <stdlib.h>
#include <string.h>

#include "channel/channel_show.h"
#include "channel/optimal/optimal_gap.h"
#include "channel/optimal/optimal_long.h"
#include "channel/optimal/optimal_show.h"
#include "channel/problem_options.h"
#include "frame/allocation.h"
#include "frame/commands.h"
#include "frame/complaint.h"
#include "show/terminal.h"

struct optimal_settings {
	struct problem_settings problem;
	size_t method;
	bool minimax, gap;
	const char *users;
	const char *side;
	const char *out;
	const char *svg;
};

#define OPTION(field, name_, argument_, kind_, help_)                                          \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(struct optimal_settings, field)

static const char *const methods[] = {"auto", "closed", "columns", "lp", NULL};

static const struct option options[] = {
	PROBLEM_OPTIONS(struct optimal_settings),
	{OPTION(method, "method", "HOW", OPTION_CHOICE,
		"auto: a closed form where one is proven best, else exact columns on a small "
		"tree, "
		"else a linear program"),
	 .choices = methods},
	{OPTION(minimax, "minimax", NULL, OPTION_FLAG,
		"minimize the worst expected loss; the prior is then not used")},
	{OPTION(side, "side", "Y,Y", OPTION_TEXT,
		"with --minimax: the answers that are possible; default all")},
	{OPTION(users, "users", "FILE", OPTION_TEXT,
		"say how useful one mechanism can be to this user and the user in FILE "
		"together")},
	{OPTION(gap, "gap", NULL, OPTION_FLAG,
		"try all pairs of users with priors uniform on 2, 3 or all answers, on path, "
		"cycle and complete graph")},
	{OPTION(out, "out", "FILE", OPTION_TEXT, "write the mechanism as a CSV matrix")},
	{OPTION(svg, "svg", "FILE", OPTION_TEXT, "draw the mechanism as a heat map")},
	OPTIONS_END};

/* ---- files ------------------------------------------------------------------------------------ */

static enum outcome
write_matrix(const struct sotto_matrix *m, const char *path, struct sotto_error *err)
{
	FILE *out = channel_create(path, err);
	char *text = NULL;

	if (!out)
		return OUTCOME_REFUSED;
	if (sotto_matrix_format(m, &text) != SOTTO_OK)
		memory_fail();
	fputs(text, out);
	free(text);
	return channel_finish(out, path, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome write_files(const struct sotto_matrix *channel,
				const struct optimal_settings *s, struct sotto_error *err)
{
	FILE *out;

	if (s->out && write_matrix(channel, s->out, err) != OUTCOME_DONE)
		return OUTCOME_REFUSED;
	if (!s->svg)
		return OUTCOME_DONE;
	out = channel_create(s->svg, err);
	if (!out)
		return OUTCOME_REFUSED;
	channel_draw(channel, "the best mechanism", out);
	return channel_finish(out, s->svg, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

/* ---- for one user --------------------------------------------------------------------------------- */

static enum outcome find_best(const struct sotto_user_case *p, const struct invocation *call,
			      struct sotto_error *err)
{
	const struct optimal_settings *s = call->settings;
	struct sotto_error why = {""};
	struct sotto_optimal o;
	struct sotto_verdict v;
	enum outcome outcome;
	enum sotto_status st = sotto_optimal_find(p->graph, p->eps, p->prior, p->gain,
						  (enum sotto_optimal_ways)s->method, &o, &why);

	if (st != SOTTO_OK)
		return channel_complain(st, &why, err);
	sotto_verdict_init(&v);
	st = sotto_verify_epsilon(o.channel, p->graph, &v);
	if (st == SOTTO_OK)
		optimal_show(&o, &v, call);
	outcome = st == SOTTO_OK ? write_files(o.channel, s, err)
				 : channel_complain(st, &why, err);
	sotto_verdict_release(&v);
	sotto_optimal_release(&o);
	return outcome;
}

/* ---- against the worst answer ------------------------------------------------------------------------ */

/* "0,1,2" as a set; NULL, with a complaint, if it is not one. */
static bool *read_side(const char *text, size_t answers, struct sotto_error *err)
{
	bool *side = memory_new(answers, sizeof *side);
	const char *p = text;

	for (;;) {
		char *end;
		unsigned long y = strtoul(p, &end, 10);

		if (end == p || *p < '0' || *p > '9' || y >= answers ||
		    (*end != ',' && *end != '\0')) {
			(void)complaint_usage(
				err,
				"--side takes answers below %zu with commas between "
				"them, such as 0,1,2",
				answers);
			free(side);
			return NULL;
		}
		side[y] = true;
		if (*end == '\0')
			return side;
		p = end + 1;
	}
}

static enum outcome find_minimax(const struct sotto_user_case *p, const struct invocation *call,
				 struct sotto_error *err)
{
	const struct optimal_settings *s = call->settings;
	struct sotto_error why = {""};
	struct sotto_minimax m;
	struct sotto_verdict v;
	enum outcome outcome;
	enum sotto_status st;
	bool *side = NULL;

	if (s->side && !(side = read_side(s->side, sotto_graph_answers(p->graph), err)))
		return OUTCOME_USAGE;
	st = sotto_minimax_find(p->graph, p->eps, p->gain, side, &m, &why);
	free(side);
	if (st != SOTTO_OK)
		return channel_complain(st, &why, err);
	sotto_verdict_init(&v);
	st = sotto_verify_epsilon(m.channel, p->graph, &v);
	if (st == SOTTO_OK)
		optimal_show_minimax(&m, &v, call);
	outcome = st == SOTTO_OK ? write_files(m.channel, s, err)
				 : channel_complain(st, &why, err);
	sotto_verdict_release(&v);
	sotto_minimax_release(&m);
	return outcome;
}

/* A path too long for a matrix, of which only the certificate is asked for. */
static bool is_long(const struct optimal_settings *s, const struct invocation *call)
{
	return channel_is_long_path(&s->problem, OPTIMAL_MATRIX_MAX, call) &&
	       s->method <= SOTTO_WAYS_CLOSED && !s->minimax && !s->gap && !s->users &&
	       !s->out && !s->svg;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct optimal_settings *s = call->settings;
	struct sotto_user_case problem;
	enum outcome outcome;

	if (s->side && !s->minimax)
		return complaint_usage(err, "--side goes with --minimax");
	if (s->minimax + s->gap + (s->users != NULL) > 1)
		return complaint_usage(err, "take one of --minimax, --users and --gap");
	if ((s->gap || s->users) && (s->out || s->svg))
		return complaint_usage(
			err, "--users and --gap compare utilities; leave --out and --svg out");
	if (is_long(s, call))
		return optimal_long(&s->problem, call, err);
	outcome = channel_problem_read(call, &s->problem, NULL, &problem, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (s->users)
		outcome = optimal_gap_pair(&problem, s->users, call, err);
	else if (s->gap)
		outcome = optimal_gap_experiment(&problem, s->problem.graph, s->problem.gain,
						 call, err);
	else
		outcome = (s->minimax ? find_minimax : find_best)(&problem, call, err);
	sotto_user_case_release(&problem);
	return outcome;
}

const struct command command_optimal = {
	.name = "optimal",
	.summary = "find the best mechanism at a given epsilon for a prior and a gain",
	.usage = "--n N --epsilon E [OPTION]...\nPROBLEM.yaml [OPTION]...",
	.details = "The mechanism is exactly epsilon-private, and the program proves an upper\n"
		   "bound on the utility of any other.  On a path it tries the geometric "
		   "mechanism\n"
		   "first, with an exact certificate.  Otherwise it solves a linear program\n"
		   "(COIN-OR Clp) and makes the answer exactly private.",
	.options = options,
	.settings_size = sizeof(struct optimal_settings),
	.operands_max = 1,
	.prints_results = true,
	.run = run,
};
