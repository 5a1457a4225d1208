"""A media buy from discovery to cancellation with an earlier official AdCP client for Python, over MCP.

For the lines 6 and 7 of the client, whose own release is AdCP 3.1. Prints one JSON object: `version` (the release that the client asks for),
`steps` (the outcome of each task in order; the first that fails ends the run), `media_buy_id` and `creatives`. With `--canonical`, line 7 names formats by their
options and kinds; else both lines use format ids, which line 7 calls legacy.

    python earlier_buy.py --mcp http://127.0.0.1:3000/mcp --brief "…"

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

import adcp

ACCOUNT = {"brand": {"domain": "earlier-client.example"}, "operator": "agency.example"}


class StepFailed(Exception):
    """The client did not report the success of a task."""


def plain(value):
    """A model of the client as JSON values."""
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


class EarlierBuy:
    """The calls of one buy; `report` is what the run prints."""

    def __init__(self, client, canonical):
        self.client = client
        self.canonical = canonical
        self.report = {"client": adcp.__version__, "version": client.get_adcp_version(), "steps": []}

    async def step(self, task: str, changes: bool, **members):
        """Calls a task. Returns the data; raises StepFailed."""
        name = f"{task}_legacy" if not self.canonical and hasattr(self.client, f"{task}_legacy") else task
        words = "".join(part.capitalize() for part in task.split("_")) + "Request"
        model = getattr(adcp, f"Legacy{words}", None) if name != task else None
        if changes:
            members["idempotency_key"] = f"earlier-{uuid.uuid4()}"
        request = (model or getattr(adcp, words)).model_validate(members)
        result = await getattr(self.client, name)(request)
        step = {"name": task, "success": bool(result.success)}
        if not result.success:
            step["error"] = str(result.error or result.message)
        self.report["steps"].append(step)
        data = plain(result.data)
        if not result.success or data is None:
            raise StepFailed(task)
        return data

    async def run(self, brief: str):
        capabilities = await self.client.fetch_capabilities()
        self.report["steps"].append({"name": "get_adcp_capabilities", "success": capabilities is not None})
        found = await self.step("get_products", False, buying_mode="brief", brief=brief, pagination={"max_results": 50})
        await self.step("sync_accounts", True, accounts=[{**ACCOUNT, "billing": "operator"}])
        product, chosen = image_option(found["products"]) if self.canonical else image_product(found["products"])
        selected = {"format_option_refs": [chosen["format_option_ref"]]} if self.canonical else {}
        start = datetime.now(timezone.utc) + timedelta(days=2)
        created = await self.step(
            "create_media_buy",
            True,
            account=ACCOUNT,
            brand=ACCOUNT["brand"],
            start_time=start.isoformat(),
            end_time=(start + timedelta(days=14)).isoformat(),
            packages=[{**package_for(product), **selected}],
        )
        buy, package = created["media_buy_id"], created["packages"][0]["package_id"]
        self.report["media_buy_id"] = buy
        synced = await self.step(
            "sync_creatives",
            True,
            account=ACCOUNT,
            creatives=[banner(chosen)],
            assignments=[{"creative_id": "earlier-banner", "package_id": package}],
        )
        self.report["creatives"] = [{"creative_id": row["creative_id"], "action": row["action"]} for row in synced["creatives"]]
        await self.step("list_creatives", False, account=ACCOUNT, filters={"creative_ids": ["earlier-banner"]})
        delivery = await self.step("get_media_buy_delivery", False, account=ACCOUNT, media_buy_ids=[buy])
        self.report["deliveries"] = [row["media_buy_id"] for row in delivery["media_buy_deliveries"]]
        listed = await self.step("get_media_buys", False, account=ACCOUNT, media_buy_ids=[buy])
        revision = listed["media_buys"][0]["revision"]
        await self.step("update_media_buy", True, account=ACCOUNT, media_buy_id=buy, revision=revision, canceled=True)


def image_product(products):
    """The first product by the thousand in dollars that takes a banner of 300 x 250, and how a creative names the format: by its id."""
    for product in products:
        price = product["pricing_options"][0]
        for format_id in product.get("format_ids") or []:
            if format_id["id"] == "display_300x250" and (price["pricing_model"], price["currency"]) == ("cpm", "USD"):
                return product, {"format_id": format_id}
    raise LookupError("no product takes a banner")


def image_option(products):
    """The same by the options of products, as line 7 of the client makes them."""
    for product in products:
        price = product["pricing_options"][0]
        for option in product["format_options"]:
            size = (option["params"].get("width"), option["params"].get("height"))
            if option["format_kind"] == "image" and size == (300, 250) and (price["pricing_model"], price["currency"]) == ("cpm", "USD"):
                reference = {"scope": "product", "format_option_id": option["format_option_id"]}
                return product, {"format_kind": "image", "format_option_ref": reference}
    raise LookupError("no product takes a banner")


def package_for(product):
    """A package that is above the product's minimum and bids where there is no price."""
    option = product["pricing_options"][0]
    bid = {} if option.get("fixed_price") is not None else {"bid_price": 2 * (option.get("floor_price") or 10)}
    return {
        "product_id": product["product_id"],
        "pricing_option_id": option["pricing_option_id"],
        "budget": max(1000.0, 2 * (option.get("min_spend_per_package") or 0)),
        **bid,
    }


def banner(chosen):
    """A creative in the format; its picture goes by the name that the format's own slot has, or the canonical one."""
    image = {"asset_type": "image", "url": "https://ads.example/a.png", "width": 300, "height": 250, "format": "png"}
    return {
        "creative_id": "earlier-banner",
        "name": "Coffee",
        **chosen,
        "assets": {"image_main" if "format_kind" in chosen else "image": image, "click_url": {"asset_type": "url", "url": "https://coffee.example/"}},
    }


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mcp", required=True, help="address of the agent over MCP")
    parser.add_argument("--brief", required=True)
    parser.add_argument("--canonical", action="store_true", help="name formats by option and kind (line 7)")
    arguments = parser.parse_args()
    config = adcp.AgentConfig(
        id="seller",
        agent_uri=arguments.mcp,
        protocol=adcp.Protocol.MCP,
        auth_token=os.environ["AGENT_KEY"],
        auth_header="Authorization",
        auth_type="bearer",
        timeout=120.0,
    )
    async with adcp.ADCPClient(config) as client:
        buy = EarlierBuy(client, arguments.canonical)
        try:
            await buy.run(arguments.brief)
        except StepFailed:
            pass
        except Exception as error:  # the report names what the client raised
            buy.report["steps"].append({"name": "client", "success": False, "error": f"{type(error).__name__}: {error}"})
    print(json.dumps(buy.report))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    asyncio.run(main())
