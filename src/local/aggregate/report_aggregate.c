/*
 * Owns the counters and, for protocols that need them, the reports themselves; covers say which
 * batches are counted, and merging refuses two that overlap.
 */
#include "local/aggregate/report_aggregate.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/protocol/record.h"

enum sotto_status sotto_local_aggregate_new(const struct sotto_client_params *params,
					    struct sotto_local_aggregate **out)
{
	if (!params || !out)
		return SOTTO_EINVAL;

	struct sotto_local_aggregate *a;
	struct sotto_report_shape shape;

	SOTTO_TRY(sotto_client_params_check(params));
	SOTTO_TRY(sotto_shape_of(params, &shape));
	a = calloc(1, sizeof *a);
	if (!a)
		return SOTTO_ENOMEM;
	a->params = *params;
	a->shape = shape;
	a->stride = sotto_client_report_bytes(params);
	a->groups = calloc(shape.groups + 1, sizeof *a->groups);
	a->cells = calloc(shape.cells + 1, sizeof *a->cells);
	if (!a->groups || !a->cells ||
	    (!shape.keeps_reports && sotto_intake_new(params, &a->intake) != SOTTO_OK)) {
		sotto_local_aggregate_free(a);
		return SOTTO_ENOMEM;
	}
	*out = a;
	return SOTTO_OK;
}

void sotto_local_aggregate_free(struct sotto_local_aggregate *a)
{
	if (!a)
		return;
	sotto_intake_free(a->intake);
	free(a->groups);
	free(a->cells);
	free(a->log);
	free(a->covers);
	free(a);
}

static enum sotto_status
append_log(struct sotto_local_aggregate *a, const uint8_t *bytes, size_t n)
{
	size_t capacity = a->log_capacity ? a->log_capacity : 4096;
	uint8_t *grown;

	if (n > SIZE_MAX / 4 - a->log_used)
		return SOTTO_ENOMEM;
	while (capacity < a->log_used + n)
		capacity *= 2;
	if (capacity != a->log_capacity) {
		grown = realloc(a->log, capacity);
		if (!grown)
			return SOTTO_ENOMEM;
		a->log = grown;
		a->log_capacity = capacity;
	}
	if (n)
		memcpy(a->log + a->log_used, bytes, n);
	a->log_used += n;
	return SOTTO_OK;
}

enum sotto_status
sotto_local_aggregate_add(struct sotto_local_aggregate *a, const uint8_t *reports, size_t n)
{
	if (!a || (!reports && n > 0))
		return SOTTO_EINVAL;
	if (a->shape.keeps_reports)
		SOTTO_TRY(append_log(a, reports, n * a->stride));
	else
		sotto_intake_add(a->intake, reports, n, a->groups, a->cells);
	a->reports += n;
	return SOTTO_OK;
}

/* The most that a cell can be, given its group or all reports. */
static uint64_t cell_limit(const struct sotto_local_aggregate *a, uint64_t reports,
			   const uint64_t *groups, size_t cell)
{
	size_t per_group = a->shape.groups ? a->shape.cells / a->shape.groups : 0;

	if (per_group == 0 ||
	    sotto_protocol_of(a->params.protocol)->counting == SOTTO_COUNT_TREE)
		return reports;
	return groups[cell / per_group];
}

bool sotto_aggregate_sound(const struct sotto_local_aggregate *a, uint64_t reports,
			   const uint64_t *groups, const uint64_t *cells)
{
	enum sotto_counting counting = sotto_protocol_of(a->params.protocol)->counting;
	bool is_signed = counting == SOTTO_COUNT_SIGNED || counting == SOTTO_COUNT_TREE;

	if (reports > SOTTO_AGGREGATE_REPORTS_MAX)
		return false;
	for (size_t i = 0; i < a->shape.groups; i++)
		if (groups[i] > reports)
			return false;
	for (size_t i = 0; i < a->shape.cells; i++) {
		uint64_t size = is_signed && cells[i] >> 63 ? 0 - cells[i] : cells[i];

		if (size > cell_limit(a, reports, groups, i))
			return false;
	}
	return true;
}

enum sotto_status sotto_local_aggregate_import(struct sotto_local_aggregate *a,
					       uint64_t reports, const uint64_t *groups,
					       const uint64_t *cells)
{
	if (!a || !cells)
		return SOTTO_EINVAL;
	if (a->shape.keeps_reports)
		return SOTTO_ESTATE;
	if (!sotto_aggregate_sound(a, reports, groups, cells) ||
	    reports > SOTTO_AGGREGATE_REPORTS_MAX - a->reports)
		return SOTTO_EINVAL;
	for (size_t i = 0; i < a->shape.groups; i++)
		a->groups[i] += groups[i];
	for (size_t i = 0; i < a->shape.cells; i++)
		a->cells[i] += cells[i];
	a->reports += reports;
	return SOTTO_OK;
}

static int compare_reports(const void *x, const void *y, void *stride)
{
	return memcmp(x, y, *(const size_t *)stride);
}

void sotto_aggregate_settle(struct sotto_local_aggregate *a)
{
	if (a->intake)
		sotto_intake_flush(a->intake, a->groups, a->cells);
	if (a->log_used)
		qsort_r(a->log, a->log_used / a->stride, a->stride, compare_reports,
			&a->stride);
}

static void
add_counts(struct sotto_local_aggregate *into, const struct sotto_local_aggregate *from)
{
	for (size_t i = 0; i < into->shape.groups; i++)
		into->groups[i] += from->groups[i];
	for (size_t i = 0; i < into->shape.cells; i++)
		into->cells[i] += from->cells[i];
	into->reports += from->reports;
}

void sotto_aggregate_clear(struct sotto_local_aggregate *a)
{
	sotto_aggregate_settle(a);
	memset(a->groups, 0, a->shape.groups * sizeof *a->groups);
	memset(a->cells, 0, a->shape.cells * sizeof *a->cells);
	a->reports = 0;
}

void sotto_aggregate_pour(struct sotto_local_aggregate *into,
			  struct sotto_local_aggregate *from)
{
	sotto_aggregate_settle(from);
	add_counts(into, from);
	sotto_aggregate_clear(from);
}

struct sotto_local_counts sotto_local_aggregate_counts(struct sotto_local_aggregate *a)
{
	if (a->intake)
		sotto_intake_flush(a->intake, a->groups, a->cells);
	return (struct sotto_local_counts){.params = &a->params,
					   .reports = a->reports,
					   .groups = a->groups,
					   .group_count = a->shape.groups,
					   .cells = a->cells,
					   .cell_count = a->shape.cells,
					   .log = a->log,
					   .log_reports = a->log_used / a->stride};
}

static bool
same_params(const struct sotto_client_params *a, const struct sotto_client_params *b)
{
	uint8_t x[SOTTO_CLIENT_PARAMS_BYTES], y[SOTTO_CLIENT_PARAMS_BYTES];

	sotto_client_params_store(a, x);
	sotto_client_params_store(b, y);
	return memcmp(x, y, sizeof x) == 0;
}

static bool covers_meet(const struct sotto_local_aggregate *a, const struct sotto_cover *c)
{
	for (size_t i = 0; i < a->cover_count; i++)
		if (memcmp(a->covers[i].source, c->source, 16) == 0 &&
		    a->covers[i].first <= c->last && c->first <= a->covers[i].last)
			return true;
	return false;
}

static int compare_covers(const void *x, const void *y)
{
	const struct sotto_cover *a = x, *b = y;
	int order = memcmp(a->source, b->source, 16);

	return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* Sorts, and joins neighbours, so that equal covers have equal bytes. */
static void tidy_covers(struct sotto_local_aggregate *a)
{
	size_t kept = 0;

	qsort(a->covers, a->cover_count, sizeof *a->covers, compare_covers);
	for (size_t i = 0; i < a->cover_count; i++) {
		struct sotto_cover *last = kept ? &a->covers[kept - 1] : NULL;

		if (last && memcmp(last->source, a->covers[i].source, 16) == 0 &&
		    last->last + 1 == a->covers[i].first)
			last->last = a->covers[i].last;
		else
			a->covers[kept++] = a->covers[i];
	}
	a->cover_count = kept;
}

static enum sotto_status
add_covers(struct sotto_local_aggregate *a, const struct sotto_cover *covers, size_t n)
{
	struct sotto_cover *grown;

	if (n == 0)
		return SOTTO_OK;
	grown = realloc(a->covers, (a->cover_count + n) * sizeof *grown);
	if (!grown)
		return SOTTO_ENOMEM;
	a->covers = grown;
	memcpy(grown + a->cover_count, covers, n * sizeof *covers);
	a->cover_count += n;
	tidy_covers(a);
	return SOTTO_OK;
}

/* Whether x ends, with a gap, before y starts; of another source, whether it comes first. */
static bool comes_before(const struct sotto_cover *x, const struct sotto_cover *y)
{
	int order = memcmp(x->source, y->source, 16);

	return order < 0 || (order == 0 && x->last < y->first && x->last + 1 < y->first);
}

enum sotto_status sotto_aggregate_set_covers(struct sotto_local_aggregate *a,
					     const struct sotto_cover *covers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (covers[i].first > covers[i].last ||
		    (i > 0 && !comes_before(&covers[i - 1], &covers[i])))
			return SOTTO_ESTATE;
	a->cover_count = 0;
	return add_covers(a, covers, n);
}

/* One walk along both: they are sorted. */
static bool
covers_of_both(const struct sotto_local_aggregate *a, const struct sotto_local_aggregate *b)
{
	size_t i = 0, j = 0;

	while (i < a->cover_count && j < b->cover_count) {
		const struct sotto_cover *x = &a->covers[i], *y = &b->covers[j];
		int order = memcmp(x->source, y->source, 16);

		if (order == 0 && x->first <= y->last && y->first <= x->last)
			return true;
		if (order < 0 || (order == 0 && x->last < y->first))
			i++;
		else
			j++;
	}
	return false;
}

enum sotto_status sotto_local_aggregate_cover(struct sotto_local_aggregate *a,
					      const uint8_t source[16], uint64_t first,
					      uint64_t last)
{
	if (!a || !source)
		return SOTTO_EINVAL;

	struct sotto_cover c = {.first = first, .last = last};

	memcpy(c.source, source, 16);
	if (first > last || covers_meet(a, &c))
		return SOTTO_ESTATE;
	return add_covers(a, &c, 1);
}

enum sotto_status sotto_local_aggregate_merge(struct sotto_local_aggregate *into,
					      struct sotto_local_aggregate *from,
					      struct sotto_error *err)
{
	if (!into || !from)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	if (!same_params(&into->params, &from->params))
		return sotto_fail(
			err, SOTTO_EINVAL,
			"these aggregates are of collections with different parameters");
	if (covers_of_both(into, from))
		return sotto_fail(err, SOTTO_ESTATE,
				  "both aggregates hold the same batches; adding them would "
				  "count reports twice");
	if (from->reports > SOTTO_AGGREGATE_REPORTS_MAX - into->reports)
		return sotto_fail(err, SOTTO_ERANGE,
				  "together these aggregates hold more reports than can be");
	SOTTO_TRY(append_log(into, from->log, from->log_used));
	if (add_covers(into, from->covers, from->cover_count) != SOTTO_OK) {
		into->log_used -= from->log_used;
		return SOTTO_ENOMEM;
	}
	sotto_aggregate_settle(into);
	sotto_aggregate_settle(from);
	add_counts(into, from);
	return SOTTO_OK;
}
