/*
 * sotto account: collects the events from operands and a file into one workload, and prices it
 * by every theorem or solves for the parameter that meets a budget.
 */
#include "account/account_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/commands.h"
#include "frame/complaint.h"
#include "sotto/account.h"

static const char *const neighbours_names[] = {"any", "add-remove", "replace-one", NULL};

#define OPTION(field, name_, argument_, kind_, help_)                                          \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(struct account_settings, field)

static const struct option options[] = {
	{OPTION(delta, "delta", "D", OPTION_RATIONAL, "print epsilon at this delta"),
	 .letter = 'd', .range = RANGE_BELOW_ONE},
	{OPTION(epsilon, "epsilon", "E", OPTION_RATIONAL, "print delta at this epsilon"),
	 .letter = 'e', .range = RANGE_NOT_NEGATIVE},
	{OPTION(target_epsilon, "target-epsilon", "E", OPTION_RATIONAL,
		"with --solve: the epsilon to meet at --delta"),
	 .range = RANGE_NOT_NEGATIVE},
	{OPTION(solve, "solve", "PARAMETER", OPTION_TEXT,
		"find the parameter written ?: sigma, scale, epsilon, rho, rate or count")},
	{OPTION(neighbours, "neighbours", "RELATION", OPTION_CHOICE,
		"which datasets are neighbours"),
	 .choices = neighbours_names},
	{OPTION(workload, "workload", "FILE", OPTION_TEXT,
		"read more events, one on each line (- for standard input)")},
	{OPTION(explain, "explain", NULL, OPTION_FLAG, "also print what each event costs")},
	{OPTION(svg, "svg", "FILE", OPTION_TEXT,
		"draw delta(epsilon) and the growth of epsilon")},
	{OPTION(svg, "curve", "FILE", OPTION_TEXT, "the same as --svg"), .hidden = true},
	OPTIONS_END};

/* The texts of all events: operands, then lines of the workload file. */
struct texts {
	const char **items;
	size_t count;
	char *file; /* holds the lines */
};

static void add_text(struct texts *t, const char *text)
{
	t->items = memory_grow(t->items, t->count, sizeof *t->items);
	t->items[t->count++] = text;
}

static char *read_all(FILE *in)
{
	size_t length = 0, capacity = 0;
	char *text = NULL;

	for (;;) {
		size_t got;

		if (capacity - length < 4096) {
			capacity = capacity ? 2 * capacity : 1 << 16;
			text = memory_resize(text, capacity + 1, 1);
		}
		got = fread(text + length, 1, capacity - length, in);
		length += got;
		if (got == 0)
			break;
	}
	text[length] = '\0';
	return text;
}

/* Blank lines and what follows a # are not events. */
static void split_lines(struct texts *t)
{
	char *rest = t->file, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *comment = strchr(line, '#');

		if (comment)
			*comment = '\0';
		if (line[strspn(line, " \t\r")] != '\0')
			add_text(t, line);
	}
}

static enum outcome
gather(const struct invocation *call, struct texts *t, struct sotto_error *err)
{
	const struct account_settings *s = call->settings;
	FILE *in;

	for (size_t i = 0; i < call->operands.count; i++)
		add_text(t, call->operands.items[i]);
	if (!s->workload)
		return OUTCOME_DONE;
	in = strcmp(s->workload, "-") == 0 ? call->in : fopen(s->workload, "r");
	if (!in)
		return complaint_refuse(err, "%s cannot be read", s->workload);
	t->file = read_all(in);
	if (in != call->in)
		(void)fclose(in);
	split_lines(t);
	return OUTCOME_DONE;
}

static enum outcome outcome_of(enum sotto_status st, struct sotto_error *err)
{
	if (st == SOTTO_OK)
		return OUTCOME_DONE;
	if (err->text[0] == '\0')
		(void)complaint_refuse(err, "%s",
				       st == SOTTO_ERANGE
					       ? "events that cost the same may happen at most "
						 "2^53 times together"
					       : sotto_status_text(st));
	return st == SOTTO_EPARSE ? OUTCOME_USAGE : OUTCOME_REFUSED;
}

/* Which event is meant, in a complaint about one of several. */
static void name_event(const struct texts *t, size_t i, enum sotto_status st,
		       struct sotto_error *inner, struct sotto_error *err)
{
	if (inner->text[0] == '\0')
		(void)complaint_refuse(inner, "%s", sotto_status_text(st));
	if (t->count > 1)
		(void)complaint_refuse(err, "event %zu: %.480s", i + 1, inner->text);
	else
		*err = *inner;
}

static enum sotto_status
add_event(struct sotto_workload *w, const struct texts *t, size_t i, struct sotto_error *err)
{
	struct sotto_error inner = {""};
	enum sotto_status st = sotto_workload_add_text(w, t->items[i], &inner);

	if (st != SOTTO_OK)
		name_event(t, i, st, &inner, err);
	return st;
}

/* An event that cannot be read, or whose numbers are not allowed, is a mistake in the command. */
static enum outcome
check_texts(const struct account_settings *s, const struct texts *t, struct sotto_error *err)
{
	for (size_t i = 0; i < t->count; i++) {
		struct sotto_error inner = {""};
		struct sotto_event *e = NULL;
		enum sotto_status st;

		if (s->solve && strchr(t->items[i], '?'))
			continue; /* the solver reads it */
		st = sotto_event_parse(t->items[i], NULL, NULL, &e, &inner);
		sotto_event_free(e);
		if (st == SOTTO_OK)
			continue;
		name_event(t, i, st, &inner, err);
		return st == SOTTO_ENOMEM ? OUTCOME_REFUSED : OUTCOME_USAGE;
	}
	return OUTCOME_DONE;
}

static enum outcome make_workload(const struct account_settings *s, const struct texts *t,
				  struct sotto_workload **w, struct sotto_error *err)
{
	enum sotto_status st = sotto_workload_new(w);

	if (st == SOTTO_OK && s->neighbours != SOTTO_ANY_NEIGHBOURS)
		st = sotto_workload_set_neighbours(*w, (enum sotto_neighbours)s->neighbours,
						   err);
	for (size_t i = 0; i < t->count && st == SOTTO_OK; i++)
		st = add_event(*w, t, i, err);
	return outcome_of(st, err);
}

static void ask_shuffle(const struct sotto_event *e, const struct sotto_rational *delta,
			struct account_result *r)
{
	enum sotto_status st =
		sotto_closed_shuffle_up(&e->local_epsilon, e->users, delta, &r->shuffle_clone);

	r->has_shuffle = st != SOTTO_EINVAL;
	if (st != SOTTO_OK)
		r->shuffle_clone = INFINITY;
	if (sotto_closed_blanket_up(&e->local_epsilon, e->users, e->is_binary ? 2 : 0, delta,
				    &r->shuffle_blanket) != SOTTO_OK)
		r->shuffle_blanket = INFINITY;
}

/* What only some workloads have. */
static void ask_closed_forms(const struct sotto_workload *w, const struct sotto_rational *delta,
			     struct account_result *r)
{
	const struct sotto_event *e;
	uint64_t count;

	r->has_range = sotto_account_bounded_range(w, delta, &r->range) == SOTTO_OK;
	r->has_kov_closed = sotto_closed_kov_up(w, delta, &r->kov_closed) == SOTTO_OK;
	if (sotto_workload_size(w) != 1)
		return;
	e = sotto_workload_at(w, 0, &count);
	if (e->kind == SOTTO_EVENT_SHUFFLE && count == 1)
		ask_shuffle(e, delta, r);
}

/* Deltas below the least double are told apart by their logarithm. */
static bool is_better(const struct sotto_account_answer *a,
		      const struct sotto_account_answer *b, bool of_delta)
{
	if (!a->finite || !b->finite)
		return a->finite;
	return of_delta ? a->log_upper < b->log_upper : a->upper < b->upper;
}

static enum sotto_status
ask(const struct account_settings *s, const struct sotto_workload *w, struct account_result *r)
{
	r->of_delta = s->epsilon.given;
	for (int m = 0; m < SOTTO_METHODS; m++) {
		enum sotto_method method = (enum sotto_method)m;
		enum sotto_status st = r->of_delta
					       ? sotto_account_delta(w, &s->epsilon.value,
								     method, &r->answers[m])
					       : sotto_account_epsilon(w, &s->delta.value,
								       method, &r->answers[m]);

		if (st != SOTTO_OK)
			return st;
		if (is_better(&r->answers[m], &r->answers[r->best], r->of_delta))
			r->best = method;
	}
	if (!r->of_delta)
		ask_closed_forms(w, &s->delta.value, r);
	return SOTTO_OK;
}

static enum outcome
price(const struct invocation *call, const struct texts *t, struct sotto_error *err)
{
	const struct account_settings *s = call->settings;
	struct account_result result = {.of_delta = false};
	struct sotto_workload *w = NULL;
	enum outcome outcome = make_workload(s, t, &w, err);

	if (outcome == OUTCOME_DONE)
		outcome = outcome_of(ask(s, w, &result), err);
	if (outcome == OUTCOME_DONE && s->svg)
		outcome = account_draw(s->svg, w, s->delta.given ? &s->delta.value : NULL, err);
	if (outcome == OUTCOME_DONE)
		account_print(call, &result, w);
	sotto_workload_free(w);
	return outcome;
}

static enum outcome
solve(const struct invocation *call, const struct texts *t, struct sotto_error *err)
{
	const struct account_settings *s = call->settings;
	struct sotto_problem problem = {.events = t->items,
					.n_events = t->count,
					.parameter = s->solve,
					.target_epsilon = &s->target_epsilon.value,
					.delta = &s->delta.value,
					.neighbours = (enum sotto_neighbours)s->neighbours};
	struct sotto_solution solution;
	enum outcome outcome;

	sotto_rational_init(&solution.value);
	outcome = outcome_of(sotto_account_solve(&problem, &solution, err), err);
	if (outcome == OUTCOME_DONE)
		account_print_solution(call, &solution);
	sotto_rational_release(&solution.value);
	return outcome;
}

static bool is_too_small(const struct sotto_rational *delta)
{
	struct sotto_rational least;
	bool yes;

	sotto_rational_init(&least);
	yes = sotto_rational_sign(delta) > 0 &&
	      sotto_rational_parse(&least, "1e-300", NULL) == SOTTO_OK &&
	      sotto_rational_compare(delta, &least) < 0;
	sotto_rational_release(&least);
	return yes;
}

static enum outcome check(const struct account_settings *s, struct sotto_error *err)
{
	if (s->delta.given && is_too_small(&s->delta.value))
		return complaint_refuse(err, "--delta must be 0 or at least 1e-300");
	if (s->solve && !(s->target_epsilon.given && s->delta.given))
		return complaint_usage(err, "--solve needs --target-epsilon and --delta");
	if (!s->solve && s->target_epsilon.given)
		return complaint_usage(err, "--target-epsilon goes with --solve");
	if (s->solve && (s->epsilon.given || s->svg || s->explain))
		return complaint_usage(err,
				       "--epsilon, --svg and --explain do not go with --solve");
	if (!s->solve && s->delta.given == s->epsilon.given)
		return complaint_usage(err, "give either --delta or --epsilon");
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct account_settings *s = call->settings;
	struct texts texts = {NULL, 0, NULL};
	enum outcome outcome = check(s, err);

	if (outcome == OUTCOME_DONE)
		outcome = gather(call, &texts, err);
	if (outcome == OUTCOME_DONE && texts.count == 0)
		outcome = complaint_usage(err, "an EVENT is needed, such as "
					       "'gaussian(sigma=10)*100'");
	if (outcome == OUTCOME_DONE)
		outcome = check_texts(s, &texts, err);
	if (outcome == OUTCOME_DONE)
		outcome = s->solve ? solve(call, &texts, err) : price(call, &texts, err);
	free(texts.items);
	free(texts.file);
	return outcome;
}

const struct command command_account = {
	.name = "account",
	.summary = "say what many releases cost together, by every composition theorem",
	.usage = "EVENT... --delta D\nEVENT... --epsilon E\n"
		 "EVENT... --solve PARAMETER --target-epsilon E --delta D",
	.details =
		"An EVENT is a mechanism with exact parameters; *N after it repeats it N "
		"times:\n\n"
		"  laplace(epsilon=)  laplace(scale=, sensitivity=1)\n"
		"  gaussian(sigma=, sensitivity=1)  discrete-gaussian(sigma=, sensitivity=1)\n"
		"  geometric(epsilon=, sensitivity=1)  geometric(scale=, sensitivity=1)\n"
		"  randomized-response(epsilon=, k=2)  randomized-response(p=, k=2)\n"
		"  randomized-response(coin=, yes=1/2)\n"
		"  exponential(epsilon=)  permute-and-flip(epsilon=)  pure(epsilon=)\n"
		"  approx(epsilon=, delta=)  zcdp(rho=)  shuffle(n=, epsilon0=)\n"
		"  sampled(rate=, EVENT)  group(k=, EVENT)  parallel(EVENT, ...)\n\n"
		"Upper bounds are rounded up, lower bounds down.",
	.options = options,
	.settings_size = sizeof(struct account_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
