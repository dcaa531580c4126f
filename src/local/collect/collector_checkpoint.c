/* The checkpoint: "SLC1", source id, covered, sequence, ids, snapshot, CRC-32C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "local/client/primitive/bytes.h"
#include "local/collect/collector.h"
#include "local/collect/crc32c.h"
#include "local/collect/durable_file.h"
#include "local/collect/snapshot.h"

char *sotto_collector_path(const char *directory, const char *name)
{
	size_t n = strlen(directory) + strlen(name) + 2;
	char *path = malloc(n);

	if (path)
		(void)snprintf(path, n, "%s/%s", directory, name);
	return path;
}

char *sotto_collector_segment_path(const char *directory, uint64_t number)
{
	char name[40];

	(void)snprintf(name, sizeof name, "segment-%08llu", (unsigned long long)number);
	return sotto_collector_path(directory, name);
}

static enum sotto_status append_number(struct sotto_buffer *out, uint64_t x)
{
	uint8_t bytes[8];

	store_le(bytes, x, 8);
	return sotto_buffer_append(out, bytes, 8);
}

static enum sotto_status
build_checkpoint(struct sotto_local_collector *c, uint64_t covered, struct sotto_buffer *out)
{
	uint8_t crc[4];

	SOTTO_TRY(sotto_buffer_append(out, "SLC1", 4));
	SOTTO_TRY(sotto_buffer_append(out, c->id, 16));
	SOTTO_TRY(append_number(out, covered));
	SOTTO_TRY(append_number(out, c->sequence));
	SOTTO_TRY(append_number(out, c->ids.count));
	for (size_t i = 0; i < c->ids.capacity; i++)
		if (c->ids.taken[i])
			SOTTO_TRY(sotto_buffer_append(out, c->ids.slots[i], 16));
	SOTTO_TRY(sotto_snapshot_append(c->aggregate, out));
	store_le(crc, sotto_crc32c(out->bytes, out->length), 4);
	return sotto_buffer_append(out, crc, 4);
}

enum sotto_status sotto_checkpoint_write(struct sotto_local_collector *c, uint64_t covered,
					 struct sotto_error *err)
{
	char *path = sotto_collector_path(c->directory, "checkpoint");
	struct sotto_buffer bytes;
	enum sotto_status st = path ? SOTTO_OK : SOTTO_ENOMEM;

	sotto_buffer_init(&bytes, SOTTO_SNAPSHOT_MAX);
	if (st == SOTTO_OK)
		st = build_checkpoint(c, covered, &bytes);
	if (st == SOTTO_OK)
		st = sotto_file_replace(path, (const uint8_t *)bytes.bytes, bytes.length, err);
	sotto_buffer_release(&bytes);
	free(path);
	return st;
}

static enum sotto_status
parse_checkpoint(struct sotto_local_collector *c, const uint8_t *at, size_t n)
{
	uint64_t ids;
	size_t used;

	if (n < 48 || memcmp(at, "SLC1", 4) != 0 ||
	    load32_le(at + n - 4) != sotto_crc32c(at, n - 4))
		return SOTTO_ECORRUPT;
	memcpy(c->id, at + 4, 16);
	c->covered = load64_le(at + 20);
	c->sequence = load64_le(at + 28);
	ids = load64_le(at + 36);
	if (ids > (n - 48) / 16)
		return SOTTO_ECORRUPT;
	for (uint64_t i = 0; i < ids; i++)
		SOTTO_TRY(sotto_idset_add(&c->ids, at + 44 + 16 * i));
	at += 44 + 16 * ids;
	n -= 44 + 16 * ids;
	SOTTO_TRY(sotto_snapshot_read(at, n - 4, &c->aggregate, &used, NULL));
	return used == n - 4 ? SOTTO_OK : SOTTO_ECORRUPT;
}

enum sotto_status
sotto_checkpoint_load(struct sotto_local_collector *c, struct sotto_error *err)
{
	char *path = sotto_collector_path(c->directory, "checkpoint");
	uint8_t *bytes = NULL;
	size_t n = 0;
	enum sotto_status st = path ? sotto_file_read(path, SOTTO_SNAPSHOT_MAX, &bytes, &n, err)
				    : SOTTO_ENOMEM;

	if (st == SOTTO_OK && (st = parse_checkpoint(c, bytes, n)) != SOTTO_OK)
		(void)sotto_fail(err, st, "%s is damaged", path);
	if (st == SOTTO_OK) {
		struct sotto_local_counts counts = sotto_local_aggregate_counts(c->aggregate);

		c->params = *counts.params;
		c->counts.reports = counts.reports;
		c->counts.batches = c->sequence;
	}
	free(bytes);
	free(path);
	return st;
}
