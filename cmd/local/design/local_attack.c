/* sotto local attack: attacks that work, and what stops them. */
#include "local/design/local_attack.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"

static const char *const attacks[] = {"averaging", "change", "linkage", "poison", NULL};

static enum sotto_status (*const functions[])(struct stage *) = {
	attack_averaging, attack_change, attack_linkage, attack_poison};

static const struct option options[] = {
	LOCAL_PARAMS_OPTION(struct attack_settings),
	{.name = "devices",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "200",
	 .help = "number of devices that are attacked; for poison, of honest devices",
	 .offset = offsetof(struct attack_settings, devices)},
	{.name = "reports",
	 .argument = "T",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "100",
	 .help = "for averaging and change: reports that the attacker sees of each device",
	 .offset = offsetof(struct attack_settings, reports)},
	{.name = "fakes",
	 .argument = "M",
	 .kind = OPTION_COUNT,
	 .fallback = "10",
	 .help = "for poison: number of made-up users",
	 .offset = offsetof(struct attack_settings, fakes)},
	OPTIONS_END};

static int fill_from_rng(void *context, uint8_t *out, size_t n)
{
	return sotto_rng_fill(context, out, n) == SOTTO_OK ? 0 : -1;
}

static enum sotto_status draw_key(struct stage *s, struct device *d)
{
	struct sotto_client_secrets secrets = {
		.key = d->key, .id = "", .fill = fill_from_rng, .context = s->rng};
	enum sotto_status st = sotto_rng_fill(s->rng, d->key, sizeof d->key);

	return st == SOTTO_OK ? sotto_client_init(&d->client, &d->params, &secrets) : st;
}

enum sotto_status device_init(struct stage *s, struct device *d, enum memory memory)
{
	d->params = s->params;
	d->memory = memory;
	if (d->params.protocol != SOTTO_CLIENT_RAPPOR) /* which always has a permanent step */
		d->params.memoize = memory == REMEMBERS;
	return draw_key(s, d);
}

static uint64_t number_of(const struct stage *s, unsigned value)
{
	uint64_t last = s->params.protocol == SOTTO_CLIENT_ONE_BIT_MEAN ? s->params.size
									: s->params.size - 1;

	return s->values > 1 ? value * last / (s->values - 1) : 0;
}

/* "aaaa", "bbbb": they differ in every part that a protocol may look at. */
static void string_of(unsigned value, char out[4])
{
	memset(out, (int)('a' + value), 4);
}

enum sotto_status device_speak(struct stage *s, struct device *d, unsigned value)
{
	char text[4];
	size_t used;

	if (d->memory == FORGETS) {
		enum sotto_status st = draw_key(s, d);

		if (st != SOTTO_OK)
			return st;
	}
	if (sotto_client_takes_number(&d->params))
		return sotto_client_encode_number(&d->client, number_of(s, value), s->report,
						  s->stride, &used);
	string_of(value, text);
	return sotto_client_encode(&d->client, text, sizeof text, s->report, s->stride, &used);
}

double stage_fit(const struct stage *s, unsigned value, const uint8_t *report)
{
	char text[4];

	string_of(value, text);
	return sotto_local_likelihood(&s->params, number_of(s, value), text, sizeof text,
				      report);
}

void stage_add(struct stage *s, double number, const char *format, ...)
{
	va_list args;
	char what[160];

	va_start(args, format);
	(void)vsnprintf(what, sizeof what, format, args);
	va_end(args);
	table_add_text(&s->table, what);
	table_add_double(&s->table, number, 4);
}

void stage_say(struct stage *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(s->caption, sizeof s->caption, format, args);
	va_end(args);
}

static enum sotto_status run_on(struct stage *s, size_t attack, const struct invocation *call)
{
	static const struct column columns[] = {{"case", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"result", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	bool counts = sotto_client_takes_number(&s->params) &&
		      s->params.protocol != SOTTO_CLIENT_ONE_BIT_MEAN;
	enum sotto_status st;

	s->values = counts && s->params.size < ATTACK_VALUES ? s->params.size : ATTACK_VALUES;
	s->stride = sotto_client_report_bytes(&s->params);
	s->report = memory_new(s->stride, 1);
	table_init(&s->table, columns, 2);
	st = functions[attack](s);
	if (st == SOTTO_OK) {
		table_print(&s->table, call->format, call->out);
		if (call->format == FORMAT_TABLE)
			fprintf(call->out, "\n%s\n", s->caption);
	}
	table_release(&s->table);
	free(s->report);
	return st;
}

enum outcome local_attack_run(const struct attack_settings *settings, size_t attack,
			      const struct invocation *call, struct sotto_error *err)
{
	struct stage s = {.devices = settings->devices.value,
			  .reports = settings->reports.value,
			  .fakes = settings->fakes.value};
	enum outcome outcome = local_read_params(settings->params, &s.params, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	st = sotto_rng_open(&s.rng);
	if (st == SOTTO_OK) {
		st = run_on(&s, attack, call);
		sotto_rng_close(s.rng);
	}
	return st == SOTTO_OK ? OUTCOME_DONE : local_failed(st, err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	for (size_t i = 0; attacks[i]; i++)
		if (strcmp(call->operands.items[0], attacks[i]) == 0)
			return local_attack_run(call->settings, i, call, err);
	return complaint_usage(err, "the attack must be averaging, change, linkage or poison");
}

const struct command command_local_attack = {
	.name = "attack",
	.summary = "show attacks on a collection: what works and what stops it",
	.usage = "--params FILE [OPTION]... averaging|change|linkage|poison",
	.details =
		"averaging guesses a device's value from many of its reports; change notices\n"
		"that the value changed; linkage recognises a device by its reports; poison\n"
		"sends made-up reports.  Each attack is tried on made-up devices, with and\n"
		"without protection.",
	.options = options,
	.settings_size = sizeof(struct attack_settings),
	.operands_min = 1,
	.operands_max = 1,
	.prints_results = true,
	.waits = "attacking",
	.run = run,
};
