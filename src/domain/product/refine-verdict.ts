/** What became of an entry of `refine` (AdCP get-products-response.json, `refinement_applied`). */
export interface Verdict {
  readonly status: 'applied' | 'partial' | 'unable'
  readonly notes?: string
}

/** `applied` only where nothing of an ask is left undone; `otherwise` is the reason where it says nothing at all. */
export function verdictOf(done: readonly string[], failed: readonly string[], otherwise: string): Verdict {
  if (done.length === 0 && failed.length === 0) return { status: 'unable', notes: otherwise }
  const notes = [
    ...(done.length > 0 ? [`applied: ${done.join('; ')}`] : []),
    ...(failed.length > 0 ? [`not possible: ${failed.join('; ')}`] : []),
  ].join('. ')
  return { status: failed.length === 0 ? 'applied' : done.length === 0 ? 'unable' : 'partial', notes }
}
