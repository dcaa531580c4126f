#include "server/route/json_limits.h"

#include <math.h>

static void write_figure(struct sotto_json *j, const char *key, struct sotto_loss_figure f)
{
	sotto_json_key(j, key);
	if (isnan(f.value)) {
		sotto_json_null(j);
		return;
	}
	sotto_json_open(j, '{');
	sotto_json_key(j, "value");
	sotto_json_double(j, f.value);
	sotto_json_key(j, "interval");
	sotto_json_open(j, '[');
	sotto_json_double(j, f.low);
	sotto_json_double(j, f.high);
	sotto_json_close(j, ']');
	sotto_json_close(j, '}');
}

static void write_texts(struct sotto_json *j, const char *const *texts, size_t count)
{
	sotto_json_key(j, "sentences");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < count; i++)
		sotto_json_text(j, texts[i]);
	sotto_json_close(j, ']');
}

static void write_error(struct sotto_json *j, const char *key, double error)
{
	sotto_json_key(j, key);
	if (isnan(error))
		sotto_json_null(j);
	else
		sotto_json_double(j, error);
}

static void write_forecast(struct sotto_json *j, const struct sotto_loss_forecast *f)
{
	sotto_json_key(j, "diagnostics");
	if (!f->is_wanted) {
		sotto_json_null(j);
		return;
	}
	sotto_json_open(j, '{');
	sotto_json_key(j, "epsilon");
	sotto_json_double(j, f->epsilon);
	sotto_json_key(j, "known");
	sotto_json_bool(j, f->is_known);
	write_error(j, "units_error", f->units_error);
	write_error(j, "rows_error", f->rows_error);
	write_error(j, "pairs_error", f->pairs_error);
	sotto_json_close(j, '}');
}

static void write_loss(struct sotto_json *j, const struct sotto_loss *l)
{
	sotto_json_key(j, "loss");
	if (!l->is_estimated) {
		sotto_json_null(j);
		return;
	}
	sotto_json_open(j, '{');
	write_figure(j, "units", l->units);
	write_figure(j, "units_losing_rows", l->units_losing_rows);
	write_figure(j, "units_losing_groups", l->units_losing_groups);
	write_figure(j, "units_clipped", l->units_clipped);
	write_figure(j, "rows_lost_at_least", l->rows_lost);
	write_figure(j, "rows_kept", l->rows_kept);
	write_figure(j, "pairs_lost_at_least", l->pairs_lost);
	write_figure(j, "pairs_kept", l->pairs_kept);
	write_figure(j, "share_lost_at_least", l->share);
	sotto_json_key(j, "biased");
	sotto_json_bool(j, l->biased);
	write_texts(j, l->sentences, l->sentence_count);
	sotto_json_close(j, '}');
}

static void write_limit(struct sotto_json *j, const struct sotto_limits *l)
{
	sotto_json_key(j, "table");
	sotto_json_text(j, l->table);
	sotto_json_key(j, "unit");
	sotto_json_text(j, l->unit);
	sotto_json_key(j, "max_groups");
	sotto_json_integer(j, l->max_groups);
	sotto_json_key(j, "max_groups_can_bind");
	sotto_json_bool(j, l->groups_can_bind);
	sotto_json_key(j, "max_rows");
	sotto_json_integer(j, l->max_rows);
	sotto_json_key(j, "max_rows_can_bind");
	sotto_json_bool(j, l->rows_can_bind);
	sotto_json_key(j, "clips");
	sotto_json_open(j, '[');
	for (size_t i = 0; i < l->clip_count; i++) {
		sotto_json_open(j, '{');
		sotto_json_key(j, "what");
		sotto_json_text(j, l->clips[i].what);
		sotto_json_key(j, "bounds");
		sotto_json_open(j, '[');
		sotto_json_double(j, l->clips[i].lo);
		sotto_json_double(j, l->clips[i].hi);
		sotto_json_close(j, ']');
		sotto_json_key(j, "can_bind");
		sotto_json_bool(j, l->clips[i].can_bind);
		sotto_json_close(j, '}');
	}
	sotto_json_close(j, ']');
	write_texts(j, l->sentences, l->sentence_count);
	sotto_json_key(j, "hides_keys");
	sotto_json_bool(j, l->hides_keys);
	write_forecast(j, &l->forecast);
	write_loss(j, &l->loss);
}

void sotto_json_limits(struct sotto_json *j, const char *key, const struct sotto_limits *l,
		       size_t count)
{
	sotto_json_key(j, key);
	if (count == 0) {
		sotto_json_null(j);
		return;
	}
	sotto_json_open(j, '{');
	write_limit(j, l);
	if (count > 1) {
		sotto_json_key(j, "parts");
		sotto_json_open(j, '[');
		for (size_t i = 0; i < count; i++) {
			sotto_json_open(j, '{');
			write_limit(j, &l[i]);
			sotto_json_close(j, '}');
		}
		sotto_json_close(j, ']');
	}
	sotto_json_close(j, '}');
}
