/*
 * Sets and lists are sorted, and adding one is a merge of two sorted sequences; counts are
 * added with 128 bits and held, and what is replaced is wiped.
 */
#include "central/spread/merge/partial_values.h"

#include <stdlib.h>
#include <string.h>

#include "central/engine/engine_result.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

/* ---- sets -------------------------------------------------------------------------- */

static void free_texts(char **texts, size_t n)
{
	for (size_t i = 0; texts && i < n; i++) {
		if (texts[i])
			sotto_wipe(texts[i], strlen(texts[i]));
		free(texts[i]);
	}
	free(texts);
}

void sotto_value_set_release(struct sotto_value_set *s)
{
	free_texts(s->texts, s->n);
	if (s->values)
		sotto_wipe(s->values, s->n * sizeof *s->values);
	free(s->values);
	*s = (struct sotto_value_set){0};
}

static int compare_texts(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* The keys of a list, sorted and borrowed. */
static enum sotto_status sort_keys(const struct sotto_engine_list *list, const char ***out)
{
	const char **keys = calloc(list->n + 1, sizeof *keys);

	if (!keys)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		if (list->keys[i].kind != SOTTO_ENGINE_TEXT) {
			free(keys);
			return SOTTO_ECORRUPT;
		}
		keys[i] = list->keys[i].text;
	}
	qsort(keys, list->n, sizeof *keys, compare_texts);
	*out = keys;
	return SOTTO_OK;
}

/* Moves what the set has, copies what it has not. */
static bool
merge_texts(struct sotto_value_set *s, const char **keys, size_t n, char **out, size_t *count)
{
	size_t i = 0, k = 0;

	while (i < s->n || k < n) {
		int c = i == s->n ? 1 : k == n ? -1 : strcmp(s->texts[i], keys[k]);

		if (c <= 0) {
			out[*count] = s->texts[i];
			s->texts[i++] = NULL;
		} else {
			out[*count] = strdup(keys[k]);
			if (!out[*count])
				return false;
		}
		++*count;
		while (k < n && strcmp(keys[k], out[*count - 1]) == 0)
			k++;
	}
	return true;
}

static enum sotto_status add_texts(struct sotto_value_set *s, const struct sotto_engine_list *l)
{
	const char **keys;
	char **merged;
	size_t count = 0;
	bool done;

	if (s->values)
		return SOTTO_ECORRUPT;
	SOTTO_TRY(sort_keys(l, &keys));
	merged = calloc(s->n + l->n + 1, sizeof *merged);
	done = merged && merge_texts(s, keys, l->n, merged, &count);
	free(keys);
	if (!done) {
		free_texts(merged, count);
		return SOTTO_ENOMEM;
	}
	free_texts(s->texts, s->n);
	s->texts = merged;
	s->n = count;
	return SOTTO_OK;
}

static enum sotto_status
add_values(struct sotto_value_set *s, const struct sotto_engine_list *l)
{
	int64_t *merged;
	size_t i = 0, k = 0, count = 0;

	if (s->texts)
		return SOTTO_ECORRUPT;
	merged = calloc(s->n + l->n + 1, sizeof *merged);
	if (!merged)
		return SOTTO_ENOMEM;
	while (i < s->n || k < l->n) {
		bool ours = k == l->n || (i < s->n && s->values[i] <= l->values[k].secret);
		int64_t next = ours ? s->values[i++] : l->values[k].secret;

		while (k < l->n && l->values[k].secret == next)
			k++;
		merged[count++] = next;
	}
	sotto_value_set_release(s);
	s->values = merged;
	s->n = count;
	return SOTTO_OK;
}

enum sotto_status
sotto_value_set_add(struct sotto_value_set *s, const struct sotto_engine_list *list)
{
	if (list->n == 0)
		return SOTTO_OK;
	return list->keys ? add_texts(s, list) : add_values(s, list);
}

/* ---- lists of counts --------------------------------------------------------------- */

static int64_t add_held(int64_t x, int64_t y)
{
	return sotto_result_hold((sotto_i128)x + y);
}

static void take_place(struct sotto_engine_list *sum, struct sotto_engine_list *merged)
{
	if (sum->values)
		sotto_wipe(sum->values, sum->n * sizeof *sum->values);
	if (sum->counts)
		sotto_wipe(sum->counts, sum->n * sizeof *sum->counts);
	free(sum->values);
	free(sum->counts);
	*sum = *merged;
}

enum sotto_status
sotto_count_list_add(struct sotto_engine_list *sum, const struct sotto_engine_list *list)
{
	struct sotto_engine_list merged = {0};
	size_t i = 0, k = 0;

	if (list->keys)
		return SOTTO_ECORRUPT;
	if (list->n == 0)
		return SOTTO_OK;
	merged.values = calloc(sum->n + list->n + 1, sizeof *merged.values);
	merged.counts = calloc(sum->n + list->n + 1, sizeof *merged.counts);
	if (!merged.values || !merged.counts) {
		free(merged.values);
		free(merged.counts);
		return SOTTO_ENOMEM;
	}
	while (i < sum->n || k < list->n) {
		bool ours = k == list->n ||
			    (i < sum->n && sum->values[i].secret <= list->values[k].secret);
		int64_t value = ours ? sum->values[i].secret : list->values[k].secret;
		int64_t count = 0;

		for (; i < sum->n && sum->values[i].secret == value; i++)
			count = add_held(count, sum->counts[i].secret);
		for (; k < list->n && list->values[k].secret == value; k++)
			count = add_held(count, list->counts[k].secret);
		merged.values[merged.n] = sotto_exact_of(value);
		merged.counts[merged.n++] = sotto_exact_of(count);
	}
	take_place(sum, &merged);
	return SOTTO_OK;
}
