/* MD5 in one loop over 64 steps with the table of sines, and a buffer of one block. */
#include "local/client/primitive/md5.h"

#include "local/client/primitive/bytes.h"

/* floor(2^32 |sin(i + 1)|) */
static const uint32_t K[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
	0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
	0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
	0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
	0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
	0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
	0xeb86d391};
static const uint8_t SHIFT[4][4] = {
	{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static void compress(uint32_t h[4], const uint8_t block[64])
{
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3];

	for (unsigned i = 0; i < 64; i++) {
		uint32_t f, next;
		unsigned word;

		switch (i / 16) {
		case 0:
			f = (b & c) | (~b & d);
			word = i;
			break;
		case 1:
			f = (d & b) | (~d & c);
			word = 5 * i + 1;
			break;
		case 2:
			f = b ^ c ^ d;
			word = 3 * i + 5;
			break;
		default:
			f = c ^ (b | ~d);
			word = 7 * i;
			break;
		}
		next = b + rotl32(a + f + K[i] + load32_le(block + 4 * (word & 15)),
				  SHIFT[i / 16][i & 3]);
		a = d;
		d = c;
		c = b;
		b = next;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
}

void sotto_md5_init(struct sotto_md5 *s)
{
	s->h[0] = 0x67452301;
	s->h[1] = 0xefcdab89;
	s->h[2] = 0x98badcfe;
	s->h[3] = 0x10325476;
	s->length = 0;
}

void sotto_md5_add(struct sotto_md5 *s, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++) {
		s->block[s->length++ & 63] = p[i];
		if ((s->length & 63) == 0)
			compress(s->h, s->block);
	}
}

void sotto_md5_end(struct sotto_md5 *s, uint8_t out[16])
{
	static const uint8_t padding[64] = {0x80};
	uint8_t tail[8];

	store_le(tail, s->length * 8, 8);
	sotto_md5_add(s, padding, 1 + ((119 - (s->length & 63)) & 63));
	sotto_md5_add(s, tail, 8);
	for (unsigned i = 0; i < 4; i++)
		store_le(out + 4 * i, s->h[i], 4);
	wipe_bytes(s, sizeof *s);
}
