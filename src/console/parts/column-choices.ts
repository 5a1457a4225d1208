import { missingColumns } from '../../domain/product/csv-columns.ts'
import { PRODUCT_COLUMNS } from '../../operator/products/import-products.ts'
import type { UploadedTable } from '../../operator/products/map-columns.ts'
import { type Html, html } from '../html.ts'
import { choice, field, table } from './parts.ts'

/** Each column of a file with its first values and a choice of its meaning, and inputs for values that the file has no column for. */
export function columnChoices(
  { headings, rows }: UploadedTable,
  suggested: readonly string[],
  { whole }: { readonly whole: boolean },
): Html {
  const options: [string, string][] = [['', 'leave it out'], ...PRODUCT_COLUMNS.map(({ name }): [string, string] => [name, name])]
  const lines = headings.map((heading, index) => [
    heading,
    rows
      .slice(0, 3)
      .map(({ cells }) => (cells[index] ?? '').slice(0, 40))
      .filter((cell) => cell !== '')
      .join(' · '),
    choice(`column-${index}`, `${heading} is`, options, suggested[index] ?? ''),
  ])
  const missing = missingColumns(suggested.filter((name) => name !== ''))
  const fixed = missing.map((name) => {
    const hint = PRODUCT_COLUMNS.find((column) => column.name === name)?.description
    return field(`fixed-${name}`, name, hint === undefined ? {} : { hint })
  })
  return html`${table('Columns of the file', ['Column', 'First values', 'What it is'], lines)}
${fixed.length > 0 && html`<h3>Values that every row gets</h3><p class="soft">The file has no column for these. Leave one empty if you choose a column for it above${!whole && ', or if products that exist are to stay as they are in it'}.</p><div class="columns">${fixed}</div>`}`
}
