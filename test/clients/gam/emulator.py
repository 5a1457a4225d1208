"""Stands in for the REST API v1 of Google Ad Manager in tests.

Decodes every request strictly with the message classes of google-ads-admanager (unknown members and wrong enums fail), keeps orders, line items and
reports in memory and holds their states to the rules that the package documents. Arguments: one JSON object. Prints one line of JSON when it listens.
"""

import base64
import json
import re
import ssl
import sys
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding
from google.ads import admanager_v1 as gam
from google.protobuf import json_format

from soap import Soap

RUNNING = {"READY", "DELIVERING", "INACTIVE"}
COST_TYPES = {
    "STANDARD": {"CPM", "CPC", "VCPM", "CPCV"},
    "PRICE_PRIORITY": {"CPM", "CPC"},
    "BULK": {"CPM", "CPC"},
    "SPONSORSHIP": {"CPM", "CPC", "CPD"},
    "NETWORK": {"CPM", "CPC", "CPD"},
}
PRIORITIES = {"SPONSORSHIP": (2, 5), "STANDARD": (6, 10), "NETWORK": (11, 14), "BULK": (11, 14), "PRICE_PRIORITY": (11, 14)}
OUTPUT_ONLY = {
    "orders": {"status", "archived", "currencyCode", "startTime", "endTime", "creator", "updateTime"},
    "lineItems": {"status", "archived", "budget", "endTime", "stats", "deliveryIndicator", "reservationStatus", "orderDisplayName", "createTime"},
}
INPUT_ONLY = {"allowOverbook", "skipInventoryCheck", "reserveOnCreation", "skipCrossSellingRuleWarningChecks"}


class Refusal(Exception):
    def __init__(self, status, code, message, errors=()):
        super().__init__(message)
        self.status, self.code, self.errors = status, code, list(errors)


def refuse(error_code, message, field=""):
    raise Refusal(400, "INVALID_ARGUMENT", message, [(error_code, field, message)])


def decode(cls, value):
    """The JSON object as Google's own message; gives the JSON that the message stands for."""
    message = cls.pb(cls())
    try:
        json_format.Parse(json.dumps(value), message, ignore_unknown_fields=False)
    except json_format.ParseError as error:
        raise Refusal(400, "INVALID_ARGUMENT", f"Invalid JSON payload received. {error}") from error
    return message


def encode(message, ints=False):
    return json.loads(json_format.MessageToJson(message, use_integers_for_enums=ints))


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class World:
    def __init__(self, options):
        self.network = f"networks/{options['network']}"
        self.currency = options.get("currency", "USD")
        self.key = serialization.load_pem_public_key(options["publicKey"].encode())
        self.email = options["email"]
        self.can_approve = options.get("canApprove", True)
        self.offset = moment(options["now"]) - time.time() if "now" in options else 0
        self.lock = threading.RLock()
        self.next_id = 1000
        self.tokens = set()
        self.faults = []
        self.calls = []
        self.latency = options.get("latencyMs", 0) / 1000
        self.traffic = options.get("trafficPerUnit", 1_000_000)
        self.silence = options.get("silenceMs", 1500) / 1000
        # Calls in one second, tokens apart; 0: as many as come.
        self.quota = options.get("quota", 0)
        self.second, self.in_second, self.over_quota = 0, 0, 0
        self.time_zone = options.get("timeZone", "UTC")
        # DayPartTargeting of lines, by name: the REST API does not show it.
        self.hours = {}
        self.delivery = {}
        # What ad units were asked for, by unit and day of the network.
        self.asked = {}
        self.runs = {}
        net = self.network
        self.stored = {
            "orders": {},
            "lineItems": {},
            "reports": {},
            "companies": {f"{net}/companies/2": {"name": f"{net}/companies/2", "displayName": "Another", "type": "ADVERTISER"}},
            "users": {
                f"{net}/users/1": {"name": f"{net}/users/1", "email": self.email, "displayName": "Agent", "active": True},
                f"{net}/users/2": {"name": f"{net}/users/2", "email": "bob@publisher.example", "displayName": "Bob", "active": True},
            },
            "geoTargets": {
                f"{net}/geoTargets/{number}": {"name": f"{net}/geoTargets/{number}", "regionCode": code, "displayName": name, "type": "Country", "targetable": True}
                for number, code, name in ((2276, "DE", "Germany"), (2250, "FR", "France"), (2840, "US", "United States"))
            } | {
                f"{net}/geoTargets/{number}": {"name": f"{net}/geoTargets/{number}", "regionCode": code, "displayName": name, "type": kind, "targetable": True}
                for number, code, name, kind in ((21137, "US", "California", "State"), (200501, "US", "New York NY", "DMA Region"), (9004001, "US", "10001", "Postal Code"), (9041001, "DE", "10115", "Postal Code"), (9043001, "FR", "10001", "Postal Code"))
            },
            "operatingSystems": {
                f"{net}/operatingSystems/{number}": {"name": f"{net}/operatingSystems/{number}", "displayName": name}
                for number, name in ((501012, "Apple iOS"), (501013, "Google Android"), (501014, "Microsoft Windows 10"), (501015, "Microsoft Windows 11"))
            },
            "browserLanguages": {
                f"{net}/browserLanguages/{number}": {"name": f"{net}/browserLanguages/{number}", "displayName": name}
                for number, name in ((504001, "German"), (504002, "Chinese (simplified)"), (504003, "Chinese (traditional)"))
            },
            "browsers": {f"{net}/browsers/{number}": {"name": f"{net}/browsers/{number}", "displayName": name} for number, name in ((500072, "Google Chrome"), (500073, "Safari"))},
            "contentBundles": {f"{net}/contentBundles/9": {"name": f"{net}/contentBundles/9", "displayName": "Sports"}},
            "teams": {f"{net}/teams/6": {"name": f"{net}/teams/6", "displayName": "North"}},
            "customFields": {
                f"{net}/customFields/{number}": {"name": f"{net}/customFields/{number}", "displayName": name, "dataType": kind, "entityType": entity}
                for number, name, kind, entity in ((11, "Sold by", "STRING", "ORDER"), (12, "Section", "DROPDOWN", "LINE_ITEM"), (13, "Discount", "NUMBER", "LINE_ITEM"), (14, "Barter", "TOGGLE", "ORDER"))
            },
            "labels": {f"{net}/labels/5": {"name": f"{net}/labels/5", "displayName": "Shoes"}},
            "audienceSegments": {f"{net}/audienceSegments/88": {"name": f"{net}/audienceSegments/88", "displayName": "Runners"}},
            "deviceCategories": {
                f"{net}/deviceCategories/{number}": {"name": f"{net}/deviceCategories/{number}", "displayName": name}
                for number, name in ((30000, "Desktop"), (30001, "Smartphone"), (30002, "Tablet"), (30004, "Connected TV"))
            },
            "adUnits": {},
            "placements": {},
            "customTargetingKeys": {},
            "customTargetingValues": {},
            "creatives": {},
            "associations": {},
        }
        # As the SOAP API has them, by id.
        self.soap_creatives = {}
        for number in range(1, options.get("adUnits", 20) + 1):
            name = f"{net}/adUnits/{number}"
            size = {"size": {"width": 300, "height": 250, "sizeType": "PIXEL"}, "environmentType": "BROWSER"}
            leaderboard = {"size": {"width": 728, "height": 90, "sizeType": "PIXEL"}, "environmentType": "BROWSER"}
            self.stored["adUnits"][name] = {"name": name, "displayName": f"Unit {number}", "adUnitCode": f"unit_{number}", "status": "ACTIVE", "adUnitSizes": [size, leaderboard] if number % 3 == 0 else [size]}
        self.stored["placements"][f"{net}/placements/1"] = {"name": f"{net}/placements/1", "displayName": "Front pages", "status": "ACTIVE", "targetedAdUnits": [f"{net}/adUnits/1"]}
        self.stored["customTargetingKeys"][f"{net}/customTargetingKeys/7"] = {"name": f"{net}/customTargetingKeys/7", "displayName": "section", "adTagName": "section", "status": "ACTIVE", "type": "PREDEFINED"}
        self.soap = Soap(self, Refusal)
        self.stored["customTargetingValues"][f"{net}/customTargetingValues/71"] = {"name": f"{net}/customTargetingValues/71", "displayName": "sports", "adTagName": "sports", "status": "ACTIVE", "customTargetingKey": f"{net}/customTargetingKeys/7"}

        self.make_history(options.get("orders", 0))

    def make_history(self, orders):
        """Orders that people booked before, each with two line items that have delivered."""
        net, units = self.network, len(self.stored["adUnits"])
        for number in range(1, orders + 1):
            order = f"{net}/orders/{900000 + number}"
            self.stored["orders"][order] = {"name": order, "displayName": f"Order {number}", "status": "APPROVED", "currencyCode": self.currency, "archived": number % 2 == 0}
            for at in (0, 1):
                line = f"{net}/lineItems/{1900000 + 2 * number + at}"
                at_unit = 1 + (number * 7 + at) % min(units, 100)
                unit = f"{net}/adUnits/{at_unit}"
                sports = {"customTargetingKey": f"{net}/customTargetingKeys/7", "customTargetingValues": [f"{net}/customTargetingValues/71"]}
                keys = {"customTargeting": {"customTargetingClauses": [{"customTargetingLiterals": [sports]}]}} if at_unit % 2 == 0 else {}
                cents = 200 + (number * 37 + at * 11) % 400
                self.stored["lineItems"][line] = {
                    "name": line, "order": order, "orderDisplayName": f"Order {number}", "displayName": f"Line {number}.{at}",
                    "startTime": "2026-01-01T00:00:00Z", "targetEndTime": "2026-01-31T00:00:00Z", "endTime": "2026-01-31T00:00:00Z",
                    "lineItemType": "STANDARD" if at == 0 else "PRICE_PRIORITY", "costType": "CPM", "status": "COMPLETED", "archived": number % 2 == 0,
                    "rate": {"currencyCode": self.currency, "units": str(cents // 100), "nanos": cents % 100 * 10000000},
                    "goal": {"goalType": "LIFETIME", "unitType": "IMPRESSIONS", "units": "100000"}, "creativeRotationType": "EVENLY",
                    "stats": {"impressionsDelivered": str(90000 + number)},
                    "creativePlaceholders": [{"size": {"width": 300, "height": 250, "sizeType": "PIXEL"}}],
                    "targeting": {"inventoryTargeting": {"targetedAdUnits": [{"adUnit": unit, "includeDescendants": True}]}, **keys},
                }

    def now(self):
        return time.time() + self.offset

    def is_over_quota(self):
        second = int(time.monotonic())
        self.in_second = self.in_second + 1 if second == self.second else 1
        self.second = second
        if not self.quota or self.in_second <= self.quota:
            return False
        self.over_quota += 1
        return True

    def copy_order(self, name, text, copies):
        """An order with all that is of it, once for each text that takes the place of `text` in it. Gives the new resource names by the old ones, of each."""
        lines = [line for line in self.stored["lineItems"].values() if line["order"] == name]
        shown = [each for each in self.stored["associations"].values() if each["lineItem"] in {line["name"] for line in lines}]
        creatives = {each["creative"] for each in shown}
        made = []
        for copy in copies:
            names = {old: self.new_name(old.split("/")[2]) for old in (name, *(line["name"] for line in lines), *sorted(creatives))}

            def copied(value):
                taken = json.dumps(value).replace(text, copy["text"])
                for old, new in names.items():
                    taken = taken.replace(f'"{old}"', f'"{new}"').replace(f'"{old}/', f'"{new}/').replace(f'/{old.rsplit("/", 1)[1]}"', f'/{new.rsplit("/", 1)[1]}"')
                return json.loads(taken)

            self.stored["orders"][names[name]] = {**copied(self.stored["orders"][name]), "externalOrderId": copy["externalOrderId"]}
            for line in lines:
                self.stored["lineItems"][names[line["name"]]] = copied(line)
            for each in shown:
                other = copied(each)
                self.stored["associations"][other["name"]] = other
            for creative in creatives:
                self.stored["creatives"][names[creative]] = copied(self.stored["creatives"][creative])
                own = self.soap_creatives.get(creative.rsplit("/", 1)[1])
                if own:
                    number = names[creative].rsplit("/", 1)[1]
                    self.soap_creatives[number] = {**copied(own), "id": number}
            made.append(names)
        return made

    def stamp(self):
        return datetime.fromtimestamp(self.now(), timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def new_name(self, collection):
        self.next_id += 1
        return f"{self.network}/{collection}/{self.next_id}"

    # Orders

    def check_order(self, order):
        if not order.get("displayName"):
            refuse("REQUIRED", "a display name is required", "order.displayName")
        if len(order["displayName"]) > 255:
            refuse("STRING_TOO_LONG", "255 characters at most", "order.displayName")
        if order.get("trafficker") not in self.stored["users"]:
            refuse("NOT_FOUND", "no such user", "order.trafficker")
        if order.get("advertiser") not in self.stored["companies"]:
            refuse("NOT_FOUND", "no such company", "order.advertiser")
        for team in order.get("appliedTeams", []):
            if team not in self.stored["teams"]:
                refuse("NOT_FOUND", f"{team} does not exist", "order.appliedTeams")
        self.check_custom_fields(order, "ORDER", "order")

    def check_custom_fields(self, resource, entity, where):
        members = {"STRING": "stringValue", "NUMBER": "numberValue", "TOGGLE": "toggleValue", "DROPDOWN": "dropdownValue"}
        for each in resource.get("customFieldValues", []):
            field = self.stored["customFields"].get(each["customField"])
            if field is None or field["entityType"] != entity:
                refuse("NOT_FOUND", f"{each['customField']} is no custom field of {entity}", f"{where}.customFieldValues")
            if list(each.get("value", {})) != [members[field["dataType"]]]:
                refuse("INVALID_CUSTOM_FIELD_VALUE", f"{field['displayName']} is a {field['dataType']}", f"{where}.customFieldValues")

    def create_order(self, order):
        self.no_output("orders", order)
        self.check_order(order)
        name = self.new_name("orders")
        self.stored["orders"][name] = {**order, "name": name, "status": "DRAFT", "currencyCode": self.currency, "updateTime": self.stamp()}
        return self.stored["orders"][name]

    def no_output(self, collection, resource):
        wrong = OUTPUT_ONLY[collection] & set(resource)
        if wrong:
            refuse("READ_ONLY", f"output only: {', '.join(sorted(wrong))}", next(iter(wrong)))

    def sold_on(self, units, at):
        """Impressions that guaranteed lines on these ad units take on a day."""
        taken = 0
        for line in self.stored["lineItems"].values():
            own = {each["adUnit"] for each in line["targeting"].get("inventoryTargeting", {}).get("targetedAdUnits", [])}
            starts, ends = moment(line["startTime"]), moment(line["targetEndTime"])
            if line["lineItemType"] == "STANDARD" and line.get("reservationStatus") == "RESERVED" and own & units and starts < at + 86400 and at < ends:
                taken += int(line["goal"]["units"]) // max(1, round((ends - starts) / 86400))
        return taken

    def lines_of(self, order):
        return [line for line in self.stored["lineItems"].values() if line["order"] == order]

    # Line items

    def check_line(self, line, before=None):
        for member in ("displayName", "startTime", "targetEndTime", "lineItemType", "costType", "rate", "goal", "creativeRotationType", "creativePlaceholders", "targeting"):
            if not line.get(member):
                refuse("REQUIRED", f"{member} is required", f"lineItem.{member}")
        if line["order"] not in self.stored["orders"]:
            refuse("NOT_FOUND", "no such order", "lineItem.order")
        starts = moment(line["startTime"])
        if (before is None or before["startTime"] != line["startTime"]) and starts <= self.now():
            refuse("START_DATE_TIME_IS_IN_PAST", "the start has to be in the future", "lineItem.startTime")
        if moment(line["targetEndTime"]) <= max(starts, self.now()):
            refuse("END_DATE_TIME_NOT_AFTER_START_TIME", "the end is not after the start, or in the past", "lineItem.targetEndTime")
        kind = line["lineItemType"]
        if line["costType"] not in COST_TYPES.get(kind, set()):
            refuse("INVALID_COST_TYPE", f"{line['costType']} does not go with {kind}", "lineItem.costType")
        if line["rate"].get("currencyCode") != self.currency:
            refuse("INVALID_CURRENCY", f"the network books in {self.currency}", "lineItem.rate")
        goal, isShare = "DAILY" if kind in ("SPONSORSHIP", "NETWORK") else "LIFETIME", kind in ("SPONSORSHIP", "NETWORK")
        units = int(line["goal"].get("units", 0))
        if line["goal"].get("goalType") != goal or units <= 0 or (isShare and units > 100):
            refuse("INVALID_GOAL", f"{kind} needs a goal that is {goal}", "lineItem.goal")
        least, most = PRIORITIES[kind]
        if not least <= int(line.get("priority", least)) <= most:
            refuse("INVALID_PRIORITY", f"{kind} has {least} to {most}", "lineItem.priority")
        for each in line.get("appliedLabels", []):
            if each["label"] not in self.stored["labels"]:
                refuse("NOT_FOUND", f"{each['label']} does not exist", "lineItem.appliedLabels")
        self.check_custom_fields(line, "LINE_ITEM", "lineItem")
        if line["goal"]["unitType"] in ("VIEWABLE_IMPRESSIONS", "COMPLETED_VIEWS") and kind != "STANDARD":
            refuse("INVALID_UNIT_TYPE", "only for STANDARD", "lineItem.goal.unitType")
        self.check_targeting(line["targeting"])
        for cap in line.get("frequencyCaps", []):
            if int(cap.get("maxImpressions", 0)) < 1 or int(cap.get("timeAmount", 0)) < 1:
                refuse("INVALID_FREQUENCY_CAP", "a cap counts from 1", "lineItem.frequencyCaps")

    def check_targeting(self, targeting):
        inventory = targeting.get("inventoryTargeting", {})
        units = [each["adUnit"] for each in inventory.get("targetedAdUnits", [])]
        excluded = [each["adUnit"] for each in inventory.get("excludedAdUnits", [])]
        if set(units) & set(excluded):
            refuse("INVENTORY_CANNOT_BE_TARGETED_AND_EXCLUDED", "an ad unit is targeted and excluded", "lineItem.targeting.inventoryTargeting")
        placements = inventory.get("targetedPlacements", [])
        if not units and not placements:
            refuse("REQUIRED", "inventory has to be targeted", "lineItem.targeting.inventoryTargeting")
        geo = targeting.get("geoTargeting", {})
        device = targeting.get("technologyTargeting", {}).get("deviceCategoryTargeting", {})
        named = [("adUnits", units + excluded), ("contentBundles", targeting.get("contentTargeting", {}).get("targetedContentBundles", [])), ("placements", placements), ("geoTargets", geo.get("targetedGeos", []) + geo.get("excludedGeos", []))]
        named.append(("deviceCategories", device.get("targetedCategories", []) + device.get("excludedCategories", [])))
        technology = targeting.get("technologyTargeting", {})
        named.append(("browsers", technology.get("browserTargeting", {}).get("targetedBrowsers", [])))
        named.append(("operatingSystems", technology.get("operatingSystemTargeting", {}).get("targetedOperatingSystems", [])))
        named.append(("browserLanguages", technology.get("browserLanguageTargeting", {}).get("targetedBrowserLanguages", [])))
        for clause in targeting.get("customTargeting", {}).get("customTargetingClauses", []):
            named += [("audienceSegments", each["audienceSegments"]) for each in clause.get("audienceSegmentTargetings", [])]
            for literal in clause.get("customTargetingLiterals", []):
                named += [("customTargetingKeys", [literal["customTargetingKey"]]), ("customTargetingValues", literal["customTargetingValues"])]
        for collection, names in named:
            for name in names:
                if name not in self.stored[collection]:
                    refuse("NOT_FOUND", f"{name} does not exist", "lineItem.targeting")

    def create_line(self, line):
        self.no_output("lineItems", line)
        self.check_line(line)
        order = self.stored["orders"][line["order"]]
        if order.get("archived") or order["status"] in ("CANCELED", "DISAPPROVED"):
            refuse("ORDER_STATUS_NOT_ALLOWED", "no line items can be added to this order", "lineItem.order")
        name = self.new_name("lineItems")
        own = {member: value for member, value in line.items() if member not in INPUT_ONLY}
        self.stored["lineItems"][name] = {**own, "name": name, "endTime": line["targetEndTime"], "createTime": self.stamp(), "reservationStatus": "UNRESERVED"}
        self.stored["lineItems"][name]["status"] = "PENDING_APPROVAL" if order["status"] == "PENDING_APPROVAL" else "DRAFT"
        return self.stored["lineItems"][name]

    def update(self, collection, resource, mask):
        stored = self.stored[collection].get(resource.get("name"))
        if stored is None:
            raise Refusal(404, "NOT_FOUND", f"{resource.get('name')} does not exist")
        if stored.get("archived"):
            refuse("CANNOT_UPDATE_ARCHIVED", "it is archived", "name")
        if not mask:
            refuse("REQUIRED", "an update mask is required", "updateMask")
        for path in mask:
            if path in OUTPUT_ONLY[collection] or path in ("name", "order"):
                refuse("READ_ONLY", f"{path} cannot be updated", path)
        new = {member: value for member, value in stored.items() if member not in mask}
        new.update({path: resource[path] for path in mask if path in resource})
        if collection == "lineItems":
            self.check_line(new, stored)
            new["endTime"] = new["targetEndTime"]
            # The worst that a member which is written as a whole may do to what it does not show.
            if "targeting" in mask:
                self.hours.pop(stored["name"], None)
        else:
            self.check_order(new)
        new["updateTime"] = self.stamp()
        self.stored[collection][stored["name"]] = new
        return new

    def running_status(self, line):
        shown = any(each["lineItem"] == line["name"] and each["status"] == "ACTIVE" for each in self.stored["associations"].values())
        if not shown:
            return "INACTIVE"
        return "DELIVERING" if moment(line["startTime"]) <= self.now() else "READY"

    def act(self, collection, action, names):
        found = []
        for name in names:
            if name not in self.stored[collection]:
                raise Refusal(404, "NOT_FOUND", f"{name} does not exist")
            found.append(self.stored[collection][name])
        # A batch is taken as a whole: each is checked before any is changed.
        for checked in (True, False):
            for resource in found:
                (self.act_order if collection == "orders" else self.act_line)(resource, action, checked)

    def act_order(self, order, action, checked):
        lines = self.lines_of(order["name"])
        allowed = {
            "batchApprove": order["status"] in ("DRAFT", "PENDING_APPROVAL"),
            "batchSubmitForApproval": order["status"] == "DRAFT",
            "batchDisapprove": order["status"] == "PENDING_APPROVAL",
            "batchArchive": not any(line["status"] in RUNNING for line in lines if not line.get("archived")),
            "batchUnarchive": True,
        }
        if action == "batchApprove" and not self.can_approve:
            raise Refusal(403, "PERMISSION_DENIED", "The user may not approve orders")
        if action not in allowed:
            raise Refusal(501, "UNIMPLEMENTED", f"{action} is not emulated")
        if action == "batchUnarchive":
            # Its line items stay archived until each is unarchived.
            if not checked:
                order["archived"] = False
            return
        if order.get("archived") and action == "batchArchive":
            return
        if order.get("archived") or not allowed[action]:
            refuse("INVALID_ACTION", f"{action} does not go with {order['status']}", order["name"])
        if checked:
            return
        if action == "batchArchive":
            for each in (order, *lines):
                each["archived"] = True
            return
        order["status"] = {"batchApprove": "APPROVED", "batchSubmitForApproval": "PENDING_APPROVAL", "batchDisapprove": "DISAPPROVED"}[action]
        for line in lines:
            if not line.get("archived"):
                if action == "batchApprove":
                    line.update(status=self.running_status(line), reservationStatus="RESERVED")
                else:
                    line["status"] = order["status"]

    def act_line(self, line, action, checked):
        order = self.stored["orders"][line["order"]]
        allowed = {
            "batchPause": line["status"] in RUNNING,
            "batchResume": line["status"] in ("PAUSED", "PAUSED_INVENTORY_RELEASED"),
            "batchReserve": line["status"] == "DRAFT" and order["status"] == "APPROVED",
            "batchArchive": line["status"] not in RUNNING,
            "batchUnarchive": bool(line.get("archived")) and not order.get("archived"),
        }
        if action not in allowed:
            raise Refusal(501, "UNIMPLEMENTED", f"{action} is not emulated")
        if (line.get("archived") and action != "batchUnarchive") or not allowed[action]:
            refuse("INVALID_ACTION", f"{action} does not go with {line['status']}", line["name"])
        if checked:
            return
        if action in ("batchArchive", "batchUnarchive"):
            line["archived"] = action == "batchArchive"
        elif action == "batchPause":
            line["status"] = "PAUSED"
        else:
            line.update(status=self.running_status(line), reservationStatus="RESERVED")

    # Reports

    def run_report(self, name):
        report = self.stored["reports"].get(name)
        if report is None:
            raise Refusal(404, "NOT_FOUND", f"{name} does not exist")
        self.next_id += 1
        operation = f"{self.network}/operations/reports/runs/{self.next_id}"
        self.runs[operation] = {"report": name, "polls": 0, "result": f"{name}/results/{self.next_id}"}
        return {"name": operation, "done": False}

    def poll(self, operation):
        run = self.runs.get(operation)
        if run is None:
            raise Refusal(404, "NOT_FOUND", f"{operation} does not exist")
        run["polls"] += 1
        if run["polls"] < 2:
            return {"name": operation, "done": False}
        kind = "type.googleapis.com/google.ads.admanager.v1.RunReportResponse"
        return {"name": operation, "done": True, "response": {"@type": kind, "reportResult": run["result"]}}

    def rows(self, result):
        run = next((run for run in self.runs.values() if run["result"] == result), None)
        if run is None:
            raise Refusal(404, "NOT_FOUND", f"{result} does not exist")
        definition = self.stored["reports"][run["report"]]["reportDefinition"]
        fixed = definition["dateRange"]["fixed"]
        first, last = (f"{day['year']:04}{day['month']:02}{day['day']:02}" for day in (fixed["startDate"], fixed["endDate"]))
        if "AD_UNIT_ID" in definition["dimensions"]:
            return self.unit_rows(definition, first, last)
        orders = {f"{self.network}/orders/{value['intValue']}" for each in definition["filters"] for value in each["fieldFilter"]["values"]}
        found = []
        for (line, day), counts in sorted(self.delivery.items()):
            date = day.replace("-", "")
            if first <= date <= last and self.stored["lineItems"][line]["order"] in orders:
                values = [{"intValue": str(counts.get(metric, 0))} for metric in definition["metrics"]]
                dimensions = [{"intValue": date}, {"intValue": line.rsplit("/", 1)[1]}]
                found.append({"dimensionValues": dimensions, "metricValueGroups": [{"primaryValues": values}]})
        return found

    def unit_rows(self, definition, first, last):
        found = []
        for (unit, day), counts in sorted(self.asked.items()):
            date = day.replace("-", "")
            if first <= date <= last:
                of = {"DATE": {"intValue": date}, "AD_UNIT_ID": {"intValue": unit}, "AD_UNIT_NAME": {"stringValue": self.stored["adUnits"][f"{self.network}/adUnits/{unit}"]["displayName"]}}
                values = [{"intValue": str(counts.get(metric, 0))} for metric in definition["metrics"]]
                found.append({"dimensionValues": [of[each] for each in definition["dimensions"]], "metricValueGroups": [{"primaryValues": values}]})
        return found


TERM = re.compile(r'\s*([\w.]+)\s*(=|:)\s*("(?:[^"\\]|\\.)*"|[\w.-]+)\s*')
JOIN = re.compile(r"(AND|OR)\b")


def reader(text):
    """What `a = b` joined by AND or by OR says of a resource, as the filters page of the API has it; anything else is refused."""
    at, terms, joins = 0, [], set()
    while at < len(text):
        found = TERM.match(text, at)
        if not found:
            refuse("INVALID_FILTER", f"cannot read the filter at {text[at:at + 20]!r}", "filter")
        field, _, value = found.groups()
        terms.append((field, value[1:-1] if value.startswith('"') else value))
        at = found.end()
        join = JOIN.match(text, at)
        if join:
            joins.add(join.group(1))
            at = join.end()
        elif at < len(text):
            refuse("INVALID_FILTER", f"AND or OR is missing at {text[at:at + 20]!r}", "filter")
    if len(joins) > 1:
        refuse("INVALID_FILTER", "AND and OR together are not emulated", "filter")
    wanted = {field: {value for other, value in terms if other == field} for field, _ in terms}
    lowered = {field: {value.lower() for value in values} for field, values in wanted.items()}

    def member(resource, field):
        for part in field.split("."):
            resource = resource.get(part) if isinstance(resource, dict) else None
        return resource

    def has(resource, field):
        have = member(resource, field)
        return str(have).lower() in lowered[field] if isinstance(have, bool) else str(have) in wanted[field]

    if "OR" in joins:
        return lambda resource: any(has(resource, field) for field in wanted)
    # Two values of one member are never both there.
    return lambda resource: all(has(resource, field) and len(wanted[field]) == 1 for field in wanted)


CLASSES = {
    "orders": (gam.Order, "ListOrdersResponse"),
    "lineItems": (gam.LineItem, "ListLineItemsResponse"),
    "companies": (gam.Company, "ListCompaniesResponse"),
    "users": (gam.User, "ListUsersResponse"),
    "geoTargets": (gam.GeoTarget, "ListGeoTargetsResponse"),
    "deviceCategories": (gam.DeviceCategory, "ListDeviceCategoriesResponse"),
    "operatingSystems": (gam.OperatingSystem, "ListOperatingSystemsResponse"),
    "browserLanguages": (gam.BrowserLanguage, "ListBrowserLanguagesResponse"),
    "audienceSegments": (gam.AudienceSegment, "ListAudienceSegmentsResponse"),
    "adUnits": (gam.AdUnit, "ListAdUnitsResponse"),
    "placements": (gam.Placement, "ListPlacementsResponse"),
    "customTargetingKeys": (gam.CustomTargetingKey, "ListCustomTargetingKeysResponse"),
    "customTargetingValues": (gam.CustomTargetingValue, "ListCustomTargetingValuesResponse"),
    "creatives": (gam.Creative, "ListCreativesResponse"),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    world: World
    open = False
    # Head and body are two writes: the second would wait for the answer to the first, some 40 ms.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("GET")

    def do_POST(self):
        self.answer("POST")

    def do_PATCH(self):
        self.answer("PATCH")

    def answer(self, method):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        url = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        if url.path == "/control":
            return self.send(200, self.control(json.loads(body)))
        world = self.world
        time.sleep(world.latency)
        fault = None
        try:
            if url.path == "/token":
                return self.send(200, self.token(body))
            if not self.open and self.headers.get("authorization", "")[7:] not in world.tokens:
                raise Refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials")
            with world.lock:
                world.calls.append(f"{method} {url.path}")
                if world.is_over_quota():
                    if url.path.startswith("/apis/ads/publisher/"):
                        return self.send_text(500, world.soap.refusal(url.path, "QuotaError.EXCEEDED_QUOTA"))
                    return self.send(429, {"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}})
                fault = self.next_fault(method, url.path)
                if fault == "429":
                    return self.send(429, {"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}})
                if fault == "409":
                    raise Refusal(409, "ABORTED", "The resource was changed at the same moment", [("CONCURRENT_MODIFICATION", "", "changed at the same moment")])
                if fault == "403":
                    raise Refusal(403, "PERMISSION_DENIED", "The caller does not have permission")
                if fault == "500 before":
                    return self.send(500, {"error": {"code": 500, "message": "Internal error", "status": "INTERNAL"}})
                if url.path.startswith("/apis/ads/publisher/"):
                    if fault and fault.startswith("soap "):
                        return self.send_text(500, world.soap.refusal(url.path, fault.removeprefix("soap ")))
                    status, text = world.soap.answer(url.path, body)
                    if fault is None:
                        return self.send_text(status, text)
                    result = text
                else:
                    result = self.route(method, url.path.removeprefix("/v1/"), query, json.loads(body) if body else {})
            if fault == "500 after":
                return self.send(500, {"error": {"code": 500, "message": "Internal error", "status": "INTERNAL"}})
            if fault in ("silence", "hang"):
                time.sleep(world.silence if fault == "silence" else 30)
                self.close_connection = True
                return None
            return self.send(200, result, truncated=fault == "truncated")
        except Refusal as refusal:
            kind = "type.googleapis.com/google.ads.admanager.v1.AdManagerError"
            details = [{"@type": kind, "errorCode": code, "fieldPath": field, "message": text} for code, field, text in refusal.errors]
            return self.send(refusal.status, {"error": {"code": refusal.status, "message": str(refusal), "status": refusal.code, "details": details}})

    def next_fault(self, method, path):
        for fault in self.world.faults:
            if fault["count"] > 0 and re.search(fault["path"], f"{method} {path}"):
                if fault.get("skip", 0) > 0:
                    fault["skip"] -= 1
                    continue
                fault["count"] -= 1
                return fault["kind"]
        return None

    def send(self, status, value, truncated=False):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json; charset=UTF-8")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if truncated else data)
        if truncated:
            self.close_connection = True

    def send_text(self, status, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", "text/xml; charset=UTF-8")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def token(self, body):
        form = {name: values[-1] for name, values in parse_qs(body.decode()).items()}
        signed, _, signature = form["assertion"].rpartition(".")
        header, claims = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in signed.split("."))
        try:
            raw = base64.urlsafe_b64decode(signature + "==")
            self.world.key.verify(raw, signed.encode(), padding.PKCS1v15(), hashes.SHA256())
            now = self.world.now()
            assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" and header["alg"] == "RS256"
            assert claims["iss"] == self.world.email and claims["aud"].endswith("/token")
            assert claims["iat"] <= now + 60 and now < claims["exp"] <= claims["iat"] + 3600
            assert claims["scope"] in ("https://www.googleapis.com/auth/admanager", "https://www.googleapis.com/auth/dfp")
        except Exception as error:
            raise Refusal(400, "invalid_grant", f"invalid_grant {error!r}") from error
        self.world.next_id += 1
        token = f"token-{self.world.next_id}"
        self.world.tokens.add(token)
        return {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}

    def control(self, order):
        """What a test does at the network: faults, approvals, delivery, creatives, revoked tokens."""
        world = self.world
        with world.lock:
            if "faults" in order:
                world.faults = order["faults"]
            if order.get("revoke"):
                world.tokens.clear()
            if "now" in order:
                world.offset = moment(order["now"]) - time.time()
            world.can_approve = order.get("canApprove", world.can_approve)
            if "set" in order:
                collection, name = order["set"]["name"].split("/")[2], order["set"]["name"]
                world.stored[collection][name] = {**({} if order.get("replace") else world.stored[collection].get(name, {})), **order["set"]}
            if "associate" in order:
                line, creative = order["associate"]["line"], order["associate"]["creative"]
                name = f"{line}/creatives/{creative.rsplit('/', 1)[1]}"
                world.stored["associations"][name] = {"name": name, "lineItem": line, "creative": creative, "status": order["associate"].get("status", "ACTIVE")}
            if "hours" in order:
                # A person gives a line hours, or takes them.
                world.hours.pop(order["hours"]["line"], None)
                if order["hours"].get("dayParts"):
                    world.hours[order["hours"]["line"]] = {"dayParts": order["hours"]["dayParts"], "timeZone": "PUBLISHER"}
            if "soapCreative" in order:
                # A person edits a creative, or Google reviews it.
                world.soap_creatives[order["soapCreative"]["id"]].update(order["soapCreative"])
            if "act" in order:
                world.act(order["act"]["collection"], order["act"]["action"], order["act"]["names"])
            for name in order.get("remove", []):
                del world.stored[name.split("/")[2]][name]
            for each in order.get("delivery", []):
                world.delivery[(each["line"], each["day"])] = each["counts"]
            for each in order.get("asked", []):
                world.asked[(each["unit"], each["day"])] = each["counts"]
            copied = world.copy_order(order["copy"]["order"], order["copy"]["text"], order["copy"]["to"]) if "copy" in order else []
            if order.get("brief"):
                return {"copied": copied, "overQuota": world.over_quota, "callCount": len(world.calls), "faults": [dict(each) for each in world.faults]}
            kinds = ("orders", "lineItems", "companies", "reports", "associations")
            result = {"hours": dict(world.hours), "soapCreatives": list(world.soap_creatives.values()), "calls": list(world.calls), "faults": [dict(each) for each in world.faults], **{kind: list(world.stored[kind].values()) for kind in kinds}}
            if order.get("forgetCalls"):
                world.calls.clear()
            return result

    def route(self, method, path, query, body):
        world, net = self.world, self.world.network
        ints = "int" in query.get("$alt", "")
        if path == net:
            return encode(decode(gam.Network, {"name": net, "networkCode": net.split("/")[1], "displayName": "Emulated", "currencyCode": world.currency, "timeZone": world.time_zone}), ints)
        if method == "POST" and path.startswith(f"{net}:run"):
            return self.forecast(path.removeprefix(f"{net}:run"), body, ints)
        if not path.startswith(f"{net}/"):
            raise Refusal(404, "NOT_FOUND", f"{path} does not exist")
        rest = path[len(net) + 1:]
        if method == "GET":
            return self.read(rest, path, query, ints)
        action = re.fullmatch(r"(orders|lineItems|companies):(\w+)", rest)
        if method == "POST" and action:
            return self.batch(action.group(1), action.group(2), body, ints)
        if method == "POST" and rest == "reports":
            report = encode(decode(gam.Report, body))
            definition = report["reportDefinition"]
            # ReportDefinition.TimeZoneSource: UTC goes with reports of the revenue alone.
            if definition.get("timeZoneSource") == "UTC" or (definition.get("timeZoneSource") == "PROVIDED" and not definition.get("timeZone")):
                refuse("INVALID_TIME_ZONE", "the time zone source does not go with a report of the type HISTORICAL", "report.reportDefinition.timeZoneSource")
            name = world.new_name("reports")
            world.stored["reports"][name] = {**report, "name": name}
            return encode(decode(gam.Report, world.stored["reports"][name]), ints)
        if method == "POST" and re.fullmatch(r"reports/\d+:run", rest):
            decode(gam.RunReportRequest, body)
            return world.run_report(path.removesuffix(":run"))
        collection = rest.split("/")[0]
        if method == "PATCH" and collection in ("orders", "lineItems"):
            cls = CLASSES[collection][0]
            mask = query.get("updateMask", "").split(",")
            changed = encode(decode(cls, {**body, "name": path}))
            return encode(decode(cls, world.update(collection, changed, [camel(each) for each in mask])), ints)
        raise Refusal(404, "NOT_FOUND", f"{method} {path} does not exist")

    def forecast(self, kind, body, ints):
        """Traffic of each ad unit and day is the same; what lines reserve of it is spread over their days."""
        world, net = self.world, self.world.network
        if kind == "TrafficData":
            request = encode(decode(gam.RunTrafficDataRequest, {**body, "parent": net}))
            world.check_targeting(request["targeting"])
            span = request["requestedDateRange"]
            first, last = (datetime(day["year"], day["month"], day["day"], tzinfo=timezone.utc) for day in (span["startDate"], span["endDate"]))
            # The network knows no more than a quarter of a year.
            days = min((last - first).days + 1, max(0, int((world.now() + 90 * 86400 - first.timestamp()) // 86400)))
            if days < 1:
                return encode(decode(gam.RunTrafficDataResponse, {}), ints)
            units = {each["adUnit"] for each in request["targeting"]["inventoryTargeting"].get("targetedAdUnits", [])}
            traffic = world.traffic * max(1, len(units))
            end = first.timestamp() + (days - 1) * 86400
            until = datetime.fromtimestamp(end, timezone.utc)
            dates = {"startDate": span["startDate"], "endDate": {"year": until.year, "month": until.month, "day": until.day}}
            series = {"timeSeriesDateRange": dates, "values": [str(traffic)] * days}
            sold = {"timeSeriesDateRange": dates, "values": [str(world.sold_on(units, first.timestamp() + at * 86400)) for at in range(days)]}
            return encode(decode(gam.RunTrafficDataResponse, {"forecastedTimeSeries": series, "forecastedAssignedTimeSeries": sold, "overallDateRange": dates}), ints)
        if kind == "DeliveryForecast":
            request = encode(decode(gam.RunDeliveryForecastRequest, {**body, "parent": net}))
            found = []
            for name in request["existingLineItems"]["lineItems"]:
                line = world.stored["lineItems"].get(name)
                if line is None:
                    raise Refusal(404, "NOT_FOUND", f"{name} does not exist")
                delivered = sum(counts.get("AD_SERVER_IMPRESSIONS", 0) for (owner, _), counts in world.delivery.items() if owner == name)
                found.append({"lineItem": name, "order": line["order"], "unitType": line["goal"]["unitType"], "deliveredUnits": str(delivered), "matchedUnits": line["goal"]["units"], "predictedDeliveryUnits": line["goal"]["units"]})
            return encode(decode(gam.RunDeliveryForecastResponse, {"deliveryForecastResult": {"lineItemDeliveryForecasts": found}}), ints)
        raise Refusal(404, "NOT_FOUND", f"run{kind} does not exist")

    def read(self, rest, path, query, ints):
        world = self.world
        if rest.startswith("operations/reports/runs/"):
            return world.poll(path)
        fetch = re.fullmatch(r"(reports/\d+/results/\d+):fetchRows", rest)
        if fetch:
            found = world.rows(path.removesuffix(":fetchRows"))
            return self.paged(found, query, "rows", gam.FetchReportResultRowsResponse, ints)
        shown = re.fullmatch(r"(lineItems/\d+)/creatives", rest)
        if shown:
            found = [{member: value for member, value in each.items() if member != "manualWeight"} for each in world.stored["associations"].values() if each["lineItem"] == f"{world.network}/{shown.group(1)}"]
            return self.paged(found, query, "lineItemCreativeAssociations", gam.ListLineItemCreativeAssociationsResponse, ints)
        collection = rest.split("/")[0]
        if collection not in CLASSES:
            raise Refusal(404, "NOT_FOUND", f"{path} does not exist")
        cls, response = CLASSES[collection]
        if "/" in rest:
            if path not in world.stored[collection]:
                raise Refusal(404, "NOT_FOUND", f"{path} does not exist")
            return encode(decode(cls, world.stored[collection][path]), ints)
        found = list(filter(reader(query.get("filter", "")), world.stored[collection].values()))
        return self.paged(found, query, collection, getattr(gam, response), ints)

    def paged(self, found, query, member, response, ints):
        size = min(int(query.get("pageSize") or 50), 1000)
        start = int(query.get("pageToken") or 0)
        page = {member: found[start:start + size]}
        if start + size < len(found):
            page["nextPageToken"] = str(start + size)
        return encode(decode(response, page), ints)

    def batch(self, collection, action, body, ints):
        world = self.world
        singular = {"orders": "Order", "lineItems": "LineItem", "companies": "Company"}[collection]
        plural = {"orders": "Orders", "lineItems": "LineItems", "companies": "Companies"}[collection]
        verb = action.removeprefix("batch")
        method = "SubmitOrdersForApproval" if verb == "SubmitForApproval" else f"{verb}{plural}"
        cls = getattr(gam, f"Batch{method}Request", None)
        if cls is None:
            raise Refusal(404, "NOT_FOUND", f"{action} does not exist")
        request = encode(decode(cls, {**body, "parent": world.network}))
        member = singular[0].lower() + singular[1:]
        if verb == "Create":
            create = {"orders": world.create_order, "lineItems": world.create_line, "companies": self.create_company}[collection]
            made = []
            for each in request["requests"]:
                if each.get("parent") != world.network:
                    refuse("INVALID_PARENT", "the parent of each request is that of the batch", "requests.parent")
                made.append(create(each[member]))
            return encode(decode(getattr(gam, f"BatchCreate{plural}Response"), {collection: made}), ints)
        if verb == "Update":
            made = [world.update(collection, each[member], each.get("updateMask", "").split(",")) for each in request["requests"]]
            return encode(decode(getattr(gam, f"BatchUpdate{plural}Response"), {collection: made}), ints)
        world.act(collection, action, request.get("names", []))
        return {}

    def create_company(self, company):
        if not company.get("displayName") or not company.get("type"):
            refuse("REQUIRED", "a display name and a type are required", "company")
        name = self.world.new_name("companies")
        self.world.stored["companies"][name] = {**company, "name": name}
        return self.world.stored["companies"][name]


def camel(path):
    first, *others = path.split("_")
    return first + "".join(other.capitalize() for other in others)


def main():
    options = json.loads(sys.argv[1])
    world = World(options)
    handler = type("Secure", (Handler,), {"world": world})
    secure = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options["cert"], options["certKey"])
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    plain = ThreadingHTTPServer(("127.0.0.1", 0), type("Plain", (Handler,), {"world": world, "open": True}))
    for server in (secure, plain):
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"secure": secure.server_address[1], "plain": plain.server_address[1]}), flush=True)
    # Ends with the program that started it.
    sys.stdin.read()


if __name__ == "__main__":
    main()
