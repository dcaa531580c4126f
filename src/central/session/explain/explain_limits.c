/* The limits that hold for every question under a policy, and what its public tables say. */
#include "central/session/explain/explain.h"

#include "central/session/session.h"
#include "central/session/spread/session_spread.h"

/* "2 s" or "500 ms"; of memory the largest unit that says it exactly. */
static const char *time_text(struct sotto_explanation_owned *x, uint64_t nanoseconds)
{
	const uint64_t second = 1000000000;

	return nanoseconds % second
		       ? sotto_arena_textf(&x->arena, "%g ms", (double)nanoseconds / 1e6)
		       : sotto_arena_textf(&x->arena, "%llu s",
					   (unsigned long long)(nanoseconds / second));
}

static const char *memory_text(struct sotto_explanation_owned *x, uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	if (bytes == 0)
		return "four fifths of the machine's";
	while (i + 1 < sizeof units / sizeof units[0] && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	return sotto_arena_textf(&x->arena, "%llu %s", (unsigned long long)bytes, units[i]);
}

enum sotto_status
sotto_explain_limits(struct sotto_explanation_owned *x, const struct sotto_session *s)
{
	const char *limit = time_text(x, sotto_session_limit(s));
	const char *memory = memory_text(x, s->policy.memory);
	uint64_t pad = s->policy.has_pad ? s->policy.pad : s->options.pad;

	if (!limit || !memory)
		return SOTTO_ENOMEM;
	x->public.time_limit = (double)sotto_session_limit(s) / 1e9;
	x->public.memory_limit = s->policy.memory;
	x->public.pad = (double)pad / 1e9;
	SOTTO_SAY("limits", "time", "%s; a question that takes longer is charged and fails",
		  limit);
	SOTTO_SAY("limits", "memory", "%s; a question that needs more is charged and fails",
		  memory);
	if (s->buckets > 0) {
		const char *how = sotto_spread_text(s, &x->arena);

		x->public.buckets = s->buckets;
		SOTTO_SAY("limits", "workers", "%s", how ? how : "");
	}
	if (pad > 0) {
		const char *step = time_text(x, pad);

		SOTTO_SAY("limits", "answer", "sent at a multiple of %s after the charge",
			  step ? step : "");
	}
	if (s->policy.server == SOTTO_SERVER_ADBC)
		SOTTO_SAY("limits", "moment", "%s",
			  s->shares_moment ? "all tables are read as of one moment"
					   : "each table is read at a different moment, "
					     "because this driver has no snapshot that reads "
					     "can share; a question that reads a table "
					     "twice is refused");
	return SOTTO_OK;
}

/* What public tables would tell; *known false: looking takes too long. */
static enum sotto_status check(struct sotto_session *s, const struct sotto_plan *plan,
			       int64_t *text, bool *known, struct sotto_error *err)
{
	enum sotto_status st;

	if (plan->check_count == 0)
		return SOTTO_OK;
	st = s->looking ? sotto_session_ready(s, err) : SOTTO_ERANGE;
	if (st == SOTTO_OK)
		st = sotto_session_check(s, plan, text, err);
	*known = *known && st != SOTTO_ERANGE;
	return st == SOTTO_ERANGE ? SOTTO_OK : st;
}

enum sotto_status sotto_explain_checks(struct sotto_explanation_owned *x,
				       struct sotto_session *s, const struct sotto_plan *plan,
				       struct sotto_error *err)
{
	int64_t text = 0;
	bool known = true;

	SOTTO_TRY(check(s, plan, &text, &known, err));
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(check(s, plan->parts[i], &text, &known, err));
	if (!known || s->looking == 0)
		SOTTO_SAY("limits", "public tables",
			  "too large to look at now; the query looks at them before it is "
			  "charged, and may then have fewer groups or be refused");
	return SOTTO_OK;
}
