/* Post-processing: consistent numbers out of unbiased ones (Wang et al., NDSS 2020). */
#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "core/number/normal.h"
#include "local/decode/consistency.h"
#include "local/decode/estimate.h"

static int descending(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a < b) - (a > b);
}

static double *sorted_counts(const struct sotto_local_estimate *e, size_t count)
{
	double *v = malloc((count + 1) * sizeof *v);

	for (size_t i = 0; v && i < count; i++)
		v[i] = e[i].count;
	if (v)
		qsort(v, count, sizeof *v, descending);
	return v;
}

static void clip(struct sotto_local_estimate *e, size_t count)
{
	for (size_t i = 0; i < count; i++)
		e[i].post = fmax(e[i].count, 0);
}

static double sum_of_posts(const struct sotto_local_estimate *e, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += e[i].post;
	return sum;
}

/* Euclidean projection: subtract the threshold at which the positive parts sum to the total. */
static enum sotto_status norm_sub(struct sotto_local_estimate *e, size_t count, double total)
{
	double *v = sorted_counts(e, count), sum = 0, shift = 0;

	if (!v)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		double next = (sum + v[i] - total) / ((double)i + 1);

		if (v[i] <= next)
			break;
		sum += v[i];
		shift = next;
	}
	for (size_t i = 0; i < count; i++)
		e[i].post = fmax(e[i].count - shift, 0);
	free(v);
	return SOTTO_OK;
}

/* The largest ones, whole, until the next would pass the total. */
static enum sotto_status norm_cut(struct sotto_local_estimate *e, size_t count, double total)
{
	double *v = sorted_counts(e, count), sum = 0, least = INFINITY;

	if (!v)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < count && v[i] > 0 && sum + v[i] <= total; i++) {
		sum += v[i];
		least = v[i];
	}
	for (size_t i = 0; i < count; i++)
		e[i].post = e[i].count >= least ? e[i].count : 0;
	free(v);
	return SOTTO_OK;
}

enum sotto_status sotto_local_postprocess(struct sotto_local_estimate *e, size_t count,
					  double total, enum sotto_local_post method)
{
	double sum;

	if (!e)
		return SOTTO_EINVAL;
	switch (method) {
	case SOTTO_LOCAL_POST_NORM_SUB:
		return norm_sub(e, count, total);
	case SOTTO_LOCAL_POST_NORM_CUT:
		return norm_cut(e, count, total);
	case SOTTO_LOCAL_POST_NORM:
		for (size_t i = 0; i < count; i++)
			e[i].post = e[i].count;
		sum = sum_of_posts(e, count);
		for (size_t i = 0; i < count; i++)
			e[i].post += (total - sum) / (double)count;
		return SOTTO_OK;
	case SOTTO_LOCAL_POST_NORM_MUL:
		clip(e, count);
		sum = sum_of_posts(e, count);
		for (size_t i = 0; i < count && sum > 0; i++)
			e[i].post *= total / sum;
		return SOTTO_OK;
	case SOTTO_LOCAL_POST_BASE_POS:
		clip(e, count);
		return SOTTO_OK;
	case SOTTO_LOCAL_POST_POWER_LAW:
		sotto_post_power_law(e, count, total);
		return SOTTO_OK;
	case SOTTO_LOCAL_POST_MLE_APX:
		sotto_post_mle_apx(e, count, total);
		return SOTTO_OK;
	case SOTTO_LOCAL_POST_IBU:
		return SOTTO_EINVAL;
	default:
		for (size_t i = 0; i < count; i++)
			e[i].post = e[i].count;
		return SOTTO_OK;
	}
}

enum sotto_status sotto_post_finish(struct sotto_local_estimate *e, size_t count, bool all,
				    double total, const struct sotto_local_options *o)
{
	double positive = 0;

	for (size_t i = 0; i < count; i++)
		positive += fmax(e[i].count, 0);
	if (!all &&
	    (o->post == SOTTO_LOCAL_POST_NORM_SUB || o->post == SOTTO_LOCAL_POST_MLE_APX))
		total = fmin(total, positive);
	SOTTO_TRY(sotto_local_decide(e, count, o->tests, o->alpha, o->correction));
	return sotto_local_postprocess(e, count, total, o->post);
}

double sotto_post_selected_alpha(const struct sotto_local_estimate *e, size_t count,
				 const struct sotto_local_options *o)
{
	double tests = (double)(o->tests > count ? o->tests : count), selected = 0;

	for (size_t i = 0; i < count; i++)
		selected += e[i].significant;
	return selected > 0 ? o->alpha * selected / tests : o->alpha;
}

void sotto_post_take_intervals(struct sotto_local_estimate *e,
			       const struct sotto_local_estimate *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (e[i].significant) {
			e[i].low = from[i].low;
			e[i].high = from[i].high;
		}
}

void sotto_post_select_normal(struct sotto_local_estimate *e, size_t count,
			      const struct sotto_local_options *o)
{
	double z = sotto_normal_upper(sotto_post_selected_alpha(e, count, o) / 2);

	for (size_t i = 0; i < count; i++)
		if (e[i].significant) {
			e[i].low = fmin(e[i].low, e[i].count - z * e[i].sd);
			e[i].high = fmax(e[i].high, e[i].count + z * e[i].sd);
		}
}
