/*
 * bench_serve - a server on this machine: small requests, explanations, repeated answers over HTTP
 * and by psql, idle and slow connections, reports of devices, a race for the last epsilon
 *
 * Starts build/sotto serve on the sample tables of examples/hospital/small in a folder of its own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "serve_client.h"

enum {
	IDLE = 1000,
	SLOW = 300,
	CLIENTS = 4,
	BATCHES = 8,
	BATCH_MAX = 16 << 20,
	ROUNDS = 3,
	RACERS = 200,
};

/* ---- figures ------------------------------------------------------------------------------------ */

struct rate {
	const char *path;
	double until;
	long count;
};

static void *client(void *context)
{
	struct rate *r = context;
	int s = connect_to(http_port);

	while (now() < r->until) {
		need(ask(s, "GET", r->path, key, "", 0) == 200, r->path);
		r->count++;
	}
	(void)close(s);
	return NULL;
}

static void requests_per_second(const char *path)
{
	struct rate rates[CLIENTS];
	pthread_t threads[CLIENTS];
	double begin = now(), used = processor();
	long all = 0;

	for (int i = 0; i < CLIENTS; i++) {
		rates[i] = (struct rate){.path = path, .until = begin + 3};
		need(pthread_create(&threads[i], NULL, client, &rates[i]) == 0, "no thread");
	}
	for (int i = 0; i < CLIENTS; i++) {
		(void)pthread_join(threads[i], NULL);
		all += rates[i].count;
	}
	printf("%-34s %10.0f requests/s beside %d clients on the same core; %.0f in a second "
	       "of "
	       "the server's processor time (wanted: 5000)\n",
	       path, (double)all / (now() - begin), CLIENTS,
	       (double)all / (processor() - used));
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* The median. */
static double
latency(const char *name, const char *path, const char *body, int n, const char *wanted)
{
	double median;
	double *times = calloc((size_t)n, sizeof *times);
	int s = connect_to(http_port);

	need(times != NULL, "no memory");
	(void)ask(s, "POST", path, key, body, strlen(body));
	for (int i = 0; i < n; i++) {
		double begin = now();

		need(ask(s, "POST", path, key, body, strlen(body)) == 200, path);
		times[i] = now() - begin;
	}
	qsort(times, (size_t)n, sizeof *times, compare);
	median = times[n / 2];
	printf("%-34s %10.2f ms, p99 %.2f ms (wanted: %s)\n", name, 1e3 * median,
	       1e3 * times[n * 99 / 100], wanted);
	(void)close(s);
	free(times);
	return median;
}

static void idle_connections(void)
{
	static int sockets[IDLE];
	long before = resident();

	for (int i = 0; i < IDLE; i++) {
		sockets[i] = connect_to(http_port);
		need(ask(sockets[i], "GET", "healthz", key, "", 0) == 200, "healthz");
	}
	printf("%-34s %10.1f MiB more (wanted: below 64)\n", "1000 idle connections",
	       (double)(resident() - before) / 1024);
	for (int i = 0; i < IDLE; i++)
		(void)close(sockets[i]);
}

/* ---- the PostgreSQL protocol --------------------------------------------------------------------- */

/* psql measures each statement itself; the same repeated question as over HTTP. */
static void wire_latency(const char *sql, double http)
{
	enum { N = 400 };
	double times[N], ms;
	char line[512];
	size_t count = 0;
	FILE *f = fopen("wire.sql", "w");

	need(f != NULL, "no file");
	fprintf(f, "SET sotto.epsilon = '0.1';\n%s;\n\\timing on\n", sql);
	for (int i = 0; i < N; i++)
		fprintf(f, "%s;\n", sql);
	(void)fclose(f);
	(void)snprintf(
		line, sizeof line,
		"PGPASSWORD=%s psql -X -q -f wire.sql 'host=127.0.0.1 port=%hu user=alice "
		"dbname=bench' 2> /dev/null",
		key, wire_port);
	f = popen(line, "r");
	while (f && fgets(line, sizeof line, f))
		if (count < N && sscanf(line, "Time: %lf ms", &ms) == 1)
			times[count++] = ms / 1e3;
	need(f && pclose(f) == 0 && count == N, "psql");
	qsort(times, N, sizeof *times, compare);
	printf("%-34s %10.2f ms, p99 %.2f ms; %.2f of the time over HTTP (wanted: at most "
	       "1.2)\n",
	       "the same by psql", 1e3 * times[N / 2], 1e3 * times[N * 99 / 100],
	       times[N / 2] / http);
}

/* ---- slow connections ----------------------------------------------------------------------------- */

static int dripping[2 * SLOW];
static atomic_bool drips;

/* A start-up message and a header that never end: another byte for each, again and again. */
static void *drip(void *context)
{
	(void)context;
	while (atomic_load(&drips)) {
		for (int i = 0; i < 2 * SLOW; i++)
			(void)!send(dripping[i], "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		(void)usleep(200000);
	}
	return NULL;
}

static void slow_connections(void)
{
	char command[512];
	pthread_t thread;
	double begin;
	int s;

	for (int i = 0; i < 2 * SLOW; i++) {
		dripping[i] = connect_to(i < SLOW ? http_port : wire_port);
		send_all(dripping[i], i < SLOW ? "GET /v1/he" : "\0\0\0\x64\0\3\0\0u", 9);
	}
	atomic_store(&drips, true);
	need(pthread_create(&thread, NULL, drip, NULL) == 0, "no thread");
	begin = now();
	s = connect_to(http_port);
	need(ask(s, "GET", "budget", key, "", 0) == 200, "budget");
	(void)close(s);
	printf("%-34s %10.2f ms (wanted: below 2000)\n", "HTTP beside 300 that drip",
	       1e3 * (now() - begin));
	(void)snprintf(command, sizeof command,
		       "PGPASSWORD=%s psql -X -q -A -t -c 'SHOW sotto.budget' 'host=127.0.0.1 "
		       "port=%hu user=alice dbname=bench' > /dev/null",
		       key, wire_port);
	begin = now();
	need(system(command) == 0, "psql");
	printf("%-34s %10.2f ms (wanted: below 2000)\n", "psql beside 300 that drip",
	       1e3 * (now() - begin));
	atomic_store(&drips, false);
	(void)pthread_join(thread, NULL);
	for (int i = 0; i < 2 * SLOW; i++)
		(void)close(dripping[i]);
}

/* ---- a race --------------------------------------------------------------------------------------- */

struct racer {
	char key[128];
	double price;
	int number, status;
};

static double member(const char *name)
{
	const char *at = strstr(reply_text, name);

	return at ? strtod(at + strlen(name), NULL) : -1;
}

static double spent(void)
{
	int s = connect_to(http_port);

	need(ask(s, "GET", "budget", owner, "", 0) == 200, "budget");
	(void)close(s);
	return member("\"spent\":{\"epsilon\":");
}

/* Who is told to come again does so. */
static void *run_race(void *context)
{
	struct racer *r = context;
	int s = connect_to(http_port);
	char body[256];

	(void)snprintf(body, sizeof body,
		       "{\"sql\": \"SELECT COUNT(*) FROM patients WHERE age > %d.5\", "
		       "\"epsilon\": %.17g}",
		       r->number, r->price);
	while ((r->status = ask(s, "POST", "query", r->key, body, strlen(body))) == 503)
		(void)usleep(20000);
	(void)close(s);
	return NULL;
}

static void add_racer(struct racer *r, int number)
{
	int s = connect_to(http_port);
	char body[64];
	const char *at;

	(void)snprintf(body, sizeof body, "{\"name\": \"racer%d\"}", number);
	(void)ask(s, "POST", "users", owner, body, strlen(body));
	(void)close(s);
	at = strstr(reply_text, "\"key\":\"");
	need(at && sscanf(at + 7, "%127[^\"]", r->key) == 1, "a racer has no key");
	r->number = number;
}

/* 200 analysts ask at once, each for a twentieth of what is left: 20 are answered. */
static void race(void)
{
	static struct racer racers[RACERS];
	pthread_t threads[RACERS];
	double before, price, begin;
	int answered = 0, refused = 0, s = connect_to(http_port);

	for (int i = 0; i < RACERS; i++)
		add_racer(&racers[i], i);
	need(ask(s, "GET", "budget", owner, "", 0) == 200, "budget");
	(void)close(s);
	before = member("\"spent\":{\"epsilon\":");
	price = member("\"left\":{\"epsilon\":") / 20;
	begin = now();
	for (int i = 0; i < RACERS; i++) {
		racers[i].price = price;
		need(pthread_create(&threads[i], NULL, run_race, &racers[i]) == 0, "no thread");
	}
	for (int i = 0; i < RACERS; i++) {
		(void)pthread_join(threads[i], NULL);
		answered += racers[i].status == 200;
		refused += racers[i].status == 402;
	}
	printf("%-34s %10d answered, %d refused in %.1f s; spent %.2f times their price "
	       "(wanted: "
	       "20, 180, 20)\n",
	       "200 race for the last epsilon", answered, refused, now() - begin,
	       (spent() - before) / price);
}

/* ---- reports of devices ---------------------------------------------------------------------------- */

static char *batches[BATCHES];
static size_t batch_bytes[BATCHES];

static void make_batches(void)
{
	for (int i = 0; i < BATCHES; i++) {
		char command[8192];
		FILE *f;

		(void)snprintf(
			command, sizeof command,
			"yes %d | head -n 100000 | %s/build/sotto local encode --params oue "
			"--each-device --out batch > batch%d",
			i, root, i);
		need(system(command) == 0, "encode");
		(void)snprintf(command, sizeof command, "batch%d", i);
		f = fopen(command, "r");
		batches[i] = malloc(BATCH_MAX);
		need(f && batches[i], "no batch");
		batch_bytes[i] = fread(batches[i], 1, BATCH_MAX, f);
		(void)fclose(f);
	}
}

/* One client sends all of them, each after the one before is acknowledged. */
static double send_batches(int round)
{
	double begin = now();
	int s = connect_to(http_port);
	char path[64];

	(void)snprintf(path, sizeof path, "collections/c%d/reports", round);
	for (int i = 0; i < BATCHES; i++)
		need(ask(s, "POST", path, owner, batches[i], batch_bytes[i]) == 202, "reports");
	(void)close(s);
	return now() - begin;
}

static double collect_files(int round)
{
	char command[8192];
	double begin = now();

	(void)snprintf(command, sizeof command,
		       "%s/build/sotto local collect --store other%d --params oue batch? > "
		       "/dev/null",
		       root, round);
	need(system(command) == 0, command);
	return now() - begin;
}

/* The better of a few rounds, each into stores of its own. */
static void intake(void)
{
	double file = 1e9, http = 1e9;

	make_batches();
	for (int i = 0; i < ROUNDS; i++) {
		double f = collect_files(i), h = send_batches(i);

		file = f < file ? f : file;
		http = h < http ? h : http;
	}
	printf("%-34s %10.0f reports/s of 64 bytes, %.0f %% of sotto local collect from files "
	       "(wanted: at least 50)\n",
	       "intake", BATCHES * 1e5 / http, 100 * file / http);
	for (int i = 0; i < BATCHES; i++)
		free(batches[i]);
}

int main(void)
{
	const char *asked =
		"{\"sql\": \"SELECT smoker, COUNT(*) FROM patients GROUP BY smoker\", "
		"\"epsilon\": 0.1}";
	double repeated;

	prepare();
	start();
	requests_per_second("healthz");
	requests_per_second("budget");
	(void)latency("explain", "explain", asked, 500, "p99 below 20");
	repeated = latency("a repeated answer", "query", asked, 500, "p99 below 10");
	wire_latency("SELECT smoker, COUNT(*) FROM patients GROUP BY smoker", repeated);
	idle_connections();
	slow_connections();
	intake();
	race();
	(void)kill(server, SIGTERM);
	(void)waitpid(server, NULL, 0);
	shell("rm -rf %s", folder);
	return 0;
}
