"""Media buys from discovery to cancellation with the official AdCP client for Python.

Calls every task that a buyer needs, once for each transport and pinned release, and prints one JSON object: `runs`, each with `steps` (the
outcome of each task in order; the first that fails ends the run), the `products` that reached the client, and the ids of its `media_buys`.

    python whole_buy.py --mcp http://127.0.0.1:3000/mcp --a2a http://127.0.0.1:3000 --pins none,3.1 --brief "…"

The key is read from AGENT_KEY.
"""

import argparse
import asyncio
import json
import logging
import os
import uuid
import warnings
from datetime import datetime, timedelta, timezone

from adcp import (
    ADCPClient,
    AgentConfig,
    CreateMediaBuyRequest,
    GetMediaBuyDeliveryRequest,
    GetMediaBuysRequest,
    GetProductsRequest,
    LegacySyncCreativesRequest,
    ListCreativesRequest,
    Protocol,
    SyncAccountsRequest,
    SyncCreativesRequest,
    UpdateMediaBuyRequest,
)

MAIN_SLOT = {
    "image": "image_main",
    "video_hosted": "video_main",
    "audio_hosted": "audio_main",
}


class StepFailed(Exception):
    """The client did not report the success of a task."""


def key(name: str) -> str:
    """A new idempotency key."""
    return f"{name}-{uuid.uuid4()}"


def plain(value):
    """A model of the client as JSON values."""
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


class WholeBuy:
    """The calls of one buy; `report` is what the run prints."""

    def __init__(self, client: ADCPClient, brief: str, name: str, all_products: bool):
        self.client = client
        self.all_products = all_products
        self.brief = brief
        self.name = name
        self.account = {"brand": {"domain": f"{name}.example"}, "operator": "agency.example"}
        # Formats as sellers of 3.0 name them, by option: the client keeps them beside its models.
        self.legacy_refs = {}
        self.report = {"steps": [], "products": [], "media_buys": []}

    async def step(self, name: str, call):
        """Awaits a call and records its outcome. Returns the data; raises StepFailed."""
        result = await call
        for product in getattr(result.data, "products", None) or []:
            for option in product.format_options or []:
                self.legacy_refs[option.format_option_id] = [plain(ref) for ref in option.legacy_format_refs]
        data = plain(result.data)
        diagnostics = ((result.metadata or {}).get("projection") or {}).get("diagnostics", [])
        step = {"name": name, "success": bool(result.success), "status": str(getattr(result.status, "value", result.status))}
        if not result.success:
            step["error"] = str(result.error or result.message)
            step["adcp_error"] = plain(result.adcp_error)
        if diagnostics:
            step["diagnostics"] = diagnostics
        self.report["steps"].append(step)
        if not result.success or data is None:
            raise StepFailed(name)
        return data

    def note(self, **facts):
        """Adds facts to the last step."""
        self.report["steps"][-1].update(facts)

    async def discover(self):
        capabilities = await self.client.fetch_capabilities()
        self.report["steps"].append({"name": "get_adcp_capabilities", "success": capabilities is not None, "status": "completed"})
        self.note(tools=len(await self.client.list_tools()))

    async def products(self):
        request = GetProductsRequest.model_validate({"buying_mode": "brief", "brief": self.brief, "pagination": {"max_results": 100}})
        data = await self.step("get_products", self.client.get_products(request))
        self.report["products"] = [
            {
                "product_id": product["product_id"],
                "format_options": product.get("format_options", []),
                "placements": product.get("placements", []),
            }
            for product in data["products"]
        ]
        return data["products"]

    async def feed(self):
        """All products, page by page: every format that the publisher sells has to reach the client."""
        cursor = None
        while True:
            page = {"max_results": 50, **({"cursor": cursor} if cursor else {})}
            request = GetProductsRequest.model_validate({"buying_mode": "wholesale", "pagination": page})
            data = await self.step("wholesale", self.client.get_products(request))
            self.note(products=[product["product_id"] for product in data["products"]])
            cursor = (data.get("pagination") or {}).get("cursor")
            if not cursor:
                return

    async def accounts(self):
        request = SyncAccountsRequest.model_validate(
            {"idempotency_key": key("accounts"), "accounts": [{**self.account, "billing": "operator"}]}
        )
        data = await self.step("sync_accounts", self.client.sync_accounts(request))
        self.note(accounts=[{"action": row.get("action"), "status": row.get("status")} for row in data["accounts"]])

    async def create(self, products):
        """A package of each product, and one that narrows the first product to one of its formats."""
        packages = [package_for(product) for product in products]
        chosen = uploadable(products[0])[0]
        option_ref = {"scope": "product", "format_option_id": chosen["format_option_id"]}
        packages.append({**packages[0], "format_option_refs": [option_ref]})
        start = datetime.now(timezone.utc) + timedelta(days=2)
        request = CreateMediaBuyRequest.model_validate(
            {
                "idempotency_key": key("create"),
                "account": self.account,
                "brand": self.account["brand"],
                "start_time": start.isoformat(),
                "end_time": (start + timedelta(days=14)).isoformat(),
                "packages": packages,
            }
        )
        data = await self.step("create_media_buy", self.client.create_media_buy(request))
        self.report["media_buys"].append(data["media_buy_id"])
        self.note(media_buy_id=data["media_buy_id"], media_buy_status=data.get("media_buy_status"))
        return data["media_buy_id"], [each["package_id"] for each in data["packages"]], packages[0]["budget"]

    async def listed(self, media_buy_id):
        request = GetMediaBuysRequest.model_validate({"account": self.account, "media_buy_ids": [media_buy_id]})
        data = await self.step("get_media_buys", self.client.get_media_buys(request))
        self.note(media_buys=[row["media_buy_id"] for row in data["media_buys"]])
        return data["media_buys"][0]

    async def update(self, media_buy_id, package_id, revision, budget):
        request = UpdateMediaBuyRequest.model_validate(
            {
                "idempotency_key": key("update"),
                "account": self.account,
                "media_buy_id": media_buy_id,
                "revision": revision,
                "packages": [{"package_id": package_id, "budget": budget + 100}],
            }
        )
        data = await self.step("update_media_buy", self.client.update_media_buy(request))
        self.note(sent=budget + 100, revision=data.get("revision"))

    async def creatives(self, products, package_ids):
        """One creative for each option of each product that takes an image, a video or a sound, in the canonical slots."""
        creatives, assignments = [], []
        for product, package_id in zip(products, package_ids):
            for option in uploadable(product):
                creative = creative_for(option, len(creatives), self.name)
                creatives.append(creative)
                assignments.append({"creative_id": creative["creative_id"], "package_id": package_id})
        body = {"idempotency_key": key("creatives"), "account": self.account, "creatives": creatives, "assignments": assignments}
        if self.client.get_adcp_version() == "3.0":
            # Pinned to 3.0 this client names formats twice and refuses its own request; its way to such sellers is the call in their words.
            legacy = LegacySyncCreativesRequest.model_validate({**body, "creatives": [self.in_words_of_3_0(each) for each in creatives]})
            call = self.client.sync_creatives_legacy(legacy)
        else:
            call = self.client.sync_creatives(SyncCreativesRequest.model_validate(body))
        data = await self.step("sync_creatives", call)
        self.note(
            creatives=[
                {name: row.get(name) for name in ("creative_id", "action", "status", "warnings", "errors", "assigned_to", "assignment_errors")}
                for row in data["creatives"]
            ]
        )
        ids = [each["creative_id"] for each in creatives]
        listing = ListCreativesRequest.model_validate({"account": self.account, "filters": {"creative_ids": ids}})
        data = await self.step("list_creatives", self.client.list_creatives(listing))
        self.note(
            sent=[{"creative_id": each["creative_id"], "format_kind": each["format_kind"]} for each in creatives],
            creatives=[
                {"creative_id": row["creative_id"], "format_kind": row.get("format_kind"), "status": row.get("status")}
                for row in data["creatives"]
            ],
        )

    def in_words_of_3_0(self, creative):
        """A creative with the format as a seller of 3.0 names it, and with the same canonical slots."""
        rest = {name: value for name, value in creative.items() if name not in ("format_kind", "format_option_ref")}
        return {**rest, "format_id": self.legacy_refs[creative["format_option_ref"]["format_option_id"]][0]}

    async def delivery(self, media_buy_id):
        request = GetMediaBuyDeliveryRequest.model_validate({"account": self.account, "media_buy_ids": [media_buy_id]})
        data = await self.step("get_media_buy_delivery", self.client.get_media_buy_delivery(request))
        self.note(media_buys=[row["media_buy_id"] for row in data["media_buy_deliveries"]])

    async def cancel(self, media_buy_id, revision):
        request = UpdateMediaBuyRequest.model_validate(
            {
                "idempotency_key": key("cancel"),
                "account": self.account,
                "media_buy_id": media_buy_id,
                "revision": revision,
                "canceled": True,
                "cancellation_reason": "the end of the test",
            }
        )
        data = await self.step("cancel", self.client.update_media_buy(request))
        self.note(media_buy_status=data.get("media_buy_status"))

    async def run(self):
        await self.discover()
        products = await self.products()
        if self.all_products:
            await self.feed()
        await self.accounts()
        chosen = one_of_each_kind(products)
        media_buy_id, package_ids, budget = await self.create(chosen)
        row = await self.listed(media_buy_id)
        await self.update(media_buy_id, package_ids[0], row["revision"], budget)
        await self.creatives(chosen, package_ids)
        await self.delivery(media_buy_id)
        row = await self.listed(media_buy_id)
        await self.cancel(media_buy_id, row["revision"])


def uploadable(product):
    """The seller's own format options of a product that demand one file of the buyer's and nothing else.

    Of the official format ids that an answer of 3.1 has beside them, the client makes options of its own, without sizes.
    """

    def demanded(option):
        slots = (option.get("params") or {}).get("slots") or []
        return {slot["asset_group_id"] for slot in slots if slot.get("required")}

    options = [option for option in product.get("format_options", []) if option["format_kind"] in MAIN_SLOT]
    options = [option for option in options if not option["format_option_id"].startswith("migrated_")]
    return [option for option in options if demanded(option) <= {MAIN_SLOT[option["format_kind"]]}]


def one_of_each_kind(products):
    """For images, video and sound the first product that sells them by the thousand, in dollars."""
    chosen = {}
    for product in products:
        price = product["pricing_options"][0]
        if price["pricing_model"] != "cpm" or price["currency"] != "USD":
            continue
        for option in uploadable(product):
            chosen.setdefault(option["format_kind"], product)
    missing = MAIN_SLOT.keys() - chosen.keys()
    if missing:
        raise LookupError(f"no product takes {', '.join(sorted(missing))}")
    return list(chosen.values())


def package_for(product):
    """A package that is above the product's minimum and bids where there is no price."""
    option = product["pricing_options"][0]
    package = {
        "product_id": product["product_id"],
        "pricing_option_id": option["pricing_option_id"],
        "budget": max(1000.0, 2 * (option.get("min_spend_per_package") or 0)),
    }
    if option.get("fixed_price") is None:
        package["bid_price"] = 2 * (option.get("floor_price") or 10)
    return package


def creative_for(option, index, name):
    """A creative for a format option, with its assets under the names of the canonical slots."""
    params = option.get("params") or {}
    kind = option["format_kind"]
    width = params.get("width", params.get("min_width", 1080))
    height = params.get("height", params.get("min_height", width))
    length = params.get("duration_ms_exact", (params.get("duration_ms_range") or [15000])[0])
    if kind == "image":
        asset = {"asset_type": "image", "url": "https://ads.example/a.png", "width": width, "height": height, "format": "png"}
    elif kind == "video_hosted":
        size = {"width": width, "height": height, "duration_ms": length}
        asset = {"asset_type": "video", "url": "https://ads.example/a.mp4", "container_format": "mp4", **size}
    else:
        asset = {"asset_type": "audio", "url": "https://ads.example/a.mp3", "container_format": "mp3", "duration_ms": length}
    return {
        "creative_id": f"{name}-{index}",
        "name": f"Coffee {index}",
        "format_kind": kind,
        "format_option_ref": {"scope": "product", "format_option_id": option["format_option_id"]},
        "assets": {
            MAIN_SLOT[kind]: asset,
            "landing_page_url": {"asset_type": "url", "url": "https://coffee.example/"},
        },
    }


async def one_run(arguments, protocol: str, pin: str):
    """One whole buy with a client of its own; gives its report."""
    config = AgentConfig(
        id="seller",
        agent_uri=arguments.mcp if protocol == "mcp" else arguments.a2a,
        protocol=Protocol.MCP if protocol == "mcp" else Protocol.A2A,
        auth_token=os.environ["AGENT_KEY"],
        auth_header="Authorization",
        auth_type="bearer",
        timeout=120.0,
    )
    async with ADCPClient(config, adcp_version=None if pin == "none" else pin) as client:
        buy = WholeBuy(client, arguments.brief, f"{protocol}-{pin}".replace(".", "-"), pin == "none")
        buy.report.update(protocol=protocol, pin=pin, version=client.get_adcp_version())
        try:
            await buy.run()
        except StepFailed:
            pass
        except Exception as error:  # the report names what the client raised
            buy.report["steps"].append({"name": "client", "success": False, "error": f"{type(error).__name__}: {error}"})
    return buy.report


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mcp", required=True, help="address of the agent over MCP")
    parser.add_argument("--a2a", required=True, help="address of the agent over A2A")
    parser.add_argument("--protocols", default="mcp,a2a")
    parser.add_argument("--pins", default="none,3.0,3.1,3.2", help="highest releases to negotiate; none leaves the client's own")
    parser.add_argument("--brief", required=True)
    arguments = parser.parse_args()
    runs = []
    for protocol in arguments.protocols.split(","):
        for pin in arguments.pins.split(","):
            runs.append(await one_run(arguments, protocol, pin))
    print(json.dumps({"runs": runs}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    asyncio.run(main())
