import type { MediaBuy } from './media-buy.ts'
import { type Revision, revise } from './revise.ts'

/** A planned buy that the people at an ad server have to approve first. */
export function unconfirmed({ confirmedAt: _at, ...buy }: MediaBuy): MediaBuy {
  return buy
}

/** The buy once its ad servers have approved it: the seller commits to it now. */
export function confirmed(buy: MediaBuy, now: Date): Revision {
  const changes = [{ action: 'approved', summary: 'Approved at the ad server' }]
  return revise(buy, { ...buy, confirmedAt: now.toISOString() }, changes, { actor: 'seller', now })
}
