/*
 * What a worker replies: no crash; and what is read as a result is written as it was.
 */
#include "central/engine/worker/worker_result.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "central/engine/worker/worker_message.h"

static struct sotto_engine_result *read_result(const void *bytes, size_t n)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_worker_fields f;
	void *copy = malloc(n ? n : 1);

	if (n)
		memcpy(copy, bytes, n);
	f = (struct sotto_worker_fields){copy, (const uint8_t *)copy + n};
	if (sotto_worker_take_result(&f, copy, n, UINT64_MAX, &r) != SOTTO_OK)
		free(copy);
	return r;
}

/* There is one way to write a result. */
static void write_again(const struct sotto_engine_result *r, const uint8_t *data, size_t size)
{
	struct sotto_buffer b;

	sotto_buffer_init(&b, (size_t)1 << 30);
	if (sotto_worker_put_result(&b, r) != SOTTO_OK || b.length != size ||
	    memcmp(b.bytes, data, size) != 0)
		abort();
	sotto_buffer_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sotto_worker_fields f = {data, data + size};
	struct sotto_worker_header header;
	struct sotto_worker_outcome outcome;
	struct sotto_engine_result *r;
	const char **texts;
	size_t n;

	if (size >= SOTTO_WORKER_HEADER)
		(void)sotto_worker_header_read(data, SOTTO_WORKER_REQUEST_MAX, &header);
	if (sotto_worker_take_outcome(&f, &outcome) && strlen(outcome.detail) > size)
		abort();
	f.next = data;
	if (sotto_worker_take_texts(&f, &texts, &n) == SOTTO_OK)
		free(texts);
	r = read_result(data, size);
	if (r)
		write_again(r, data, size);
	sotto_engine_result_free(r);
	return 0;
}
