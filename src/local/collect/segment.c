/*
 * Walks over batches whose checksums hold and hands a run of them on when its commit record
 * comes; damage before a later commit record is refused, after the last one it is an unfinished
 * write.
 */
#include "local/collect/segment.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/client/primitive/bytes.h"
#include "local/collect/crc32c.h"
#include "sotto/collect.h"

void sotto_commit_store(uint64_t segment, uint64_t offset, uint32_t batches,
			uint8_t out[SOTTO_COMMIT_BYTES])
{
	memcpy(out, "SLCM", 4);
	store_le(out + 4, segment, 8);
	store_le(out + 12, offset, 8);
	store_le(out + 20, batches, 4);
	store_le(out + 24, sotto_crc32c(out, 24), 4);
}

static bool is_commit(const uint8_t *at, size_t left, uint64_t number, uint64_t offset)
{
	return left >= SOTTO_COMMIT_BYTES && memcmp(at, "SLCM", 4) == 0 &&
	       load64_le(at + 4) == number && load64_le(at + 12) == offset &&
	       load32_le(at + 24) == sotto_crc32c(at, 24);
}

static bool commit_follows(const uint8_t *bytes, size_t n, uint64_t number, size_t from)
{
	for (size_t at = from; at + SOTTO_COMMIT_BYTES <= n; at++) {
		const uint8_t *hit = memchr(bytes + at, 'S', n - at);

		if (!hit)
			return false;
		at = (size_t)(hit - bytes);
		if (is_commit(hit, n - at, number, at))
			return true;
	}
	return false;
}

/* Every block's checksum; the reports' contents were looked at when they came in. */
static bool blocks_hold(const uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		size_t left = (size_t)(end - at);
		uint32_t length;

		if (left < 8)
			return false;
		length = load32_le(at);
		if (length > left - 8 ||
		    load32_le(at + 4) != sotto_crc32c_more(sotto_crc32c(at, 4), at + 8, length))
			return false;
		at += 8 + (size_t)length;
	}
	return true;
}

/* The length of the intact batch at this place, or 0. */
static size_t batch_at(const uint8_t *at, size_t left)
{
	struct sotto_local_batch b;
	enum sotto_local_reason reason;
	size_t length;

	if (sotto_local_batch_read(at, left, &b, &length, &reason) != SOTTO_OK || length > left)
		return 0;
	return blocks_hold(at + SOTTO_LOCAL_BATCH_HEADER, at + length) ? length : 0;
}

/* Batches that were found intact. */
static enum sotto_status
visit_run(const uint8_t *at, const uint8_t *end, sotto_segment_visit visit, void *context)
{
	while (at < end) {
		struct sotto_local_batch b;
		enum sotto_local_reason reason;
		size_t length;

		SOTTO_TRY(sotto_local_batch_read(at, (size_t)(end - at), &b, &length, &reason));
		SOTTO_TRY(visit(context, at, length));
		at += length;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_segment_scan(const uint8_t *bytes, size_t n, uint64_t number,
				     sotto_segment_visit visit, void *context,
				     size_t *committed)
{
	size_t at = 0, run = 0;
	uint32_t batches = 0;

	*committed = 0;
	while (at < n) {
		size_t length = batch_at(bytes + at, n - at);

		if (length > 0) {
			at += length;
			batches++;
		} else if (is_commit(bytes + at, n - at, number, at) &&
			   load32_le(bytes + at + 20) == batches) {
			SOTTO_TRY(visit_run(bytes + run, bytes + at, visit, context));
			at += SOTTO_COMMIT_BYTES;
			*committed = run = at;
			batches = 0;
		} else {
			return commit_follows(bytes, n, number, at) ? SOTTO_ECORRUPT : SOTTO_OK;
		}
	}
	return SOTTO_OK;
}
