"""The SOAP API of the emulated network: creatives, their associations with line items, availability, and line items, over the state that the REST API shows."""

import re
import xml.etree.ElementTree as ElementTree
from datetime import datetime
from xml.sax.saxutils import escape
from zoneinfo import ZoneInfo

from soap_lines import SoapLines

ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
TYPES = {"ImageCreative", "ImageRedirectCreative", "ThirdPartyCreative", "Html5Creative", "VastRedirectCreative", "VideoRedirectCreative", "TemplateCreative"}
REQUIRED = {
    "ImageCreative": ["primaryImageAsset"],
    "ImageRedirectCreative": ["imageUrl"],
    "ThirdPartyCreative": ["snippet"],
    "Html5Creative": ["html5Asset"],
    "VastRedirectCreative": ["vastXmlUrl", "vastRedirectType", "duration"],
    "VideoRedirectCreative": ["videoAssets", "duration"],
    "TemplateCreative": ["creativeTemplateId"],
}
READ_ONLY = {"previewUrl", "policyLabels", "lastModifiedDateTime", "sslScanResult"}


class Fault(Exception):
    """An ApiException: a kind of error of the API, and where."""

    def __init__(self, error, field="", trigger="", status=500):
        super().__init__(error)
        self.error, self.field, self.trigger, self.status = error, field, trigger, status


def local(tag):
    return tag.rsplit("}", 1)[-1]


def read(element):
    """An element as text, or as its children by name; several of one name are a list."""
    kind = element.get(f"{{{XSI}}}type")
    children = list(element)
    if not children and kind is None:
        return element.text or ""
    value = {"@type": kind.rsplit(":", 1)[-1]} if kind else {}
    for child in children:
        name, found = local(child.tag), read(child)
        value[name] = [*value[name], found] if isinstance(value.get(name), list) else [value[name], found] if name in value else found
    return value


def write(name, value):
    if isinstance(value, list):
        return "".join(write(name, each) for each in value)
    if isinstance(value, dict):
        kind = f' xsi:type="ns:{value["@type"]}"' if "@type" in value else ""
        return f"<{name}{kind}>{''.join(write(member, each) for member, each in value.items() if member != '@type')}</{name}>"
    return f"<{name}>{escape(str(value))}</{name}>"


def moment(value):
    """A DateTime of a zone, as seconds."""
    date = value["date"]
    try:
        zone = ZoneInfo(value["timeZoneId"])
    except (KeyError, ValueError) as error:
        raise Fault("DateTimeError.INVALID_TIME_ZONE", "timeZoneId", value["timeZoneId"]) from error
    return datetime(*(int(date[part]) for part in ("year", "month", "day")), *(int(value[part]) for part in ("hour", "minute", "second")), tzinfo=zone).timestamp()


def listed(value):
    return value if isinstance(value, list) else [] if value is None else [value]


class Soap(SoapLines):
    def __init__(self, world, refusal_class):
        self.world = world
        self.version = "v202608"
        # What the checks of the REST API throw.
        self.refusal_class = refusal_class

    def fail(self, error, field="", trigger=""):
        raise Fault(error, field, trigger)

    def answer(self, path, body):
        self.version, service = path.removeprefix("/apis/ads/publisher/").split("/")
        try:
            root = ElementTree.fromstring(body)
            header, content = root.find(f"{{{ENVELOPE}}}Header"), root.find(f"{{{ENVELOPE}}}Body")
            request = read(header[0])
            if local(header[0].tag) != "RequestHeader" or f"networks/{request['networkCode']}" != self.world.network:
                raise Fault("AuthenticationError.NETWORK_NOT_FOUND")
            if not request.get("applicationName"):
                raise Fault("AuthenticationError.INVALID_USER_AGENT")
            method = local(content[0].tag)
            handler = getattr(self, f"{service}_{method}", None)
            if handler is None:
                raise Fault("InternalApiError.UNEXPECTED_INTERNAL_API_ERROR", trigger=f"{service}.{method}")
            if method == "performLineItemCreativeAssociationAction":
                parameters = {local(each.tag): read(each) or {"@type": each.get(f"{{{XSI}}}type", "").rsplit(":", 1)[-1]} for each in content[0]}
            else:
                parameters = read(content[0]) or {}
            results = handler(parameters)
            return 200, self.envelope(f'<{method}Response xmlns="{self.namespace()}">{write("rval", results)}</{method}Response>')
        except Fault as fault:
            return fault.status, self.fault(fault)

    def refusal(self, path, error):
        """What the API says instead of an answer, e.g. that the quota is used up."""
        self.version = path.removeprefix("/apis/ads/publisher/").split("/")[0]
        return self.fault(Fault(error))

    def namespace(self):
        return f"https://www.google.com/apis/ads/publisher/{self.version}"

    def envelope(self, body):
        return f'<soap:Envelope xmlns:soap="{ENVELOPE}" xmlns:xsi="{XSI}" xmlns:ns="{self.namespace()}"><soap:Header><ResponseHeader xmlns="{self.namespace()}"><requestId>1</requestId><responseTime>1</responseTime></ResponseHeader></soap:Header><soap:Body>{body}</soap:Body></soap:Envelope>'

    def fault(self, fault):
        error = {"@type": fault.error.split(".")[0], "fieldPath": fault.field, "trigger": fault.trigger, "errorString": fault.error}
        reason = fault.error.split(".")[1]
        detail = f'<ApiExceptionFault xmlns="{self.namespace()}"><message>[{escape(fault.error)}]</message>{write("errors", {**error, "reason": reason})}</ApiExceptionFault>'
        return self.envelope(f"<soap:Fault><faultcode>soap:Server</faultcode><faultstring>[{escape(fault.error)} @ {escape(fault.field)}]</faultstring><detail>{detail}</detail></soap:Fault>")

    # Statements

    def select(self, statement, found):
        """WHERE terms joined by AND, each `a = :bound`, `a = 1` or `a IN (1, 2)`; ORDER BY; LIMIT and OFFSET."""
        query = statement.get("query", "")
        bound = {each["key"]: each["value"]["value"] for each in listed(statement.get("values"))}
        parsed = re.fullmatch(r"\s*(?:WHERE (?P<where>.*?))?(?: ORDER BY (?P<order>[\w, ]+?))?(?: LIMIT (?P<limit>\d+))?(?: OFFSET (?P<offset>\d+))?\s*", query)
        if not parsed:
            raise Fault("PublisherQueryLanguageSyntaxError.UNPARSABLE", "filterStatement", query)
        for term in (parsed["where"] or "").split(" AND ") if parsed["where"] else []:
            matched = re.fullmatch(r"(\w+) (?:= (:\w+|\d+)|IN \(([\d, ]+)\))", term)
            if not matched:
                raise Fault("PublisherQueryLanguageSyntaxError.UNPARSABLE", "filterStatement", term)
            member, one, some = matched.groups()
            wanted = set(some.split(", ")) if some else {bound[one[1:]] if one.startswith(":") else one}
            found = [each for each in found if str(each.get(member)) in wanted]
        start = int(parsed["offset"] or 0)
        page = found[start:start + int(parsed["limit"] or 500)]
        return {"totalResultSetSize": len(found), "startIndex": start, **({"results": page} if page else {})}

    # Creatives

    def check(self, creative):
        kind = creative.get("@type")
        if kind not in TYPES:
            raise Fault("CreativeError.INVALID_TYPE", "creative", str(kind))
        for member in ("advertiserId", "name", "size", *REQUIRED[kind]):
            if not creative.get(member):
                raise Fault("RequiredError.REQUIRED", f"creatives[0].{member}")
        if len(creative["name"]) > 255:
            raise Fault("StringLengthError.TOO_LONG", "creatives[0].name")
        if f"{self.world.network}/companies/{creative['advertiserId']}" not in self.world.stored["companies"]:
            raise Fault("CommonError.NOT_FOUND", "creatives[0].advertiserId", creative["advertiserId"])
        if READ_ONLY & set(creative):
            raise Fault("ReadOnlyError.READ_ONLY", "creatives[0]")
        if kind in ("ImageCreative", "ImageRedirectCreative") and not creative.get("destinationUrl") and creative.get("destinationUrlType") != "NONE":
            raise Fault("RequiredError.REQUIRED", "creatives[0].destinationUrl")

    def keep(self, creative):
        """As the API gives it back: files have an id and no bytes."""
        for member in ("primaryImageAsset", "html5Asset"):
            asset = creative.get(member)
            if isinstance(asset, dict) and "assetByteArray" in asset:
                self.world.next_id += 1
                creative = {**creative, member: {"assetId": str(self.world.next_id), "fileName": asset.get("fileName", ""), "fileSize": len(asset["assetByteArray"]) * 3 // 4}}
        self.world.soap_creatives[creative["id"]] = creative
        name = f"{self.world.network}/creatives/{creative['id']}"
        self.world.stored["creatives"][name] = {"name": name, "displayName": creative["name"], "advertiser": f"{self.world.network}/companies/{creative['advertiserId']}"}
        return creative

    def CreativeService_createCreatives(self, parameters):
        made = []
        for creative in listed(parameters.get("creatives")):
            self.check(creative)
            self.world.next_id += 1
            made.append(self.keep({"@type": creative["@type"], "advertiserId": creative["advertiserId"], "id": str(self.world.next_id), **{name: value for name, value in creative.items() if name != "@type"}}))
        return made

    def CreativeService_updateCreatives(self, parameters):
        made = []
        for creative in listed(parameters.get("creatives")):
            before = self.world.soap_creatives.get(creative.get("id"))
            if before is None:
                raise Fault("CommonError.NOT_FOUND", "creatives[0].id", creative.get("id", ""))
            if before["@type"] != creative["@type"] or before["size"] != creative["size"]:
                raise Fault("CreativeError.CANNOT_UPDATE_TYPE_OR_SIZE", "creatives[0]")
            self.check(creative)
            made.append(self.keep(creative))
        return made

    def CreativeService_getCreativesByStatement(self, parameters):
        # Those that people made by hand have no more than their names.
        others = [{"@type": "ImageCreative", "id": name.rsplit("/", 1)[1], "name": each.get("displayName", "")} for name, each in self.world.stored["creatives"].items() if name.rsplit("/", 1)[1] not in self.world.soap_creatives]
        return self.select(parameters["filterStatement"], [*self.world.soap_creatives.values(), *others])

    # Forecasts

    def ForecastService_getAvailabilityForecast(self, parameters):
        line = parameters["lineItem"]["lineItem"]
        where = "lineItem.lineItem"
        for member in ("endDateTime", "lineItemType", "creativePlaceholders", "targeting", "primaryGoal"):
            if not line.get(member):
                raise Fault("RequiredError.REQUIRED", f"{where}.{member}")
        if line["lineItemType"] != "STANDARD" or line["primaryGoal"].get("goalType") != "LIFETIME":
            raise Fault("LineItemError.INVALID_LINE_ITEM_TYPE", f"{where}.lineItemType")
        starts = self.now() if line.get("startDateTimeType") == "IMMEDIATELY" else moment(line["startDateTime"])
        ends = moment(line["endDateTime"])
        if ends <= max(starts, self.now()):
            raise Fault("DateTimeRangeTargetingError.END_DATE_TIME_NOT_AFTER_START_TIME", f"{where}.endDateTime")
        targeting = line["targeting"]
        units = {each["adUnitId"] for each in listed(targeting["inventoryTargeting"].get("targetedAdUnits"))}
        self.known("adUnits", units, f"{where}.targeting.inventoryTargeting")
        placements = set(listed(targeting["inventoryTargeting"].get("targetedPlacementIds")))
        self.known("placements", placements, f"{where}.targeting.inventoryTargeting")
        places = {each["id"] for each in listed((targeting.get("geoTargeting") or {}).get("targetedLocations"))}
        self.known("geoTargets", places, f"{where}.targeting.geoTargeting")
        self.check_hours(targeting.get("dayPartTargeting"), f"{where}.targeting.dayPartTargeting")
        parts = listed((targeting.get("dayPartTargeting") or {}).get("dayParts"))
        # Traffic is the same at every hour of the week.
        hours = sum(int(each["endTime"]["hour"]) - int(each["startTime"]["hour"]) for each in parts) if parts else 168
        days = max(1, round((ends - starts) / 86400))
        traffic = self.world.traffic * max(1, len(units) + len(placements)) * days * hours // 168
        # A targeted place has a tenth of the traffic.
        matched = traffic * len(places) // 10 if places else traffic
        names = {f"{self.world.network}/adUnits/{unit}" for unit in units}
        sold = sum(self.world.sold_on(names, starts + at * 86400) for at in range(days))
        reserved = min(matched, sold * len(places) // 10 if places else sold)
        goal = line["primaryGoal"]["unitType"]
        return {"unitType": goal, "availableUnits": matched - reserved, "deliveredUnits": 0, "matchedUnits": matched, "possibleUnits": matched, "reservedUnits": int(line["primaryGoal"]["units"])}

    def now(self):
        return self.world.now()

    def known(self, collection, ids, where):
        for each in ids:
            if f"{self.world.network}/{collection}/{each}" not in self.world.stored[collection]:
                raise Fault("CommonError.NOT_FOUND", where, each)

    # Associations

    def all(self):
        return [self.shown(each) for each in self.world.stored["associations"].values()]

    def shown(self, association):
        line, creative = (association[member].rsplit("/", 1)[1] for member in ("lineItem", "creative"))
        return {"lineItemId": line, "creativeId": creative, "manualCreativeRotationWeight": association.get("manualWeight", 10.0), "status": association["status"]}

    def find(self, each, at=0):
        net = self.world.network
        line, creative = f"{net}/lineItems/{each['lineItemId']}", f"{net}/creatives/{each['creativeId']}"
        return f"{line}/creatives/{each['creativeId']}", line, creative

    def LineItemCreativeAssociationService_createLineItemCreativeAssociations(self, parameters):
        world, made = self.world, []
        for each in listed(parameters.get("lineItemCreativeAssociations")):
            name, line, creative = self.find(each)
            own, there = world.stored["lineItems"].get(line), world.soap_creatives.get(each["creativeId"])
            if own is None or there is None:
                raise Fault("CommonError.NOT_FOUND", "lineItemCreativeAssociations[0]")
            if name in world.stored["associations"]:
                raise Fault("CommonError.ALREADY_EXISTS", "lineItemCreativeAssociations[0]")
            if world.stored["orders"][own["order"]]["advertiser"].rsplit("/", 1)[1] != there["advertiserId"]:
                raise Fault("LineItemCreativeAssociationError.CREATIVE_IN_WRONG_ADVERTISERS_LIBRARY", "lineItemCreativeAssociations[0].creativeId")
            sizes = {(str(place["size"]["width"]), str(place["size"]["height"])) for place in own["creativePlaceholders"]}
            shown = listed(each.get("sizes")) or [there["size"]]
            if not {(size["width"], size["height"]) for size in shown} & sizes:
                raise Fault("LineItemCreativeAssociationError.INVALID_LINEITEM_CREATIVE_PAIRING", "lineItemCreativeAssociations[0]")
            world.stored["associations"][name] = {"name": name, "lineItem": line, "creative": creative, "status": "ACTIVE", "manualWeight": float(each.get("manualCreativeRotationWeight", 10))}
            made.append(self.shown(world.stored["associations"][name]))
            self.served(line)
        return made

    def LineItemCreativeAssociationService_updateLineItemCreativeAssociations(self, parameters):
        made = []
        for each in listed(parameters.get("lineItemCreativeAssociations")):
            name, _, _ = self.find(each)
            if name not in self.world.stored["associations"]:
                raise Fault("CommonError.NOT_FOUND", "lineItemCreativeAssociations[0]")
            self.world.stored["associations"][name]["manualWeight"] = float(each["manualCreativeRotationWeight"])
            made.append(self.shown(self.world.stored["associations"][name]))
        return made

    def LineItemCreativeAssociationService_getLineItemCreativeAssociationsByStatement(self, parameters):
        return self.select(parameters["filterStatement"], self.all())

    def LineItemCreativeAssociationService_performLineItemCreativeAssociationAction(self, parameters):
        states = {"ActivateLineItemCreativeAssociations": "ACTIVE", "DeactivateLineItemCreativeAssociations": "INACTIVE"}
        state = states[parameters["lineItemCreativeAssociationAction"]["@type"]]
        chosen = listed(self.select(parameters["filterStatement"], self.all()).get("results"))
        for each in chosen:
            name, line, _ = self.find(each)
            self.world.stored["associations"][name]["status"] = state
            self.served(line)
        return {"numChanges": len(chosen)}

    def served(self, line):
        own = self.world.stored["lineItems"][line]
        if own["status"] in ("READY", "DELIVERING", "INACTIVE"):
            own["status"] = self.world.running_status(own)
