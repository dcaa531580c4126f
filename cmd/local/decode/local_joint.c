/* A joint distribution as a table or as JSON. */
#include "local/decode/local_joint.h"

#include <math.h>
#include <string.h>

#include "show/json.h"
#include "show/table.h"

/* The name of the category of variable v in a cell. */
static const char *category(const struct joint_names *n, size_t v, size_t cell)
{
	const struct sotto_local_names *names = n->categories[v];

	for (size_t w = n->count; w-- > v + 1;)
		cell /= n->sizes[w];
	cell %= n->sizes[v];
	return cell < names->count ? names->names[cell] : "Other";
}

struct cell_row {
	double share, sd, low, high;
};

static struct cell_row row_of(const struct sotto_local_joint *j, size_t cell, double z)
{
	double share = j->share[cell], half = z * j->sd[cell];

	return (struct cell_row){share, j->sd[cell], fmax(share - half, 0),
				 fmin(share + half, 1)};
}

static void print_table(const struct joint_names *n, const struct sotto_local_joint *j,
			double z, const struct invocation *call)
{
	struct column columns[SOTTO_LOCAL_VARIABLES_MAX + 4];
	static const struct column numbers[] = {
		{"share", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"standard_error", "std error", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct table t;

	for (size_t v = 0; v < n->count; v++)
		columns[v] = (struct column){n->variables[v], NULL, COLUMN_TEXT, ALIGN_BY_KIND};
	memcpy(columns + n->count, numbers, sizeof numbers);
	table_init(&t, columns, n->count + 4);
	for (size_t c = 0; c < j->cells; c++) {
		struct cell_row r = row_of(j, c, z);
		const double cells[] = {r.share, r.sd, r.low, r.high};

		for (size_t v = 0; v < n->count; v++)
			table_add_text(&t, category(n, v, c));
		for (size_t i = 0; i < 4; i++)
			if (isfinite(cells[i]))
				table_add_double(&t, cells[i], 4);
			else
				table_add_nothing(&t);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (call->format == FORMAT_TABLE)
		fprintf(call->out,
			"\n%zu reports, %zu of them distinct; %u iterations\n"
			"independent? chi-square %.4g with %g degrees of freedom, p = %.3g\n",
			n->reports, j->distinct, j->iterations, j->chi_square, j->degrees,
			j->independence_p);
}

static void write_number(struct json_writer *w, const char *key, double x)
{
	json_key(w, key);
	json_write_double(w, x);
}

static void
print_json(const struct joint_names *n, const struct sotto_local_joint *j, double z, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	write_number(&w, "reports", (double)n->reports);
	write_number(&w, "distinct", (double)j->distinct);
	write_number(&w, "iterations", j->iterations);
	json_key(&w, "settled");
	json_write_bool(&w, j->settled);
	write_number(&w, "log_likelihood", j->log_likelihood);
	write_number(&w, "chi_square", j->chi_square);
	write_number(&w, "degrees", j->degrees);
	write_number(&w, "independence_p", j->independence_p);
	json_key(&w, "cells");
	json_open_array(&w);
	for (size_t c = 0; c < j->cells; c++) {
		struct cell_row r = row_of(j, c, z);

		json_open_record(&w);
		for (size_t v = 0; v < n->count; v++) {
			json_key(&w, n->variables[v]);
			json_write_text(&w, category(n, v, c));
		}
		write_number(&w, "share", r.share);
		write_number(&w, "standard_error", r.sd);
		write_number(&w, "low", r.low);
		write_number(&w, "high", r.high);
		json_close_object(&w);
	}
	json_close_array(&w);
	json_close_object(&w);
	json_end(&w);
}

void local_joint_print(const struct joint_names *n, const struct sotto_local_joint *j, double z,
		       const struct invocation *call)
{
	if (call->format == FORMAT_JSON)
		print_json(n, j, z, call->out);
	else
		print_table(n, j, z, call);
}
