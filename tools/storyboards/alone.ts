import type { Judged } from './ceiling.ts'
import { claimedOver } from './claimed.ts'
import type { Stage } from './play.ts'
import { playOfficial, type Say } from './play-parts.ts'

/** What came of the storyboards that were played alone. */
export interface AloneReport {
  readonly played: number
  /** Those that did as well alone as our claims say: on a fresh store, or after the one storyboard that the claim names. */
  readonly passed: readonly string[]
  /** Those that did not, each with the steps that failed or were blocked: they lean on what others leave behind. */
  readonly leaning: readonly { readonly id: string; readonly status: string; readonly steps: readonly string[] }[]
}

/**
 * Plays official storyboards one by one, each against an agent of its own on a fresh store, with which `withStage` calls its argument. Where the claim
 * of one names another that has to come before it, that is played first.
 */
export async function playAlone(
  suite: typeof import('@adcp/sdk/testing'),
  ids: readonly string[],
  withStage: <T>(use: (open: { readonly stage: Stage }) => Promise<T>) => Promise<T>,
  say: Say,
): Promise<AloneReport> {
  const all = suite.listAllComplianceStoryboards().map(({ id }) => id)
  const wanted = ids.length > 0 ? ids : all
  const verdicts: Judged[] = []
  for (const id of wanted) {
    const play = () =>
      withStage(async ({ stage }) => {
        const one = (only: string) => playOfficial(suite, stage, { only: [only], clock: undefined, say: () => {} })
        const before = claimedOver(stage.protocol).find((claim) => claim.id === id)?.after
        if (before !== undefined) await one(before)
        return one(id)
      })
    // On a busy machine a server may take longer to start than it is waited for; a second failure ends the run.
    const { report } = await play().catch(play)
    for (const verdict of report.storyboards) {
      verdicts.push(verdict)
      say(`${verdict.kept ? 'as claimed' : 'NOT ALONE '} ${verdict.status.padEnd(7)} ${verdict.id}${stepsOf(verdict)}`)
    }
  }
  const report = reportOf(verdicts)
  say(`${report.played} storyboards alone on fresh stores: ${report.passed.length} as claimed, ${report.leaning.length} not`)
  return report
}

function stepsOf(verdict: Judged): string {
  if (verdict.kept) return verdict.after === undefined ? '' : ` (after ${verdict.after})`
  return `: ${brokenSteps(verdict).join(', ')}`
}

function brokenSteps({ beyondCeiling, blocked, ceiling }: Judged): string[] {
  return [...beyondCeiling.map(({ step }) => step), ...blocked.filter((step) => !(step in ceiling))]
}

function reportOf(verdicts: readonly Judged[]): AloneReport {
  return {
    played: verdicts.length,
    passed: verdicts.filter(({ kept }) => kept).map(({ id }) => id),
    leaning: verdicts
      .filter(({ kept }) => !kept)
      .map((verdict) => ({ id: verdict.id, status: verdict.status, steps: brokenSteps(verdict) })),
  }
}
