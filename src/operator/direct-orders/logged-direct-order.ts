import { type DirectCreative, type DirectOrder, orderSettingsOf } from '../../ad-serving/embedded/direct-order.ts'
import type { WrittenDirectOrder } from '../../ad-serving/embedded/direct-orders.ts'
import { microsToAmount } from '../../domain/money.ts'
import type { Change } from '../act.ts'
import { changedMembers } from '../changed-members.ts'

/** A new order for the audit log: what was sold, when and for how much. Of creatives it names the ids. */
export function newOrderIn(order: DirectOrder): Readonly<Record<string, Change>> {
  const { name, advertiser, currency, lines } = order
  const ids = lines.map(({ line_id: id }) => id)
  const sold = lines.map(({ line_id: id, creatives, ...line }) => [id, { ...line, creatives: creatives.map(idOfCreative) }])
  const head = changedMembers({}, { name, advertiser, budget: budgetOf(order), currency, lines: ids })
  return { ...changedMembers({}, Object.fromEntries(sold)), ...head }
}

function idOfCreative({ creative_id: id }: DirectCreative): string {
  return id
}

/** Differences for the audit log, each by its place: `line-1.impressions`; a line or creative that comes or goes is a change of `lines` or `creatives`. */
export function notedDifferences(differences: WrittenDirectOrder['differences']): Readonly<Record<string, Change>> {
  const side = (name: 'before' | 'after') =>
    Object.fromEntries(
      differences.map(({ line_id: line, creative_id: creative, field, [name]: value }) => {
        const place = [line, creative, field].filter((part) => part !== null).join('.')
        return [place, field === null && value !== null ? 'there' : value]
      }),
    )
  return changedMembers(side('before'), side('after'))
}

/** Null for an order with a line that has no limit, which costs what it delivers. */
export function budgetOf(order: DirectOrder): number | null {
  const { budgetMicros } = orderSettingsOf(order)
  return budgetMicros === Number.MAX_SAFE_INTEGER ? null : microsToAmount(budgetMicros)
}
