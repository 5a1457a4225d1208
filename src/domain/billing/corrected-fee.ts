import { shareOf } from '../media-buy/cancellation-fee.ts'
import { type Charge, type FeeRule, feeIdOf, type NewCharge } from '../media-buy/charge.ts'
import type { MediaBuy } from '../media-buy/media-buy.ts'
import { revise } from '../media-buy/revise.ts'
import { microsToAmount, minorUnitMicros } from '../money.ts'
import { PEOPLE, reasonText } from './invoice-reason.ts'

/** Whether a charge corrects the fee of a cancellation. */
export function isFeeCorrection({ rule }: Pick<NewCharge, 'rule'>): boolean {
  return rule?.correctsMicros !== undefined
}

/**
 * The charge that corrects the fee for canceling a line, so that nothing of its budget is both delivered and charged as what remained: the fee is reckoned anew on the budget less everything that the line delivered, whenever that
 * was counted. `fees`: the charges of the cancellation of the line that count; `written`: how many were ever written. `spentMicros`: all that the line delivered. Undefined where the fee does not depend on it, is no longer asked for, or differs by less than the
 * smallest amount of its currency. A fee that is on no invoice is corrected in its own month, else in that of `now`.
 */
export function feeCorrection(
  fees: readonly Charge[],
  { written, spentMicros, now }: { readonly written: number; readonly spentMicros: number; readonly now: Date },
): NewCharge | undefined {
  const fee = fees.find((each) => !isFeeCorrection(each))
  if (!fee?.rule || fee.rule.type === 'fixed_fee') return undefined
  const { rule, lineId, orderId, productId, currency } = fee
  const correctsMicros = fees.reduce((sum, { micros }) => sum + micros, 0)
  const micros = fee.micros + owedBy(rule, spentMicros, currency) - owedBy(rule, rule.spentMicros, currency) - correctsMicros
  if (Math.abs(micros) < minorUnitMicros(currency)) return undefined
  const corrected: FeeRule = { ...rule, spentMicros, correctsMicros }
  return {
    ...{ chargeId: `${feeIdOf(lineId)}~${written}`, kind: 'cancellation', orderId, lineId, productId },
    ...{ currency, micros, reason: reasonText({ kind: 'cancellation', rule: corrected, currency }, PEOPLE) },
    incurredAt: fee.state === 'open' ? fee.incurredAt : now.toISOString(),
    madeBy: undefined,
    rule: corrected,
  }
}

function owedBy({ type, percent = 100, budgetMicros }: FeeRule, spentMicros: number, currency: string): number {
  const rest = Math.max(0, budgetMicros - spentMicros)
  return type === 'percent_remaining' ? shareOf(rest, percent / 100, currency) : rest
}

/** The buy whose buyer owes the corrected fee for a package. The buy as it was where the package has no fee, or the publisher waived it. */
export function withCorrectedFee(
  buy: MediaBuy,
  { lineId: packageId, micros, rule, currency }: Pick<NewCharge, 'lineId' | 'micros' | 'rule' | 'currency'>,
  { actor, now }: { readonly actor: string; readonly now: Date },
): MediaBuy {
  const known = buy.packages.find((pkg) => pkg.packageId === packageId)?.cancellationFee
  if (!known || known.waived !== undefined || !rule) return buy
  const owed = (rule.correctsMicros ?? 0) + micros
  const { budgetMicros, spentMicros } = rule
  const cancellationFee = { micros: owed, basis: { budgetMicros, spentMicros } }
  const packages = buy.packages.map((pkg) => (pkg.packageId === packageId ? { ...pkg, cancellationFee } : pkg))
  const amount = (each: number) => `${microsToAmount(each)} ${currency}`
  const summary = `Fee of the cancellation is ${amount(owed)}, since ${amount(spentMicros)} were delivered`
  return revise(buy, { ...buy, packages }, [{ action: 'fee_corrected', summary, packageId }], { actor, now }).buy
}
