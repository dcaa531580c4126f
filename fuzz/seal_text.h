/*
 * seal_text.h - a text of made-up bytes, surveyed and read
 *
 * What the survey takes for a record must come apart into values.
 */
#ifndef SOTTO_FUZZ_SEAL_TEXT_H
#define SOTTO_FUZZ_SEAL_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "central/seal/text/record_values.h"

typedef void (*seal_text_fn)(const struct sotto_raw_record *record,
			     const struct sotto_values *values);

static inline void
seal_text_read(const struct sotto_text *t, const struct sotto_survey *s, seal_text_fn each)
{
	static const char *const names[] = {"a", "b", "c"};
	struct sotto_raw_record raw = {.bytes = ""};
	struct sotto_record_reader reader;
	struct sotto_values v;
	bool found;

	if (sotto_values_init(&v, names, 3) != SOTTO_OK ||
	    sotto_reader_open(&reader, t, s) != SOTTO_OK)
		abort();
	while (raw.bytes) {
		if (sotto_reader_next(&reader, &raw) != SOTTO_OK)
			abort();
		if (!raw.bytes || raw.flaw)
			continue;
		if (sotto_values_read(&v, &t->dialect, &raw, &found) != SOTTO_OK)
			abort();
		if (found)
			each(&raw, &v);
	}
	sotto_reader_close(&reader);
	sotto_values_release(&v);
}

static inline void
seal_text_try(const uint8_t *data, size_t size, struct sotto_text t, seal_text_fn each)
{
	int file = memfd_create("text", MFD_CLOEXEC);
	struct sotto_survey s;
	char path[64];

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	t.path = path;
	if (sotto_text_survey(&t, &s, NULL, NULL) != SOTTO_OK)
		abort();
	if (s.ambiguous == 0)
		seal_text_read(&t, &s, each);
	sotto_survey_release(&s);
	(void)close(file);
}

#endif
