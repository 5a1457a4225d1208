import type { StoryboardResult } from '@adcp/sdk/testing'

/** One thing that a storyboard found wrong. `step` is a step id, or `invariant:<id>` for a rule that watches the whole storyboard. */
export interface Failure {
  readonly step: string
  readonly task: string
  readonly check: string
  readonly message: string
}

/** Responses measured by the suite's strict JSON Schema verdict, which it reports beside its own lenient one. */
export interface StrictCount {
  readonly checked: number
  readonly failed: number
}

/**
 * passed: something ran, nothing failed and nothing was blocked. partial: nothing failed, but steps were blocked.
 * skipped: nothing but capability discovery could run.
 */
export type Status = 'passed' | 'partial' | 'failed' | 'skipped'

/** The verdict on one storyboard. */
export interface Verdict {
  readonly id: string
  readonly status: Status
  readonly steps: { readonly passed: number; readonly failed: number; readonly skipped: number }
  readonly failures: readonly Failure[]
  /** Steps that ran and passed. */
  readonly held: readonly string[]
  /** Steps that could not run because an earlier one gave them nothing to work with. */
  readonly blocked: readonly string[]
  /** Step id and first complaint of each response that only the strict schema check rejects. */
  readonly strictOnly: readonly Failure[]
  readonly strict: StrictCount
  readonly durationMs: number
}

/** Longest message printed for a failure; the full result is in `--json`. */
const MESSAGE_LIMIT = 300
const SHARED_FIRST_STEP = 'get_adcp_capabilities'

const NOTHING_REQUIRED_PASSED: Failure = { step: 'storyboard', task: '', check: 'overall', message: 'no required phase passed' }

type Step = StoryboardResult['phases'][number]['steps'][number]
type Assertion = NonNullable<StoryboardResult['assertions']>[number]

/**
 * Counts what a storyboard did. The suite's own exit code and track status are no verdict: a run with failed steps ends "partial".
 * @param optionalPhases phases whose failures the suite forgives, because a sibling branch can carry the requirement
 */
export function verdictOf(result: StoryboardResult, optionalPhases: ReadonlySet<string>): Verdict {
  const steps = result.phases.flatMap((phase) => phase.steps)
  const ran = steps.filter((step) => !step.skipped)
  const failed = countedFailures(result, ran, optionalPhases)
  const invariants = (result.assertions ?? []).filter((assertion) => !assertion.passed)
  const failures = [...failed.map(stepFailure), ...invariants.map(invariantFailure)]
  if (failures.length === 0 && ran.length > 0 && !result.overall_passed) failures.push(NOTHING_REQUIRED_PASSED)
  const tested = ran.length === steps.length || ran.some((step) => step.passed && step.task !== SHARED_FIRST_STEP)
  const blocked = steps.filter((step) => step.skip?.reason === 'prerequisite_failed').map((step) => step.step_id)
  const strict = result.strict_validation_summary
  return {
    id: result.storyboard_id,
    status: statusOf(failures.length, blocked.length, tested && ran.length > 0),
    steps: { passed: ran.filter((step) => step.passed).length, failed: failed.length, skipped: steps.length - ran.length },
    failures,
    held: ran.filter((step) => step.passed).map((step) => step.step_id),
    blocked,
    strictOnly: steps.flatMap(strictFailures),
    strict: { checked: strict?.checked ?? 0, failed: strict?.failed ?? 0 },
    durationMs: result.total_duration_ms,
  }
}

function statusOf(failures: number, blocked: number, tested: boolean): Status {
  if (failures > 0) return 'failed'
  if (!tested) return 'skipped'
  return blocked > 0 ? 'partial' : 'passed'
}

/** The suite's own count decides whether failures in optional phases were forgiven. */
function countedFailures(result: StoryboardResult, ran: readonly Step[], optionalPhases: ReadonlySet<string>): Step[] {
  const failed = ran.filter((step) => !step.passed)
  const required = failed.filter((step) => !optionalPhases.has(step.phase_id))
  return result.failed_count > required.length ? failed : required
}

function stepFailure(step: Step): Failure {
  const first = step.validations.find((validation) => !validation.passed)
  const message = [first?.error ?? first?.description, first === undefined ? undefined : step.error].filter(Boolean).join(' | ')
  return { step: step.step_id, task: step.task, check: first?.check ?? 'call', message: clip(message || step.error || 'failed') }
}

function invariantFailure(found: Assertion): Failure {
  const message = clip(found.error ?? found.description)
  return { step: `invariant:${found.assertion_id}`, task: found.step_id ?? '', check: found.assertion_id, message }
}

function strictFailures(step: Step): Failure[] {
  return step.validations.flatMap((validation) => {
    if (!validation.passed || validation.strict === undefined || validation.strict.valid) return []
    const issue = validation.strict.issues?.[0]
    const message = issue === undefined ? 'rejected' : `${issue.instance_path} ${issue.message}`
    return [{ step: step.step_id, task: step.task, check: 'strict_schema', message: clip(message) }]
  })
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MESSAGE_LIMIT ? `${line.slice(0, MESSAGE_LIMIT)}…` : line
}
