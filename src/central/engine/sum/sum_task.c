/*
 * A small reader of the text checks that no term can overflow; tasks are kept in blocks that
 * never move, so that a state can find its task by number in any thread.
 */
#include "central/engine/sum/sum_task.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 6, TASKS_MAX = 1 << 16, BLOCK = 256 };

static const int64_t largest_root = 3037000499; /* of 2^63 */

/* ---- reading ------------------------------------------------------------------------------ */

/* "word(1, 2, 3)" */
struct item {
	char word[8];
	int64_t arguments[ARGUMENTS_MAX];
	size_t count;
};

struct reader {
	const char *at, *end;
};

static bool take(struct reader *r, char c)
{
	while (r->at < r->end && *r->at == ' ')
		r->at++;
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool take_word(struct reader *r, char word[8])
{
	size_t n = 0;

	while (r->at < r->end && *r->at == ' ')
		r->at++;
	while (r->at < r->end && *r->at >= 'a' && *r->at <= 'z' && n < 7)
		word[n++] = *r->at++;
	word[n] = '\0';
	return n > 0;
}

static bool take_number(struct reader *r, int64_t *out)
{
	bool negative = take(r, '-');
	int64_t x = 0;
	size_t digits = 0;

	while (r->at < r->end && *r->at == ' ')
		r->at++;
	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++, digits++) {
		int digit = *r->at - '0';

		if (__builtin_mul_overflow(x, 10, &x) ||
		    __builtin_add_overflow(x, negative ? -digit : digit, &x))
			return false;
	}
	*out = x;
	return digits > 0;
}

static bool take_item(struct reader *r, struct item *out)
{
	out->count = 0;
	if (!take_word(r, out->word) || !take(r, '('))
		return false;
	do {
		if (out->count == ARGUMENTS_MAX || !take_number(r, &out->arguments[out->count]))
			return false;
		out->count++;
	} while (take(r, ','));
	return take(r, ')');
}

static bool is_column(int64_t n)
{
	return n >= 0 && n < SOTTO_SUM_COLUMNS;
}

/* All rows, or a value before this one that counts. */
static bool is_rows(const struct sotto_sum_task *t, int64_t n)
{
	return n == -1 ||
	       (n >= 0 && n < (int64_t)t->value_count && t->values[n].kind == SOTTO_SUM_COUNT);
}

/* Differences of such numbers, and of any below 2^62, fit 64 bits. */
static bool is_range(int64_t lo, int64_t hi)
{
	const int64_t most = (int64_t)1 << 61;

	return lo <= hi && lo >= -most && hi <= most;
}

/* A term fits 64 bits, and so does a square. */
static bool is_small(const struct sotto_sum_value *v)
{
	const int64_t most = v->kind == SOTTO_SUM_SQUARE ? largest_root : INT64_MAX;

	return is_range(v->lo, v->hi) && is_range(v->centre, v->centre) &&
	       llabs(v->hi - v->centre) <= most && llabs(v->lo - v->centre) <= most;
}

static size_t base_of(const struct sotto_sum_task *t, const struct sotto_sum_value *v)
{
	for (size_t i = 0; v->kind == SOTTO_SUM_PLAIN && i < t->value_count; i++) {
		const struct sotto_sum_value *w = &t->values[i];

		if (w->kind == v->kind && w->column == v->column && w->lo == v->lo &&
		    w->hi == v->hi)
			return i;
	}
	return t->value_count;
}

static bool add_value(struct sotto_sum_task *t, const struct item *i)
{
	const int64_t *a = i->arguments;
	struct sotto_sum_value v = {.column = (size_t)a[0], .rows = -1};

	if (t->value_count == SOTTO_SUM_VALUES || !is_column(a[0]))
		return false;
	if (strcmp(i->word, "count") == 0 && i->count == 1) {
		v.kind = SOTTO_SUM_COUNT;
	} else if (strcmp(i->word, "sum") == 0 && i->count == 5 && is_rows(t, a[4])) {
		v.kind = SOTTO_SUM_PLAIN;
		v.rows = (int)a[4];
	} else if (strcmp(i->word, "square") == 0 && i->count == 6 && is_rows(t, a[5]) &&
		   a[4] >= 0 && a[4] < 63) {
		v.kind = SOTTO_SUM_SQUARE;
		v.shift = (unsigned)a[4];
		v.rows = (int)a[5];
	} else {
		return false;
	}
	if (v.kind != SOTTO_SUM_COUNT) {
		v.lo = a[1];
		v.hi = a[2];
		v.centre = a[3];
		if (!is_small(&v))
			return false;
	}
	v.base = base_of(t, &v);
	t->values[t->value_count++] = v;
	return true;
}

static bool add_item(struct sotto_sum_task *t, const struct item *i)
{
	const int64_t *a = i->arguments;

	if (strcmp(i->word, "keep") == 0 && i->count == 1 && a[0] > 0) {
		t->keep = a[0];
		return true;
	}
	if (strcmp(i->word, "lose") == 0 && i->count == 1 && a[0] > 0) {
		t->lose = a[0];
		return true;
	}
	if (strcmp(i->word, "note") == 0 && i->count == 3 && is_column(a[0]) &&
	    is_range(a[1], a[2]) && t->note_count < SOTTO_SUM_COLUMNS) {
		t->notes[t->note_count++] = (struct sotto_sum_note){(size_t)a[0], a[1], a[2]};
		return true;
	}
	if (strcmp(i->word, "read") == 0 && i->count == 1 && is_rows(t, a[0]) &&
	    t->read_count <= SOTTO_SUM_VALUES) {
		t->reads[t->read_count++] = (int)a[0];
		return true;
	}
	return add_value(t, i);
}

static int64_t largest_term(const struct sotto_sum_value *v)
{
	int64_t below = llabs(v->lo - v->centre), above = llabs(v->hi - v->centre);
	int64_t far = below > above ? below : above;

	if (v->kind == SOTTO_SUM_COUNT)
		return 1;
	return v->kind == SOTTO_SUM_SQUARE ? far * far >> v->shift : far;
}

/* The text may name the rows after the values. */
static void bound_values(struct sotto_sum_task *t)
{
	for (size_t i = 0; i < t->value_count; i++)
		if (__builtin_mul_overflow(largest_term(&t->values[i]), t->keep,
					   &t->values[i].most))
			t->values[i].most = INT64_MAX;
}

bool sotto_sum_task_read(const char *text, size_t length, struct sotto_sum_task *out)
{
	struct reader r = {text, text + length};
	struct sotto_sum_task t = {0};
	struct item item;

	while (r.at < r.end)
		if (!take_item(&r, &item) || !add_item(&t, &item))
			return false;
	bound_values(&t);
	*out = t;
	return true;
}

/* ---- by number ------------------------------------------------------------------------------ */

struct entry {
	char *text;
	size_t length;
	struct sotto_sum_task task;
};

struct sotto_sum_tasks {
	pthread_mutex_t lock;
	struct entry *blocks[TASKS_MAX / BLOCK]; /* which never move */
	uint32_t count;
};

struct sotto_sum_tasks *sotto_sum_tasks_new(void)
{
	struct sotto_sum_tasks *t = calloc(1, sizeof *t);

	if (t && pthread_mutex_init(&t->lock, NULL) != 0) {
		free(t);
		return NULL;
	}
	return t;
}

static struct entry *entry_at(struct sotto_sum_tasks *t, uint32_t i)
{
	return &t->blocks[i / BLOCK][i % BLOCK];
}

void sotto_sum_tasks_clear(struct sotto_sum_tasks *t)
{
	(void)pthread_mutex_lock(&t->lock);
	for (uint32_t i = 0; i < t->count; i++)
		free(entry_at(t, i)->text);
	t->count = 0;
	(void)pthread_mutex_unlock(&t->lock);
}

void sotto_sum_tasks_free(struct sotto_sum_tasks *t)
{
	if (!t)
		return;
	sotto_sum_tasks_clear(t);
	for (size_t i = 0; i < TASKS_MAX / BLOCK; i++)
		free(t->blocks[i]);
	(void)pthread_mutex_destroy(&t->lock);
	free(t);
}

static enum sotto_status
append(struct sotto_sum_tasks *t, const char *text, size_t length, uint16_t *number)
{
	struct sotto_sum_task task;
	struct entry **block = &t->blocks[t->count / BLOCK];
	char *copy;

	if (!sotto_sum_task_read(text, length, &task))
		return SOTTO_EPARSE;
	if (t->count == TASKS_MAX - 1)
		return SOTTO_ERANGE;
	if (!*block && !(*block = calloc(BLOCK, sizeof **block)))
		return SOTTO_ENOMEM;
	copy = malloc(length + 1);
	if (!copy)
		return SOTTO_ENOMEM;
	memcpy(copy, text, length);
	task.number = (uint16_t)(t->count + 1);
	*entry_at(t, t->count++) = (struct entry){copy, length, task};
	*number = task.number;
	return SOTTO_OK;
}

enum sotto_status sotto_sum_tasks_add(struct sotto_sum_tasks *t, const char *text,
				      size_t length, uint16_t *number)
{
	enum sotto_status st;

	(void)pthread_mutex_lock(&t->lock);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct entry *e = entry_at(t, i);

		if (e->length == length && memcmp(e->text, text, length) == 0) {
			*number = e->task.number;
			(void)pthread_mutex_unlock(&t->lock);
			return SOTTO_OK;
		}
	}
	st = append(t, text, length, number);
	(void)pthread_mutex_unlock(&t->lock);
	return st;
}

const struct sotto_sum_task *sotto_sum_tasks_find(struct sotto_sum_tasks *t, uint16_t number)
{
	const struct sotto_sum_task *task;

	(void)pthread_mutex_lock(&t->lock);
	task = number > 0 && number <= t->count ? &entry_at(t, number - 1U)->task : NULL;
	(void)pthread_mutex_unlock(&t->lock);
	return task;
}
