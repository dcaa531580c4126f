/* Events as text, and back. */
#include "core/account/event/event.h"
#include "core/account/event/event_kind.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "sotto/account.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TEXT_CAP = 1 << 22 };

static enum sotto_status
write_number(struct sotto_buffer *b, const char *name, const struct sotto_rational *r)
{
	enum sotto_status st;
	char *text;

	SOTTO_TRY(sotto_rational_format(r, &text));
	st = sotto_buffer_appendf(b, "%s=%s", name, text);
	free(text);
	return st;
}

/* The standard deviation, if it is a fraction. */
static bool find_sigma(const struct sotto_event *e, struct sotto_rational *sigma)
{
	bool gaussian = e->kind == SOTTO_EVENT_GAUSSIAN;

	if ((!gaussian && e->kind != SOTTO_EVENT_DISCRETE_GAUSSIAN) ||
	    sotto_rational_sign(&e->first) <= 0)
		return false;
	sotto_rational_set(sigma, &e->first);
	if (gaussian)
		mpq_inv(sigma->q, sigma->q);
	if (!mpz_perfect_square_p(mpq_numref(sigma->q)) ||
	    !mpz_perfect_square_p(mpq_denref(sigma->q)))
		return false;
	mpz_sqrt(mpq_numref(sigma->q), mpq_numref(sigma->q));
	mpz_sqrt(mpq_denref(sigma->q), mpq_denref(sigma->q));
	return true;
}

static enum sotto_status write_main(struct sotto_buffer *b, const struct sotto_event *e)
{
	struct sotto_rational sigma;
	enum sotto_status st;

	sotto_rational_init(&sigma);
	st = find_sigma(e, &sigma)
		     ? write_number(b, "sigma", &sigma)
		     : write_number(b, sotto_parameter_text(sotto_event_first(e)), &e->first);
	sotto_rational_release(&sigma);
	return st;
}

static enum sotto_status write_event(struct sotto_buffer *b, const struct sotto_event *e);

static enum sotto_status write_children(struct sotto_buffer *b, const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++) {
		if (i > 0 || e->kind != SOTTO_EVENT_PARALLEL)
			SOTTO_TRY(sotto_buffer_append_text(b, ", "));
		SOTTO_TRY(write_event(b, e->children[i]));
	}
	return SOTTO_OK;
}

static enum sotto_status write_whole(struct sotto_buffer *b, const struct sotto_event *e)
{
	const struct sotto_event_form *form = sotto_event_form(e->kind);

	if (form->whole == SOTTO_PARAMETERS)
		return SOTTO_OK;
	return sotto_buffer_appendf(b, "%s%s=%" PRIu64,
				    form->first == SOTTO_PARAMETERS ? "" : ", ",
				    sotto_parameter_text(form->whole), e->whole);
}

static enum sotto_status write_parameters(struct sotto_buffer *b, const struct sotto_event *e)
{
	if (sotto_event_form(e->kind)->first != SOTTO_PARAMETERS)
		SOTTO_TRY(write_main(b, e));
	if (sotto_event_reads(e->kind, SOTTO_PARAMETER_DELTA)) {
		SOTTO_TRY(sotto_buffer_append_text(b, ", "));
		SOTTO_TRY(write_number(b, "delta", &e->delta));
	}
	SOTTO_TRY(write_whole(b, e));
	if (sotto_event_reads(e->kind, SOTTO_PARAMETER_RANDOMIZER) && e->is_binary)
		SOTTO_TRY(sotto_buffer_append_text(b, ", randomizer=binary"));
	return SOTTO_OK;
}

static enum sotto_status write_event(struct sotto_buffer *b, const struct sotto_event *e)
{
	SOTTO_TRY(sotto_buffer_appendf(b, "%s(", sotto_event_name(e->kind)));
	SOTTO_TRY(write_parameters(b, e));
	SOTTO_TRY(write_children(b, e));
	SOTTO_TRY(sotto_buffer_append_text(b, ")"));
	if (e->count != 1)
		SOTTO_TRY(sotto_buffer_appendf(b, "*%" PRIu64, e->count));
	return SOTTO_OK;
}

enum sotto_status sotto_event_format(const struct sotto_event *e, char **out)
{
	if (!e || !out)
		return SOTTO_EINVAL;

	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, TEXT_CAP);
	st = write_event(&b, e);
	if (st != SOTTO_OK)
		sotto_buffer_release(&b);
	else
		*out = b.bytes;
	return st;
}
