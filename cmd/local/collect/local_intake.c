/* Batches over HTTP, from devices and pages. */
#include "frame/complaint.h"
#include "frame/service.h"
#include "local/collect/local_collecting.h"
#include "sotto/server.h"

enum { LOOK_MS = 250 }; /* how often the store's health is looked at */

enum outcome local_intake(struct sotto_local_collector *c, const struct invocation *call,
			  struct sotto_error *err)
{
	const struct collect_settings *s = call->settings;
	const struct sotto_intake_options options = {
		.http = s->http, .tls_cert = s->tls_cert, .tls_key = s->tls_key, .store = c};
	struct sotto_intake *intake = NULL;
	enum sotto_status st;

	service_prepare();
	st = sotto_intake_start(&options, &intake, err);
	if (st != SOTTO_OK)
		return local_failed(st, err);
	fprintf(call->out, "listening at %s\n", sotto_intake_url(intake));
	(void)fflush(call->out);
	do
		st = sotto_intake_health(intake, err);
	while (st == SOTTO_OK && !service_ended(LOOK_MS));
	sotto_intake_stop(intake);
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}
