/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

void layer_list_add(struct layer_list *list, struct layer_node *node, uint64_t key)
{
    node->key = key;
    (void)pthread_mutex_lock(&list->lock);
    node->next = list->first;
    list->first = node;
    (void)pthread_mutex_unlock(&list->lock);
}

static struct layer_node **place_of(struct layer_list *list, uint64_t key)
{
    struct layer_node **at = &list->first;
    while (*at != NULL && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

void *layer_list_find(struct layer_list *list, uint64_t key)
{
    (void)pthread_mutex_lock(&list->lock);
    struct layer_node *const node = *place_of(list, key);
    (void)pthread_mutex_unlock(&list->lock);
    return node;
}

void *layer_list_take(struct layer_list *list, uint64_t key)
{
    (void)pthread_mutex_lock(&list->lock);
    struct layer_node **const at = place_of(list, key);
    struct layer_node *const node = *at;
    if (node != NULL)
        *at = node->next;
    (void)pthread_mutex_unlock(&list->lock);
    return node;
}
