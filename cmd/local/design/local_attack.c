/* Attacks that work, and what stops them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/design/local_attack.h"
#include "show/table.h"

const char *const local_attacks[] = {"averaging", "change", "cohort", "poison", NULL};

static const struct option options[] = {
	{.name = "params",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .required = true,
	 .help = "the collection's parameters",
	 .offset = offsetof(struct attack_settings, params)},
	{.name = "devices",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "200",
	 .help = "devices attacked, or honest ones when poisoning",
	 .offset = offsetof(struct attack_settings, devices)},
	{.name = "reports",
	 .argument = "T",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "100",
	 .help = "reports seen of each device",
	 .offset = offsetof(struct attack_settings, reports)},
	{.name = "fakes",
	 .argument = "M",
	 .kind = OPTION_COUNT,
	 .fallback = "10",
	 .help = "made-up users when poisoning",
	 .offset = offsetof(struct attack_settings, fakes)},
	OPTIONS_END};

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

enum sotto_status stage_device(struct stage *s, const struct sotto_client_params *p,
			       uint8_t key[32], struct sotto_client *c)
{
	struct sotto_client_secrets secrets = {
		.key = key, .fill = fill_from_rng, .context = s->rng};
	enum sotto_status st = sotto_rng_fill(s->rng, key, 32);

	return st == SOTTO_OK ? sotto_client_init(c, p, &secrets) : st;
}

static enum sotto_status speak(struct stage *s, struct sotto_client *c, uint64_t value)
{
	size_t used;

	return sotto_client_encode_number(c, value, s->report, s->stride, &used);
}

static bool over_numbers(const struct sotto_client_params *p)
{
	return p->size >= 2 && p->protocol != SOTTO_CLIENT_ONE_BIT_MEAN &&
	       p->protocol != SOTTO_CLIENT_SFP && p->protocol != SOTTO_CLIENT_PEM &&
	       p->protocol != SOTTO_CLIENT_TREEHIST;
}

/* The value that an aggregate of one device's reports points to. */
static enum sotto_status guess(struct stage *s, struct sotto_local_aggregate *a, size_t *out)
{
	struct sotto_local_candidates all = {.count = s->params.size};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};
	struct sotto_local_estimate *e = memory_new(s->params.size, sizeof *e);
	enum sotto_status st = sotto_local_decode(a, &all, &o, e, NULL);

	*out = 0;
	for (size_t i = 1; st == SOTTO_OK && i < s->params.size; i++)
		if (e[i].count > e[*out].count)
			*out = i;
	free(e);
	return st;
}

/* Listens to one device for so many reports and guesses. */
static enum sotto_status listen_to(struct stage *s, const struct sotto_client_params *p,
				   uint64_t value, uint64_t reports, bool *right)
{
	struct sotto_local_aggregate *a = NULL;
	struct sotto_client c;
	uint8_t key[32];
	size_t said = 0;
	enum sotto_status st = sotto_local_aggregate_new(p, &a);

	if (st == SOTTO_OK)
		st = stage_device(s, p, key, &c);
	for (uint64_t i = 0; i < reports && st == SOTTO_OK; i++) {
		st = speak(s, &c, value);
		if (st == SOTTO_OK)
			st = sotto_local_aggregate_add(a, s->report, 1);
	}
	if (st == SOTTO_OK)
		st = guess(s, a, &said);
	*right = said == value;
	sotto_local_aggregate_free(a);
	return st;
}

static enum sotto_status averaging(struct stage *s)
{
	enum sotto_status st = SOTTO_OK;

	for (uint64_t t = 1; t <= s->settings->reports.value && st == SOTTO_OK; t *= 10)
		for (unsigned memoize = 0; memoize < 2 && st == SOTTO_OK; memoize++) {
			struct sotto_client_params p = s->params;
			uint64_t right = 0;
			char *what = memory_text("%s, %llu reports",
						 memoize ? "memoized" : "fresh answers",
						 (unsigned long long)t);

			p.memoize = memoize;
			for (uint64_t i = 0; i < s->settings->devices.value && st == SOTTO_OK;
			     i++) {
				bool hit = false;

				st = listen_to(s, &p, i % p.size, t, &hit);
				right += hit;
			}
			table_add_text(&s->table, what);
			table_add_double(
				&s->table,
				100 * (double)right / (double)s->settings->devices.value, 4);
			free(what);
		}
	return st;
}

/* Two runs of one device, the value changed between them or not: does the answer differ? */
static enum sotto_status
differs(struct stage *s, const struct sotto_client_params *p, bool change, bool *out)
{
	uint8_t *first = memory_new(s->stride, 1), key[32];
	struct sotto_client c;
	enum sotto_status st = stage_device(s, p, key, &c);

	if (st == SOTTO_OK)
		st = speak(s, &c, 0);
	if (st == SOTTO_OK) {
		memcpy(first, s->report, s->stride);
		st = speak(s, &c, change ? p->size - 1 : 0);
	}
	*out = st == SOTTO_OK && memcmp(first, s->report, s->stride) != 0;
	free(first);
	return st;
}

static enum sotto_status change(struct stage *s)
{
	enum sotto_status st = SOTTO_OK;

	for (unsigned memoize = 0; memoize < 2; memoize++)
		for (unsigned changed = 0; changed < 2 && st == SOTTO_OK; changed++) {
			struct sotto_client_params p = s->params;
			uint64_t seen = 0;
			char *what = memory_text("%s, value %s",
						 memoize ? "memoized" : "fresh answers",
						 changed ? "changed" : "kept");

			p.memoize = memoize;
			for (uint64_t i = 0; i < s->settings->devices.value && st == SOTTO_OK;
			     i++) {
				bool hit = false;

				st = differs(s, &p, changed, &hit);
				seen += hit;
			}
			table_add_text(&s->table, what);
			table_add_double(
				&s->table,
				100 * (double)seen / (double)s->settings->devices.value, 4);
			free(what);
		}
	return st;
}

static enum sotto_status estimate_zero(struct sotto_local_aggregate *a, double *count)
{
	struct sotto_local_candidates zero = {.count = 1};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};
	struct sotto_local_estimate e;
	enum sotto_status st = sotto_local_decode(a, &zero, &o, &e, NULL);

	*count = st == SOTTO_OK ? e.count : 0;
	return st;
}

/* The report that says "value 0" as loudly as one report can: out of many honest ones. */
static enum sotto_status loudest(struct stage *s, uint8_t *out)
{
	double best = -INFINITY;
	enum sotto_status st = SOTTO_OK;

	for (int i = 0; i < 64 && st == SOTTO_OK; i++) {
		struct sotto_local_aggregate *a = NULL;
		double count = 0;
		struct sotto_client c;
		uint8_t key[32];

		st = stage_device(s, &s->params, key, &c);
		if (st == SOTTO_OK)
			st = speak(s, &c, 0);
		if (st == SOTTO_OK)
			st = sotto_local_aggregate_new(&s->params, &a);
		if (st == SOTTO_OK)
			st = sotto_local_aggregate_add(a, s->report, 1);
		if (st == SOTTO_OK)
			st = estimate_zero(a, &count);
		if (st == SOTTO_OK && count > best) {
			best = count;
			memcpy(out, s->report, s->stride);
		}
		sotto_local_aggregate_free(a);
	}
	return st;
}

/* Honest users who all hold 1, so that nobody holds 0. */
static enum sotto_status honest_users(struct stage *s, struct sotto_local_aggregate *a)
{
	enum sotto_status st = SOTTO_OK;

	for (uint64_t i = 0; i < s->settings->devices.value && st == SOTTO_OK; i++) {
		struct sotto_client c;
		uint8_t key[32];

		st = stage_device(s, &s->params, key, &c);
		if (st == SOTTO_OK)
			st = speak(s, &c, 1);
		if (st == SOTTO_OK)
			st = sotto_local_aggregate_add(a, s->report, 1);
	}
	return st;
}

static void add_poison_rows(struct stage *s, double honest, double poisoned)
{
	double fakes = (double)s->settings->fakes.value;

	table_add_text(&s->table, "estimate of a value nobody holds");
	table_add_double(&s->table, honest, 5);
	table_add_text(&s->table, "the same with made-up users");
	table_add_double(&s->table, poisoned, 5);
	table_add_text(&s->table, "gain per made-up user");
	table_add_double(&s->table, fakes > 0 ? (poisoned - honest) / fakes : 0, 4);
}

static enum sotto_status poison(struct stage *s)
{
	struct sotto_local_aggregate *a = NULL;
	uint8_t *fake = memory_new(s->stride, 1);
	double honest = 0, poisoned = 0;
	enum sotto_status st = loudest(s, fake);

	if (st == SOTTO_OK)
		st = sotto_local_aggregate_new(&s->params, &a);
	if (st == SOTTO_OK)
		st = honest_users(s, a);
	if (st == SOTTO_OK)
		st = estimate_zero(a, &honest);
	for (uint64_t i = 0; i < s->settings->fakes.value && st == SOTTO_OK; i++)
		st = sotto_local_aggregate_add(a, fake, 1);
	if (st == SOTTO_OK)
		st = estimate_zero(a, &poisoned);
	if (st == SOTTO_OK)
		add_poison_rows(s, honest, poisoned);
	sotto_local_aggregate_free(a);
	free(fake);
	return st;
}

enum outcome local_attack_run(const struct attack_settings *settings, size_t attack,
			      const struct invocation *call, struct sotto_error *err)
{
	static const struct column columns[] = {{"case", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"result", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	static const char *const captions[] = {
		"devices whose value is guessed, in percent: averaging beats fresh answers, "
		"not\n"
		"memoized ones",
		"devices whose two reports differ, in percent: a memoized answer that differs "
		"proves\n"
		"a changed value; fresh answers differ anyway",
		"devices among which one is hidden, seen again under another name: the cohort "
		"is\n"
		"a lasting tag that divides them",
		"users: a made-up user counts for more than an honest one"};
	static enum sotto_status (*const functions[])(struct stage *) = {averaging, change,
									 stage_cohort, poison};
	struct stage s = {.settings = settings};
	enum outcome outcome = local_read_params(s.settings->params, &s.params, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (attack == ATTACK_COHORT ? s.params.protocol != SOTTO_CLIENT_RAPPOR
				    : !over_numbers(&s.params))
		return complaint_refuse(err,
					attack == ATTACK_COHORT
						? "only rappor has cohorts"
						: "this attack is shown on collections over "
						  "numbers");
	st = sotto_rng_open(&s.rng);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	s.stride = sotto_client_report_bytes(&s.params);
	s.report = memory_new(s.stride, 1);
	table_init(&s.table, columns, 2);
	st = functions[attack](&s);
	if (st == SOTTO_OK) {
		table_print(&s.table, call->format, call->out);
		if (call->format == FORMAT_TABLE)
			fprintf(call->out, "\n%s\n", captions[attack]);
	}
	table_release(&s.table);
	free(s.report);
	sotto_rng_close(s.rng);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	for (size_t i = 0; local_attacks[i]; i++)
		if (strcmp(call->operands.items[0], local_attacks[i]) == 0)
			return local_attack_run(call->settings, i, call, err);
	return complaint_usage(err, "the attack must be averaging, change, cohort or poison");
}

const struct command command_local_attack = {
	.name = "attack",
	.summary = "show attacks on a collection: what works and what stops it",
	.usage = "--params FILE [OPTION]... averaging|change|cohort|poison",
	.options = options,
	.settings_size = sizeof(struct attack_settings),
	.operands_min = 1,
	.operands_max = 1,
	.prints_results = true,
	.waits = "attacking",
	.run = run,
};
