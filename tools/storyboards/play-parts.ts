import { type Judged, judge, judgeOwn, totalsOf } from './ceiling.ts'
import { claimedOver } from './claimed.ts'
import type { OpenStage } from './open-stage.ts'
import { type OwnStory, playOwn } from './own.ts'
import type { Stage } from './play.ts'
import { linesOf, tableOf, totalLines } from './render.ts'
import { declaredIn, selectStoryboards } from './select.ts'
import { verdictOf } from './verdict.ts'

/** What a run says while it plays. */
export type Say = (line: string) => void

/** Nothing but waiting for webhooks. */
const WEBHOOKS_ONLY = 'webhook_emission'

/** Plays the official stories that fit what the agent declares (`only`: of these). `clock`: of suite and server, for the table. */
export async function playOfficial(
  suite: typeof import('@adcp/sdk/testing'),
  stage: Stage,
  { only, clock, say }: { readonly only: readonly string[]; readonly clock: string | undefined; readonly say: Say },
) {
  const { capabilitiesOf, play } = await import('./play.ts')
  const selection = selectStoryboards(suite, declaredIn(await capabilitiesOf(stage)), only)
  const session = `storyboards-${Date.now()}`
  const claims = claimedOver(stage.protocol)
  const judged: Judged[] = []
  for (const storyboard of selection.run) {
    if (!stage.webhooks && storyboard.id === WEBHOOKS_ONLY) continue
    const optional = new Set(storyboard.phases.filter((phase) => phase.optional).map((phase) => phase.id))
    const verdict = judge(verdictOf(await play(stage, storyboard, session), optional), claims)
    judged.push(verdict)
    for (const line of linesOf(verdict)) say(line)
  }
  const notDeclared = selection.notDeclared.map(({ id }) => id)
  const totals = totalsOf(judged, notDeclared, claims)
  for (const line of totalLines(totals)) say(line)
  const suiteVersion = suite.loadComplianceIndex().adcp_version
  return {
    report: { suiteVersion, totals, storyboards: judged, notDeclared },
    table: tableOf(judged, totals, { suiteVersion, clock }),
  }
}

/** Our own stories, on an agent of their own: the official ones leave a full store behind. */
export async function playOurs(
  { stage, operator }: Pick<OpenStage, 'stage' | 'operator'>,
  stories: readonly OwnStory[],
  say: Say,
) {
  const { play } = await import('./play.ts')
  const judged: Judged[] = []
  for (const story of stories) {
    const session = `own-${story.id}`
    const result = await playOwn(
      story,
      (phase, values, key) => play({ ...stage, key: key ?? stage.key }, phase, session, values),
      operator,
    )
    const verdict = judgeOwn(verdictOf(result, new Set()))
    judged.push(verdict)
    for (const line of linesOf(verdict)) say(`own ${line}`)
  }
  const totals = totalsOf(judged, [], [])
  for (const line of totalLines(totals)) say(`own ${line}`)
  return { report: { totals, storyboards: judged } }
}
