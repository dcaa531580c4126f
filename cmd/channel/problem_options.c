/*
 * Turns the options into the texts of a user's case, and tells the name of a mechanism from the
 * name of a file by a slash or a dot in it.
 */
#include "channel/problem_options.h"

#include <string.h>

#include "channel/channel_show.h"
#include "frame/complaint.h"

enum outcome channel_problem_read(const struct invocation *call,
				  const struct problem_settings *settings,
				  const char *mechanism, struct sotto_user_case *out,
				  struct sotto_error *err)
{
	const struct sotto_user_case_texts texts = {.answers = (size_t)settings->answers.value,
						    .graph = settings->graph,
						    .epsilon = settings->epsilon,
						    .prior = settings->prior,
						    .gain = settings->gain,
						    .normalize = settings->normalize,
						    .mechanism = mechanism};
	const char *file = call->operands.count ? call->operands.items[0] : NULL;
	const char *ending = file ? strrchr(file, '.') : NULL;
	struct sotto_error why = {""};
	enum sotto_status st;

	if (ending && strcmp(ending, ".csv") == 0)
		return complaint_usage(err,
				       "a problem is a YAML file; give the matrix %.160s to an "
				       "option (--help lists them)",
				       file);
	st = file ? sotto_user_case_read(file, &texts, out, &why)
		  : sotto_user_case_make(&texts, out, &why);
	if (st != SOTTO_OK)
		return channel_complain(st, &why, err);
	if (out->eps)
		return OUTCOME_DONE;
	sotto_user_case_release(out);
	return complaint_usage(err,
			       "say which epsilon: --epsilon 0.5, ln2, ln(3/2) or alpha=1/2");
}

/* A mechanism's name has neither a slash nor a dot. */
static bool names_file(const char *name)
{
	return strchr(name, '/') || strchr(name, '.');
}

bool channel_is_long_path(const struct problem_settings *settings, size_t most,
			  const struct invocation *call)
{
	return settings->answers.value > most && call->operands.count == 0 &&
	       (!settings->graph || strcmp(settings->graph, "path") == 0);
}

enum sotto_status channel_prior_read(const struct problem_settings *settings,
				     struct sotto_matrix **out, struct sotto_error *why)
{
	const char *text = settings->prior ? settings->prior : "uniform";
	size_t answers = (size_t)settings->answers.value;
	enum sotto_status st = sotto_prior_named(text, answers, out, why);
	struct sotto_matrix *table;

	if (st != SOTTO_EPARSE || !names_file(text))
		return st;
	*why = (struct sotto_error){""};
	st = sotto_matrix_read(text, &table, why);
	if (st != SOTTO_OK)
		return st;
	st = sotto_prior_of(table, answers, settings->normalize, out, why);
	sotto_matrix_free(table);
	return st;
}

bool channel_is_path(const struct sotto_user_case *problem)
{
	return sotto_graph_is_path(problem->graph);
}

bool channel_is_uniform_identity(const struct sotto_user_case *problem)
{
	size_t n = sotto_graph_answers(problem->graph);
	struct sotto_rational x, first, want;
	bool fine = sotto_matrix_rows(problem->gain) == n;

	sotto_rational_init(&x);
	sotto_rational_init(&first);
	sotto_rational_init(&want);
	fine = fine && sotto_matrix_get(problem->prior, 0, 0, &first) == SOTTO_OK;
	for (size_t y = 0; y < n && fine; y++)
		fine = sotto_matrix_get(problem->prior, 0, y, &x) == SOTTO_OK &&
		       sotto_rational_compare(&x, &first) == 0;
	for (size_t i = 0; i < n * n && fine; i++) {
		sotto_rational_set_integer(&want, i / n == i % n);
		fine = sotto_matrix_get(problem->gain, i / n, i % n, &x) == SOTTO_OK &&
		       sotto_rational_compare(&x, &want) == 0;
	}
	sotto_rational_release(&want);
	sotto_rational_release(&x);
	sotto_rational_release(&first);
	return fine;
}

bool channel_is_exact(const struct sotto_user_case *problem, const char *name)
{
	enum sotto_build build;

	return names_file(name) || (sotto_build_parse(name, &build, NULL) == SOTTO_OK &&
				    sotto_build_is_exact(build, problem->graph, problem->eps));
}

enum sotto_status channel_of_mechanism(const struct sotto_user_case *problem, const char *name,
				       struct sotto_matrix **out, struct sotto_error *why)
{
	enum sotto_build build;
	enum sotto_status st;

	if (!names_file(name)) {
		st = sotto_build_parse(name, &build, why);
		return st == SOTTO_OK ? sotto_channel_build(build, problem->graph, problem->eps,
							    out, why)
				      : st;
	}
	st = sotto_matrix_read(name, out, why);
	if (st != SOTTO_OK)
		return st;
	if (sotto_matrix_rows(*out) == sotto_graph_answers(problem->graph) &&
	    sotto_matrix_is_stochastic(*out))
		return SOTTO_OK;
	sotto_matrix_free(*out);
	*out = NULL;
	(void)complaint_usage(
		why,
		"%.200s is not a channel for %zu answers: it needs a row for each, and "
		"every row must sum to exactly 1",
		name, sotto_graph_answers(problem->graph));
	return SOTTO_EINVAL;
}
