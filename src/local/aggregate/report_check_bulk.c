/* Checks whether a client can have sent the reports. */
#include "local/aggregate/report_check.h"
#include "local/protocol/record.h"
#include "sotto/collect.h"

/*
 * One byte of row number and whole bytes of bits: all there is to check is that
 * byte.  The bits of many, or, where rows are not a power of two, a borrow from any.
 */
static bool byte_rows_ok(const uint8_t *r, size_t stride, size_t n, uint32_t groups)
{
	const uint32_t most = groups - 1;
	bool power = (groups & most) == 0;
	uint32_t a = 0, b = 0;

	for (; power && n >= 4; n -= 4, r += 4 * stride) {
		a |= r[0] | r[stride];
		b |= r[2 * stride] | r[3 * stride];
	}
	if ((a | b) > most)
		return false;
	for (a = 0; n > 0; n--, r += stride)
		a |= most - r[0];
	return a >> 31 == 0;
}

enum sotto_status sotto_local_reports_check(const struct sotto_client_params *params,
					    const uint8_t *reports, size_t n)
{
	if (!params || (!reports && n > 0))
		return SOTTO_EINVAL;

	const struct sotto_protocol *record = sotto_protocol_of(params->protocol);
	size_t stride = sotto_client_report_bytes(params);

	if (!record)
		return SOTTO_EINVAL;
	if (record->counting == SOTTO_COUNT_ROWS && params->groups <= 256 &&
	    params->width % 8 == 0)
		return byte_rows_ok(reports, stride, n, params->groups) ? SOTTO_OK
									: SOTTO_EINVAL;
	for (size_t i = 0; i < n; i++)
		if (record->report_flaw(params, reports + i * stride) !=
		    SOTTO_LOCAL_REASON_NONE)
			return SOTTO_EINVAL;
	return SOTTO_OK;
}

enum sotto_local_reason sotto_local_reports_flaw(const struct sotto_client_params *params,
						 const uint8_t *reports, size_t n)
{
	const struct sotto_protocol *record = sotto_protocol_of(params->protocol);
	size_t stride = sotto_client_report_bytes(params);
	enum sotto_local_reason flaw = SOTTO_LOCAL_REASON_NONE;

	for (size_t i = 0; i < n && flaw == SOTTO_LOCAL_REASON_NONE; i++)
		flaw = record->report_flaw(params, reports + i * stride);
	return flaw != SOTTO_LOCAL_REASON_NONE ? flaw : SOTTO_LOCAL_REASON_REPORT;
}
