/* Joint distributions from google/rappor's association files. */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/decode/local_assoc.h"
#include "local/decode/local_joint.h"

struct associate_settings {
	const char *schema, *reports, *params_dir, *metric;
	struct option_list variables, maps;
	struct option_rational alpha;
	struct option_count iterations;
	bool no_other, fold;
};

static const struct option options[] = {
	{.name = "schema",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .required = true,
	 .help = "CSV with metric,var,var_type,params; a type is string or boolean",
	 .offset = offsetof(struct associate_settings, schema)},
	{.name = "params-dir",
	 .argument = "DIR",
	 .kind = OPTION_TEXT,
	 .required = true,
	 .help = "folder of the files <params>.csv that the schema names",
	 .offset = offsetof(struct associate_settings, params_dir)},
	{.name = "metric",
	 .argument = "NAME",
	 .kind = OPTION_TEXT,
	 .required = true,
	 .help = "name of the metric in the schema",
	 .offset = offsetof(struct associate_settings, metric)},
	{.name = "var",
	 .argument = "NAME",
	 .kind = OPTION_LIST,
	 .help = "a variable; name two or three",
	 .offset = offsetof(struct associate_settings, variables)},
	{.name = "map",
	 .argument = "NAME=FILE",
	 .kind = OPTION_LIST,
	 .help = "map.csv of a variable of strings",
	 .offset = offsetof(struct associate_settings, maps)},
	{.name = "reports",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .required = true,
	 .help = "CSV with client,cohort and a column of bits for each variable",
	 .offset = offsetof(struct associate_settings, reports)},
	{.name = "alpha",
	 .argument = "A",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_INSIDE_UNIT,
	 .fallback = "0.05",
	 .help = "error rate of the intervals",
	 .offset = offsetof(struct associate_settings, alpha)},
	{.name = "no-other",
	 .kind = OPTION_FLAG,
	 .help = "the maps list all values that users hold",
	 .offset = offsetof(struct associate_settings, no_other)},
	LOCAL_ITERATIONS_OPTION(struct associate_settings),
	LOCAL_FOLD_OPTION(struct associate_settings),
	OPTIONS_END};

/* One variable: its parameters and candidates. */
struct metric_variable {
	const char *name;
	bool boolean;
	struct sotto_local_google params;
	struct google_map candidates;
	size_t column; /* in the reports */
};

struct association {
	const struct associate_settings *settings;
	struct metric_variable variables[SOTTO_LOCAL_VARIABLES_MAX];
	size_t count;
	struct sotto_local_joint_report *reports;
	size_t report_count;
};

static void association_release(struct association *a)
{
	for (size_t v = 0; v < a->count; v++)
		google_map_release(&a->variables[v].candidates);
	free(a->reports);
}

/* A field of the schema: some are written with blanks after commas. */
static const char *schema_field(const struct csv_reader *r, size_t i)
{
	const char *text = csv_field(r, i);

	return text + strspn(text, " \t");
}

/* The row of the schema for a variable. */
static enum outcome find_in_schema(FILE *in, const struct associate_settings *s,
				   struct metric_variable *v, char **params,
				   struct sotto_error *err)
{
	static const char *const header[] = {"metric", "var", "var_type", "params"};
	struct csv_reader r;
	enum csv_result got;
	bool ok, found = false;

	csv_init(&r, in);
	got = csv_next(&r, err);
	ok = got == CSV_RECORD && r.field_count == 4;
	for (size_t i = 0; ok && i < 4; i++)
		ok = strcmp(schema_field(&r, i), header[i]) == 0;
	while (ok && !found && (got = csv_next(&r, err)) == CSV_RECORD) {
		ok = r.field_count == 4;
		found = ok && strcmp(schema_field(&r, 0), s->metric) == 0 &&
			strcmp(schema_field(&r, 1), v->name) == 0;
	}
	if (found) {
		v->boolean = strcmp(schema_field(&r, 2), "boolean") == 0;
		ok = v->boolean || strcmp(schema_field(&r, 2), "string") == 0;
		*params = memory_text("%s/%s.csv", s->params_dir, schema_field(&r, 3));
	}
	csv_release(&r);
	if (got == CSV_BROKEN)
		return OUTCOME_REFUSED;
	if (!ok)
		return complaint_refuse(err, "schema: it must be metric,var,var_type,params "
					     "with types string and boolean");
	return found ? OUTCOME_DONE
		     : complaint_refuse(err, "schema: metric %s has no variable %s", s->metric,
					v->name);
}

/* The file given for a variable by --map NAME=FILE, or NULL. */
static const char *map_of(const struct associate_settings *s, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < s->maps.count; i++)
		if (strncmp(s->maps.items[i], name, n) == 0 && s->maps.items[i][n] == '=')
			return s->maps.items[i] + n + 1;
	return NULL;
}

static enum outcome read_variable(const struct associate_settings *s, struct metric_variable *v,
				  struct sotto_error *err)
{
	FILE *in = fopen(s->schema, "r");
	char *params = NULL;
	enum outcome outcome;

	if (!in)
		return complaint_refuse(err, "could not open %s", s->schema);
	outcome = find_in_schema(in, s, v, &params, err);
	fclose(in);
	if (outcome == OUTCOME_DONE)
		outcome = local_read_google(params, &v->params, err);
	free(params);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (v->boolean) {
		v->params.bits = v->params.hashes = 1;
		local_google_boolean_map(&v->params, &v->candidates);
		return OUTCOME_DONE;
	}
	if (v->params.bits > 64)
		return complaint_refuse(err, "associations take at most 64 bits per variable");
	if (!map_of(s, v->name))
		return complaint_usage(err, "%s is of strings: give --map %s=FILE", v->name,
				       v->name);
	return local_google_map_read(&v->params, map_of(s, v->name), &v->candidates, err);
}

static bool find_columns(struct association *a, const struct csv_reader *header)
{
	bool ok = header->field_count >= 4 && strcmp(csv_field(header, 1), "cohort") == 0;

	for (size_t v = 0; v < a->count; v++) {
		a->variables[v].column = assoc_column(header, a->variables[v].name);
		ok = ok && a->variables[v].column != SIZE_MAX;
	}
	return ok;
}

static bool read_report(struct association *a, const struct csv_reader *r,
			struct sotto_local_joint_report *out)
{
	bool ok = assoc_cohort(csv_field(r, 1), a->variables[0].params.cohorts,
			       a->settings->fold, &out->cohort);

	for (size_t v = 0; ok && v < a->count; v++)
		ok = assoc_bits(csv_field(r, a->variables[v].column),
				a->variables[v].params.bits, &out->bits[v]);
	return ok;
}

static enum outcome read_reports(struct association *a, FILE *in, struct sotto_error *err)
{
	struct csv_reader r;
	size_t fields = 0;
	enum csv_result got;
	enum outcome outcome = OUTCOME_DONE;

	csv_init(&r, in);
	got = csv_next(&r, err);
	if (got != CSV_RECORD || !find_columns(a, &r))
		outcome = complaint_refuse(err, "reports: the header must be client,cohort and "
						"every variable asked for");
	fields = got == CSV_RECORD ? r.field_count : 0;
	while (outcome == OUTCOME_DONE && (got = csv_next(&r, err)) == CSV_RECORD) {
		a->reports = memory_grow(a->reports, a->report_count, sizeof *a->reports);
		a->reports[a->report_count] = (struct sotto_local_joint_report){.cohort = 0};
		if (r.field_count != fields ||
		    !read_report(a, &r, &a->reports[a->report_count++]))
			outcome = complaint_refuse(
				err,
				"reports: line %zu does not fit the header and the parameters",
				r.start);
	}
	csv_release(&r);
	return outcome == OUTCOME_DONE && got == CSV_BROKEN ? OUTCOME_REFUSED : outcome;
}

static enum outcome
estimate(struct association *a, const struct invocation *call, struct sotto_error *err)
{
	struct sotto_local_variable v[SOTTO_LOCAL_VARIABLES_MAX];
	struct joint_names names = {.count = a->count, .reports = a->report_count};
	struct sotto_local_joint j;
	double alpha = sotto_rational_double_up(&a->settings->alpha.value), z;
	enum sotto_status st;

	for (size_t i = 0; i < a->count; i++) {
		struct metric_variable *m = &a->variables[i];

		v[i] = (struct sotto_local_variable){.bits = m->params.bits,
						     .map = &m->candidates.map,
						     .other = !m->boolean &&
							      !a->settings->no_other};
		sotto_local_rappor_rates(m->params.f, m->params.p, m->params.q, &v[i].p,
					 &v[i].q);
		names.variables[i] = m->name;
		names.categories[i] = &m->candidates.names;
		names.sizes[i] = m->candidates.names.count + v[i].other;
	}
	if (a->settings->iterations.value > UINT32_MAX)
		return complaint_refuse(err, "--iterations must be below 2^32");
	st = sotto_local_associate(v, a->count, a->reports, a->report_count,
				   (unsigned)a->settings->iterations.value, &j, err);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	z = -sotto_local_normal_quantile(alpha / 2);
	local_joint_print(&names, &j, z, call);
	if (!j.settled)
		fprintf(command_notes(call),
			"note: shares and test have not converged after %u iterations; allow "
			"more with --iterations\n",
			(unsigned)a->settings->iterations.value);
	sotto_local_joint_release(&j);
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct associate_settings *s = call->settings;
	struct association a = {.settings = s};
	enum outcome outcome = OUTCOME_DONE;
	FILE *in;

	if (s->variables.count < 2 || s->variables.count > SOTTO_LOCAL_VARIABLES_MAX)
		return complaint_usage(err, "give --var two or three times");
	for (size_t i = 0; outcome == OUTCOME_DONE && i < s->variables.count; i++) {
		a.variables[i].name = s->variables.items[i];
		outcome = read_variable(s, &a.variables[i], err);
		a.count += outcome == OUTCOME_DONE;
	}
	in = outcome == OUTCOME_DONE ? fopen(s->reports, "r") : NULL;
	if (outcome == OUTCOME_DONE && !in)
		outcome = complaint_refuse(err, "could not open %s", s->reports);
	if (outcome == OUTCOME_DONE)
		outcome = read_reports(&a, in, err);
	if (in)
		fclose(in);
	if (outcome == OUTCOME_DONE)
		outcome = estimate(&a, call, err);
	association_release(&a);
	return outcome;
}

const struct command command_local_associate = {
	.name = "associate",
	.summary = "estimate the joint distribution of two or three rappor variables",
	.usage = "--schema FILE --params-dir DIR --metric NAME --var A --var B [--map "
		 "A=FILE]... "
		 "--reports FILE [OPTION]...",
	.details =
		"Uses expectation maximization over distinct reports.  All values that the "
		"map\n"
		"does not list form one category, Other.  The chi-square test checks whether\n"
		"the variables are independent.",
	.options = options,
	.settings_size = sizeof(struct associate_settings),
	.prints_results = true,
	.waits = "estimating",
	.run = run,
};
