/*
 * The values that expressions take over columns whose own values are public:
 * computed by the engine over relations that stand in for the tables.
 *
 *	columns of a public relation   that relation, so combinations are its own
 *	columns of a subquery          what the subquery computes them from
 *	columns with declared keys     the keys, crossed with all others
 *	columns with bounds            what lies between them, where that is asked for
 */
#include "central/expression/domain/expression_domain.h"

#include <string.h>

#include "central/expression/binder.h"
#include "central/expression/domain/bounded_domain.h"
#include "central/expression/domain/met_condition.h"
#include "central/expression/domain/public_domain.h"
#include "core/base/failure.h"

struct columns {
	const struct sotto_scope_column **list;
	size_t count;
	const struct sotto_bound *const *parts; /* that read them */
	size_t part_count;
	const struct sotto_expression_domain_terms *terms;
};

static const struct sotto_expression_domain_terms no_terms;

/* How many values lie between the bounds of a column that has no others; 0: that is not asked. */
static int64_t bounded_count(const struct columns *c, size_t i)
{
	const struct sotto_scope_column *x = c->list[i];

	/* nothing stands in for a column that is two */
	return x->rows || x->bound.domain || x->is_merged || !c->terms->bounded
		       ? 0
		       : sotto_bounded_count(&x->bound, c->terms->days, SOTTO_COMPUTED_MAX);
}

static bool is_column(const struct sotto_bound *x, const struct sotto_scope_column *c)
{
	return x->column_count == 1 && x->columns[0] == c && sotto_bound_is_column(x);
}

/* A column that is itself asked for takes its declared values, and no NULL besides. */
static bool takes_null(const struct columns *c, size_t i)
{
	if (bounded_count(c, i) > 0)
		return false; /* NULL is among them already */
	for (size_t j = 0; j < c->part_count; j++)
		if (is_column(c->parts[j], c->list[i]))
			return false;
	return c->list[i]->bound.nullable;
}

static enum sotto_status gather(struct sotto_arena *a, const struct sotto_bound *const *parts,
				size_t count, struct columns *out)
{
	*out = (struct columns){.parts = parts, .part_count = count, .terms = &no_terms};
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < parts[i]->column_count; j++) {
			const struct sotto_scope_column **slot;
			bool known = false;

			for (size_t k = 0; k < out->count; k++)
				known = known || out->list[k] == parts[i]->columns[j];
			if (known)
				continue;
			slot = SOTTO_PUSH(a, out->list, out->count);
			if (!slot)
				return SOTTO_ENOMEM;
			*slot = parts[i]->columns[j];
		}
	return SOTTO_OK;
}

/* -1: some column has no public values, or there are too many; 0: not known; else how many. */
static int64_t size_of(const struct columns *c)
{
	int64_t size = 1, between, most = SOTTO_DOMAIN_MAX;
	bool unknown = false;

	for (size_t i = 0; i < c->count; i++) {
		const struct sotto_domain *d = c->list[i]->bound.domain;

		between = bounded_count(c, i);
		if (!d && !c->list[i]->rows && between == 0)
			return -1;
		most = between > 0 ? SOTTO_COMPUTED_MAX : most;
		if (between > 0)
			size *= between + c->list[i]->bound.nullable;
		else if (c->list[i]->rows || d->size < 0)
			unknown = true;
		else if (size * (d->size + 1) > SOTTO_DOMAIN_MAX)
			return -1;
		else
			size *= d->size + takes_null(c, i);
		if (size > most)
			return -1;
	}
	return unknown ? 0 : size;
}

static bool is_public(const struct sotto_scope_column *c)
{
	if (c->rows)
		return true;
	for (size_t i = 0; c->inner && i < c->inner->column_count; i++)
		if (!is_public(c->inner->columns[i]))
			return false;
	return c->inner && c->inner->column_count > 0;
}

bool sotto_expression_has_domain(const struct sotto_bound *x)
{
	bool public = true;

	for (size_t i = 0; i < x->column_count; i++) {
		if (!x->columns[i]->rows && !x->columns[i]->bound.domain)
			return false;
		public = public && is_public(x->columns[i]);
	}
	if (x->column_count == 0)
		return false;
	return public || !x->domain || is_column(x, x->columns[0]);
}

static bool is_computed(const struct sotto_scope_column *c)
{
	return c->inner && sotto_expression_has_domain(c->inner);
}

/* What the alias computes from public values, as one relation named j; NULL: nothing. */
static enum sotto_status computed_columns(struct sotto_arena *a, const struct columns *c,
					  const char *alias, const struct sotto_rowset **out)
{
	const struct sotto_bound **parts =
		sotto_arena_alloc(a, (c->count + 1) * sizeof(struct sotto_bound *));
	const char **names = sotto_arena_alloc(a, (c->count + 1) * sizeof *names);
	struct sotto_expression_domain_terms terms = {0};
	const struct sotto_domain *d = NULL;
	size_t n = 0;

	if (!parts || !names)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < c->count; i++)
		if (!c->list[i]->rows && strcmp(c->list[i]->alias, alias) == 0 &&
		    is_computed(c->list[i])) {
			terms.met = c->list[i]->met;
			parts[n] = c->list[i]->inner;
			names[n++] = c->list[i]->field;
		}
	*out = NULL;
	if (n == 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_expression_domain_joint(a, parts, names, n, &terms, &d));
	*out = d ? sotto_rowset_named(a, d->rows, "j") : NULL;
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

/* One column with its declared values, crossed with what is there already. */
static enum sotto_status add_declared(struct sotto_arena *a, const struct columns *c, size_t i,
				      struct sotto_rowset_select *s)
{
	const struct sotto_scope_column *x = c->list[i];
	const char *name = sotto_arena_textf(a, "d%zu", i);
	const struct sotto_domain *d = x->bound.domain;

	if (bounded_count(c, i) > 0)
		SOTTO_TRY(sotto_bounded_domain(a, &x->bound, c->terms->days, &d));
	if (takes_null(c, i))
		SOTTO_TRY(sotto_domain_with_null(a, d, &d));
	if (!name ||
	    !sotto_rowset_output(a, s, sotto_expression_column(a, name, "k"), x->field) ||
	    (x->whole_field && !sotto_rowset_output(a, s, sotto_expression_column(a, name, "k"),
						    x->whole_field)) ||
	    !sotto_rowset_from(a, s, sotto_rowset_named(a, d->rows, name)))
		return SOTTO_ENOMEM;
	return SOTTO_OK;
}

/* The columns of one alias: what is computed together, and the rest crossed with it. */
static enum sotto_status stand_in(struct sotto_arena *a, const struct columns *c,
				  const char *alias, const struct sotto_rowset **out)
{
	struct sotto_rowset_select s = {0};
	const struct sotto_rowset *computed;

	SOTTO_TRY(computed_columns(a, c, alias, &computed));
	if (computed && (!sotto_rowset_output(a, &s, sotto_expression_star(a, "j"), NULL) ||
			 !sotto_rowset_from(a, &s, computed)))
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < c->count; i++)
		if (!c->list[i]->rows && strcmp(c->list[i]->alias, alias) == 0 &&
		    !is_computed(c->list[i]))
			SOTTO_TRY(add_declared(a, c, i, &s));
	*out = sotto_rowset_select(a, &s, alias);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

static bool same_source(const struct sotto_scope_column *x, const struct sotto_scope_column *y)
{
	return x->rows || y->rows ? x->rows == y->rows : strcmp(x->alias, y->alias) == 0;
}

static bool seen_before(const struct columns *c, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_source(c->list[j], c->list[i]))
			return true;
	return false;
}

/* The rows, and one more of NULLs. */
static const struct sotto_rowset *
with_null_row(struct sotto_arena *a, const struct sotto_rowset *rows, size_t i)
{
	const char *name = sotto_arena_textf(a, "v%zu", i);
	const struct sotto_expression **truths =
		sotto_arena_alloc(a, 2 * sizeof(struct sotto_expression *));

	if (!name || !truths)
		return NULL;
	truths[0] = sotto_expression_word(a, SOTTO_OP_FALSE);
	truths[1] = sotto_expression_word(a, SOTTO_OP_TRUE);
	return sotto_rowset_join(a, SOTTO_ROWSET_LEFT,
				 sotto_rowset_values(a, truths, 2, name, "b"), rows,
				 sotto_expression_column(a, name, "b"));
}

/* Everything that the columns come from, crossed. */
static enum sotto_status
add_sources(struct sotto_arena *a, const struct columns *c, struct sotto_rowset_select *s)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct sotto_public_rows *rows = c->list[i]->rows;
		const struct sotto_rowset *one = rows ? rows->tree : NULL;

		if (seen_before(c, i))
			continue;
		if (!rows)
			SOTTO_TRY(stand_in(a, c, c->list[i]->alias, &one));
		else if (rows->with_null)
			one = with_null_row(a, rows->tree, i);
		if (!sotto_rowset_from(a, s, one))
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

/* Where conditions hold: those over the sources, and public relations that they lead to. */
static enum sotto_status
restrict_rows(struct sotto_arena *a, struct columns *c, struct sotto_rowset_select *s)
{
	SOTTO_TRY(sotto_conditions_reach(a, c->terms->met, &c->list, &c->count));
	return sotto_conditions_over(a, c->terms->met, c->list, c->count, &s->where);
}

/* Computed values may be equal, and conditions leave some out, here or in a subquery below. */
static bool may_be_fewer(const struct columns *c, const struct sotto_rowset_select *s)
{
	bool fewer = s->where != NULL;

	for (size_t i = 0; i < c->part_count; i++)
		fewer = fewer || !sotto_bound_is_column(c->parts[i]);
	for (size_t i = 0; i < c->count; i++)
		fewer = fewer ||
			(!c->list[i]->rows && c->list[i]->met && is_computed(c->list[i]));
	return fewer;
}

enum sotto_status
sotto_expression_domain_joint(struct sotto_arena *a, const struct sotto_bound *const *parts,
			      const char *const *names, size_t count,
			      const struct sotto_expression_domain_terms *terms,
			      const struct sotto_domain **out)
{
	struct sotto_rowset_select s = {.distinct = true};
	struct sotto_domain *d;
	struct columns c;
	int64_t size;

	*out = NULL;
	SOTTO_TRY(gather(a, parts, count, &c));
	c.terms = terms ? terms : &no_terms;
	size = size_of(&c);
	if (c.count == 0 || size < 0)
		return SOTTO_OK;
	for (size_t i = 0; i < count; i++)
		if (!sotto_rowset_output(a, &s, parts[i]->value, names[i]))
			return SOTTO_ENOMEM;
	SOTTO_TRY(restrict_rows(a, &c, &s));
	SOTTO_TRY(add_sources(a, &c, &s));
	d = sotto_arena_alloc(a, sizeof *d);
	if (!d)
		return SOTTO_ENOMEM;
	d->rows = sotto_rowset_select(a, &s, NULL);
	d->size = size == 0 ? -1 : size;
	d->may_be_fewer = may_be_fewer(&c, &s);
	*out = d;
	return d->rows ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_expression_domain(struct sotto_arena *a, const struct sotto_bound *x,
					  const struct sotto_expression_domain_terms *terms,
					  const struct sotto_domain **out)
{
	return sotto_expression_domain_joint(a, &x, (const char *const[]){"k"}, 1, terms, out);
}
