/* Estimates of "sotto noise randomized-response --estimate": the truth from counts of answers. */
#include "noise/response/noise_response.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "read/numbers.h"
#include "show/json.h"
#include "show/table.h"

static enum outcome read_counts(const struct invocation *call, uint64_t k, uint64_t *counts,
				struct sotto_error *err)
{
	if (call->operands.count != k)
		return complaint_usage(
			err, "--estimate needs the count of each answer: %" PRIu64 " numbers%s",
			k, k == 2 ? ", first no, then yes" : "");
	for (size_t i = 0; i < k; i++) {
		const char *text = call->operands.items[i];
		char *end;

		counts[i] = strtoull(text, &end, 10);
		if (text[0] < '0' || text[0] > '9' || *end || counts[i] > INT64_MAX)
			return complaint_refuse(err, "operand %zu: expected a count", i + 1);
	}
	return OUTCOME_DONE;
}

static const struct column share_columns[] = {
	{"share", "share of yes", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"standard_error", "standard error", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};

static void write_share(const struct sotto_share_estimate *e, const struct invocation *call)
{
	const struct response_settings *s = call->settings;
	struct json_writer json;

	json_begin(&json, call->out);
	json_open_object(&json);
	json_member_double(&json, "share", e->share);
	json_member_double(&json, "standard_error", e->deviation);
	json_key(&json, "confidence");
	json_write_rational(&json, &s->confidence.value);
	json_member_double(&json, "low", e->low);
	json_member_double(&json, "high", e->high);
	json_member_bool(&json, "outside", e->outside);
	json_close_object(&json);
	json_end(&json);
}

static void print_share(const struct sotto_share_estimate *e, const struct invocation *call)
{
	struct table t;

	table_init(&t, share_columns, 4);
	table_add_double(&t, e->share, 6);
	table_add_double(&t, e->deviation, 3);
	table_add_double(&t, e->low, 4);
	table_add_double(&t, e->high, 4);
	table_print(&t, call->format, call->out);
	table_release(&t);
}

static enum outcome estimate_share(const struct response *m, const uint64_t *counts,
				   const struct invocation *call, struct sotto_error *err)
{
	const struct response_settings *s = call->settings;
	double beta = numbers_complement_down(&s->confidence.value);
	struct sotto_share_estimate e;

	if (sotto_randomized_response_estimate(&m->coins, counts[1], counts[0] + counts[1],
					       beta, &e) != SOTTO_OK)
		return complaint_refuse(err, "between 1 and 2^40 answers are needed");
	if (call->format == FORMAT_JSON)
		write_share(&e, call);
	else
		print_share(&e, call);
	if (e.outside && !s->quiet)
		fputs("note: the estimate lies outside 0 .. 1, which says that there are too "
		      "few "
		      "answers\n",
		      call->err);
	return OUTCOME_DONE;
}

static const struct column count_columns[] = {
	{"answer", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
	{"count", "estimated count", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"standard_error", "standard error", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};

static enum outcome estimate_counts(const struct response *m, const uint64_t *counts,
				    const struct invocation *call, struct sotto_error *err)
{
	const struct response_settings *s = call->settings;
	double beta = numbers_complement_down(&s->confidence.value);
	struct sotto_kary_estimate *e = memory_new(m->k, sizeof *e);
	enum sotto_status st = sotto_kary_response_estimate(m->kary, counts, beta, e);
	struct table t;

	table_init(&t, count_columns, 5);
	for (uint64_t v = 0; v < m->k && st == SOTTO_OK; v++) {
		table_add_integer(&t, (int64_t)v);
		table_add_double(&t, e[v].count, 6);
		table_add_double(&t, e[v].deviation, 3);
		table_add_double(&t, e[v].low, 6);
		table_add_double(&t, e[v].high, 6);
	}
	if (st == SOTTO_OK)
		table_print(&t, call->format, call->out);
	table_release(&t);
	free(e);
	return st == SOTTO_OK ? OUTCOME_DONE
			      : complaint_refuse(err, "between 1 and 2^40 answers are needed");
}

enum outcome response_estimate(const struct response *m, const struct invocation *call,
			       struct sotto_error *err)
{
	uint64_t *counts;
	enum outcome outcome;

	if (m->k > 1 << 20)
		return complaint_refuse(err, "--estimate is for at most 2^20 answers");
	counts = memory_new(m->k, sizeof *counts);
	outcome = read_counts(call, m->k, counts, err);
	if (outcome == OUTCOME_DONE)
		outcome = m->by_coins ? estimate_share(m, counts, call, err)
				      : estimate_counts(m, counts, call, err);
	free(counts);
	return outcome;
}
