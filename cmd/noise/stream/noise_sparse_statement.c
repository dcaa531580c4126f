/* States what a stream of threshold questions costs and how large its errors may be. */
#include "noise/stream/noise_sparse.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "frame/complaint.h"
#include "read/numbers.h"
#include "show/cost_text.h"
#include "show/number_text.h"
#include "show/terminal.h"

static double scale_of(const struct sparse_stream *s, int which)
{
	struct sotto_rational scale[3];
	double x;

	for (int i = 0; i < 3; i++)
		sotto_rational_init(&scale[i]);
	sotto_sparse_vector_scales(s->sparse, &scale[0], &scale[1], &scale[2]);
	sotto_rational_multiply(&scale[which], &scale[which], &s->grid.step);
	x = sotto_rational_double_up(&scale[which]);
	for (int i = 0; i < 3; i++)
		sotto_rational_release(&scale[i]);
	return x;
}

static enum sotto_status
find_error(const struct sparse_stream *s, const struct sparse_settings *settings, double *error)
{
	double beta = numbers_complement_down(&settings->confidence.value), steps = 0;
	enum sotto_status st =
		sotto_sparse_vector_error(s->sparse, settings->queries.value, beta, &steps);

	if (st != SOTTO_OK)
		return st;
	/* values are rounded to the grid, on which the threshold lies */
	steps += settings->step.given ? 0.5 : 0;
	*error = steps * sotto_rational_double_up(&s->grid.step);
	return isfinite(*error) ? SOTTO_OK : SOTTO_ERANGE;
}

static void print_statement(const struct sparse_stream *s,
			    const struct sparse_settings *settings,
			    const struct sotto_cost *cost, double reach, FILE *out)
{
	char *bar = number_text_rounded(scale_of(s, 0), 6);
	char *query = number_text_rounded(scale_of(s, 1), 6);
	char *value = number_text_rounded(scale_of(s, 2), 6);
	char *error = number_text_rounded_up(reach, 6);

	fputs(terminal_dim(out), out);
	fputs("cost: ", out);
	cost_text_print(out, cost);
	fprintf(out,
		" for the whole stream\nnoise: scale %s on the threshold, %s on each value",
		bar, query);
	if (s->numeric)
		fprintf(out, ", %s on what is printed", value);
	fprintf(out,
		"\naccuracy: with confidence %s, among %" PRIu64
		" values every one further than %s from the threshold is answered correctly\n",
		settings->confidence.text, settings->queries.value, error);
	fputs(terminal_plain(out), out);
	free(bar);
	free(query);
	free(value);
	free(error);
}

static void write_statement(const struct sparse_stream *s,
			    const struct sparse_settings *settings,
			    const struct sotto_cost *cost, double reach, FILE *out)
{
	static const char *const names[] = {"threshold_scale", "query_scale", "value_scale"};
	struct json_writer json;

	json_begin(&json, out);
	json_open_object(&json);
	json_member_text(&json, "mechanism", s->name);
	for (int i = 0; i < 2 + s->numeric; i++) {
		json_member_double(&json, names[i], scale_of(s, i));
	}
	cost_text_write(&json, cost);
	json_key(&json, "accuracy");
	json_open_object(&json);
	json_key(&json, "confidence");
	json_write_rational(&json, &settings->confidence.value);
	json_member_integer(&json, "queries", (int64_t)settings->queries.value);
	json_member_double(&json, "error", reach);
	json_close_object(&json);
	json_key(&json, "answers");
	json_open_array(&json);
	/* closed by the caller: answers are printed as they come */
}

enum outcome sparse_statement(const struct sparse_stream *s, const struct invocation *call,
			      struct sotto_error *err)
{
	const struct sparse_settings *settings = call->settings;
	struct sotto_cost cost;
	enum sotto_status st;
	double reach;

	if (find_error(s, settings, &reach) != SOTTO_OK)
		return complaint_refuse(err, "the accuracy at this confidence is out of reach");
	sotto_cost_init(&cost);
	st = sotto_sparse_vector_cost(s->sparse, &cost);
	if (st == SOTTO_OK && call->format == FORMAT_JSON)
		write_statement(s, settings, &cost, reach, call->out);
	else if (st == SOTTO_OK && !settings->quiet)
		print_statement(s, settings, &cost, reach, command_notes(call));
	if (call->format == FORMAT_CSV)
		fprintf(call->out, "query,above%s\n", s->numeric ? ",value" : "");
	sotto_cost_release(&cost);
	return st == SOTTO_OK ? OUTCOME_DONE
			      : complaint_refuse(err, "%s", sotto_status_text(st));
}
