"""Line items of the emulated network as the SOAP API has them: LineItemService over the state that the REST API shows. Hours of a line are in the SOAP API alone."""

from datetime import datetime, timezone
from zoneinfo import ZoneInfo

ROTATIONS = {"EVENLY": "EVEN", "WEIGHTED": "MANUAL"}
CUSTOM = {"STRING": ("stringValue", "TextValue"), "NUMBER": ("numberValue", "NumberValue"), "TOGGLE": ("toggleValue", "BooleanValue")}
# Members of a line of the REST API that the SOAP API has, too: what a request leaves out is gone.
SHARED = {
    "displayName", "externalLineItemId", "startTime", "targetEndTime", "endTime", "creativeRotationType", "deliveryRateType", "roadblockingType", "frequencyCaps", "lineItemType",
    "priority", "rate", "costType", "creativePlaceholders", "environmentType", "appliedLabels", "notes", "customFieldValues", "goal", "targeting",
}
DAYS = {"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"}
MINUTES = {"ZERO": 0, "FIFTEEN": 15, "THIRTY": 30, "FORTY_FIVE": 45}


def listed(value):
    return value if isinstance(value, list) else [] if value is None or value == "" else [value]


def last(name):
    return name.rsplit("/", 1)[1]


def present(members):
    return {name: value for name, value in members.items() if value not in (None, [], {})}


def soap_moment(text, zone):
    at = datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(ZoneInfo(zone))
    return {"date": {"year": at.year, "month": at.month, "day": at.day}, "hour": at.hour, "minute": at.minute, "second": at.second, "timeZoneId": zone}


def rest_moment(value):
    date = value["date"]
    parts = [int(date[part]) for part in ("year", "month", "day")] + [int(value[part]) for part in ("hour", "minute", "second")]
    at = datetime(*parts, tzinfo=ZoneInfo(value["timeZoneId"])).astimezone(timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


class SoapLines:
    """Part of Soap: `world`, `select` and `fail` are its own."""

    def LineItemService_getLineItemsByStatement(self, parameters):
        stored = self.world.stored["lineItems"]
        page = self.select(parameters["filterStatement"], [{"id": last(name), "name": name} for name in stored])
        return {**page, **({"results": [self.soap_line(stored[each["name"]]) for each in page["results"]]} if "results" in page else {})}

    def LineItemService_updateLineItems(self, parameters):
        made = []
        for at, sent in enumerate(listed(parameters.get("lineItems"))):
            name = f"{self.world.network}/lineItems/{sent.get('id')}"
            before = self.world.stored["lineItems"].get(name)
            if before is None:
                self.fail("CommonError.NOT_FOUND", f"lineItems[{at}].id", sent.get("id", ""))
            if before.get("archived"):
                self.fail("LineItemOperationError.NOT_ALLOWED", f"lineItems[{at}]")
            for member in ("orderId", "name", "lineItemType", "costType", "costPerUnit", "creativeRotationType", "creativePlaceholders", "targeting", "primaryGoal"):
                if not sent.get(member):
                    self.fail("RequiredError.REQUIRED", f"lineItems[{at}].{member}")
            hours = sent["targeting"].get("dayPartTargeting")
            self.check_hours(hours, f"lineItems[{at}].targeting.dayPartTargeting")
            new = self.rest_line(sent, before)
            try:
                self.world.check_line(new, before)
            except self.refusal_class as refusal:
                code, field, _ = refusal.errors[0]
                self.fail(f"LineItemError.{code}", field)
            self.world.stored["lineItems"][name] = {**new, "updateTime": self.world.stamp()}
            self.world.hours.pop(name, None)
            if listed((hours or {}).get("dayParts")):
                self.world.hours[name] = {"dayParts": listed(hours["dayParts"]), "timeZone": hours.get("timeZone", "PUBLISHER")}
            made.append(self.soap_line(self.world.stored["lineItems"][name]))
        return made

    def check_hours(self, hours, where):
        taken = {}
        for part in listed((hours or {}).get("dayParts")):
            start, end = (int(part[side]["hour"]) * 60 + MINUTES[part[side]["minute"]] for side in ("startTime", "endTime"))
            if part["dayOfWeek"] not in DAYS or not 0 <= start < 1440 or not 0 < end <= 1440:
                self.fail("DayPartTargetingError.INVALID_HOUR", where)
            if end <= start:
                self.fail("DayPartTargetingError.END_TIME_NOT_AFTER_START_TIME", where)
            for other_start, other_end in taken.setdefault(part["dayOfWeek"], []):
                if start < other_end and other_start < end:
                    self.fail("DayPartTargetingError.TIME_PERIODS_OVERLAP", where)
            taken[part["dayOfWeek"]].append((start, end))

    # As the SOAP API has them, in the order of its schema

    def soap_line(self, line):
        zone, order = self.world.time_zone, self.world.stored["orders"].get(line["order"], {})
        rate = line["rate"]
        micros = int(rate.get("units", 0)) * 1000000 + int(rate.get("nanos", 0)) // 1000
        return present({
            "orderId": last(line["order"]),
            "id": last(line["name"]),
            "name": line["displayName"],
            "externalId": line.get("externalLineItemId"),
            "orderName": order.get("displayName"),
            "startDateTime": soap_moment(line["startTime"], zone),
            "startDateTimeType": "USE_START_DATE_TIME",
            "endDateTime": soap_moment(line["targetEndTime"], zone),
            "autoExtensionDays": 0,
            "unlimitedEndDateTime": "false",
            "creativeRotationType": ROTATIONS.get(line["creativeRotationType"], line["creativeRotationType"]),
            "deliveryRateType": line.get("deliveryRateType"),
            "roadblockingType": line.get("roadblockingType"),
            "frequencyCaps": [{"maxImpressions": each["maxImpressions"], "numTimeUnits": each["timeAmount"], "timeUnit": each["timeUnit"]} for each in line.get("frequencyCaps", [])],
            "lineItemType": line["lineItemType"],
            "priority": line.get("priority"),
            "costPerUnit": {"currencyCode": rate["currencyCode"], "microAmount": micros},
            "costType": line["costType"],
            "discountType": "PERCENTAGE",
            "discount": 0.0,
            "contractedUnitsBought": 0,
            "creativePlaceholders": [{"size": {"width": each["size"]["width"], "height": each["size"]["height"], "isAspectRatio": "false"}, "expectedCreativeCount": 1, "creativeSizeType": "PIXEL"} for each in line["creativePlaceholders"]],
            "environmentType": line.get("environmentType"),
            "skipInventoryCheck": "false",
            "skipCrossSellingRuleWarningChecks": "false",
            "reserveAtCreation": "false",
            "budget": {"currencyCode": rate["currencyCode"], "microAmount": 0},
            "status": line["status"],
            "reservationStatus": line.get("reservationStatus"),
            "isArchived": "true" if line.get("archived") else "false",
            "appliedLabels": [{"labelId": last(each["label"]), "isNegated": "true" if each.get("negated") else "false"} for each in line.get("appliedLabels", [])],
            "notes": line.get("notes"),
            "lastModifiedDateTime": soap_moment(self.world.stamp(), zone),
            "customFieldValues": [self.soap_custom(each) for each in line.get("customFieldValues", [])],
            "isMissingCreatives": "true",
            "primaryGoal": {member: line["goal"][member] for member in ("goalType", "unitType", "units")},
            "targeting": self.soap_targeting(line["targeting"], self.world.hours.get(line["name"])),
        })

    def soap_custom(self, value):
        field = self.world.stored["customFields"][value["customField"]]
        if field["dataType"] == "DROPDOWN":
            return {"@type": "DropDownCustomFieldValue", "customFieldId": last(value["customField"]), "customFieldOptionId": value["value"]["dropdownValue"]}
        member, kind = CUSTOM[field["dataType"]]
        return {"@type": "CustomFieldValue", "customFieldId": last(value["customField"]), "value": {"@type": kind, "value": value["value"][member]}}

    def soap_targeting(self, targeting, hours):
        geo, inventory, technology = (targeting.get(each, {}) for each in ("geoTargeting", "inventoryTargeting", "technologyTargeting"))
        ids = lambda names: [{"id": last(name)} for name in names]
        units = lambda member: [{"adUnitId": last(each["adUnit"]), "includeDescendants": "true" if each.get("includeDescendants") else "false"} for each in inventory.get(member, [])]
        browser, device, system, language = (technology.get(each, {}) for each in ("browserTargeting", "deviceCategoryTargeting", "operatingSystemTargeting", "browserLanguageTargeting"))
        clauses = [self.soap_clause(each) for each in targeting.get("customTargeting", {}).get("customTargetingClauses", [])]
        return present({
            "geoTargeting": present({"targetedLocations": ids(geo.get("targetedGeos", [])), "excludedLocations": ids(geo.get("excludedGeos", []))}),
            "inventoryTargeting": present({"targetedAdUnits": units("targetedAdUnits"), "excludedAdUnits": units("excludedAdUnits"), "targetedPlacementIds": [last(each) for each in inventory.get("targetedPlacements", [])]}),
            "dayPartTargeting": hours,
            "technologyTargeting": present({
                "browserTargeting": browser and {"isTargeted": "true", "browsers": ids(browser["targetedBrowsers"])},
                "browserLanguageTargeting": language and {"isTargeted": "true", "browserLanguages": ids(language["targetedBrowserLanguages"])},
                "deviceCategoryTargeting": present({"targetedDeviceCategories": ids(device.get("targetedCategories", [])), "excludedDeviceCategories": ids(device.get("excludedCategories", []))}),
                "operatingSystemTargeting": system and {"isTargeted": "true", "operatingSystems": ids(system["targetedOperatingSystems"])},
            }),
            "customTargeting": clauses and {"logicalOperator": "OR", "children": clauses},
            "contentTargeting": present({"targetedVideoContentBundleIds": [last(each) for each in targeting.get("contentTargeting", {}).get("targetedContentBundles", [])]}),
            "videoPositionTargeting": present({"targetedPositions": [{"videoPosition": {"positionType": each["positionType"]}} for each in targeting.get("videoPositionTargeting", {}).get("videoPositions", [])]}),
        })

    def soap_clause(self, clause):
        verb = lambda each: "IS_NOT" if each.get("negative") else "IS"
        literals = [{"@type": "CustomCriteria", "keyId": last(each["customTargetingKey"]), "valueIds": [last(value) for value in each["customTargetingValues"]], "operator": verb(each)} for each in clause.get("customTargetingLiterals", [])]
        segments = [{"@type": "AudienceSegmentCriteria", "operator": verb(each), "audienceSegmentIds": [last(name) for name in each["audienceSegments"]]} for each in clause.get("audienceSegmentTargetings", [])]
        return {"@type": "CustomCriteriaSet", "logicalOperator": "AND", "children": [*literals, *segments]}

    # As the REST API has them

    def rest_line(self, sent, before):
        units, nanos = divmod(int(sent["costPerUnit"]["microAmount"]), 1000000)
        rotations = {soap: rest for rest, soap in ROTATIONS.items()}
        end = rest_moment(sent["endDateTime"])
        fields = {last(name): field for name, field in self.world.stored["customFields"].items()}
        return {
            **{member: value for member, value in before.items() if member not in SHARED},
            **present({
                "displayName": sent["name"],
                "externalLineItemId": sent.get("externalId"),
                "startTime": rest_moment(sent["startDateTime"]),
                "targetEndTime": end,
                "endTime": end,
                "creativeRotationType": rotations.get(sent["creativeRotationType"], sent["creativeRotationType"]),
                "deliveryRateType": sent.get("deliveryRateType"),
                "roadblockingType": sent.get("roadblockingType"),
                "frequencyCaps": [{"maxImpressions": str(each["maxImpressions"]), "timeAmount": str(each["numTimeUnits"]), "timeUnit": each["timeUnit"]} for each in listed(sent.get("frequencyCaps"))],
                "lineItemType": sent["lineItemType"],
                "priority": int(sent["priority"]) if sent.get("priority") else None,
                "rate": present({"currencyCode": sent["costPerUnit"]["currencyCode"], "units": str(units), "nanos": nanos * 1000 or None}),
                "costType": sent["costType"],
                "creativePlaceholders": [{"size": {"width": int(each["size"]["width"]), "height": int(each["size"]["height"]), "sizeType": "PIXEL"}} for each in listed(sent["creativePlaceholders"])],
                "environmentType": sent.get("environmentType"),
                "appliedLabels": [present({"label": f"{self.world.network}/labels/{each['labelId']}", "negated": each.get("isNegated") == "true" or None}) for each in listed(sent.get("appliedLabels"))],
                "notes": sent.get("notes"),
                "customFieldValues": [self.rest_custom(each, fields) for each in listed(sent.get("customFieldValues"))],
                "goal": sent["primaryGoal"],
                "targeting": self.rest_targeting(sent["targeting"]),
            }),
        }

    def rest_custom(self, value, fields):
        name = f"{self.world.network}/customFields/{value['customFieldId']}"
        if value["@type"] == "DropDownCustomFieldValue":
            return {"customField": name, "value": {"dropdownValue": value["customFieldOptionId"]}}
        member, _ = CUSTOM[fields[value["customFieldId"]]["dataType"]]
        text = value["value"]["value"]
        return {"customField": name, "value": {member: {"numberValue": float, "toggleValue": lambda each: each.lower() == "true"}.get(member, str)(text)}}

    def rest_targeting(self, sent):
        net = self.world.network
        geo, inventory, technology = (sent.get(each) or {} for each in ("geoTargeting", "inventoryTargeting", "technologyTargeting"))
        names = lambda collection, found: [f"{net}/{collection}/{each['id']}" for each in listed(found)]
        units = lambda member: [present({"adUnit": f"{net}/adUnits/{each['adUnitId']}", "includeDescendants": each.get("includeDescendants") == "true" or None}) for each in listed(inventory.get(member))]
        browser, device, system, language = (technology.get(each) or {} for each in ("browserTargeting", "deviceCategoryTargeting", "operatingSystemTargeting", "browserLanguageTargeting"))
        clauses = [self.rest_clause(each) for each in listed((sent.get("customTargeting") or {}).get("children"))]
        return present({
            "geoTargeting": present({"targetedGeos": names("geoTargets", geo.get("targetedLocations")), "excludedGeos": names("geoTargets", geo.get("excludedLocations"))}),
            "inventoryTargeting": present({"targetedAdUnits": units("targetedAdUnits"), "excludedAdUnits": units("excludedAdUnits"), "targetedPlacements": [f"{net}/placements/{each}" for each in listed(inventory.get("targetedPlacementIds"))]}),
            "technologyTargeting": present({
                "browserTargeting": present({"targetedBrowsers": names("browsers", browser.get("browsers"))}),
                "deviceCategoryTargeting": present({"targetedCategories": names("deviceCategories", device.get("targetedDeviceCategories")), "excludedCategories": names("deviceCategories", device.get("excludedDeviceCategories"))}),
                "operatingSystemTargeting": present({"targetedOperatingSystems": names("operatingSystems", system.get("operatingSystems"))}),
                "browserLanguageTargeting": present({"targetedBrowserLanguages": names("browserLanguages", language.get("browserLanguages"))}),
            }),
            "customTargeting": present({"customTargetingClauses": clauses}),
            "contentTargeting": present({"targetedContentBundles": [f"{net}/contentBundles/{each}" for each in listed((sent.get("contentTargeting") or {}).get("targetedVideoContentBundleIds"))]}),
            "videoPositionTargeting": present({"videoPositions": [{"positionType": each["videoPosition"]["positionType"]} for each in listed((sent.get("videoPositionTargeting") or {}).get("targetedPositions"))]}),
        })

    def rest_clause(self, sent):
        net, found = self.world.network, {"customTargetingLiterals": [], "audienceSegmentTargetings": []}
        for each in listed(sent["children"]):
            negative = {"negative": True} if each["operator"] == "IS_NOT" else {}
            if each["@type"] == "CustomCriteria":
                values = [f"{net}/customTargetingValues/{value}" for value in listed(each["valueIds"])]
                found["customTargetingLiterals"].append({**negative, "customTargetingKey": f"{net}/customTargetingKeys/{each['keyId']}", "customTargetingValues": values})
            else:
                found["audienceSegmentTargetings"].append({**negative, "audienceSegments": [f"{net}/audienceSegments/{value}" for value in listed(each["audienceSegmentIds"])]})
        return present(found)
