import type { Drift } from '../../domain/ad-serving/drift.ts'

/** Fields that the publisher's people know under another name. */
const NAMES: Readonly<Record<string, string>> = {
  budgetMicros: 'budget',
  startsAt: 'start',
  endsAt: 'end',
  goalImpressions: 'impressions',
  advertiserId: 'advertiser',
  productId: 'product',
  associations: 'creatives',
}

/** Drift as people read it: the field's name, and both values as texts; budgets as amounts of the order's currency. */
export function driftWords({ field, expected, observed }: Pick<Drift, 'field' | 'expected' | 'observed'>) {
  return { field: NAMES[field] ?? field, expected: valueText(field, expected), observed: valueText(field, observed) }
}

function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '–'
  if (typeof value === 'number') return String(field.endsWith('Micros') ? value / 1_000_000 : value)
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ')
  return JSON.stringify(value)
}
