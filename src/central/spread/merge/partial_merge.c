/*
 * The sum of partials.  Groups are found by the bytes of their keys; what belongs to a group
 * is added to what is there.
 */
#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "central/engine/engine_result.h"
#include "central/spread/merge/partial.h"
#include "central/spread/merge/partial_keys.h"
#include "central/spread/merge/partial_values.h"
#include "central/engine/worker/worker_result.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"
#include "core/base/wiped_array.h"

enum { SHA256 = 32, LOSSES_MAX = 64 };

struct sotto_merge {
	struct sotto_partial_shape shape;
	uint8_t job[SOTTO_JOB_DIGEST];
	uint32_t buckets, missing;
	uint8_t (*seen)[SHA256]; /* of each bucket, if it is there */
	bool *has;
	struct sotto_engine_result *total; /* NULL before the first partial */
	struct sotto_partial_keys keys; /* as many as total has rows */
	size_t group_capacity; /* of the next three */
	uint32_t *last; /* one more than the bucket that named the group last */
	sotto_i128 *measures; /* row by row */
	struct sotto_value_set *sets; /* row by row */
	sotto_i128 losses[LOSSES_MAX];
};

/* ---- columns ----------------------------------------------------------------------- */

static size_t first_measure(const struct sotto_partial_shape *s)
{
	return s->keys + s->derived;
}

static size_t first_list(const struct sotto_partial_shape *s)
{
	return first_measure(s) + s->measures + s->losses;
}

static size_t first_set(const struct sotto_partial_shape *s)
{
	return first_list(s) + s->lists + s->domains;
}

static bool
has_columns(const struct sotto_partial_shape *s, const struct sotto_engine_result *r)
{
	size_t all = first_set(s) + s->sets;

	if (sotto_engine_column_count(r) < all)
		return false;
	for (size_t i = 0; i < all; i++)
		if (sotto_engine_column_kind(r, i) != (i < first_measure(s) ? SOTTO_ENGINE_CELLS
						       : i < first_list(s)
							       ? SOTTO_ENGINE_WIDES
							       : SOTTO_ENGINE_LISTS))
			return false;
	return true;
}

/* ---- making and freeing ------------------------------------------------------------ */

struct sotto_merge *sotto_merge_new(const struct sotto_partial_shape *shape, uint32_t buckets,
				    const uint8_t job[SOTTO_JOB_DIGEST])
{
	struct sotto_merge *m = calloc(1, sizeof *m);

	if (!m || shape->losses > LOSSES_MAX || shape->sets > SOTTO_PARTIAL_SETS_MAX) {
		free(m);
		return NULL;
	}
	sotto_partial_keys_init(&m->keys);
	m->shape = *shape;
	m->buckets = m->missing = buckets;
	memcpy(m->job, job, SOTTO_JOB_DIGEST);
	m->seen = calloc(buckets + 1, sizeof *m->seen);
	m->has = calloc(buckets + 1, sizeof *m->has);
	if (!m->seen || !m->has) {
		sotto_merge_free(m);
		return NULL;
	}
	return m;
}

static size_t rows_of(const struct sotto_merge *m)
{
	return m->total ? m->total->rows : 0;
}

void sotto_merge_free(struct sotto_merge *m)
{
	if (!m)
		return;
	sotto_partial_keys_release(&m->keys);
	for (size_t i = 0; m->sets && i < m->group_capacity * m->shape.sets; i++)
		sotto_value_set_release(&m->sets[i]);
	if (m->measures)
		sotto_wipe(m->measures,
			   m->group_capacity * m->shape.measures * sizeof *m->measures);
	sotto_engine_result_free(m->total);
	free(m->last);
	free(m->sets);
	free(m->measures);
	free(m->seen);
	free(m->has);
	sotto_wipe(m, sizeof *m);
	free(m);
}

/* The columns of the sum: those of the partial, with exact integers, without sets. */
static enum sotto_status start_total(struct sotto_merge *m, const struct sotto_engine_result *r)
{
	size_t count = first_set(&m->shape);

	m->total = sotto_engine_result_new(count);
	if (!m->total)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		enum sotto_engine_column kind = sotto_engine_column_kind(r, i);

		SOTTO_TRY(sotto_result_set_column(
			m->total, i, sotto_engine_column_name(r, i),
			kind == SOTTO_ENGINE_WIDES ? SOTTO_ENGINE_EXACTS : kind));
	}
	return SOTTO_OK;
}

/* ---- groups ------------------------------------------------------------------------ */

static enum sotto_status grow_groups(struct sotto_merge *m)
{
	size_t old = m->group_capacity, wanted = old ? 2 * old : 64;
	void *last = m->last, *sets = m->sets, *measures = m->measures;
	enum sotto_status st;

	if (rows_of(m) < old)
		return SOTTO_OK;
	st = sotto_wiped_array_grow(&last, old, wanted, sizeof *m->last);
	m->last = last;
	if (st == SOTTO_OK)
		st = sotto_wiped_array_grow(&sets, old * m->shape.sets, wanted * m->shape.sets,
					    sizeof *m->sets);
	m->sets = sets;
	if (st == SOTTO_OK)
		st = sotto_wiped_array_grow(&measures, old * m->shape.measures,
					    wanted * m->shape.measures, sizeof *m->measures);
	m->measures = measures;
	if (st == SOTTO_OK)
		m->group_capacity = wanted;
	return st;
}

/* Numbers that the engine takes for equal have the same bytes. */
static struct sotto_engine_cell alike(struct sotto_engine_cell c)
{
	if (c.kind == SOTTO_ENGINE_NUMBER)
		c.number = isnan(c.number) ? (double)NAN : c.number + 0.0;
	return c;
}

static enum sotto_status write_key(const struct sotto_merge *m,
				   const struct sotto_engine_result *r, size_t row,
				   struct sotto_buffer *key)
{
	sotto_buffer_clear(key);
	for (size_t i = 0; i < m->shape.keys; i++) {
		struct sotto_engine_cell cell = alike(sotto_engine_cell(r, row, i));

		SOTTO_TRY(sotto_worker_put_cell(key, &cell));
	}
	return SOTTO_OK;
}

static enum sotto_status copy_cell(struct sotto_engine_result *total,
				   struct sotto_engine_cell from, struct sotto_engine_cell *to)
{
	*to = from;
	if (from.kind != SOTTO_ENGINE_TEXT)
		return SOTTO_OK;
	to->text = sotto_result_show_text(total, from.text);
	if (!to->text)
		to->kind = SOTTO_ENGINE_NULL;
	return to->text ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status add_group(struct sotto_merge *m, const struct sotto_engine_result *r,
				   size_t row, const struct sotto_buffer *key)
{
	size_t n = rows_of(m);

	SOTTO_TRY(grow_groups(m));
	SOTTO_TRY(sotto_result_grow(m->total, n + 1));
	for (size_t i = 0; i < first_measure(&m->shape); i++)
		SOTTO_TRY(copy_cell(m->total, sotto_engine_cell(r, row, i),
				    &m->total->columns[i].cells[n]));
	SOTTO_TRY(sotto_partial_keys_add(&m->keys, sotto_buffer_text(key), key->length));
	m->total->rows++;
	return SOTTO_OK;
}

/* ---- one partial ------------------------------------------------------------------- */

static sotto_i128 add_wide(sotto_i128 x, sotto_i128 y)
{
	const sotto_i128 end = (sotto_i128)1 << 126;
	sotto_i128 sum;

	if (!__builtin_add_overflow(x, y, &sum))
		return sum;
	return x < 0 ? -end : end;
}

static enum sotto_status
add_domain(struct sotto_merge *m, const struct sotto_engine_list *from, size_t column)
{
	struct sotto_engine_list *to = &m->total->columns[column].lists[0];

	if (from->n == 0 || to->n > 0)
		return SOTTO_OK;
	if (!from->keys)
		return SOTTO_ECORRUPT;
	to->keys = calloc(from->n + 1, sizeof *to->keys);
	to->counts = calloc(from->n + 1, sizeof *to->counts);
	if (!to->keys || !to->counts)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < from->n; i++, to->n++)
		SOTTO_TRY(copy_cell(m->total, from->keys[i], &to->keys[i]));
	return SOTTO_OK;
}

static enum sotto_status
add_values(struct sotto_merge *m, const struct sotto_engine_result *r, size_t from, size_t to)
{
	const struct sotto_partial_shape *s = &m->shape;

	for (size_t i = 0; i < s->measures; i++) {
		sotto_i128 *sum = &m->measures[to * s->measures + i];

		*sum = add_wide(*sum, r->columns[first_measure(s) + i].wide[from]);
	}
	for (size_t i = 0; i < s->lists; i++) {
		size_t column = first_list(s) + i;

		SOTTO_TRY(sotto_count_list_add(&m->total->columns[column].lists[to],
					       sotto_engine_list(r, from, column)));
	}
	for (size_t i = 0; i < s->domains; i++) {
		size_t column = first_list(s) + s->lists + i;

		SOTTO_TRY(add_domain(m, sotto_engine_list(r, from, column), column));
	}
	for (size_t i = 0; i < s->sets; i++)
		SOTTO_TRY(sotto_value_set_add(&m->sets[to * s->sets + i],
					      sotto_engine_list(r, from, first_set(s) + i)));
	return SOTTO_OK;
}

/* A group that is named twice in one bucket, or is new where all are public, is none of ours. */
static enum sotto_status add_row(struct sotto_merge *m, const struct sotto_engine_result *r,
				 uint32_t bucket, size_t row, struct sotto_buffer *key)
{
	int64_t at;

	SOTTO_TRY(write_key(m, r, row, key));
	at = sotto_partial_keys_find(&m->keys, sotto_buffer_text(key), key->length);
	if (at == SOTTO_NO_KEY && m->shape.same_groups && m->missing < m->buckets)
		return SOTTO_ECORRUPT;
	if (at == SOTTO_NO_KEY) {
		SOTTO_TRY(add_group(m, r, row, key));
		at = (int64_t)rows_of(m) - 1;
	} else if (m->last[at] == bucket + 1) {
		return SOTTO_ECORRUPT;
	}
	m->last[at] = bucket + 1;
	return add_values(m, r, row, (size_t)at);
}

static enum sotto_status
add_rows(struct sotto_merge *m, const struct sotto_engine_result *r, uint32_t bucket)
{
	size_t first = first_measure(&m->shape) + m->shape.measures;
	enum sotto_status st = SOTTO_OK;
	struct sotto_buffer key;

	if (m->shape.keys == 0 && sotto_engine_rows(r) != 1)
		return SOTTO_ECORRUPT;
	if (m->shape.same_groups && m->missing < m->buckets &&
	    sotto_engine_rows(r) != rows_of(m))
		return SOTTO_ECORRUPT;
	sotto_buffer_init(&key, SIZE_MAX / 4);
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(r); i++)
		st = add_row(m, r, bucket, i, &key);
	if (key.bytes)
		sotto_wipe(key.bytes, key.length);
	sotto_buffer_release(&key);
	for (size_t i = 0; sotto_engine_rows(r) > 0 && i < m->shape.losses; i++)
		m->losses[i] = add_wide(m->losses[i], r->columns[first + i].wide[0]);
	return st;
}

static enum sotto_status
add_partial(struct sotto_merge *m, const struct sotto_engine_result *r, uint32_t bucket)
{
	if (!has_columns(&m->shape, r))
		return SOTTO_ECORRUPT;
	if (!m->total)
		SOTTO_TRY(start_total(m, r));
	return add_rows(m, r, bucket);
}

/* Known by its first bytes before anything else of it is read. */
static enum sotto_status
look_at(struct sotto_merge *m, const void *message, size_t size, uint32_t *bucket, bool *known)
{
	const uint8_t *bytes = message;
	struct sotto_worker_fields f = {bytes, bytes + size};
	uint8_t job[SOTTO_JOB_DIGEST], digest[SHA256];

	if (!sotto_worker_take(&f, job, sizeof job) || !sotto_worker_take_u32(&f, bucket) ||
	    memcmp(job, m->job, sizeof job) != 0 || *bucket >= m->buckets)
		return SOTTO_ECORRUPT;
	if (EVP_Digest(message, size, digest, NULL, EVP_sha256(), NULL) != 1)
		return SOTTO_ENOMEM;
	*known = m->has[*bucket];
	if (*known)
		return memcmp(digest, m->seen[*bucket], SHA256) == 0 ? SOTTO_OK : SOTTO_ESTATE;
	memcpy(m->seen[*bucket], digest, SHA256);
	return SOTTO_OK;
}

enum sotto_status sotto_merge_add(struct sotto_merge *m, const void *message, size_t size)
{
	struct sotto_engine_result *r = NULL;
	uint8_t job[SOTTO_JOB_DIGEST];
	enum sotto_status st;
	uint32_t bucket;
	bool known;
	void *copy;

	SOTTO_TRY(look_at(m, message, size, &bucket, &known));
	if (known)
		return SOTTO_OK;
	copy = malloc(size + 1);
	if (!copy)
		return SOTTO_ENOMEM;
	memcpy(copy, message, size);
	st = sotto_partial_take(copy, size, job, &bucket, &r);
	if (st != SOTTO_OK) {
		sotto_wipe(copy, size);
		free(copy);
		return st;
	}
	st = add_partial(m, r, bucket);
	sotto_engine_result_free(r);
	if (st == SOTTO_OK) {
		m->has[bucket] = true;
		m->missing--;
	}
	return st;
}

bool sotto_merge_has(const struct sotto_merge *m, uint32_t bucket)
{
	return bucket < m->buckets && m->has[bucket];
}

uint32_t sotto_merge_missing(const struct sotto_merge *m)
{
	return m->missing;
}

/* ---- the end ----------------------------------------------------------------------- */

enum sotto_status sotto_merge_finish(struct sotto_merge *m, struct sotto_engine_result **out)
{
	const struct sotto_partial_shape *s = &m->shape;

	if (m->missing > 0 || !m->total)
		return SOTTO_ESTATE;
	for (size_t row = 0; row < rows_of(m); row++) {
		for (size_t i = 0; i < s->sets; i++)
			m->measures[row * s->measures + s->set_of[i]] =
				(sotto_i128)m->sets[row * s->sets + i].n;
		for (size_t i = 0; i < s->measures; i++)
			m->total->columns[first_measure(s) + i].exact[row] =
				sotto_result_hold(m->measures[row * s->measures + i]);
		for (size_t i = 0; i < s->losses; i++)
			m->total->columns[first_measure(s) + s->measures + i].exact[row] =
				sotto_result_hold(m->losses[i]);
	}
	*out = m->total;
	m->total = NULL;
	return SOTTO_OK;
}
