/*
 * (1) Spent budget never decreases, across any crash at any byte.
 * (2) A charge is durable before its answer leaves query/.
 * (3) A damaged ledger refuses to open; it is never silently reset.
 * (4) Two processes never both spend the last of the budget.
 * (5) Time in the ledger never goes back, so a clock that does renews nothing.
 *
 * What is spent is never kept but computed: every operation first reads the rows
 * that were added since the last one, checks their chain of hashes and counts
 * them, inside the transaction that decides.  Argument: ledger.md.
 */
#include "sotto/ledger.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/failure.h"
#include "ledger/limit.h"
#include "ledger/store.h"
#include "ledger/store_error.h"

struct sotto_ledger {
	struct sotto_store store;
	struct sotto_limit *limits; /* the first is the whole */
	size_t limit_count;
	struct sotto_store_head seen; /* rows up to here are counted in the limits */
	int64_t last_time;
};

void sotto_ledger_budget_init(struct sotto_ledger_budget *b)
{
	sotto_rational_init(&b->epsilon);
	sotto_rational_init(&b->delta);
	b->window = 0;
}

void sotto_ledger_budget_release(struct sotto_ledger_budget *b)
{
	sotto_rational_release(&b->epsilon);
	sotto_rational_release(&b->delta);
}

static bool is_cost(const struct sotto_cost *cost)
{
	return sotto_rational_sign(&cost->epsilon) >= 0 &&
	       sotto_rational_sign(&cost->delta) >= 0 && sotto_rational_sign(&cost->rho) >= 0;
}

static enum sotto_status parse_cost(const struct sotto_chain_row *row, struct sotto_cost *cost)
{
	cost->bounded = row->bounded;
	SOTTO_TRY(sotto_rational_parse(&cost->epsilon, row->epsilon, NULL));
	SOTTO_TRY(sotto_rational_parse(&cost->delta, row->delta, NULL));
	SOTTO_TRY(sotto_rational_parse(&cost->rho, row->rho, NULL));
	return is_cost(cost) ? SOTTO_OK : SOTTO_ECORRUPT;
}

static enum sotto_status
count_cost(struct sotto_ledger *l, const struct sotto_chain_row *row, struct sotto_error *err)
{
	struct sotto_cost cost;
	enum sotto_status st;

	sotto_cost_init(&cost);
	st = parse_cost(row, &cost);
	if (st != SOTTO_OK)
		st = sotto_store_damage(&l->store, err);
	for (size_t i = 0; st == SOTTO_OK && i < l->limit_count; i++)
		if (sotto_limit_concerns(&l->limits[i], row->analyst))
			st = sotto_limit_count(&l->limits[i], row->time, &cost);
	sotto_cost_release(&cost);
	return st;
}

/* Takes one more row into account, if it is the one that follows. */
static enum sotto_status count_row(void *context, const struct sotto_chain_row *row,
				   const uint8_t hash[SOTTO_HASH_BYTES], bool answered,
				   struct sotto_error *err)
{
	struct sotto_ledger *l = context;
	struct sotto_store_head next = l->seen;

	(void)answered;
	next.number++;
	sotto_chain_extend(next.hash, row);
	if (row->number != next.number || row->time < l->last_time ||
	    memcmp(next.hash, hash, sizeof next.hash) != 0)
		return sotto_store_damage(&l->store, err);
	SOTTO_TRY(count_cost(l, row, err));
	l->seen = next;
	l->last_time = row->time;
	return SOTTO_OK;
}

/* Within a transaction: counts what is new and checks that it ends at the stored head. */
static enum sotto_status catch_up(struct sotto_ledger *l, struct sotto_error *err)
{
	struct sotto_store_head head;

	SOTTO_TRY(sotto_store_head(&l->store, &head, err));
	SOTTO_TRY(sotto_store_rows(&l->store, l->seen.number, count_row, l, err));
	if (head.number != l->seen.number ||
	    memcmp(head.hash, l->seen.hash, sizeof head.hash) != 0)
		return sotto_store_damage(&l->store, err);
	return SOTTO_OK;
}

static void start_over(struct sotto_ledger *l)
{
	memset(&l->seen, 0, sizeof l->seen);
	l->last_time = 0;
	for (size_t i = 0; i < l->limit_count; i++)
		sotto_limit_reset(&l->limits[i]);
}

static enum sotto_status read_all(struct sotto_ledger *l, struct sotto_error *err)
{
	enum sotto_status st = sotto_store_begin(&l->store, false, err);

	if (st == SOTTO_OK)
		st = catch_up(l, err);
	sotto_store_rollback(&l->store);
	return st;
}

static enum sotto_status add_limit(struct sotto_ledger *l, const char *analyst,
				   const struct sotto_ledger_budget *budget,
				   struct sotto_error *err)
{
	struct sotto_limit *grown = realloc(l->limits, (l->limit_count + 1) * sizeof *grown);

	if (!grown)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	l->limits = grown;
	SOTTO_TRY(sotto_limit_init(&l->limits[l->limit_count], analyst, budget, err));
	l->limit_count++;
	return SOTTO_OK;
}

static enum sotto_status open_parts(struct sotto_ledger *l, const char *path,
				    const char *policy, const struct sotto_ledger_budget *total,
				    struct sotto_error *err)
{
	SOTTO_TRY(add_limit(l, NULL, total, err));
	SOTTO_TRY(sotto_store_open(&l->store, path, policy, err));
	return read_all(l, err);
}

enum sotto_status sotto_ledger_open(const char *path, const char *policy,
				    const struct sotto_ledger_budget *total,
				    struct sotto_ledger **out, struct sotto_error *err)
{
	struct sotto_ledger *l = calloc(1, sizeof *l);
	enum sotto_status st;

	if (!l)
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	st = open_parts(l, path, policy, total, err);
	if (st == SOTTO_OK)
		*out = l;
	else
		sotto_ledger_close(l);
	return st;
}

void sotto_ledger_close(struct sotto_ledger *l)
{
	if (!l)
		return;
	sotto_store_close(&l->store);
	for (size_t i = 0; i < l->limit_count; i++)
		sotto_limit_release(&l->limits[i]);
	free(l->limits);
	free(l);
}

enum sotto_status sotto_ledger_share(struct sotto_ledger *l, const char *analyst,
				     const struct sotto_ledger_budget *share,
				     struct sotto_error *err)
{
	for (size_t i = 1; i < l->limit_count; i++)
		if (strcmp(l->limits[i].analyst, analyst) == 0)
			return sotto_fail(err, SOTTO_EINVAL, "%.100s has two shares; keep one",
					  analyst);
	SOTTO_TRY(add_limit(l, analyst, share, err));
	start_over(l);
	return read_all(l, err);
}

/* Now, or the time of the last entry where the clock went back. */
static int64_t ledger_time(const struct sotto_ledger *l)
{
	int64_t now = (int64_t)time(NULL);

	return now > l->last_time ? now : l->last_time;
}

static enum sotto_status check_limits(struct sotto_ledger *l, const char *analyst,
				      const struct sotto_cost *cost, int64_t when,
				      struct sotto_error *err)
{
	for (size_t i = 0; i < l->limit_count; i++)
		if (sotto_limit_concerns(&l->limits[i], analyst))
			SOTTO_TRY(sotto_limit_check(&l->limits[i], when, cost, err));
	return SOTTO_OK;
}

struct cost_texts {
	char *epsilon, *delta, *rho;
};

static void cost_texts_release(struct cost_texts *t)
{
	free(t->epsilon);
	free(t->delta);
	free(t->rho);
}

static enum sotto_status cost_texts_of(const struct sotto_cost *cost, struct cost_texts *t)
{
	SOTTO_TRY(sotto_rational_format(&cost->epsilon, &t->epsilon));
	SOTTO_TRY(sotto_rational_format(&cost->delta, &t->delta));
	return sotto_rational_format(&cost->rho, &t->rho);
}

static enum sotto_status append(struct sotto_ledger *l,
				const struct sotto_ledger_release *release, int64_t when,
				struct sotto_error *err)
{
	struct sotto_store_head head = l->seen;
	struct cost_texts texts = {0};
	uint8_t key[SOTTO_HASH_BYTES];
	struct sotto_chain_row row = {.number = head.number + 1,
				      .time = when,
				      .analyst = release->analyst,
				      .query = release->query,
				      .key = key,
				      .bounded = release->cost->bounded};
	enum sotto_status st = cost_texts_of(release->cost, &texts);

	if (st == SOTTO_OK) {
		sotto_chain_fingerprint("sotto ledger key 1", release->key, key);
		row.epsilon = texts.epsilon;
		row.delta = texts.delta;
		row.rho = texts.rho;
		head.number = row.number;
		sotto_chain_extend(head.hash, &row);
		st = sotto_store_append(&l->store, &row, &head, err);
	}
	cost_texts_release(&texts);
	return st;
}

/*
 * The new row is not counted here: the next operation reads it back, so that
 * memory never knows of a charge that the disk does not have.
 */
static enum sotto_status charge(struct sotto_ledger *l,
				const struct sotto_ledger_release *release, uint64_t *entry,
				struct sotto_error *err)
{
	int64_t when;

	SOTTO_TRY(sotto_store_begin(&l->store, true, err));
	SOTTO_TRY(catch_up(l, err));
	when = ledger_time(l);
	SOTTO_TRY(check_limits(l, release->analyst, release->cost, when, err));
	SOTTO_TRY(append(l, release, when, err));
	SOTTO_TRY(sotto_store_commit(&l->store, err));
	*entry = l->seen.number + 1;
	return SOTTO_OK;
}

enum sotto_status sotto_ledger_charge(struct sotto_ledger *l,
				      const struct sotto_ledger_release *release,
				      uint64_t *entry, struct sotto_error *err)
{
	enum sotto_status st;

	if (!is_cost(release->cost))
		return sotto_fail(err, SOTTO_EINVAL, "a cost cannot be negative");
	st = charge(l, release, entry, err);
	if (st != SOTTO_OK)
		sotto_store_rollback(&l->store);
	return st;
}

enum sotto_status sotto_ledger_check(struct sotto_ledger *l, const char *analyst,
				     const struct sotto_cost *cost, struct sotto_error *err)
{
	SOTTO_TRY(read_all(l, err));
	return check_limits(l, analyst, cost, ledger_time(l), err);
}

enum sotto_status sotto_ledger_answer(struct sotto_ledger *l, uint64_t entry,
				      const char *answer, struct sotto_error *err)
{
	enum sotto_status st = sotto_store_begin(&l->store, true, err);

	if (st == SOTTO_OK)
		st = sotto_store_answer(&l->store, entry, answer, err);
	if (st == SOTTO_OK)
		st = sotto_store_commit(&l->store, err);
	if (st != SOTTO_OK)
		sotto_store_rollback(&l->store);
	return st;
}

enum sotto_status sotto_ledger_find(struct sotto_ledger *l, const char *key, char **answer,
				    struct sotto_error *err)
{
	uint8_t hash[SOTTO_HASH_BYTES];

	sotto_chain_fingerprint("sotto ledger key 1", key, hash);
	return sotto_store_find(&l->store, hash, answer, err);
}

void sotto_ledger_totals_init(struct sotto_ledger_totals *t)
{
	sotto_ledger_budget_init(&t->budget);
	sotto_cost_init(&t->spent);
	sotto_filter_left_init(&t->left);
	t->entries = 0;
}

void sotto_ledger_totals_release(struct sotto_ledger_totals *t)
{
	sotto_ledger_budget_release(&t->budget);
	sotto_cost_release(&t->spent);
	sotto_filter_left_release(&t->left);
}

static struct sotto_limit *limit_of(struct sotto_ledger *l, const char *analyst)
{
	for (size_t i = 1; analyst && i < l->limit_count; i++)
		if (strcmp(l->limits[i].analyst, analyst) == 0)
			return &l->limits[i];
	return analyst ? NULL : &l->limits[0];
}

enum sotto_status sotto_ledger_totals(struct sotto_ledger *l, const char *analyst,
				      struct sotto_ledger_totals *out, struct sotto_error *err)
{
	struct sotto_limit *limit = limit_of(l, analyst);

	if (!limit)
		return sotto_fail(err, SOTTO_EMISSING, "%.100s has no share of the budget",
				  analyst);
	SOTTO_TRY(read_all(l, err));
	sotto_limit_roll(limit, ledger_time(l));
	sotto_rational_set(&out->budget.epsilon, &limit->budget.epsilon);
	sotto_rational_set(&out->budget.delta, &limit->budget.delta);
	out->budget.window = limit->budget.window;
	sotto_cost_set(&out->spent, &limit->spent);
	out->entries = limit->entries;
	if (limit->overspent) {
		sotto_filter_left_release(&out->left);
		sotto_filter_left_init(&out->left);
	} else {
		sotto_filter_left(&limit->filter, &out->left);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_ledger_verify(struct sotto_ledger *l, uint64_t *entries,
				      uint64_t *answers, struct sotto_error *err)
{
	enum sotto_status st = sotto_store_begin(&l->store, false, err);

	start_over(l);
	if (st == SOTTO_OK)
		st = catch_up(l, err);
	if (st == SOTTO_OK)
		st = sotto_store_check_answers(&l->store, answers, err);
	sotto_store_rollback(&l->store);
	if (st == SOTTO_OK)
		*entries = l->seen.number;
	return st;
}

struct visitor {
	struct sotto_ledger *ledger;
	sotto_ledger_visit visit;
	void *context;
};

static enum sotto_status visit_row(void *context, const struct sotto_chain_row *row,
				   const uint8_t hash[SOTTO_HASH_BYTES], bool answered,
				   struct sotto_error *err)
{
	const struct visitor *v = context;
	struct sotto_ledger_entry entry = {.number = row->number,
					   .time = row->time,
					   .analyst = row->analyst,
					   .query = row->query,
					   .answered = answered};
	struct sotto_cost cost;
	enum sotto_status st;

	(void)hash; /* catch_up has checked it */
	sotto_cost_init(&cost);
	st = parse_cost(row, &cost);
	if (st != SOTTO_OK)
		st = sotto_store_damage(&v->ledger->store, err);
	entry.cost = &cost;
	if (st == SOTTO_OK)
		st = v->visit(v->context, &entry);
	sotto_cost_release(&cost);
	return st;
}

enum sotto_status sotto_ledger_each(struct sotto_ledger *l, sotto_ledger_visit visit,
				    void *context, struct sotto_error *err)
{
	struct visitor v = {l, visit, context};
	enum sotto_status st = sotto_store_begin(&l->store, false, err);

	if (st == SOTTO_OK)
		st = catch_up(l, err);
	if (st == SOTTO_OK)
		st = sotto_store_rows(&l->store, 0, visit_row, &v, err);
	sotto_store_rollback(&l->store);
	return st;
}
