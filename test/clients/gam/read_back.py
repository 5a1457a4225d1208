"""What Google's own client reads of the orders and line items of a network, as JSON. Arguments: host and port, network code."""

import json
import sys

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
    # A person changes the end and the goal of a line, or pauses it.
    name, change = sys.argv[3], json.loads(sys.argv[4])
    if change.get("pause"):
        lines.batch_pause_line_items(gam.BatchPauseLineItemsRequest(parent=network, names=[name]))
    else:
        line = gam.LineItem(name=name, goal=gam.Goal(goal_type="LIFETIME", unit_type="IMPRESSIONS", units=change["units"]))
        lines.update_line_item(line_item=line, update_mask="goal")
print(json.dumps({"orders": shown(orders.list_orders(parent=network)), "lines": shown(lines.list_line_items(parent=network))}))
