import type { SealedAddress } from '../../security/secrets/sealed-address.ts'
import type { Db } from '../database.ts'
import { subscriberPlace } from '../registry/feed-subscribers.ts'
import { sealPlace } from './webhook-endpoints.ts'

/** Seals the queries of addresses that were stored before queries were sealed. */
export async function sealStoredQueries(tx: Db, seal: (url: string, place: string) => SealedAddress): Promise<void> {
  const endpoints = await tx.selectFrom('webhook_endpoints').select(['endpoint_id', 'url']).where('url', 'like', '%?%').execute()
  for (const { endpoint_id: id, url } of endpoints) {
    const sealed = seal(url, sealPlace(id, 'query'))
    const columns = { url: sealed.url, query: sealed.query ?? null }
    await tx.updateTable('webhook_endpoints').set(columns).where('endpoint_id', '=', id).execute()
  }
  const subscribers = await tx
    .selectFrom('feed_subscribers')
    .select(['subscriber_id', 'url'])
    .where('url', 'like', '%?%')
    .execute()
  for (const { subscriber_id: id, url } of subscribers) {
    const sealed = seal(url, subscriberPlace(id))
    const columns = { url: sealed.url, query: sealed.query ?? null }
    await tx.updateTable('feed_subscribers').set(columns).where('subscriber_id', '=', id).execute()
  }
}
