/*
 * Makes the sample hospital: cities.csv, patients.csv and visits.csv.
 *
 *	generate PATIENTS SEED FOLDER
 *
 * Invented people with the habits of real data: skewed cities and diagnoses, a
 * few patients with very many visits, incomes with a long tail, missing values,
 * and typing errors (an age of 999, a negative cost).  The same arguments always
 * give the same files.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dice {
	uint64_t state;
};

static const struct city {
	const char *name, *region;
	long population;
} cities[] = {
	{"Padova", "Veneto", 206496},
	{"Nantes", "Pays de la Loire", 323204},
	{"Bochum", "Nordrhein-Westfalen", 365742},
	{"Paris", "Ile-de-France", 2102650},
	{"Torino", "Piemonte", 841600},
	{"Lyon", "Auvergne-Rhone-Alpes", 522250},
	{"Graz", "Steiermark", 298479},
	{"Porto", "Norte", 231800},
	{"Ghent", "Vlaanderen", 265086},
	{"Utrecht", "Utrecht", 367947},
	{"Aarhus", "Midtjylland", 290598},
	{"Bergen", "Vestland", 291940},
	{"Brno", "Jihomoravsky", 400566},
	{"Gdansk", "Pomorskie", 486345},
	{"Ljubljana", "Osrednjeslovenska", 284293},
	{"Trieste", "Friuli-Venezia Giulia", 200609},
	{"Basel", "Basel-Stadt", 177595},
	{"Leipzig", "Sachsen", 616093},
	{"Sevilla", "Andalucia", 681998},
	{"Cork", "Munster", 224004},
};
enum { CITIES = sizeof cities / sizeof cities[0] };

static const char *const wards[] = {"emergency", "cardiology", "surgery",     "maternity",
				    "oncology",  "neurology",  "paediatrics", "geriatrics"};
enum { WARDS = sizeof wards / sizeof wards[0] };

static const char *const diagnoses[] = {"J06", "I10", "E11", "M54", "R10", "S61", "J45", "K35",
					"O80", "C50", "I21", "F32", "N39", "G40", "B20", "Q21"};
enum { DIAGNOSES = sizeof diagnoses / sizeof diagnoses[0] };

/* splitmix64: repeatable, and not for secrets. */
static uint64_t roll(struct dice *d)
{
	uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double fraction(struct dice *d)
{
	return (double)(roll(d) >> 11) * 0x1p-53;
}

static int between(struct dice *d, int low, int high)
{
	return low + (int)(roll(d) % (uint64_t)(high - low + 1));
}

static double normal(struct dice *d)
{
	double u = fraction(d) + 0x1p-54, v = fraction(d);

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* 0 .. n-1, the first ones most often. */
static int skewed(struct dice *d, int n, double power)
{
	return (int)(pow(fraction(d), power) * n);
}

static int city_of(struct dice *d)
{
	return skewed(d, CITIES, 1.8);
}

static int age_of(struct dice *d)
{
	int age = (int)(46 + 22 * normal(d));

	if (fraction(d) < 0.0005)
		return 999; /* somebody's way of writing "unknown" */
	return age < 0 ? between(d, 0, 5) : age > 104 ? 104 : age;
}

static void write_patient(FILE *f, struct dice *d, long id)
{
	int age = age_of(d), woman = fraction(d) < 0.52;
	double height = (woman ? 165 : 178) + 7 * normal(d);
	double weight = 22 + 3.5 * normal(d);
	double income = exp(10.35 + 0.55 * normal(d));

	fprintf(f, "%ld,%d,%s,%s,%s,", id, age, woman ? "F" : "M", cities[city_of(d)].name,
		fraction(d) < 0.23 ? "true" : "false");
	if (fraction(d) < 0.06)
		fprintf(f, ",");
	else
		fprintf(f, "%.1f,", weight * height * height / 10000);
	if (fraction(d) < 0.11)
		fprintf(f, "\n");
	else
		fprintf(f, "%.2f\n", fraction(d) < 0.0002 ? income * 400 : income);
}

/* Most people come once or twice a year, a few every week. */
static long visits_of(struct dice *d)
{
	double heavy = fraction(d);

	if (heavy < 0.15)
		return 0;
	if (heavy > 0.9995)
		return between(d, 150, 400);
	return 1 + (long)(-4.2 * log(1 - fraction(d)));
}

static void write_visit(FILE *f, struct dice *d, long visit, long patient)
{
	int day = between(d, 0, 364), days = (int)(-2.6 * log(1 - fraction(d)));
	static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	double cost = exp(6.1 + 0.9 * normal(d)) * (1 + days);
	int month = 0;

	while (day >= month_days[month])
		day -= month_days[month++];
	if (fraction(d) < 0.0003)
		cost = -cost;
	fprintf(f, "%ld,%ld,2025-%02d-%02d,%s,%s,%d,", visit, patient, month + 1, day + 1,
		wards[skewed(d, WARDS, 1.4)], diagnoses[skewed(d, DIAGNOSES, 2.2)], days);
	if (fraction(d) < 0.03)
		fprintf(f, ",");
	else
		fprintf(f, "%.2f,", cost);
	fprintf(f, "%s\n", fraction(d) < 0.12 ? "true" : "false");
}

static FILE *make_file(const char *folder, const char *name, const char *header)
{
	char path[4096];
	FILE *f;

	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
	    !(f = fopen(path, "w"))) {
		fprintf(stderr, "generate: %s/%s could not be made\n", folder, name);
		exit(1);
	}
	fprintf(f, "%s\n", header);
	return f;
}

static void end_file(FILE *f, const char *name)
{
	if (ferror(f) | fclose(f)) {
		fprintf(stderr, "generate: %s could not be written\n", name);
		exit(1);
	}
}

static void write_cities(const char *folder)
{
	FILE *f = make_file(folder, "cities.csv", "city,region,population");

	for (int i = 0; i < CITIES; i++)
		fprintf(f, "%s,%s,%ld\n", cities[i].name, cities[i].region,
			cities[i].population);
	end_file(f, "cities.csv");
}

int main(int argc, char **argv)
{
	struct dice d;
	FILE *patients, *visits;
	long n, visit = 0;

	if (argc != 4 || (n = strtol(argv[1], NULL, 10)) < 1) {
		fprintf(stderr, "usage: generate PATIENTS SEED FOLDER\n");
		return 2;
	}
	d.state = strtoull(argv[2], NULL, 10);
	write_cities(argv[3]);
	patients = make_file(argv[3], "patients.csv",
			     "patient_id,age,sex,city,smoker,weight_kg,income");
	visits = make_file(argv[3], "visits.csv",
			   "visit_id,patient_id,day,ward,diagnosis,days,cost,readmitted");
	for (long id = 1; id <= n; id++) {
		write_patient(patients, &d, 100000 + id);
		for (long k = visits_of(&d); k > 0; k--)
			write_visit(visits, &d, ++visit, 100000 + id);
	}
	end_file(patients, "patients.csv");
	end_file(visits, "visits.csv");
	return 0;
}
