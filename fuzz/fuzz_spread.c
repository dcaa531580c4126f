/* What workers and coordinators of a spread question send to each other. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "central/spread/bucket_job.h"
#include "central/spread/channel/spread_channel.h"
#include "central/spread/merge/partial.h"
#include "central/spread/refusal.h"

/* A job that is read is written as it was. */
static void read_job(const uint8_t *data, size_t size)
{
	struct sotto_bucket_job job;
	struct sotto_buffer b;

	if (sotto_bucket_job_take(&job, data, size) != SOTTO_OK)
		return;
	sotto_buffer_init(&b, 1 << 24);
	if (sotto_bucket_job_put(&b, &job) != SOTTO_OK || b.length != size ||
	    memcmp(b.bytes, data, size) != 0)
		abort();
	sotto_buffer_release(&b);
	sotto_bucket_job_release(&job);
}

/* A ticket that is read is written as it was, up to zeros before its number. */
static void read_ticket(const uint8_t *data, size_t size)
{
	char line[SOTTO_TICKET_MAX + 1], again[SOTTO_TICKET_MAX];
	struct sotto_ticket t, u;
	size_t n = size < SOTTO_TICKET_MAX ? size : SOTTO_TICKET_MAX;

	memcpy(line, data, n);
	line[n] = '\0';
	if (sotto_ticket_read(&t, line) != SOTTO_OK)
		return;
	sotto_ticket_write(&t, again, sizeof again);
	if (sotto_ticket_read(&u, again) != SOTTO_OK || memcmp(&t, &u, sizeof t) != 0)
		abort();
}

/* Partials of two buckets, made of halves of the input. */
static void merge(const uint8_t *data, size_t size)
{
	static const uint8_t job[SOTTO_JOB_DIGEST];
	const struct sotto_partial_shape shape = {
		.keys = 1, .measures = 1, .losses = 1, .lists = 1, .sets = 1};
	struct sotto_merge *m = sotto_merge_new(&shape, 2, job);
	struct sotto_engine_result *sum = NULL;
	uint8_t *message = malloc(size + 64);

	for (uint32_t i = 0; m && message && i < 2; i++) {
		const uint8_t *half = i ? data + size / 2 : data;
		size_t n = i ? size - size / 2 : size / 2;

		memset(message, 0, SOTTO_JOB_DIGEST);
		memcpy(message + SOTTO_JOB_DIGEST, &i, sizeof i);
		memcpy(message + SOTTO_JOB_DIGEST + sizeof i, half, n);
		if (sotto_merge_add(m, message, SOTTO_JOB_DIGEST + sizeof i + n) != SOTTO_OK)
			break;
	}
	if (m && sotto_merge_finish(m, &sum) == SOTTO_OK && sotto_engine_rows(sum) > 0)
		(void)sotto_engine_list(sum, sotto_engine_rows(sum) - 1, 3);
	sotto_engine_result_free(sum);
	sotto_merge_free(m);
	free(message);
}

enum { MOST_FRAME = 1 << 20 };

static void read_frames(const uint8_t *data, size_t size)
{
	static const struct sotto_key_pair own = {.secret = {1}};
	static const uint8_t token[SOTTO_CHANNEL_KEY];
	struct sotto_channel c;
	enum sotto_frame_type type;
	uint8_t *copy, *bytes;
	size_t length, n;

	if (size < SOTTO_CHANNEL_OPENING ||
	    sotto_channel_accept(&c, &own, token, data) != SOTTO_OK)
		return;
	data += SOTTO_CHANNEL_OPENING;
	size -= SOTTO_CHANNEL_OPENING;
	if (sotto_channel_measure(data, size, MOST_FRAME, &length) != SOTTO_OK || length == 0)
		return;
	if (length > SOTTO_WORKER_HEADER + (size_t)MOST_FRAME)
		abort();
	if (length > size)
		return;
	copy = malloc(length);
	memcpy(copy, data, length);
	if (sotto_channel_unseal(&c, copy, length, &type, &bytes, &n) == SOTTO_OK)
		abort(); /* nobody has that key */
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum sotto_refusal why;
	const char *detail;

	if (size == 0)
		return 0;
	switch (data[0] % 5) {
	case 0:
		read_job(data + 1, size - 1);
		break;
	case 1:
		read_ticket(data + 1, size - 1);
		break;
	case 2:
		merge(data + 1, size - 1);
		break;
	case 3:
		read_frames(data + 1, size - 1);
		break;
	default:
		if (sotto_refusal_take(data + 1, size - 1, &why, &detail))
			(void)sotto_refusal_text(why);
	}
	return 0;
}
