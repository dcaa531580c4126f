/* Names and texts of statuses, from their one list. */
#include "sotto/status.h"

#include <stddef.h>

static const struct {
	const char *name;
	const char *text;
} list[] = {
#define ENTRY(name, text) {#name, text},
	SOTTO_STATUS_LIST(ENTRY)
#undef ENTRY
};

const char *sotto_status_name(enum sotto_status status)
{
	size_t i = (size_t)status;

	return i < sizeof list / sizeof list[0] ? list[i].name : "SOTTO_UNKNOWN";
}

const char *sotto_status_text(enum sotto_status status)
{
	size_t i = (size_t)status;

	return i < sizeof list / sizeof list[0] ? list[i].text : "unknown status";
}
