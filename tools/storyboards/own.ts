import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Storyboard, StoryboardPhase, StoryboardResult } from '@adcp/sdk/testing'
import { type Act, type Operator, perform, type Values, withValues } from './operator.ts'

/** A story of this project in the official format. What the format has no word for stands under keys with `x-`, which the runner ignores. */
export interface OwnStory extends Storyboard {
  readonly phases: OwnPhase[]
  /** Done at the end in any case, so that the next story finds the publisher as it was. */
  readonly 'x-afterwards'?: readonly Act[]
}

export interface OwnPhase extends StoryboardPhase {
  /** What people at the publisher do before the steps of this phase. */
  readonly 'x-operator'?: readonly Act[]
  /** `$context.<name>` of the key with which the steps of this phase come; default: the key of the demo buyer. */
  readonly 'x-as'?: string
}

/** Plays one phase as a storyboard of its own, beginning with these values. */
export type PlayPhase = (storyboard: Storyboard, values: Values, key: string | undefined) => Promise<StoryboardResult>

const FOLDER = fileURLToPath(new URL('../../storyboards', import.meta.url))

/** The stories of this project, by file name. `load` is the official loader, which checks the format. */
export function ownStories(load: (file: string) => Storyboard, folder = FOLDER): readonly OwnStory[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  return files.sort().map((name) => load(join(folder, name)) as OwnStory)
}

/**
 * Plays a story phase by phase, so that people can act in between; what a phase found out, the next one knows. A failed act of an operator fails
 * the story like a failed step, and ends it.
 */
export async function playOwn(story: OwnStory, play: PlayPhase, operator: Operator): Promise<StoryboardResult> {
  const played: StoryboardResult[] = []
  // Kept apart: what the runner gives back of a secret value may be blanked out.
  let kept: Values = {}
  let found: Values = {}
  const act = async (phase: string, acts: readonly Act[]): Promise<boolean> => {
    try {
      for (const each of acts) kept = { ...kept, ...(await perform(each, operator, { ...found, ...kept })) }
      return true
    } catch (error) {
      played.push(failedAct(story, phase, error))
      return false
    }
  }
  for (const phase of story.phases) {
    if (!(await act(phase.id, phase['x-operator'] ?? []))) break
    if (phase.steps.length === 0) continue
    try {
      const known = { ...found, ...kept }
      const key = phase['x-as'] === undefined ? undefined : String(withValues(phase['x-as'], known))
      const result = await play({ ...story, phases: [credentialsIn(phase, known)] }, known, key)
      played.push(result)
      found = { ...found, ...result.context }
    } catch (error) {
      played.push(failedAct(story, phase.id, error))
      break
    }
  }
  await act('x-afterwards', story['x-afterwards'] ?? [])
  return merged(story, played)
}

/** The runner takes values of the context into requests, but not into credentials. */
function credentialsIn(phase: OwnPhase, values: Values): StoryboardPhase {
  return {
    ...phase,
    steps: phase.steps.map((step) => (step.auth === undefined ? step : { ...step, auth: withValues(step.auth, values) })),
  }
}

function failedAct(story: Storyboard, phase: string, error: unknown): StoryboardResult {
  const step: StoryboardResult['phases'][number]['steps'][number] = {
    step_id: `${phase}:operator`,
    phase_id: phase,
    title: 'What people at the publisher do',
    task: 'x-operator',
    passed: false,
    duration_ms: 0,
    validations: [],
    context: {},
    error: error instanceof Error ? error.message : String(error),
    extraction: { path: 'none' },
  }
  return {
    ...nothing(story),
    overall_passed: false,
    phases: [{ phase_id: phase, phase_title: phase, passed: false, steps: [step], duration_ms: 0 }],
    failed_count: 1,
  }
}

function nothing({ id, title }: Storyboard): StoryboardResult {
  return {
    storyboard_id: id,
    storyboard_title: title,
    agent_url: '',
    overall_passed: true,
    phases: [],
    context: {},
    total_duration_ms: 0,
    passed_count: 0,
    failed_count: 0,
    skipped_count: 0,
    tested_at: new Date().toISOString(),
  }
}

function merged(story: Storyboard, played: readonly StoryboardResult[]): StoryboardResult {
  const sum = (pick: (result: StoryboardResult) => number) => played.reduce((total, result) => total + pick(result), 0)
  const strict = (pick: 'checked' | 'passed' | 'failed' | 'strict_only_failures' | 'lenient_also_failed') =>
    sum(({ strict_validation_summary: summary }) => summary?.[pick] ?? 0)
  return {
    ...nothing(story),
    overall_passed: played.length > 0 && played.every((result) => result.overall_passed),
    phases: played.flatMap((result) => result.phases),
    assertions: played.flatMap((result) => result.assertions ?? []),
    total_duration_ms: sum((result) => result.total_duration_ms),
    passed_count: sum((result) => result.passed_count),
    failed_count: sum((result) => result.failed_count),
    skipped_count: sum((result) => result.skipped_count),
    strict_validation_summary: {
      observable: played.some((result) => result.strict_validation_summary?.observable),
      checked: strict('checked'),
      passed: strict('passed'),
      failed: strict('failed'),
      strict_only_failures: strict('strict_only_failures'),
      lenient_also_failed: strict('lenient_also_failed'),
    },
  }
}
