/* SPDX-License-Identifier: GPL-3.0-or-later
 * data/import/bill_aliyun.c - Alibaba Cloud instance bills: the files subscribed to (English names) and the console's export (Chinese names).
 *
 * Times without a zone are Beijing's. The gross amount is at list price; the pretax amount is after discounts and coupons. A subscription
 * (prepaid month or year) is a purchase: the file does not spread it, so its effective cost is what was billed. */
#include "data/bill.h"
#include "data/base/time.h"
#include <string.h>

static const struct {
    const char *word, *charge;
} items[] = {{"PayAsYouGoBill", "Usage"},
             {"SubscriptionOrder", "Purchase"},
             {"Refund", "Credit"},
             {"Adjustment", "Adjustment"},
             {"PrepaidBill", "Purchase"},
             {"\xe5\x90\x8e\xe4\xbb\x98\xe8\xb4\xb9\xe8\xb4\xa6\xe5\x8d\x95", "Usage"},              // 后付费账单
             {"\xe9\xa2\x84\xe4\xbb\x98\xe8\xb4\xb9\xe8\xae\xa2\xe5\x8d\x95", "Purchase"},           // 预付费订单
             {"\xe9\x80\x80\xe6\xac\xbe", "Credit"},                                                 // 退款
             {"\xe8\xb0\x83\xe8\xb4\xa6", "Adjustment"}};                                            // 调账
static const char *const hour_words[] = {"Hour", "Hours", "hour", "\xe5\xb0\x8f\xe6\x97\xb6", NULL}; // 小时
static const char *const second_words[] = {"Second", "Seconds", "second", "\xe7\xa7\x92", NULL};     // 秒

static bool is_one(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0) return true;
    return false;
}

/* Machine time: what the instance was held, in hours. */
static void take_time(struct rr_bill_row *row)
{
    const char *unit = row->text[RR_BILL_unit];
    if (is_one(unit, second_words)) row->quantity = row->quantity / 3600;
    if (is_one(unit, hour_words) || is_one(unit, second_words)) row->text[RR_BILL_unit] = "Hours";
}

static enum rr_status aliyun_fix(struct rr_bill_row *row)
{
    const char *type = row->text[RR_BILL_type], *term = row->text[RR_BILL_term], *product = row->text[RR_BILL_usage];
    const bool prepaid =
        strcmp(term, "Subscription") == 0 || strcmp(term, "\xe5\x8c\x85\xe5\xb9\xb4\xe5\x8c\x85\xe6\x9c\x88") == 0; // 包年包月
    row->text[RR_BILL_charge] = prepaid ? "Purchase" : "Usage";
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (strcmp(items[i].word, type) == 0) row->text[RR_BILL_charge] = items[i].charge;
    row->text[RR_BILL_pricing] = strstr(row->text[RR_BILL_details], "spot") ? "Dynamic" : "Standard";
    if (strcmp(product, "ecs") == 0 || strncmp(row->text[RR_BILL_instance], "ecs.", 4) == 0) {
        row->text[RR_BILL_service] = "Elastic Compute Service";
        row->text[RR_BILL_category] = "Compute";
    }
    take_time(row);
    row->contracted = row->billed;
    row->has_contracted = row->has_billed;
    return RR_OK;
}

const struct rr_bill_format rr_bill_aliyun = {
    .name = "aliyun",
    .summary = "Alibaba Cloud instance bill (subscribed files, console export)",
    .source = "Alibaba Cloud, Detailed file format (BOA), 2020-06; times in UTC+8",
    .tell = {"PretaxAmount|\xe5\xba\x94\xe4\xbb\x98\xe9\x87\x91\xe9\xa2\x9d", // 应付金额
             "InstanceID|\xe5\xae\x9e\xe4\xbe\x8bID",                         // 实例ID
             "ProductCode|\xe4\xba\xa7\xe5\x93\x81"
             "Code|\xe4\xba\xa7\xe5\x93\x81"}, // 产品Code, 产品
    .provider = "Alibaba Cloud",
    .zone_us = 8 * RR_H,
    .column = {[RR_BILL_from] = {"UsageStartTime",
                                 "\xe8\xb4\xa6\xe5\x8d\x95\xe5\xbc\x80\xe5\xa7\x8b\xe6\x97\xb6\xe9\x97\xb4"}, // 账单开始时间
               [RR_BILL_to] = {"UsageEndTime", "\xe8\xb4\xa6\xe5\x8d\x95\xe7\xbb\x93\xe6\x9d\x9f\xe6\x97\xb6\xe9\x97\xb4"}, // 账单结束时间
               [RR_BILL_day] = {"BillingDate", "\xe8\xb4\xa6\xe5\x8d\x95\xe6\x97\xa5\xe6\x9c\x9f"},                         // 账单日期
               [RR_BILL_account] = {"AccountID", "OwnerID", "\xe8\xb4\xa6\xe5\x8f\xb7ID"},                                  // 账号ID
               [RR_BILL_service] = {"ProductName", "\xe4\xba\xa7\xe5\x93\x81"},                                             // 产品
               [RR_BILL_region] = {"Region", "\xe5\x9c\xb0\xe5\x9f\x9f"},                                                   // 地域
               [RR_BILL_instance] = {"InstanceSpec", "\xe5\xae\x9e\xe4\xbe\x8b\xe8\xa7\x84\xe6\xa0\xbc"},                   // 实例规格
               [RR_BILL_sku] = {"BillingItem", "BillingItemCode"},
               [RR_BILL_resource] = {"InstanceID", "\xe5\xae\x9e\xe4\xbe\x8bID"}, // 实例ID
               [RR_BILL_quantity] = {"ServicePeriod", "\xe6\x9c\x8d\xe5\x8a\xa1\xe6\x97\xb6\xe9\x95\xbf", "Usage",
                                     "\xe7\x94\xa8\xe9\x87\x8f"}, // 服务时长, 用量
               [RR_BILL_unit] = {"ServicePeriodUnit", "\xe6\x9c\x8d\xe5\x8a\xa1\xe6\x97\xb6\xe9\x95\xbf\xe5\x8d\x95\xe4\xbd\x8d",
                                 "UsageUnit", "\xe7\x94\xa8\xe9\x87\x8f\xe5\x8d\x95\xe4\xbd\x8d"},
               [RR_BILL_list] = {"PretaxGrossAmount", "\xe7\x9b\xae\xe5\xbd\x95\xe6\x80\xbb\xe4\xbb\xb7",
                                 "\xe5\x8e\x9f\xe4\xbb\xb7"},                                             // 目录总价, 原价
               [RR_BILL_billed] = {"PretaxAmount", "\xe5\xba\x94\xe4\xbb\x98\xe9\x87\x91\xe9\xa2\x9d"},   // 应付金额
               [RR_BILL_currency] = {"Currency", "\xe5\xb8\x81\xe7\xa7\x8d"},                             // 币种
               [RR_BILL_type] = {"Item", "\xe8\xb4\xa6\xe5\x8d\x95\xe7\xb1\xbb\xe5\x9e\x8b"},             // 账单类型
               [RR_BILL_term] = {"SubscriptionType", "\xe6\xb6\x88\xe8\xb4\xb9\xe7\xb1\xbb\xe5\x9e\x8b"}, // 消费类型
               [RR_BILL_details] = {"BillingType", "InstanceConfig", "\xe5\xae\x9e\xe4\xbe\x8b\xe9\x85\x8d\xe7\xbd\xae"}, // 实例配置
               [RR_BILL_usage] = {"ProductCode", "\xe4\xba\xa7\xe5\x93\x81"
                                                 "Code"}}, // 产品Code
    .fix = aliyun_fix,
};
