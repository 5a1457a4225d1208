import type { Ask } from './ask.ts'
import type { Subject } from './ask-changes.ts'
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
  const { currency: named = currency } = ask.budget ?? {}
  if (named !== currency) {
    const failed = [`a budget in ${named}: the plan is priced in ${currency}`]
    return { target: recommended * factor, done: [], failed }
  }
  if (ask.budget?.of && !isAllOf(ask.budget.of)) {
    const failed = [`"${ask.budget.of.text}": a part of the plan has a share ("display to 40%"), a budget is for the whole plan`]
    return { target: recommended * factor, done: [], failed }
  }
  const target = ask.budget?.amount ?? recommended * factor
  const isBare = ask.budget !== undefined && ask.budget.currency === undefined
  const done = `${plannedFor(Math.round(target), currency)}${isBare ? ` (the currency of the plan: ${target} names none)` : ''}`
  return { target, done: factor !== 1 || ask.budget ? [done] : [], failed: [] }
}

/** The same for no more than is left of the products of the plan, where that is known. */
export function withinLeft(asked: BudgetAsked, currency = '', left: WhatIsLeft | undefined): BudgetAsked {
  if (!left || asked.target <= left.most) return asked
  return { target: left.most, done: [plannedFor(left.most, currency)], failed: [...asked.failed, left.why] }
}
