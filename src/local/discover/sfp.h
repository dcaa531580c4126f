/* sfp.h - finds frequent strings that nobody has listed, from reports about their pieces */
#ifndef SOTTO_SFP_H
#define SOTTO_SFP_H

#include "local/discover/discover_inside.h"

SOTTO_MUST_CHECK enum sotto_status sotto_discover_sfp(const struct sotto_local_counts *c,
						      const struct sotto_local_search *s,
						      struct sotto_local_findings *out);

#endif
