import { LRUCache } from 'lru-cache'
import {
  authorizesOperator,
  isOwnOperator,
  type OperatorClaim,
  type OperatorFile,
  type OperatorVerdict,
} from '../../domain/account/operator.ts'
import { limitConcurrency } from '../../platform/concurrency/limit-concurrency.ts'
import { registrableDomain } from '../../platform/net/fetch-policy.ts'
import { type BrandDocumentOptions, brandJsonOf, listsAgent } from '../signing/brand-chain.ts'
import { openBrandFile } from '../signing/open-brand-file.ts'

/** Judges identity assertions of request bodies; never rejects. */
export type OperatorCheck = (claim: OperatorClaim, now: Date) => Promise<OperatorVerdict>

/** A brand that takes an operator off its list is believed within this time; a file that could not be read is asked for again sooner. */
const KEEP_MS = 15 * 60_000
const KEEP_FAILURE_MS = 60_000
const MAX_FILES = 2_000
const MAX_CONCURRENT_FETCHES = 8
const MAX_WAITING_FETCHES = 256

interface Remembered {
  readonly document: Promise<unknown>
  until: number
}

/**
 * Checks both halves of a claim, which also is the identity assertion of a relay (AdCP authentication page, "Relays"): the calling agent is the
 * operator's, by its registered URL at the operator's registrable domain or by `agents[]` of the operator's brand.json; and the brand lets the
 * operator act for it, by `authorized_operators` of its own brand.json or, where that does not list the operator, by `authorized_operator` of its own
 * adagents.json. Files are fetched under the outbound policy.
 */
export function operatorCheck(options: BrandDocumentOptions): OperatorCheck {
  const files = new LRUCache<string, Remembered>({ max: MAX_FILES })
  const open = (domain: string, file: OperatorFile) =>
    file === 'brand.json' ? brandJsonOf(domain, options) : openBrandFile(`https://${domain}/.well-known/${file}`, options)
  const limited = limitConcurrency(
    MAX_CONCURRENT_FETCHES,
    MAX_WAITING_FETCHES,
    () => new Error('too many brand files are being fetched'),
  )

  function documentOf(domain: string, file: OperatorFile, now: number): Promise<unknown> {
    const key = `${file} ${domain}`
    const known = files.get(key)
    if (known && now < known.until) return known.document
    const entry: Remembered = { document: limited(() => open(domain, file)), until: now + KEEP_MS }
    entry.document.catch(() => {
      entry.until = now + KEEP_FAILURE_MS
    })
    files.set(key, entry)
    return entry.document
  }

  /** A file of the operator that cannot be read shows nothing. */
  async function isOfOperator({ agentUrl, operator }: OperatorClaim, now: number): Promise<boolean> {
    if (agentUrl === undefined) return false
    const owner = registrableDomain(operator)
    if (owner !== undefined && owner === registrableDomain(new URL(agentUrl).hostname)) return true
    return documentOf(operator, 'brand.json', now).then(
      (brand) => listsAgent(agentUrl, brand),
      () => false,
    )
  }

  /** `unknown` where the file cannot be read. */
  function verdictBy(file: OperatorFile, claim: OperatorClaim, now: number): Promise<OperatorVerdict> {
    return documentOf(claim.brandDomain, file, now).then(
      (document) => (authorizesOperator(document, claim, new Date(now), file) ? 'authorized' : 'not-listed'),
      () => 'unknown',
    )
  }

  return async (claim, now) => {
    if (!(await isOfOperator(claim, now.getTime()))) return 'not-caller'
    if (isOwnOperator(claim)) return 'authorized'
    const byBrand = await verdictBy('brand.json', claim, now.getTime())
    if (byBrand === 'authorized') return byBrand
    return (await verdictBy('adagents.json', claim, now.getTime())) === 'authorized' ? 'authorized' : byBrand
  }
}
