/*
 * A batch is made in the caller's buffer: room for the header, then blocks of reports as
 * they come.  Checksums and the header are written when it is finished.
 */
#include "local/client/batch.h"

#include "local/client/params_digest.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/checksum.h"

#define VERSION 1
#define BLOCK_HEADER 8

void sotto_batch_header_store(const struct sotto_batch_header *h,
			      uint8_t out[SOTTO_CLIENT_BATCH_HEADER])
{
	store_le(out, 0x31424c53, 4); /* "SLB1" */
	store_le(out + 4, VERSION, 2);
	store_le(out + 6, h->params->protocol, 2);
	store_le(out + 8, SOTTO_CLIENT_BATCH_HEADER, 4);
	copy_bytes(out + 12, h->id, SOTTO_CLIENT_BATCH_ID_BYTES);
	sotto_client_params_store(h->params, out + 28);
	sotto_client_params_digest(h->params, out + 112);
	store_le(out + 128, h->epsilon, 8);
	store_le(out + 136, h->from, 8);
	store_le(out + 144, h->until, 8);
	store_le(out + 152, h->reports, 8);
	store_le(out + 160, sotto_client_report_bytes(h->params), 4);
	store_le(out + 164, 0, 4);
	store_le(out + 168, sotto_checksum(out, 168), 4);
}

static size_t block_bytes(size_t stride)
{
	return SOTTO_BATCH_BLOCK_MAX / stride * stride;
}

size_t sotto_client_batch_bytes(const struct sotto_client_params *params, uint32_t reports)
{
	if (sotto_client_params_check(params) != SOTTO_OK)
		return 0;

	size_t stride = sotto_client_report_bytes(params);
	size_t blocks = reports / (block_bytes(stride) / stride) + 1;

	return SOTTO_CLIENT_BATCH_HEADER + blocks * BLOCK_HEADER + (size_t)reports * stride;
}

enum sotto_status sotto_client_batch_start(struct sotto_client_batch *batch,
					   const struct sotto_client_params *params,
					   sotto_client_fill fill, void *context,
					   uint8_t *buffer, size_t capacity)
{
	if (!batch || !fill || !buffer)
		return SOTTO_EINVAL;

	enum sotto_status status = sotto_client_params_check(params);

	if (status != SOTTO_OK)
		return status;
	if (capacity < SOTTO_CLIENT_BATCH_HEADER)
		return SOTTO_ERANGE;
	*batch = (struct sotto_client_batch){.params = params,
					     .bytes = buffer,
					     .capacity = capacity,
					     .used = SOTTO_CLIENT_BATCH_HEADER,
					     .stride = sotto_client_report_bytes(params)};
	return fill(context, batch->id, sizeof batch->id) == 0 ? SOTTO_OK : SOTTO_EENTROPY;
}

enum sotto_status
sotto_client_batch_add(struct sotto_client_batch *batch, const uint8_t *report, size_t length)
{
	if (!batch || !batch->bytes || !report || length != batch->stride)
		return SOTTO_EINVAL;

	bool opens = batch->in_block == 0 || batch->in_block + length > SOTTO_BATCH_BLOCK_MAX;
	size_t more = length + (opens ? BLOCK_HEADER : 0);

	if (more > batch->capacity - batch->used ||
	    batch->reports == SOTTO_CLIENT_BATCH_REPORTS_MAX)
		return SOTTO_ERANGE;
	copy_bytes(batch->bytes + batch->used + more - length, report, length);
	batch->used += more;
	batch->in_block = opens ? length : batch->in_block + length;
	batch->reports++;
	return SOTTO_OK;
}

/* Length and checksum of one block; the checksum is of both, so the length goes first. */
static void close_block(uint8_t *at, size_t length)
{
	uint32_t crc;

	store_le(at, length, 4);
	crc = sotto_checksum_more(sotto_checksum(at, 4), at + BLOCK_HEADER, length);
	store_le(at + 4, crc, 4);
}

enum sotto_status sotto_client_batch_finish(struct sotto_client_batch *batch, uint64_t from,
					    uint64_t until, size_t *length)
{
	if (!batch || !batch->bytes || !length)
		return SOTTO_EINVAL;
	if (batch->reports == 0)
		return SOTTO_EMISSING;

	struct sotto_batch_header header = {.params = batch->params,
					    .id = batch->id,
					    .from = from,
					    .until = until,
					    .reports = batch->reports};
	size_t whole = block_bytes(batch->stride), left = batch->reports * batch->stride;
	uint8_t *at = batch->bytes + SOTTO_CLIENT_BATCH_HEADER;

	for (size_t block; left > 0; left -= block, at += BLOCK_HEADER + block) {
		block = left < whole ? left : whole;
		close_block(at, block);
	}
	sotto_batch_header_store(&header, batch->bytes);
	*length = batch->used;
	batch->bytes = NULL;
	return SOTTO_OK;
}
