/*
 * Entries come in the order of leaves and cells and are stored as compressed rows; memory that
 * is outgrown or freed is wiped.
 */
#include "census/measure/census_truth.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/base/wipe.h"

enum { ROOM_FIRST = 1024 };

/* A larger copy; the old one is wiped.  NULL: no memory, and the old one stays. */
static void *grow(void *old, size_t used, size_t size)
{
	void *grown = malloc(size);

	if (grown && old) {
		memcpy(grown, old, used);
		sotto_wipe(old, used);
		free(old);
	}
	return grown;
}

static enum sotto_status reserve(struct sotto_census_truth *t)
{
	uint64_t room = t->room ? t->room + t->room / 2 : ROOM_FIRST;
	uint32_t *cells, *counts;

	if (t->n < t->room)
		return SOTTO_OK;
	cells = grow(t->cells, t->n * sizeof *cells, room * sizeof *cells);
	if (!cells)
		return SOTTO_ENOMEM;
	t->cells = cells;
	counts = grow(t->counts, t->n * sizeof *counts, room * sizeof *counts);
	if (!counts)
		return SOTTO_ENOMEM;
	t->counts = counts;
	t->room = room;
	return SOTTO_OK;
}

static enum sotto_status add_large(struct sotto_census_truth *t, struct sotto_exact count)
{
	if (t->large_count == t->large_room) {
		size_t room = t->large_room ? 2 * t->large_room : 4;
		struct sotto_census_large *grown =
			grow(t->large, t->large_count * sizeof *grown, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		t->large = grown;
		t->large_room = room;
	}
	t->large[t->large_count++] = (struct sotto_census_large){.entry = t->n, .count = count};
	return SOTTO_OK;
}

enum sotto_status sotto_census_truth_begin(struct sotto_census_truth *t, size_t leaves)
{
	*t = (struct sotto_census_truth){.leaves = leaves};
	t->starts = calloc(leaves + 1, sizeof *t->starts);
	return t->starts ? reserve(t) : SOTTO_ENOMEM;
}

enum sotto_status
sotto_census_truth_add(struct sotto_census_truth *t, const struct sotto_census_entry *e)
{
	bool large = e->count.secret >= UINT32_MAX;

	if (e->leaf >= t->leaves || e->leaf < t->last ||
	    (e->leaf == t->last && t->n > t->starts[t->last] && t->cells[t->n - 1] >= e->cell))
		return SOTTO_ESTATE;
	SOTTO_TRY(reserve(t));
	while (t->last < e->leaf)
		t->starts[++t->last] = t->n;
	if (large)
		SOTTO_TRY(add_large(t, e->count));
	t->cells[t->n] = e->cell;
	t->counts[t->n++] = large ? UINT32_MAX : (uint32_t)e->count.secret;
	return SOTTO_OK;
}

void sotto_census_truth_end(struct sotto_census_truth *t)
{
	for (size_t leaf = t->last + 1; leaf <= t->leaves; leaf++)
		t->starts[leaf] = t->n;
}

void sotto_census_truth_release(struct sotto_census_truth *t)
{
	uint64_t entries = t->n;

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
