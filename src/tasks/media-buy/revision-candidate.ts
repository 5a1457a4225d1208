import { packagesByProduct } from '../../domain/media-buy/not-found.ts'
import { microsToAmount, minorUnitMicros } from '../../domain/money.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { Issue } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { optionCandidates } from './option-candidates.ts'

/** Where a change has to name a package. */
const PACKAGE = /^\/packages\/(\d+)\/package_id$/
/** The budget of a package that is changed. */
const BUDGET = /^\/packages\/(\d+)\/budget$/
/** Entries without a package that are told which there are: an error shows no more. */
const MOST_TOLD = 12

/**
 * The revision that the named media buy is at, for a call that sends none or no number ("latest"), and its packages for an entry that names none; else what packages can be repaired with
 * ({@link optionCandidates}). The request may be of any form.
 */
export async function changeCandidates(
  finding: Issue,
  request: object,
  context: AuthenticatedContext,
): Promise<string | Issue | undefined> {
  const [, place] = BUDGET.exec(finding.pointer) ?? []
  if (place !== undefined && finding.keyword === 'minimum') return leastBudget(Number(place), request, context)
  const [, position] = PACKAGE.exec(finding.pointer) ?? []
  if (finding.pointer !== '/revision' && position === undefined) return optionCandidates(finding, request, context)
  if (!isObject(request) || typeof request.media_buy_id !== 'string') return undefined
  if (Number(position ?? 0) >= MOST_TOLD) return undefined
  const [buy] = await findMediaBuys(context.db, context.principal, [request.media_buy_id])
  if (!buy || position === undefined) return buy && `the media buy is at ${buy.revision}`
  const entry: unknown = Array.isArray(request.packages) ? request.packages[Number(position)] : undefined
  const productId = isObject(entry) && typeof entry.product_id === 'string' ? entry.product_id : undefined
  return packagesByProduct(buy, productId)
}

/** The least that a package of a change is for, in the currency of its price. */
async function leastBudget(place: number, request: object, { db, principal }: AuthenticatedContext): Promise<string | undefined> {
  const { media_buy_id: id, packages }: Readonly<Record<string, unknown>> = { ...request }
  const entry: unknown = Array.isArray(packages) ? packages[place] : undefined
  if (typeof id !== 'string' || !isObject(entry)) return undefined
  const [buy] = await findMediaBuys(db, principal, [id])
  const pkg = buy?.packages.find(({ packageId }) => packageId === entry.package_id)
  if (!pkg) return undefined
  const { currency, minSpendMicros, pricingOptionId } = pkg.pricing
  return `${pricingOptionId} is in ${currency}, from ${microsToAmount(minSpendMicros ?? minorUnitMicros(currency))} on`
}
