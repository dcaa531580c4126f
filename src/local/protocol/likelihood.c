/* Checks parameters and value, and calls the likelihood in the protocol's record. */
#include "local/protocol/likelihood.h"

#include "local/protocol/record.h"

double sotto_local_likelihood(const struct sotto_client_params *params, uint64_t number,
			      const void *bytes, size_t length, const uint8_t *report)
{
	struct sotto_client_value v = {.number = number, .bytes = bytes, .length = length};

	if (!report || sotto_client_params_check(params) != SOTTO_OK)
		return NAN;
	if (sotto_client_takes_number(params)
		    ? number >= (uint64_t)params->size +
					sotto_encoding_of(params->protocol)->includes_size
		    : !bytes)
		return NAN;
	return sotto_protocol_of(params->protocol)->likelihood(params, &v, report);
}
