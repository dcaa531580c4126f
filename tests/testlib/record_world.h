/*
 * record_world.h - texts of records, and one record in them that is somebody's attack
 */
#ifndef SOTTO_TESTS_RECORD_WORLD_H
#define SOTTO_TESTS_RECORD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum record_format {
	RECORD_CSV,
	RECORD_JSON_LINES,
	RECORD_JSON_ARRAY, /* one element a line */
	RECORD_JSON_PRETTY, /* elements of several lines */
	RECORD_JSON_ONE_LINE,
	RECORD_FORMATS,
};

enum { RECORD_SIZE = 4000, RECORDS_MAX = 12 };

struct record_text {
	char bytes[RECORD_SIZE];
	size_t length;
};

/* Records of a table as they stand in a file, each on its own. */
struct record_world {
	enum record_format format;
	size_t columns, count;
	struct record_text records[RECORDS_MAX];
	uint64_t state; /* of the generator */
};

/* A few records of any content, some malformed if `wild`. */
void record_world_make(struct record_world *w, enum record_format format, uint64_t seed,
		       bool wild);

/* In place of a record: any content, correctly quoted; or any bytes without a line break. */
void record_world_any_content(struct record_world *w, struct record_text *out);
void record_world_any_bytes(struct record_world *w, struct record_text *out);

/*
 * The file with record `at` replaced by `instead` (NULL: left out; at == count: as it
 * is).  Written to path; false if it cannot be.
 */
bool record_world_write(const struct record_world *w, size_t at,
			const struct record_text *instead, const char *path);

#endif
