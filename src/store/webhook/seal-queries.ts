import type { SealedAddress } from '../../security/secrets/sealed-address.ts'
import type { Db } from '../database.ts'
import { subscriberPlace } from '../registry/feed-subscribers.ts'
import { sealPlace } from './webhook-endpoints.ts'

export interface AddressSeals {
  readonly address: (url: string, place: string) => SealedAddress
  readonly subscriber: (url: string, place: string) => SealedAddress
  /** The whole address; undefined when it was sealed under a secret that is not known. */
  readonly open: (sealed: SealedAddress, place: string) => string | undefined
}

/** Seals what addresses hide that were stored before it was sealed: queries, and of subscribers secrets in paths. */
export async function sealStoredQueries(tx: Db, seals: AddressSeals): Promise<void> {
  const endpoints = await tx.selectFrom('webhook_endpoints').select(['endpoint_id', 'url']).where('url', 'like', '%?%').execute()
  for (const { endpoint_id: id, url } of endpoints) {
    const sealed = seals.address(url, sealPlace(id, 'query'))
    const columns = { url: sealed.url, query: sealed.query ?? null }
    await tx.updateTable('webhook_endpoints').set(columns).where('endpoint_id', '=', id).execute()
  }
  const subscribers = await tx.selectFrom('feed_subscribers').select(['subscriber_id', 'url', 'query']).execute()
  for (const { subscriber_id: id, url, query } of subscribers) {
    const place = subscriberPlace(id)
    const whole = seals.open({ url, query: query ?? undefined }, place)
    const sealed = whole === undefined ? undefined : seals.subscriber(whole, place)
    if (!sealed || sealed.url === url) continue
    const columns = { url: sealed.url, query: sealed.query ?? null }
    await tx.updateTable('feed_subscribers').set(columns).where('subscriber_id', '=', id).execute()
  }
}
