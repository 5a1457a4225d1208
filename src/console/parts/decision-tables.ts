import type { ProductInventory } from '../../operator/approvals/decision-inventory.ts'
import type { OrderDifference } from '../../operator/approvals/order-differences.ts'
import { count, moment, money, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import { badge, table } from './parts.ts'

/** What an order takes of each product, and what other orders leave of it in the flight; of a change, also what it takes now. */
export function inventoryTable(inventory: readonly ProductInventory[]): Html | undefined {
  if (inventory.length === 0) return undefined
  const isChange = inventory.some(({ before }) => before !== undefined)
  const rows = inventory.map(({ product_id: id, name, asked, before, left, fits }) => [
    html`${name}${name !== id && html`<small>${id}</small>`}`,
    ...(isChange ? [count(before ?? 0)] : []),
    count(asked),
    left === undefined ? 'no longer offered' : count(left),
    fits ? badge('fits', 'good') : badge('not enough left', 'bad'),
  ])
  const columns = [
    'Product',
    ...(isChange ? [{ title: 'Impressions now', numeric: true }] : []),
    { title: isChange ? 'Wanted' : 'Impressions', numeric: true },
    { title: 'Left in the flight', numeric: true },
    'Inventory',
  ]
  return table('Products and inventory', columns, rows)
}

/** The terms that a change makes different, as they are and as they would be. */
export function differenceTable(differences: readonly OrderDifference[], currency: unknown): Html | undefined {
  if (differences.length === 0) return undefined
  const text = (what: OrderDifference['what'], value: number | string | undefined): Part => {
    if (value === undefined) return '–'
    if (typeof value === 'string') return moment(value)
    return what === 'impressions' || typeof currency !== 'string' ? count(value) : money(value, currency)
  }
  const rows = differences.map(({ of, product_id: product, what, before, after }) => [
    of === 'order' ? 'The whole order' : html`${product}<small>${of}</small>`,
    words(what),
    text(what, before),
    html`<strong>${text(what, after)}</strong>`,
  ])
  return table('What changes', ['Of', 'Term', { title: 'Now', numeric: true }, { title: 'Wanted', numeric: true }], rows)
}
