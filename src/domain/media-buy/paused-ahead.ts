import { isTerminal, mediaBuyStatus } from './lifecycle.ts'
import type { CreativeFacts, MediaBuy } from './media-buy.ts'

/** Whether a buy is paused and its status does not say so: a pause before the flight leaves the status pending, since `paused` may not lead back to it. Answers have `ext.paused` then. */
export function isPausedAhead(buy: MediaBuy, creatives: CreativeFacts, now: Date): boolean {
  const status = mediaBuyStatus(buy, creatives, now)
  return buy.paused && status !== 'paused' && !isTerminal(status)
}

/** What `ext.paused` of an answer says, in a sentence; undefined for anything else. */
export function pausedSentence(paused: unknown): string | undefined {
  return paused === true
    ? 'Paused: nothing of it runs when its flight begins, until update_media_buy sends paused false (ext.paused).'
    : undefined
}

/** The orders of a list that have `ext.paused`, in a sentence; undefined where none has. */
export function pausedOrders(orders: unknown): string | undefined {
  const rows: readonly unknown[] = Array.isArray(orders) ? orders : []
  const ids = rows.flatMap((row) => {
    if (typeof row !== 'object' || row === null) return []
    const [id, ext]: unknown[] = [Reflect.get(row, 'media_buy_id'), Reflect.get(row, 'ext')]
    const paused = typeof ext === 'object' && ext !== null && Reflect.get(ext, 'paused') === true
    return paused && typeof id === 'string' ? [id] : []
  })
  return ids.length === 0
    ? undefined
    : `Paused before the flight (update_media_buy with paused false resumes): ${ids.join(', ')}.`
}
