/*
 * How much work the engine has with one step of an expression.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "central/parse/pattern/like_pattern.h"
#include "central/parse/pattern/pattern_automaton.h"
#include "central/parse/pattern/pattern_beyond.h"
#include "central/expression/row_function.h"
#include "central/expression/work/row_work.h"
#include "central/expression/work/row_work_weight.h"
#include "core/base/failure.h"

/* ---- one step ------------------------------------------------------------------------------- */

static double sum_lengths(const struct sotto_loads *below)
{
	double sum = 0;

	for (size_t i = 0; i < below->count; i++)
		sum += below->list[i].load.length;
	return sum;
}

static double longest(const struct sotto_loads *below)
{
	double most = 0;

	for (size_t i = 0; i < below->count; i++)
		most = sotto_greatest(most, below->list[i].load.length);
	return most;
}

/* Two texts are compared up to the end of the shorter one: x with each of the others. */
static double compare(const struct sotto_loads *below)
{
	double work = 0;

	for (size_t i = 1; i < below->count; i++)
		work += PLAIN + COMPARED * sotto_least(below->list[0].load.length,
						       below->list[i].load.length);
	return work;
}

/* Nanoseconds that a pattern takes for each character of a text. */
static enum sotto_status load_pattern(const char *pattern, bool fold, double *out)
{
	struct sotto_sql_automaton machine;

	SOTTO_TRY(sotto_sql_automaton_make(pattern, fold, &machine));
	*out = machine.states <= SOTTO_SQL_AUTOMATON_MAX ? MATCHED
							 : SIMULATED * machine.positions;
	return SOTTO_OK;
}

/* To find m characters in a text, which the engine does by sums of characters. */
static double find(double characters, double m)
{
	return characters * (FOUND + m / 100);
}

static enum sotto_status
like(struct sotto_binder *b, const struct sotto_sql_expr *e, double length, double *work)
{
	const char *pattern = e->args[1]->text;
	struct sotto_sql_like p;
	double each = FOUND + (double)strlen(pattern) / 100;

	SOTTO_TRY(sotto_sql_like_read(b->arena, pattern, &p));
	if (p.kind == SOTTO_SQL_LIKE_REGEX)
		SOTTO_TRY(load_pattern(p.text, e->op == SOTTO_SQL_ILIKE, &each));
	*work = PLAIN + length * (each + (e->op == SOTTO_SQL_ILIKE ? LOWERED : 0));
	return SOTTO_OK;
}

/* x = y over two text columns: where a join is made along it, each is hashed once. */
static bool is_key(const struct sotto_sql_expr *e, const struct sotto_loads *below)
{
	return e->op == SOTTO_SQL_EQ && below->count == 2 && below->list[0].whole &&
	       below->list[1].whole &&
	       !(below->list[0].is_private && below->list[1].is_private);
}

static enum sotto_status operate(struct sotto_binder *b, const struct sotto_sql_expr *e,
				 const struct sotto_loads *below, struct sotto_load *out)
{
	out->work = PLAIN;
	if (e->op == SOTTO_SQL_CONCAT) {
		out->length = sotto_least(sum_lengths(below) +
						  SOTTO_TEXT_SHORT * (double)(below->count),
					  SOTTO_TEXT_MADE);
		out->work = CAST + JOINED * sotto_greatest(out->length, sum_lengths(below));
	} else if (e->op == SOTTO_SQL_LIKE || e->op == SOTTO_SQL_ILIKE) {
		return like(b, e, longest(below), &out->work);
	} else if (e->op == SOTTO_SQL_MODULO) {
		out->work = MODULO;
	} else if (is_key(e, below)) {
		out->once = READ * sum_lengths(below);
	} else if (e->op >= SOTTO_SQL_EQ && e->op <= SOTTO_SQL_DISTINCT_FROM) {
		out->work = compare(below);
	}
	return SOTTO_OK;
}

/* A number written out as an argument, and without it none. */
static double written(const struct sotto_sql_expr *e, size_t i, double otherwise)
{
	double n = i < e->count && e->args[i]->kind == SOTTO_SQL_NUMBER
			   ? strtod(e->args[i]->text, NULL)
			   : -1;

	return n >= 0 ? n : otherwise;
}

static double text_size(const struct sotto_sql_expr *e)
{
	return e->text ? (double)strlen(e->text) : 0;
}

/* The third argument may stand before each character, in its place, and behind the last one. */
static double replaced(const struct sotto_sql_expr *e, double length)
{
	if (e->count < 3 || e->args[2]->kind != SOTTO_SQL_TEXT)
		return SOTTO_TEXT_MADE;
	return length + (length + 1) * text_size(e->args[2]);
}

static double
function_length(const struct sotto_sql_expr *e, enum sotto_length rule, double length)
{
	switch (rule) {
	case SOTTO_LENGTH_SAME:
		return length;
	case SOTTO_LENGTH_FIRST:
		return sotto_least(length, written(e, 1, length));
	case SOTTO_LENGTH_PART:
		return sotto_least(length, written(e, 2, length));
	case SOTTO_LENGTH_PADDED:
		return sotto_least(written(e, 1, SOTTO_TEXT_MADE), SOTTO_TEXT_MADE);
	case SOTTO_LENGTH_REPLACED:
		return sotto_least(replaced(e, length), SOTTO_TEXT_MADE);
	case SOTTO_LENGTH_MADE:
		return SOTTO_TEXT_MADE;
	case SOTTO_LENGTH_FORMAT:
		return 1000;
	case SOTTO_LENGTH_SHORT:
		return SOTTO_TEXT_SHORT;
	case SOTTO_LENGTH_NONE:
		break;
	}
	return 0;
}

/*
 * A function with a pattern.  What a search reads beyond a match is read again by the next one,
 * and groups of a match are found by simulating the pattern.
 */
static enum sotto_status search(const struct sotto_sql_expr *e, const struct sotto_function *f,
				double text, struct sotto_load *out)
{
	const char *pattern = e->args[1]->text;
	double made =
		e->count > 2 && e->args[2]->kind == SOTTO_SQL_TEXT ? text_size(e->args[2]) : 0;
	struct sotto_sql_automaton machine;
	double read, each, beyond;

	SOTTO_TRY(load_pattern(pattern, f->load.folds_case, &read));
	SOTTO_TRY(sotto_sql_automaton_make(pattern, f->load.folds_case, &machine));
	each = sotto_greatest(f->load.each, read);
	beyond = machine.beyond > SOTTO_SQL_BEYOND_MAX ? text : machine.beyond;
	if (f->load.captures)
		each += SIMULATED * machine.ahead;
	if (f->load.everywhere)
		each += read * beyond;
	if (f->load.everywhere || f->load.captures) /* each character may become so many */
		each += made;
	out->work = FUNCTION + each * text + JOINED * out->length + made;
	return SOTTO_OK;
}

static enum sotto_status apply(const struct sotto_sql_expr *e, const struct sotto_function *f,
			       const struct sotto_loads *below, struct sotto_load *out)
{
	double text = below->count ? below->list[0].load.length : 0;
	double each = f->load.each;
	double fixed = f->load.fixed ? f->load.fixed : FUNCTION;

	out->length = function_length(e, f->load.length, text);
	if (strchr(f->args, 'p') && e->count > 1)
		return search(e, f, text, out);
	if (strcmp(f->args, "tll") == 0 && e->count > 2) /* each character may become so many */
		each += text_size(e->args[2]);
	if (f->args[0] == 't' && tolower((unsigned char)f->args[1]) == 'l' && e->count > 1)
		fixed += LISTED * text_size(e->args[1]); /* they are made a set in each row */
	out->work = fixed + each * sotto_greatest(text, out->length);
	if (f->args[0] == 't' && f->args[1] == 't' && below->count > 1)
		out->work += find(text, below->list[1].load.length);
	return SOTTO_OK;
}

static enum sotto_status call(struct sotto_binder *b, const struct sotto_sql_expr *e,
			      const struct sotto_loads *below, struct sotto_load *out)
{
	const struct sotto_function *f = sotto_function_find(e->text);
	enum sotto_sql_form form = sotto_sql_expr_form(e);
	double sum = sum_lengths(below);

	if (e->over) {
		out->length = longest(below);
		out->work = WINDOW + READ * sum + sotto_load_row(b->scope);
	} else if (form == SOTTO_SQL_FORM_CONCAT || form == SOTTO_SQL_FORM_CONCAT_WS) {
		out->length = SOTTO_TEXT_MADE;
		out->work = CAST * (double)e->count + JOINED * sotto_greatest(out->length, sum);
	} else if (f) {
		return apply(e, f, below, out);
	} else {
		out->length = longest(below);
		out->work = FUNCTION + compare(below);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_load_step(struct sotto_binder *b, const struct sotto_sql_expr *e,
				  const struct sotto_loads *below, struct sotto_load *out)
{
	double sum = sum_lengths(below);

	switch (e->kind) {
	case SOTTO_SQL_OP:
		return operate(b, e, below, out);
	case SOTTO_SQL_CALL:
		return call(b, e, below, out);
	case SOTTO_SQL_CASE:
		out->work = PLAIN * (double)e->count;
		out->length = longest(below);
		return SOTTO_OK;
	case SOTTO_SQL_IN:
		out->work = (e->select ? SUBQUERY : PLAIN) + compare(below);
		return SOTTO_OK;
	case SOTTO_SQL_CAST:
		out->work = CAST + READ * sum;
		out->length = e->type != SOTTO_TYPE_TEXT ? 0 : sum > 0 ? sum : SOTTO_TEXT_SHORT;
		return SOTTO_OK;
	case SOTTO_SQL_SCALAR:
	case SOTTO_SQL_EXISTS:
		out->work = SUBQUERY;
		return SOTTO_OK;
	default:
		out->work = 1;
		out->length = e->kind == SOTTO_SQL_TEXT ? (double)strlen(e->text) : 0;
		return SOTTO_OK;
	}
}
