/*
 * Sequence fragment puzzle: per start the most frequent (hash, piece) pairs, then
 * all strings whose pieces carry one hash and which hash to it themselves.
 */
#include "local/discover/sfp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/client/encode.h"
#include "local/client/layout.h"
#include "local/client/primitive/family.h"
#include "local/decode/estimate.h"
#include "local/decode/sketch.h"
#include "local/discover/discover_inside.h"
#include "sotto/local.h"

#define FRAGMENTS 80
#define SCREEN_ROWS 64
/* Strings put together from the pieces of one hash value. */
#define PUZZLES_MAX 4096

struct fragment {
	uint32_t puzzle;
	uint8_t piece[4];
	double score;
};

struct board {
	const struct sotto_local_counts *counts;
	const struct sotto_local_search *search;
	uint32_t starts, piece, keep;
	struct fragment *kept; /* starts times keep */
	uint32_t *kept_count;
	struct sotto_prospects found;
	bool capped;
};

static struct sotto_sketch
sketch_of(const struct sotto_local_counts *c, uint32_t table, struct sotto_client_chance flip)
{
	const struct sotto_client_params *p = c->params;
	struct sotto_sketch s = {.rows = p->groups,
				 .columns = p->width,
				 .salt = p->salt,
				 .flip = sotto_local_chance(flip),
				 .row_reports = c->groups + (size_t)table * p->groups,
				 .ones = c->cells + (size_t)table * p->groups * p->width};

	for (uint32_t r = 0; r < p->groups; r++)
		s.n += (double)s.row_reports[r];
	return s;
}

static int by_score(const void *x, const void *y)
{
	const struct fragment *a = x, *b = y;

	return (a->score < b->score) - (a->score > b->score);
}

/* The characters of piece number i; 0 pads. */
static void spell(const struct board *b, uint64_t i, uint8_t *piece)
{
	for (uint32_t at = 0; at < b->piece; at++) {
		uint64_t letter = i % (b->search->alphabet_size + 1);

		piece[at] = letter ? b->search->alphabet[letter - 1] : 0;
		i /= b->search->alphabet_size + 1;
	}
}

static bool padding_in_order(const uint8_t *s, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (s[i - 1] == 0 && s[i] != 0)
			return false;
	return true;
}

static enum sotto_status
all_fragments(const struct board *b, struct fragment **out, size_t *count)
{
	size_t pieces = 1, puzzles = (size_t)1 << b->counts->params->grain;
	struct fragment *f;

	for (uint32_t i = 0; i < b->piece; i++)
		pieces *= b->search->alphabet_size + 1;
	if (pieces > SOTTO_ROUND_MAX / puzzles)
		return SOTTO_ERANGE;
	f = malloc(pieces * puzzles * sizeof *f);
	if (!f)
		return SOTTO_ENOMEM;
	*count = 0;
	for (size_t i = 0; i < pieces; i++) {
		struct fragment one = {0};

		spell(b, i, one.piece);
		if (!padding_in_order(one.piece, b->piece))
			continue;
		for (one.puzzle = 0; one.puzzle < puzzles; one.puzzle++)
			f[(*count)++] = one;
	}
	*out = f;
	return SOTTO_OK;
}

/* Scores the first `some` fragments on so many rows and sorts them. */
static enum sotto_status rank(const struct board *b, const struct sotto_sketch *s,
			      uint32_t rows, struct fragment *f, size_t some)
{
	uint64_t *keys = calloc(some + 1, sizeof *keys);
	double *scores = malloc((some + 1) * sizeof *scores);
	bool ok = keys && scores;

	for (size_t i = 0; ok && i < some; i++)
		keys[i] = sotto_fragment_key(f[i].puzzle, f[i].piece, b->piece);
	if (ok)
		sotto_sketch_counts(s, keys, some, rows, scores);
	for (size_t i = 0; ok && i < some; i++)
		f[i].score = scores[i];
	if (ok)
		qsort(f, some, sizeof *f, by_score);
	free(keys);
	free(scores);
	return ok ? SOTTO_OK : SOTTO_ENOMEM;
}

/* All fragments on a few rows, the best of them on all rows. */
static enum sotto_status find_fragments(struct board *b, uint32_t start)
{
	struct sotto_sketch s = sketch_of(b->counts, start, b->counts->params->flip);
	uint32_t rows = b->search->screen_rows ? b->search->screen_rows : SCREEN_ROWS;
	struct fragment *f;
	size_t count, some;
	enum sotto_status st;

	SOTTO_TRY(all_fragments(b, &f, &count));
	some = count < 32 * (size_t)b->keep ? count : 32 * (size_t)b->keep;
	st = rank(b, &s, rows < s.rows ? rows : s.rows, f, count);
	if (st == SOTTO_OK)
		st = rank(b, &s, s.rows, f, some);
	b->kept_count[start] = (uint32_t)(some < b->keep ? some : b->keep);
	memcpy(b->kept + (size_t)start * b->keep, f, b->kept_count[start] * sizeof *f);
	free(f);
	return st;
}

static enum sotto_status add_string(struct board *b, const uint8_t *s)
{
	struct sotto_prospect *grown;

	if ((b->found.count & (b->found.count - 1)) == 0) {
		size_t room = b->found.count ? 2 * b->found.count : 1;

		grown = realloc(b->found.items, room * sizeof *grown);
		if (!grown)
			return SOTTO_ENOMEM;
		b->found.items = grown;
	}
	b->found.items[b->found.count] = (struct sotto_prospect){.score = 0};
	memcpy(b->found.items[b->found.count++].bytes, s, SOTTO_VALUE_BYTES);
	return SOTTO_OK;
}

/* Depth first over the starts; left counts down the strings still allowed. */
static enum sotto_status
assemble(struct board *b, uint32_t puzzle, uint32_t start, uint8_t *s, size_t *left)
{
	const struct sotto_client_params *p = b->counts->params;

	if (start == b->starts) {
		if (*left == 0) {
			b->capped = true;
			return SOTTO_OK;
		}
		--*left;
		if (!padding_in_order(s, p->size) ||
		    sotto_puzzle_hash(s, p->size, p->grain) != puzzle)
			return SOTTO_OK;
		return add_string(b, s);
	}
	for (uint32_t i = 0; i < b->kept_count[start]; i++) {
		const struct fragment *f = &b->kept[(size_t)start * b->keep + i];

		if (f->puzzle != puzzle)
			continue;
		memcpy(s + (size_t)start * b->piece, f->piece, b->piece);
		SOTTO_TRY(assemble(b, puzzle, start + 1, s, left));
	}
	return SOTTO_OK;
}

static enum sotto_status estimate_words(struct board *b, struct sotto_local_findings *out)
{
	const struct sotto_client_params *p = b->counts->params;
	struct sotto_sketch s = sketch_of(b->counts, b->starts, p->flip2);
	uint64_t *keys;
	enum sotto_status st;

	SOTTO_TRY(sotto_findings_of(&b->found, p->size, out));
	keys = malloc((out->count + 1) * sizeof *keys);
	if (!keys)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < out->count; i++)
		keys[i] = sotto_family_key(out->items[i].bytes, p->size);
	st = sotto_findings_read(&s, keys, &b->search->options, out);
	free(keys);
	out->capped = b->capped;
	return st;
}

enum sotto_status sotto_discover_sfp(const struct sotto_local_counts *c,
				     const struct sotto_local_search *search,
				     struct sotto_local_findings *out)
{
	struct board b = {.counts = c,
			  .search = search,
			  .starts = sfp_starts(c->params),
			  .piece = c->params->hashes,
			  .keep = search->keep ? (uint32_t)search->keep : FRAGMENTS};
	uint8_t s[SOTTO_VALUE_BYTES] = {0};
	enum sotto_status st;

	if (search->alphabet_size == 0)
		return SOTTO_EINVAL;
	b.kept = malloc((size_t)b.starts * b.keep * sizeof *b.kept);
	b.kept_count = calloc(b.starts, sizeof *b.kept_count);
	st = b.kept && b.kept_count ? SOTTO_OK : SOTTO_ENOMEM;
	for (uint32_t start = 0; start < b.starts && st == SOTTO_OK; start++)
		st = find_fragments(&b, start);
	for (uint32_t w = 0; w < 1u << c->params->grain && st == SOTTO_OK; w++) {
		size_t left = PUZZLES_MAX;

		st = assemble(&b, w, 0, s, &left);
	}
	if (st == SOTTO_OK)
		st = estimate_words(&b, out);
	free(b.kept);
	free(b.kept_count);
	free(b.found.items);
	return st;
}
