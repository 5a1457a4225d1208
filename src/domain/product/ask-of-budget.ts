import type { Ask } from './ask.ts'
import type { Subject } from './ask-changes.ts'
import type { Proposal } from './proposal.ts'

/** What a plan is made for after an ask, with what was done and what was not, in words. `isAllOf`: whether the plan has nothing but that. */
export function budgetAsked(ask: Ask, guidance: Proposal['total_budget_guidance'], isAllOf: (subject: Subject) => boolean) {
  const { currency = '', recommended = 0 } = guidance ?? {}
  const factor = ask.changes.reduce((product, change) => (change.kind === 'scale' ? product * change.factor : product), 1)
  if (ask.budget && ask.budget.currency !== currency) {
    const failed = [`a budget in ${ask.budget.currency}: the plan is priced in ${currency}`]
    return { target: recommended * factor, done: [], failed }
  }
  if (ask.budget?.of && !isAllOf(ask.budget.of)) {
    const failed = [`"${ask.budget.of.text}": a part of the plan has a share ("display to 40%"), a budget is for the whole plan`]
    return { target: recommended * factor, done: [], failed }
  }
  const target = ask.budget?.amount ?? recommended * factor
  const done = factor !== 1 || ask.budget ? [`planned for ${Math.round(target)} ${currency}`.trim()] : []
  return { target, done, failed: [] }
}
