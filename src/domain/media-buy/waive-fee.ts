import type { MediaBuy } from './media-buy.ts'
import { revise } from './revise.ts'

/** The buy of which the fee for a package is no longer owed: the publisher took its charge back. The buy as it was where the package has no fee, or owes none. */
export function withoutFee(
  buy: MediaBuy,
  packageId: string,
  {
    reason,
    actor,
    person,
    now,
  }: { readonly reason: string; readonly actor: string; readonly person: string; readonly now: Date },
): MediaBuy {
  const isOwed = buy.packages.some((pkg) => pkg.packageId === packageId && (pkg.cancellationFee?.micros ?? 0) > 0)
  if (!isOwed) return buy
  const packages = buy.packages.map((pkg) =>
    pkg.packageId === packageId ? { ...pkg, cancellationFee: { micros: 0, waived: reason } } : pkg,
  )
  const summary = `Fee of the cancellation waived by the publisher: ${reason}`
  return revise(buy, { ...buy, packages }, [{ action: 'fee_waived', summary, packageId }], { actor, person, now }).buy
}
