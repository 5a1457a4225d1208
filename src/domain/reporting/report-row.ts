import type { CountName } from './form.ts'

/** One package on one day or in one hour. Of an hour money and other counts are 0: its form shows none. */
export interface ReportRow {
  readonly period_start: string
  readonly period_end: string
  readonly dimensions: {
    readonly media_buy_id: string
    readonly package_id: string
    /** Of an hour, where the package is delivered in one country alone (ISO 3166-1 alpha-2). */
    readonly country?: string
  }
  readonly currency: string
  readonly metrics: Readonly<Record<CountName | 'spend', number>>
}
