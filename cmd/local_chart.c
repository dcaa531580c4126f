/* Truth against estimate as SVG: bars, points, intervals. */
#include <math.h>

#include "local.h"

enum { WIDTH = 960, HEIGHT = 420, LEFT = 70, BOTTOM = 60, TOP = 30, SHOWN_MAX = 60 };

static double y_of(double x, double low, double high)
{
	return TOP + (HEIGHT - TOP - BOTTOM) * (high - x) / (high - low);
}

static void limits(const struct local_result *r, const uint64_t *truth, size_t shown,
		   double *low, double *high)
{
	*low = 0;
	*high = 1;
	for (size_t i = 0; i < shown; i++) {
		*high = fmax(*high,
			     fmax((double)truth[i],
				  isfinite(r->estimates[i].high) ? r->estimates[i].high : 0));
		*low = fmin(*low, isfinite(r->estimates[i].low) ? r->estimates[i].low : 0);
	}
}

static void draw_axis(FILE *f, double low, double high)
{
	double step = pow(10, floor(log10((high - low) / 4)));

	while ((high - low) / step > 8)
		step *= 2;
	for (double v = ceil(low / step) * step; v <= high; v += step) {
		double y = y_of(v, low, high);

		fprintf(f,
			"<line x1='%d' x2='%d' y1='%.1f' y2='%.1f' stroke='#ddd'/>"
			"<text x='%d' y='%.1f' text-anchor='end'>%.10g</text>\n",
			LEFT, WIDTH - 10, y, y, LEFT - 6, y + 4, v);
	}
}

static void draw_value(FILE *f, const struct sotto_local_estimate *e, double truth, double x,
		       double width, double low, double high)
{
	double zero = y_of(0, low, high), top = y_of(truth, low, high);

	fprintf(f, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='#9bbcd8'/>", x,
		top, width, zero - top);
	if (!isfinite(e->sd))
		return;
	fprintf(f,
		"<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#a33'/>"
		"<circle cx='%.1f' cy='%.1f' r='3' fill='%s' stroke='#a33'/>\n",
		x + width / 2, x + width / 2, y_of(e->low, low, high), y_of(e->high, low, high),
		x + width / 2, y_of(e->count, low, high), e->significant ? "#a33" : "#fff");
}

/* Only made-up names are drawn, and escaped all the same. */
static void draw_name(FILE *f, const char *name, double x)
{
	fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>", x, HEIGHT - BOTTOM + 18);
	for (; *name; name++) {
		if (*name == '<' || *name == '>' || *name == '&')
			fprintf(f, "&#%d;", *name);
		else
			fputc(*name, f);
	}
	fprintf(f, "</text>\n");
}

bool local_chart_write(const char *path, const struct local_result *r, const uint64_t *truth)
{
	size_t shown = r->count < SHOWN_MAX ? r->count : SHOWN_MAX;
	double low, high, slot = (double)(WIDTH - LEFT - 20) / (double)(shown ? shown : 1);
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	limits(r, truth, shown, &low, &high);
	fprintf(f,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' "
		"font-family='sans-serif' font-size='11'>\n"
		"<rect width='100%%' height='100%%' fill='#fff'/>\n"
		"<text x='%d' y='18'>bars: truth; points: estimate with interval, filled if "
		"significant</text>\n",
		WIDTH, HEIGHT, LEFT);
	draw_axis(f, low, high);
	for (size_t i = 0; i < shown; i++) {
		double x = LEFT + slot * (double)i;

		draw_value(f, &r->estimates[i], (double)truth[i], x + slot * .15, slot * .7,
			   low, high);
		if (shown <= 30 || i % 5 == 0)
			draw_name(f, r->names[i], x + slot / 2);
	}
	fprintf(f, "</svg>\n");
	return fclose(f) == 0;
}
