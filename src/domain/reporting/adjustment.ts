import { decimal } from './decimal.ts'
import type { ReportForm } from './form.ts'
import { shortHash } from './obligation.ts'
import type { ReportRow } from './report-row.ts'
import { bindingDigest, type ControlTotal, controlTotals, type Revision } from './revision.ts'

/** A correction of a final report: what is to be added to its totals. It never changes, nor does the report. */
export interface Adjustment {
  readonly reporting_adjustment_id: string
  readonly adjusts_reporting_revision_id: string
  /** `commercial_adjustment`: what both sides made of a dispute; what was counted stays as it is. */
  readonly reason_code: 'source_correction' | 'commercial_adjustment'
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
  { form, now }: { readonly form: Pick<ReportForm, 'isFlat' | 'totals' | 'hasSpend'>; readonly now: Date },
): Adjustment | undefined {
  const known = new Map<string, ControlTotal>()
  const counted = corrected.filter(({ reason_code: reason }) => reason === 'source_correction')
  for (const total of [...official.control_totals, ...counted.flatMap(({ control_total_deltas: deltas }) => deltas)]) {
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
  const text = 'the ad server corrected its counts after the report was final'
  const content = { adjusts_reporting_revision_id: official.reporting_revision_id, control_total_deltas: deltas }
  return written(content, { of: counted.length, reason: 'source_correction', text, now })
}

/**
 * The correction of a final report by what both sides made of a dispute: a credit (less than 0) or charge in micros. `of` names the dispute. The rows stay, and
 * what the ad server corrects later comes on top.
 */
export function settlementOf(
  official: Revision,
  { of, micros, currency, now }: { readonly of: string; readonly micros: number; readonly currency: string; readonly now: Date },
): Adjustment {
  const totals = official.control_totals.filter(isMoney)
  const name = totals.find(({ unit }) => unit === currency)?.name ?? `spend.${currency}`
  const delta = { name, value: decimal(micros), value_type: 'decimal' as const, unit: currency }
  const content = { adjusts_reporting_revision_id: official.reporting_revision_id, control_total_deltas: [delta] }
  return written(content, { of, reason: 'commercial_adjustment', text: 'a dispute about the report was settled', now })
}

function written(
  content: Pick<Adjustment, 'adjusts_reporting_revision_id' | 'control_total_deltas'>,
  {
    of,
    reason,
    text,
    now,
  }: { readonly of: unknown; readonly reason: Adjustment['reason_code']; readonly text: string; readonly now: Date },
): Adjustment {
  const at = now.toISOString()
  const adjustment = {
    reporting_adjustment_id: `reporting-adjustment.${shortHash([content, of])}`,
    ...content,
    reason_code: reason,
    reason_detail: text,
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
