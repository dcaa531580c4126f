#include "query/ledger/limits_print.h"

#include <math.h>
#include <string.h>

/* ---- JSON --------------------------------------------------------------------------------- */

/* [value, low, high], or null where it was not asked for. */
static void write_figure(struct json_writer *w, const char *key, struct sotto_loss_figure f)
{
	json_key(w, key);
	if (isnan(f.value)) {
		json_write_null(w);
		return;
	}
	json_open_record(w);
	json_key(w, "value");
	json_write_double(w, f.value);
	json_key(w, "interval");
	json_open_row(w);
	json_write_double(w, f.low);
	json_write_double(w, f.high);
	json_close_array(w);
	json_close_object(w);
}

static void write_forecast(struct json_writer *w, const struct sotto_loss_forecast *f)
{
	json_key(w, "diagnostics");
	if (!f->is_wanted) {
		json_write_null(w);
		return;
	}
	json_open_record(w);
	json_key(w, "epsilon");
	json_write_double(w, f->epsilon);
	json_key(w, "known");
	json_write_bool(w, f->is_known);
	json_key(w, "units_error");
	json_write_double(w, f->units_error);
	json_key(w, "rows_error");
	json_write_double(w, f->rows_error);
	json_key(w, "pairs_error");
	json_write_double(w, f->pairs_error);
	json_close_object(w);
}

static void write_loss(struct json_writer *w, const struct sotto_loss *l)
{
	json_key(w, "loss");
	if (!l->is_estimated) {
		json_write_null(w);
		return;
	}
	json_open_object(w);
	write_figure(w, "units", l->units);
	write_figure(w, "units_losing_rows", l->units_losing_rows);
	write_figure(w, "units_losing_groups", l->units_losing_groups);
	write_figure(w, "units_clipped", l->units_clipped);
	write_figure(w, "rows_lost_at_least", l->rows_lost);
	write_figure(w, "rows_kept", l->rows_kept);
	write_figure(w, "pairs_lost_at_least", l->pairs_lost);
	write_figure(w, "pairs_kept", l->pairs_kept);
	write_figure(w, "share_lost_at_least", l->share);
	json_key(w, "biased");
	json_write_bool(w, l->biased);
	json_key(w, "sentences");
	json_open_array(w);
	for (size_t i = 0; i < l->sentence_count; i++)
		json_write_text(w, l->sentences[i]);
	json_close_array(w);
	json_close_object(w);
}

static void write_limit(struct json_writer *w, const struct sotto_limits *l)
{
	json_key(w, "table");
	json_write_text(w, l->table);
	json_key(w, "unit");
	json_write_text(w, l->unit);
	json_key(w, "max_groups");
	json_write_integer(w, l->max_groups);
	json_key(w, "max_groups_can_bind");
	json_write_bool(w, l->groups_can_bind);
	json_key(w, "max_rows");
	json_write_integer(w, l->max_rows);
	json_key(w, "max_rows_can_bind");
	json_write_bool(w, l->rows_can_bind);
	json_key(w, "clips");
	json_open_array(w);
	for (size_t i = 0; i < l->clip_count; i++) {
		json_open_record(w);
		json_key(w, "what");
		json_write_text(w, l->clips[i].what);
		json_key(w, "bounds");
		json_open_row(w);
		json_write_double(w, l->clips[i].lo);
		json_write_double(w, l->clips[i].hi);
		json_close_array(w);
		json_key(w, "can_bind");
		json_write_bool(w, l->clips[i].can_bind);
		json_close_object(w);
	}
	json_close_array(w);
	json_key(w, "sentences");
	json_open_array(w);
	for (size_t i = 0; i < l->sentence_count; i++)
		json_write_text(w, l->sentences[i]);
	json_close_array(w);
	json_key(w, "hides_keys");
	json_write_bool(w, l->hides_keys);
	write_forecast(w, &l->forecast);
	write_loss(w, &l->loss);
}

void limits_write(struct json_writer *w, const char *key, const struct sotto_limits *l,
		  size_t count)
{
	json_key(w, key);
	if (count == 0) {
		json_write_null(w);
		return;
	}
	json_open_object(w);
	write_limit(w, l);
	if (count > 1) {
		json_key(w, "parts");
		json_open_array(w);
		for (size_t i = 0; i < count; i++) {
			json_open_object(w);
			write_limit(w, &l[i]);
			json_close_object(w);
		}
		json_close_array(w);
	}
	json_close_object(w);
}

/* ---- for people --------------------------------------------------------------------------- */

/* Each sentence once: the parts of a question often have the same limits. */
static bool was_said(const struct sotto_answer *a, size_t part, const char *sentence)
{
	for (size_t i = 0; i < part; i++)
		for (size_t k = 0; k < a->limits[i].sentence_count; k++)
			if (strcmp(a->limits[i].sentences[k], sentence) == 0)
				return true;
	return false;
}

void limits_print(const struct sotto_answer *a, const char *before, FILE *out)
{
	for (size_t i = 0; i < a->limits_count; i++)
		for (size_t k = 0; k < a->limits[i].sentence_count; k++)
			if (!was_said(a, i, a->limits[i].sentences[k]))
				fprintf(out, "%s%s\n", before, a->limits[i].sentences[k]);
	for (size_t i = 0; i < a->limits_count; i++) {
		const struct sotto_loss *l = &a->limits[i].loss;
		size_t marked = l->share.low <= 0; /* the first that tells of a loss */

		for (size_t k = 0; k < l->sentence_count; k++)
			fprintf(out, "%s%s%s\n", before, l->biased && k == marked ? "* " : "",
				l->sentences[k]);
	}
}
