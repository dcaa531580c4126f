/* Made-up people and their reports. */
#include "sotto/local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/client/encode.h"
#include "local/plan/simulation_rng.h"
#include "sotto/local.h"
#include "local/protocol/record.h"

static bool zipf_exponent(const char *name, double *s)
{
	char *end;

	if (strcmp(name, "zipf1") == 0 || strcmp(name, "zipf1.5") == 0)
		*s = name[5] ? 1.5 : 1;
	else if (strncmp(name, "zipf:", 5) == 0 && name[5]) {
		*s = strtod(name + 5, &end);
		return *end == '\0' && *s >= 0 && *s < 20;
	} else {
		return false;
	}
	return true;
}

static bool weights(const char *name, size_t values, double *w)
{
	double r = (double)values, s;
	bool zipf = zipf_exponent(name, &s);

	for (size_t i = 0; i < values; i++) {
		double x = (double)i;

		if (zipf)
			w[i] = pow(x + 1, -s);
		else if (strcmp(name, "unif") == 0)
			w[i] = 1;
		else if (strcmp(name, "exp") == 0)
			w[i] = exp(-5 * x / r);
		else if (strcmp(name, "gauss") == 0)
			w[i] = exp(-(x - (r - 1) / 2) * (x - (r - 1) / 2) / (r * r / 18));
		else if (strcmp(name, "spike") == 0)
			w[i] = i == 0 ? fmax(r - 1, 1) : 1;
		else
			return false;
	}
	return true;
}

enum sotto_status sotto_local_population(const char *distribution, size_t values,
					 uint64_t users, uint64_t seed, uint64_t *out,
					 struct sotto_error *err)
{
	if (!distribution || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_simulation_rng dice = {seed};
	double *w = malloc((values + 1) * sizeof *w), sum = 0;

	if (!w)
		return SOTTO_ENOMEM;
	if (!weights(distribution, values, w)) {
		free(w);
		return sotto_fail(
			err, SOTTO_EPARSE,
			"the distribution must be unif, exp, gauss, zipf1, zipf1.5, zipf:S or "
			"spike");
	}
	for (size_t i = 0; i < values; i++)
		sum += w[i];
	for (size_t i = 0; i < values; i++)
		w[i] /= sum;
	sotto_simulation_multinomial(&dice, users, w, values, out);
	free(w);
	return SOTTO_OK;
}

static uint64_t total(const uint64_t *holders, size_t values)
{
	uint64_t n = 0;

	for (size_t i = 0; i < values; i++)
		n += holders[i];
	return n;
}

bool sotto_local_is_salted(const struct sotto_client_params *p)
{
	const struct sotto_protocol *record = sotto_protocol_of(p->protocol);

	return record && record->salted;
}

bool sotto_local_simulate_fast_has(const struct sotto_client_params *p)
{
	const struct sotto_protocol *record = sotto_protocol_of(p->protocol);

	return record && record->simulate;
}

static enum sotto_status
check_values(const struct sotto_client_params *p, size_t values, struct sotto_error *err)
{
	uint64_t most = (uint64_t)p->size + sotto_encoding_of(p->protocol)->includes_size;

	if (sotto_client_takes_number(p) &&
	    (values > most || (p->protocol == SOTTO_CLIENT_RR && values != 2)))
		return sotto_fail(err, SOTTO_EINVAL,
				  "the collection has fewer values than that");
	return SOTTO_OK;
}

enum sotto_status sotto_local_simulate_fast(struct sotto_local_aggregate *a,
					    const uint64_t *holders, size_t values,
					    uint64_t seed, struct sotto_error *err)
{
	if (!a || !holders)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_local_counts c = sotto_local_aggregate_counts(a);
	struct sotto_simulation_rng dice = {seed};
	uint64_t *groups, *cells;
	enum sotto_status st;

	if (!sotto_local_simulate_fast_has(c.params))
		return sotto_fail(err, SOTTO_EINVAL, "fast mode does not have this protocol");
	SOTTO_TRY(check_values(c.params, values, err));
	groups = calloc(c.group_count + 1, sizeof *groups);
	cells = calloc(c.cell_count + 1, sizeof *cells);
	st = groups && cells
		     ? sotto_protocol_of(c.params->protocol)
			       ->simulate(&dice, c.params, holders, values, groups, cells)
		     : SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = sotto_local_aggregate_import(a, total(holders, values), groups, cells);
	free(groups);
	free(cells);
	return st;
}

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

/* One user: a new key, one report. */
static enum sotto_status one_user(struct sotto_local_aggregate *a,
				  const struct sotto_client_params *p, size_t value,
				  struct sotto_rng *rng, uint8_t *report, size_t capacity)
{
	uint8_t key[32];
	struct sotto_client_secrets secrets = {
		.key = key, .fill = fill_from_rng, .context = rng};
	struct sotto_client client;
	char name[32];
	size_t used;
	enum sotto_status st;

	SOTTO_TRY(sotto_rng_fill(rng, key, sizeof key));
	SOTTO_TRY(sotto_client_init(&client, p, &secrets));
	if (sotto_client_takes_number(p))
		st = sotto_client_encode_number(&client, value, report, capacity, &used);
	else
		st = sotto_client_encode(&client, name,
					 (size_t)snprintf(name, sizeof name, "v%zu", value + 1),
					 report, capacity, &used);
	SOTTO_TRY(st);
	return sotto_local_aggregate_add(a, report, 1);
}

enum sotto_status sotto_local_simulate(struct sotto_local_aggregate *a, const uint64_t *holders,
				       size_t values, struct sotto_rng *rng,
				       struct sotto_error *err)
{
	if (!a || !holders || !rng)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_client_params p = *sotto_local_aggregate_counts(a).params;
	size_t capacity = sotto_client_report_bytes(&p);
	uint8_t *report;
	enum sotto_status st = SOTTO_OK;

	SOTTO_TRY(check_values(&p, values, err));
	report = malloc(capacity);
	if (!report)
		return SOTTO_ENOMEM;
	for (size_t v = 0; v < values; v++)
		for (uint64_t i = 0; i < holders[v] && st == SOTTO_OK; i++)
			st = one_user(a, &p, v, rng, report, capacity);
	free(report);
	return st;
}
