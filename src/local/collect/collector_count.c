/*
 * Looking at batches and counting them.  A batch is looked at whole before any of
 * it counts.  One that is too large to stay in the caches until then is counted
 * while it is looked at, into a draft that is poured out or thrown away.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/aggregate/report_aggregate.h"
#include "local/collect/collector.h"
#include "local/collect/durable_file.h"
#include "local/collect/frame.h"
#include "local/collect/segment.h"

#define DRAFT_BYTES_MIN ((size_t)1 << 19)
#define DRAFT_CELLS_MAX ((size_t)1 << 17) /* so that pouring costs little beside the batch */

void sotto_collector_release(struct sotto_local_collector *c)
{
	sotto_local_aggregate_free(c->aggregate);
	sotto_local_aggregate_free(c->draft);
	sotto_idset_release(&c->ids);
}

bool sotto_collector_has_params(const struct sotto_local_collector *c,
				const struct sotto_client_params *params)
{
	uint8_t x[SOTTO_CLIENT_PARAMS_BYTES], y[SOTTO_CLIENT_PARAMS_BYTES];

	sotto_client_params_store(params, x);
	sotto_client_params_store(&c->params, y);
	return memcmp(x, y, sizeof x) == 0;
}

/* Whether a new batch of n bytes is drafted; makes the draft. */
static enum sotto_status prepare_draft(struct sotto_local_collector *c, size_t n, bool *drafted)
{
	const struct sotto_report_shape *shape = &c->aggregate->shape;

	*drafted = n >= DRAFT_BYTES_MIN && shape->cells <= DRAFT_CELLS_MAX &&
		   !shape->keeps_reports;
	return *drafted && !c->draft ? sotto_local_aggregate_new(&c->params, &c->draft)
				     : SOTTO_OK;
}

enum sotto_status sotto_collector_check(struct sotto_local_collector *c, const uint8_t *bytes,
					size_t n, struct sotto_collector_look *look)
{
	enum sotto_status st;

	SOTTO_TRY(sotto_batch_read_whole(bytes, n, &look->batch, &look->reason));
	if (!sotto_collector_has_params(c, &look->batch.params)) {
		look->reason = SOTTO_LOCAL_REASON_PARAMETERS;
		return SOTTO_EPARSE;
	}
	look->known = sotto_idset_has(&c->ids, look->batch.id);
	look->drafted = false;
	if (!look->known && c->batch_reports && look->batch.reports > c->batch_reports) {
		look->reason = SOTTO_LOCAL_REASON_MANY;
		return SOTTO_EPARSE;
	}
	if (!look->known)
		SOTTO_TRY(prepare_draft(c, n, &look->drafted));
	st = sotto_batch_check(bytes, &look->batch, look->drafted ? c->draft : NULL,
			       &look->reason);
	if (st != SOTTO_OK && look->drafted)
		sotto_aggregate_clear(c->draft);
	return st;
}

enum sotto_status sotto_collector_add(struct sotto_local_collector *c, const uint8_t *bytes,
				      const struct sotto_collector_look *look)
{
	struct sotto_blocks w;

	SOTTO_TRY(sotto_idset_add(&c->ids, look->batch.id));
	sotto_blocks_start(&w, bytes, &look->batch);
	if (look->drafted)
		sotto_aggregate_pour(c->aggregate, c->draft);
	else
		while (sotto_blocks_next(&w))
			SOTTO_TRY(sotto_local_aggregate_add(c->aggregate, w.reports, w.count));
	c->sequence++;
	c->counts.reports += look->batch.reports;
	c->counts.batches++;
	return sotto_local_aggregate_cover(c->aggregate, c->id, c->sequence, c->sequence);
}

enum sotto_status sotto_collector_count(void *context, const uint8_t *bytes, size_t n)
{
	struct sotto_local_collector *c = context;
	struct sotto_collector_look look;
	enum sotto_status st = sotto_collector_check(c, bytes, n, &look);

	if (st == SOTTO_EPARSE || (st == SOTTO_OK && look.known))
		return SOTTO_ECORRUPT;
	return st == SOTTO_OK ? sotto_collector_add(c, bytes, &look) : st;
}

enum sotto_status sotto_collector_count_segment(struct sotto_local_collector *c,
						const char *path, uint64_t number, size_t *size,
						size_t *committed, struct sotto_error *err)
{
	uint8_t *bytes = NULL;
	enum sotto_status st = sotto_file_read(path, SOTTO_SEGMENT_READ_MAX, &bytes, size, err);

	if (st == SOTTO_OK)
		st = sotto_segment_scan(bytes, *size, number, sotto_collector_count, c,
					committed);
	free(bytes);
	return st;
}
