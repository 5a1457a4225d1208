import type { SettleCreatives } from '../../ad-serving/reconcile/reconciler.ts'
import { desiredCreative } from '../../domain/ad-serving/desired-order-of.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import type { Store } from '../../store/database.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { decideCreative } from './decide-creative.ts'

/**
 * What becomes of a creative that an ad server does not take: it is rejected with the ad server's reason, its buyer is notified, and it leaves every order. One that
 * was sent again, or decided on, in the meantime stays as it is.
 */
export function settleRefusedCreatives(store: Store, clock: () => Date, wake: () => void): SettleCreatives {
  return async ({ tenantId, principalId, mediaBuyId }, refused) => {
    const [buy] = await findMediaBuys(store.read, { tenantId, principalId }, [mediaBuyId])
    if (!buy) return
    for (const { externalId: creativeId, contentVersion, reason } of refused) {
      const owner = { tenantId, principalId, accountId: buy.accountId }
      const creative = await findCreative(store.read, owner, creativeId)
      if (creative?.status !== 'approved' || desiredCreative(creative).contentVersion !== contentVersion) continue
      await decideCreative(store, { ...owner, accountId: creative.accountId, creativeId }, 'rejected', reason, clock())
    }
    wake()
  }
}
