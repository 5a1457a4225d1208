"""The books of a buyer that follows reports by the official consumer (adcp.reporting).

Reads one visit a line, a JSON object with `now`, the `days` that the buyer expects and the `configs` that it sent. At each visit the consumer reads the
whole ledger and evaluates it, the books are repaired by `changes_after`, and the rows of every new report are read and their digest is computed. Prints
one JSON object a line: the verdict for each of `configs`, how many records were `repaired`, how many reports were `read`, the `sums` of impressions of the
reports of each day, and the lists of the books that are `unequal` to the whole ledger.

    python reporting_consumer.py --mcp http://127.0.0.1:3000/mcp --account acc_1

The key is read from AGENT_KEY.
"""

import argparse
import asyncio
import json
import os
import sys
from datetime import datetime, timedelta

from adcp import ADCPClient, AgentConfig, GetMediaBuyDeliveryRequest, Protocol
from adcp.reporting import ExpectedReportingPeriod, load_reporting_ledger, reconcile_reporting_core
from adcp.reporting.ledger import ReportingControlTotalRecord, revision_content_sha256
from adcp.reporting.source import iso_duration_milliseconds_v1
from adcp.types import GetReportingStatusRequest

LISTS = {"periods": "reporting_obligation_id", "revisions": "reporting_revision_id", "adjustments": "reporting_adjustment_id"}


def plain(value):
    """A model of the client as JSON values."""
    return value.model_dump(mode="json", exclude_none=True)


def records_of(ledger):
    """The records of a whole ledger by list and id."""
    lists = {"periods": ledger.obligations, "revisions": ledger.revisions, "adjustments": ledger.adjustments}
    return {name: {getattr(each, LISTS[name]): plain(each) for each in rows} for name, rows in lists.items()}


class Visit:
    """One visit; `books` are the buyer's own."""

    def __init__(self, client, account, books, asked):
        self.client = client
        self.account = account
        self.now = datetime.fromisoformat(asked["now"].replace("Z", "+00:00"))
        self.days = asked["days"]
        self.configs = asked["configs"]
        self.books = books

    def request(self, **more):
        return GetReportingStatusRequest.model_validate({"account": {"account_id": self.account}, "view": "periods", **more})

    def expected(self, config):
        """The days that the buyer expects, from its own configuration and orders, not from the ledger."""
        due = timedelta(milliseconds=iso_duration_milliseconds_v1(config["schedule"]["delivery_sla"]))
        for day in self.days:
            start = datetime.fromisoformat(f"{day}T00:00:00+00:00")
            end = start + timedelta(days=1)
            yield ExpectedReportingPeriod(
                delivery_config_id=config["delivery_config_id"],
                delivery_config_version=config["delivery_config_version"],
                report_definition_id=config["report_definition_id"],
                feed_purpose=config["feed_purpose"],
                reporting_profile=config["reporting_profile"],
                media_buy_ids=tuple(config["media_buy_ids"]),
                period_start=start.isoformat(),
                period_end=end.isoformat(),
                expected_at=(end + due).isoformat(),
            )

    async def verdict(self, config):
        """What the consumer makes of one configuration over the days."""
        expected = list(self.expected(config))
        period = {"start": expected[0].period_start, "end": expected[-1].period_end}
        request = self.request(delivery_config_ids=[config["delivery_config_id"]], period=period, pagination={"max_results": 2})
        result = await reconcile_reporting_core(self.client, request, expected_periods=expected, now=self.now)
        day_of = {each.reporting_obligation_id: each.period.start.date().isoformat() for each in result.ledger.obligations}
        reasons = {day_of[each.reporting_obligation_id]: list(each.reasons) for each in result.obligations}
        return {"definitive": result.definitive, "missing": len(result.missing_expected_periods), "reasons": reasons}

    async def repair(self):
        """Brings the books up to date by the checkpoint of the visit before. Returns how many records came, by list."""
        came = dict.fromkeys(LISTS, 0)
        since, cursor = self.books.get("checkpoint"), None
        while True:
            page = {"max_results": 3, **({"cursor": cursor} if cursor else {})}
            result = await self.client.get_reporting_status(self.request(pagination=page, **({"changes_after": since} if since else {})))
            if not result.success:
                raise RuntimeError(result.error or result.message)
            for name, identity in LISTS.items():
                for each in map(plain, getattr(result.data, name) or []):
                    came[name] += 1
                    known = self.books[name].get(each[identity])
                    if name != "periods" and known not in (None, each):
                        raise RuntimeError(f"{each[identity]} is not what it was")
                    self.books[name][each[identity]] = each
            self.books["checkpoint"] = result.data.changes_checkpoint
            cursor = result.data.pagination.cursor
            if not cursor:
                return came

    async def read(self, revision):
        """The rows of a report page by page; the digest is computed by the package from what was read."""
        rows, cursor = [], None
        while True:
            page = {"max_results": 1, **({"cursor": cursor} if cursor else {})}
            asked = {"account": {"account_id": self.account}, "reporting_revision_id": revision["reporting_revision_id"], "pagination": page}
            result = await self.client.get_media_buy_delivery(GetMediaBuyDeliveryRequest.model_validate(asked))
            if not result.success:
                raise RuntimeError(result.error or result.message)
            answer = plain(result.data)
            rows += answer["reporting_rows"]
            cursor = answer["pagination"].get("cursor")
            if not cursor:
                break
        totals = answer["reporting_revision"]["control_totals"]
        digest = revision_content_sha256(
            reporting_revision_id=revision["reporting_revision_id"],
            row_count=len(rows),
            control_totals=[(each["name"], each["value"]) for each in totals],
            reporting_rows=rows,
            control_total_evidence=[ReportingControlTotalRecord(**each) for each in totals],
        )
        if digest != revision["revision_content_sha256"]:
            raise RuntimeError(f"the rows of {revision['reporting_revision_id']} have another digest: {digest}")
        return sum(row["metrics"]["impressions"] for row in rows)

    async def whole(self):
        configs = {}
        for config in self.configs:
            configs[config["delivery_config_id"]] = await self.verdict(config)
        repaired = await self.repair()
        ledger = records_of(await load_reporting_ledger(self.client, self.request()))
        fresh = [each for key, each in self.books["revisions"].items() if key not in self.books["read"]]
        for revision in fresh:
            self.books["read"][revision["reporting_revision_id"]] = await self.read(revision)
        sums = {}
        for key, revision in self.books["revisions"].items():
            sums.setdefault(revision["period"]["start"][:10], []).append([revision["finality"], self.books["read"][key]])
        unequal = [name for name in ("revisions", "adjustments") if ledger[name] != self.books[name]]
        if ledger["periods"].keys() != self.books["periods"].keys():
            unequal.append("periods")
        return {"configs": configs, "repaired": repaired, "read": len(fresh), "sums": sums, "unequal": unequal}


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mcp", required=True)
    parser.add_argument("--account", required=True)
    arguments = parser.parse_args()
    config = AgentConfig(
        id="seller",
        agent_uri=arguments.mcp,
        protocol=Protocol.MCP,
        auth_token=os.environ["AGENT_KEY"],
        auth_header="Authorization",
        auth_type="bearer",
        timeout=120.0,
    )
    books = {"read": {}, **{name: {} for name in LISTS}}
    async with ADCPClient(config, adcp_version="3.2") as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            report = await Visit(client, arguments.account, books, json.loads(line)).whole()
            print(json.dumps(report), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
