/* One value out of a stream of unknown length. */
#include "local/client/primitive/word_source.h"

enum sotto_status
sotto_client_reservoir_offer(uint32_t seen, sotto_client_fill fill, void *context, bool *keep)
{
	struct sotto_client source = {.secrets = {.fill = fill, .context = context}};
	struct sotto_stream s;
	bool chosen;

	if (seen == 0)
		return SOTTO_EINVAL;
	sotto_stream_fresh(&s, &source);
	chosen = sotto_stream_below(&s, seen) == 0;
	if (!sotto_stream_end(&s))
		return SOTTO_EENTROPY;
	*keep = chosen;
	return SOTTO_OK;
}
