/* K of a group on the real line: of the inner event at k orders (law_group.md). */
#include <float.h>
#include <math.h>

#include "core/account/law/group/law_group_inside.h"
#include "core/account/law/sgauss_rule.h"

/* log M of the inner event at ks + j, with derivatives. */
struct inner_sums {
	double log_m, mean, variance;
};

/* From the list, whose terms for one j are those for the last times R or, where a unit is added, over it. */
static void listed_sums(const struct sotto_law *law, double s, struct inner_sums *out)
{
	double k = (double)law->people, sum[SOTTO_GROUP_PEOPLE_MAX] = {0},
	       mean[SOTTO_GROUP_PEOPLE_MAX] = {0}, square[SOTTO_GROUP_PEOPLE_MAX] = {0},
	       most = -INFINITY, sign = law->direction == SOTTO_REMOVE ? 1 : -1,
	       first = law->direction == SOTTO_REMOVE ? k * s + 1 : -k * s;

	for (size_t i = 0; i < law->n; i++)
		most = fmax(most, law->mass[i] + first * law->loss[i] +
					  fmax(0, sign * (k - 1) * law->loss[i]));
	for (size_t i = 0; i < law->n; i++) {
		double l = law->loss[i], at = law->mass[i] + first * l - most, w, next;

		if (at + fmax(0, sign * (k - 1) * l) <
		    -SOTTO_SGAUSS_STEERING - SOTTO_SGAUSS_TAILS)
			continue;
		w = exp(at);
		next = exp(sign * l);
		for (size_t j = 0; j < law->people; j++, w *= next) {
			sum[j] += w;
			mean[j] += w * l;
			square[j] += w * l * l;
		}
	}
	for (size_t j = 0; j < law->people; j++) {
		mean[j] /= fmax(sum[j], DBL_MIN);
		square[j] /= fmax(sum[j], DBL_MIN);
		out[j].log_m = most + log(sum[j]);
		out[j].mean = sign * mean[j];
		out[j].variance = fmax(square[j] - mean[j] * mean[j], 0);
	}
}

static void inner_sums_at(const struct sotto_law *law, double s, struct inner_sums *out)
{
	struct sotto_law event = sotto_group_inner(law);

	if (sotto_group_is_listed(law, s)) {
		listed_sums(law, s, out);
		return;
	}
	for (size_t j = 0; j < law->people; j++) {
		double k[3] = {0};

		event.class->cumulants(&event, (double)law->people * s + (double)j, k);
		out[j] = (struct inner_sums){k[0], k[1], k[2]};
	}
}

/*
 * log of the sum of all shares times M of the inner event, with derivatives of both: the share a of j has a'/a = 1/s + 1/(s+1) - k/(ks+j) - k/(ks+j+1).
 */
void sotto_group_cumulants(const struct sotto_law *law, double s, double k[3])
{
	double people = (double)law->people, log_part[SOTTO_GROUP_PEOPLE_MAX], most = -INFINITY,
	       sum = 0, slope = 0, bend = 0, one[3];
	struct inner_sums part[SOTTO_GROUP_PEOPLE_MAX];

	inner_sums_at(law, s, part);
	for (size_t j = 0; j < law->people; j++) {
		log_part[j] = part[j].log_m +
			      log(sotto_group_share(people, (double)j, cx_of(s, 0)).re);
		most = fmax(most, log_part[j]);
	}
	for (size_t j = 0; j < law->people; j++) {
		double w = exp(log_part[j] - most), a = people * s + (double)j, b = a + 1,
		       low = j ? 1 / s - people / a : 0, high = 1 / (s + 1) - people / b,
		       turn = j ? people * people / (a * a) - 1 / (s * s) : 0;

		turn += people * people / (b * b) - 1 / ((s + 1) * (s + 1));
		sum += w;
		slope += w * (low + high + people * part[j].mean);
		bend += w * (turn + people * people * part[j].variance +
			     pow(low + high + people * part[j].mean, 2));
	}
	slope /= sum;
	one[0] = most + log(sum);
	one[1] = slope;
	one[2] = fmax(bend / sum - slope * slope, 0);
	sotto_law_add_cumulants(law, one, k);
}

double sotto_group_terms(const struct sotto_law *law, double s)
{
	struct sotto_law event = sotto_group_inner(law);

	if (sotto_group_is_listed(law,
				  s)) /* of which each takes two exponentials for all orders */
		return 4 + (double)law->n;
	return (double)law->people * event.class->terms(&event, sotto_group_order(law, s));
}
