import { decimal } from './decimal.ts'
import type { ReportForm } from './form.ts'
import { shortHash } from './obligation.ts'
import type { ReportRow } from './report-row.ts'
import { bindingDigest, type ControlTotal, controlTotals, type Revision } from './revision.ts'

/** A correction of a final report: what is to be added to its totals. It never changes, nor does the report. */
export interface Adjustment {
  readonly reporting_adjustment_id: string
  readonly adjusts_reporting_revision_id: string
  readonly reason_code: 'source_correction'
  readonly reason_detail: string
  readonly accounting_period: { readonly start: string; readonly end: string }
  readonly control_total_deltas: readonly ControlTotal[]
  readonly correction_observed_at: string
  readonly created_at: string
  /** Over the canonical JSON (RFC 8785) of all other members; those of before have none. */
  readonly canonical_adjustment_sha256?: string
}

/**
 * The correction of a final report (AdCP 3.2, core/reporting-adjustment.json) by what was counted since: what its totals, with the corrections so far, lack.
 * Undefined where nothing does.
 */
export function adjustmentOf(
  official: Revision,
  corrected: readonly Adjustment[],
  rows: readonly ReportRow[],
  { form, now }: { readonly form: Pick<ReportForm, 'isFlat'>; readonly now: Date },
): Adjustment | undefined {
  const known = new Map<string, ControlTotal>()
  for (const total of [...official.control_totals, ...corrected.flatMap(({ control_total_deltas: deltas }) => deltas)]) {
    const key = keyOf(total)
    known.set(key, { ...total, value: add(known.get(key)?.value ?? '0', total.value, total.value_type) })
  }
  const current = new Map(controlTotals(rows, form).map((total) => [keyOf(total), total]))
  const names = [...new Set([...known.keys(), ...current.keys()])].sort()
  const deltas = names.flatMap((name) => {
    const total = current.get(name) ?? known.get(name)
    if (!total) return []
    const value = add(current.get(name)?.value ?? '0', `-${known.get(name)?.value ?? '0'}`.replace(/^--/, ''), total.value_type)
    return value === '0' ? [] : [{ ...total, value }]
  })
  if (deltas.length === 0) return undefined
  const at = now.toISOString()
  const content = { adjusts_reporting_revision_id: official.reporting_revision_id, control_total_deltas: deltas }
  const adjustment = {
    reporting_adjustment_id: `reporting-adjustment.${shortHash([content, corrected.length])}`,
    ...content,
    reason_code: 'source_correction' as const,
    reason_detail: 'the ad server corrected its counts after the report was final',
    accounting_period: monthOf(now),
    correction_observed_at: at,
    created_at: at,
  }
  return { ...adjustment, canonical_adjustment_sha256: bindingDigest(adjustment) }
}

/** What a total is of: money by its currency, whatever it is called. */
function keyOf({ name, unit }: ControlTotal): string {
  return isMoney({ name }) ? `spend.${unit}` : name
}

/** Whether a total is of money. */
export function isMoney({ name }: Pick<ControlTotal, 'name'>): boolean {
  return name === 'spend' || name.startsWith('spend.')
}

/** The calendar month (UTC) in which a correction was seen. */
function monthOf(at: Date) {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { start: new Date(Date.UTC(year, month)).toISOString(), end: new Date(Date.UTC(year, month + 1)).toISOString() }
}

function add(a: string, b: string, type: ControlTotal['value_type']): string {
  return type === 'integer' ? String(Number(a) + Number(b)) : decimal(Math.round(Number(a) * 1e6) + Math.round(Number(b) * 1e6))
}
