/*
 * Mechanisms by their names.
 */
#include <string.h>

#include "channel/matrix/channel_build.h"
#include "channel/matrix/channel_powers.h"
#include "channel/optimal/channel_retune.h"
#include "core/base/failure.h"

static const char *const names[] = {
	[SOTTO_BUILD_GEOMETRIC] = "geometric",
	[SOTTO_BUILD_LAPLACE] = "laplace",
	[SOTTO_BUILD_RESPONSE] = "k-rr",
	[SOTTO_BUILD_EXPONENTIAL] = "exponential",
	[SOTTO_BUILD_RETUNED] = "exponential-retuned",
	[SOTTO_BUILD_TIGHT] = "tight",
};

const char *sotto_build_name(enum sotto_build b)
{
	return b < SOTTO_BUILD_COUNT ? names[b] : NULL;
}

enum sotto_status
sotto_build_parse(const char *name, enum sotto_build *out, struct sotto_error *err)
{
	if (!name || !out)
		return SOTTO_EINVAL;
	for (enum sotto_build b = 0; b < SOTTO_BUILD_COUNT; b++)
		if (strcmp(names[b], name) == 0) {
			*out = b;
			return SOTTO_OK;
		}
	return sotto_fail(err, SOTTO_EPARSE,
			  "there is no mechanism '%.40s'; write geometric, laplace, k-rr, "
			  "exponential, exponential-retuned or tight",
			  name);
}

enum sotto_status sotto_channel_build(enum sotto_build b, const struct sotto_graph *graph,
				      const struct sotto_eps *eps, struct sotto_matrix **out,
				      struct sotto_error *err)
{
	enum sotto_status st;
	mpq_t half;

	if (!graph || !eps || !out || b >= SOTTO_BUILD_COUNT)
		return SOTTO_EINVAL;
	if ((b == SOTTO_BUILD_GEOMETRIC || b == SOTTO_BUILD_LAPLACE) && !graph->is_path)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"the %s mechanism is for a path, the graph of a count; take tight, "
			"k-rr or exponential",
			names[b]);
	switch (b) {
	case SOTTO_BUILD_GEOMETRIC:
		return sotto_channel_geometric_at(graph->nodes, eps, out);
	case SOTTO_BUILD_LAPLACE:
		return sotto_channel_laplace(graph->nodes, eps, out);
	case SOTTO_BUILD_RESPONSE:
		return sotto_channel_response(graph->nodes, eps, out);
	case SOTTO_BUILD_RETUNED:
		return sotto_channel_retuned(graph, eps, out);
	case SOTTO_BUILD_TIGHT:
		return graph->is_path && !sotto_eps_is_zero(eps)
			       ? sotto_channel_geometric_at(graph->nodes, eps, out)
			       : sotto_channel_tight(graph, eps, out, err);
	case SOTTO_BUILD_EXPONENTIAL:
	case SOTTO_BUILD_COUNT:
		break;
	}
	mpq_init(half);
	mpq_set_ui(half, 1, 2);
	st = sotto_channel_exponential(graph, eps, half, out);
	mpq_clear(half);
	return st;
}

bool sotto_build_is_exact(enum sotto_build b, const struct sotto_graph *graph,
			  const struct sotto_eps *eps)
{
	struct sotto_powers powers;
	bool exact = false;
	mpq_t times;

	if (!graph || !eps || b >= SOTTO_BUILD_COUNT || b == SOTTO_BUILD_RETUNED)
		return false;
	mpq_init(times);
	mpq_set_ui(times, 1, b == SOTTO_BUILD_LAPLACE || b == SOTTO_BUILD_EXPONENTIAL ? 2 : 1);
	if (sotto_powers_init(&powers, graph, eps, times, SOTTO_ALPHA_UP) == SOTTO_OK) {
		exact = powers.exact;
		sotto_powers_release(&powers);
	}
	mpq_clear(times);
	return exact;
}
