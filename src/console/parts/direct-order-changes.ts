import type { DirectDifference } from '../../ad-serving/embedded/direct-difference.ts'
import type { DirectTargeting } from '../../ad-serving/embedded/direct-targeting.ts'
import { valueText } from '../../domain/ad-serving/value-text.ts'
import type { DirectOrderConsequences } from '../../operator/direct-orders/enter-direct-order.ts'
import { TARGETING_FIELDS, targetingText } from '../direct-targeting.ts'
import { count, moment, money, unitPrice, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import { facts, table } from './parts.ts'

/** What a change of a direct order would come to: each difference, budget, inventory, and what to look at first. */
export function directOrderChanges(what: DirectOrderConsequences): Html {
  const { currency, differences, held, warnings } = what
  const budget = (amount: number | null) => (amount === null ? 'not limited' : money(amount, currency))
  const rows = differences.map((one) => [
    placeOf(one),
    shown(one, 'before', currency),
    html`<b>${shown(one, 'after', currency)}</b>`,
  ])
  return html`${warnings.length > 0 && html`<ul class="notice warn">${warnings.map((text) => html`<li>${text}</li>`)}</ul>`}
${table('What changes', ['What', 'Before', 'After'], rows)}
${facts([
  ...(what.budget_before === what.budget_after
    ? [['Budget, as before', budget(what.budget_after)] as const]
    : ([
        ['Budget before', budget(what.budget_before)],
        ['Budget after', budget(what.budget_after)],
      ] as const)),
  ...held.map(({ product_id: product, impressions }): readonly [string, Part] => [
    `Inventory of ${product}`,
    impressions < 0
      ? `${count(-impressions)} impressions become free for others`
      : `${count(impressions)} more impressions are held`,
  ]),
])}`
}

function placeOf({ line_id: line, creative_id: creative, field }: DirectDifference): Html {
  const place = [line && `Line ${line}`, creative && `creative ${creative}`].filter((each) => each !== null).join(', ')
  if (field === null) return html`${place}`
  const title = TARGETING_FIELDS.find(([member]) => member === field)?.[1].title.replace(/; none: all$/, '')
  return html`${title ?? TITLES[field] ?? words(field)}${place !== '' && html`<small>${place}</small>`}`
}

const TITLES: Readonly<Record<string, string>> = {
  starts_at: 'Begin',
  ends_at: 'End',
  cpm: 'Price of a thousand impressions',
  price_model: 'Sold by',
  rate: 'Price',
  budget: 'Budget',
  product_id: 'Product',
  click_url: 'Landing page',
  url: 'Address',
  html: 'Code',
}

/** Members that are money. */
const PRICES: ReadonlySet<string> = new Set(['cpm', 'rate', 'budget'])

function shown({ field, ...values }: DirectDifference, side: 'before' | 'after', currency: string): Part {
  const value = values[side]
  if (field === null) return value === null ? 'not there' : side === 'before' ? 'there' : 'added'
  if (value === null) return 'none'
  const dimension = TARGETING_FIELDS.find(([member]) => member === field)?.[0]
  if (dimension) return targetingText(dimension, { [dimension]: value } satisfies DirectTargeting)
  if (typeof value === 'string' && field.endsWith('_at')) return moment(value)
  if (typeof value === 'number') return PRICES.has(field) ? unitPrice(value, currency) : count(value)
  return valueText(value)
}
