import type { Failure, Verdict } from './verdict.ts'

/** A storyboard that we claim. `ceiling` names the steps (or `invariant:<id>`) that may fail or stay blocked, each with its reason. */
export interface Claim {
  readonly id: string
  /** The storyboard that has to have been played on the same store before: it seeds products which this one names and does not seed. */
  readonly after?: string
  readonly ceiling?: Readonly<Record<string, string>>
}

/** A verdict held against our claim. */
export interface Judged extends Verdict {
  readonly claimed: boolean
  /** See {@link Claim}. */
  readonly after?: string
  /** False only for a claimed storyboard that was skipped, failed or was blocked beyond its ceiling, or that the strict schemas reject. */
  readonly kept: boolean
  /** Failures that the ceiling does not cover. */
  readonly beyondCeiling: readonly Failure[]
  /** Ceiling entries that were needed, with their reasons. */
  readonly ceiling: Readonly<Record<string, string>>
  /** Ceiling entries whose step ran and passed: they can be removed. */
  readonly liftable: readonly string[]
}

/** Totals of a run. */
export interface Totals {
  readonly storyboards: {
    readonly passed: number
    readonly partial: number
    readonly failed: number
    readonly skipped: number
    readonly notDeclared: number
  }
  readonly steps: { readonly passed: number; readonly failed: number; readonly skipped: number }
  readonly strict: { readonly checked: number; readonly failed: number }
  readonly brokenClaims: readonly string[]
}

/** Holds one verdict against the list of claims. */
export function judge(verdict: Verdict, claims: readonly Claim[]): Judged {
  const claim = claims.find(({ id }) => id === verdict.id)
  const allowed = claim?.ceiling ?? {}
  const stopped = new Set([...verdict.failures.map(({ step }) => step), ...verdict.blocked])
  const beyondCeiling = verdict.failures.filter(({ step }) => !(step in allowed))
  const blockedBeyond = verdict.blocked.filter((step) => !(step in allowed))
  const clean = beyondCeiling.length === 0 && blockedBeyond.length === 0 && verdict.strictOnly.length === 0
  return {
    ...verdict,
    claimed: claim !== undefined,
    ...(claim?.after !== undefined && { after: claim.after }),
    kept: claim === undefined || (verdict.status !== 'skipped' && clean),
    beyondCeiling,
    ceiling: Object.fromEntries(Object.entries(allowed).filter(([step]) => stopped.has(step))),
    liftable: Object.keys(allowed).filter((step) => verdict.held.includes(step) && !stopped.has(step)),
  }
}

/** Holds a verdict on one of our own storyboards: all of it has to run and to pass, for nobody wrote it but us. */
export function judgeOwn(verdict: Verdict): Judged {
  const judged = judge(verdict, [{ id: verdict.id }])
  return { ...judged, kept: judged.kept && verdict.status === 'passed' && verdict.steps.skipped === 0 }
}

/** Sums up a run. A claimed storyboard that did not run at all breaks its claim, unless the run was restricted to others. */
export function totalsOf(judged: readonly Judged[], notDeclared: readonly string[], claims: readonly Claim[]): Totals {
  const count = (status: Verdict['status']) => judged.filter((each) => each.status === status).length
  const sum = (pick: (each: Judged) => number) => judged.reduce((total, each) => total + pick(each), 0)
  const missing = claims.filter(({ id }) => notDeclared.includes(id)).map(({ id }) => id)
  return {
    storyboards: {
      passed: count('passed'),
      partial: count('partial'),
      failed: count('failed'),
      skipped: count('skipped'),
      notDeclared: notDeclared.length,
    },
    steps: {
      passed: sum(({ steps }) => steps.passed),
      failed: sum(({ steps }) => steps.failed),
      skipped: sum(({ steps }) => steps.skipped),
    },
    strict: { checked: sum(({ strict }) => strict.checked), failed: sum(({ strict }) => strict.failed) },
    brokenClaims: [...judged.filter(({ kept }) => !kept).map(({ id }) => id), ...missing],
  }
}
