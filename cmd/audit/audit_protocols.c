/* The protocols of devices, audited as `sotto local audit` does. */
#include "audit/audit_subject.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "local/design/local_audit.h"

#define PROTOCOL(name_, params_, has_epsilon_)                                                 \
	{                                                                                      \
		.name = "local-" name_, .inputs = "two values of one device",                  \
		.outcome = "the likelihood of the report",                                     \
		.params = "protocol " name_ "\n" params_, .has_epsilon = has_epsilon_          \
	}

/* One record for each of SOTTO_CLIENT_PROTOCOLS. */
const struct audit_subject audit_protocols[] = {
	PROTOCOL("rr", "truth .5\nyes .5\n", false),
	PROTOCOL("grr", "size 4\n", true),
	PROTOCOL("sue", "size 16\n", true),
	PROTOCOL("oue", "size 16\n", true),
	PROTOCOL("olh", "size 16\n", true),
	PROTOCOL("flh", "size 16\n", true),
	PROTOCOL("hr", "size 16\n", true),
	PROTOCOL("ss", "size 16\n", true),
	PROTOCOL("rappor", "width 16\nhashes 2\ngroups 8\nf .5\np .25\nq .75\n", false),
	PROTOCOL("cms", "width 64\ngroups 64\n", true),
	PROTOCOL("hcms", "width 64\ngroups 64\n", true),
	PROTOCOL("sfp", "size 6\nwidth 64\nhashes 2\ngroups 8\nsecond 1\n", true),
	PROTOCOL("1bitmean", "size 1000\n", true),
	PROTOCOL("dbitflip", "size 16\nhashes 16\n", true),
	PROTOCOL("pem", "size 32\nhashes 8\ngroups 4\n", true),
	PROTOCOL("treehist", "size 32\ngrain 8\nwidth 64\ngroups 16\nsecond 1\n", true),
	{.name = NULL}};

static enum sotto_status params_of(const struct audit_subject *subject,
				   const struct audit_terms *terms,
				   struct sotto_client_params *out, struct sotto_error *err)
{
	char *epsilon = NULL, *text;
	enum sotto_status st = sotto_rational_format(terms->epsilon, &epsilon);

	if (st != SOTTO_OK)
		return st;
	text = subject->has_epsilon ? memory_text("%sepsilon %s\n", subject->params, epsilon)
				    : memory_copy_text(subject->params);
	st = sotto_local_params_parse(text, strlen(text), out, err);
	free(text);
	free(epsilon);
	return st;
}

enum sotto_status audit_protocol(const struct audit_subject *subject,
				 const struct audit_terms *terms,
				 const struct audit_effort *effort, struct audit_claim *claim,
				 double *proved, struct sotto_error *err)
{
	struct sotto_client_params params;
	struct audit_input inputs[2];
	enum sotto_status st = params_of(subject, terms, &params, err);

	if (st == SOTTO_OK)
		st = audit_stated(&params, &claim->epsilon);
	if (st != SOTTO_OK)
		return st;
	claim->delta = 0;
	audit_inputs_choose(&params, inputs);
	return audit_encoder(&params, inputs, effort->trials / 2, effort->alpha, effort->rng,
			     proved);
}
