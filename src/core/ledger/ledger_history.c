/*
 * Reading a ledger: totals, every entry, verification; and copying it.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/ledger/ledger_inside.h"
#include "core/ledger/store/ledger_store_error.h"
#include "core/ledger/store/ledger_store_part.h"

/* ---- totals --------------------------------------------------------------------------------- */

void sotto_ledger_totals_init(struct sotto_ledger_totals *t)
{
	*t = (struct sotto_ledger_totals){0};
	sotto_ledger_budget_init(&t->budget);
	sotto_cost_init(&t->spent);
	sotto_filter_left_init(&t->left);
}

void sotto_ledger_totals_release(struct sotto_ledger_totals *t)
{
	if (!t)
		return;
	sotto_ledger_budget_release(&t->budget);
	sotto_cost_release(&t->spent);
	sotto_filter_left_release(&t->left);
}

/* A share, if there is one; else a tally. */
static struct sotto_limit *limit_of(struct sotto_ledger *l, const char *analyst)
{
	struct sotto_limit *found = NULL;

	if (!analyst)
		return &l->limits[SOTTO_LIMIT_WHOLE];
	for (size_t i = SOTTO_LIMIT_SHARES; i < l->limit_count; i++)
		if (strcmp(l->limits[i].analyst, analyst) == 0 &&
		    (!found || !l->limits[i].is_tally))
			found = &l->limits[i];
	return found;
}

static void copy_totals(const struct sotto_ledger *l, struct sotto_limit *limit,
			struct sotto_ledger_totals *out)
{
	sotto_rational_set(&out->budget.epsilon, &limit->budget.epsilon);
	sotto_rational_set(&out->budget.delta, &limit->budget.delta);
	out->budget.window = limit->budget.window;
	sotto_cost_set(&out->spent, &limit->spent);
	out->entries = limit->entries;
	out->time = sotto_ledger_time(l);
	out->renews = limit->budget.window ? sotto_limit_start(limit, limit->window + 1) : 0;
	out->ahead = sotto_ledger_ahead(l);
	sotto_limit_left(limit, NULL, &out->left);
}

enum sotto_status sotto_ledger_total(struct sotto_ledger *l, const char *analyst,
				     struct sotto_ledger_totals *out, struct sotto_error *err)
{
	struct sotto_limit *limit = limit_of(l, analyst);

	if (!limit)
		return sotto_fail(err, SOTTO_EMISSING, "%.100s has no share of the budget",
				  analyst);
	SOTTO_TRY(sotto_ledger_begin(l, false, err));
	SOTTO_TRY(sotto_ledger_settle(l, limit, sotto_ledger_time(l), err));
	copy_totals(l, limit, out);
	return SOTTO_OK;
}

enum sotto_status sotto_ledger_totals(struct sotto_ledger *l, const char *analyst,
				      struct sotto_ledger_totals *out, struct sotto_error *err)
{
	enum sotto_status st;

	if (!out)
		return sotto_fail(err, SOTTO_EINVAL, "totals need a place");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = sotto_ledger_total(l, analyst, out, err);
	sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}

/* ---- verification --------------------------------------------------------------------------- */

static enum sotto_status
verify(struct sotto_ledger *l, uint64_t *answers, struct sotto_error *err)
{
	sotto_ledger_start_over(l);
	SOTTO_TRY(sotto_ledger_begin(l, false, err));
	SOTTO_TRY(sotto_store_check_parts(&l->store, err));
	return sotto_store_check_answers(&l->store, answers, err);
}

enum sotto_status sotto_ledger_verify(struct sotto_ledger *l, uint64_t *entries,
				      uint64_t *answers, struct sotto_error *err)
{
	enum sotto_status st;
	uint64_t found = 0;

	if (!entries || !answers)
		return sotto_fail(err, SOTTO_EINVAL, "verifying needs a place for its counts");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = verify(l, &found, err);
	sotto_store_rollback(&l->store);
	if (st == SOTTO_OK) {
		*entries = l->seen.number;
		*answers = found;
	}
	sotto_ledger_leave(l);
	return st;
}

/* ---- a copy --------------------------------------------------------------------------------- */

/* Reads the copy's whole chain, without any limit, to see that it ends where ours does. */
static enum sotto_status
check_copy(void *context, struct sotto_store *store, struct sotto_error *err)
{
	const struct sotto_ledger *l = context;
	struct sotto_ledger copy = {.store = *store};
	enum sotto_status st = sotto_ledger_read_all(&copy, err);
	uint64_t answers;

	free(copy.repairs);
	free(copy.terms);
	SOTTO_TRY(st);
	if (memcmp(&copy.seen, &l->seen, sizeof copy.seen) != 0)
		return sotto_store_damage(store, err);
	SOTTO_TRY(sotto_store_check_parts(store, err));
	return sotto_store_check_answers(store, &answers, err);
}

/* In one transaction, so that the copy ends at the entry that was read last. */
static enum sotto_status
backup(struct sotto_ledger *l, const char *path, struct sotto_error *err)
{
	SOTTO_TRY(sotto_ledger_begin(l, false, err));
	return sotto_store_backup(&l->store, path, check_copy, l, err);
}

enum sotto_status
sotto_ledger_backup(struct sotto_ledger *l, const char *path, struct sotto_error *err)
{
	enum sotto_status st;

	if (!path || !*path)
		return sotto_fail(err, SOTTO_EINVAL, "a copy needs the name of a file");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = backup(l, path, err);
	sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}

/* ---- every entry ---------------------------------------------------------------------------- */

struct visitor {
	struct sotto_ledger *ledger;
	sotto_ledger_visit visit;
	void *context;
	uint64_t
		own; /* of entries in one name: how many came before; UINT64_MAX: in any name */
};

/* The parts' costs, in one block: the costs, then what is shown of them. */
struct part_list {
	struct sotto_cost *costs;
	struct sotto_ledger_part *parts;
	size_t count;
};

static enum sotto_status part_list_read(struct part_list *p, const struct sotto_chain_row *row)
{
	p->costs = calloc(row->part_count + 1, sizeof *p->costs);
	p->parts = calloc(row->part_count + 1, sizeof *p->parts);
	if (!p->costs || !p->parts)
		return SOTTO_ENOMEM;
	for (; p->count < row->part_count; p->count++) {
		struct sotto_cost *cost = &p->costs[p->count];

		sotto_cost_init(cost);
		p->parts[p->count] = (struct sotto_ledger_part){
			.what = row->parts[p->count].what, .cost = cost};
		if (sotto_chain_cost_read(&row->parts[p->count].cost, cost) != SOTTO_OK) {
			sotto_cost_release(cost);
			return SOTTO_ECORRUPT;
		}
	}
	return SOTTO_OK;
}

static void part_list_release(struct part_list *p)
{
	for (size_t i = 0; i < p->count; i++)
		sotto_cost_release(&p->costs[i]);
	free(p->costs);
	free(p->parts);
}

static enum sotto_status visit_row(void *context, const struct sotto_chain_row *row,
				   const uint8_t hash[SOTTO_HASH_BYTES], bool answered,
				   struct sotto_error *err)
{
	struct visitor *v = context;
	uint64_t number = v->own == UINT64_MAX ? row->number : ++v->own;
	struct part_list parts = {0};
	struct sotto_cost cost;
	enum sotto_status st;

	(void)hash; /* the catch-up has checked it */
	sotto_cost_init(&cost);
	st = sotto_chain_cost_read(&row->cost, &cost);
	if (st == SOTTO_OK)
		st = part_list_read(&parts, row);
	if (st == SOTTO_OK)
		st = v->visit(v->context, &(struct sotto_ledger_entry){
						  .kind = (enum sotto_ledger_kind)row->kind,
						  .number = number,
						  .time = row->time,
						  .analyst = row->analyst,
						  .query = row->query,
						  .cost = &cost,
						  .parts = parts.parts,
						  .part_count = parts.count,
						  .answered = answered});
	else if (st == SOTTO_ECORRUPT)
		st = sotto_store_damage(&v->ledger->store, err);
	part_list_release(&parts);
	sotto_cost_release(&cost);
	return st;
}

static enum sotto_status
visit_rows(struct visitor *v, struct sotto_store_range range, struct sotto_error *err)
{
	SOTTO_TRY(sotto_ledger_begin(v->ledger, false, err));
	return sotto_store_rows(&v->ledger->store, range, visit_row, v, err);
}

enum sotto_status sotto_ledger_each(struct sotto_ledger *l, sotto_ledger_visit visit,
				    void *context, struct sotto_error *err)
{
	return sotto_ledger_each_after(l, 0, NULL, visit, context, err);
}

enum sotto_status sotto_ledger_each_after(struct sotto_ledger *l, uint64_t after,
					  const char *analyst, sotto_ledger_visit visit,
					  void *context, struct sotto_error *err)
{
	struct visitor v = {.ledger = l,
			    .visit = visit,
			    .context = context,
			    .own = analyst ? after : UINT64_MAX};
	const struct sotto_store_range range = {.after = analyst ? 0 : after,
						.skip = analyst ? after : 0,
						.last = INT64_MAX,
						.analyst = analyst};
	enum sotto_status st;

	if (!visit)
		return sotto_fail(err, SOTTO_EINVAL, "a visit needs a visitor");
	SOTTO_TRY(sotto_ledger_enter(l, err));
	st = visit_rows(&v, range, err);
	sotto_store_rollback(&l->store);
	sotto_ledger_leave(l);
	return st;
}
