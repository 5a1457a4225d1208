import type { Side } from '../party.ts'
import type { Cancellation, HistoryEntry, MediaBuy, OrderTerms, Package } from './media-buy.ts'

/** What a change did, for the history. */
export type Change = Pick<HistoryEntry, 'action' | 'summary' | 'packageId'>

export interface Revision {
  readonly buy: MediaBuy
  /** Packages that are not what they were, in the buy's order. A cancellation of the whole buy affects every package that was live, a paused one too. */
  readonly affected: readonly string[]
}

/** Ends a package for good and lets its inventory go. */
export function cancelPackage(pkg: Package, cancellation: Cancellation): Package {
  return { ...pkg, cancellation, reservedImpressions: 0 }
}

/** Who canceled, when and why. */
export function cancellationOf(canceledBy: Side, reason: string | undefined, now: Date): Cancellation {
  return { canceledAt: now.toISOString(), canceledBy, ...(reason !== undefined && { reason }) }
}

/**
 * Makes the present terms of `next` a new version after those of `before`, if they differ; `running` follows from the pauses and cancellations of package and buy.
 */
function withVersion(before: Package, next: Package, buyRuns: boolean, now: Date): Package {
  const running = buyRuns && !next.paused && !next.cancellation
  const terms: OrderTerms = { ...next.terms, running, from: before.terms.from }
  if (JSON.stringify(terms) === JSON.stringify({ ...before.terms })) return { ...next, terms: before.terms }
  const from = now.toISOString()
  // Two changes in the same millisecond are one version: nothing was delivered between them.
  const pastTerms = before.terms.from === from ? before.pastTerms : [...before.pastTerms, before.terms]
  return { ...next, pastTerms, terms: { ...terms, from } }
}

/**
 * Makes `after` the next revision of `before`: orders that changed get a new version, the history its entries. When the last live package is
 * canceled nothing is left of the buy, and it is canceled too. Gives `before` back when nothing changed.
 */
export function revise(
  before: MediaBuy,
  after: MediaBuy,
  changes: readonly Change[],
  { actor, person, now }: { readonly actor: string; readonly person?: string | undefined; readonly now: Date },
): Revision {
  const emptied = after.packages.length > 0 && after.packages.every((pkg) => pkg.cancellation)
  const cancellation =
    after.cancellation ??
    (emptied ? cancellationOf(person === undefined ? 'buyer' : 'seller', 'every package was canceled', now) : undefined)
  const runs = !after.paused && !cancellation && !after.rejection
  const packages = after.packages.map((pkg) => {
    const old = before.packages.find((candidate) => candidate.packageId === pkg.packageId)
    return old ? withVersion(old, pkg, runs, now) : { ...pkg, terms: { ...pkg.terms, running: runs && !pkg.paused } }
  })
  const next: MediaBuy = { ...after, ...(cancellation && { cancellation }), packages }
  const ends = cancellation !== undefined && before.cancellation === undefined
  const affected = packages
    .filter((pkg, index) => !isSame(pkg, before.packages[index]) || (ends && !before.packages[index]?.cancellation))
    .map((pkg) => pkg.packageId)
  if (changes.length === 0 && isSame(next, before)) return { buy: before, affected: [] }
  const revision = before.revision + 1
  const at = now.toISOString()
  const described = changes.length > 0 ? changes : [{ action: 'updated_packages', summary: 'Updated' }]
  const history = [
    ...before.history,
    ...described.map((change) => ({ revision, at, actor, ...(person !== undefined && { person }), ...change })),
  ]
  return { buy: { ...next, revision, updatedAt: at, history }, affected }
}

/** Values of the store are plain JSON, built in one place each, so their text shows whether they differ. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
