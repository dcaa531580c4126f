/*
 * channel_problem.h - the parts of a problem before they are assembled
 */
#ifndef SOTTO_INSIDE_CHANNEL_PROBLEM_H
#define SOTTO_INSIDE_CHANNEL_PROBLEM_H

#include "channel/matrix/channel_matrix.h"
#include "sotto/utility.h"

/* A matrix takes precedence over the text of the same part, texts.mechanism over mechanisms. */
struct sotto_user_case_parts {
	struct sotto_user_case_texts texts;
	struct sotto_matrix *graph, *prior, *gain;
	const char **labels; /* of all answers, or NULL; borrowed */
	size_t label_count;
	const char **mechanisms; /* NULL after the last, or NULL; borrowed */
};

/* Assembles the parts, which are consumed even on failure. */
SOTTO_MUST_CHECK enum sotto_status sotto_user_case_assemble(struct sotto_user_case_parts *parts,
							    struct sotto_user_case *out,
							    struct sotto_error *err);

/* Reads the text of a problem file; paths in it are relative to the folder of `path`. */
SOTTO_MUST_CHECK enum sotto_status
sotto_user_case_parse(const char *text, size_t length, const char *path,
		      const struct sotto_user_case_texts *over, struct sotto_user_case *out,
		      struct sotto_error *err);

#endif
