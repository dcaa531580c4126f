/*
 * What is counted and added up, by the engine's aggregates of our own (engine/sum): all values
 * of a unit in a group, or of all rows of a group, in one pass.
 *
 *	sotto_pairs_2(sotto_task('keep(5) note(0, 0, 120) count(0) sum(0, 0, 120, 60, 0) read(0)'), y0) AS t0
 *
 * One call takes so many columns and values; what does not fit goes into t1, and so on.
 */
#include "central/emit/engine_query.h"
#include "core/base/failure.h"

/* What one call takes (engine/sum/sum_task.h). */
enum { CALL_COLUMNS = 8, CALL_VALUES = 16 };

#define ADD(...) SOTTO_TRY(sotto_buffer_appendf(&e->buffer, __VA_ARGS__))

/* Where the number of a column's values, or a sum, is found: t<call>.v<value>. */
struct place {
	size_t call, value; /* call is SIZE_MAX: it is not computed */
};

struct sotto_sum_layout {
	struct place *counts; /* of each column */
	struct place *sums; /* of each measure */
	size_t *calls; /* of each column; SIZE_MAX: it is not read */
	size_t call_count;
	bool is_empty; /* no column is read */
};

static bool is_sum(const struct sotto_measure *m, size_t column)
{
	return m->kind == SOTTO_MEASURE_SUM && !m->addend.distinct && m->column == column;
}

/*
 * Is the number of a column's values read by anything?  A sum over a column that is never NULL
 * goes by the number of rows; were it NULL after all, that number is only larger, and the sum
 * held the tighter.  Where each row is a unit, nothing goes by a number.
 */
static bool is_counted(const struct sotto_plan *plan, size_t column)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		if (m->column != column || m->kind == SOTTO_MEASURE_DISTINCT ||
		    m->addend.distinct)
			continue;
		if (m->kind != SOTTO_MEASURE_SUM ||
		    (plan->units && !plan->columns[column].never_null))
			return true;
	}
	return false;
}

/* The loss vector reads the numbers of a unit's rows too: of a column that is never NULL, all rows. */
static bool is_lost(const struct sotto_plan *plan, size_t column, bool losses)
{
	return losses && plan->units && !plan->reads_all_rows &&
	       !plan->columns[column].never_null && sotto_loss_reads(plan, column, false);
}

static size_t sums_of(const struct sotto_plan *plan, size_t column)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->measure_count; i++)
		n += is_sum(&plan->measures[i], column);
	return n;
}

/* ---- which call takes what ------------------------------------------------------------------ */

static void place_column(struct sotto_sum_layout *l, const struct sotto_plan *plan, size_t c,
			 size_t *value, bool counted)
{
	l->calls[c] = l->call_count - 1;
	if (counted)
		l->counts[c] = (struct place){l->call_count - 1, (*value)++};
	for (size_t i = 0; i < plan->measure_count; i++)
		if (is_sum(&plan->measures[i], c))
			l->sums[i] = (struct place){l->call_count - 1, (*value)++};
}

enum sotto_status
sotto_sums_lay_out(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses)
{
	const struct place none = {SIZE_MAX, 0};
	struct sotto_sum_layout *l = sotto_arena_alloc(e->arena, sizeof *l);
	size_t columns = 0, value = 0;

	SOTTO_NEED(l);
	l->counts = sotto_arena_alloc(e->arena, (plan->column_count + 1) * sizeof *l->counts);
	l->sums = sotto_arena_alloc(e->arena, (plan->measure_count + 1) * sizeof *l->sums);
	l->calls = sotto_arena_alloc(e->arena, (plan->column_count + 1) * sizeof *l->calls);
	SOTTO_NEED(l->counts && l->sums && l->calls);
	l->call_count = 1;
	l->is_empty = true;
	for (size_t i = 0; i < plan->measure_count; i++)
		l->sums[i] = none;
	for (size_t c = 0; c < plan->column_count; c++) {
		bool counted = is_counted(plan, c) || is_lost(plan, c, losses);
		size_t values = sums_of(plan, c) + counted;

		l->counts[c] = none;
		l->calls[c] = SIZE_MAX;
		if (values == 0 && !(losses && sotto_column_clips(&plan->columns[c])))
			continue;
		if (values > CALL_VALUES)
			return SOTTO_ERANGE;
		if (columns == CALL_COLUMNS || value + values > CALL_VALUES) {
			l->call_count++;
			columns = value = 0;
		}
		place_column(l, plan, c, &value, counted);
		l->is_empty = false;
		columns++;
	}
	e->sums = l;
	return SOTTO_OK;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static enum sotto_status add_count(struct sotto_emitter *e, size_t place)
{
	return sotto_buffer_appendf(&e->buffer, " count(%zu)", place);
}

static enum sotto_status add_sum(struct sotto_emitter *e, const struct sotto_plan *plan,
				 const struct sotto_measure *m, size_t place)
{
	const struct sotto_addend *a = &m->addend;
	long long rows =
		is_counted(plan, m->column) ? (long long)e->sums->counts[m->column].value : -1;

	ADD(" %s(%zu, %lld, %lld, %lld, ", a->square ? "square" : "sum", place,
	    (long long)a->clip_lo, (long long)a->clip_hi, (long long)a->centre);
	if (a->square)
		ADD("%u, ", a->square_shift);
	return sotto_buffer_appendf(&e->buffer, "%lld)", rows);
}

/* The values of one column, in the order of their places. */
static enum sotto_status
add_column(struct sotto_emitter *e, const struct sotto_plan *plan, size_t c, size_t place)
{
	if (e->sums->counts[c].call != SIZE_MAX)
		SOTTO_TRY(add_count(e, place));
	for (size_t i = 0; i < plan->measure_count; i++)
		if (is_sum(&plan->measures[i], c))
			SOTTO_TRY(add_sum(e, plan, &plan->measures[i], place));
	return SOTTO_OK;
}

static size_t
values_of(const struct sotto_emitter *e, const struct sotto_plan *plan, size_t call)
{
	size_t n = 0, size = 1;

	for (size_t c = 0; c < plan->column_count; c++)
		n += e->sums->counts[c].call == call;
	for (size_t i = 0; i < plan->measure_count; i++)
		n += e->sums->sums[i].call == call;
	while (size < n)
		size *= 2;
	return size;
}

static bool reads_all_rows(const struct sotto_plan *plan)
{
	for (size_t c = 0; c < plan->column_count; c++)
		if (plan->columns[c].never_null && sotto_loss_reads(plan, c, false))
			return true;
	return plan->reads_all_rows;
}

/* "read(0) read(2)": whose numbers of rows are read. */
static enum sotto_status
add_reads(struct sotto_emitter *e, const struct sotto_plan *plan, size_t call)
{
	if (reads_all_rows(plan)) /* no column has more */
		return sotto_buffer_append_text(&e->buffer, " read(-1)");
	for (size_t c = 0; c < plan->column_count; c++)
		if (e->sums->counts[c].call == call && sotto_loss_reads(plan, c, false))
			ADD(" read(%zu)", e->sums->counts[c].value);
	return SOTTO_OK;
}

static enum sotto_status
add_task(struct sotto_emitter *e, const struct sotto_plan *plan, size_t call, bool losses)
{
	size_t place = 0;

	ADD("sotto_task('");
	if (plan->units)
		ADD("keep(%lld)", (long long)plan->max_rows);
	for (size_t c = 0; c < plan->column_count; c++) {
		const struct sotto_row_column *column = &plan->columns[c];

		if (e->sums->calls[c] != call)
			continue;
		if (losses && sotto_column_clips(column))
			ADD(" note(%zu, %lld, %lld)", place, (long long)column->clip_lo,
			    (long long)column->clip_hi);
		SOTTO_TRY(add_column(e, plan, c, place));
		place++;
	}
	if (losses && plan->units)
		SOTTO_TRY(add_reads(e, plan, call));
	if (losses && e->is_alone)
		ADD(" lose(%lld)", 2 * (long long)plan->groups * (long long)plan->max_rows);
	return sotto_buffer_append_text(&e->buffer, "')");
}

enum sotto_status
sotto_sums_compose(struct sotto_emitter *e, const struct sotto_plan *plan, bool losses)
{
	if (!plan->units && e->sums->is_empty) /* the engine knows that best itself */
		return sotto_buffer_append_text(&e->buffer, ", {'n': count(*)} AS t0");
	for (size_t call = 0; call < e->sums->call_count; call++) {
		ADD(", sotto_%s_%zu(",
		    e->is_alone   ? "alone"
		    : plan->units ? "pairs"
				  : "rows",
		    values_of(e, plan, call));
		SOTTO_TRY(add_task(e, plan, call, losses));
		ADD("%s", e->is_alone ? ", u" : "");
		for (size_t c = 0; c < plan->column_count; c++)
			if (e->sums->calls[c] == call)
				ADD(", y%zu", c);
		ADD(") AS t%zu", call);
	}
	return SOTTO_OK;
}

/* ---- what comes out ------------------------------------------------------------------------- */

enum sotto_status sotto_sums_compose_sum(struct sotto_emitter *e, size_t measure)
{
	return sotto_buffer_appendf(&e->buffer, "t%zu.v%zu", e->sums->sums[measure].call,
				    e->sums->sums[measure].value);
}

enum sotto_status sotto_sums_compose_count(struct sotto_emitter *e, size_t column)
{
	return sotto_buffer_appendf(&e->buffer, "t%zu.v%zu", e->sums->counts[column].call,
				    e->sums->counts[column].value);
}

enum sotto_status sotto_sums_compose_units(struct sotto_emitter *e, size_t column)
{
	return sotto_buffer_appendf(&e->buffer, "t%zu.w%zu", e->sums->counts[column].call,
				    e->sums->counts[column].value);
}

enum sotto_status sotto_sums_compose_most(struct sotto_emitter *e, const char *field)
{
	ADD("%s", e->sums->call_count > 1 ? "greatest(" : "");
	for (size_t call = 0; call < e->sums->call_count; call++)
		ADD("%st%zu.%s", call ? ", " : "", call, field);
	return sotto_buffer_append_text(&e->buffer, e->sums->call_count > 1 ? ")" : "");
}

bool sotto_sums_is_one_call(const struct sotto_emitter *e)
{
	return e->sums->call_count == 1;
}
