/* The layout is in src/local/collect/collector.md. */
#include "local/aggregate/report_check.h"
#include "local/collect/frame.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/client/batch.h"
#include "local/client/params_digest.h"
#include "local/client/primitive/bytes.h"
#include "local/collect/crc32c.h"

#define VERSION 1
#define HEADER SOTTO_LOCAL_BATCH_HEADER

const char *sotto_local_reason_name(enum sotto_local_reason reason)
{
	static const char *const names[] = {
#define NAME(name, text, sentence) text,
		SOTTO_LOCAL_REASONS(NAME)
#undef NAME
	};

	return (size_t)reason < SOTTO_LOCAL_REASON_COUNT ? names[reason] : "unknown";
}

const char *sotto_local_reason_sentence(enum sotto_local_reason reason)
{
	static const char *const sentences[] = {
#define SENTENCE(name, text, sentence) sentence,
		SOTTO_LOCAL_REASONS(SENTENCE)
#undef SENTENCE
	};

	return (size_t)reason < SOTTO_LOCAL_REASON_COUNT ? sentences[reason] : "unknown";
}

static size_t reports_per_block(size_t stride)
{
	return SOTTO_BATCH_BLOCK_MAX / stride;
}

static size_t batch_length(uint64_t reports, size_t stride)
{
	size_t per_block = reports_per_block(stride);
	size_t blocks = ((size_t)reports + per_block - 1) / per_block;

	return HEADER + blocks * 8 + (size_t)reports * stride;
}

static void store_header(const struct sotto_local_batch *b, uint8_t *at)
{
	struct sotto_batch_header h = {.params = &b->params,
				       .id = b->id,
				       .from = b->from,
				       .until = b->until,
				       .reports = b->reports};

	memcpy(&h.epsilon, &b->epsilon, 8);
	sotto_batch_header_store(&h, at);
}

enum sotto_status sotto_local_batch_make(const struct sotto_local_batch *batch,
					 const uint8_t *reports, uint8_t **out, size_t *length)
{
	if (!batch || !reports || !out || !length)
		return SOTTO_EINVAL;

	size_t stride, n, block;
	uint8_t *bytes, *at;

	SOTTO_TRY(sotto_client_params_check(&batch->params));
	if (batch->reports > SOTTO_LOCAL_BATCH_REPORTS_MAX)
		return SOTTO_ERANGE;
	SOTTO_TRY(sotto_local_reports_check(&batch->params, reports, (size_t)batch->reports));
	stride = sotto_client_report_bytes(&batch->params);
	n = batch_length(batch->reports, stride);
	bytes = malloc(n);
	if (!bytes)
		return SOTTO_ENOMEM;
	store_header(batch, bytes);
	at = bytes + HEADER;
	block = reports_per_block(stride) * stride;
	for (size_t left = (size_t)batch->reports * stride; left > 0; left -= block) {
		block = left < block ? left : block;
		store_le(at, block, 4);
		memcpy(at + 8, reports, block);
		store_le(at + 4, sotto_crc32c_more(sotto_crc32c(at, 4), reports, block), 4);
		at += 8 + block;
		reports += block;
	}
	*out = bytes;
	*length = n;
	return SOTTO_OK;
}

static enum sotto_status wrong(enum sotto_local_reason *reason, enum sotto_local_reason what)
{
	*reason = what;
	return SOTTO_EPARSE;
}

static bool header_fits(const uint8_t *at, const struct sotto_local_batch *b)
{
	uint8_t digest[SOTTO_CLIENT_DIGEST_BYTES];

	sotto_client_params_digest(&b->params, digest);
	return memcmp(digest, at + 112, sizeof digest) == 0 &&
	       load_le(at + 6, 2) == b->params.protocol && load32_le(at + 8) == HEADER &&
	       load32_le(at + 160) == sotto_client_report_bytes(&b->params) &&
	       b->reports <= SOTTO_LOCAL_BATCH_REPORTS_MAX && load32_le(at + 164) == 0;
}

enum sotto_status sotto_local_batch_read(const uint8_t *bytes, size_t n,
					 struct sotto_local_batch *out, size_t *length,
					 enum sotto_local_reason *reason)
{
	if ((!bytes && n > 0) || !out || !length || !reason)
		return SOTTO_EINVAL;

	struct sotto_local_batch b;
	uint64_t epsilon;

	if (n >= 4 && memcmp(bytes, "SLB1", 4) != 0)
		return wrong(reason, SOTTO_LOCAL_REASON_MAGIC);
	if (n < HEADER)
		return wrong(reason, SOTTO_LOCAL_REASON_SHORT);
	if (load32_le(bytes + 168) != sotto_crc32c(bytes, 168))
		return wrong(reason, SOTTO_LOCAL_REASON_HEADER);
	if (load_le(bytes + 4, 2) != VERSION)
		return wrong(reason, SOTTO_LOCAL_REASON_VERSION);
	if (sotto_client_params_load(&b.params, bytes + 28) != SOTTO_OK)
		return wrong(reason, SOTTO_LOCAL_REASON_HEADER);
	memcpy(b.id, bytes + 12, 16);
	epsilon = load64_le(bytes + 128);
	memcpy(&b.epsilon, &epsilon, 8);
	b.from = load64_le(bytes + 136);
	b.until = load64_le(bytes + 144);
	b.reports = load64_le(bytes + 152);
	if (!header_fits(bytes, &b))
		return wrong(reason, SOTTO_LOCAL_REASON_HEADER);
	*out = b;
	*length = batch_length(b.reports, sotto_client_report_bytes(&b.params));
	*reason = SOTTO_LOCAL_REASON_NONE;
	return SOTTO_OK;
}

void sotto_blocks_start(struct sotto_blocks *w, const uint8_t *batch,
			const struct sotto_local_batch *b)
{
	size_t stride = sotto_client_report_bytes(&b->params);

	*w = (struct sotto_blocks){.next = batch + HEADER,
				   .stride = stride,
				   .left = (size_t)b->reports,
				   .most = reports_per_block(stride)};
}

bool sotto_blocks_next(struct sotto_blocks *w)
{
	if (w->left == 0)
		return false;
	w->count = w->left < w->most ? w->left : w->most;
	w->left -= w->count;
	w->reports = w->next + 8;
	w->next = w->reports + w->count * w->stride;
	return true;
}

/* Bytes that are still in the first cache when their checksum is done. */
#define PIECE 12288

/*
 * One pass over a block: piece by piece, its checksum, its reports, and their sum,
 * which is a draft until the last checksum holds.
 */
static enum sotto_status
check_block(const struct sotto_blocks *w, const struct sotto_client_params *params,
	    struct sotto_local_aggregate *into, enum sotto_local_reason *reason)
{
	const uint8_t *head = w->reports - 8;
	size_t length = w->count * w->stride, checked = 0;
	uint32_t crc = sotto_crc32c(head, 4);
	bool reports_hold = true;

	if (load32_le(head) != length)
		return wrong(reason, SOTTO_LOCAL_REASON_BLOCK);
	for (size_t done = 0; done < length;) {
		size_t piece = length - done < PIECE ? length - done : PIECE, whole;
		const uint8_t *reports = w->reports + checked * w->stride;

		crc = sotto_crc32c_more(crc, w->reports + done, piece);
		done += piece;
		whole = done / w->stride - checked;
		checked += whole;
		reports_hold = reports_hold &&
			       sotto_local_reports_check(params, reports, whole) == SOTTO_OK;
		if (into && reports_hold)
			SOTTO_TRY(sotto_local_aggregate_add(into, reports, whole));
	}
	if (load32_le(head + 4) != crc)
		return wrong(reason, SOTTO_LOCAL_REASON_BLOCK);
	return reports_hold
		       ? SOTTO_OK
		       : wrong(reason, sotto_local_reports_flaw(params, w->reports, w->count));
}

enum sotto_status sotto_batch_read_whole(const uint8_t *bytes, size_t n,
					 struct sotto_local_batch *b,
					 enum sotto_local_reason *reason)
{
	size_t length;

	SOTTO_TRY(sotto_local_batch_read(bytes, n, b, &length, reason));
	return length == n ? SOTTO_OK : wrong(reason, SOTTO_LOCAL_REASON_SHORT);
}

enum sotto_status sotto_batch_check(const uint8_t *bytes, const struct sotto_local_batch *b,
				    struct sotto_local_aggregate *into,
				    enum sotto_local_reason *reason)
{
	struct sotto_blocks w;

	sotto_blocks_start(&w, bytes, b);
	while (sotto_blocks_next(&w))
		SOTTO_TRY(check_block(&w, &b->params, into, reason));
	return SOTTO_OK;
}

enum sotto_status sotto_local_batch_reports(const uint8_t *bytes, size_t n, uint8_t *out,
					    enum sotto_local_reason *reason)
{
	if ((!bytes && n > 0) || !out || !reason)
		return SOTTO_EINVAL;

	struct sotto_local_batch b;
	struct sotto_blocks w;

	SOTTO_TRY(sotto_batch_read_whole(bytes, n, &b, reason));
	SOTTO_TRY(sotto_batch_check(bytes, &b, NULL, reason));
	sotto_blocks_start(&w, bytes, &b);
	for (; sotto_blocks_next(&w); out += w.count * w.stride)
		memcpy(out, w.reports, w.count * w.stride);
	return SOTTO_OK;
}
