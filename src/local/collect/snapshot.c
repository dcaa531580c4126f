/*
 * Writes the parts in a fixed order.  Reading goes through a cursor that never passes the end
 * and stays failed once it has failed; counters must be possible, and the checksum is compared
 * last.
 */
#include "local/aggregate/report_check.h"
#include "local/collect/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/aggregate/report_aggregate.h"
#include "local/client/primitive/bytes.h"
#include "local/collect/crc32c.h"
#include "local/collect/durable_file.h"
#include "local/protocol/record.h"

static const uint8_t magic[4] = {'S', 'L', 'A', '1'};

static enum sotto_status put_number(struct sotto_buffer *out, uint64_t x)
{
	uint8_t bytes[8];

	store_le(bytes, x, 8);
	return sotto_buffer_append(out, bytes, 8);
}

static enum sotto_status put_numbers(struct sotto_buffer *out, const uint64_t *x, size_t n)
{
	SOTTO_TRY(put_number(out, n));
	for (size_t i = 0; i < n; i++)
		SOTTO_TRY(put_number(out, x[i]));
	return SOTTO_OK;
}

enum sotto_status
sotto_snapshot_append(struct sotto_local_aggregate *a, struct sotto_buffer *out)
{
	uint8_t params[SOTTO_CLIENT_PARAMS_BYTES], crc[4];
	size_t start = out->length;

	sotto_aggregate_settle(a);
	sotto_client_params_store(&a->params, params);
	SOTTO_TRY(sotto_buffer_append(out, magic, sizeof magic));
	SOTTO_TRY(sotto_buffer_append(out, params, sizeof params));
	SOTTO_TRY(put_number(out, a->reports));
	SOTTO_TRY(put_number(out, a->cover_count));
	for (size_t i = 0; i < a->cover_count; i++) {
		SOTTO_TRY(sotto_buffer_append(out, a->covers[i].source, 16));
		SOTTO_TRY(put_number(out, a->covers[i].first));
		SOTTO_TRY(put_number(out, a->covers[i].last));
	}
	SOTTO_TRY(put_numbers(out, a->groups, a->shape.groups));
	SOTTO_TRY(put_numbers(out, a->cells, a->shape.cells));
	SOTTO_TRY(put_number(out, a->log_used));
	SOTTO_TRY(sotto_buffer_append(out, a->log, a->log_used));
	store_le(crc, sotto_crc32c(out->bytes + start, out->length - start), 4);
	return sotto_buffer_append(out, crc, sizeof crc);
}

/* A place in bytes that never runs past the end: bad once, bad for good. */
struct cursor {
	const uint8_t *at, *end;
	bool bad;
};

static const uint8_t *take(struct cursor *c, uint64_t n)
{
	const uint8_t *at = c->at;

	if (c->bad || n > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return NULL;
	}
	c->at += n;
	return at;
}

static uint64_t take_number(struct cursor *c)
{
	const uint8_t *at = take(c, 8);

	return at ? load64_le(at) : 0;
}

static void take_numbers(struct cursor *c, uint64_t *out, size_t expected)
{
	const uint8_t *at;

	if (take_number(c) != expected || expected > SIZE_MAX / 8)
		c->bad = true;
	at = take(c, (uint64_t)expected * 8);
	for (size_t i = 0; at && i < expected; i++)
		out[i] = load64_le(at + 8 * i);
}

static enum sotto_status take_covers(struct cursor *c, struct sotto_local_aggregate *a)
{
	uint64_t count = take_number(c);
	const uint8_t *at = take(c, count > SIZE_MAX / 32 ? SIZE_MAX : 32 * count);
	struct sotto_cover *covers;
	enum sotto_status st;

	if (!at)
		return SOTTO_OK;
	covers = malloc((size_t)count * sizeof *covers + 1);
	if (!covers)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count; i++, at += 32) {
		memcpy(covers[i].source, at, 16);
		covers[i].first = load64_le(at + 16);
		covers[i].last = load64_le(at + 24);
	}
	st = sotto_aggregate_set_covers(a, covers, (size_t)count);
	free(covers);
	c->bad |= st == SOTTO_ESTATE;
	return st == SOTTO_ENOMEM ? st : SOTTO_OK;
}

static enum sotto_status take_log(struct cursor *c, struct sotto_local_aggregate *a)
{
	uint64_t length = take_number(c);
	const uint8_t *at = take(c, length);
	uint64_t reports = a->reports;

	if (!at)
		return SOTTO_OK;
	if (length % a->stride ||
	    length / a->stride != (a->shape.keeps_reports ? a->reports : 0) ||
	    sotto_local_reports_check(&a->params, at, length / a->stride) != SOTTO_OK) {
		c->bad = true;
		return SOTTO_OK;
	}
	if (length == 0)
		return SOTTO_OK;
	a->reports = 0;
	SOTTO_TRY(sotto_local_aggregate_add(a, at, length / a->stride));
	a->reports = reports;
	return SOTTO_OK;
}

static enum sotto_status
fill(struct sotto_local_aggregate *a, struct cursor *c, const uint8_t *start)
{
	const uint8_t *crc;

	a->reports = take_number(c);
	SOTTO_TRY(take_covers(c, a));
	take_numbers(c, a->groups, a->shape.groups);
	take_numbers(c, a->cells, a->shape.cells);
	if (!c->bad && !sotto_aggregate_sound(a, a->reports, a->groups, a->cells))
		c->bad = true;
	SOTTO_TRY(take_log(c, a));
	crc = take(c, 4);
	if (!crc || load32_le(crc) != sotto_crc32c(start, (size_t)(crc - start)))
		return SOTTO_ECORRUPT;
	return SOTTO_OK;
}

enum sotto_status sotto_snapshot_read(const uint8_t *bytes, size_t n,
				      struct sotto_local_aggregate **out, size_t *used,
				      struct sotto_error *err)
{
	struct cursor c = {bytes, bytes + n, false};
	const uint8_t *head = take(&c, 4 + SOTTO_CLIENT_PARAMS_BYTES);
	struct sotto_client_params params;
	struct sotto_local_aggregate *a;
	struct sotto_report_shape shape;
	enum sotto_status st;

	if (!head || memcmp(head, magic, 4) != 0 ||
	    sotto_client_params_load(&params, head + 4) != SOTTO_OK ||
	    sotto_shape_of(&params, &shape) != SOTTO_OK || shape.cells > n / 8)
		return sotto_fail(err, SOTTO_ECORRUPT,
				  "this is not an aggregate, or it is damaged");
	SOTTO_TRY(sotto_local_aggregate_new(&params, &a));
	st = fill(a, &c, bytes);
	if (st != SOTTO_OK) {
		sotto_local_aggregate_free(a);
		return sotto_fail(err, st,
				  st == SOTTO_ECORRUPT ? "the aggregate is damaged"
						       : "out of memory");
	}
	*out = a;
	*used = (size_t)(c.at - bytes);
	return SOTTO_OK;
}

enum sotto_status sotto_local_aggregate_parse(const uint8_t *bytes, size_t n,
					      struct sotto_local_aggregate **out,
					      struct sotto_error *err)
{
	struct sotto_local_aggregate *a;
	size_t used;

	if (!bytes || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	SOTTO_TRY(sotto_snapshot_read(bytes, n, &a, &used, err));
	if (used != n) {
		sotto_local_aggregate_free(a);
		return sotto_fail(err, SOTTO_ECORRUPT,
				  "the aggregate is followed by other bytes");
	}
	*out = a;
	return SOTTO_OK;
}

enum sotto_status sotto_local_aggregate_store(struct sotto_local_aggregate *a, const char *path,
					      struct sotto_error *err)
{
	if (!a || !path)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_buffer bytes;
	enum sotto_status st;

	sotto_buffer_init(&bytes, SOTTO_SNAPSHOT_MAX);
	st = sotto_snapshot_append(a, &bytes);
	if (st == SOTTO_OK)
		st = sotto_file_replace(path, (const uint8_t *)bytes.bytes, bytes.length, err);
	sotto_buffer_release(&bytes);
	return st;
}

enum sotto_status sotto_local_aggregate_load(const char *path,
					     struct sotto_local_aggregate **out,
					     struct sotto_error *err)
{
	uint8_t *bytes;
	size_t n;
	enum sotto_status st;

	if (!path || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	SOTTO_TRY(sotto_file_read(path, SOTTO_SNAPSHOT_MAX, &bytes, &n, err));
	st = sotto_local_aggregate_parse(bytes, n, out, err);
	free(bytes);
	return st;
}
