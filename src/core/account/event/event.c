/*
 * Events own their children; checks and comparisons recurse, with a limit of depth, and the
 * table of forms says which numbers and children a kind has.
 */
#include "core/account/event/event.h"
#include "core/account/event/event_kind.h"
#include "sotto/account.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/failure.h"

enum { CHILDREN_MAX = 65536, DEPTH_MAX = 16, PARAMETER_BITS_MAX = 4096 };

const char *sotto_event_name(enum sotto_event_kind kind)
{
	return sotto_event_form(kind)->name;
}

enum sotto_status sotto_event_new(enum sotto_event_kind kind, struct sotto_event **out)
{
	if (!out)
		return SOTTO_EINVAL;

	struct sotto_event *e = calloc(1, sizeof *e);

	if (!e)
		return SOTTO_ENOMEM;
	e->kind = kind;
	e->count = 1;
	sotto_rational_init(&e->first);
	sotto_rational_init(&e->delta);
	*out = e;
	return SOTTO_OK;
}

void sotto_event_free(struct sotto_event *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n_children; i++)
		sotto_event_free(e->children[i]);
	free(e->children);
	sotto_rational_release(&e->first);
	sotto_rational_release(&e->delta);
	free(e);
}

enum sotto_status sotto_event_adopt(struct sotto_event *e, struct sotto_event *child)
{
	if (!e || !child)
		return SOTTO_EINVAL;

	struct sotto_event **grown;

	if (e->n_children >= CHILDREN_MAX)
		return SOTTO_ERANGE;
	if ((e->n_children & (e->n_children + 1)) == 0) { /* room for 2^k - 1 is used up */
		grown = realloc(e->children,
				(2 * e->n_children + 1) * sizeof(struct sotto_event *));
		if (!grown)
			return SOTTO_ENOMEM;
		e->children = grown;
	}
	e->children[e->n_children++] = child;
	return SOTTO_OK;
}

static enum sotto_status copy_children(struct sotto_event *to, const struct sotto_event *from)
{
	struct sotto_event *child;
	enum sotto_status st;

	for (size_t i = 0; i < from->n_children; i++) {
		SOTTO_TRY(sotto_event_copy(from->children[i], &child));
		st = sotto_event_adopt(to, child);
		if (st != SOTTO_OK) {
			sotto_event_free(child);
			return st;
		}
	}
	return SOTTO_OK;
}

enum sotto_status sotto_event_copy(const struct sotto_event *e, struct sotto_event **out)
{
	if (!e || !out)
		return SOTTO_EINVAL;

	struct sotto_event *copy;
	enum sotto_status st;

	SOTTO_TRY(sotto_event_new(e->kind, &copy));
	sotto_rational_set(&copy->first, &e->first);
	sotto_rational_set(&copy->delta, &e->delta);
	copy->whole = e->whole;
	copy->option = e->option;
	copy->count = e->count;
	st = copy_children(copy, e);
	if (st != SOTTO_OK) {
		sotto_event_free(copy);
		return st;
	}
	*out = copy;
	return SOTTO_OK;
}

static bool in_unit(const struct sotto_rational *r)
{
	return mpq_sgn(r->q) >= 0 && mpq_cmp_ui(r->q, 1, 1) <= 0;
}

static bool in_range(const struct sotto_rational *r)
{
	return mpz_sizeinbase(mpq_numref(r->q), 2) <= PARAMETER_BITS_MAX &&
	       mpz_sizeinbase(mpq_denref(r->q), 2) <= PARAMETER_BITS_MAX;
}

/* What the first parameter is called in messages; "" if there is none. */
static const char *first_called(const struct sotto_event *e)
{
	enum sotto_parameter_name called = sotto_event_form(e->kind)->called;

	if (sotto_event_first(e) == SOTTO_PARAMETER_P)
		called = SOTTO_PARAMETER_P;
	return called < SOTTO_PARAMETERS ? sotto_parameter_text(called) : "";
}

static enum sotto_status check_numbers(const struct sotto_event *e, struct sotto_error *err)
{
	bool unit = e->kind == SOTTO_EVENT_SAMPLED ||
		    (e->kind == SOTTO_EVENT_RANDOMIZED_RESPONSE && e->has_truth);
	const char *event = sotto_event_name(e->kind), *name = first_called(e);

	if (!in_range(&e->first) || !in_range(&e->delta))
		return sotto_fail(err, SOTTO_ERANGE, "a parameter of %s is beyond 2^+-%d",
				  event, PARAMETER_BITS_MAX);
	if (unit && !in_unit(&e->first))
		return sotto_fail(err, SOTTO_EINVAL, "%s: %s must lie between 0 and 1", event,
				  name);
	if (mpq_sgn(e->first.q) < 0)
		return sotto_fail(err, SOTTO_EINVAL, "%s: %s must not be negative", event,
				  name);
	if (e->kind == SOTTO_EVENT_DISCRETE_GAUSSIAN && mpq_sgn(e->sigma_squared.q) == 0)
		return sotto_fail(err, SOTTO_EINVAL, "%s: sigma must be positive", event);
	if (e->kind == SOTTO_EVENT_APPROX && !in_unit(&e->delta))
		return sotto_fail(err, SOTTO_EINVAL, "%s: delta must lie between 0 and 1",
				  event);
	return SOTTO_OK;
}

static enum sotto_status check_integers(const struct sotto_event *e, struct sotto_error *err)
{
	const struct sotto_event_form *form = sotto_event_form(e->kind);

	if (e->whole >= form->least)
		return SOTTO_OK;
	return sotto_fail(err, SOTTO_EINVAL, "%s: %s must be at least %" PRIu64, form->name,
			  sotto_parameter_text(form->whole), form->least);
}

static bool has_right_children(const struct sotto_event *e)
{
	switch (sotto_event_form(e->kind)->inside) {
	case SOTTO_INSIDE_ONE:
		return e->n_children == 1;
	case SOTTO_INSIDE_SOME:
		return e->n_children > 0;
	case SOTTO_INSIDE_NONE:
		break;
	}
	return e->n_children == 0;
}

static enum sotto_status
check_at(const struct sotto_event *e, unsigned depth, struct sotto_error *err)
{
	if (depth > DEPTH_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "events are nested more than %d deep",
				  DEPTH_MAX);
	if (!has_right_children(e))
		return sotto_fail(err, SOTTO_EINVAL, "%s has the wrong number of events inside",
				  sotto_event_name(e->kind));
	SOTTO_TRY(check_numbers(e, err));
	SOTTO_TRY(check_integers(e, err));
	for (size_t i = 0; i < e->n_children; i++)
		SOTTO_TRY(check_at(e->children[i], depth + 1, err));
	return SOTTO_OK;
}

enum sotto_status sotto_event_check(const struct sotto_event *e, struct sotto_error *err)
{
	if (!e)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	return check_at(e, 1, err);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

size_t sotto_event_parts(const struct sotto_event *e)
{
	size_t sum = 1;

	for (size_t i = 0; i < e->n_children; i++)
		sum += sotto_event_parts(e->children[i]);
	return sum;
}

int sotto_event_compare(const struct sotto_event *a, const struct sotto_event *b)
{
	int c = compare_numbers(a->kind, b->kind);

	c = c ? c : mpq_cmp(a->first.q, b->first.q);
	c = c ? c : mpq_cmp(a->delta.q, b->delta.q);
	c = c ? c : compare_numbers(a->whole, b->whole);
	c = c ? c : compare_numbers(a->option, b->option);
	c = c ? c : compare_numbers(a->count, b->count);
	c = c ? c : compare_numbers(a->n_children, b->n_children);
	for (size_t i = 0; !c && i < a->n_children; i++)
		c = sotto_event_compare(a->children[i], b->children[i]);
	return (c > 0) - (c < 0);
}
