/* params.csv, counts.csv and reports.csv of google/rappor. */
#include "sotto/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/rappor/fields.h"

/* What the reference allows, and room to spare. */
#define BITS_MAX 65536
#define COHORTS_MAX 65536
#define HASHES_MAX 64
#define REPORTS_MAX ((uint64_t)1 << 46) /* of a cohort: all together fit 62 bits */
#define COLUMNS_MAX 64
#define FIELD_MAX_BYTES (BITS_MAX + 2)

static enum sotto_status bad_line(struct sotto_error *err, const char *file, size_t line)
{
	return sotto_fail(err, SOTTO_EPARSE,
			  "%s: line %zu does not have the form of its file format", file, line);
}

static bool read_probability(struct sotto_fields *f, double *out)
{
	char text[64];
	struct sotto_rational r;
	bool ok;

	if (!sotto_fields_word(f, text, sizeof text))
		return false;
	sotto_rational_init(&r);
	ok = sotto_rational_parse(&r, text, NULL) == SOTTO_OK;
	*out = ok ? mpq_get_d(r.q) : -1;
	sotto_rational_release(&r);
	return ok && *out >= 0 && *out <= 1;
}

static bool header_is(struct sotto_fields *f, const char *const *want, size_t count)
{
	char text[32];

	if (!sotto_fields_line(f))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!sotto_fields_word(f, text, sizeof text) || strcmp(text, want[i]) != 0)
			return false;
	return !f->more;
}

enum sotto_status sotto_local_google_params(const char *text, size_t n,
					    struct sotto_local_google *out,
					    struct sotto_error *err)
{
	static const char *const header[] = {"k", "h", "m", "p", "q", "f"};
	struct sotto_local_google g;
	struct sotto_fields f;
	uint64_t k, h, m;

	if (!text || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	sotto_fields_init(&f, text, n);
	if (!header_is(&f, header, 6))
		return sotto_fail(err, SOTTO_EPARSE, "params: the header must be k,h,m,p,q,f");
	if (!sotto_fields_line(&f) || !sotto_fields_count(&f, &k) ||
	    !sotto_fields_count(&f, &h) || !sotto_fields_count(&f, &m) ||
	    !read_probability(&f, &g.p) || !read_probability(&f, &g.q) ||
	    !read_probability(&f, &g.f) || f.more)
		return bad_line(err, "params", f.line);
	if (sotto_fields_line(&f))
		return sotto_fail(err, SOTTO_EPARSE, "params: there must be one row");
	if (k < 1 || k > BITS_MAX || h < 1 || h > HASHES_MAX || m < 1 || m > COHORTS_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "params: k, h or m is outside its range");
	if (g.f >= 1 || g.p == g.q)
		return sotto_fail(err, SOTTO_ERANGE,
				  "params: with f = 1 or p = q nothing can be decoded");
	g.bits = (uint32_t)k;
	g.hashes = (uint32_t)h;
	g.cohorts = (uint32_t)m;
	*out = g;
	return SOTTO_OK;
}

static enum sotto_status
make_counts(const struct sotto_local_google *p, uint64_t **reports, uint64_t **ones)
{
	*reports = calloc(p->cohorts, sizeof **reports);
	*ones = calloc((size_t)p->cohorts * p->bits, sizeof **ones);
	if (*reports && *ones)
		return SOTTO_OK;
	free(*reports);
	free(*ones);
	*reports = *ones = NULL;
	return SOTTO_ENOMEM;
}

/* One row: N, then k numbers that do not exceed it. */
static bool
add_counts_row(struct sotto_fields *f, uint32_t bits, uint64_t *reports, uint64_t *ones)
{
	uint64_t n, x;

	if (!sotto_fields_count(f, &n) || n > REPORTS_MAX - *reports)
		return false;
	*reports += n;
	for (uint32_t b = 0; b < bits; b++) {
		if (!sotto_fields_count(f, &x) || x > n)
			return false;
		ones[b] += x;
	}
	return !f->more;
}

static enum sotto_status read_counts(const char *text, size_t n,
				     const struct sotto_local_google *p, bool fold,
				     uint64_t *reports, uint64_t *ones, struct sotto_error *err)
{
	struct sotto_fields f;
	size_t row = 0;

	sotto_fields_init(&f, text, n);
	for (; sotto_fields_line(&f); row++) {
		size_t at = row % p->cohorts;

		if (row >= p->cohorts && !fold)
			return sotto_fail(
				err, SOTTO_EPARSE,
				"counts: there are more rows than the %u cohorts of params; "
				"if cohorts were numbered past that, fold them",
				p->cohorts);
		if (!add_counts_row(&f, p->bits, reports + at, ones + at * p->bits))
			return sotto_fail(
				err, SOTTO_EPARSE,
				"counts: line %zu must hold the reports of a cohort and %u "
				"counts that do not exceed them",
				f.line, p->bits);
	}
	if (row == 0 || row % p->cohorts != 0)
		return sotto_fail(err, SOTTO_EPARSE,
				  "counts: there must be %u rows, one per cohort%s", p->cohorts,
				  fold ? ", or a multiple of that" : "");
	return SOTTO_OK;
}

enum sotto_status sotto_local_google_counts(const char *text, size_t n,
					    const struct sotto_local_google *params, bool fold,
					    uint64_t **reports, uint64_t **ones,
					    struct sotto_error *err)
{
	if ((!text && n > 0) || !params || !reports || !ones)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	uint64_t *r, *o;
	enum sotto_status st;

	SOTTO_TRY(make_counts(params, &r, &o));
	st = read_counts(text, n, params, fold, r, o, err);
	if (st != SOTTO_OK) {
		free(r);
		free(o);
		return st;
	}
	*reports = r;
	*ones = o;
	return SOTTO_OK;
}

/* ---- reports.csv ---- */

/* Character 0 is bit k-1. */
static bool add_bits(const char *text, uint32_t bits, uint64_t *ones)
{
	if (strlen(text) != bits || strspn(text, "01") != bits)
		return false;
	for (uint32_t i = 0; i < bits; i++)
		ones[bits - 1 - i] += text[i] == '1';
	return true;
}

/* Which columns of reports.csv are read. */
struct report_columns {
	size_t count, cohort, irr;
};

/* Older clients called the last column rappor. */
static bool read_report_header(struct sotto_fields *f, struct report_columns *out)
{
	struct report_columns c = {.cohort = COLUMNS_MAX, .irr = COLUMNS_MAX};
	char text[64];

	if (!sotto_fields_line(f))
		return false;
	for (; f->more; c.count++) {
		if (c.count == COLUMNS_MAX || !sotto_fields_word(f, text, sizeof text))
			return false;
		if (strcmp(text, "cohort") == 0)
			c.cohort = c.count;
		if (strcmp(text, "irr") == 0 || strcmp(text, "rappor") == 0)
			c.irr = c.count;
	}
	*out = c;
	return c.cohort < COLUMNS_MAX && c.irr < COLUMNS_MAX;
}

/* One report; scratch has room for two of the longest fields. */
static bool add_report(struct sotto_fields *f, const struct sotto_local_google *p,
		       const struct report_columns *columns, char *scratch, uint64_t *reports,
		       uint64_t *ones)
{
	uint64_t cohort = UINT64_MAX;
	size_t length, i;
	char *bits = scratch + FIELD_MAX_BYTES;

	for (i = 0; i < columns->count && f->more; i++) {
		if (i == columns->cohort ? !sotto_fields_count(f, &cohort)
		    : i == columns->irr
			    ? !sotto_fields_word(f, bits, FIELD_MAX_BYTES)
			    : !sotto_fields_next(f, scratch, FIELD_MAX_BYTES, &length))
			return false;
	}
	if (i < columns->count || f->more || f->broken || cohort >= p->cohorts)
		return false;
	if (!add_bits(bits, p->bits, ones + cohort * p->bits))
		return false;
	reports[cohort]++;
	return true;
}

enum sotto_status
sotto_local_google_reports(const char *text, size_t n, const struct sotto_local_google *params,
			   uint64_t **reports, uint64_t **ones, struct sotto_error *err)
{
	if (!text || !params || !reports || !ones)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	char *scratch = malloc(2 * FIELD_MAX_BYTES);
	enum sotto_status st = scratch ? SOTTO_OK : SOTTO_ENOMEM;
	struct report_columns columns = {.count = 0};
	uint64_t *r = NULL, *o = NULL;
	struct sotto_fields f;

	sotto_fields_init(&f, text, n);
	if (st == SOTTO_OK && !read_report_header(&f, &columns))
		st = sotto_fail(err, SOTTO_EPARSE,
				"reports: the header must have the columns cohort and irr, as "
				"client,cohort,bloom,prr,irr has");
	if (st == SOTTO_OK)
		st = make_counts(params, &r, &o);
	while (st == SOTTO_OK && sotto_fields_line(&f))
		if (!add_report(&f, params, &columns, scratch, r, o))
			st = bad_line(err, "reports", f.line);
	free(scratch);
	if (st != SOTTO_OK) {
		free(r);
		free(o);
		return st;
	}
	*reports = r;
	*ones = o;
	return SOTTO_OK;
}
