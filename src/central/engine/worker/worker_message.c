/*
 * Every field is checked against what is left of the message before it is read; texts are
 * borrowed from the message and must end in a NUL of their own.
 */
#include "central/engine/worker/worker_message.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { MARK = 0x77746f73 }; /* "sotw" */

void sotto_worker_header_write(const struct sotto_worker_header *h,
			       uint8_t out[SOTTO_WORKER_HEADER])
{
	const uint32_t mark = MARK;

	memcpy(out, &mark, 4);
	memcpy(out + 4, &h->type, 4);
	memcpy(out + 8, &h->length, 8);
}

bool sotto_worker_header_read(const uint8_t in[SOTTO_WORKER_HEADER], uint64_t most,
			      struct sotto_worker_header *h)
{
	struct sotto_worker_header read;
	uint32_t mark;

	memcpy(&mark, in, 4);
	memcpy(&read.type, in + 4, 4);
	memcpy(&read.length, in + 8, 8);
	if (mark != MARK || read.length > most)
		return false;
	*h = read;
	return true;
}

/* ---- writing ------------------------------------------------------------------ */

enum sotto_status sotto_worker_put_u32(struct sotto_buffer *b, uint32_t x)
{
	return sotto_buffer_append(b, &x, sizeof x);
}

enum sotto_status sotto_worker_put_u64(struct sotto_buffer *b, uint64_t x)
{
	return sotto_buffer_append(b, &x, sizeof x);
}

enum sotto_status sotto_worker_put_text(struct sotto_buffer *b, const char *text)
{
	size_t n = strlen(text);

	SOTTO_TRY(sotto_worker_put_u64(b, n));
	return sotto_buffer_append(b, text, n + 1);
}

enum sotto_status
sotto_worker_put_texts(struct sotto_buffer *b, const char *const *texts, size_t count)
{
	SOTTO_TRY(sotto_worker_put_u64(b, count));
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(sotto_worker_put_text(b, texts[i]));
	return SOTTO_OK;
}

enum sotto_status
sotto_worker_put_outcome(struct sotto_buffer *b, const struct sotto_worker_outcome *o)
{
	SOTTO_TRY(sotto_worker_put_u32(b, (uint32_t)o->status));
	SOTTO_TRY(sotto_worker_put_text(b, o->sentence));
	return sotto_worker_put_text(b, o->detail);
}

/* ---- reading ------------------------------------------------------------------ */

bool sotto_worker_take(struct sotto_worker_fields *f, void *out, size_t n)
{
	if ((size_t)(f->end - f->next) < n)
		return false;
	if (n > 0)
		memcpy(out, f->next, n);
	f->next += n;
	return true;
}

bool sotto_worker_take_u32(struct sotto_worker_fields *f, uint32_t *out)
{
	return sotto_worker_take(f, out, sizeof *out);
}

bool sotto_worker_take_u64(struct sotto_worker_fields *f, uint64_t *out)
{
	return sotto_worker_take(f, out, sizeof *out);
}

bool sotto_worker_take_text(struct sotto_worker_fields *f, const char **out)
{
	struct sotto_worker_fields rest = *f;
	uint64_t n;

	if (!sotto_worker_take_u64(&rest, &n) || n >= (uint64_t)(rest.end - rest.next) ||
	    memchr(rest.next, '\0', (size_t)n + 1) != rest.next + n)
		return false;
	*out = (const char *)rest.next;
	f->next = rest.next + n + 1;
	return true;
}

enum sotto_status
sotto_worker_take_texts(struct sotto_worker_fields *f, const char ***out, size_t *count)
{
	const char **texts;
	uint64_t n;

	/* Each has a length and a NUL: so the message bounds what is allocated. */
	if (!sotto_worker_take_u64(f, &n) || n > (uint64_t)(f->end - f->next) / 9)
		return SOTTO_ECORRUPT;
	texts = calloc((size_t)n + 1, sizeof *texts);
	if (!texts)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!sotto_worker_take_text(f, &texts[i])) {
			free(texts);
			return SOTTO_ECORRUPT;
		}
	*out = texts;
	*count = (size_t)n;
	return SOTTO_OK;
}

bool sotto_worker_take_outcome(struct sotto_worker_fields *f, struct sotto_worker_outcome *o)
{
	struct sotto_worker_outcome read;
	uint32_t status;

	if (!sotto_worker_take_u32(f, &status) || status > SOTTO_EMISSING ||
	    !sotto_worker_take_text(f, &read.sentence) ||
	    !sotto_worker_take_text(f, &read.detail))
		return false;
	read.status = (enum sotto_status)status;
	*o = read;
	return true;
}
