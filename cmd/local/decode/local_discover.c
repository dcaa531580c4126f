/* Strings found without a list of candidates. */
#include <stdlib.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/local_command.h"

/* The bytes as text: what is not plain ASCII is shown as \xNN. */
static char *shown(const struct sotto_local_found *f)
{
	char *text = memory_new(4 * f->length + 1, 1), *at = text;

	for (size_t i = 0; i < f->length; i++) {
		uint8_t c = f->bytes[i];

		if (c >= 32 && c < 127 && c != '\\')
			*at++ = (char)c;
		else
			at += snprintf(at, 5, "\\x%02x", c);
	}
	return text;
}

bool local_finds_strings(const struct sotto_client_params *p)
{
	return p->protocol == SOTTO_CLIENT_PEM || p->protocol == SOTTO_CLIENT_TREEHIST ||
	       p->protocol == SOTTO_CLIENT_SFP;
}

enum outcome local_discover(struct sotto_local_aggregate *a,
			    const struct sotto_local_search *search, struct local_result *out,
			    struct sotto_error *err)
{
	struct sotto_local_findings f;
	enum sotto_status st = sotto_local_discover(a, search, &f, err);

	if (st != SOTTO_OK)
		return local_failed(st, err);
	local_result_init(out, f.count, sotto_local_aggregate_counts(a).reports);
	out->count = 0;
	out->capped = f.capped;
	out->over_hashes = sotto_local_is_salted(sotto_local_aggregate_counts(a).params);
	for (size_t i = 0; i < f.count; i++) {
		if (!f.items[i].estimate.significant)
			continue; /* thousands were asked about */
		out->estimates[out->count] = f.items[i].estimate;
		out->names[out->count++] = shown(&f.items[i]);
	}
	sotto_local_findings_release(&f);
	return OUTCOME_DONE;
}
