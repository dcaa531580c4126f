/*
 * Looks the launcher up in its table and checks what it needs; threads and memory of a machine
 * are divided among the workers that run on it at once.
 */
#include "central/seal/policy_workers.h"

#include <stdio.h>
#include <string.h>

#include "central/engine/engine.h"
#include "central/engine/worker/process_limits.h"
#include "core/base/failure.h"

static enum sotto_status
refuse(const struct sotto_policy *p, struct sotto_error *err, const char *sentence)
{
	return sotto_fail(err, SOTTO_EPARSE, "%.160s:%zu: %s", p->path, p->spread.line,
			  sentence);
}

/* Of the table, as people say it: local, ssh or spark. */
static enum sotto_status refuse_launcher(const struct sotto_policy *p, struct sotto_error *err)
{
	char sentence[200] = "there is no such launcher; write ";
	const struct sotto_launcher *l;

	for (size_t i = 0, n; (l = sotto_launcher_at(i)) != NULL; i++) {
		n = strlen(sentence);
		(void)snprintf(sentence + n, sizeof sentence - n, "%s%s",
			       i == 0                     ? ""
			       : sotto_launcher_at(i + 1) ? ", "
							  : " or ",
			       l->name);
	}
	return refuse(p, err, sentence);
}

enum sotto_status
sotto_policy_workers_check(const struct sotto_policy *p, struct sotto_error *err)
{
	const struct sotto_policy_spread *s = &p->spread;
	const struct sotto_launcher *l = s->line ? sotto_launcher_find(s->launcher) : NULL;

	if (!s->line)
		return SOTTO_OK;
	if (!l)
		return refuse_launcher(p, err);
	if (l->needs_master && !s->master)
		return refuse(p, err,
			      "this launcher needs master:, like spark://10.0.0.5:7077");
	if (l->needs_hosts && s->host_count == 0)
		return refuse(p, err, "this launcher needs hosts:, like [db1, db2]");
	return SOTTO_OK;
}

struct sotto_spread_settings
sotto_policy_workers(const struct sotto_policy *p, uint32_t buckets, uint32_t processes)
{
	const struct sotto_policy_spread *s = &p->spread;
	struct sotto_spread_settings settings = {
		.launcher = &sotto_launcher_local, .buckets = buckets, .parallel = processes};

	if (processes == 0) {
		if (s->line)
			settings.launcher = sotto_launcher_find(s->launcher);
		settings.master = s->master;
		settings.hosts = s->hosts;
		settings.host_count = s->host_count;
		settings.listen = s->listen;
		settings.program = s->program;
		settings.options = s->options;
		settings.option_count = s->option_count;
		settings.parallel = settings.launcher->needs_hosts ? (unsigned)s->host_count
								   : sotto_machine_cores();
	}
	if (settings.parallel > buckets)
		settings.parallel = buckets;
	return settings;
}

void sotto_workers_share(const struct sotto_spread_settings *settings, unsigned threads,
			 uint64_t memory, uint32_t *threads_of_one, uint64_t *memory_of_one)
{
	unsigned all = threads ? threads : sotto_machine_cores();

	*memory_of_one = memory;
	*threads_of_one = settings->launcher->is_scheduler ? 1 : 0;
	if (settings->launcher->is_remote)
		return;
	*threads_of_one = all > settings->parallel ? all / settings->parallel : 1;
	*memory_of_one = memory / settings->parallel;
	if (*memory_of_one && *memory_of_one < SOTTO_ENGINE_MEMORY_MIN)
		*memory_of_one = SOTTO_ENGINE_MEMORY_MIN;
}
