/* Estimates for candidates, and how they are printed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complaint.h"
#include "json.h"
#include "local.h"
#include "memory.h"
#include "table.h"

#define TEXT(name, text) text,
const char *const local_corrections[] = {SOTTO_LOCAL_CORRECTIONS(TEXT) NULL};
const char *const local_posts[] = {SOTTO_LOCAL_POSTS(TEXT) NULL};
#undef TEXT
const char *const local_targets[] = {"sample", "population", NULL};

struct sotto_local_options local_decoding_options(const struct local_decoding *d)
{
	return (struct sotto_local_options){
		.alpha = sotto_rational_double_down(&d->alpha.value),
		.correction = (enum sotto_local_correction)d->correction,
		.post = (enum sotto_local_post)d->post,
		.target = (enum sotto_local_target)d->target,
		.simultaneous = d->simultaneous};
}

void local_result_release(struct local_result *r)
{
	for (size_t i = 0; r->names && i < r->count; i++)
		free(r->names[i]);
	free(r->names);
	free(r->estimates);
	*r = (struct local_result){.count = 0};
}

static enum sotto_status decode_strings(struct sotto_local_aggregate *a,
					const struct local_lines *lines,
					const struct sotto_local_options *o,
					struct local_result *out, struct sotto_error *err)
{
	const struct sotto_client_params *p = sotto_local_aggregate_counts(a).params;
	struct sotto_local_candidates c = {
		.count = lines->count, .strings = lines->strings, .lengths = lines->lengths};
	struct sotto_local_cohorts data;
	struct sotto_local_map map;
	enum sotto_status st;

	if (p->protocol != SOTTO_CLIENT_RAPPOR)
		return sotto_local_decode(a, &c, o, out->estimates, err);
	st = sotto_local_rappor_cohorts(a, &data);
	if (st == SOTTO_OK)
		st = sotto_local_map_native(p, lines->strings, lines->lengths, lines->count,
					    &map);
	if (st != SOTTO_OK)
		return st;
	out->has_fit = true;
	st = sotto_local_rappor_decode(&data, &map, o, out->estimates, &out->fit, err);
	sotto_local_map_release(&map);
	return st;
}

/* Candidates of a collection of numbers: the lines, or the whole domain. */
static enum sotto_status decode_numbers(struct sotto_local_aggregate *a,
					const struct local_lines *lines,
					const struct sotto_local_options *o,
					struct local_result *out, struct sotto_error *err)
{
	uint64_t *numbers = lines ? memory_new(lines->count + 1, sizeof *numbers) : NULL;
	struct sotto_local_candidates c = {.count = out->count, .numbers = numbers};
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; lines && i < lines->count; i++)
		if (!local_number(lines->strings[i], lines->lengths[i], &numbers[i])) {
			(void)complaint_refuse(err, "candidates: line %zu is not a number",
					       i + 1);
			st = SOTTO_EPARSE;
			break;
		}
	if (st == SOTTO_OK)
		st = sotto_local_decode(a, &c, o, out->estimates, err);
	free(numbers);
	return st;
}

static bool of_numbers(const struct sotto_client_params *p)
{
	switch (p->protocol) {
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_FLH:
	case SOTTO_CLIENT_RAPPOR:
		return p->size > 0;
	case SOTTO_CLIENT_CMS:
	case SOTTO_CLIENT_HCMS:
		return false;
	default:
		return true;
	}
}

enum outcome local_decode_aggregate(struct sotto_local_aggregate *a,
				    const struct local_lines *candidates,
				    const struct sotto_local_options *options,
				    struct local_result *out, struct sotto_error *err)
{
	struct sotto_local_counts counts = sotto_local_aggregate_counts(a);
	bool numbers = of_numbers(counts.params);
	enum sotto_status st;

	if (!numbers && !candidates)
		return complaint_usage(err, "this collection is of strings: give --candidates");
	*out = (struct local_result){.count = candidates ? candidates->count
							 : counts.params->size,
				     .reports = counts.reports};
	out->estimates = memory_new(out->count + 1, sizeof *out->estimates);
	out->names = memory_new(out->count + 1, sizeof *out->names);
	for (size_t i = 0; i < out->count; i++)
		out->names[i] = candidates ? memory_copy_text(candidates->strings[i])
					   : memory_text("%zu", i);
	st = numbers ? decode_numbers(a, candidates, options, out, err)
		     : decode_strings(a, candidates, options, out, err);
	if (st == SOTTO_OK)
		return OUTCOME_DONE;
	local_result_release(out);
	return local_failed(st, err);
}

static const struct column columns[] = {
	{"string", "value", COLUMN_TEXT, ALIGN_BY_KIND},
	{"estimate", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"standard_error", "std error", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"z", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"p_value", "p-value", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"significant", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
	{"consistent", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};

static void fill_table(struct table *t, const struct local_result *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct sotto_local_estimate *e = &r->estimates[i];

		table_add_text(t, r->names[i]);
		table_add_double(t, e->count, 6);
		table_add_double(t, e->sd, 4);
		table_add_double(t, e->low, 6);
		table_add_double(t, e->high, 6);
		table_add_double(t, e->z, 4);
		table_add_double(t, e->p_value, 3);
		table_add_text(t, e->significant ? "yes" : "no");
		table_add_double(t, e->post, 6);
	}
}

static void
write_estimate(struct json_writer *w, const char *name, const struct sotto_local_estimate *e)
{
	const struct {
		const char *key;
		double x;
	} numbers[] = {{"estimate", e->count},
		       {"standard_error", e->sd},
		       {"low", e->low},
		       {"high", e->high},
		       {"z", e->z},
		       {"p_value", e->p_value}};

	json_open_record(w);
	json_key(w, "string");
	json_write_text(w, name);
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		json_key(w, numbers[i].key);
		json_write_double(w, numbers[i].x);
	}
	json_key(w, "significant");
	json_write_bool(w, e->significant);
	json_key(w, "consistent");
	json_write_double(w, e->post);
	json_close_object(w);
}

static void write_fit(struct json_writer *w, const struct sotto_local_fit *f)
{
	json_key(w, "fit");
	json_open_object(w);
	json_key(w, "dispersion");
	json_write_double(w, f->dispersion);
	json_key(w, "misfit_p");
	json_write_double(w, f->misfit_p);
	json_key(w, "explained");
	json_write_double(w, f->explained);
	json_key(w, "other");
	json_write_double(w, f->other);
	json_key(w, "background");
	json_write_bool(w, f->background);
	json_key(w, "split");
	json_write_bool(w, f->split);
	json_key(w, "aliased");
	json_write_integer(w, (int64_t)f->aliased);
	json_close_object(w);
}

static void
print_json(const struct local_result *r, const struct sotto_local_options *o, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	json_key(&w, "reports");
	json_write_integer(&w, (int64_t)r->reports);
	json_key(&w, "alpha");
	json_write_double(&w, o->alpha);
	json_key(&w, "correction");
	json_write_text(&w, local_corrections[o->correction]);
	json_key(&w, "target");
	json_write_text(&w, local_targets[o->target]);
	json_key(&w, "simultaneous");
	json_write_bool(&w, o->simultaneous);
	if (r->has_fit)
		write_fit(&w, &r->fit);
	json_key(&w, "estimates");
	json_open_array(&w);
	for (size_t i = 0; i < r->count; i++)
		write_estimate(&w, r->names[i], &r->estimates[i]);
	json_close_array(&w);
	json_close_object(&w);
	json_end(&w);
}

static void
print_notes(const struct local_result *r, const struct sotto_local_options *o, FILE *out)
{
	fprintf(out, "\n%llu reports; %g %% intervals%s of the %s; tests corrected: %s\n",
		(unsigned long long)r->reports, 100 * (1 - o->alpha),
		o->simultaneous ? ", simultaneous," : "", local_targets[o->target],
		local_corrections[o->correction]);
	if (!r->has_fit)
		return;
	fprintf(out, "residuals are %.3g times what noise explains", r->fit.dispersion);
	if (r->fit.background)
		fprintf(out,
			": strings are missing from the candidates, or somebody sends made-up "
			"reports; errors are scaled up");
	fprintf(out, "\n%.1f %% of the users are explained by significant strings\n",
		100 * r->fit.explained);
	if (r->fit.split)
		fprintf(out, "too many candidates for one fit: chosen on half of the cohorts, "
			     "tested on "
			     "the others\n");
	if (r->fit.aliased)
		fprintf(out, "%zu candidates cannot be told from others\n", r->fit.aliased);
}

void local_result_print(const struct local_result *r, const struct sotto_local_options *options,
			const struct invocation *call)
{
	struct table t;

	if (call->format == FORMAT_JSON) {
		print_json(r, options, call->out);
		return;
	}
	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	fill_table(&t, r);
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (call->format == FORMAT_TABLE)
		print_notes(r, options, call->out);
}
