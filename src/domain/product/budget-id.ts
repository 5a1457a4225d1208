/** Between the id of a plan and the budget that a proposal of it is for. No id of a generated draft has it. */
const SEPARATOR = '~'

/** A proposal for a budget is another one than the plan that it is made from: its id carries the amount, in whole major units of the plan's currency. */
export function idForBudget(planId: string, amount: number): string {
  return `${planId}${SEPARATOR}${Math.round(amount)}`
}

/** The id of the plan and the budget that an id carries; undefined when it carries none. */
export function readBudgetId(id: string): { readonly planId: string; readonly amount: number } | undefined {
  const at = id.lastIndexOf(SEPARATOR)
  const digits = id.slice(at + 1)
  if (at < 1 || !/^[1-9]\d{0,11}$/.test(digits)) return undefined
  return { planId: id.slice(0, at), amount: Number(digits) }
}
