#include "census/measure/census_truth.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/wipe.h"

static int compare_entries(const void *a, const void *b)
{
	const struct sotto_census_entry *l = a, *r = b;

	if (l->leaf != r->leaf)
		return l->leaf < r->leaf ? -1 : 1;
	return (l->cell > r->cell) - (l->cell < r->cell);
}

/* Adds up entries of one place; returns how many are left. */
static size_t join(struct sotto_census_entry *e, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && compare_entries(&e[kept - 1], &e[i]) == 0)
			e[kept - 1].count.secret += e[i].count.secret;
		else
			e[kept++] = e[i];
	}
	return kept;
}

static enum sotto_status
fill(struct sotto_census_truth *t, const struct sotto_census_entry *e, size_t n)
{
	size_t large = 0;

	for (size_t i = 0; i < n; i++)
		large += e[i].count.secret >= UINT32_MAX;
	t->starts = calloc(t->leaves + 1, sizeof *t->starts);
	t->cells = malloc((n + 1) * sizeof *t->cells);
	t->counts = malloc((n + 1) * sizeof *t->counts);
	t->large = malloc((large + 1) * sizeof *t->large);
	if (!t->starts || !t->cells || !t->counts || !t->large)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		t->starts[e[i].leaf + 1]++;
		t->cells[i] = e[i].cell;
		t->counts[i] = (uint32_t)e[i].count.secret;
		if (e[i].count.secret >= UINT32_MAX) {
			t->counts[i] = UINT32_MAX;
			t->large[t->large_count].entry = i;
			t->large[t->large_count++].count = e[i].count;
		}
	}
	for (size_t i = 0; i < t->leaves; i++)
		t->starts[i + 1] += t->starts[i];
	return SOTTO_OK;
}

enum sotto_status sotto_census_truth_init(struct sotto_census_truth *t, size_t leaves,
					  struct sotto_census_entry *entries, size_t count)
{
	enum sotto_status st;
	size_t n;

	*t = (struct sotto_census_truth){.leaves = leaves};
	qsort(entries, count, sizeof *entries, compare_entries);
	n = join(entries, count);
	st = fill(t, entries, n);
	sotto_wipe(entries, count * sizeof *entries);
	return st;
}

void sotto_census_truth_release(struct sotto_census_truth *t)
{
	uint64_t entries = t->starts ? t->starts[t->leaves] : 0;

	if (t->counts)
		sotto_wipe(t->counts, entries * sizeof *t->counts);
	if (t->cells)
		sotto_wipe(t->cells, entries * sizeof *t->cells);
	if (t->large)
		sotto_wipe(t->large, t->large_count * sizeof *t->large);
	free(t->starts);
	free(t->cells);
	free(t->counts);
	free(t->large);
	*t = (struct sotto_census_truth){0};
}

bool sotto_census_truth_digest(const struct sotto_census_truth *t, struct evp_md_ctx_st *hash)
{
	uint64_t n = t->starts[t->leaves];
	bool ok = EVP_DigestUpdate(hash, t->starts, (t->leaves + 1) * sizeof *t->starts) == 1 &&
		  EVP_DigestUpdate(hash, t->cells, n * sizeof *t->cells) == 1 &&
		  EVP_DigestUpdate(hash, t->counts, n * sizeof *t->counts) == 1;

	for (size_t i = 0; i < t->large_count; i++)
		ok = ok &&
		     EVP_DigestUpdate(hash, &t->large[i].entry, sizeof t->large[i].entry) ==
			     1 &&
		     EVP_DigestUpdate(hash, &t->large[i].count.secret,
				      sizeof t->large[i].count.secret) == 1;
	return ok;
}
