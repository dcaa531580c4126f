/*
 * What the limits lost, beside the groups (loss_vector.md):
 *
 *	p:      per unit and group also the rows that something reads, and whether a value
 *	        is clipped                                       t0.read, t0.clipped, c0..
 *	ranked: p with the place of a group among its unit's     place
 *	lost:   one row over all units                           v0, v1, ...
 *
 * Where each row is a unit, or a unit has one group, what is lost is counted with the groups
 * themselves: w0, w1, ...  Without keys that is the one row of a, and there is no CTE lost.  Where
 * no unit has too many groups, it is counted while the groups are added up, in each of them over
 * all: l.units, ...  Then p is read once, and need not be kept.
 */
#include "central/emit/engine_query.h"
#include "core/base/failure.h"

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

/* ---- one unit in one group ------------------------------------------------------------------ */

/* Which numbers of rows of a column are read: all with a value, or different ones. */
bool sotto_loss_reads(const struct sotto_plan *plan, size_t column, bool different)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];
		bool distinct = m->addend.distinct || m->kind == SOTTO_MEASURE_DISTINCT;

		if (m->kind != SOTTO_MEASURE_UNITS && m->column == column &&
		    distinct == different)
			return true;
	}
	for (size_t i = 0; !different && i < plan->choice_count; i++)
		if (plan->choices[i].column == column)
			return true;
	return false;
}

/* What t<i>.read does not know: numbers of different values. */
static enum sotto_status add_rows_read(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	if (plan->reads_all_rows) /* no column has more */
		return SOTTO_OK;
	for (size_t i = 0; i < plan->column_count; i++)
		if (sotto_loss_reads(plan, i, true))
			ADD(", count(DISTINCT y%zu) AS c%zu", i, i);
	return SOTTO_OK;
}

/* The rows of a unit in a group that something reads. */
static enum sotto_status add_read(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	bool several = false;

	for (size_t i = 0; !plan->reads_all_rows && i < plan->column_count; i++)
		several = several || sotto_loss_reads(plan, i, true);
	ADD("%s", several ? "greatest(" : "");
	SOTTO_TRY(sotto_sums_compose_most(e, "read"));
	for (size_t i = 0; several && i < plan->column_count; i++)
		if (sotto_loss_reads(plan, i, true))
			ADD(", c%zu", i);
	return sotto_buffer_append_text(&e->buffer, several ? ")" : "");
}

/* "CASE WHEN y0 < lo OR y0 > hi ... THEN 1 ELSE 0 END" */
static enum sotto_status add_is_clipped(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	ADD("CASE WHEN FALSE");
	for (size_t i = 0; i < plan->column_count; i++)
		if (sotto_column_clips(&plan->columns[i]))
			ADD(" OR y%zu < %lld OR y%zu > %lld", i,
			    (long long)plan->columns[i].clip_lo, i,
			    (long long)plan->columns[i].clip_hi);
	return sotto_buffer_append_text(&e->buffer, " THEN 1 ELSE 0 END");
}

enum sotto_status
sotto_loss_compose_pair(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	return add_rows_read(e, plan);
}

/* Where one call sees all columns of a row, it counts the rows in which one is clipped. */
enum sotto_status sotto_loss_compose_row(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	if (sotto_sums_is_one_call(e))
		return SOTTO_OK;
	ADD(", sum(");
	SOTTO_TRY(add_is_clipped(e, plan));
	return sotto_buffer_append_text(&e->buffer, ") AS clipped");
}

/* ---- its name ------------------------------------------------------------------------------- */

static enum sotto_status
name_column(struct sotto_emitter *e, const struct sotto_plan *plan, size_t i)
{
	const struct sotto_row_column *c = &plan->columns[i];
	bool read = !plan->reads_all_rows && sotto_loss_reads(plan, i, false);
	bool different = !plan->reads_all_rows && sotto_loss_reads(plan, i, true);

	if (!read && !different && !sotto_column_clips(c))
		return SOTTO_OK;
	ADD("value %d %d ", read, different);
	SOTTO_TRY(sotto_emit_expression(e, c->value));
	if (sotto_column_clips(c))
		ADD(" within %lld %lld", (long long)c->clip_lo, (long long)c->clip_hi);
	return sotto_buffer_append_text(&e->buffer, "\n");
}

enum sotto_status
sotto_loss_compose_name(struct sotto_emitter *e, const struct sotto_plan *plan,
			const struct sotto_rowset *from, const struct sotto_expression *where)
{
	for (size_t i = 0; i < plan->key_count; i++) {
		ADD("key ");
		SOTTO_TRY(sotto_emit_expression(e, plan->keys[i].bound.value));
		ADD("\n");
	}
	for (size_t i = 0; i < plan->column_count; i++)
		SOTTO_TRY(name_column(e, plan, i));
	ADD("public %d limits %lld %lld", plan->public_keys, (long long)plan->groups,
	    (long long)plan->max_rows);
	for (size_t i = 0; i < plan->loss.count; i++)
		ADD(" %d", (int)plan->loss.items[i].kind);
	ADD("\nfrom ");
	SOTTO_TRY(sotto_emit_from(e, from));
	if (!where)
		return SOTTO_OK;
	ADD("\nwhere ");
	return sotto_emit_expression(e, where);
}

/* ---- one unit ------------------------------------------------------------------------------- */

bool sotto_loss_is_beside(const struct sotto_plan *plan)
{
	return plan->units && plan->key_count == 0;
}

/* What one unit with one group adds to an item. */
static enum sotto_status
add_of_unit(struct sotto_emitter *e, const struct sotto_plan *plan, enum sotto_loss_kind kind)
{
	long long groups = plan->groups, rows = plan->max_rows;

	switch (kind) {
	case SOTTO_LOSS_UNITS_OF_ROWS:
		ADD("CASE WHEN ");
		SOTTO_TRY(add_read(e, plan));
		ADD(" > %lld THEN 1 ELSE 0 END", rows);
		break;
	case SOTTO_LOSS_UNITS_CLIPPED:
		return sotto_sums_compose_most(e, "clipped");
	case SOTTO_LOSS_ROWS:
		ADD("least(greatest(");
		SOTTO_TRY(add_read(e, plan));
		ADD(" - %lld, 0), %lld)", rows, 2 * groups * rows);
		break;
	case SOTTO_LOSS_ROWS_KEPT:
		ADD("least(");
		SOTTO_TRY(add_read(e, plan));
		ADD(", %lld)", rows);
		break;
	case SOTTO_LOSS_UNITS_OF_GROUPS: /* it has one */
	case SOTTO_LOSS_PAIRS:
		ADD("0");
		break;
	case SOTTO_LOSS_UNITS:
	case SOTTO_LOSS_PAIRS_KEPT:
	case SOTTO_LOSS_KINDS:
		ADD("1");
		break;
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_loss_compose_beside(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->loss.count; i++) {
		ADD(", CAST(sum(");
		SOTTO_TRY(add_of_unit(e, plan, plan->loss.items[i].kind));
		ADD(") AS HUGEINT) AS w%zu", i);
	}
	return SOTTO_OK;
}

/* ---- all units ------------------------------------------------------------------------------ */

static enum sotto_status
add_over(struct sotto_emitter *e, const struct sotto_plan *plan, const char *const *fields)
{
	ADD(", lost AS (SELECT ");
	for (size_t i = 0; i < plan->loss.count; i++)
		ADD("%sCAST(%s AS HUGEINT) AS v%zu", i ? ", " : "",
		    fields[plan->loss.items[i].kind], i);
	return SOTTO_OK;
}

static enum sotto_status add_over_rows(struct sotto_emitter *e, const struct sotto_plan *plan)
{
	static const char *const fields[SOTTO_LOSS_KINDS] = {
		[SOTTO_LOSS_UNITS] = "sum(total)",
		[SOTTO_LOSS_UNITS_CLIPPED] = "sum(clipped)",
	};

	SOTTO_TRY(add_over(e, plan, fields));
	return sotto_buffer_append_text(&e->buffer, " FROM a)");
}

bool sotto_loss_is_within(const struct sotto_plan *plan)
{
	return plan->units && plan->key_count > 0 && !plan->window;
}

/*
 * One pass over the units' groups (engine/sum/unit_loss.h).  A unit's number or hash has the
 * ledger's key, and is mixed there: nobody can choose units that are hard to tell apart.
 */
static enum sotto_status add_units(struct sotto_emitter *e, const struct sotto_plan *plan,
				   const char *function, uint64_t salt, const char *place)
{
	if (e->unit_is_whole)
		ADD("%s(xor(CAST(u AS BIGINT), %llu), %s, ", function,
		    (unsigned long long)salt >> 1, place);
	else
		ADD("%s(hash(u, %llu), %s, ", function, (unsigned long long)salt, place);
	SOTTO_TRY(add_read(e, plan));
	ADD(", ");
	SOTTO_TRY(sotto_sums_compose_most(e, "clipped"));
	return sotto_buffer_appendf(&e->buffer, ", %lld, %lld)", (long long)plan->groups,
				    (long long)plan->max_rows);
}

enum sotto_status
sotto_loss_compose_within(struct sotto_emitter *e, const struct sotto_plan *plan, uint64_t salt)
{
	ADD(", ");
	SOTTO_TRY(add_units(e, plan, "sotto_all_units", salt, "0"));
	return sotto_buffer_append_text(&e->buffer, " AS l");
}

enum sotto_status
sotto_loss_compose(struct sotto_emitter *e, const struct sotto_plan *plan, uint64_t salt)
{
	static const char *const of_units[SOTTO_LOSS_KINDS] = {
		[SOTTO_LOSS_UNITS] = "t.units",
		[SOTTO_LOSS_UNITS_OF_ROWS] = "t.of_rows",
		[SOTTO_LOSS_UNITS_OF_GROUPS] = "t.of_groups",
		[SOTTO_LOSS_UNITS_CLIPPED] = "t.clipped",
		[SOTTO_LOSS_ROWS] = "t.rows",
		[SOTTO_LOSS_ROWS_KEPT] = "t.rows_kept",
		[SOTTO_LOSS_PAIRS] = "t.pairs",
		[SOTTO_LOSS_PAIRS_KEPT] = "t.pairs_kept",
	};
	/* Without groups there is no unit. */
	static const char *const of_groups[SOTTO_LOSS_KINDS] = {
		[SOTTO_LOSS_UNITS] = "coalesce(max(l.units), 0)",
		[SOTTO_LOSS_UNITS_OF_ROWS] = "coalesce(max(l.of_rows), 0)",
		[SOTTO_LOSS_UNITS_OF_GROUPS] = "coalesce(max(l.of_groups), 0)",
		[SOTTO_LOSS_UNITS_CLIPPED] = "coalesce(max(l.clipped), 0)",
		[SOTTO_LOSS_ROWS] = "coalesce(max(l.rows), 0)",
		[SOTTO_LOSS_ROWS_KEPT] = "coalesce(max(l.rows_kept), 0)",
		[SOTTO_LOSS_PAIRS] = "coalesce(max(l.pairs), 0)",
		[SOTTO_LOSS_PAIRS_KEPT] = "coalesce(max(l.pairs_kept), 0)",
	};

	if (!plan->units)
		return add_over_rows(e, plan);
	if (sotto_loss_is_within(plan)) {
		SOTTO_TRY(add_over(e, plan, of_groups));
		return sotto_buffer_append_text(&e->buffer, " FROM a)");
	}
	SOTTO_TRY(add_over(e, plan, of_units));
	ADD(" FROM (SELECT ");
	SOTTO_TRY(add_units(e, plan, "sotto_units", salt, "place"));
	return sotto_buffer_append_text(&e->buffer, " AS t FROM ranked) AS x)");
}
