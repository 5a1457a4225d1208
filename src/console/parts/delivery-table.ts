import type { DeliveryReport } from '../../operator/reports/delivery-report-shape.ts'
import { count, money, percent, rate, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import { empty, table } from './parts.ts'

/** More rows than a person reads; the CSV has all. */
const SHOWN_ROWS = 200

/** The rows of a delivery report, under a heading that says what it is split by. */
export function deliveryPanel({ by, rows }: DeliveryReport): Html {
  const shown = rows.slice(0, SHOWN_ROWS).map((row) => [...by.map((dimension) => shownValue(row, dimension)), ...numbersOf(row)])
  return html`<section class="panel"><h2>Delivery by ${words(by.join(', ')).toLowerCase()}</h2>
${rows.length === 0 ? empty('Nothing was delivered in these days') : table('Delivery', [...by.map(words), ...NUMBERS], shown)}
${rows.length > SHOWN_ROWS && html`<p class="hint">The first ${SHOWN_ROWS} of ${count(rows.length)} rows; the CSV has all.</p>`}</section>`
}

type Row = DeliveryReport['rows'][number]

const NUMBERS = ['Impressions', 'Viewable', 'Clicks', 'Click rate', 'Completed', 'Spent', 'eCPM'].map((title) => ({
  title,
  numeric: true,
}))

/** What a dimension is called, with its id below. */
function shownValue({ dimensions, names }: Row, dimension: string): Part {
  const [id = '', name] = [dimensions[dimension], names[dimension]]
  return name === undefined ? id : html`${name}<small class="id" title="${id}">${id}</small>`
}

/** The figures of a row; rates are of its impressions. */
function numbersOf(row: Row): Part[] {
  const { currency, click_rate: clicked, ecpm } = row
  const share = (fraction: number | null) => (fraction !== null && fraction > 0 ? percent(fraction) : '–')
  return [
    count(row.impressions),
    share(row.viewable_rate),
    count(row.clicks),
    clicked === null ? '–' : rate(clicked),
    share(row.completion_rate),
    money(row.spent, currency),
    ecpm === null ? '–' : money(ecpm, currency),
  ]
}
