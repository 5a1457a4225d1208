import { ENVELOPE_MEMBERS } from '../../protocol/envelope-members.ts'
import { type ApprovalFacts, approvalReason, type PolicySource, ruleOf } from '../approval/policy.ts'
import type { ActionMode } from '../product/allowed-action.ts'
import type { Product } from '../product/product.ts'
import { manualProducts, totalBudgetMicros } from './create.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import type { OrderChange } from './order-request.ts'

const TASK = 'update_media_buy'
/** The tasks whose rules a change is held to. */
const APPROVED = ['create_media_buy', TASK]

/** Fields that only stop, resume or choose among ads. */
const FREE = new Set([
  'package_id',
  'paused',
  'canceled',
  'cancellation_reason',
  'creative_assignments',
  'creatives',
  'context',
  'ext',
])
/** Members of the request that name the buy or the call and change no terms. */
const ENVELOPE = new Set([...ENVELOPE_MEMBERS, 'account', 'media_buy_id', 'revision', 'reporting_webhook'])

/**
 * What the publisher's policy weighs of an update: what makes an order bigger, and the products whose packages get more money, new dates or another price; undefined
 * for an update that changes no terms, which a buyer makes without asking. {@link actionModes} says the same of changes that are not made yet.
 */
export function changeFacts(
  request: OrderChange,
  before: MediaBuy,
  after: MediaBuy,
  products: ReadonlyMap<string, Product>,
): ApprovalFacts | undefined {
  if (!changesTerms(request)) return undefined
  const [was, will] = [totalBudgetMicros(before), totalBudgetMicros(after)]
  const weighed = after.packages.filter((pkg) => growthOf(pkg, before.packages) > 0 || isRetimed(pkg, before.packages))
  return { ...(will > was && { totalMicros: will, currency: after.currency }), ...factsOf(weighed, products) }
}

function factsOf(packages: readonly Pick<Package, 'productId'>[], products: ReadonlyMap<string, Product>): ApprovalFacts {
  return { productIds: packages.map(({ productId }) => productId), manualProductIds: manualProducts(packages, products) }
}

function changesTerms({ packages = [], ...request }: OrderChange): boolean {
  if (request.canceled) return false
  const names = [...Object.keys(request).filter((name) => !ENVELOPE.has(name)), ...packages.flatMap((pkg) => Object.keys(pkg))]
  return names.some((name) => !FREE.has(name))
}

function growthOf(pkg: Package, before: readonly Package[]): number {
  const old = before.find(({ packageId }) => packageId === pkg.packageId)
  return pkg.cancellation ? 0 : pkg.terms.budgetMicros - (old?.terms.budgetMicros ?? 0)
}

/** Whether a package that runs on got other dates or another price than it was approved with. */
function isRetimed({ packageId, cancellation, terms }: Package, before: readonly Package[]): boolean {
  const old = before.find((each) => each.packageId === packageId)?.terms
  const { startsAt, endsAt, rateMicros, bidMicros } = terms
  const isSame =
    old?.startsAt === startsAt && old.endsAt === endsAt && old.rateMicros === rateMicros && old.bidMicros === bidMicros
  return !cancellation && old !== undefined && !isSame
}

/** What an action does to an order, as far as the policy weighs it: the total grows, packages of the order grow or move, packages of any product come. */
const WEIGHED: Readonly<Record<string, { readonly grows?: true; readonly of?: 'own' | 'any' }>> = {
  increase_budget: { grows: true, of: 'own' },
  reallocate_budget: { of: 'own' },
  extend_flight: { of: 'own' },
  shorten_flight: { of: 'own' },
  update_flight_dates: { of: 'own' },
  add_packages: { grows: true, of: 'any' },
  decrease_budget: {},
  update_targeting: {},
  update_pacing: {},
  update_frequency_caps: {},
}

/**
 * How an update of each kind is carried out under the publisher's policy: at once, after approval, or one or the other as the change is (AdCP 3.1,
 * enums/media-buy-action-mode.json). Actions that change no terms are carried out at once.
 */
export function actionModes(
  buy: MediaBuy,
  policy: PolicySource,
  products: ReadonlyMap<string, Product>,
): (action: string) => ActionMode {
  const was = totalBudgetMicros(buy)
  const own = buy.packages.filter(({ cancellation }) => !cancellation).map(({ productId }) => productId)
  return (action) => {
    const weighed = WEIGHED[action]
    if (!weighed) return 'self_serve'
    const chosen = weighed.of === undefined ? [] : weighed.of === 'own' ? [...new Set(own)] : kindsOf(policy, products)
    const facts = chosen.length === 0 ? [{}] : chosen.map((productId) => factsOf([{ productId }], products))
    // The least and the most that the order can grow by.
    const totals = weighed.grows
      ? [was + 1, Number.MAX_SAFE_INTEGER].map((totalMicros) => ({ totalMicros, currency: buy.currency }))
      : [{}]
    const waits = facts.flatMap((each) =>
      totals.map((total) => approvalReason(policy, TASK, { ...each, ...total }) !== undefined),
    )
    return waits.every(Boolean) ? 'requires_approval' : waits.some(Boolean) ? 'conditional_self_serve' : 'self_serve'
  }
}

/** One product of each kind that the policy tells apart: sold by hand, named by a rule, and neither. */
function kindsOf(policy: PolicySource, products: ReadonlyMap<string, Product>): string[] {
  const named = new Set(APPROVED.flatMap((task) => ruleOf(policy, task).products ?? []))
  const kinds = new Map<string, string>()
  for (const [id, { selling }] of products) {
    kinds.set(selling.approval === 'manual' ? 'manual' : named.has(id) ? 'named' : 'neither', id)
    if (kinds.size === 3) break
  }
  return [...kinds.values()]
}
