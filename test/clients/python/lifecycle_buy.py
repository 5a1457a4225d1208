"""A purchase by the official coordinator of lifecycles (MediaBuyLifecycleCoordinator), which chooses the compact or the established tasks itself.

Lists products and buys one, once for each transport and pinned release; prints one JSON object: `runs`, each with the release that was negotiated,
the tasks that were used, the products that were listed and what became of the purchase.

    python lifecycle_buy.py --mcp http://127.0.0.1:3000/mcp --a2a http://127.0.0.1:3000 --pins none,3.2

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

from adcp import ADCPClient, AgentConfig, Protocol, SyncAccountsRequest
from adcp.compat import (
    InMemoryCompatibilityContinuationStore,
    LegacyPurchaseCoordinator,
    MediaBuyLifecycleCoordinator,
)
from adcp.types import ListProductsRequest
from adcp.types.legacy import LegacyCreateMediaBuyRequest

PURCHASE_LOSSES = ("feed_version_not_atomic", "pricing_version_not_atomic")


def plain(value):
    """A model of the client as JSON values."""
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def is_fixed(product):
    """Whether some price of a product is stated, so that it needs no bid."""
    return any("fixed_price" in option for option in product.get("pricing_options", []))


async def one_run(arguments, protocol: str, pin: str):
    """Everything over one transport at one pin."""
    address = arguments.mcp if protocol == "mcp" else arguments.a2a
    config = AgentConfig(
        id="seller",
        agent_uri=address,
        protocol=Protocol.MCP if protocol == "mcp" else Protocol.A2A,
        auth_token=os.environ["AGENT_KEY"],
        auth_header="Authorization",
        auth_type="bearer",
        timeout=120.0,
    )
    options = {} if pin == "none" else {"adcp_version": pin}
    report = {"protocol": protocol, "pin": pin}
    async with ADCPClient(config, **options) as client:
        try:
            account = {
                "brand": {"domain": f"{protocol}-{pin.replace('.', '-')}-lifecycle.example"},
                "operator": "agency.example",
            }

            async def create(execution):
                request = LegacyCreateMediaBuyRequest.model_validate(
                    {**execution.legacy_create_request, "account": execution.account}
                )
                result = await client.create_media_buy_legacy(request)
                if not result.success:
                    raise RuntimeError(result.error or result.message)
                return plain(result.data)

            coordinator = await MediaBuyLifecycleCoordinator.negotiate(
                client,
                allowed_losses=PURCHASE_LOSSES,
                principal_id="buyer",
                target_binding=address,
                legacy_purchase_coordinator=LegacyPurchaseCoordinator(
                    store=InMemoryCompatibilityContinuationStore(),
                    executor=create,
                    allow_non_durable_store=True,
                ),
            )
            report["negotiated"] = coordinator.negotiated_version
            accounts = [{**account, "billing": "operator"}]
            await client.sync_accounts(
                SyncAccountsRequest.model_validate({"idempotency_key": f"accounts-{uuid.uuid4()}", "accounts": accounts})
            )
            listing = await coordinator.list_products(
                ListProductsRequest(account=account, criteria={"offer_filters": {"delivery_type": "non_guaranteed"}}),
                issuance_idempotency_key=f"issue-{uuid.uuid4()}",
            )
            report["listed_by"] = list(listing.compatibility.tools_used)
            report["products"] = [product["product_id"] for product in listing.products]
            report["feed_version"] = listing.feed_version
            product = next(product for product in listing.products if is_fixed(product))
            option = next(option for option in product["pricing_options"] if "fixed_price" in option)
            start = datetime.now(timezone.utc) + timedelta(days=3)
            # The established request wants the brand beside the account, the compact one wants it once.
            established = listing.compatibility.lifecycle.value == "established"
            bought = await coordinator.buy_products(
                listing,
                {
                    **({"brand": account["brand"]} if established else {}),
                    "idempotency_key": str(uuid.uuid4()),
                    "account": account,
                    "purchases": [
                        {
                            "product_id": product["product_id"],
                            "pricing_option_id": option["pricing_option_id"],
                            "budget": 5000,
                        }
                    ],
                    "start_time": start.isoformat(),
                    "end_time": (start + timedelta(days=30)).isoformat(),
                },
            )
            report["bought_by"] = list(bought.compatibility.tools_used)
            report["success"] = bought.success
            report["status"] = bought.status.value
            report["purchase"] = plain(bought.data)
            if not bought.success:
                report["error"] = str(getattr(bought.result, "error", None))
        except Exception as error:  # noqa: BLE001 - the report says what went wrong
            report["error"] = f"{type(error).__name__}: {error}"
    return report


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mcp", required=True)
    parser.add_argument("--a2a", required=True)
    parser.add_argument("--pins", default="none")
    arguments = parser.parse_args()
    runs = [
        await one_run(arguments, protocol, pin) for protocol in ("mcp", "a2a") for pin in arguments.pins.split(",")
    ]
    print(json.dumps({"runs": runs}))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    asyncio.run(main())
