#include "vk/pipeline.h"

#include <string.h>
#include <time.h>

#include <footprint.h>

#include "vk/device_priv.h"
#include "vk/module.h"
#include "vk/pipeline_priv.h"

struct entry {
    struct entry *next;
    uint32_t module; /* pail_variant_index */
    uint32_t specs[PAIL_MAX_SPECS];
    bool ready; /* false while a thread compiles it; guarded by the table's lock */
    struct pail_vk_pipeline pipeline;
};

struct pail_vk_pipelines {
    pthread_mutex_t lock; /* not held while a pipeline is compiled */
    pthread_cond_t changed;
    struct entry *entries;
    struct pail_vk_pipeline_stats stats;
};

pail_status pail_vk_pipelines_create(struct pail_vk_device *dev, struct pail_error *err)
{
    dev->pipelines = pail_calloc(&dev->alloc, 1, sizeof(*dev->pipelines));
    if (!dev->pipelines)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a table of pipelines");
    pthread_mutex_init(&dev->pipelines->lock, NULL);
    pthread_cond_init(&dev->pipelines->changed, NULL);
    return PAIL_OK;
}

static void entry_destroy(struct pail_vk_device *dev, struct entry *entry)
{
    struct pail_vk_pipeline *p = &entry->pipeline;
    dev->vk.vkDestroyPipeline(dev->handle, p->handle, NULL);
    dev->vk.vkDestroyPipelineLayout(dev->handle, p->layout, NULL);
    dev->vk.vkDestroyDescriptorSetLayout(dev->handle, p->set_layout, NULL);
    pail_free(&dev->alloc, entry);
}

void pail_vk_pipelines_destroy(struct pail_vk_device *dev)
{
    struct pail_vk_pipelines *table = dev->pipelines;
    if (!table)
        return;
    while (table->entries) {
        struct entry *entry = table->entries;
        table->entries = entry->next;
        entry_destroy(dev, entry);
    }
    pthread_cond_destroy(&table->changed);
    pthread_mutex_destroy(&table->lock);
    pail_free(&dev->alloc, table);
    dev->pipelines = NULL;
}

/* Numbers of the SPIR-V specification, 2.3 and 3.31 and 3.32.1. */
#define SPIRV_HEADER_WORDS       5u
#define SPIRV_OP_CAPABILITY      17u
#define SPIRV_CAPABILITY_FLOAT64 10u
#define SPIRV_CAPABILITY_INT64   11u
#define SPIRV_CAPABILITY_SHUFFLE 65u

/* What a module asks of the device stands first in it, one OpCapability for each feature. */
static pail_status check_module(const struct pail_vk_device *dev, const struct pail_kernel *kernel,
                                const char *name, const struct pail_vk_module *module,
                                struct pail_error *err)
{
    const struct pail_vk_caps *caps = &dev->caps;
    if (kernel->n_bindings > caps->max_storage_buffers)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "%s binds %u storage buffers, device \"%s\" allows %u", name,
                         kernel->n_bindings, caps->name, caps->max_storage_buffers);
    if (kernel->push_bytes > caps->max_push_bytes)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "%s has %u push bytes, device \"%s\" allows %u",
                         name, kernel->push_bytes, caps->name, caps->max_push_bytes);
    if (kernel->needs & PAIL_NEED_ADDRESS && !caps->buffer_device_address)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "%s needs device addresses, device \"%s\" has none", name, caps->name);
    for (size_t i = SPIRV_HEADER_WORDS; i + 1 < module->n_words; i += 2) {
        if (module->words[i] != (2u << 16 | SPIRV_OP_CAPABILITY))
            break;
        const uint32_t capability = module->words[i + 1];
        const char *missing =
            capability == SPIRV_CAPABILITY_INT64 && !caps->int64       ? "64-bit integers"
            : capability == SPIRV_CAPABILITY_FLOAT64 && !caps->float64 ? "double precision"
            : capability == SPIRV_CAPABILITY_SHUFFLE && !pail_vk_caps_exchange(caps)
                ? "shuffles in a subgroup"
                : NULL;
        if (missing)
            return pail_fail(err, PAIL_ERR_UNSUPPORTED, "%s needs %s, device \"%s\" has none", name,
                             missing, caps->name);
    }
    return PAIL_OK;
}

/* A workgroup of the pipeline fits the device. */
static pail_status check_workgroup(const struct pail_vk_device *dev,
                                   const struct pail_kernel *kernel, const char *name,
                                   const struct pail_vk_module *module, const uint32_t specs[],
                                   struct pail_error *err)
{
    const struct pail_vk_caps *caps = &dev->caps;
    uint32_t ids[PAIL_MAX_SPECS] = {0};
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        ids[i] = kernel->specs[i].id;
    struct pail_footprint group;
    const enum pail_spirv_status status =
        pail_spirv_footprint(module->words, module->n_words, ids, specs, kernel->n_specs, &group);
    if (status == PAIL_SPIRV_MEMORY)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory to measure %s", name);
    if (status != PAIL_SPIRV_OK)
        return pail_fail(err, PAIL_ERR_INTERNAL, "the workgroup of %s has no size", name);
    const uint32_t *size = group.local_size;
    const uint64_t threads = (uint64_t)size[0] * size[1] * size[2];
    if (threads > caps->max_workgroup_invocations || size[0] > caps->max_workgroup_size[0] ||
        size[1] > caps->max_workgroup_size[1] || size[2] > caps->max_workgroup_size[2])
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "%s has workgroups of %u x %u x %u threads, device \"%s\" allows %u", name,
                         size[0], size[1], size[2], caps->name, caps->max_workgroup_invocations);
    if (group.shared_bytes > caps->max_workgroup_bytes)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "%s has %llu bytes of workgroup memory, device \"%s\" allows %u", name,
                         (unsigned long long)group.shared_bytes, caps->name,
                         caps->max_workgroup_bytes);
    return PAIL_OK;
}

static pail_status create_layouts(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                                  struct pail_error *err)
{
    VkDescriptorSetLayoutBinding bindings[PAIL_MAX_BINDINGS] = {0};
    for (uint32_t i = 0; i < p->kernel->n_bindings; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = p->kernel->n_bindings,
        .pBindings = bindings,
    };
    VkResult result = dev->vk.vkCreateDescriptorSetLayout(dev->handle, &set, NULL, &p->set_layout);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkCreateDescriptorSetLayout", err);
    const VkPushConstantRange push = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = p->kernel->push_bytes,
    };
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &p->set_layout,
        .pushConstantRangeCount = push.size ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    result = dev->vk.vkCreatePipelineLayout(dev->handle, &layout, NULL, &p->layout);
    return pail_vk_device_result(dev, result, "vkCreatePipelineLayout", err);
}

static pail_status compile(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                           const struct pail_vk_module *module, const uint32_t specs[],
                           struct pail_error *err)
{
    pail_status status = create_layouts(dev, p, err);
    if (status != PAIL_OK)
        return status;
    const VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = module->n_words * sizeof(uint32_t),
        .pCode = module->words,
    };
    VkShaderModule shader = VK_NULL_HANDLE;
    VkResult result = dev->vk.vkCreateShaderModule(dev->handle, &code, NULL, &shader);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkCreateShaderModule", err);
    VkSpecializationMapEntry map[PAIL_MAX_SPECS] = {0};
    for (uint32_t i = 0; i < p->kernel->n_specs; i++)
        map[i] = (VkSpecializationMapEntry){
            .constantID = p->kernel->specs[i].id,
            .offset = i * (uint32_t)sizeof(uint32_t),
            .size = sizeof(uint32_t),
        };
    const VkSpecializationInfo specialisation = {
        .mapEntryCount = p->kernel->n_specs,
        .pMapEntries = map,
        .dataSize = p->kernel->n_specs * sizeof(uint32_t),
        .pData = specs,
    };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = shader,
                .pName = "main",
                .pSpecializationInfo = p->kernel->n_specs ? &specialisation : NULL,
            },
        .layout = p->layout,
    };
    result =
        dev->vk.vkCreateComputePipelines(dev->handle, VK_NULL_HANDLE, 1, &info, NULL, &p->handle);
    dev->vk.vkDestroyShaderModule(dev->handle, shader, NULL);
    if (result != VK_SUCCESS) {
        status = pail_vk_device_result(dev, result, "vkCreateComputePipelines", err);
        return pail_fail(err, status, "pipeline %s cannot be made: %s (%d)", p->name,
                         pail_vk_result_name(result), (int)result);
    }
    pail_vk_device_name(dev, VK_OBJECT_TYPE_PIPELINE, PAIL_VK_HANDLE(p->handle), p->name);
    return PAIL_OK;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static struct entry *find(const struct pail_vk_pipelines *table, uint32_t module,
                          const uint32_t specs[PAIL_MAX_SPECS])
{
    for (struct entry *e = table->entries; e; e = e->next)
        if (e->module == module && memcmp(e->specs, specs, sizeof(e->specs)) == 0)
            return e;
    return NULL;
}

static void unlink_entry(struct pail_vk_pipelines *table, const struct entry *entry)
{
    struct entry **at = &table->entries;
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
}

static pail_status check_request(enum pail_kernel_id id, uint32_t module, uint32_t n,
                                 const char *name, struct pail_error *err)
{
    if (module == UINT32_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "there is no kernel %s", name);
    if (n != 0 && n != pail_kernels[id].n_specs)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s has %u specialisation constants, %u given",
                         name, pail_kernels[id].n_specs, n);
    return PAIL_OK;
}

pail_status pail_vk_pipeline_get(struct pail_vk_device *dev, enum pail_kernel_id id,
                                 struct pail_variant variant, const uint32_t specs[], uint32_t n,
                                 const struct pail_vk_pipeline **pipeline, struct pail_error *err)
{
    *pipeline = NULL;
    pail_status status = pail_vk_device_check(dev, err);
    if (status != PAIL_OK)
        return status;
    if ((uint32_t)id >= PAIL_KERNEL_COUNT)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "there is no kernel number %u", (unsigned)id);
    const struct pail_kernel *kernel = &pail_kernels[id];
    variant = pail_kernel_narrow(kernel, variant);
    char name[PAIL_NAME_MAX];
    pail_variant_name(kernel, variant, name);
    const uint32_t module = pail_variant_index(id, variant);
    status = check_request(id, module, n, name, err);
    if (status != PAIL_OK)
        return status;
    uint32_t values[PAIL_MAX_SPECS] = {0};
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        values[i] = n ? specs[i] : kernel->specs[i].value;

    struct pail_vk_pipelines *table = dev->pipelines;
    pthread_mutex_lock(&table->lock);
    struct entry *entry;
    while ((entry = find(table, module, values)) && !entry->ready)
        pthread_cond_wait(&table->changed, &table->lock);
    if (entry) {
        table->stats.hits++;
        pthread_mutex_unlock(&table->lock);
        *pipeline = &entry->pipeline;
        return PAIL_OK;
    }
    entry = pail_calloc(&dev->alloc, 1, sizeof(*entry));
    if (!entry) {
        pthread_mutex_unlock(&table->lock);
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for pipeline %s", name);
    }
    entry->module = module;
    memcpy(entry->specs, values, sizeof(values));
    entry->pipeline.kernel = kernel;
    memcpy(entry->pipeline.name, name, sizeof(name));
    entry->next = table->entries;
    table->entries = entry;
    pthread_mutex_unlock(&table->lock);

    const double start = now_ms();
    struct pail_vk_module code;
    status = pail_vk_module_init(&code, id, variant, dev->debug & PAIL_DEBUG_RECOMPILE, err);
    if (status == PAIL_OK)
        status = check_module(dev, kernel, name, &code, err);
    if (status == PAIL_OK)
        status = check_workgroup(dev, kernel, name, &code, values, err);
    if (status == PAIL_OK)
        status = compile(dev, &entry->pipeline, &code, values, err);
    entry->pipeline.hash = code.hash;
    pail_vk_module_fini(&code);
    const double ms = now_ms() - start;

    pthread_mutex_lock(&table->lock);
    if (status == PAIL_OK) {
        entry->ready = true;
        table->stats.compiled++;
        table->stats.compile_ms += ms;
    } else {
        unlink_entry(table, entry);
    }
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->lock);

    if (status != PAIL_OK) {
        entry_destroy(dev, entry);
        return status;
    }
    if (dev->debug & (PAIL_DEBUG_TRACE | PAIL_DEBUG_TIME))
        pail_log(&dev->log, PAIL_LOG_DEBUG, "pipeline %s: made in %.1f ms", name, ms);
    *pipeline = &entry->pipeline;
    return PAIL_OK;
}

const char *pail_vk_pipeline_name(const struct pail_vk_pipeline *pipeline)
{
    return pipeline->name;
}

uint64_t pail_vk_pipeline_hash(const struct pail_vk_pipeline *pipeline)
{
    return pipeline->hash;
}

struct pail_vk_pipeline_stats pail_vk_pipeline_stats(struct pail_vk_device *dev)
{
    struct pail_vk_pipelines *table = dev->pipelines;
    pthread_mutex_lock(&table->lock);
    const struct pail_vk_pipeline_stats stats = table->stats;
    pthread_mutex_unlock(&table->lock);
    return stats;
}
