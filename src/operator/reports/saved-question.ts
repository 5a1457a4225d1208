import { DAY_MS } from '../../domain/calendar/instant.ts'
import { localDay } from '../../domain/calendar/local-time.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { findSavedReport, questionIn, type SavedQuestion, type SavedReportRow } from '../../store/saved-report/saved-reports.ts'
import type { ActContext } from '../act.ts'
import { atMost, between, count, flag, required, text, type Values } from '../fields.ts'
import { about, boolean, integer, listOf, moment, named, type Of, object, orNull, string } from '../shape.ts'
import { REPORT_FIELDS, type ReportQuery } from './delivery-report.ts'

/** Characters of a name: it is a heading, and a part of an address. */
const MOST_NAME = 100

/** Which saved report. */
export const REPORT = required(atMost(MOST_NAME, text(`name of a saved report, at most ${MOST_NAME} characters`)))

/** A question, and the name that it is saved under. */
export const SAVED_FIELDS = {
  report: REPORT,
  ...REPORT_FIELDS,
  last_days: between(1, 366, count('so many days up to the day on which it is opened, in place of first and last (default: 30)')),
  replace: flag('take the place of the saved report of this name, which may be that of a colleague'),
}
type AskedQuestion = Omit<Values<typeof SAVED_FIELDS>, 'report' | 'replace'>

export const savedReportShape = named(
  'SavedReport',
  object({
    name: string,
    by: listOf(string),
    first: about('null: the days move with the day on which it is opened', orNull(string)),
    last: orNull(string),
    last_days: about('so many days up to the day on which it is opened; null: from first to last', orNull(integer)),
    buyer: orNull(string),
    product: orNull(string),
    order: orNull(string),
    sandbox: boolean,
    saved_by: about('the person, as in the audit log', string),
    saved_at: moment,
  }),
)
export type SavedReport = Of<typeof savedReportShape>

/** What is stored of a question. Throws INVALID_REQUEST for days that are said in two ways, or by one end. */
export function documentOfQuestion({ by, first, last, last_days: days, ...narrowed }: AskedQuestion): string {
  const refuse = (field: string, message: string) => new AdcpError('INVALID_REQUEST', message, { field })
  const isFixed = first !== undefined || last !== undefined
  if (isFixed && days !== undefined)
    throw refuse('last_days', 'days are saved as first and last, or as last_days, and not as both')
  if (isFixed && (first === undefined || last === undefined))
    throw refuse(first === undefined ? 'first' : 'last', 'fixed days have a first and a last one; for moving days send last_days')
  const question: SavedQuestion = {
    ...{ by: [...new Set(by ?? (['order'] as const))], ...narrowed },
    ...(first !== undefined && last !== undefined ? { first, last } : { last_days: days ?? 30 }),
  }
  return JSON.stringify(question)
}

/** A saved report as people see it. */
export function presentSaved(row: SavedReportRow): SavedReport {
  const { by, first = null, last = null, last_days = null, sandbox = false, ...narrowed } = questionIn(row)
  const { buyer = null, product = null, order = null } = narrowed
  const { name, saved_by, saved_at } = row
  return { name, by, first, last, last_days, buyer, product, order, sandbox, saved_by, saved_at }
}

/** The question of today: days that move are counted back from today, in the time zone of the publisher. */
export async function questionOfToday(
  { store, clock, tenantId }: ActContext,
  { last_days: days, ...question }: SavedQuestion,
): Promise<ReportQuery> {
  if (days === undefined) return question
  const last = localDay(clock(), await deliveryZone(store.read, tenantId))
  return { ...question, first: new Date(Date.parse(last) - (days - 1) * DAY_MS).toISOString().slice(0, 10), last }
}

/** The saved report of a name. Throws REFERENCE_NOT_FOUND. */
export async function getSaved(
  { store, tenantId }: Pick<ActContext, 'store' | 'tenantId'>,
  name: string,
): Promise<SavedReportRow> {
  const row = await findSavedReport(store.read, tenantId, name)
  if (!row) throw noReport(name)
  return row
}

/** There is no saved report of this name. */
export function noReport(name: string): AdcpError {
  const message = `there is no saved report ${name}; sales-agent reports saved lists them`
  return new AdcpError('REFERENCE_NOT_FOUND', message, { field: 'report' })
}
