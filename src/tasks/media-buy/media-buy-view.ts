import type { AdServer } from '../../adapters/adapter.ts'
import type { LineReport } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { findAccount, type Owner } from '../../store/accounts.ts'
import type { Db } from '../../store/database.ts'
import { findMediaBuys } from '../../store/media-buys.ts'
import { findPrincipal } from '../../store/principals.ts'
import { creativeFactsOf } from './creative-facts.ts'
import { reportsOf } from './orders.ts'

/** Media buys outside of any call: what webhooks tell of them is made of the same facts as the answers to their buyers. */
export function mediaBuyView(db: Db, adServer: AdServer) {
  return {
    async find(owner: Owner, mediaBuyIds: readonly string[]): Promise<{ buys: readonly MediaBuy[]; creatives: CreativeFacts }> {
      const buys = await findMediaBuys(db, owner, mediaBuyIds)
      const principal = await findPrincipal(db, owner.tenantId, owner.principalId)
      const agent = { tenantId: owner.tenantId, principalId: owner.principalId, sandbox: principal?.sandbox === 1 }
      return { buys, creatives: await creativeFactsOf(db, agent, buys) }
    },
    async report(buy: MediaBuy, creatives: CreativeFacts, now: Date): Promise<readonly LineReport[]> {
      const reports = await reportsOf({ services: { adServer }, now }, [buy], creatives)
      return reports.get(buy.mediaBuyId) ?? []
    },
    async isSimulated(owner: Owner, buy: MediaBuy): Promise<boolean> {
      return (await findAccount(db, owner, buy.accountId))?.sandbox === true
    },
  }
}
