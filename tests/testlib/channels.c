#include "testlib/channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel/optimal/program/channel_clp.h"

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

struct sotto_matrix *channels_gain(unsigned long *state, size_t guesses, size_t answers)
{
	char text[400] = "";

	for (size_t i = 0; i < guesses * answers; i++)
		(void)snprintf(text + strlen(text), sizeof text - strlen(text), "%u%s",
			       channels_below(state, 5), (i + 1) % answers ? "," : "\n");
	return channels_matrix(text);
}

void channels_slow_utility(const struct sotto_matrix *m, const struct sotto_user_case *p,
			   struct sotto_rational *out)
{
	size_t n = sotto_matrix_rows(m);
	mpq_t best, sum;
	struct sotto_rational a, b, c;

	mpq_inits(best, sum, (mpq_ptr)0);
	sotto_rational_init(&a);
	sotto_rational_init(&b);
	sotto_rational_init(&c);
	mpq_set_ui(out->q, 0, 1);
	for (size_t z = 0; z < sotto_matrix_columns(m); z++) {
		for (size_t w = 0; w < sotto_matrix_rows(p->gain); w++) {
			mpq_set_ui(sum, 0, 1);
			for (size_t y = 0; y < n; y++) {
				if (sotto_matrix_get(m, y, z, &a) != SOTTO_OK ||
				    sotto_matrix_get(p->prior, 0, y, &b) != SOTTO_OK ||
				    sotto_matrix_get(p->gain, w, y, &c) != SOTTO_OK)
					abort();
				mpq_mul(a.q, a.q, b.q);
				mpq_mul(a.q, a.q, c.q);
				mpq_add(sum, sum, a.q);
			}
			if (w == 0 || mpq_cmp(sum, best) > 0)
				mpq_set(best, sum);
		}
		mpq_add(out->q, out->q, best);
	}
	mpq_clears(best, sum, (mpq_ptr)0);
	sotto_rational_release(&a);
	sotto_rational_release(&b);
	sotto_rational_release(&c);
}

bool channels_has_solver(void)
{
	struct sotto_clp clp;

	return sotto_clp_load(&clp, NULL) == SOTTO_OK;
}
