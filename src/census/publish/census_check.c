/* sotto_census_check: what a plan would cost, from what is public. */
#include <stdlib.h>

#include "census/account/census_account.h"
#include "census/exact/census_json_text.h"
#include "census/measure/read/census_inputs.h"
#include "census/publish/census_file_name.h"
#include "sotto/census.h"

enum { ACCOUNT_MAX = 1 << 26 };

enum sotto_status sotto_census_check(const char *plan, char **out, struct sotto_error *err)
{
	struct sotto_census_world *w;
	struct sotto_buffer b;
	const struct sotto_census_access access = {.data = false};
	enum sotto_status st;

	if (!plan || !out)
		return SOTTO_EINVAL;
	w = calloc(1, sizeof *w);
	if (!w)
		return SOTTO_ENOMEM;
	sotto_buffer_init(&b, ACCOUNT_MAX);
	st = sotto_census_world_open(w, plan, &access, err);
	if (st == SOTTO_OK)
		st = sotto_census_names_check(&w->plan, err);
	if (st == SOTTO_OK)
		st = sotto_census_account(w, false, &b);
	sotto_census_world_close(w);
	free(w);
	return sotto_json_finish(&b, st, out);
}
