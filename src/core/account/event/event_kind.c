/* One record for each kind of event (event_kind.h). */
#include "core/account/event/event_kind.h"

#define BIT(name) (1u << SOTTO_PARAMETER_##name)
#define NAMED(name) SOTTO_PARAMETER_##name
#define NONE SOTTO_PARAMETERS

static const struct sotto_event_form forms[] = {
	[SOTTO_EVENT_PURE] = {.name = "pure",
			      .reads = BIT(EPSILON),
			      .first = NAMED(EPSILON),
			      .called = NAMED(EPSILON),
			      .whole = NONE},
	[SOTTO_EVENT_APPROX] = {.name = "approx",
				.reads = BIT(EPSILON) | BIT(DELTA),
				.first = NAMED(EPSILON),
				.called = NAMED(EPSILON),
				.whole = NONE},
	[SOTTO_EVENT_ZCDP] = {.name = "zcdp",
			      .reads = BIT(RHO),
			      .first = NAMED(RHO),
			      .called = NAMED(RHO),
			      .whole = NONE},
	[SOTTO_EVENT_LAPLACE] = {.name = "laplace",
				 .reads = BIT(EPSILON) | BIT(SCALE) | BIT(SENSITIVITY),
				 .first = NAMED(EPSILON),
				 .called = NAMED(EPSILON),
				 .whole = NONE},
	[SOTTO_EVENT_GEOMETRIC] = {.name = "geometric",
				   .reads = BIT(EPSILON) | BIT(SCALE) | BIT(SENSITIVITY) |
					    BIT(STEP),
				   .first = NAMED(STEP),
				   .called = NAMED(EPSILON),
				   .whole = NAMED(SENSITIVITY)},
	[SOTTO_EVENT_GAUSSIAN] = {.name = "gaussian",
				  .reads = BIT(SIGMA) | BIT(SENSITIVITY) | BIT(MU2),
				  .first = NAMED(MU2),
				  .called = NAMED(SIGMA),
				  .whole = NONE},
	[SOTTO_EVENT_DISCRETE_GAUSSIAN] = {.name = "discrete-gaussian",
					   .reads = BIT(SIGMA) | BIT(SENSITIVITY) | BIT(SIGMA2),
					   .first = NAMED(SIGMA2),
					   .called = NAMED(SIGMA),
					   .whole = NAMED(SENSITIVITY)},
	[SOTTO_EVENT_RANDOMIZED_RESPONSE] = {.name = "randomized-response",
					     .reads = BIT(EPSILON) | BIT(P) | BIT(COIN) |
						      BIT(YES) | BIT(K),
					     .first = NAMED(EPSILON),
					     .called = NAMED(EPSILON),
					     .whole = NAMED(K),
					     .least = 2},
	[SOTTO_EVENT_EXPONENTIAL] = {.name = "exponential",
				     .reads = BIT(EPSILON),
				     .first = NAMED(EPSILON),
				     .called = NAMED(EPSILON),
				     .whole = NONE},
	[SOTTO_EVENT_PERMUTE_AND_FLIP] = {.name = "permute-and-flip",
					  .reads = BIT(EPSILON),
					  .first = NAMED(EPSILON),
					  .called = NAMED(EPSILON),
					  .whole = NONE},
	[SOTTO_EVENT_SHUFFLE] = {.name = "shuffle",
				 .reads = BIT(N) | BIT(EPSILON0) | BIT(RANDOMIZER),
				 .first = NAMED(EPSILON0),
				 .called = NAMED(EPSILON0),
				 .whole = NAMED(N),
				 .least = 1},
	[SOTTO_EVENT_SAMPLED] = {.name = "sampled",
				 .reads = BIT(RATE),
				 .first = NAMED(RATE),
				 .called = NAMED(RATE),
				 .whole = NONE,
				 .inside = SOTTO_INSIDE_ONE},
	[SOTTO_EVENT_GROUP] = {.name = "group",
			       .reads = BIT(K),
			       .first = NONE,
			       .called = NONE,
			       .whole = NAMED(K),
			       .least = 1,
			       .inside = SOTTO_INSIDE_ONE},
	[SOTTO_EVENT_PARALLEL] = {.name = "parallel",
				  .first = NONE,
				  .called = NONE,
				  .whole = NONE,
				  .inside = SOTTO_INSIDE_SOME},
};

const char *sotto_parameter_text(enum sotto_parameter_name name)
{
	static const char *const names[] = {
#define TEXT(constant, name) name,
		SOTTO_PARAMETER_LIST(TEXT)
#undef TEXT
	};

	return names[name];
}

const struct sotto_event_form *sotto_event_form(enum sotto_event_kind kind)
{
	return &forms[kind];
}

bool sotto_event_reads(enum sotto_event_kind kind, enum sotto_parameter_name name)
{
	return (forms[kind].reads & 1u << name) != 0;
}

enum sotto_parameter_name sotto_event_first(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_RANDOMIZED_RESPONSE && e->has_truth
		       ? NAMED(P)
		       : forms[e->kind].first;
}
