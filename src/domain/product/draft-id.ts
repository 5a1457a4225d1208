import { hash } from 'node:crypto'
import { HOUR_MS } from '../calendar/instant.ts'
import type { Product } from './product.ts'

/** A share of a plan: product, pricing option and per cent (whole in a generated draft). */
export interface Share {
  readonly productId: string
  readonly optionId: string
  readonly percent: number
}

export interface DraftPlan {
  readonly shares: readonly Share[]
  readonly madeAt: Date
}

const PREFIX = 'draft_'
/** Bytes of a share: 6 of a hash of product and option, 1 of per cent. */
const SHARE_BYTES = 7

/**
 * A draft proposal is nothing but its shares, so its id carries them and they need no storage: most buyers never come back
 * for. Indicative only: it is priced anew whenever it is named, and must be finalized before it can be bought.
 */
export function draftIdOf({ shares, madeAt }: DraftPlan): string {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(Math.floor(madeAt.getTime() / HOUR_MS))
  const parts = shares.map(({ productId, optionId, percent }) =>
    Buffer.concat([fingerprint(productId, optionId), Buffer.from([percent])]),
  )
  return PREFIX + Buffer.concat([head, ...parts]).toString('base64url')
}

/** Reads a draft id against the products that the caller may buy; undefined when it is no draft id or one of them is gone. */
export function readDraftId(id: string, products: Iterable<Product>): DraftPlan | undefined {
  if (!id.startsWith(PREFIX)) return undefined
  const bytes = Buffer.from(id.slice(PREFIX.length), 'base64url')
  if (bytes.length < 4 + SHARE_BYTES || (bytes.length - 4) % SHARE_BYTES !== 0) return undefined
  const parts: { readonly print: string; readonly percent: number }[] = []
  for (let at = 4; at < bytes.length; at += SHARE_BYTES) {
    const print = bytes.subarray(at, at + SHARE_BYTES - 1).toString('hex')
    parts.push({ print, percent: bytes[at + SHARE_BYTES - 1] ?? 0 })
  }
  // Before any product is examined: an id that somebody made up must not cost a walk through all products.
  if (parts.reduce((sum, { percent }) => sum + percent, 0) !== 100) return undefined
  const options = optionsOf(new Set(parts.map(({ print }) => print)), products)
  const shares = parts.flatMap(({ print, percent }): Share[] => {
    const option = options.get(print)
    return option ? [{ ...option, percent }] : []
  })
  if (shares.length !== parts.length) return undefined
  return { shares, madeAt: new Date(bytes.readUInt32BE(0) * HOUR_MS) }
}

/** The options of these fingerprints; the walk ends with the last of them. */
function optionsOf(prints: ReadonlySet<string>, products: Iterable<Product>): Map<string, Omit<Share, 'percent'>> {
  const found = new Map<string, Omit<Share, 'percent'>>()
  for (const { id: productId, offer } of products) {
    for (const { pricing_option_id: optionId } of offer.pricing_options) {
      const print = fingerprint(productId, optionId).toString('hex')
      if (prints.has(print) && !found.has(print)) found.set(print, { productId, optionId })
    }
    if (found.size === prints.size) return found
  }
  return found
}

function fingerprint(productId: string, optionId: string): Buffer {
  return hash('sha256', JSON.stringify([productId, optionId]), 'buffer').subarray(0, SHARE_BYTES - 1)
}
