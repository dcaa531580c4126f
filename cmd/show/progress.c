/*
 * Looks at the monotonic clock at every step, and redraws the bar in its line if enough time
 * has passed.
 */
#include "show/progress.h"

#include <string.h>
#include <time.h>

#include "show/terminal.h"

enum { FIRST_MS = 1000, AGAIN_MS = 100 };

static int64_t now_ms(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void progress_begin(struct progress *p, const char *label, uint64_t total)
{
	int64_t start = now_ms();

	*p = (struct progress){.stream = stderr,
			       .label = label,
			       .total = total,
			       .start = start,
			       .next = start + FIRST_MS,
			       .silent = !terminal_is(stderr)};
}

void progress_draw(FILE *stream, const char *label, uint64_t done, uint64_t total,
		   unsigned width)
{
	double share = done >= total ? 1 : (double)done / (double)total;
	unsigned around = (unsigned)strlen(label) + 12;
	unsigned room = width > around + 10 ? width - around : 10;
	unsigned full = (unsigned)(share * room);

	if (room > 40)
		full = (unsigned)(share * (room = 40));
	fprintf(stream, "%s  [", label);
	for (unsigned i = 0; i < room; i++)
		fputc(i < full ? '#' : ' ', stream);
	fprintf(stream, "] %3.0f %%", share * 100);
}

void progress_step(struct progress *p, uint64_t done)
{
	int64_t now;

	if (p->silent)
		return;
	now = now_ms();
	if (now < p->next)
		return;
	p->next = now + AGAIN_MS;
	fputc('\r', p->stream);
	if (p->total)
		progress_draw(p->stream, p->label, done, p->total, terminal_width(p->stream));
	else
		fprintf(p->stream, "%s  %lld s", p->label,
			(long long)((now - p->start) / 1000));
	fflush(p->stream);
	p->drawn = true;
}

void progress_end(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", p->stream);
	p->drawn = false;
}
