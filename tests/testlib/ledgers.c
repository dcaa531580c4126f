#include "core/ledger/ledger_inside.h"
#include "testlib/ledgers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARTS_MAX = 64 };

void ledgers_begin(struct ledgers *b, const char *epsilon, const char *delta)
{
	folder_open(&b->folder);
	folder_file(&b->folder, "ledger.db", b->path);
	sotto_ledger_budget_init(&b->budget);
	if (sotto_rational_parse(&b->budget.epsilon, epsilon, NULL) != SOTTO_OK ||
	    sotto_rational_parse(&b->budget.delta, delta, NULL) != SOTTO_OK)
		abort();
	b->err.text[0] = '\0';
}

void ledgers_end(struct ledgers *b)
{
	sotto_ledger_budget_release(&b->budget);
	folder_close(&b->folder);
}

enum sotto_status ledgers_make(struct ledgers *b)
{
	const struct sotto_ledger_terms terms = {.policy = "unit: patient\n"};

	return sotto_ledger_create(b->path, &terms, &b->err);
}

enum sotto_status ledgers_open(struct ledgers *b, struct sotto_ledger **l)
{
	*l = NULL;
	if (access(b->path, F_OK) != 0 && ledgers_make(b) != SOTTO_OK &&
	    access(b->path, F_OK) != 0) /* another process may be quicker */
		return SOTTO_EIO;
	return sotto_ledger_open(b->path, NULL, &b->budget, l, &b->err);
}

static void set_pure(struct sotto_cost *cost, const char *epsilon)
{
	struct sotto_rational e;

	sotto_rational_init(&e);
	sotto_cost_init(cost);
	if (sotto_rational_parse(&e, epsilon, NULL) != SOTTO_OK ||
	    sotto_cost_set_pure(cost, &e) != SOTTO_OK)
		abort();
	sotto_rational_release(&e);
}

static enum sotto_status charge(struct sotto_ledger *l, const char *analyst,
				const char *epsilon, size_t parts, const char *key,
				uint64_t *entry, struct sotto_error *err)
{
	struct sotto_ledger_part list[PARTS_MAX] = {{0}};
	struct sotto_cost one, whole;
	struct sotto_ledger_release release = {.analyst = analyst,
					       .query = "SELECT COUNT(*) FROM t",
					       .key = key,
					       .cost = &whole,
					       .parts = parts ? list : NULL,
					       .part_count = parts};
	enum sotto_status st;

	set_pure(&one, epsilon);
	sotto_cost_init(&whole);
	for (size_t i = 0; i < parts || i < 1; i++) {
		sotto_cost_add(&whole, &one);
		list[i] = (struct sotto_ledger_part){.what = "part", .cost = &one};
	}
	st = sotto_ledger_charge(l, &release, entry, err);
	sotto_cost_release(&whole);
	sotto_cost_release(&one);
	return st;
}

enum sotto_status
ledgers_charge(struct sotto_ledger *l, const char *epsilon, struct sotto_error *err)
{
	return ledgers_charge_as(l, "ada", epsilon, "k", NULL, err);
}

enum sotto_status ledgers_charge_as(struct sotto_ledger *l, const char *analyst,
				    const char *epsilon, const char *key, uint64_t *entry,
				    struct sotto_error *err)
{
	uint64_t ignored;

	return charge(l, analyst, epsilon, 0, key, entry ? entry : &ignored, err);
}

enum sotto_status ledgers_charge_parts(struct sotto_ledger *l, const char *epsilon,
				       size_t parts, const char *key, uint64_t *entry,
				       struct sotto_error *err)
{
	return charge(l, "ada", epsilon, parts, key, entry, err);
}

static void amount(struct sotto_ledger *l, const char *analyst, bool left, char out[64])
{
	struct sotto_ledger_totals t;
	char *text = NULL;

	sotto_ledger_totals_init(&t);
	if (sotto_ledger_totals(l, analyst, &t, NULL) != SOTTO_OK ||
	    sotto_rational_format(left ? &t.left.epsilon : &t.spent.epsilon, &text) != SOTTO_OK)
		text = strdup("nothing known");
	snprintf(out, 64, "%s", text);
	free(text);
	sotto_ledger_totals_release(&t);
}

void ledgers_spent(struct sotto_ledger *l, char out[64])
{
	amount(l, NULL, false, out);
}

void ledgers_spent_by(struct sotto_ledger *l, const char *analyst, char out[64])
{
	amount(l, analyst, false, out);
}

void ledgers_left(struct sotto_ledger *l, char out[64])
{
	amount(l, NULL, true, out);
}
