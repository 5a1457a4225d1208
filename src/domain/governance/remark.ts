import { microsToAmount } from '../money.ts'

/** What a rule checks; the `category_id` of findings. */
export const CATEGORIES = [
  'budget_authority',
  'delegation',
  'flight',
  'markets',
  'channels',
  'sellers',
  'audience',
  'regulatory_compliance',
  'brand_policy',
  'human_oversight',
  'delivery',
] as const

export type Category = (typeof CATEGORIES)[number]

/** AdCP check-governance-response.json, `conditions[]`. */
export interface Condition {
  readonly field: string
  /** Absent: the condition is words only, and the caller accepts it by asking again. */
  readonly requiredValue?: unknown
  readonly reason: string
}

/**
 * One thing that a rule has to say. What follows from it: `deny` cannot be lifted by anybody but a new plan; `escalate` waits for a person;
 * `adjust` is settled by the conditions that come with it; `none` is a note.
 */
export interface Remark {
  readonly category: Category
  readonly severity: 'info' | 'warning' | 'critical'
  readonly effect: 'none' | 'deny' | 'escalate' | 'adjust'
  readonly explanation: string
  readonly policyId?: string
  /** The portfolio plan whose rule this is. */
  readonly sourcePlanId?: string
  /** 0 to 1; absent = certain. */
  readonly confidence?: number
  readonly uncertaintyReason?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly conditions?: readonly Condition[]
}

export function deny(category: Category, explanation: string, more: Partial<Remark> = {}): Remark {
  return { category, severity: 'critical', effect: 'deny', explanation, ...more }
}

export function escalate(category: Category, explanation: string, more: Partial<Remark> = {}): Remark {
  return { category, severity: 'critical', effect: 'escalate', explanation, ...more }
}

export function adjust(
  category: Category,
  explanation: string,
  conditions: readonly Condition[],
  more: Partial<Remark> = {},
): Remark {
  return { category, severity: 'warning', effect: 'adjust', explanation, conditions, ...more }
}

export function note(category: Category, severity: Remark['severity'], explanation: string, more: Partial<Remark> = {}): Remark {
  return { category, severity, effect: 'none', explanation, ...more }
}

/** An amount for people, e.g. `50000 USD`. */
export function money(micros: number, currency: string): string {
  return `${microsToAmount(micros)} ${currency}`
}
