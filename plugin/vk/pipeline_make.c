/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <footprint.h>
#include <shared/types.h>

#include "device_priv.h"
#include "pipeline_priv.h"

/* Numbers of the SPIR-V specification, 2.3 and 3.31 and 3.32.1. */
#define SPIRV_HEADER_WORDS       5u
#define SPIRV_OP_CAPABILITY      17u
#define SPIRV_CAPABILITY_FLOAT64 10u
#define SPIRV_CAPABILITY_INT64   11u
#define SPIRV_CAPABILITY_SHUFFLE 65u

/* Most statistics that a driver has about a pipeline's code, one number each. */
#define STATISTICS_MAX 16u

/* Checks that the device has the features that a module declares: its first instructions, one
 * OpCapability for each. */
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
    VkResult result = VK_SUCCESS;
    if (set.bindingCount) /* a kernel that has all memory by address has no set */
        result = dev->vk.vkCreateDescriptorSetLayout(dev->handle, &set, NULL, &p->set_layout);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkCreateDescriptorSetLayout", err);
    const VkPushConstantRange push = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = p->kernel->push_bytes,
    };
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = p->kernel->n_bindings ? 1 : 0,
        .pSetLayouts = &p->set_layout,
        .pushConstantRangeCount = push.size ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    result = dev->vk.vkCreatePipelineLayout(dev->handle, &layout, NULL, &p->layout);
    return pail_vk_device_result(dev, result, "vkCreatePipelineLayout", err);
}

/* "registers count 128, stack size 0, ...": drivers have names of their own for these. */
static void log_code(struct pail_vk_device *dev, const struct pail_vk_pipeline *p)
{
    const VkPipelineExecutableInfoKHR which = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
        .pipeline = p->handle,
    };
    VkPipelineExecutableStatisticKHR statistics[STATISTICS_MAX] = {0};
    uint32_t n = STATISTICS_MAX;
    for (uint32_t i = 0; i < n; i++)
        statistics[i].sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    const VkResult result =
        dev->vk.vkGetPipelineExecutableStatisticsKHR(dev->handle, &which, &n, statistics);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        n = 0;
    char text[512] = "the driver says nothing";
    size_t at = 0;
    for (uint32_t i = 0; i < n && at < sizeof(text); i++)
        if (statistics[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR ||
            statistics[i].format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR)
            at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %llu", at ? ", " : "",
                                   statistics[i].name, (unsigned long long)statistics[i].value.u64);
    pail_log(&dev->log, PAIL_LOG_INFO, "%s: %s", p->name, text);
}

static pail_status compile(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                           struct pail_variant variant, const struct pail_vk_module *module,
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
    const VkResult result = dev->vk.vkCreateShaderModule(dev->handle, &code, NULL, &shader);
    if (result != VK_SUCCESS)
        return pail_vk_device_result(dev, result, "vkCreateShaderModule", err);
    VkSpecializationMapEntry map[PAIL_MAX_SPECS + 1] = {0};
    uint32_t values[PAIL_MAX_SPECS + 1] = {0};
    uint32_t n = p->kernel->n_specs;
    memcpy(values, p->specs, n * sizeof(values[0]));
    for (uint32_t i = 0; i < n; i++)
        map[i].constantID = p->kernel->specs[i].id;
    if (variant.field == PAIL_FORM_D51) {
        values[n] = !dev->caps.fused_doubles;
        map[n++].constantID = PAIL_SPEC_EMULATE_FMA;
    }
    for (uint32_t i = 0; i < n; i++) {
        map[i].offset = i * (uint32_t)sizeof(values[0]);
        map[i].size = sizeof(values[0]);
    }
    const VkSpecializationInfo specialisation = {
        .mapEntryCount = n,
        .pMapEntries = map,
        .dataSize = n * sizeof(values[0]),
        .pData = values,
    };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .module = shader,
                .pName = "main",
                .pSpecializationInfo = n ? &specialisation : NULL,
            },
        .flags = (dev->caps.executable_properties
                      ? (VkPipelineCreateFlags)VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR
                      : 0) |
                 (dev->pace.limits ? (VkPipelineCreateFlags)VK_PIPELINE_CREATE_DISPATCH_BASE_BIT
                                   : 0), /* portions.h */
        .layout = p->layout,
    };
    status = pail_vk_pipeline_create_cached(dev, p, &info, err);
    if (status == PAIL_OK && dev->caps.executable_properties)
        log_code(dev, p);
    dev->vk.vkDestroyShaderModule(dev->handle, shader, NULL);
    if (status == PAIL_OK)
        pail_vk_device_name(dev, VK_OBJECT_TYPE_PIPELINE, PAIL_VK_HANDLE(p->handle), p->name);
    return status;
}

pail_status pail_vk_pipeline_make(struct pail_vk_device *dev, struct pail_vk_pipeline *p,
                                  struct pail_variant variant, const struct pail_source *text,
                                  bool kept, struct pail_error *err)
{
    struct pail_vk_module code;
    const enum pail_kernel_id id = (enum pail_kernel_id)(p->kernel - pail_kernels);
    pail_status status = pail_vk_module_init(&code, dev, id, variant, text, kept, err);
    if (status == PAIL_OK)
        status = check_module(dev, p->kernel, p->name, &code, err);
    if (status == PAIL_OK)
        status = check_workgroup(dev, p->kernel, p->name, &code, p->specs, err);
    p->hash = code.hash;
    if (status == PAIL_OK)
        status = compile(dev, p, variant, &code, err);
    pail_vk_module_fini(&code);
    return status;
}

void pail_vk_pipeline_unmake(struct pail_vk_device *dev, struct pail_vk_pipeline *p)
{
    dev->vk.vkDestroyPipeline(dev->handle, p->handle, NULL);
    dev->vk.vkDestroyPipelineLayout(dev->handle, p->layout, NULL);
    dev->vk.vkDestroyDescriptorSetLayout(dev->handle, p->set_layout, NULL);
}
