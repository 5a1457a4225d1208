import type { ProductsDiff } from '../../operator/products/import-products.ts'
import { type Html, html } from '../html.ts'
import { badge, table } from './parts.ts'

/** More than a person reads before confirming; the counts are of all. */
const MAX_SHOWN = 200

/** What an import would do: counts, then products and fields. */
export function differenceOf({ added, changed, removed, unchanged }: ProductsDiff): Html {
  const fields = changed.flatMap(({ product_id: productId, fields: each }) =>
    each.map(({ path, before, after }) => [productId, path, shown(before), shown(after)]),
  )
  return html`<p>${badge(`${added.length} new`, 'good')} ${badge(`${changed.length} changed`, 'info')} ${badge(`${removed.length} leave the sale`, removed.length > 0 ? 'bad' : 'calm')} ${badge(`${unchanged.length} unchanged`)}</p>
${added.length > 0 && html`<p>New: ${added.slice(0, MAX_SHOWN).join(', ')}</p>`}
${removed.length > 0 && html`<p>Leave the sale: ${removed.slice(0, MAX_SHOWN).join(', ')}</p>`}
${fields.length > 0 && table('Changes', ['Product', 'Field', 'Before', 'After'], fields.slice(0, MAX_SHOWN))}
${fields.some(([, path]) => isPrice(path)) && html`<p class="soft">Running orders keep their agreed prices.</p>`}`
}

function isPrice(path: string | Html | undefined): boolean {
  return typeof path === 'string' && path.startsWith('pricing_options[')
}

function shown(value: unknown): Html {
  return html`<code>${value === undefined ? '–' : JSON.stringify(value).slice(0, 300)}</code>`
}
