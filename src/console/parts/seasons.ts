import { seasonOf } from '../../domain/product/products-file.ts'
import { isSeasonOf, seasonPrice } from '../../domain/product/season.ts'
import type { ProductDocument } from '../../operator/products/list-products.ts'
import { removeSeason, setSeason } from '../../operator/products/seasons.ts'
import { may } from '../do-act.ts'
import { unitPrice } from '../format.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { act, choice, csrfField, field, table } from './parts.ts'

/** What was written into the form of a season. */
export type WrittenSeason = Readonly<Record<string, string>>

/** The seasons of a product with what its prices are in them, and for those who sell a form for another one. Nothing for a product without fixed prices. */
export function seasonsPanel(call: TenantCall, product: ProductDocument): Html | false {
  const fixed = product.pricing_options.filter((option) => option.fixed_price !== undefined)
  if (fixed.length === 0) return false
  const path = seasonsPath(call, product)
  const { seasons = [] } = product.selling
  const mayRemove = may(call, removeSeason)
  const rows = seasons
    .toSorted((a, b) => (a.from < b.from ? -1 : 1))
    .map((season) => [
      season.season_id,
      season.from,
      season.until,
      html`${fixed
        .filter((option) => isSeasonOf(seasonOf(season), option))
        .map(
          (option) =>
            html`<div>${unitPrice(seasonPrice(option.fixed_price ?? 0, season), option.currency)}<small>${option.pricing_option_id}, else ${unitPrice(option.fixed_price ?? 0, option.currency)}</small></div>`,
        )}`,
      ...(mayRemove
        ? [
            act(call, `${path}/${encodeURIComponent(season.season_id)}/remove`, 'Remove', {
              name: `Remove the season ${season.season_id}`,
            }),
          ]
        : []),
    ])
  const columns = ['Season', 'Flights start from', 'Until', 'Price', ...(mayRemove ? [''] : [])]
  const list = rows.length > 0 ? table('Seasons', columns, rows) : html`<p class="soft">The prices are the same on all days.</p>`
  const add = may(call, setSeason) && html`<details><summary>Add a season</summary>${seasonForm(call, product, {})}</details>`
  return html`<section class="panel" id="seasons"><h2>Seasons</h2><p class="soft">A flight has the price of the day (UTC) on which it starts, to its end. Orders that run keep their prices.</p>${list}${add}</section>`
}

/** The form of a season, with what was written into it. */
export function seasonForm(call: TenantCall, product: ProductDocument, written: WrittenSeason): Html {
  const { season, from, until, percent, price } = setSeason.fields
  const options = product.pricing_options
    .filter((option) => option.fixed_price !== undefined)
    .map((option): [string, string] => [
      option.pricing_option_id,
      `${option.pricing_option_id}, ${unitPrice(option.fixed_price ?? 0, option.currency)}`,
    ])
  return html`<form method="post" action="${seasonsPath(call, product)}">${csrfField(call)}
${field('season', 'Name', { value: written.season ?? '', required: true, of: season, hint: 'A season of the same name is replaced.' })}
${field('from', 'Flights start from', { type: 'date', value: written.from ?? '', required: true, of: from })}
${field('until', 'Until', { type: 'date', value: written.until ?? '', required: true, of: until })}
${choice('pricing_option_id', 'Price', [['', 'Every fixed price'], ...options], written.pricing_option_id ?? '')}
${field('percent', 'Per cent more', { value: written.percent ?? '', of: percent, hint: 'E.g. 25, or -10 for less. Or the price itself, below.' })}
${field('price', 'Price itself', { value: written.price ?? '', of: price, hint: 'E.g. 14.50, for one of the prices.' })}
<button class="primary">Save</button></form>`
}

function seasonsPath({ base }: TenantCall, { product_id: id }: ProductDocument): string {
  return `${base}/products/${encodeURIComponent(id)}/seasons`
}
