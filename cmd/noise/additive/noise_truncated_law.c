/* The exact distribution of a truncated mechanism: --probabilities. */
#include "noise/additive/noise_truncated.h"

#include <math.h>
#include <stdlib.h>

#include "frame/complaint.h"
#include "show/table.h"

/* Binary: those of most probabilities, and those that the least double above 0 needs. */
enum { LAW_DIGITS = 128, LAW_DIGITS_MOST = 1152, LAW_GUARD = 64, OUTCOMES_MAX = 1 << 20 };

typedef void (*law_row)(void *to, const char *outcome, double probability);

static void write_row(void *to, const char *outcome, double probability)
{
	json_member_double(to, outcome, probability);
}

static void add_row(void *to, const char *outcome, double probability)
{
	table_add_text(to, outcome);
	table_add_double(to, probability, 12);
}

static enum sotto_status
probability_of(const struct truncation *t, int64_t y, int64_t z, double *out)
{
	struct sotto_rational p;
	enum sotto_status st = SOTTO_OK;

	sotto_rational_init(&p);
	*out = 0;
	for (unsigned digits = LAW_DIGITS; digits <= LAW_DIGITS_MOST; digits *= 3) {
		st = sotto_truncated_probability_down(t->m, y, z, digits, &p);
		if (st == SOTTO_OK)
			*out = sotto_rational_double_down(&p);
		if (st != SOTTO_OK || *out > ldexp(1, LAW_GUARD - (int)digits))
			break;
	}
	sotto_rational_release(&p);
	return st;
}

static enum sotto_status each_outcome(const struct truncation *t,
				      const struct sotto_rational *value, law_row row, void *to)
{
	int64_t y; /* --value, of which the user asks for the law: no secret */
	enum sotto_status st = sotto_grid_round(&t->grid, value, &y);
	/* counted from 0: after the last of all int64_t there is no next one to stop at */
	uint64_t outcomes = (uint64_t)t->range.high - (uint64_t)t->range.low + 1;

	for (uint64_t i = 0; i < outcomes && st == SOTTO_OK; i++) {
		int64_t z = (int64_t)((uint64_t)t->range.low + i);
		char *text = truncation_text(t, z);
		double p;

		st = probability_of(t, y, z, &p);
		if (st == SOTTO_OK)
			row(to, text, p);
		free(text);
	}
	return st;
}

enum outcome truncation_print_law(const struct truncation *t, const struct invocation *call,
				  struct sotto_error *err)
{
	static const struct column columns[] = {
		{"outcome", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"probability", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	const struct truncated_settings *s = call->settings;
	const struct sotto_rational *value = &s->value.value;
	struct json_writer json;
	struct table table;
	enum sotto_status st;

	if ((uint64_t)t->range.high - (uint64_t)t->range.low >= OUTCOMES_MAX)
		return complaint_refuse(err,
					"--probabilities is for a range of at most 2^20 steps");
	if (call->format == FORMAT_JSON) {
		json_begin(&json, call->out);
		json_open_object(&json);
		json_key(&json, "probabilities");
		json_open_object(&json);
		st = each_outcome(t, value, write_row, &json);
		json_close_object(&json);
		json_close_object(&json);
		json_end(&json);
	} else {
		table_init(&table, columns, 2);
		st = each_outcome(t, value, add_row, &table);
		table_print(&table, call->format, call->out);
		table_release(&table);
	}
	return st == SOTTO_OK ? OUTCOME_DONE
			      : complaint_refuse(err, "%s", sotto_status_text(st));
}
