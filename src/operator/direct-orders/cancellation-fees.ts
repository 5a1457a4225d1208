import { directRecordOf } from '../../ad-serving/embedded/direct-record.ts'
import { reportHours } from '../../ad-serving/embedded/embedded-report.ts'
import { settingsOfStored } from '../../ad-serving/embedded/stored-direct-order.ts'
import type { LineDocument } from '../../ad-serving/embedded/stored-documents.ts'
import {
  type CancellationFee,
  feeRuleOf,
  lineFreeUntil,
  lineRuleWords,
  owedForLine,
} from '../../domain/media-buy/cancellation-fee.ts'
import type { CancellationPolicy } from '../../domain/media-buy/cancellation-policy.ts'
import { feeIdOf, type NewCharge } from '../../domain/media-buy/charge.ts'
import { type EmbeddedOrderRow, listEmbeddedLines } from '../../store/embedded/orders.ts'
import { findProduct } from '../../store/product/products.ts'
import type { ActContext } from '../act.ts'

/** What canceling a line of a direct order comes to now. */
export interface LineCancellation {
  /** As the ledger has it. */
  readonly anchor: string
  readonly productId: string
  readonly currency: string
  readonly policy: CancellationPolicy
  readonly fee: CancellationFee
  readonly freeUntil: string | undefined
}

/**
 * What canceling a direct order comes to at `now`, by line: by the policy that the product of a line has now. Lines of make-goods, lines that have ended, whose product has no policy, that cost nothing (house ads) or whose cost is not
 * limited, and fees that depend on what is left of it, are left out: the advertiser has committed to nothing there.
 */
export async function cancellationsOf(
  { store, tenantId }: ActContext,
  order: EmbeddedOrderRow,
  now: Date,
): Promise<readonly LineCancellation[]> {
  const { currency } = settingsOfStored(order)
  const spent = new Map<string, number>()
  for (const { lineExternalId: id, spendMicros } of await reportHours(store.read, tenantId, [order.anchor], now.getTime()))
    spent.set(id, (spent.get(id) ?? 0) + spendMicros)
  // What a make-good delivers is owed to the advertiser: giving it up costs nothing.
  const made = new Set(directRecordOf(order).makeGoods?.flatMap(({ newLineId }) => newLineId ?? []))
  const isOwed = ({ anchor }: { readonly anchor: string }) => made.has(anchor.slice(order.anchor.length + 1))
  const lines = (await listEmbeddedLines(store.read, tenantId, order.orderId)).filter((line) => !isOwed(line))
  const settled = lines.map(({ anchor, state, document }) => {
    const { settings }: LineDocument = JSON.parse(document)
    return { anchor, state, settings }
  })
  const policies = new Map<string, CancellationPolicy | undefined>()
  for (const id of new Set(settled.map(({ settings }) => settings.productId)))
    policies.set(id, (await findProduct(store.read, tenantId, id))?.cancellation_policy)
  return settled.flatMap(({ anchor, state, settings }) => {
    const { productId, startsAt, endsAt, budgetMicros, price } = settings
    const policy = policies.get(productId)
    const isOver = state === 'ended' || Date.parse(endsAt) <= now.getTime()
    if (!policy || isOver || price.rateMicros === 0) return []
    if (budgetMicros === Number.MAX_SAFE_INTEGER && policy.cancellation_fee.type !== 'fixed_fee') return []
    const line = { startsAt, budgetMicros, spentMicros: spent.get(anchor) ?? 0, currency }
    return [
      {
        anchor,
        productId,
        currency,
        policy,
        fee: owedForLine(policy, line, now),
        freeUntil: lineFreeUntil(policy, startsAt, now),
      },
    ]
  })
}

/** The fees as they are charged; `madeBy`: who entered the cancellation. */
export function chargesOfCancellation(
  orderId: string,
  lines: readonly LineCancellation[],
  { now, madeBy }: { readonly now: Date; readonly madeBy: string },
): readonly NewCharge[] {
  return lines.flatMap(({ anchor, productId, currency, policy, fee }) =>
    fee.micros <= 0
      ? []
      : [
          {
            ...{ chargeId: feeIdOf(anchor), kind: 'cancellation' as const, orderId, lineId: anchor, productId, currency },
            ...{ micros: fee.micros, reason: `cancellation: ${lineRuleWords(fee, policy, currency)}` },
            ...{ incurredAt: now.toISOString(), madeBy, rule: feeRuleOf(fee, policy) },
          },
        ],
  )
}
