import { readTrafficName } from '../../domain/ad-serving/trafficking.ts'
import { isDay } from '../../domain/calendar/instant.ts'
import { type Metrics, NOTHING } from '../../domain/media-buy/delivery.ts'
import type { CsvRow } from '../../domain/product/csv-cells.ts'
import { type DecimalMark, decimalMarkIn, readNumber, twoReadings } from '../../platform/decode/read-number.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { unguardedCell } from '../csv-text.ts'
import type { ImportFile } from '../imports/import-document.ts'
import { type FileProblem, importError } from '../imports/import-problems.ts'

/** A line that a person says is at the ad server as the sheet with this version has it. */
export interface EnteredRow {
  readonly line: number
  readonly packageId: string
  readonly version: string
}

/** A creative that a person says is on a line, or is not. */
export interface LiveRow {
  readonly line: number
  readonly packageId: string
  readonly creative: { readonly externalId: string; readonly contentVersion: string }
  readonly isLive: boolean
}

/** What a line delivered on a UTC day; without `spendMicros` it follows from the price. */
export interface DeliveredRow {
  readonly line: number
  readonly packageId: string
  readonly day: string
  readonly counts: Omit<Metrics, 'spendMicros'>
  readonly spendMicros: number | undefined
}

/** What a sheet says, by its headings. */
export type AdServerSheet =
  | { readonly kind: 'orders'; readonly rows: readonly EnteredRow[] }
  | { readonly kind: 'creatives'; readonly rows: readonly LiveRow[] }
  | { readonly kind: 'delivery'; readonly rows: readonly DeliveredRow[] }

const MOST_ROWS = 50_000
/** Counts of a delivery sheet by their headings. */
const COUNTS = {
  impressions: 'impressions',
  clicks: 'clicks',
  views: 'views',
  completed_views: 'completedViews',
  viewable_impressions: 'viewableImpressions',
  conversions: 'conversions',
} as const satisfies Readonly<Record<string, keyof Metrics>>

/**
 * Reads a sheet that people filled in: of orders (with `done`), of creatives (with `status`), or of delivery (with `day`). `lastDay` is the last UTC day
 * that may have delivered. Throws INVALID_REQUEST that names each line with what is wrong and what belongs there.
 */
export async function readAdServerSheet(file: ImportFile, lastDay: string): Promise<AdServerSheet> {
  // The parser is loaded when a sheet is read: most commands need none.
  const { readSheet, withTable } = await import('../imports/read-sheet.ts')
  const read = await readSheet(await withTable(file))
  if (!read.ok) throw importError(file, read.problems)
  const [first] = read.rows
  if (!first) throw importError(file, [{ message: 'has no rows' }])
  if (read.rows.length > MOST_ROWS) throw importError(file, [{ message: `has more than ${MOST_ROWS} rows; split it` }])
  const has = (...names: readonly string[]) => names.every((name) => Object.hasOwn(first.cells, name))
  const decimal = decimalMarkIn(read.rows.map(({ cells }) => cells.spend ?? ''))
  const problems: FileProblem[] = []
  const take = <T>(row: (row: CsvRow) => T | undefined) =>
    read.rows.flatMap((each) => {
      try {
        return row(each) ?? []
      } catch (error) {
        if (!(error instanceof AdcpError)) throw error
        problems.push({ line: each.line, message: error.message, ...(error.field !== undefined && { column: error.field }) })
        return []
      }
    })
  const sheet: AdServerSheet | undefined = has('package_id', 'version', 'done')
    ? { kind: 'orders', rows: take(enteredRow) }
    : has('package_id', 'day', 'impressions')
      ? { kind: 'delivery', rows: take((row) => deliveredRow(row, lastDay, decimal)) }
      : has('package_id', 'name', 'status')
        ? { kind: 'creatives', rows: take(liveRow) }
        : undefined
  if (!sheet) throw importError(file, [{ line: 1, message: HEADINGS }])
  if (problems.length > 0) throw importError(file, problems)
  return sheet
}

const HEADINGS =
  'has headings of no sheet: package_id, version and done are a sheet of orders (adservers sheet --orders --csv), package_id, name and status one of creatives (adservers sheet --csv), package_id, day and impressions one of delivery'

function enteredRow({ line, cells }: CsvRow): EnteredRow | undefined {
  if (textIn(cells, 'done') === '') return undefined
  const version = textIn(cells, 'version')
  if (!/^[0-9a-f]{8}$/.test(version)) throw wrong('version', `"${version}" is no version; leave the column as the sheet has it`)
  return { line, packageId: requiredText(cells, 'package_id'), version }
}

function liveRow({ line, cells }: CsvRow): LiveRow {
  const status = textIn(cells, 'status').toLowerCase()
  if (status !== 'live' && status !== 'to traffic') throw wrong('status', `"${status}" is no status; write live or to traffic`)
  const creative = readTrafficName(requiredText(cells, 'name'))
  if (!creative) throw wrong('name', 'is none that a sheet of creatives gave; leave the column as it is')
  return { line, packageId: requiredText(cells, 'package_id'), creative, isLive: status === 'live' }
}

function deliveredRow({ line, cells }: CsvRow, lastDay: string, decimal: DecimalMark | undefined): DeliveredRow {
  const day = textIn(cells, 'day')
  if (!isDay(day) || day < '2000-01-01' || day > lastDay)
    throw wrong('day', `"${day}" is no UTC day until ${lastDay}; write YYYY-MM-DD`)
  const counts = Object.entries(COUNTS).map(([heading, metric]) => [metric, countIn(cells, heading, decimal)])
  const spend = textIn(cells, 'spend')
  const amount = spend === '' ? undefined : readNumber(spend, { decimal, whole: false })
  if (amount === 'ambiguous') throw wrong('spend', twoReadings(spend))
  if (spend !== '' && typeof amount !== 'number') throw wrong('spend', `"${spend}" is no amount; write 1234.56`)
  const { spendMicros: _spend, ...none } = NOTHING
  return {
    line,
    packageId: requiredText(cells, 'package_id'),
    day,
    counts: { ...none, ...Object.fromEntries(counts) },
    spendMicros: typeof amount === 'number' ? Math.round(amount * 1_000_000) : undefined,
  }
}

function countIn(cells: CsvRow['cells'], heading: string, decimal: DecimalMark | undefined): number {
  const text = textIn(cells, heading)
  if (text === '' && heading !== 'impressions') return 0
  const count = readNumber(text, { decimal, whole: true })
  if (typeof count === 'number' && Number.isSafeInteger(count)) return count
  throw wrong(heading, `"${text}" is no whole number; write 1234`)
}

function requiredText(cells: CsvRow['cells'], name: string): string {
  const text = textIn(cells, name)
  if (text === '' || text.length > 512) throw wrong(name, 'is required, with 512 characters at most')
  return text
}

/** A cell without the apostrophe that a sheet puts before what a program would take for a formula. */
function textIn(cells: CsvRow['cells'], name: string): string {
  return unguardedCell((cells[name] ?? '').trim())
}

function wrong(field: string, message: string): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${field} ${message}`, { field })
}
