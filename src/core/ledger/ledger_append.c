/*
 * An entry from a release: costs as texts, the key as a fingerprint, the hash
 * that binds it to all before.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"
#include "core/ledger/store/ledger_store_part.h"

/* sotto_rational_parse reads no more; what cannot be read back would damage the ledger. */
enum { COST_TEXT_MAX = 4096 };

static bool is_cost(const struct sotto_cost *cost)
{
	return sotto_rational_sign(&cost->epsilon) >= 0 &&
	       sotto_rational_sign(&cost->delta) >= 0 && sotto_rational_sign(&cost->rho) >= 0;
}

enum sotto_status
sotto_chain_cost_read(const struct sotto_chain_cost *texts, struct sotto_cost *out)
{
	out->bounded = texts->bounded;
	if (sotto_rational_parse(&out->epsilon, texts->epsilon, NULL) != SOTTO_OK ||
	    sotto_rational_parse(&out->delta, texts->delta, NULL) != SOTTO_OK ||
	    sotto_rational_parse(&out->rho, texts->rho, NULL) != SOTTO_OK)
		return SOTTO_ECORRUPT;
	return is_cost(out) ? SOTTO_OK : SOTTO_ECORRUPT;
}

/* ---- is it well formed? --------------------------------------------------------------------- */

static bool same_cost(const struct sotto_cost *a, const struct sotto_cost *b)
{
	return a->bounded == b->bounded &&
	       (!a->bounded || sotto_rational_compare(&a->epsilon, &b->epsilon) == 0) &&
	       sotto_rational_compare(&a->delta, &b->delta) == 0 &&
	       sotto_rational_compare(&a->rho, &b->rho) == 0;
}

bool sotto_parts_add_up(const struct sotto_cost *whole, const struct sotto_ledger_part *parts,
			size_t count)
{
	struct sotto_cost sum;
	bool same;

	sotto_cost_init(&sum);
	for (size_t i = 0; i < count; i++)
		sotto_cost_add(&sum, parts[i].cost);
	same = same_cost(&sum, whole);
	sotto_cost_release(&sum);
	return same;
}

static enum sotto_status
check_parts(const struct sotto_ledger_release *r, struct sotto_error *err)
{
	if (r->part_count > SOTTO_STORE_PARTS_MAX || (r->part_count && !r->parts))
		return sotto_fail(err, SOTTO_EINVAL,
				  "a release has at most %d parts, and a list of them",
				  SOTTO_STORE_PARTS_MAX);
	for (size_t i = 0; i < r->part_count; i++)
		if (!r->parts[i].what || !r->parts[i].cost || !is_cost(r->parts[i].cost))
			return sotto_fail(err, SOTTO_EINVAL,
					  "each part of a release needs a name and a cost that "
					  "is not negative");
	if (r->part_count && !sotto_parts_add_up(r->cost, r->parts, r->part_count))
		return sotto_fail(
			err, SOTTO_EINVAL,
			"the costs of the parts do not add up to that of the release");
	return SOTTO_OK;
}

enum sotto_status
sotto_release_check(const struct sotto_ledger_release *r, struct sotto_error *err)
{
	if (!r || !r->analyst || !r->query || !r->key || !r->cost)
		return sotto_fail(err, SOTTO_EINVAL,
				  "a release needs an analyst, a query, a key and a cost");
	if (!is_cost(r->cost))
		return sotto_fail(err, SOTTO_EINVAL, "a cost cannot be negative");
	return check_parts(r, err);
}

/* ---- as texts ------------------------------------------------------------------------------- */

static enum sotto_status format(const struct sotto_rational *r, const char **out)
{
	char *text = NULL;

	SOTTO_TRY(sotto_rational_format(r, &text));
	*out = text;
	return strlen(text) <= COST_TEXT_MAX ? SOTTO_OK : SOTTO_ERANGE;
}

static enum sotto_status cost_texts(const struct sotto_cost *cost, struct sotto_chain_cost *out)
{
	out->bounded = cost->bounded;
	SOTTO_TRY(format(&cost->epsilon, &out->epsilon));
	SOTTO_TRY(format(&cost->delta, &out->delta));
	return format(&cost->rho, &out->rho);
}

static void cost_texts_release(struct sotto_chain_cost *texts)
{
	free((char *)texts->epsilon);
	free((char *)texts->delta);
	free((char *)texts->rho);
}

static enum sotto_status row_texts(struct sotto_chain_row *row, struct sotto_chain_part *parts,
				   const struct sotto_ledger_release *release)
{
	SOTTO_TRY(cost_texts(release->cost, &row->cost));
	for (size_t i = 0; i < row->part_count; i++) {
		parts[i].what = release->parts[i].what;
		SOTTO_TRY(cost_texts(release->parts[i].cost, &parts[i].cost));
	}
	return SOTTO_OK;
}

static enum sotto_status append_row(struct sotto_ledger *l, struct sotto_chain_row *row,
				    const char *key_text, struct sotto_error *err)
{
	struct sotto_store_head head = l->seen;
	uint8_t key[SOTTO_HASH_BYTES] = {0};

	if (key_text)
		sotto_chain_fingerprint("sotto ledger key 1", key_text, key);
	row->key = key;
	row->number = ++head.number;
	sotto_chain_extend(head.hash, row);
	return sotto_store_append(&l->store, row, &head, err);
}

enum sotto_status
sotto_ledger_append(struct sotto_ledger *l, const struct sotto_ledger_release *release,
		    enum sotto_ledger_kind kind, int64_t when, struct sotto_error *err)
{
	struct sotto_chain_part *parts = calloc(release->part_count + 1, sizeof *parts);
	struct sotto_chain_row row = {.format = SOTTO_CHAIN_FORMAT,
				      .kind = kind,
				      .time = when,
				      .analyst = release->analyst,
				      .query = release->query,
				      .data = release->data ? release->data : "",
				      .parts = parts,
				      .part_count = release->part_count};
	enum sotto_status st = parts ? row_texts(&row, parts, release) : SOTTO_ENOMEM;

	if (st == SOTTO_ERANGE)
		(void)sotto_fail(err, st,
				 "the cost has more than %d digits; round it up to fewer",
				 COST_TEXT_MAX);
	if (st == SOTTO_OK)
		st = append_row(l, &row, release->key, err);
	for (size_t i = 0; parts && i < release->part_count; i++)
		cost_texts_release(&parts[i].cost);
	free(parts);
	cost_texts_release(&row.cost);
	return st;
}
