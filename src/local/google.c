/* The files of google/rappor. */
#include "sotto/local_google.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "local/fields.h"

/* What the reference allows, and room to spare. */
#define BITS_MAX 65536
#define COHORTS_MAX 65536
#define HASHES_MAX 64
#define NAME_MAX_BYTES 65536

static enum sotto_status bad_line(struct sotto_error *err, const char *file, size_t line)
{
	return sotto_fail(err, SOTTO_EPARSE, "%s: line %zu is not as the format has it", file,
			  line);
}

static bool read_probability(struct sotto_fields *f, double *out)
{
	char text[64];
	size_t n;
	struct sotto_rational r;
	bool ok;

	if (!sotto_fields_next(f, text, sizeof text, &n) || f->broken)
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
	size_t n;

	if (!sotto_fields_line(f))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!sotto_fields_next(f, text, sizeof text, &n) || f->broken ||
		    strcmp(text, want[i]) != 0)
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

	if (!sotto_fields_count(f, &n) || n > UINT64_MAX / 4)
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
				"counts: there are more rows than the %u cohorts of params",
				p->cohorts);
		if (!add_counts_row(&f, p->bits, reports + at, ones + at * p->bits))
			return sotto_fail(
				err, SOTTO_EPARSE,
				"counts: line %zu must hold the reports of a cohort and %u "
				"counts that do not exceed them",
				f.line, p->bits);
	}
	if (row < p->cohorts)
		return sotto_fail(err, SOTTO_EPARSE,
				  "counts: there must be %u rows, one per cohort", p->cohorts);
	return SOTTO_OK;
}

enum sotto_status sotto_local_google_counts(const char *text, size_t n,
					    const struct sotto_local_google *params, bool fold,
					    uint64_t **reports, uint64_t **ones,
					    struct sotto_error *err)
{
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

void sotto_local_names_release(struct sotto_local_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct sotto_local_names){0};
}

/* ---- map.csv ---- */

struct map_reader {
	const struct sotto_local_google *params;
	struct sotto_local_map *map;
	struct sotto_local_names *names;
	size_t room;
	size_t *slots; /* open addressing over names, index + 1 */
	size_t slot_count;
	char *scratch;
};

static uint64_t hash_name(const char *name)
{
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3u;
	return h;
}

static size_t *find_slot(const struct map_reader *r, const char *name)
{
	size_t i = hash_name(name) & (r->slot_count - 1);

	while (r->slots[i] && strcmp(r->names->names[r->slots[i] - 1], name) != 0)
		i = (i + 1) & (r->slot_count - 1);
	return &r->slots[i];
}

static enum sotto_status grow_map(struct map_reader *r)
{
	size_t room = r->room ? 2 * r->room : 64,
	       per = (size_t)r->map->cohorts * r->map->hashes;
	uint32_t *cells = realloc(r->map->cells, room * per * sizeof *cells);
	char **names;

	if (!cells)
		return SOTTO_ENOMEM;
	r->map->cells = cells;
	names = realloc(r->names->names, room * sizeof *names);
	if (!names)
		return SOTTO_ENOMEM;
	r->names->names = names;
	r->room = room;
	free(r->slots);
	r->slot_count = 4 * room;
	r->slots = calloc(r->slot_count, sizeof *r->slots);
	if (!r->slots)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < r->names->count; i++)
		*find_slot(r, r->names->names[i]) = i + 1;
	return SOTTO_OK;
}

/* The cell of cohort c as a bit, or none; false if it belongs to another cohort. */
static bool read_cell(struct sotto_fields *f, const struct sotto_local_google *p,
		      uint32_t cohort, uint32_t *out)
{
	uint64_t cell;

	if (!sotto_fields_count(f, &cell))
		return false;
	if (cell == UINT64_MAX) {
		*out = SOTTO_LOCAL_NO_CELL;
		return true;
	}
	if (cell < 1 || (cell - 1) / p->bits != cohort)
		return false;
	*out = (uint32_t)((cell - 1) % p->bits);
	return true;
}

static enum sotto_status
read_map_line(struct map_reader *r, struct sotto_fields *f, struct sotto_error *err)
{
	const struct sotto_local_google *p = r->params;
	const char *name = r->scratch;
	uint32_t *cells;
	size_t length;

	if (r->names->count == r->room)
		SOTTO_TRY(grow_map(r));
	if (!sotto_fields_next(f, r->scratch, NAME_MAX_BYTES, &length) || f->broken ||
	    strlen(r->scratch) != length)
		return bad_line(err, "map", f->line);
	name = length ? r->scratch : "Empty";
	cells = r->map->cells + r->names->count * p->cohorts * p->hashes;
	for (uint32_t c = 0; c < p->cohorts; c++)
		for (uint32_t h = 0; h < p->hashes; h++)
			if (!read_cell(f, p, c, cells++))
				return sotto_fail(
					err, SOTTO_EPARSE,
					"map: line %zu must hold %u cells per cohort, each of "
					"its own cohort",
					f->line, p->hashes);
	if (f->more)
		return sotto_fail(err, SOTTO_EPARSE, "map: line %zu has more than %u cells",
				  f->line, p->cohorts * p->hashes);
	if (*find_slot(r, name))
		return SOTTO_OK; /* a repeated string: the first one counts */
	r->names->names[r->names->count] = strdup(name);
	if (!r->names->names[r->names->count])
		return SOTTO_ENOMEM;
	*find_slot(r, name) = r->names->count + 1;
	r->names->count++;
	return SOTTO_OK;
}

enum sotto_status
sotto_local_google_map(const char *text, size_t n, const struct sotto_local_google *params,
		       struct sotto_local_map *map, struct sotto_local_names *names,
		       struct sotto_error *err)
{
	struct sotto_local_map m = {.cohorts = params->cohorts, .hashes = params->hashes};
	struct sotto_local_names found = {0};
	struct map_reader r = {.params = params,
			       .map = &m,
			       .names = &found,
			       .scratch = malloc(NAME_MAX_BYTES)};
	enum sotto_status st = r.scratch ? SOTTO_OK : SOTTO_ENOMEM;
	struct sotto_fields f;

	sotto_fields_init(&f, text, n);
	while (st == SOTTO_OK && sotto_fields_line(&f))
		st = read_map_line(&r, &f, err);
	if (st == SOTTO_OK && found.count == 0)
		st = sotto_fail(err, SOTTO_EPARSE, "map: there is no candidate");
	free(r.scratch);
	free(r.slots);
	if (st != SOTTO_OK) {
		sotto_local_map_release(&m);
		sotto_local_names_release(&found);
		return st;
	}
	m.candidates = found.count;
	*map = m;
	*names = found;
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

static bool add_report(struct sotto_fields *f, const struct sotto_local_google *p,
		       char *scratch, uint64_t *reports, uint64_t *ones)
{
	uint64_t cohort;
	size_t length;

	if (!sotto_fields_next(f, scratch, NAME_MAX_BYTES, &length) ||
	    !sotto_fields_count(f, &cohort) || cohort >= p->cohorts ||
	    !sotto_fields_next(f, scratch, NAME_MAX_BYTES, &length) ||
	    !sotto_fields_next(f, scratch, NAME_MAX_BYTES, &length) ||
	    !sotto_fields_next(f, scratch, NAME_MAX_BYTES, &length) || f->more || f->broken)
		return false;
	if (!add_bits(scratch, p->bits, ones + cohort * p->bits))
		return false;
	reports[cohort]++;
	return true;
}

enum sotto_status
sotto_local_google_reports(const char *text, size_t n, const struct sotto_local_google *params,
			   uint64_t **reports, uint64_t **ones, struct sotto_error *err)
{
	static const char *const header[] = {"client", "cohort", "bloom", "prr", "irr"};
	char *scratch = malloc(NAME_MAX_BYTES + 1);
	enum sotto_status st = scratch ? SOTTO_OK : SOTTO_ENOMEM;
	uint64_t *r = NULL, *o = NULL;
	struct sotto_fields f;

	sotto_fields_init(&f, text, n);
	if (st == SOTTO_OK && !header_is(&f, header, 5))
		st = sotto_fail(err, SOTTO_EPARSE,
				"reports: the header must be client,cohort,bloom,prr,irr");
	if (st == SOTTO_OK)
		st = make_counts(params, &r, &o);
	while (st == SOTTO_OK && sotto_fields_line(&f))
		if (!add_report(&f, params, scratch, r, o))
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
