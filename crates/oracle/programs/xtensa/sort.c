// Four sorts of the same numbers, by words, halfwords and pointers.
#include "common.h"

enum { COUNT = 48 };

static uint32_t numbers[COUNT], sorted[COUNT], spare[COUNT];
static uint16_t halves[COUNT];

typedef struct node {
  struct node *next;
  uint32_t key;
  uint8_t tag;
} node_t;

static node_t nodes[COUNT];

typedef int (*compare_t)(const void *, const void *);

static int ascending(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static int signed_descending(const void *a, const void *b)
{
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x < y) - (x > y);
}

static NOINLINE void quick(uint32_t *from, int count, compare_t compare)
{
  if (count < 2)
    return;
  uint32_t pivot = from[count / 2];
  int low = 0, high = count - 1;
  while (low <= high) {
    while (compare(&from[low], &pivot) < 0)
      low++;
    while (compare(&from[high], &pivot) > 0)
      high--;
    if (low <= high) {
      uint32_t kept = from[low];
      from[low++] = from[high];
      from[high--] = kept;
    }
  }
  quick(from, high + 1, compare);
  quick(from + low, count - low, compare);
}

static void sift(uint16_t *heap, unsigned root, unsigned count)
{
  for (unsigned child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && heap[child + 1] > heap[child])
      child++;
    if (heap[root] >= heap[child])
      return;
    uint16_t kept = heap[root];
    heap[root] = heap[child];
    heap[child] = kept;
  }
}

static NOINLINE void heap_sort(uint16_t *heap, unsigned count)
{
  for (unsigned root = count / 2; root-- > 0;)
    sift(heap, root, count);
  while (count-- > 1) {
    uint16_t kept = heap[0];
    heap[0] = heap[count];
    heap[count] = kept;
    sift(heap, 0, count);
  }
}

static NOINLINE node_t *merge_sort(node_t *list)
{
  if (list == NULL || list->next == NULL)
    return list;
  node_t *slow = list;
  for (node_t *fast = list->next; fast != NULL && fast->next != NULL; fast = fast->next->next)
    slow = slow->next;
  node_t *right = slow->next;
  slow->next = NULL;
  node_t *left = merge_sort(list), *first = NULL, **end = &first;
  right = merge_sort(right);
  while (left != NULL && right != NULL) {
    node_t **smaller = left->key <= right->key ? &left : &right;
    *end = *smaller;
    end = &(*smaller)->next;
    *smaller = (*smaller)->next;
  }
  *end = left != NULL ? left : right;
  return first;
}

static NOINLINE void radix(uint32_t *from, uint32_t *to, unsigned shift)
{
  unsigned places[17] = {0};
  for (int i = 0; i < COUNT; i++)
    places[(from[i] >> shift & 15) + 1]++;
  for (int i = 0; i < 16; i++)
    places[i + 1] += places[i];
  for (int i = 0; i < COUNT; i++)
    to[places[from[i] >> shift & 15]++] = from[i];
}

int main(void)
{
  for (int round = 0; round < SCALE; round++) {
    for (int i = 0; i < COUNT; i++) {
      numbers[i] = next() >> (i & 3) * 8;
      sorted[i] = spare[i] = numbers[i];
      halves[i] = (uint16_t)numbers[i];
      nodes[i] = (node_t){i + 1 < COUNT ? &nodes[i + 1] : NULL, numbers[i], (uint8_t)i};
    }
    quick(sorted, COUNT, ascending);
    for (unsigned shift = 0; shift < 32; shift += 8) {
      radix(numbers, spare, shift);
      radix(spare, numbers, shift + 4);
    }
    heap_sort(halves, COUNT);
    const node_t *node = merge_sort(nodes);
    for (int i = 0; i < COUNT; i++, node = node->next) {
      CHECK(sorted[i] == numbers[i] && node->key == numbers[i]);
      CHECK(i == 0 || (sorted[i - 1] <= sorted[i] && halves[i - 1] <= halves[i]));
    }
    CHECK(node == NULL);
    quick(sorted, COUNT, signed_descending);
    for (int i = 1; i < COUNT; i++)
      CHECK((int32_t)sorted[i - 1] >= (int32_t)sorted[i]);
  }
  finish();
}
