/*
 * message { 1: seed, varint; 2: repeated { 1: name hash, fixed64; 2: bits, bytes } }
 *
 * Read twice: once to look at all of it, once to count.
 */
#include "local/rappor/chromium.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/md5.h"

#define SEEDS 512 /* clients draw theirs below this */

enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

struct field {
	uint64_t number;
	enum wire wire;
	uint64_t value; /* of a number */
	const uint8_t *bytes; /* length of them */
	size_t length;
};

/* The message not yet read; a reader that fails leaves it anywhere. */
struct message {
	const uint8_t *at, *end;
};

static bool read_varint(struct message *m, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 64 && m->at < m->end; shift += 7) {
		uint8_t byte = *m->at++;

		if (shift == 63 && byte > 1)
			return false;
		*out |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

static bool read_bytes(struct message *m, uint64_t n, struct field *f)
{
	if (n > (uint64_t)(m->end - m->at))
		return false;
	f->bytes = m->at;
	f->length = (size_t)n;
	m->at += n;
	return true;
}

static bool read_field(struct message *m, struct field *f)
{
	uint64_t tag, length;

	*f = (struct field){0};
	if (!read_varint(m, &tag) || tag >> 3 == 0)
		return false;
	f->number = tag >> 3;
	f->wire = (enum wire)(tag & 7);
	switch (tag & 7) {
	case VARINT:
		return read_varint(m, &f->value);
	case FIXED64:
		if (!read_bytes(m, 8, f))
			return false;
		f->value = load64_le(f->bytes);
		return true;
	case FIXED32:
		return read_bytes(m, 4, f);
	case BYTES:
		return read_varint(m, &length) && read_bytes(m, length, f);
	default:
		return false;
	}
}

struct metric {
	uint64_t name;
	bool named;
	const uint8_t *bits;
	size_t length;
};

static bool read_metric(const struct field *whole, struct metric *out)
{
	struct message m = {whole->bytes, whole->bytes + whole->length};
	struct field f;

	*out = (struct metric){0};
	while (m.at < m.end) {
		if (!read_field(&m, &f))
			return false;
		if (f.number == 1 && f.wire == FIXED64) {
			out->name = f.value;
			out->named = true;
		} else if (f.number == 2 && f.wire == BYTES) {
			out->bits = f.bytes;
			out->length = f.length;
		}
	}
	return true;
}

struct job {
	const struct sotto_local_google *params;
	uint64_t metric;
	uint64_t *reports, *ones;
	uint64_t seed; /* SEEDS: none yet */
};

static void count(const struct job *j, const struct metric *m)
{
	uint32_t cohort = (uint32_t)j->seed % j->params->cohorts, bits = j->params->bits;

	j->reports[cohort]++;
	for (uint32_t i = 0; i < bits; i++)
		j->ones[(size_t)cohort * bits + i] += m->bits[i / 8] >> i % 8 & 1;
}

static bool pass(struct job *j, const uint8_t *upload, size_t n, bool counting)
{
	struct message m = {upload, upload + n};
	struct metric metric;
	struct field f;

	while (m.at < m.end) {
		if (!read_field(&m, &f))
			return false;
		if (f.number == 1 && f.wire == VARINT) {
			if (f.value >= SEEDS)
				return false;
			j->seed = counting ? j->seed : f.value; /* the last one counts */
		}
		if (f.number != 2 || f.wire != BYTES)
			continue;
		if (!read_metric(&f, &metric))
			return false;
		if (!metric.named || metric.name != j->metric)
			continue;
		if (metric.length * 8 != j->params->bits)
			return false;
		if (counting)
			count(j, &metric);
	}
	return j->seed < SEEDS;
}

uint64_t sotto_local_chromium_name(const void *name, size_t length)
{
	struct sotto_md5 m;
	uint8_t digest[16];

	sotto_md5_init(&m);
	sotto_md5_add(&m, name, length);
	sotto_md5_end(&m, digest);
	return load64_be(digest);
}

enum sotto_status sotto_local_chromium_add(const uint8_t *upload, size_t n,
					   const struct sotto_local_google *params,
					   uint64_t metric, uint64_t *reports, uint64_t *ones,
					   struct sotto_error *err)
{
	if ((!upload && n > 0) || !params || !reports || !ones)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct job j = {params, metric, reports, ones, SEEDS};

	if (!pass(&j, upload, n, false))
		return sotto_fail(err, SOTTO_EPARSE,
				  "this is not an upload of a client with %u bits a metric",
				  params->bits);
	(void)pass(&j, upload, n, true); /* holds as it did the first time */
	return SOTTO_OK;
}
