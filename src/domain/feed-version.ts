import { createHash } from 'node:crypto'
import { atOnce, mapSteps, type Steps } from '../platform/concurrency/steps.ts'
import { isObject } from '../protocol/is-object.ts'

/**
 * The version of a list of everything that a caller may buy (AdCP 3.1, `wholesale_feed_version`): the same as long as no row of it changes, whatever page
 * is asked for, and in whatever order the filters of the question name their members and values ("filters canonicalization"). Linear in the size of the rows.
 */
export function* feedVersion(question: readonly unknown[], rows: readonly unknown[]): Steps<string> {
  return `wfv_${yield* contentHash(question, rows)}`
}

/** A version of offers that a purchase can be held to: what it listed, and the revision of the products that it was listed at. */
export interface OfferVersion {
  readonly revision: number
  readonly content: string
}

/** The version of a list of offers (AdCP 3.2 list_products, `feed_version`): the token says since which revision the products have to be as they are. */
export function* offerVersion(revision: number, question: readonly unknown[], rows: readonly unknown[]): Steps<string> {
  return `fv_${revision.toString(36)}_${yield* contentHash(question, rows)}`
}

/** Reads a token of {@link offerVersion}; undefined for any other text. */
export function readOfferVersion(token: string): OfferVersion | undefined {
  const [, revision, content] = /^fv_([0-9a-z]{1,10})_([\w-]{32})$/.exec(token) ?? []
  if (revision === undefined || content === undefined) return undefined
  return { revision: Number.parseInt(revision, 36), content }
}

/** The version of a document: the same as long as nothing in it changes, in whatever order its members and lists are. */
export function documentVersion(document: object): string {
  return `cv_${atOnce(contentHash([document], []))}`
}

function* contentHash(question: readonly unknown[], rows: readonly unknown[]): Steps<string> {
  const hash = createHash('sha256')
  for (const part of question) hash.update(JSON.stringify(inOneOrder(part)) ?? 'null').update('\n')
  yield* mapSteps(rows, (row) => void hash.update(JSON.stringify(row) ?? 'null').update('\n'))
  return hash.digest('base64url').slice(0, 32)
}

/** The member of a request that asks whether a version is still current; only requests of 3.1 and later have it. */
export function knownVersion(request: object): string | undefined {
  const { if_wholesale_feed_version: version }: { if_wholesale_feed_version?: unknown } = request
  return typeof version === 'string' ? version : undefined
}

/** For whom an answer may be stored (3.1, `cache_scope`): for every account of the caller, unless it holds what is meant for the named one alone. */
export function cacheScope(isForAccount: boolean): { readonly cache_scope: 'public' | 'account' } {
  return { cache_scope: isForAccount ? 'account' : 'public' }
}

/** A value with the members of its objects by name and its lists, which are sets in filters, by their text. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const texts = value.map((each) => JSON.stringify(inOneOrder(each)) ?? 'null')
    return texts.sort()
  }
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return members.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, member]) => [name, inOneOrder(member)])
}
