/*
 * Expressions of the engine tree: made, compared.
 */
#include "central/tree/engine_tree.h"

#include <string.h>

#include "core/number/nearest.h"

uint64_t sotto_expression_hash(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 29;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return sotto_expression_hash(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Hash, length and privacy of what is in place already. */
static const struct sotto_expression *finish(struct sotto_expression *e)
{
	uint64_t h = sotto_expression_hash(UINT64_C(0xcbf29ce484222325), &e->operation,
					   sizeof(struct sotto_operation *));

	e->length = (double)strlen(e->operation->template);
	for (size_t i = 0; i < e->count; i++) {
		double times = sotto_operation_times(e->operation, i);

		h = sotto_expression_hash(h, &e->args[i]->hash, sizeof h);
		e->length += (times < 1 ? 1 : times) * (e->args[i]->length + 2);
		e->making += (times < 1 ? 1 : times) * e->args[i]->making;
		e->reads_private = e->reads_private || e->args[i]->reads_private;
	}
	switch (e->operation->form) {
	case SOTTO_OPERATION_COLUMN:
		h = hash_text(hash_text(h, e->of.column.alias), e->of.column.name);
		e->length += 16;
		break;
	case SOTTO_OPERATION_LITERAL:
		h = hash_text(h, e->of.literal);
		e->length += (double)strlen(e->of.literal);
		break;
	case SOTTO_OPERATION_CAST:
		h = sotto_expression_hash(h, &e->of.cast, sizeof e->of.cast);
		break;
	case SOTTO_OPERATION_QUERY:
		h = sotto_expression_hash(h, &e->of.query->hash, sizeof h);
		e->length += e->of.query->length;
		e->reads_private = e->reads_private || e->of.query->reads_private;
		break;
	case SOTTO_OPERATION_CALL:
		break;
	}
	e->hash = h;
	return e;
}

/* A node with its arguments, which finish() has still to look at. */
static struct sotto_expression *node(struct sotto_arena *a, const struct sotto_operation *o,
				     const struct sotto_expression *const *args, size_t count)
{
	struct sotto_expression *e = sotto_arena_alloc(a, sizeof *e);
	const struct sotto_expression **copy =
		sotto_arena_alloc(a, (count + 1) * sizeof(struct sotto_expression *));

	if (!e || !copy)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (!args[i])
			return NULL;
		copy[i] = args[i];
	}
	*e = (struct sotto_expression){.operation = o, .args = copy, .count = count};
	return e;
}

const struct sotto_expression *
sotto_expression_make(struct sotto_arena *a, const struct sotto_operation *o,
		      const struct sotto_expression *const *args, size_t count)
{
	struct sotto_expression *e = node(a, o, args, count);

	return e ? finish(e) : NULL;
}

const struct sotto_expression *
sotto_expression_word(struct sotto_arena *a, enum sotto_operation_name name)
{
	return sotto_expression_make(a, sotto_operation(name), NULL, 0);
}

const struct sotto_expression *
sotto_expression_cast(struct sotto_arena *a, enum sotto_operation_name name,
		      const struct sotto_expression *x, enum sotto_sql_type type)
{
	struct sotto_expression *e = node(a, sotto_operation(name), &x, 1);

	if (!e)
		return NULL;
	e->of.cast = type;
	return finish(e);
}

const struct sotto_expression *sotto_expression_read(struct sotto_arena *a,
						     const struct sotto_expression *text,
						     long bytes, enum sotto_sql_type type)
{
	const struct sotto_expression *args[] = {text, sotto_expression_whole(a, bytes)};
	struct sotto_expression *e;

	if (type == SOTTO_TYPE_TIMESTAMP)
		return sotto_expression_make(a, sotto_operation(SOTTO_OP_READ_MOMENT), args, 2);
	e = node(a, sotto_operation(SOTTO_OP_READ), args, 2);
	if (!e)
		return NULL;
	e->of.cast = type;
	return finish(e);
}

const struct sotto_expression *
sotto_expression_query(struct sotto_arena *a, enum sotto_operation_name name,
		       const struct sotto_expression *x, const struct sotto_rowset *query)
{
	struct sotto_expression *e = node(a, sotto_operation(name), &x, x != NULL);

	if (!e || !query)
		return NULL;
	e->of.query = query;
	return finish(e);
}

static const struct sotto_expression *column(struct sotto_arena *a, enum sotto_operation_name o,
					     const char *alias, const char *name, double weight)
{
	struct sotto_expression *e = node(a, sotto_operation(o), NULL, 0);

	if (!e)
		return NULL;
	e->of.column.alias = alias;
	e->of.column.name = name;
	e->making = weight;
	return finish(e);
}

const struct sotto_expression *
sotto_expression_made(struct sotto_arena *a, const char *alias, const char *name, double weight)
{
	return name ? column(a, SOTTO_OP_COLUMN, alias, name, weight) : NULL;
}

const struct sotto_expression *
sotto_expression_column(struct sotto_arena *a, const char *alias, const char *name)
{
	return sotto_expression_made(a, alias, name, 0);
}

const struct sotto_expression *sotto_expression_star(struct sotto_arena *a, const char *alias)
{
	return column(a, SOTTO_OP_STAR_OF, alias, NULL, 0);
}

static const struct sotto_expression *
literal(struct sotto_arena *a, enum sotto_operation_name o, const char *text)
{
	struct sotto_expression *e = node(a, sotto_operation(o), NULL, 0);

	if (!e || !text)
		return NULL;
	e->of.literal = text;
	return finish(e);
}

const struct sotto_expression *sotto_expression_text(struct sotto_arena *a, const char *text)
{
	return literal(a, SOTTO_OP_TEXT, text);
}

const struct sotto_expression *
sotto_expression_decimal(struct sotto_arena *a, const char *digits)
{
	return literal(a, SOTTO_OP_DECIMAL, digits);
}

const struct sotto_expression *sotto_expression_whole(struct sotto_arena *a, long long n)
{
	return literal(a, SOTTO_OP_WHOLE, sotto_arena_textf(a, "%lld", n));
}

const struct sotto_expression *sotto_expression_count(struct sotto_arena *a, uint64_t n)
{
	return literal(a, SOTTO_OP_WHOLE, sotto_arena_textf(a, "%llu", (unsigned long long)n));
}

const struct sotto_expression *
sotto_expression_number(struct sotto_arena *a, const struct sotto_rational *r, bool as_double)
{
	bool whole = mpz_cmp_ui(mpq_denref(r->q), 1) == 0 && mpz_fits_slong_p(mpq_numref(r->q));

	if (whole)
		return literal(a, as_double ? SOTTO_OP_WHOLE_DOUBLE : SOTTO_OP_WHOLE,
			       sotto_arena_textf(a, "%ld", mpz_get_si(mpq_numref(r->q))));
	return literal(a, SOTTO_OP_DOUBLE,
		       sotto_arena_textf(a, "%.17g", sotto_nearest_double(r->q)));
}

const struct sotto_expression *
sotto_expression_list(struct sotto_arena *a, const struct sotto_expression *const *items,
		      size_t count)
{
	return sotto_expression_make(a, sotto_operation(SOTTO_OP_LIST), items, count);
}

const struct sotto_expression *sotto_expression_over(struct sotto_arena *a,
						     const struct sotto_expression *call,
						     const struct sotto_over *over)
{
	const struct sotto_expression *parts = sotto_expression_list(a, over->parts,
								     over->part_count),
				      *orders = sotto_expression_list(a, over->orders,
								      over->order_count);

	if (over->first && over->part_count)
		return SOTTO_APPLY(a, SOTTO_OP_OVER_BOTH_ROWS, call, parts, orders, over->first,
				   over->last);
	if (over->first)
		return SOTTO_APPLY(a, SOTTO_OP_OVER_ORDERS_ROWS, call, orders, over->first,
				   over->last);
	if (over->part_count && over->order_count)
		return SOTTO_APPLY(a, SOTTO_OP_OVER_BOTH, call, parts, orders);
	if (over->part_count)
		return SOTTO_APPLY(a, SOTTO_OP_OVER_PARTS, call, parts);
	if (over->order_count)
		return SOTTO_APPLY(a, SOTTO_OP_OVER_ORDERS, call, orders);
	return SOTTO_APPLY(a, SOTTO_OP_OVER_ALL, call);
}

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && strcmp(x, y) == 0);
}

static bool same_leaf(const struct sotto_expression *x, const struct sotto_expression *y)
{
	switch (x->operation->form) {
	case SOTTO_OPERATION_COLUMN:
		return same_text(x->of.column.alias, y->of.column.alias) &&
		       same_text(x->of.column.name, y->of.column.name);
	case SOTTO_OPERATION_LITERAL:
		return strcmp(x->of.literal, y->of.literal) == 0;
	case SOTTO_OPERATION_CAST:
		return x->of.cast == y->of.cast;
	case SOTTO_OPERATION_QUERY:
		return sotto_rowset_equal(x->of.query, y->of.query);
	case SOTTO_OPERATION_CALL:
		break;
	}
	return true;
}

bool sotto_expression_equal(const struct sotto_expression *x, const struct sotto_expression *y)
{
	if (x == y)
		return true;
	if (!x || !y || x->hash != y->hash || x->operation != y->operation ||
	    x->count != y->count || !same_leaf(x, y))
		return false;
	for (size_t i = 0; i < x->count; i++)
		if (!sotto_expression_equal(x->args[i], y->args[i]))
			return false;
	return true;
}

bool sotto_expression_reads_column(const struct sotto_expression *e)
{
	if (e->operation->form == SOTTO_OPERATION_COLUMN ||
	    e->operation->form == SOTTO_OPERATION_QUERY)
		return true;
	for (size_t i = 0; i < e->count; i++)
		if (sotto_expression_reads_column(e->args[i]))
			return true;
	return false;
}

const struct sotto_expression *
sotto_expression_replace(struct sotto_arena *a, const struct sotto_expression *e,
			 const struct sotto_expression *from, const struct sotto_expression *to)
{
	struct sotto_expression *copy;

	if (sotto_expression_equal(e, from))
		return to;
	if (e->count == 0)
		return e;
	copy = node(a, e->operation, e->args, e->count);
	if (!copy)
		return NULL;
	copy->of = e->of;
	for (size_t i = 0; i < e->count; i++) {
		const struct sotto_expression *arg =
			sotto_expression_replace(a, e->args[i], from, to);

		if (!arg)
			return NULL;
		((const struct sotto_expression **)copy->args)[i] = arg;
	}
	return finish(copy);
}
