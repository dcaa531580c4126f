/* Trying to prove that a collection leaks more than it says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "local_audit.h"
#include "memory.h"
#include "table.h"

enum { PILOT = 2000, CELLS_MAX = 1 << 16 };

/* Two inputs, and how much more a report speaks for the first than for the second. */
struct audit {
	struct sotto_client_params params;
	struct sotto_rng *rng;
	bool strings;
	const char *names[2];
	uint64_t numbers[2];
	struct sotto_local_map map; /* of the names, for RAPPOR */
	uint8_t *report;
	size_t stride;
};

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

/* One report of a new device. */
static enum sotto_status speak(struct audit *a, size_t input, uint32_t *group)
{
	uint8_t key[32];
	struct sotto_client_secrets secrets = {
		.key = key, .fill = fill_from_rng, .context = a->rng};
	struct sotto_client c;
	size_t used;
	enum sotto_status st = sotto_rng_fill(a->rng, key, sizeof key);

	if (st == SOTTO_OK)
		st = sotto_client_init(&c, &a->params, &secrets);
	if (st != SOTTO_OK)
		return st;
	*group = c.group;
	if (a->strings)
		return sotto_client_encode(&c, a->names[input], strlen(a->names[input]),
					   a->report, a->stride, &used);
	return sotto_client_encode_number(&c, a->numbers[input], a->report, a->stride, &used);
}

/* RAPPOR: how many of the bits that tell the two apart are as the first has them. */
static double bits_for_first(const struct audit *a, uint32_t group)
{
	uint32_t h = a->map.hashes, cohorts = a->map.cohorts;
	const uint32_t *own = a->map.cells + (size_t)group * h,
		       *other = own + (size_t)cohorts * h;
	const uint8_t *bits = a->report + a->stride - (a->params.width + 7) / 8;
	double right = 0, all = 0;

	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t i = 0; i < h; i++) {
			const uint32_t *mine = side ? other : own, *theirs = side ? own : other;
			bool shared = mine[i] == SOTTO_LOCAL_NO_CELL;

			for (uint32_t k = 0; k < h; k++)
				shared |= mine[i] == theirs[k];
			if (shared)
				continue;
			all++;
			right += (bits[mine[i] / 8] >> mine[i] % 8 & 1) == (side == 0);
		}
	return all > 0 ? right / all : 0;
}

static enum sotto_status estimates_for_first(struct audit *a, double *out)
{
	size_t lengths[2] = {strlen(a->names[0]), strlen(a->names[1])};
	struct sotto_local_candidates two = {.count = 2,
					     .numbers = a->strings ? NULL : a->numbers};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};
	struct sotto_local_aggregate *one = NULL;
	struct sotto_local_estimate e[2];
	enum sotto_status st = sotto_local_aggregate_new(&a->params, &one);

	if (a->strings) {
		two.strings = (const void *const *)a->names;
		two.lengths = lengths;
	}
	if (st == SOTTO_OK)
		st = sotto_local_aggregate_add(one, a->report, 1);
	if (st == SOTTO_OK)
		st = sotto_local_decode(one, &two, &o, e, NULL);
	sotto_local_aggregate_free(one);
	if (st == SOTTO_OK)
		*out = e[0].count - e[1].count;
	return st;
}

static enum sotto_status score(struct audit *a, size_t input, double *out)
{
	uint32_t group;
	enum sotto_status st = speak(a, input, &group);

	if (st != SOTTO_OK)
		return st;
	if (a->map.cells) {
		*out = bits_for_first(a, group);
		return SOTTO_OK;
	}
	if (a->params.protocol == SOTTO_CLIENT_ONE_BIT_MEAN) {
		*out = a->report[0];
		return SOTTO_OK;
	}
	return estimates_for_first(a, out);
}

struct tally {
	uint64_t high[2], low[2]; /* per input: reports with the greatest and the least score */
};

/* The event is the greatest score that a pilot saw; its mirror the least. */
static enum sotto_status try_out(struct audit *a, uint64_t trials, struct tally *t)
{
	double most = -INFINITY, least = INFINITY, x = 0;
	enum sotto_status st = SOTTO_OK;

	for (uint64_t i = 0; i < PILOT && st == SOTTO_OK; i++) {
		st = score(a, i % 2, &x);
		most = fmax(most, x);
		least = fmin(least, x);
	}
	for (uint64_t i = 0; i < 2 * trials && st == SOTTO_OK; i++) {
		st = score(a, i % 2, &x);
		t->high[i % 2] += x > most - 1e-9 * fabs(most);
		t->low[i % 2] += x < least + 1e-9 * fabs(least);
	}
	return st;
}

static enum outcome prepare(struct audit *a, struct sotto_error *err)
{
	const struct sotto_client_params *p = &a->params;
	const void *const *names = (const void *const *)a->names;
	size_t lengths[2] = {strlen(a->names[0]), strlen(a->names[1])};
	struct sotto_local_aggregate *probe = NULL;
	enum sotto_status st = sotto_local_aggregate_new(p, &probe);
	size_t cells = st == SOTTO_OK ? sotto_local_aggregate_counts(probe).cell_count : 0;

	sotto_local_aggregate_free(probe);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	if (p->protocol == SOTTO_CLIENT_SFP || p->protocol == SOTTO_CLIENT_PEM ||
	    p->protocol == SOTTO_CLIENT_TREEHIST)
		return complaint_refuse(err, "--audit does not have this protocol");
	if (cells > CELLS_MAX)
		return complaint_refuse(err,
					"--audit takes at most %d counters; epsilon does not "
					"depend on their number",
					CELLS_MAX);
	if (p->protocol == SOTTO_CLIENT_RAPPOR && p->size == 0)
		st = sotto_local_map_native(p, names, lengths, 2, &a->map);
	a->stride = sotto_client_report_bytes(p);
	a->report = memory_new(a->stride, 1);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome print(const struct tally *t, double stated, uint64_t trials, double alpha,
			  const struct invocation *call, struct sotto_error *err)
{
	static const struct column columns[] = {{"what", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"value", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	/* two events: each has half of alpha */
	double one = sotto_local_epsilon_at_least(t->high[0], t->high[1], trials, alpha / 2);
	double mirror = sotto_local_epsilon_at_least(t->low[1], t->low[0], trials, alpha / 2);
	struct table table;

	table_init(&table, columns, 2);
	table_add_text(&table, "epsilon of one report, stated");
	table_add_double(&table, stated, 8);
	table_add_text(&table, "epsilon of one report, proved");
	table_add_double(&table, fmax(one, mirror), 8);
	table_add_text(&table, "trials on each of two inputs");
	table_add_integer(&table, (int64_t)trials);
	table_print(&table, call->format, call->out);
	table_release(&table);
	return fmax(one, mirror) <= stated
		       ? OUTCOME_DONE
		       : complaint_refuse(err, "the reports leak more than is stated");
}

/* Numbers that reports tell apart best: both ends of a mean, two of one Hadamard block. */
static void choose_inputs(struct audit *a)
{
	const struct sotto_client_params *p = &a->params;

	a->numbers[1] = p->size ? p->size - 1 : 0;
	if (p->protocol == SOTTO_CLIENT_HR && p->groups < p->size)
		a->numbers[1] = p->groups;
	if (p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN) {
		a->numbers[0] = p->size;
		a->numbers[1] = 0;
	}
}

enum outcome local_audit(const struct sotto_client_params *params, bool strings,
			 uint64_t trials, double alpha, const struct invocation *call,
			 struct sotto_error *err)
{
	struct audit a = {.params = *params, .strings = strings, .names = {"v1", "v2"}};
	struct sotto_local_privacy privacy;
	struct tally t = {.high = {0}};
	enum outcome outcome = prepare(&a, err);
	enum sotto_status st;

	choose_inputs(&a);
	sotto_local_privacy_init(&privacy);
	if (outcome == OUTCOME_DONE) {
		st = sotto_local_privacy_state(params, 1, &privacy);
		if (st == SOTTO_OK)
			st = sotto_rng_open(&a.rng);
		if (st == SOTTO_OK)
			st = try_out(&a, trials, &t);
		sotto_rng_close(a.rng);
		outcome = st == SOTTO_OK ? print(&t, privacy.report, trials, alpha, call, err)
					 : local_failed(st, err);
	}
	sotto_local_privacy_release(&privacy);
	sotto_local_map_release(&a.map);
	free(a.report);
	return outcome;
}
