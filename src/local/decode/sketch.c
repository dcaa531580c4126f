/*
 * Adds up the cells of a key over all rows, after a Hadamard transform for HCMS, and corrects
 * for collisions; the sum of squares that the variance needs is estimated from the cells
 * themselves.
 */
#include "local/decode/sketch.h"

#include <math.h>
#include <stdlib.h>

#include "local/client/primitive/family.h"
#include "local/decode/estimate.h"
#include "local/decode/kernel/fwht.h"
#include "local/decode/pure.h"
#include "sotto/local.h"

/*
 * A report supports a key by its bit in the key's column, or by its sign times the key's: a pure
 * protocol, but for the users of one value who meet the key together.
 */
static double
variance(double n, double n_d, double s2, double m, double k, struct sotto_rates r)
{
	return sotto_local_variance(n, n_d, r.p, r.q, SOTTO_LOCAL_SAMPLE) +
	       (s2 - (n - n_d)) / k / (m - 1);
}

static struct sotto_rates cms_rates(double m, double flip)
{
	return (struct sotto_rates){1 - flip, flip + (1 - 2 * flip) / m};
}

static struct sotto_rates hcms_rates(double m, double flip)
{
	return (struct sotto_rates){1 - flip, .5 + (.5 - flip) / m};
}

double
sotto_local_variance_cms(double n, double n_d, double s2, double m, double k, double flip)
{
	return variance(n, n_d, s2, m, k, cms_rates(m, flip));
}

double
sotto_local_variance_hcms(double n, double n_d, double s2, double m, double k, double flip)
{
	return variance(n, n_d, s2, m, k, hcms_rates(m, flip));
}

static struct sotto_rates rates_of(const struct sotto_sketch *s)
{
	return s->table ? hcms_rates(s->columns, s->flip) : cms_rates(s->columns, s->flip);
}

double sotto_sketch_noise(const struct sotto_sketch *s)
{
	return sotto_local_variance(s->n, 0, rates_of(s).p, rates_of(s).q, SOTTO_LOCAL_SAMPLE);
}

/*
 * In a row, users of cells whose counts are n_i add up to sum n_i^2 = S_j (1 - 1/m) + N_j^2/m in
 * the mean over hash functions, S_j the sum of squares of the values' users in the row; and
 * the mean of S_j over the draw of rows is S2/k^2 + n (1 - 1/k)/k.  What the noise of the
 * signs adds to the squares of the estimated cells is known exactly.
 */
static double squares(const struct sotto_sketch *s)
{
	double c = 1 / (1 - 2 * s->flip), m = s->columns, k = s->rows, in_rows = 0, n2 = 0;

	for (uint32_t row = 0; row < s->rows; row++) {
		size_t first = (size_t)row * s->columns;
		double n = s->table ? s->n / k : (double)s->row_reports[row],
		       noise = s->table ? n * (m * c * c - 1)
					: m * n * c * c * s->flip * (1 - s->flip);

		n2 += n * n;
		in_rows -= noise;
		for (uint32_t i = 0; i < s->columns; i++) {
			double cell =
				s->table ? c * s->table[first + i]
					 : c * ((double)s->ones[first + i] - n / 2) + n / 2;

			in_rows += cell * cell;
		}
	}
	if (s->table) /* how users fell on rows is not kept: its mean */
		n2 += s->n * (1 - 1 / k);
	in_rows = (in_rows - n2 / m) / (1 - 1 / m);
	return fmin(fmax(k * (in_rows - s->n * (1 - 1 / k)), 0), s->n * s->n);
}

/* Rows outside, keys inside: a row's function is made once. */
void sotto_sketch_counts(const struct sotto_sketch *s, const uint64_t *keys, size_t count,
			 uint32_t use, double *out)
{
	double c = 1 / (1 - 2 * s->flip), m = s->columns, n = 0, scale;

	for (size_t i = 0; i < count; i++)
		out[i] = 0;
	for (uint32_t row = 0; row < use; row++) {
		struct sotto_row_hash h = sotto_row_hash_of(s->salt, row);
		double half = s->table ? 0 : (double)s->row_reports[row] / 2;

		n += s->table ? s->n / s->rows : 2 * half;
		for (size_t i = 0; i < count; i++) {
			size_t at = (size_t)row * s->columns +
				    sotto_row_hash_at(&h, keys[i], s->columns);

			out[i] += s->table ? c * s->table[at]
					   : c * ((double)s->ones[at] - half) + half;
		}
	}
	scale = use < s->rows && n > 0 ? s->n / n : 1;
	for (size_t i = 0; i < count; i++)
		out[i] = m / (m - 1) * (scale * out[i] - s->n / m);
}

/* 32 bits where no sum can leave them: less to move, and twice the lanes. */
static void transform_row(const uint64_t *cells, uint32_t columns, int64_t *wide, double *out)
{
	int32_t *narrow = (int32_t *)wide;
	uint64_t most = 0;

	for (uint32_t i = 0; i < columns; i++)
		most += cells[i] >> 63 ? 0 - cells[i] : cells[i];
	if (most > INT32_MAX) {
		for (uint32_t i = 0; i < columns; i++)
			wide[i] = (int64_t)cells[i];
		sotto_fwht_i64(wide, columns);
		for (uint32_t i = 0; i < columns; i++)
			out[i] = (double)wide[i];
		return;
	}
	for (uint32_t i = 0; i < columns; i++)
		narrow[i] = (int32_t)(int64_t)cells[i];
	sotto_fwht_i32(narrow, columns);
	for (uint32_t i = 0; i < columns; i++)
		out[i] = narrow[i];
}

enum sotto_status
sotto_sketch_transform(const uint64_t *cells, uint32_t rows, uint32_t columns, double **out)
{
	int64_t *row = malloc(columns * sizeof *row);
	double *table = malloc((size_t)rows * columns * sizeof *table);

	if (!row || !table) {
		free(row);
		free(table);
		return SOTTO_ENOMEM;
	}
	for (size_t r = 0; r < rows; r++)
		transform_row(cells + r * columns, columns, row, table + r * columns);
	free(row);
	*out = table;
	return SOTTO_OK;
}

/* Reports that support a count; whatever counters were imported, no more than there are. */
static uint64_t supports_of(const struct sotto_sketch *s, double count)
{
	struct sotto_rates r = rates_of(s);

	return (uint64_t)llround(fmin(fmax(count * (r.p - r.q) + s->n * r.q, 0), s->n));
}

enum sotto_status sotto_sketch_read(const struct sotto_sketch *s, const uint64_t *keys,
				    size_t count, double alpha, enum sotto_local_target target,
				    struct sotto_local_estimate *out)
{
	struct sotto_collisions x = {s->rows, s->columns, fmax(squares(s) - s->n, 0)};
	uint64_t *supports = malloc((count + 1) * sizeof *supports);
	double *raw = malloc((count + 1) * sizeof *raw);
	enum sotto_status st = supports && raw ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK) {
		sotto_sketch_counts(s, keys, count, s->rows, raw);
		for (size_t i = 0; i < count; i++)
			supports[i] = supports_of(s, raw[i]);
		st = sotto_pure_estimate_supports((uint64_t)s->n, supports, count, rates_of(s),
						  &x, alpha, target, out);
	}
	free(supports);
	free(raw);
	return st;
}

enum sotto_status sotto_sketch_estimate(const struct sotto_local_counts *c,
					const uint64_t *keys, size_t count, double alpha,
					enum sotto_local_target target,
					struct sotto_local_estimate *out)
{
	const struct sotto_client_params *p = c->params;
	struct sotto_sketch s = {.rows = p->groups,
				 .columns = p->width,
				 .salt = p->salt,
				 .flip = sotto_local_chance(p->flip),
				 .n = (double)c->reports,
				 .row_reports = c->groups,
				 .ones = c->cells};
	double *table = NULL;
	enum sotto_status st = SOTTO_OK;

	if (p->protocol == SOTTO_CLIENT_HCMS) {
		st = sotto_sketch_transform(c->cells, p->groups, p->width, &table);
		s.table = table;
	}
	if (st == SOTTO_OK)
		st = sotto_sketch_read(&s, keys, count, alpha, target, out);
	free(table);
	return st;
}
