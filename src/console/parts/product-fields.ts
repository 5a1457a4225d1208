import { COLUMNS, type Column } from '../../domain/product/csv-columns.ts'
import { CELL } from '../../operator/map-fields.ts'
import { MOST_PRICES } from '../../operator/size-limits.ts'
import { words } from '../format.ts'
import { attribute, type Html, html } from '../html.ts'
import { choice, field, textArea } from './parts.ts'

const DAYS = ['available_from', 'available_until']

/** Columns of the product that a form has: all but its id, and what is JSON. */
export const PRODUCT_FIELDS = columnsOf('product', ['product_id', 'product_json'])
/** Columns of a price that a form has. */
export const PRICE_FIELDS = columnsOf('option', ['pricing_json'])
/** The field of the placements that a product is sold on, by their ids. */
export const PLACEMENTS = 'placements'

function columnsOf(scope: Column['scope'], without: readonly string[]): readonly Column[] {
  return COLUMNS.filter((column) => column.scope === scope && !without.includes(column.name))
}

/** Cells by the name of their field: that of a column, or `price-N-` and that of a column. */
export type FormCells = ReadonlyMap<string, string>

/** The name of the field of a price's column. */
export function priceField(index: number, column: string): string {
  return `price-${index}-${column}`
}

/** The fields of a product: of itself, then of each price, with an empty one for another. */
export function productFields(
  cells: FormCells,
  {
    prices,
    formats,
    placements,
  }: {
    readonly prices: number
    readonly formats: readonly string[]
    readonly placements: readonly { readonly id: string; readonly text: string }[]
  },
): Html {
  const own = PRODUCT_FIELDS.map((column) =>
    column.name === 'format_ids' ? formatBoxes(cells, formats) : cellField(column.name, column, cells),
  )
  const shown = Math.min(prices + 1, MOST_PRICES)
  const options = Array.from({ length: shown }, (_none, index) => {
    const fields = PRICE_FIELDS.map((column) => cellField(priceField(index, column.name), column, cells))
    return html`<fieldset><legend>${index < prices ? `Price ${index + 1}` : 'Another price'}</legend><div class="cells">${fields}</div></fieldset>`
  })
  return html`<div class="cells">${own}${placementBoxes(cells, placements)}</div>${options}`
}

function cellField(name: string, column: Column, cells: FormCells): Html {
  const value = cells.get(name) ?? ''
  const { choices, scope, required } = column
  const label = words(column.name)
  if (choices) {
    const nameOf = column.name === 'pricing_model' ? modelName : words
    const options = choices.map((each) => [each, nameOf(each)] as const)
    // The fields of another price may stay empty.
    return choice(name, label, scope === 'product' && required ? options : [['', '–'], ...options], value)
  }
  if (column.name === 'description') return textArea(name, label, value, { hint: column.description, of: CELL })
  const hint = column.kind === 'list' ? `${column.description}. Separated by |` : column.description
  return field(name, label, { value, hint, ...(DAYS.includes(column.name) ? { type: 'date' } : { of: CELL }) })
}

/** CPM, and the like; others in words. */
function modelName(model: string): string {
  return model.length <= 4 && model !== 'time' ? model.toUpperCase() : words(model)
}

/** The placements to choose from; those that the product has stay chosen. */
function placementBoxes(cells: FormCells, placements: readonly { readonly id: string; readonly text: string }[]): Html {
  const chosen = (cells.get(PLACEMENTS) ?? '').split('|').filter((each) => each !== '')
  const known = new Set(placements.map(({ id }) => id))
  const all = [...chosen.filter((id) => !known.has(id)).map((id) => ({ id, text: id })), ...placements]
  if (all.length === 0) return html``
  const boxes = all.map(
    ({ id, text }) =>
      html`<label class="option"><input type="checkbox" name="${PLACEMENTS}" value="${id}"${attribute('checked', chosen.includes(id))}> ${text}<small>${id}</small></label>`,
  )
  const title = chosen.length === 0 ? 'None: its id is a place of its own' : chosen.join(', ')
  return html`<fieldset class="field"><legend>Placements of the ad server of this program</legend><details><summary>${title}</summary>${boxes}</details></fieldset>`
}

/** The formats of the agent to choose from; those of others that the product has stay chosen. */
function formatBoxes(cells: FormCells, formats: readonly string[]): Html {
  const chosen = (cells.get('format_ids') ?? '').split('|').filter((each) => each !== '')
  const all = [...new Set([...chosen, ...formats])]
  const boxes = all.map(
    (id) =>
      html`<label class="option"><input type="checkbox" name="format_ids" value="${id}"${attribute('checked', chosen.includes(id))}> ${id}</label>`,
  )
  return html`<fieldset class="field"><legend>Formats</legend><details${attribute('open', chosen.length === 0)}><summary>${chosen.length === 0 ? 'Choose at least one' : chosen.join(', ')}</summary>${boxes}</details></fieldset>`
}
