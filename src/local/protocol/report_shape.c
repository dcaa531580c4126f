#include "local/protocol/report_shape.h"

#include "core/base/checked.h"
#include "local/client/layout.h"

#define CELLS_MAX ((size_t)1 << 32)

static bool cells_of(const struct sotto_client_params *p, size_t *out)
{
	size_t table;

	switch (p->protocol) {
	case SOTTO_CLIENT_RR:
	case SOTTO_CLIENT_ONE_BIT_MEAN:
		*out = 1;
		return true;
	case SOTTO_CLIENT_FLH:
		return sotto_checked_mul_size(p->groups, p->hashes, out);
	case SOTTO_CLIENT_HR:
	case SOTTO_CLIENT_RAPPOR:
	case SOTTO_CLIENT_CMS:
	case SOTTO_CLIENT_HCMS:
		return sotto_checked_mul_size(p->groups, p->width, out);
	case SOTTO_CLIENT_SFP:
		return sotto_checked_mul_size(p->groups, p->width, &table) &&
		       sotto_checked_mul_size(table, (size_t)sfp_starts(p) + 1, out);
	case SOTTO_CLIENT_TREEHIST:
		return sotto_checked_mul_size(p->groups, p->width, &table) &&
		       sotto_checked_mul_size(table, (size_t)tree_levels(p) + 1, out);
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_PEM:
		*out = 0;
		return true;
	default:
		*out = p->size;
		return true;
	}
}

enum sotto_status
sotto_shape_of(const struct sotto_client_params *p, struct sotto_report_shape *out)
{
	struct sotto_report_shape shape = {0};

	if (!cells_of(p, &shape.cells) || shape.cells > CELLS_MAX)
		return SOTTO_ERANGE;
	shape.keeps_reports =
		p->protocol == SOTTO_CLIENT_OLH || p->protocol == SOTTO_CLIENT_PEM;
	if (p->protocol == SOTTO_CLIENT_RAPPOR || p->protocol == SOTTO_CLIENT_CMS)
		shape.groups = p->groups;
	else if (p->protocol == SOTTO_CLIENT_SFP)
		shape.groups = ((size_t)sfp_starts(p) + 1) * p->groups;
	else if (p->protocol == SOTTO_CLIENT_DBITFLIP)
		shape.groups = p->size;
	else if (p->protocol == SOTTO_CLIENT_TREEHIST)
		shape.groups = tree_levels(p);
	*out = shape;
	return SOTTO_OK;
}
