/*
 * Rows are kept one after another in fractions; for Clp they are rounded to doubles and
 * transposed into columns.
 */
#include "channel/optimal/program/channel_program.h"

#include <stdlib.h>

#include "channel/matrix/channel_powers.h"
#include "channel/optimal/program/channel_clp.h"
#include "core/base/failure.h"

enum sotto_status sotto_program_new(size_t columns, struct sotto_program **out)
{
	struct sotto_program *p = calloc(1, sizeof *p);

	if (!p)
		return SOTTO_ENOMEM;
	p->row_start = calloc(1, sizeof *p->row_start);
	p->objective = calloc(columns, sizeof *p->objective);
	if (!p->row_start || !p->objective) {
		free(p->row_start);
		free(p->objective);
		free(p);
		return SOTTO_ENOMEM;
	}
	p->columns = columns;
	for (size_t i = 0; i < columns; i++)
		mpq_init(p->objective[i]);
	*out = p;
	return SOTTO_OK;
}

void sotto_program_free(struct sotto_program *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->row_start[p->rows]; i++)
		mpq_clear(p->entries[i].value);
	for (size_t i = 0; i < p->rows; i++)
		mpq_clear(p->right[i]);
	for (size_t i = 0; i < p->columns; i++)
		mpq_clear(p->objective[i]);
	free(p->row_start);
	free(p->entries);
	free(p->right);
	free(p->equal);
	free(p->objective);
	free(p);
}

static bool grow(void **items, size_t size, size_t room)
{
	void *grown = realloc(*items, size * room);

	if (grown)
		*items = grown;
	return grown;
}

enum sotto_status sotto_program_row(struct sotto_program *p, bool equal)
{
	if (p->rows == p->row_room) {
		size_t room = p->row_room ? 2 * p->row_room : 64;

		if (!grow((void **)&p->row_start, sizeof *p->row_start, room + 1) ||
		    !grow((void **)&p->right, sizeof *p->right, room) ||
		    !grow((void **)&p->equal, sizeof *p->equal, room))
			return SOTTO_ENOMEM;
		p->row_room = room;
	}
	mpq_init(p->right[p->rows]);
	p->equal[p->rows] = equal;
	p->row_start[p->rows + 1] = p->row_start[p->rows];
	p->rows++;
	return SOTTO_OK;
}

enum sotto_status sotto_program_entry(struct sotto_program *p, size_t column, const mpq_t value)
{
	size_t n = p->row_start[p->rows];

	if (n == p->entry_room) {
		size_t room = n ? 2 * n : 256;

		if (!grow((void **)&p->entries, sizeof *p->entries, room))
			return SOTTO_ENOMEM;
		p->entry_room = room;
	}
	p->entries[n].column = column;
	mpq_init(p->entries[n].value);
	mpq_set(p->entries[n].value, value);
	p->row_start[p->rows] = n + 1;
	return SOTTO_OK;
}

bool sotto_program_factor(const struct sotto_eps *eps, const mpq_t length, mpq_t k)
{
	mpq_t most;
	bool whole;

	mpq_init(most);
	mpq_set_ui(most, 1, 1);
	mpq_mul_2exp(most, most, 36);
	(void)sotto_eps_alpha_up(eps, length, SOTTO_CHANNEL_BITS, k);
	mpq_inv(k, k);
	whole = mpq_cmp(k, most) <= 0;
	if (!whole)
		mpq_set(k, most);
	mpq_clear(most);
	return whole;
}

/* ---- in doubles, column after column, as Clp wants it --------------------------------------- */

struct arrays {
	int *start, *index;
	double *value, *objective, *low, *high;
};

static void arrays_release(struct arrays *a)
{
	free(a->start);
	free(a->index);
	free(a->value);
	free(a->objective);
	free(a->low);
	free(a->high);
}

static void transpose(const struct sotto_program *p, struct arrays *a)
{
	for (size_t i = 0; i < p->row_start[p->rows]; i++)
		a->start[p->entries[i].column + 1]++;
	for (size_t j = 0; j < p->columns; j++)
		a->start[j + 1] += a->start[j];
	for (size_t r = p->rows; r-- > 0;)
		for (size_t i = p->row_start[r]; i < p->row_start[r + 1]; i++) {
			/* filled from the end of each column: start[j + 1] sinks to start[j] */
			int at = --a->start[p->entries[i].column + 1];

			a->index[at] = (int)r;
			a->value[at] = mpq_get_d(p->entries[i].value);
		}
	for (size_t j = 0; j < p->columns; j++)
		a->start[j] = a->start[j + 1];
	a->start[p->columns] = (int)p->row_start[p->rows];
}

static enum sotto_status arrays_of(const struct sotto_program *p, struct arrays *a)
{
	size_t n = p->row_start[p->rows];

	if (n > 1 << 30 || p->rows > 1 << 28 || p->columns > 1 << 28)
		return SOTTO_ERANGE;
	*a = (struct arrays){
		calloc(p->columns + 1, sizeof(int)), calloc(n + 1, sizeof(int)),
		calloc(n + 1, sizeof(double)),       calloc(p->columns, sizeof(double)),
		calloc(p->rows, sizeof(double)),     calloc(p->rows, sizeof(double))};
	if (!a->start || !a->index || !a->value || !a->objective || !a->low || !a->high) {
		arrays_release(a);
		return SOTTO_ENOMEM;
	}
	transpose(p, a);
	for (size_t j = 0; j < p->columns; j++)
		a->objective[j] = -mpq_get_d(p->objective[j]);
	for (size_t r = 0; r < p->rows; r++) {
		a->high[r] = mpq_get_d(p->right[r]);
		a->low[r] = p->equal[r] ? a->high[r] : -SOTTO_CLP_INFINITY;
	}
	return SOTTO_OK;
}

void sotto_program_answer_release(struct sotto_program_answer *a)
{
	free(a->x);
	free(a->price);
	free(a->basic_column);
	free(a->basic_row);
	*a = (struct sotto_program_answer){0};
}

/* Clp minimizes minus the objective: its prices are minus ours. */
static enum sotto_status read_answer(const struct sotto_clp *clp, void *model,
				     const struct sotto_program *p,
				     struct sotto_program_answer *out)
{
	const double *x = clp->Clp_getColSolution(model), *price = clp->Clp_getRowPrice(model);

	*out = (struct sotto_program_answer){
		calloc(p->columns, sizeof *out->x), calloc(p->rows, sizeof *out->price),
		calloc(p->columns, sizeof(bool)), calloc(p->rows, sizeof(bool))};
	if (!out->x || !out->price || !out->basic_column || !out->basic_row) {
		sotto_program_answer_release(out);
		return SOTTO_ENOMEM;
	}
	for (size_t j = 0; j < p->columns; j++) {
		out->x[j] = x[j];
		out->basic_column[j] = clp->Clp_getColumnStatus(model, (int)j) == 1;
	}
	for (size_t r = 0; r < p->rows; r++) {
		out->price[r] = -price[r];
		out->basic_row[r] = clp->Clp_getRowStatus(model, (int)r) == 1;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_program_solve(const struct sotto_program *p,
				      struct sotto_program_answer *out, struct sotto_error *err)
{
	struct sotto_clp clp;
	struct arrays a;
	void *model, *options;
	enum sotto_status st;

	SOTTO_TRY(sotto_clp_load(&clp, err));
	SOTTO_TRY(arrays_of(p, &a));
	model = clp.Clp_newModel();
	options = clp.ClpSolve_new();
	clp.Clp_setLogLevel(model, 0);
	clp.Clp_loadProblem(model, (int)p->columns, (int)p->rows, a.start, a.index, a.value,
			    NULL, NULL, a.objective, a.low, a.high);
	clp.Clp_setPrimalTolerance(model, 1e-12);
	clp.Clp_setDualTolerance(model, 1e-12);
	clp.ClpSolve_setSolveType(options, 0, -1);
	clp.Clp_initialSolveWithOptions(model, options);
	if (clp.Clp_status(model) != 0)
		st = sotto_fail(err, SOTTO_ESTATE, "the linear program could not be solved");
	else
		st = read_answer(&clp, model, p, out);
	clp.ClpSolve_delete(options);
	clp.Clp_deleteModel(model);
	arrays_release(&a);
	return st;
}
