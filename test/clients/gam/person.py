"""A person at a network, with Google's own client. Arguments: host and port, network code. Reads an act a line as JSON, answers each with a line of JSON.

{"fields": "orders" | "lineItems"}: members that the client can change, each with a value that is seldom there.
{"edit": {"name": ..., member: value ...}}: changes these members of an order or a line item.
{"archive": name}, {"pause": name}, {"create": {order without its name}}
"""

import json
import sys

from google.ads import admanager_v1 as gam
from google.ads.admanager_v1.services.line_item_service.transports import LineItemServiceRestTransport
from google.ads.admanager_v1.services.order_service.transports import OrderServiceRestTransport
from google.api_core.exceptions import GoogleAPICallError
from google.auth.credentials import AnonymousCredentials
from google.protobuf import json_format

host, net = sys.argv[1], f"networks/{sys.argv[2]}"
READ_ONLY = {
    "orders": "name order_id currency_code start_time end_time unlimited_end_time archived creator status update_time last_modified_by_app "
    "effective_teams effective_applied_labels impressions_delivered total_clicks_delivered total_viewable_impressions_delivered programmatic",
    "lineItems": "name order order_display_name end_time archived budget status stats delivery_indicator reservation_status create_time update_time "
    "effective_applied_labels missing_creatives allow_overbook skip_inventory_check skip_cross_selling_rule_warning_checks reserve_on_creation update_source web_property_code deal_info grp_settings",
}
UNIT = {"adUnit": f"{net}/adUnits/2", "includeDescendants": True}
# What a network would take; other members get a value of their type.
VALUES = {
    "displayName": "call Bob",
    "trafficker": f"{net}/users/2",
    "advertiser": f"{net}/companies/2",
    "startTime": "2026-03-05T00:00:00Z",
    "targetEndTime": "2026-03-19T00:00:00Z",
    "rate": {"currencyCode": "USD", "units": "11"},
    "goal": {"goalType": "LIFETIME", "unitType": "IMPRESSIONS", "units": "7777"},
    "costType": "CPC",
    "lineItemType": "PRICE_PRIORITY",
    "priority": "9",
    "creativePlaceholders": [{"size": {"width": 728, "height": 90, "sizeType": "PIXEL"}}],
    "frequencyCaps": [{"maxImpressions": "2", "timeAmount": "1", "timeUnit": "WEEK"}],
    "targeting": {"inventoryTargeting": {"targetedAdUnits": [UNIT]}},
    "environmentType": "VIDEO_PLAYER",
    "creativeRotationType": "MANUAL",
    "roadblockingType": "AS_MANY_AS_POSSIBLE",
    "appliedLabels": [{"label": f"{net}/labels/5"}],
    "appliedTeams": [f"{net}/teams/6"],
    "deliveryRateType": "AS_FAST_AS_POSSIBLE",
}


def transport(cls):
    return cls(host=host, credentials=AnonymousCredentials(), url_scheme="http")


orders = gam.OrderServiceClient(transport=transport(OrderServiceRestTransport))
lines = gam.LineItemServiceClient(transport=transport(LineItemServiceRestTransport))


def any_value(field, depth=0):
    """A value of the type of a member; None: none is found."""
    if field.type == field.TYPE_MESSAGE:
        if depth > 2 or field.message_type.full_name.startswith("google.protobuf."):
            return None
        for inner in field.message_type.fields:
            value = any_value(inner, depth + 1)
            if value is not None:
                own = {inner.json_name: value}
                return [own] if field.is_repeated else own
        return None
    if field.type == field.TYPE_ENUM:
        value = field.enum_type.values[-1].name
    elif field.type == field.TYPE_BOOL:
        value = True
    elif field.type == field.TYPE_STRING:
        value = "call Bob"
    else:
        value = 7
    return [value] if field.is_repeated else value


def fields(kind):
    cls = gam.Order if kind == "orders" else gam.LineItem
    found = {}
    for field in cls.pb(cls()).DESCRIPTOR.fields:
        if field.name not in READ_ONLY[kind].split():
            value = VALUES.get(field.json_name, any_value(field))
            if value is not None:
                found[field.json_name] = value
    return found


def edit(change):
    is_order = "/orders/" in change["name"]
    message = gam.Order.pb(gam.Order()) if is_order else gam.LineItem.pb(gam.LineItem())
    json_format.ParseDict(change, message)
    mask = ",".join(member for member in change if member != "name")
    if is_order:
        request = gam.UpdateOrderRequest(order=gam.Order(message), update_mask=mask)
        orders.batch_update_orders(gam.BatchUpdateOrdersRequest(parent=net, requests=[request]))
    else:
        lines.update_line_item(line_item=gam.LineItem(message), update_mask=mask)


def act(order):
    if "fields" in order:
        return fields(order["fields"])
    if "edit" in order:
        edit(order["edit"])
    if "pause" in order:
        lines.batch_pause_line_items(gam.BatchPauseLineItemsRequest(parent=net, names=[order["pause"]]))
    if "archive" in order and "/orders/" in order["archive"]:
        orders.batch_archive_orders(gam.BatchArchiveOrdersRequest(parent=net, names=[order["archive"]]))
    elif "archive" in order:
        lines.batch_archive_line_items(gam.BatchArchiveLineItemsRequest(parent=net, names=[order["archive"]]))
    if "create" in order:
        message = json_format.ParseDict(order["create"], gam.Order.pb(gam.Order()))
        orders.batch_create_orders(gam.BatchCreateOrdersRequest(parent=net, requests=[gam.CreateOrderRequest(parent=net, order=gam.Order(message))]))
    return {}


for text in sys.stdin:
    try:
        answer = {"done": act(json.loads(text))}
    except (GoogleAPICallError, json_format.ParseError) as error:
        answer = {"refused": str(error)}
    print(json.dumps(answer), flush=True)
