/* sotto audit: tries to break every mechanism and protocol. */
#include "audit/audit_subject.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/commands.h"
#include "frame/complaint.h"
#include "frame/suggest.h"
#include "local/design/local_audit.h"
#include "show/table.h"
#include "sotto/audit.h"

enum { TRIALS_MIN = 1000, TRIALS_MAX = 10000000, BETWEEN_STEPS = 1024 };

struct audit_request {
	struct option_rational epsilon, delta, alpha;
	struct option_count trials;
	bool broken, list;
};

#define OPTION(option_name, letter_, argument_, kind_, help_)                                  \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct audit_request, option_name)

static const struct option options[] = {
	{OPTION(epsilon, 'e', "E", OPTION_RATIONAL, "the epsilon that mechanisms are run with"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{OPTION(delta, 'd', "D", OPTION_RATIONAL, "the delta of those that need one"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "0.01"},
	{OPTION(trials, 0, "N", OPTION_COUNT, "runs on each of the two inputs"),
	 .range = RANGE_POSITIVE, .fallback = "200000"},
	{OPTION(alpha, 0, "A", OPTION_RATIONAL,
		"probability of any false alarm, if all claims hold"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "0.01"},
	{OPTION(broken, 0, NULL, OPTION_FLAG,
		"audit well-known mistakes instead, to see that they are found")},
	{OPTION(list, 0, NULL, OPTION_FLAG,
		"print what would be audited, and on which inputs; run nothing")},
	OPTIONS_END};

/* ---- which subjects ---- */

struct selected {
	const struct audit_subject **items;
	size_t count;
};

static const struct audit_subject *const sound[] = {
	audit_additive, audit_choice, audit_stream, audit_response, audit_protocols, NULL};
static const struct audit_subject *const unsound[] = {audit_twins, NULL};

static void add(struct selected *s, const struct audit_subject *subject)
{
	s->items = memory_grow(s->items, s->count, sizeof *s->items);
	s->items[s->count++] = subject;
}

/* All subjects of the lists, or those of this name if there is one. */
static void
add_named(struct selected *s, const struct audit_subject *const *lists, const char *name)
{
	for (; *lists; lists++)
		for (const struct audit_subject *a = *lists; a->name; a++)
			if (!name || strcmp(a->name, name) == 0)
				add(s, a);
}

static enum outcome
unknown(const struct audit_subject *const *lists, const char *name, struct sotto_error *err)
{
	struct suggestion s = {.typed = name};

	for (; *lists; lists++)
		for (const struct audit_subject *a = *lists; a->name; a++)
			suggest_offer(&s, a->name);
	if (s.word)
		return complaint_usage(err, "there is no mechanism %.40s; did you mean %s?",
				       name, s.word);
	return complaint_usage(err, "there is no mechanism %.40s; --list prints all", name);
}

static enum outcome
selected_fill(struct selected *s, const struct invocation *call, struct sotto_error *err)
{
	const struct audit_request *settings = call->settings;
	const struct audit_subject *const *lists = settings->broken ? unsound : sound;

	*s = (struct selected){NULL, 0};
	if (call->operands.count == 0)
		add_named(s, lists, NULL);
	for (size_t i = 0; i < call->operands.count; i++) {
		size_t before = s->count;

		add_named(s, lists, call->operands.items[i]);
		if (s->count == before)
			return unknown(lists, call->operands.items[i], err);
	}
	return OUTCOME_DONE;
}

/* ---- one subject ---- */

struct finding {
	struct audit_claim claim;
	double proved;
};

static bool is_broken(const struct finding *f)
{
	return f->proved > f->claim.epsilon;
}

/* Runs the mechanism on both inputs in turn. */
static enum sotto_status collect(const struct audit_subject *subject, void *mechanism,
				 const struct audit_effort *effort, int64_t *of[2])
{
	for (size_t i = 0; i < effort->trials; i++) {
		if (i % BETWEEN_STEPS == 0)
			progress_step(effort->bar, effort->done + i);
		for (unsigned side = 0; side < 2; side++) {
			enum sotto_status st =
				subject->run(mechanism, side, effort->rng, &of[side][i]);

			if (st != SOTTO_OK)
				return st;
		}
	}
	return SOTTO_OK;
}

static enum sotto_status prove(const struct audit_subject *subject,
			       const struct audit_case *opened,
			       const struct audit_effort *effort, double *proved)
{
	const struct sotto_audit_level level = {effort->alpha, opened->claim.delta};
	int64_t *of[2] = {memory_new(effort->trials, sizeof *of[0]),
			  memory_new(effort->trials, sizeof *of[1])};
	struct sotto_audit_proof proof = {.epsilon = 0};
	enum sotto_status st = collect(subject, opened->mechanism, effort, of);

	if (st == SOTTO_OK)
		st = sotto_audit_prove(
			&(struct sotto_audit_outcomes){{of[0], of[1]}, effort->trials}, &level,
			&proof);
	free(of[0]);
	free(of[1]);
	*proved = proof.epsilon;
	return st;
}

static enum sotto_status
audit_one(const struct audit_subject *subject, const struct audit_terms *terms,
	  const struct audit_effort *effort, struct finding *out, struct sotto_error *err)
{
	struct audit_case opened = {.mechanism = NULL};
	struct audit_effort own = *effort;
	enum sotto_status st;

	if (subject->params)
		return audit_protocol(subject, terms, effort, &out->claim, &out->proved, err);
	if (subject->slowness)
		own.trials /= subject->slowness;
	st = subject->open(terms, &opened, err);
	out->claim = opened.claim;
	if (st == SOTTO_OK)
		st = prove(subject, &opened, &own, &out->proved);
	if (opened.mechanism)
		subject->close(opened.mechanism);
	return st;
}

/* All of them: together they raise a false alarm with probability at most alpha. */
static enum sotto_status audit_all(const struct selected *s, const struct invocation *call,
				   struct finding *out, size_t *failed, struct sotto_error *err)
{
	const struct audit_request *settings = call->settings;
	const struct audit_terms terms = {&settings->epsilon.value, &settings->delta.value};
	struct progress bar;
	struct audit_effort effort = {
		.trials = settings->trials.value,
		.alpha = sotto_rational_double_down(&settings->alpha.value) / (double)s->count,
		.bar = &bar};
	enum sotto_status st = sotto_rng_open(&effort.rng);

	progress_begin(&bar, "auditing", s->count * effort.trials);
	for (size_t i = 0; i < s->count && st == SOTTO_OK; i++) {
		*failed = i;
		effort.done = i * effort.trials;
		progress_step(&bar, effort.done);
		st = audit_one(s->items[i], &terms, &effort, &out[i], err);
	}
	progress_end(&bar);
	sotto_rng_close(effort.rng);
	return st;
}

/* ---- printing ---- */

static void print_list(const struct selected *s, const struct invocation *call)
{
	static const struct column columns[] = {{"mechanism", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"inputs", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"outcome", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 3);
	for (size_t i = 0; i < s->count; i++) {
		table_add_text(&t, s->items[i]->name);
		table_add_text(&t, s->items[i]->inputs);
		table_add_text(&t, s->items[i]->outcome);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static void print_findings(const struct selected *s, const struct finding *found,
			   const struct invocation *call)
{
	static const struct column columns[] = {
		{"mechanism", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"claimed", "claimed epsilon", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"delta", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"proved", "proven at least", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"verdict", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 5);
	for (size_t i = 0; i < s->count; i++) {
		table_add_text(&t, s->items[i]->name);
		table_add_double_up(&t, found[i].claim.epsilon, 4);
		table_add_double(&t, found[i].claim.delta, 4);
		table_add_double_down(&t, found[i].proved, 4);
		table_add_text(&t, is_broken(&found[i]) ? "broken" : "not broken");
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static void print_meaning(const struct invocation *call)
{
	const struct audit_request *s = call->settings;

	fprintf(command_notes(call),
		"proven: up to %" PRIu64
		" runs on each of two inputs show that epsilon is not less;\n"
		"the probability that any of these rows says too much is at most %s.\n"
		"\"not broken\" is no proof of privacy: no number of runs is.\n",
		s->trials.value, s->alpha.text);
}

static enum outcome judge(const struct selected *s, const struct finding *found,
			  const struct invocation *call, struct sotto_error *err)
{
	size_t broken = 0;

	print_findings(s, found, call);
	if (call->format == FORMAT_TABLE)
		print_meaning(call);
	for (size_t i = 0; i < s->count; i++)
		broken += is_broken(&found[i]);
	return broken ? complaint_refuse(err, "%zu of %zu claims are broken", broken, s->count)
		      : OUTCOME_DONE;
}

static enum outcome audit_and_print(const struct selected *s, const struct invocation *call,
				    struct sotto_error *err)
{
	struct finding *found = memory_new(s->count, sizeof *found);
	struct sotto_error why = {""};
	enum outcome outcome;
	size_t failed = 0;
	enum sotto_status st = audit_all(s, call, found, &failed, &why);

	if (st == SOTTO_OK)
		outcome = judge(s, found, call, err);
	else
		outcome = complaint_refuse(err, "%s: %s", s->items[failed]->name,
					   why.text[0] ? why.text : sotto_status_text(st));
	free(found);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct audit_request *settings = call->settings;
	struct selected selected;
	enum outcome outcome;

	if (settings->trials.value < TRIALS_MIN || settings->trials.value > TRIALS_MAX)
		return complaint_refuse(err, "--trials must be from %d to %d", TRIALS_MIN,
					TRIALS_MAX);
	if (sotto_rational_double_down(&settings->alpha.value) < AUDIT_ALPHA_MIN)
		return complaint_refuse(err, "--alpha must be at least %g", AUDIT_ALPHA_MIN);
	if (sotto_rational_double_up(&settings->delta.value) >= 1)
		return complaint_refuse(err,
					"--delta must be smaller than 1 by more than 1e-16");
	outcome = selected_fill(&selected, call, err);
	if (outcome == OUTCOME_DONE && settings->list)
		print_list(&selected, call);
	else if (outcome == OUTCOME_DONE)
		outcome = audit_and_print(&selected, call, err);
	free(selected.items);
	return outcome;
}

const struct command command_audit = {
	.name = "audit",
	.summary = "try to break every mechanism and protocol",
	.usage = "[OPTION]... [MECHANISM]...\n"
		 "--broken [OPTION]... [MISTAKE]...\n"
		 "--list [--broken]",
	.details =
		"Runs each mechanism many times on two neighbouring inputs and looks for the\n"
		"outputs that tell them apart best.  Prints the epsilon that it claims and "
		"the\n"
		"highest one that the runs prove.  The exit status is 1 if a claim is broken.",
	.options = options,
	.settings_size = sizeof(struct audit_request),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
