/* sotto local simulate: how well a design works on made-up people. */
#include <stdlib.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "local/design/local_attack.h"
#include "local/design/local_simulate.h"
#include "show/terminal.h"
#include "show/waiting.h"

struct simulate_settings {
	const char *params, *distribution, *svg, *walk;
	struct option_count values, clients, extra, runs, seed, reports, fakes, rounds;
	size_t attack; /* 0 none, then as local_attack_run counts them */
	bool fast, missing, same_hashes;
	struct local_decoding decoding;
};

static const char *const attack_choices[] = {"none",    "averaging", "change",
					     "linkage", "poison",    NULL};

static const struct option options[] = {
	LOCAL_PARAMS_OPTION(struct simulate_settings),
	{.name = "dist",
	 .argument = "D",
	 .kind = OPTION_TEXT,
	 .fallback = "zipf1",
	 .help = "how common the values are: unif, exp, gauss, zipf1, zipf1.5, zipf:S or spike",
	 .offset = offsetof(struct simulate_settings, distribution)},
	{.name = "values",
	 .argument = "R",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .help = "number of values that people hold; they are called v1, v2, ... or 0, 1, ...",
	 .offset = offsetof(struct simulate_settings, values)},
	{.name = "clients",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "1000",
	 .help = "number of people; with --attack, number of devices",
	 .offset = offsetof(struct simulate_settings, clients)},
	{.name = "extra",
	 .argument = "X",
	 .kind = OPTION_COUNT,
	 .fallback = "0",
	 .help = "number of candidates that nobody holds",
	 .offset = offsetof(struct simulate_settings, extra)},
	{.name = "missing",
	 .kind = OPTION_FLAG,
	 .help = "leave strings that end in 9 out of the candidates",
	 .offset = offsetof(struct simulate_settings, missing)},
	{.name = "runs",
	 .argument = "T",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "1",
	 .help = "repeat T times, and print means and their errors",
	 .offset = offsetof(struct simulate_settings, runs)},
	{.name = "seed",
	 .argument = "S",
	 .kind = OPTION_COUNT,
	 .fallback = "1",
	 .help = "seed of the made-up people",
	 .offset = offsetof(struct simulate_settings, seed)},
	{.name = "same-hashes",
	 .kind = OPTION_FLAG,
	 .help = "for flh, cms, hcms, treehist and sfp: keep the hash functions of the "
		 "parameters in all runs",
	 .offset = offsetof(struct simulate_settings, same_hashes)},
	{.name = "fast",
	 .kind = OPTION_FLAG,
	 .help = "draw the counters instead of the reports; the law is the same",
	 .offset = offsetof(struct simulate_settings, fast)},
	{.name = "svg",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "draw the estimates, their intervals and the truth",
	 .offset = offsetof(struct simulate_settings, svg)},
	{.name = "walk",
	 .argument = "W",
	 .kind = OPTION_TEXT,
	 .help = "for 1bitmean: how the numbers change over time, ar1 or sticky",
	 .offset = offsetof(struct simulate_settings, walk)},
	{.name = "rounds",
	 .argument = "T",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "10",
	 .help = "with --walk: number of rounds",
	 .offset = offsetof(struct simulate_settings, rounds)},
	{.name = "attack",
	 .argument = "A",
	 .kind = OPTION_CHOICE,
	 .choices = attack_choices,
	 .help = "try this attack on --clients devices instead",
	 .offset = offsetof(struct simulate_settings, attack)},
	{.name = "reports",
	 .argument = "T",
	 .kind = OPTION_COUNT,
	 .range = RANGE_POSITIVE,
	 .fallback = "100",
	 .help = "with --attack averaging or change: reports that the attacker sees of each "
		 "device",
	 .offset = offsetof(struct simulate_settings, reports)},
	{.name = "fakes",
	 .argument = "M",
	 .kind = OPTION_COUNT,
	 .fallback = "10",
	 .help = "with --attack poison: number of made-up users",
	 .offset = offsetof(struct simulate_settings, fakes)},
	LOCAL_DECODING_OPTIONS(struct simulate_settings),
	OPTIONS_END};

static enum outcome compare(const struct simulate_settings *s,
			    const struct sotto_client_params *p, const struct invocation *call,
			    struct sotto_error *err)
{
	const struct local_counts counts = {
		.people = {.distribution = s->distribution,
			   .values = s->values.value,
			   .runs = s->runs.value,
			   .walk = s->walk,
			   .rounds = s->rounds.value,
			   .clients = s->clients.value,
			   .seed = s->seed.value,
			   .fast = s->fast,
			   .alpha = sotto_rational_double_up(&s->decoding.alpha.value)},
		.extra = s->extra.value,
		.missing = s->missing,
		.same_hashes = s->same_hashes,
		.fast = s->fast,
		.svg = s->svg,
		.decoding = &s->decoding};

	if (s->same_hashes && !sotto_local_is_salted(p))
		return complaint_usage(err,
				       "%s has no public hash functions: leave "
				       "--same-hashes out",
				       sotto_local_protocol_name(p->protocol));
	if (s->walk)
		return local_simulate_rounds(p, &counts.people, call, err);
	if (!s->values.given)
		return complaint_usage(err, "--values is needed");
	if (p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN &&
	    (s->svg || s->extra.value || s->missing))
		return complaint_usage(err,
				       "1bitmean estimates one mean: leave --svg, --extra and "
				       "--missing out");
	if (p->protocol == SOTTO_CLIENT_ONE_BIT_MEAN)
		return local_simulate_mean(p, &counts.people, call, err);
	return local_simulate_counts(p, &counts, call, err);
}

static enum outcome attack_or_mean(const struct simulate_settings *s,
				   const struct sotto_client_params *p,
				   const struct invocation *call, struct sotto_error *err)
{
	struct attack_settings attack = {.params = s->params,
					 .devices = s->clients,
					 .reports = s->reports,
					 .fakes = s->fakes};

	return s->attack > 0 ? local_attack_run(&attack, s->attack - 1, call, err)
			     : compare(s, p, call, err);
}

/* What has no bar shows the seconds, and prints when it is done. */
static enum outcome run_other(const struct simulate_settings *s,
			      const struct sotto_client_params *p,
			      const struct invocation *call, struct sotto_error *err)
{
	struct invocation held = *call;
	struct waiting waiting;
	enum outcome outcome;
	char *text = NULL;
	size_t n = 0;

	if (!terminal_is(stderr))
		return attack_or_mean(s, p, call, err);
	held.out = open_memstream(&text, &n);
	if (!held.out)
		memory_fail();
	waiting_begin(&waiting, "simulating");
	outcome = attack_or_mean(s, p, &held, err);
	waiting_end(&waiting);
	fclose(held.out);
	fwrite(text, 1, n, call->out);
	free(text);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct simulate_settings *s = call->settings;
	struct sotto_client_params params;
	enum outcome outcome;

	outcome = local_read_params(s->params, &params, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (s->attack == 0 && !s->walk && params.protocol != SOTTO_CLIENT_ONE_BIT_MEAN)
		return compare(s, &params, call, err); /* with a bar */
	return run_other(s, &params, call, err);
}

const struct command command_local_simulate = {
	.name = "simulate",
	.summary = "collect from made-up people, and compare with the truth",
	.usage = "--params FILE --values R [--clients N] [OPTION]...\n"
		 "--params FILE --walk W [OPTION]...\n"
		 "--params FILE --attack A [OPTION]...",
	.details = "Without --fast, every person is simulated by the real encoder with real\n"
		   "randomness.",
	.options = options,
	.settings_size = sizeof(struct simulate_settings),
	.prints_results = true,
	.run = run,
};
