"""What Google's own client reads of the orders and line items of a network, as JSON. Arguments: host and port, network code."""

import json
import sys
from datetime import datetime

from google.ads import admanager_v1 as gam
from google.ads.admanager_v1.services.line_item_service.transports import LineItemServiceRestTransport
from google.ads.admanager_v1.services.order_service.transports import OrderServiceRestTransport
from google.auth.credentials import AnonymousCredentials
from google.protobuf import json_format

host, network = sys.argv[1], f"networks/{sys.argv[2]}"


def transport(cls):
    return cls(host=host, credentials=AnonymousCredentials(), url_scheme="http")


def shown(messages):
    return [json.loads(json_format.MessageToJson(type(message).pb(message))) for message in messages]


orders = gam.OrderServiceClient(transport=transport(OrderServiceRestTransport))
lines = gam.LineItemServiceClient(transport=transport(LineItemServiceRestTransport))
if len(sys.argv) > 3:
    # A person changes the end or the goal of a line, pauses or archives it, or archives its order.
    name, change = sys.argv[3], json.loads(sys.argv[4])
    mask, line = [], gam.LineItem(name=name)
    if "units" in change:
        line.goal = gam.Goal(goal_type="LIFETIME", unit_type="IMPRESSIONS", units=change["units"])
        mask.append("goal")
    if "end" in change:
        line.target_end_time = datetime.fromisoformat(change["end"].replace("Z", "+00:00"))
        mask.append("targetEndTime")
    if mask:
        lines.update_line_item(line_item=line, update_mask=",".join(mask))
    if change.get("pause"):
        lines.batch_pause_line_items(gam.BatchPauseLineItemsRequest(parent=network, names=[name]))
    if change.get("archive"):
        lines.batch_archive_line_items(gam.BatchArchiveLineItemsRequest(parent=network, names=[name]))
    if "archiveOrder" in change:
        orders.batch_archive_orders(gam.BatchArchiveOrdersRequest(parent=network, names=[change["archiveOrder"]]))
print(json.dumps({"orders": shown(orders.list_orders(parent=network)), "lines": shown(lines.list_line_items(parent=network))}))
