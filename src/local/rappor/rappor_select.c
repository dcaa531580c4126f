/*
 * Which candidates deserve a place in the fit, when there are too many for all of them.
 *
 * Screening looks at one candidate at a time: the mean of what is left of y over its
 * bits.  Frequent strings hide rarer ones, because everybody's bits overlap by chance;
 * so what is found is fitted and taken out, and the screen looks again (iterated sure
 * independence screening, Fan and Lv 2008).
 */
#include "local/rappor/rappor_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/rappor/rappor_job.h"

#define ROUNDS_MAX 12
/* In standard errors of what is left, noise and unexplained strings together. */
#define SCORE_MIN 3
#define PENALTY 1

struct selection {
	const struct sotto_job *job;
	size_t limit; /* columns at most */
	bool *keep, *tried;
	double *score, *x;
	struct sotto_rows left; /* borrows all but y */
	double spread; /* residual standard deviation over that of noise, at least 1 */
};

static void selection_release(struct selection *s)
{
	free(s->tried);
	free(s->score);
	free(s->x);
	free(s->left.y);
}

static enum sotto_status selection_make(struct selection *s, const struct sotto_job *j)
{
	size_t count = j->columns.count + 1;

	s->left = j->rows;
	s->tried = malloc(count * sizeof *s->tried);
	s->score = malloc(count * sizeof *s->score);
	s->x = malloc(count * sizeof *s->x);
	s->left.y = malloc((j->rows.count + 1) * sizeof *s->left.y);
	return s->tried && s->score && s->x && s->left.y ? SOTTO_OK : SOTTO_ENOMEM;
}

/* What the kept columns and a constant leave of y. */
static enum sotto_status take_out(struct selection *s)
{
	const struct sotto_rows *rows = &s->job->rows;
	struct sotto_columns kept = {0};
	struct sotto_regression_solution fit = {0};
	enum sotto_status st = sotto_columns_select(&s->job->columns, s->keep, &kept);
	double sum = 0;

	if (st == SOTTO_OK)
		st = sotto_solution_init(&fit, kept.count);
	if (st == SOTTO_OK)
		st = sotto_regress(rows, &kept, true, &fit);
	if (st == SOTTO_OK) {
		sotto_columns_apply(&kept, rows->count, fit.x, s->left.y);
		for (size_t r = 0; r < rows->count; r++) {
			s->left.y[r] = rows->y[r] - s->left.y[r] - fit.constant;
			sum += rows->weight[r] * s->left.y[r] * s->left.y[r];
		}
		s->spread = sqrt(fmax(sum / (double)rows->count, 1));
	}
	sotto_solution_release(&fit);
	sotto_columns_release(&kept);
	return st;
}

/* Marks in tried the kept ones and, at most `limit` more, those that what is left points to. */
static enum sotto_status look(struct selection *s, bool *any)
{
	size_t count = s->job->columns.count, found;

	SOTTO_TRY(sotto_regress_screen(&s->left, &s->job->columns, s->score));
	for (double cut = SCORE_MIN * s->spread;; cut *= 1.05) {
		found = 0;
		for (size_t i = 0; i < count; i++) {
			s->tried[i] = s->keep[i] || s->score[i] > cut;
			found += s->tried[i] && !s->keep[i];
		}
		if (found <= s->limit)
			break;
	}
	*any = found > 0;
	return SOTTO_OK;
}

/* Keeps what a non-negative lasso over the tried ones uses, the largest `limit` of them. */
static enum sotto_status choose(struct selection *s)
{
	struct sotto_columns tried = {0};
	size_t count = s->job->columns.count, used;
	enum sotto_status st = sotto_columns_select(&s->job->columns, s->tried, &tried);

	if (st == SOTTO_OK)
		st = sotto_regress_lasso(&s->job->rows, &tried, PENALTY * s->spread, s->x);
	for (double cut = 0; st == SOTTO_OK; cut = cut > 0 ? 1.5 * cut : 1e-6) {
		size_t at = 0;

		used = 0;
		for (size_t i = 0; i < count; i++) {
			s->keep[i] = s->tried[i] && s->x[at] > cut;
			at += s->tried[i];
			used += s->keep[i];
		}
		if (used <= s->limit)
			break;
	}
	sotto_columns_release(&tried);
	return st;
}

enum sotto_status sotto_select_columns(const struct sotto_job *j, size_t limit, bool *keep)
{
	struct selection s = {.job = j, .limit = limit, .keep = keep};
	enum sotto_status st = selection_make(&s, j);
	size_t before = 0;

	memset(keep, 0, j->columns.count * sizeof *keep);
	for (int round = 0; st == SOTTO_OK && round < ROUNDS_MAX; round++) {
		bool any = false;
		size_t now = 0;

		st = take_out(&s);
		if (st == SOTTO_OK)
			st = look(&s, &any);
		if (st != SOTTO_OK || !any)
			break;
		st = choose(&s);
		for (size_t i = 0; i < j->columns.count; i++)
			now += keep[i];
		if (now <= before && round > 2)
			break;
		before = now;
	}
	selection_release(&s);
	return st;
}
