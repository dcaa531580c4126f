/* How estimates are printed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/local_command.h"
#include "show/json.h"
#include "show/table.h"

#define TEXT(name, text) text,
const char *const local_corrections[] = {SOTTO_LOCAL_CORRECTIONS(TEXT) NULL};
const char *const local_posts[] = {SOTTO_LOCAL_POSTS(TEXT) NULL};
const char *const local_methods[] = {SOTTO_LOCAL_METHODS(TEXT) NULL};
#undef TEXT
const char *const local_targets[] = {"sample", "population", NULL};

struct sotto_local_options local_decoding_options(const struct local_decoding *d)
{
	return (struct sotto_local_options){
		.alpha = sotto_rational_double_up(&d->alpha.value),
		.correction = (enum sotto_local_correction)d->correction,
		.post = (enum sotto_local_post)d->post,
		.target = (enum sotto_local_target)d->target,
		.method = (enum sotto_local_method)d->method,
		.simultaneous = d->simultaneous,
		.selected = d->selected,
		.iterations = d->iterations.value < UINT32_MAX ? (unsigned)d->iterations.value
							       : UINT32_MAX};
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
	{"consistent", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"adjusted_p_value", "adjusted p", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"bootstrap_error", "bootstrap error", COLUMN_NUMBER, ALIGN_BY_KIND}};

/* The last column is there if there was a bootstrap. */
static size_t column_count(const struct local_result *r)
{
	return sizeof columns / sizeof columns[0] - (r->bootstrap ? 0 : 1);
}

/* The reference has no test, and what cannot be told apart has no error. */
static void add_number(struct table *t, double x, int digits)
{
	if (isfinite(x))
		table_add_double(t, x, digits);
	else
		table_add_nothing(t);
}

static void fill_table(struct table *t, const struct local_result *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct sotto_local_estimate *e = &r->estimates[i];

		table_add_text(t, r->names[i]);
		add_number(t, e->count, 6);
		add_number(t, e->sd, 4);
		add_number(t, e->low, 6);
		add_number(t, e->high, 6);
		add_number(t, e->z, 4);
		add_number(t, e->p_value, 3);
		table_add_text(t, e->significant ? "yes" : "no");
		add_number(t, e->post, 6);
		add_number(t, isnan(e->p_value) ? NAN : e->p_adjusted, 3);
		if (r->bootstrap)
			add_number(t, r->bootstrap[i], 4);
	}
}

struct field {
	const char *key;
	double x;
};

static void write_fields(struct json_writer *w, const struct field *fields, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		json_key(w, fields[i].key);
		json_write_double(w, fields[i].x);
	}
}

static void write_estimate(struct json_writer *w, const struct local_result *r, size_t i)
{
	const struct sotto_local_estimate *e = &r->estimates[i];
	const struct field before[] = {
		{"estimate", e->count},
		{"standard_error", e->sd},
		{"low", e->low},
		{"high", e->high},
		{"z", e->z},
		{"p_value", e->p_value},
		{"adjusted_p_value", isnan(e->p_value) ? NAN : e->p_adjusted}};

	json_open_record(w);
	json_key(w, "string");
	json_write_text(w, r->names[i]);
	write_fields(w, before, sizeof before / sizeof before[0]);
	json_key(w, "significant");
	json_write_bool(w, e->significant);
	write_fields(w, &(struct field){"consistent", e->post}, 1);
	if (r->bootstrap)
		write_fields(w, &(struct field){"bootstrap_error", r->bootstrap[i]}, 1);
	json_close_object(w);
}

static void write_flag(struct json_writer *w, const char *key, bool value)
{
	json_key(w, key);
	json_write_bool(w, value);
}

static void write_count(struct json_writer *w, const char *key, size_t value)
{
	json_key(w, key);
	json_write_integer(w, (int64_t)value);
}

static void write_fit(struct json_writer *w, const struct sotto_local_fit *f)
{
	const struct field fields[] = {{"dispersion", f->dispersion},
				       {"misfit_p", f->misfit_p},
				       {"worst_cohort", (double)f->worst_cohort},
				       {"worst_cohort_p", f->worst_cohort_p},
				       {"explained", f->explained},
				       {"other", f->other},
				       {"explained_variance", f->explained_variance},
				       {"missing_variance", f->missing_variance},
				       {"noise_variance", f->noise_variance}};

	json_key(w, "fit");
	json_open_object(w);
	write_fields(w, fields, sizeof fields / sizeof fields[0]);
	write_flag(w, "background", f->background);
	write_flag(w, "scaled", f->scaled);
	write_flag(w, "split", f->split);
	write_flag(w, "pooled", f->pooled);
	write_count(w, "aliased", f->aliased);
	write_count(w, "cohorts", f->used_cohorts);
	json_close_object(w);
}

static void write_text(struct json_writer *w, const char *key, const char *text)
{
	json_key(w, key);
	json_write_text(w, text);
}

/* Bootstrap errors over those of theory: the root mean square of their ratios. */
static double referee(const struct local_result *r)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < r->count; i++)
		if (isfinite(r->bootstrap[i]) && isfinite(r->estimates[i].sd) &&
		    r->estimates[i].sd > 0) {
			double ratio = r->bootstrap[i] / r->estimates[i].sd;

			sum += ratio * ratio;
			n++;
		}
	return n > 0 ? sqrt(sum / n) : NAN;
}

static void
print_json(const struct local_result *r, const struct sotto_local_options *o, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	write_count(&w, "reports", r->reports);
	write_count(&w, "candidates", r->count);
	write_fields(&w, &(struct field){"alpha", o->alpha}, 1);
	write_text(&w, "correction", local_corrections[o->correction]);
	write_text(&w, "target", local_targets[o->target]);
	write_text(&w, "post", local_posts[o->post]);
	write_flag(&w, "simultaneous", o->simultaneous);
	write_flag(&w, "selected", o->selected);
	write_flag(&w, "over_hash_functions", r->over_hashes);
	write_flag(&w, "capped", r->capped);
	if (r->has_fit) {
		write_text(&w, "method", local_methods[o->method]);
		write_fit(&w, &r->fit);
	}
	if (r->bootstrap) {
		write_count(&w, "bootstrap_runs", r->bootstrap_runs);
		write_fields(&w, &(struct field){"bootstrap_over_theory", referee(r)}, 1);
	}
	json_key(&w, "estimates");
	json_open_array(&w);
	for (size_t i = 0; i < r->count; i++)
		write_estimate(&w, r, i);
	json_close_array(&w);
	json_close_object(&w);
	json_end(&w);
}

static void print_fit(const struct sotto_local_fit *f, FILE *out)
{
	fprintf(out, "residuals are %.3g times what noise explains", f->dispersion);
	if (f->background)
		fprintf(out, ": strings are missing from the candidates, or somebody sends "
			     "made-up reports");
	if (f->scaled)
		fprintf(out, "; errors are scaled up");
	fprintf(out, "\n%.1f %% of the users are explained by significant strings\n",
		100 * f->explained);
	if (!f->pooled)
		fprintf(out,
			"variance of the bit rates: %.1f %% explained, %.1f %% missing, %.1f "
			"%% "
			"noise\n",
			100 * f->explained_variance, 100 * f->missing_variance,
			100 * f->noise_variance);
	if (f->worst_cohort_p < 1e-3)
		fprintf(out,
			"cohort %zu is farther from the fit than chance: look for made-up "
			"reports\n",
			f->worst_cohort);
	if (f->split)
		fprintf(out, "too many candidates for one fit: chosen on half of the cohorts, "
			     "tested on "
			     "the others\n");
	if (f->aliased)
		fprintf(out,
			"%zu candidates set the same bits as others, and have no estimate: "
			"more "
			"bits, hashes or cohorts would tell them apart\n",
			f->aliased);
}

static void
print_notes(const struct local_result *r, const struct sotto_local_options *o, FILE *out)
{
	if (r->has_fit && o->method == SOTTO_LOCAL_METHOD_REFERENCE) {
		fprintf(out,
			"\n%llu reports; decoded as google/rappor's decode.R does: a value is "
			"shown as\nsignificant if it exceeds two standard deviations of five "
			"fits; this is not a test\n",
			(unsigned long long)r->reports);
		return;
	}
	fprintf(out, "\n%llu reports; %g %% intervals%s of the %s; tests corrected: %s\n",
		(unsigned long long)r->reports, 100 * (1 - o->alpha),
		o->simultaneous ? ", simultaneous,"
		: o->selected   ? " (of the significant ones)"
				: "",
		local_targets[o->target], local_corrections[o->correction]);
	if (r->capped)
		fprintf(out,
			"too many combinations of fragments: not all were tried, and strings "
			"may be missing; lower --keep\n");
	if (r->over_hashes)
		fprintf(out, "collisions are part of the errors: intervals hold over the "
			     "choice of the hash functions\n");
	if (r->has_fit)
		print_fit(&r->fit, out);
	if (r->bootstrap)
		fprintf(out, "errors of %llu bootstrap runs are %.3g times those of theory\n",
			(unsigned long long)r->bootstrap_runs, referee(r));
}

void local_result_print(const struct local_result *r, const struct sotto_local_options *options,
			const struct invocation *call)
{
	struct table t;

	if (call->format == FORMAT_JSON) {
		print_json(r, options, call->out);
		return;
	}
	table_init(&t, columns, column_count(r));
	fill_table(&t, r);
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (call->format == FORMAT_TABLE)
		print_notes(r, options, call->out);
}
