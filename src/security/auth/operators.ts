import { authorizesOperator, isOwnOperator, type OperatorClaim, type OperatorVerdict } from '../../domain/account/operator.ts'
import { type BrandDocumentOptions, brandJsonOf } from '../signing/brand-chain.ts'
import { turns } from './turns.ts'

/** Judges identity assertions of request bodies; never rejects. */
export type OperatorCheck = (claim: OperatorClaim, now: Date) => Promise<OperatorVerdict>

/** A brand that takes an operator off its list is believed within this time; a file that could not be read is asked for again sooner. */
const KEEP_MS = 15 * 60_000
const KEEP_FAILURE_MS = 60_000
const MAX_BRANDS = 1_000
const MAX_CONCURRENT_FETCHES = 8
const MAX_WAITING_FETCHES = 256

interface Remembered {
  readonly document: Promise<unknown>
  until: number
}

/** Checks operators against the `authorized_operators` of the brand's own brand.json, fetched under the outbound policy. */
export function operatorCheck(options: BrandDocumentOptions): OperatorCheck {
  const brands = new Map<string, Remembered>()
  const inTurn = turns(MAX_CONCURRENT_FETCHES, MAX_WAITING_FETCHES, () => new Error('too many brand files are being fetched'))

  function documentOf(domain: string, now: number): Promise<unknown> {
    const known = brands.get(domain)
    if (known && now < known.until) return known.document
    const entry: Remembered = { document: inTurn(() => brandJsonOf(domain, options)), until: now + KEEP_MS }
    entry.document.catch(() => {
      entry.until = now + KEEP_FAILURE_MS
    })
    brands.delete(domain)
    brands.set(domain, entry)
    const oldest = brands.keys().next().value
    if (brands.size > MAX_BRANDS && oldest !== undefined) brands.delete(oldest)
    return entry.document
  }

  return async (claim, now) => {
    if (isOwnOperator(claim)) return 'authorized'
    try {
      return authorizesOperator(await documentOf(claim.brandDomain, now.getTime()), claim) ? 'authorized' : 'not-listed'
    } catch {
      return 'unknown'
    }
  }
}
