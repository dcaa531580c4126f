/*
 * Text files of local collections.  The first byte says which: p parameters,
 * g params.csv, c counts.csv, m map.csv, r reports.csv (the last three for a
 * fixed params.csv).
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sotto/decode.h"

static const struct sotto_local_google fixed = {
	.bits = 8, .hashes = 2, .cohorts = 3, .p = .25, .q = .75, .f = .5};

static void read_counts(const char *text, size_t n, char which)
{
	uint64_t *reports, *ones;
	enum sotto_status st = which == 'r' ? sotto_local_google_reports(text, n, &fixed,
									 &reports, &ones, NULL)
					    : sotto_local_google_counts(text, n, &fixed, true,
									&reports, &ones, NULL);

	if (st != SOTTO_OK)
		return;
	for (uint32_t i = 0; i < fixed.cohorts * fixed.bits; i++)
		if (ones[i] > reports[i / fixed.bits])
			abort();
	free(reports);
	free(ones);
}

static void read_map(const char *text, size_t n)
{
	struct sotto_local_map map;
	struct sotto_local_names names;

	if (sotto_local_google_map(text, n, &fixed, &map, &names, NULL) != SOTTO_OK)
		return;
	if (map.candidates != names.count || names.count == 0)
		abort();
	for (size_t i = 0; i < map.candidates * map.cohorts * map.hashes; i++)
		if (map.cells[i] != SOTTO_LOCAL_NO_CELL && map.cells[i] >= fixed.bits)
			abort();
	sotto_local_map_release(&map);
	sotto_local_names_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct sotto_client_params p;
	struct sotto_local_google g;

	if (size < 1 || size > 1 << 16)
		return 0;
	switch (data[0]) {
	case 'p':
		if (sotto_local_params_parse(text, size - 1, &p, NULL) == SOTTO_OK &&
		    sotto_client_params_check(&p) != SOTTO_OK)
			abort();
		break;
	case 'g':
		if (sotto_local_google_params(text, size - 1, &g, NULL) == SOTTO_OK &&
		    g.p == g.q)
			abort();
		break;
	case 'm':
		read_map(text, size - 1);
		break;
	default:
		read_counts(text, size - 1, (char)data[0]);
		break;
	}
	return 0;
}
