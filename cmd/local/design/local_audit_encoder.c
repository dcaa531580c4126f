/* Audits the encoder itself: reports of two inputs, scored by their likelihoods. */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "local/design/local_audit.h"

enum { PILOT_MIN = 2000 }; /* reports of each input on which the event is chosen */

struct trial {
	const struct sotto_client_params *params;
	const struct audit_input *inputs;
	struct sotto_rng *rng;
	uint8_t *report;
	size_t stride;
};

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

/* One report of a new device. */
static enum sotto_status speak(struct trial *t, const struct audit_input *input)
{
	uint8_t key[32];
	struct sotto_client_secrets secrets = {
		.key = key, .fill = fill_from_rng, .context = t->rng};
	struct sotto_client c;
	size_t used;
	enum sotto_status st = sotto_rng_fill(t->rng, key, sizeof key);

	if (st == SOTTO_OK)
		st = sotto_client_init(&c, t->params, &secrets);
	if (st != SOTTO_OK)
		return st;
	if (sotto_client_takes_number(t->params))
		return sotto_client_encode_number(&c, input->number, t->report, t->stride,
						  &used);
	return sotto_client_encode(&c, input->text, strlen(input->text), t->report, t->stride,
				   &used);
}

static double fit(const struct trial *t, const struct audit_input *input)
{
	return sotto_local_likelihood(t->params, input->number, input->text,
				      strlen(input->text), t->report);
}

static enum sotto_status sample(struct trial *t, size_t count, struct audit_scores *out)
{
	enum sotto_status st = SOTTO_OK;

	audit_scores_init(out, count);
	for (size_t i = 0; i < count && st == SOTTO_OK; i++)
		for (int side = 0; side < 2 && st == SOTTO_OK; side++) {
			st = speak(t, &t->inputs[side]);
			if (st == SOTTO_OK)
				out->of[side][i] =
					fit(t, &t->inputs[0]) - fit(t, &t->inputs[1]);
		}
	return st;
}

static enum sotto_status prove(struct trial *t, size_t trials, double alpha, double *proved)
{
	size_t pilot = trials / 10 > PILOT_MIN ? trials / 10 : PILOT_MIN;
	struct audit_scores s;
	struct sotto_audit_event event = {.favours = 0};
	double ignored;
	enum sotto_status st = sample(t, pilot, &s);

	if (st == SOTTO_OK)
		event = audit_choose(&s, trials, alpha, &ignored);
	audit_scores_release(&s);
	if (st != SOTTO_OK)
		return st;
	st = sample(t, trials, &s);
	if (st == SOTTO_OK)
		*proved = audit_try(&s, event, alpha);
	audit_scores_release(&s);
	return st;
}

enum sotto_status audit_encoder(const struct sotto_client_params *p,
				const struct audit_input inputs[2], size_t trials, double alpha,
				struct sotto_rng *rng, double *proved)
{
	struct trial t = {.params = p,
			  .inputs = inputs,
			  .rng = rng,
			  .stride = sotto_client_report_bytes(p)};
	enum sotto_status st;

	t.report = memory_new(t.stride, 1);
	st = prove(&t, trials, alpha, proved);
	free(t.report);
	return st;
}

void audit_inputs_choose(const struct sotto_client_params *p, struct audit_input inputs[2])
{
	inputs[0] = (struct audit_input){.text = "aaaa"};
	inputs[1] = (struct audit_input){.text = "bbbb"};
	if (!sotto_client_takes_number(p))
		return;
	inputs[1].number = p->size ? p->size - 1 : 0;
	if (p->protocol == SOTTO_CLIENT_HR && p->groups < p->size)
		inputs[1].number = p->groups;
	if (p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN)
		inputs[1].number = p->size;
}

enum sotto_status audit_stated(const struct sotto_client_params *p, double *epsilon)
{
	struct sotto_local_privacy privacy;
	enum sotto_status st;

	sotto_local_privacy_init(&privacy);
	st = sotto_local_privacy_state(p, 1, &privacy);
	*epsilon = privacy.report;
	sotto_local_privacy_release(&privacy);
	return st;
}
