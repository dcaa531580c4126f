/*
 * bucket.h - which bucket of N a privacy unit is in
 *
 * bucket(unit) = hash(unit) mod N, by the engine's own hash: equal units have equal hashes,
 * since the engine groups and joins by them.  What the engine takes for equal although the
 * types differ is brought to one type before: all whole numbers to BIGINT, all texts, ENUM
 * and UUID among them, to VARCHAR.  A NULL unit has the hash of NULL, one bucket for all.
 *
 * Where each row is a unit, its bucket is that of (file, number of the row in the file).
 *
 * If M divides N, bucket(unit, M) = bucket(unit, N) mod M: data that lie in N buckets are
 * read by M workers without looking into the files of others.
 *
 * The hash belongs to a version of the engine.  sotto_bucket_check asks it for known values
 * before anything relies on it.
 */
#ifndef SOTTO_BUCKET_H
#define SOTTO_BUCKET_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "sotto/status.h"

enum { SOTTO_BUCKETS_MAX = 100000 };

enum sotto_bucket_kind {
	SOTTO_BUCKET_WHOLE, /* TINYINT ... BIGINT, UTINYINT ... UINTEGER */
	SOTTO_BUCKET_TEXT, /* VARCHAR, ENUM, UUID, TIME */
	SOTTO_BUCKET_NATIVE, /* all others, which are only compared with their own type */
	SOTTO_BUCKET_ROW, /* each row is a unit */
};

/* By the engine's name for the unit's type ("DECIMAL(10,2)"); NULL: a text without a type. */
enum sotto_bucket_kind sotto_bucket_kind_of(const char *engine_type);

/*
 * Appends the expression for the bucket, an INTEGER from 0 to buckets - 1.  unit is the SQL
 * of the unit; of rows that are units, "FILE, ROW": the SQL of the file's name and of the
 * row's number in it (filename, file_row_number).
 *
 * Fails:    SOTTO_ERANGE for no bucket or more than SOTTO_BUCKETS_MAX; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_bucket_compose(struct sotto_buffer *b,
							enum sotto_bucket_kind kind,
							const char *unit, uint32_t buckets);

/* A known value of the hash: SQL of a unit, its kind, and what its hash must be. */
struct sotto_bucket_vector {
	enum sotto_bucket_kind kind;
	const char *unit;
	uint64_t hash;
};

/* All of them; NULL after the last. */
const struct sotto_bucket_vector *sotto_bucket_vector(size_t i);

/*
 * Appends a query that gives one row with one truth value: whether the engine's hash is the
 * one that these vectors have.  Anything else that comes of it (an error, FALSE, NULL) means
 * no.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_bucket_compose_check(struct sotto_buffer *b);

#endif
