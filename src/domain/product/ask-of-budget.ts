import type { Ask } from './ask.ts'
import type { BudgetAsk } from './ask-clause.ts'
import { isIn } from './ask-money.ts'
import type { Subject } from './ask-subject.ts'
import type { Proposal } from './proposal.ts'

/** The most that a plan can spend, major units of its currency, and why. */
export interface WhatIsLeft {
  readonly most: number
  readonly why: string
}

interface BudgetAsked {
  /** Major units of the plan's currency. */
  readonly target: number
  readonly done: readonly string[]
  readonly failed: readonly string[]
}

function plannedFor(amount: number, currency: string): string {
  return `planned for ${amount} ${currency}`.trim()
}

/** What a plan is made for after an ask, with what was done and what was not, in words. `isAllOf`: whether the plan has nothing but that. */
export function budgetAsked(
  ask: Ask,
  guidance: Proposal['total_budget_guidance'],
  isAllOf: (subject: Subject) => boolean,
): BudgetAsked {
  const { currency = '', recommended = 0 } = guidance ?? {}
  const factor = ask.changes.reduce((product, change) => (change.kind === 'scale' ? product * change.factor : product), 1)
  const asked = ask.budget
  if (asked && !isIn(asked, currency)) {
    const [only, ...others] = asked.currencies ?? []
    const named = others.length > 0 ? `"${asked.text}" may be ${[only, ...others].join(', ')}` : `a budget in ${only}`
    return { target: recommended * factor, done: [], failed: [`${named}: the plan is priced in ${currency}`] }
  }
  if (asked?.of && !isAllOf(asked.of)) {
    const percent = Math.round((asked.amount * 1_000) / recommended) / 10
    const share = percent > 0 && percent < 100 ? `, and ${asked.amount} of ${recommended} ${currency} is ${percent}%` : ''
    const failed = [`"${asked.text}": a part of the plan has a share ("display to 40%"), a budget is for the whole plan${share}`]
    return { target: recommended * factor, done: [], failed }
  }
  const target = asked ? targetOf(asked, recommended) : recommended * factor
  if (target <= 0)
    return { target: recommended, done: [], failed: [`"${asked?.text}": the plan is made for ${recommended} ${currency}`] }
  const isBare = asked !== undefined && asked.currencies === undefined
  const was = asked?.change ? `, was ${recommended}` : ''
  const done = `${plannedFor(Math.round(target * 100) / 100, currency)}${was}${isBare ? ` (the currency of the plan: ${asked.amount} names none)` : ''}`
  return { target, done: factor !== 1 || asked ? [done] : [], failed: [] }
}

/** What a plan is to be made for that is made for an amount. */
function targetOf({ amount, change }: BudgetAsk, recommended: number): number {
  if (change === 'more') return recommended + amount
  if (change === 'less') return recommended - amount
  if (change === 'most') return Math.min(recommended, amount)
  return change === 'least' ? Math.max(recommended, amount) : amount
}

/** The same for no more than is left of the products of the plan, where that is known. */
export function withinLeft(asked: BudgetAsked, currency = '', left: WhatIsLeft | undefined): BudgetAsked {
  if (!left || asked.target <= left.most) return asked
  return { target: left.most, done: [plannedFor(left.most, currency)], failed: [...asked.failed, left.why] }
}
