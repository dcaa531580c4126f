/*
 * Writes rows, intervals and limits in the structure that the program and the server share.
 */
#include "sotto/answer.h"

#include <math.h>

/* ---- values ------------------------------------------------------------------------------- */

static void write_number(const struct sotto_document *d, const struct sotto_value *v)
{
	if (v->text)
		d->decimal(d->to, v->text);
	else if (isnan(v->number))
		d->text(d->to, "nan");
	else if (isinf(v->number))
		d->text(d->to, v->number > 0 ? "inf" : "-inf");
	else
		d->number(d->to, v->number);
}

static void write_value(const struct sotto_document *d, const struct sotto_value *v)
{
	switch (v->kind) {
	case SOTTO_VALUE_NULL:
		d->null(d->to);
		return;
	case SOTTO_VALUE_BOOL:
		d->boolean(d->to, v->integer != 0);
		return;
	case SOTTO_VALUE_INTEGER:
		d->integer(d->to, v->integer);
		return;
	case SOTTO_VALUE_NUMBER:
		write_number(d, v);
		return;
	case SOTTO_VALUE_TEXT:
		d->text(d->to, v->text);
		return;
	}
}

static void
write_interval(const struct sotto_document *d, const struct sotto_answer *a, size_t at)
{
	if (a->lows[at].kind == SOTTO_VALUE_NULL) {
		d->null(d->to);
		return;
	}
	d->open(d->to, '[', true);
	write_value(d, &a->lows[at]);
	write_value(d, &a->highs[at]);
	d->close(d->to, ']');
}

static void
write_rows(const struct sotto_document *d, const struct sotto_answer *a, bool intervals)
{
	d->key(d->to, intervals ? "intervals" : "rows");
	d->open(d->to, '[', false);
	for (size_t i = 0; i < a->row_count; i++) {
		d->open(d->to, '[', true);
		for (size_t j = 0; j < a->column_count; j++) {
			if (intervals)
				write_interval(d, a, i * a->column_count + j);
			else
				write_value(d, &a->values[i * a->column_count + j]);
		}
		d->close(d->to, ']');
	}
	d->close(d->to, ']');
}

void sotto_answer_write_rows(const struct sotto_answer *a, const struct sotto_document *d)
{
	if (!a || !d || !d->open)
		return;
	write_rows(d, a, false);
	write_rows(d, a, true);
}

/* ---- limits ------------------------------------------------------------------------------- */

static void write_text(const struct sotto_document *d, const char *key, const char *text)
{
	d->key(d->to, key);
	d->text(d->to, text);
}

static void write_integer(const struct sotto_document *d, const char *key, int64_t x)
{
	d->key(d->to, key);
	d->integer(d->to, x);
}

static void write_bool(const struct sotto_document *d, const char *key, bool x)
{
	d->key(d->to, key);
	d->boolean(d->to, x);
}

static void
write_texts(const struct sotto_document *d, const char *key, const char *low, const char *high)
{
	d->key(d->to, key);
	d->open(d->to, '[', true);
	d->text(d->to, low);
	d->text(d->to, high);
	d->close(d->to, ']');
}

static void write_pair(const struct sotto_document *d, const char *key, double low, double high)
{
	d->key(d->to, key);
	d->open(d->to, '[', true);
	d->number(d->to, low);
	d->number(d->to, high);
	d->close(d->to, ']');
}

static void
write_sentences(const struct sotto_document *d, const char *const *sentences, size_t count)
{
	d->key(d->to, "sentences");
	d->open(d->to, '[', false);
	for (size_t i = 0; i < count; i++)
		d->text(d->to, sentences[i]);
	d->close(d->to, ']');
}

/* Null where it was not asked for. */
static void
write_figure(const struct sotto_document *d, const char *key, struct sotto_loss_figure f)
{
	d->key(d->to, key);
	if (isnan(f.value)) {
		d->null(d->to);
		return;
	}
	d->open(d->to, '{', true);
	d->key(d->to, "value");
	d->number(d->to, f.value);
	write_pair(d, "interval", f.low, f.high);
	d->close(d->to, '}');
}

static void write_error(const struct sotto_document *d, const char *key, double error)
{
	d->key(d->to, key);
	if (isnan(error))
		d->null(d->to);
	else
		d->number(d->to, error);
}

static void write_forecast(const struct sotto_document *d, const struct sotto_loss_forecast *f)
{
	d->key(d->to, "diagnostics");
	if (!f->is_wanted) {
		d->null(d->to);
		return;
	}
	d->open(d->to, '{', true);
	d->key(d->to, "epsilon");
	d->number(d->to, f->epsilon);
	write_bool(d, "known", f->is_known);
	write_error(d, "units_error", f->units_error);
	write_error(d, "rows_error", f->rows_error);
	write_error(d, "pairs_error", f->pairs_error);
	d->close(d->to, '}');
}

static void write_loss(const struct sotto_document *d, const struct sotto_loss *l)
{
	d->key(d->to, "loss");
	if (!l->is_estimated) {
		d->null(d->to);
		return;
	}
	d->open(d->to, '{', false);
	write_figure(d, "units", l->units);
	write_figure(d, "units_losing_rows", l->units_losing_rows);
	write_figure(d, "units_losing_groups", l->units_losing_groups);
	write_figure(d, "units_clipped", l->units_clipped);
	write_figure(d, "rows_lost_at_least", l->rows_lost);
	write_figure(d, "rows_kept", l->rows_kept);
	write_figure(d, "pairs_lost_at_least", l->pairs_lost);
	write_figure(d, "pairs_kept", l->pairs_kept);
	write_figure(d, "share_lost_at_least", l->share);
	write_bool(d, "biased", l->biased);
	write_sentences(d, l->sentences, l->sentence_count);
	d->close(d->to, '}');
}

static void write_clips(const struct sotto_document *d, const struct sotto_limits *l)
{
	d->key(d->to, "clips");
	d->open(d->to, '[', false);
	for (size_t i = 0; i < l->clip_count; i++) {
		d->open(d->to, '{', true);
		write_text(d, "what", l->clips[i].what);
		if (l->clips[i].lo_moment)
			write_texts(d, "bounds", l->clips[i].lo_moment, l->clips[i].hi_moment);
		else
			write_pair(d, "bounds", l->clips[i].lo, l->clips[i].hi);
		write_bool(d, "can_bind", l->clips[i].can_bind);
		d->close(d->to, '}');
	}
	d->close(d->to, ']');
}

static void write_limit(const struct sotto_document *d, const struct sotto_limits *l)
{
	write_text(d, "table", l->table);
	write_text(d, "unit", l->unit);
	write_integer(d, "max_groups", l->max_groups);
	write_bool(d, "max_groups_can_bind", l->groups_can_bind);
	write_integer(d, "max_rows", l->max_rows);
	write_bool(d, "max_rows_can_bind", l->rows_can_bind);
	write_clips(d, l);
	write_sentences(d, l->sentences, l->sentence_count);
	write_bool(d, "hides_keys", l->hides_keys);
	write_forecast(d, &l->forecast);
	write_loss(d, &l->loss);
}

void sotto_limits_write(const struct sotto_limits *l, size_t count, const char *key,
			const struct sotto_document *d)
{
	if (!d || !d->open || !key)
		return;
	d->key(d->to, key);
	if (count == 0) {
		d->null(d->to);
		return;
	}
	d->open(d->to, '{', false);
	write_limit(d, l);
	if (count > 1) {
		d->key(d->to, "parts");
		d->open(d->to, '[', false);
		for (size_t i = 0; i < count; i++) {
			d->open(d->to, '{', false);
			write_limit(d, &l[i]);
			d->close(d->to, '}');
		}
		d->close(d->to, ']');
	}
	d->close(d->to, '}');
}
