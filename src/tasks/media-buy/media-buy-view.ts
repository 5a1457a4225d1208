import type { AdServers } from '../../ad-serving/ad-servers.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { LineReport } from '../../domain/media-buy/delivery.ts'
import { type WindowStages, windowStages } from '../../domain/media-buy/measurement-window.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { withConversions } from '../../domain/media-buy/report-conversions.ts'
import { findAccount } from '../../store/account/accounts.ts'
import type { Db } from '../../store/database.ts'
import { sumConversions } from '../../store/event/conversion-sums.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import type { ProductCache } from '../../store/product/product-cache.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { reportsOf } from './orders.ts'

/** Media buys outside of any call: what webhooks tell of them is made of the same facts as the answers to their buyers. */
export function mediaBuyView(
  db: Db,
  adServers: AdServers,
  products: ProductCache,
  { conformance }: { readonly conformance: boolean },
) {
  return {
    async find(
      owner: PrincipalRef,
      mediaBuyIds: readonly string[],
    ): Promise<{ buys: readonly MediaBuy[]; creatives: CreativeFacts }> {
      const buys = await findMediaBuys(db, owner, mediaBuyIds)
      const principal = await findPrincipal(db, owner.tenantId, owner.principalId)
      const sandbox = principal?.sandbox === 1
      const agent = { tenantId: owner.tenantId, principalId: owner.principalId, sandbox, conformance: sandbox && conformance }
      return { buys, creatives: await creativeFactsOf(db, agent, buys) }
    },
    async report(owner: PrincipalRef, buy: MediaBuy, creatives: CreativeFacts, now: Date): Promise<readonly LineReport[]> {
      // Where a line is booked says its id, whoever bought it.
      const principal = { tenantId: owner.tenantId, sandbox: false }
      const reports = await reportsOf({ services: { adServers }, principal, now }, [buy], creatives)
      const { lines } = await sumConversions(db, owner.tenantId, buy.mediaBuyId)
      return withConversions(reports.get(buy.mediaBuyId) ?? [], lines)
    },
    async windows(owner: PrincipalRef, { packages }: MediaBuy): Promise<ReadonlyMap<string, WindowStages>> {
      const tenant = await findTenant(db, owner.tenantId)
      const principal = await findPrincipal(db, owner.tenantId, owner.principalId)
      if (!tenant || !principal) return new Map()
      const sandbox = principal.sandbox === 1
      const viewer = { ...owner, sandbox, conformance: sandbox && conformance }
      const { byId } = await products.get(db, tenant, viewer)
      const declared = (productId: string) => byId.get(productId)?.offer.reporting_capabilities.measurement_windows
      return new Map(packages.map(({ packageId, productId }) => [packageId, windowStages(declared(productId))]))
    },
    async isSimulated(owner: PrincipalRef, buy: MediaBuy): Promise<boolean> {
      return (await findAccount(db, owner, buy.accountId))?.sandbox === true
    },
  }
}
