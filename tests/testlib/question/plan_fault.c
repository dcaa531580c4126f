/*
 * Exchanges words and numbers in the engine's SQL of a finished plan, or weakens its noise, one
 * kind of fault at a time.
 */
#include "testlib/question/plan_fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each `old` becomes `new`, from the first `after` on if that is given; of numbers,
 * only an `old` that a number follows, and with that number.
 */
static void exchange_after(struct sotto_plan *plan, const char *after, const char *old,
			   const char *new, bool numbers)
{
	const char *from = plan->engine_sql, *start = after ? strstr(from, after) : from;
	char *sql = sotto_arena_alloc(&plan->arena, 20 * strlen(from) + 1), *to = sql;
	size_t n = strlen(old);

	if (!sql || !start)
		return;
	while (*from) {
		size_t digits =
			numbers && strlen(from) > n ? strspn(from + n, "-0123456789") : 0;

		if (from >= start && strncmp(from, old, n) == 0 && (digits || !numbers)) {
			to += sprintf(to, "%s", new);
			from += n + digits;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	plan->engine_sql = sql;
}

static void exchange(struct sotto_plan *plan, const char *old, const char *new)
{
	exchange_after(plan, NULL, old, new, false);
}

/* The number after each `before` becomes a very large one. */
static void raise_limits(struct sotto_plan *plan, const char *before)
{
	char large[64];

	(void)snprintf(large, sizeof large, "%s1000000", before);
	exchange_after(plan, NULL, before, large, true);
}

/* The same for the upper bound in each sum(column, lo, hi, ...) or square(...) of a task. */
static void raise_bounds(struct sotto_plan *plan, const char *word)
{
	const char *from = plan->engine_sql;
	char *sql = sotto_arena_alloc(&plan->arena, 20 * strlen(from) + 1), *to = sql;
	size_t n = strlen(word);

	if (!sql)
		return;
	while (*from) {
		long column, lo, hi;
		int end = 0;

		if (strncmp(from, word, n) == 0 &&
		    sscanf(from + n, "(%ld, %ld, %ld%n", &column, &lo, &hi, &end) == 3) {
			to += sprintf(to, "%s(%ld, %ld, %ld", word, column, lo, hi + 1000000);
			from += n + (size_t)end;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	plan->engine_sql = sql;
}

/* A copy that may be written to. */
static char *copy_sql(struct sotto_plan *plan)
{
	char *sql = sotto_arena_text(&plan->arena, plan->engine_sql);

	if (!sql)
		abort();
	plan->engine_sql = sql;
	return sql;
}

/* ON unit = unit AND ... without its first condition. */
static void unmatch(struct sotto_plan *plan)
{
	char *on = copy_sql(plan), *end;

	while ((on = strstr(on, " ON t")) != NULL) {
		end = strstr(on, " AND ");
		if (end && memchr(on, '(', (size_t)(end - on)) == NULL) {
			memset(on, ' ', (size_t)(end - on));
			memcpy(on, " ON TRUE", 8);
		}
		on += 4;
	}
}

/* PARTITION BY unit, ... with 1 for the unit, as often as it is there. */
static void undivide(struct sotto_plan *plan)
{
	static const char over[] = " OVER (PARTITION BY ";
	char *at = copy_sql(plan), unit[64];

	while ((at = strstr(at, over)) != NULL) {
		char *end = strpbrk(at += sizeof over - 1, ",)");
		size_t n = end ? (size_t)(end - at) : 0;

		if (n == 0 || n >= sizeof unit || *at != 't')
			continue;
		(void)snprintf(unit, sizeof unit, "%.*s", (int)n, at);
		for (; *at != ')' && strncmp(at, " ORDER", 6) != 0; at++)
			if (strncmp(at, unit, n) == 0)
				*(char *)memset(at, ' ', n) = '1';
	}
}

static void plant_sql(struct sotto_plan *plan, enum plan_fault fault)
{
	switch (fault) {
	case FAULT_ROWS:
		raise_limits(plan, "keep(");
		raise_limits(plan, "least(n, ");
		raise_limits(plan, "least(n0, ");
		break;
	case FAULT_WINDOW:
		raise_limits(plan, ") <= ");
		break;
	case FAULT_CLIP:
		raise_limits(plan, " AND ");
		raise_bounds(plan, " sum");
		raise_bounds(plan, " square");
		break;
	case FAULT_SPREAD:
		raise_limits(plan, "WHEN n <= ");
		break;
	case FAULT_OWNER:
		exchange(plan, "v.u AS \"sotto unit\"", "hash(v.u, s) AS \"sotto unit\"");
		exchange(plan, "SELECT v.u AS u, ", "SELECT hash(v.u, s) AS u, ");
		break;
	case FAULT_MATCH:
		unmatch(plan);
		break;
	case FAULT_UNION:
		exchange_after(plan, " UNION ALL ", " AS u FROM", " + 1000 AS u FROM", false);
		break;
	case FAULT_PARTITION:
		undivide(plan);
		break;
	case FAULT_EXACT:
		exchange(plan, "\"sotto part 0\" AS",
			 "(SELECT count(*) % 5 AS c0, count(*) % 5 AS c1, 0 AS low0, 0 AS "
			 "high0, 0 AS low1, 0 AS high1 FROM t) AS");
		break;
	case FAULT_NAMES:
		exchange(plan, "GROUP BY 1, 2) AS", "GROUP BY u, k0) AS");
		break;
	default:
		break;
	}
}

/* The engine is asked one of two texts: both are made wrong. */
static void plant_loss_sql(struct sotto_plan *plan, enum plan_fault fault)
{
	const char *sql = plan->engine_sql;

	if (!plan->loss.engine_sql)
		return;
	plan->engine_sql = plan->loss.engine_sql;
	plant_sql(plan, fault);
	if (fault == FAULT_WINDOW)
		raise_limits(plan, "WHERE place <= ");
	if (fault == FAULT_LOSS_CAP)
		raise_limits(plan, ", 0), ");
	if (fault == FAULT_LOSS_CAP)
		raise_limits(plan, ".clipped, ");
	if (fault == FAULT_LOSS_GROUPS) {
		exchange(plan, "_units(hash(u, ", "_units(hash(u, k0, ");
		exchange(plan, "_units(xor(CAST(u AS BIGINT), ",
			 "_units(xor(CAST(hash(u, k0) >> 1 AS BIGINT), ");
	}
	plan->loss.engine_sql = plan->engine_sql;
	plan->engine_sql = sql;
}

static void plant_bins(struct sotto_plan *plan)
{
	const char *sql = plan->engine_sql;

	if (!plan->spread.engine_sql)
		return;
	plan->engine_sql = plan->spread.engine_sql;
	exchange(plan, "FROM p GROUP BY u) SELECT", "FROM p GROUP BY u, n) SELECT");
	plan->spread.engine_sql = plan->engine_sql;
	plan->engine_sql = sql;
}

/* What is declared of a plan, not what the engine is asked. */
static bool plant_declared(struct sotto_plan *plan, enum plan_fault fault)
{
	bool planted = false;

	for (size_t i = 0; fault == FAULT_LOSS_SENSITIVITY && i < plan->loss.count; i++) {
		planted |= plan->loss.items[i].moved > 1;
		plan->loss.items[i].moved -= plan->loss.items[i].moved > 1;
	}
	if (fault == FAULT_ONE_WAY) {
		planted |= plan->top.chosen && !plan->top.monotone;
		plan->top.monotone = true;
	}
	if (fault == FAULT_GROUPS) {
		planted |= plan->groups > 1;
		plan->groups -= plan->groups > 1;
	}
	for (size_t i = 0; fault == FAULT_SENSITIVITY && i < plan->measure_count; i++) {
		planted |= plan->measures[i].per_group > 1;
		plan->measures[i].per_group -= plan->measures[i].per_group > 1;
	}
	for (size_t i = 0; fault == FAULT_CHOICE && i < plan->choice_count; i++) {
		struct sotto_choice *p = &plan->choices[i];
		mpq_ptr epsilon = p->kind == SOTTO_CHOICE_MODE
					  ? p->mode.choice->epsilon.q
					  : p->quantiles.choice->choice.epsilon.q;

		mpq_mul_2exp(epsilon, epsilon, 1);
		planted = true;
	}
	return planted;
}

static bool is_other_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* The text for this machine's engine, where there is one of its own, takes the place of that for any. */
static void keep_what_is_run(struct sotto_plan *plan)
{
	if (plan->here_sql)
		plan->engine_sql = plan->here_sql;
	if (plan->loss.here_sql)
		plan->loss.engine_sql = plan->loss.here_sql;
	plan->here_sql = plan->loss.here_sql = NULL;
}

bool plan_fault_plant(struct sotto_plan *plan, enum plan_fault fault)
{
	keep_what_is_run(plan);

	const char *sql = plan->engine_sql, *loss = plan->loss.engine_sql;
	const char *spread = plan->spread.engine_sql;

	if (fault == FAULT_BINS)
		plant_bins(plan);
	plant_sql(plan, fault);
	plant_loss_sql(plan, fault);
	return plant_declared(plan, fault) || is_other_text(sql, plan->engine_sql) ||
	       is_other_text(loss, plan->loss.engine_sql) ||
	       is_other_text(spread, plan->spread.engine_sql);
}

void noise_fault_plant(struct sotto_added_noise *n, unsigned factor)
{
	struct sotto_added_noise weak = {.kind = SOTTO_NOISE_NONE};
	struct sotto_rational amount;
	enum sotto_status st;
	mpz_t moved;

	sotto_rational_init(&amount);
	mpz_init(moved);
	mpq_set_ui(amount.q, factor, 1);
	if (n->kind == SOTTO_NOISE_LAPLACE) {
		mpz_set(moved, mpq_numref(n->laplace.moved.q));
		mpq_mul(amount.q, amount.q, n->laplace.epsilon.q);
		st = sotto_added_noise_set_laplace(&weak, moved, &amount);
	} else {
		mpz_set_ui(moved, 1);
		mpq_div(amount.q, amount.q, n->gaussian.sigma2.q);
		mpq_div_2exp(amount.q, amount.q, 1);
		st = sotto_added_noise_set_gaussian(&weak, moved, &amount);
	}
	if (st != SOTTO_OK)
		abort();
	memcpy(weak.errors, n->errors, sizeof weak.errors); /* claimed as before */
	sotto_added_noise_release(n);
	*n = weak;
	mpz_clear(moved);
	sotto_rational_release(&amount);
}
