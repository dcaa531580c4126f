#include "testlib/channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void insist(enum sotto_status st, const struct sotto_error *err)
{
	if (st == SOTTO_OK)
		return;
	fprintf(stderr, "bad test case: %s %s\n", sotto_status_name(st), err->text);
	exit(1);
}

struct sotto_user_case channels_problem(const char *graph, size_t answers, const char *epsilon,
					const char *prior, const char *gain)
{
	const struct sotto_user_case_texts texts = {.answers = answers,
						    .graph = graph,
						    .epsilon = epsilon,
						    .prior = prior,
						    .gain = gain};
	struct sotto_error err = {""};
	struct sotto_user_case p;

	insist(sotto_user_case_make(&texts, &p, &err), &err);
	return p;
}

struct sotto_matrix *channels_matrix(const char *csv)
{
	struct sotto_error err = {""};
	struct sotto_matrix *m;

	insist(sotto_matrix_parse(csv, strlen(csv), "test", &m, &err), &err);
	return m;
}

struct sotto_matrix *channels_build(enum sotto_build b, const struct sotto_user_case *p)
{
	struct sotto_error err = {""};
	struct sotto_matrix *m;

	insist(sotto_channel_build(b, p->graph, p->eps, &m, &err), &err);
	return m;
}

bool channels_is(const struct sotto_rational *r, const char *text)
{
	struct sotto_rational want;
	bool same;

	sotto_rational_init(&want);
	same = sotto_rational_parse(&want, text, NULL) == SOTTO_OK &&
	       sotto_rational_compare(r, &want) == 0;
	sotto_rational_release(&want);
	return same;
}

double channels_near(const struct sotto_rational *r)
{
	return mpq_get_d(r->q);
}

bool channels_cell_is(const struct sotto_matrix *m, size_t row, size_t column, const char *text)
{
	struct sotto_rational cell;
	bool same;

	sotto_rational_init(&cell);
	same = sotto_matrix_get(m, row, column, &cell) == SOTTO_OK && channels_is(&cell, text);
	sotto_rational_release(&cell);
	return same;
}

unsigned channels_below(unsigned long *state, unsigned n)
{
	*state = *state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(*state >> 33) % n;
}

struct sotto_matrix *
channels_random(unsigned long *state, size_t rows, size_t columns, bool zeros)
{
	struct sotto_rational cell;
	struct sotto_error err = {""};
	struct sotto_matrix *m;

	insist(sotto_matrix_new(rows, columns, &m), &err);
	sotto_rational_init(&cell);
	for (size_t i = 0; i < rows * columns; i++) {
		unsigned weight = channels_below(state, 12) + !zeros;

		if (i % columns == 0 && weight == 0)
			weight = 1;
		insist(sotto_rational_set_ratio(&cell, weight, 1), &err);
		insist(sotto_matrix_set(m, i / columns, i % columns, &cell), &err);
	}
	sotto_rational_release(&cell);
	insist(sotto_matrix_normalize(m), &err);
	return m;
}
