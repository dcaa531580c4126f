/* The table of all protocols, in the order of their numbers. */
#include "local/protocol/record.h"

static const struct sotto_protocol *const records[] = {
#define RECORD(id, number, text) [number] = &sotto_protocol_##id,
	SOTTO_CLIENT_PROTOCOLS(RECORD)
#undef RECORD
};

const struct sotto_protocol *sotto_protocol_of(uint32_t protocol)
{
	return protocol < sizeof records / sizeof records[0] ? records[protocol] : NULL;
}
