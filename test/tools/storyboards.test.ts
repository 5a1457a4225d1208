import type { Storyboard, StoryboardResult } from '@adcp/sdk/testing'
import { describe, expect, test } from 'vitest'
import { judge, totalsOf } from '../../tools/storyboards/ceiling.ts'
import { claimedOver } from '../../tools/storyboards/claimed.ts'
import { linesOf, TABLE_END, TABLE_START, tableOf, totalLines, withTable } from '../../tools/storyboards/render.ts'
import { declaredIn, type Suite, selectStoryboards } from '../../tools/storyboards/select.ts'
import { type Verdict, verdictOf } from '../../tools/storyboards/verdict.ts'

type Step = StoryboardResult['phases'][number]['steps'][number]

const step = (step_id: string, more: Partial<Step> = {}): Step => ({
  step_id,
  phase_id: 'main',
  title: step_id,
  task: 'create_media_buy',
  passed: true,
  duration_ms: 1,
  validations: [],
  context: {},
  extraction: { path: 'none' },
  ...more,
})
const failing = (step_id: string, more: Partial<Step> = {}) =>
  step(step_id, {
    passed: false,
    validations: [{ check: 'error_code', passed: false, description: 'typed', error: 'got X' }],
    ...more,
  })
const blocked = (step_id: string) =>
  step(step_id, { passed: false, skipped: true, skip: { reason: 'prerequisite_failed', detail: '' } })
const absent = (step_id: string) => step(step_id, { skipped: true, skip: { reason: 'missing_tool', detail: '' } })

const result = (steps: Step[], more: Partial<StoryboardResult> = {}): StoryboardResult => {
  const phases = [...new Set(steps.map(({ phase_id }) => phase_id))]
  const failed = steps.filter((each) => !each.passed && !each.skipped).length
  return {
    storyboard_id: 'story',
    storyboard_title: 'Story',
    agent_url: 'http://127.0.0.1:1/mcp',
    overall_passed: failed === 0,
    phases: phases.map((phase_id) => ({
      phase_id,
      phase_title: phase_id,
      passed: true,
      duration_ms: 1,
      steps: steps.filter((each) => each.phase_id === phase_id),
    })),
    context: {},
    total_duration_ms: 1,
    passed_count: steps.length - failed,
    failed_count: failed,
    skipped_count: 0,
    tested_at: '2026-03-16T12:00:00Z',
    ...more,
  }
}
const none: ReadonlySet<string> = new Set()

describe('verdictOf', () => {
  test('counts steps and takes the first complaint of a failed one', () => {
    const verdict = verdictOf(result([step('a'), failing('b'), absent('c')]), none)
    expect(verdict.status).toBe('failed')
    expect(verdict.steps).toEqual({ passed: 1, failed: 1, skipped: 1 })
    expect(verdict.failures).toEqual([{ step: 'b', task: 'create_media_buy', check: 'error_code', message: 'got X' }])
  })

  test('a broken invariant fails a storyboard whose steps all passed', () => {
    const assertions = [
      { assertion_id: 'status.monotonic', passed: false, description: 'd', scope: 'step', error: 'paused to start' },
    ] as const
    const verdict = verdictOf(result([step('a')], { overall_passed: false, assertions: [...assertions] }), none)
    expect(verdict.status).toBe('failed')
    expect(verdict.failures[0]?.step).toBe('invariant:status.monotonic')
  })

  test('forgives an optional phase only as far as the suite did', () => {
    const steps = [step('a'), failing('b', { phase_id: 'oauth' })]
    const optional = new Set(['oauth'])
    expect(verdictOf(result(steps, { failed_count: 0, overall_passed: true }), optional).status).toBe('passed')
    expect(verdictOf(result(steps), optional).failures.map((failure) => failure.step)).toEqual(['b'])
  })

  test('is skipped when only capability discovery ran, passed when that is all there is', () => {
    const discovery = step('capabilities', { task: 'get_adcp_capabilities' })
    expect(verdictOf(result([discovery, absent('b')]), none).status).toBe('skipped')
    expect(verdictOf(result([discovery]), none).status).toBe('passed')
    expect(verdictOf(result([absent('a')]), none).status).toBe('skipped')
  })

  test('blocked steps make it partial, however green the rest', () => {
    const verdict = verdictOf(result([step('a'), blocked('b')]), none)
    expect(verdict.status).toBe('partial')
    expect(verdict.blocked).toEqual(['b'])
  })

  test('nothing required passed is a failure without a failed step', () => {
    expect(verdictOf(result([step('a')], { overall_passed: false }), none).failures[0]?.check).toBe('overall')
  })

  test('keeps what only the strict schemas reject', () => {
    const issue = { instance_path: '/media_buy_id', schema_path: '#', keyword: 'type', message: 'must be string' }
    const strict = { valid: false, variant: 'sync', issues: [issue] }
    const validation = { check: 'response_schema', passed: true, description: 'schema', strict }
    const summary = { observable: true, checked: 1, passed: 0, failed: 1, strict_only_failures: 1, lenient_also_failed: 0 }
    const verdict = verdictOf(result([step('a', { validations: [validation] })], { strict_validation_summary: summary }), none)
    expect(verdict.strict).toEqual({ checked: 1, failed: 1 })
    expect(verdict.strictOnly[0]?.message).toBe('/media_buy_id must be string')
    expect(judge(verdict, [{ id: 'story' }]).kept).toBe(false)
  })
})

const verdict = (more: Partial<Verdict> = {}): Verdict => ({ ...verdictOf(result([step('a')]), none), ...more })

describe('judge', () => {
  const claim = { id: 'story', ceiling: { b: 'needs webhooks' } }

  test('a failure within the ceiling keeps the claim, any other breaks it', () => {
    const within = judge(verdictOf(result([step('a'), failing('b')]), none), [claim])
    expect([within.kept, within.ceiling]).toEqual([true, { b: 'needs webhooks' }])
    const beyond = judge(verdictOf(result([failing('a'), failing('b')]), none), [claim])
    expect([beyond.kept, beyond.beyondCeiling.map((failure) => failure.step)]).toEqual([false, ['a']])
  })

  test('an unclaimed storyboard may fail, a claimed one may not even be skipped or blocked', () => {
    expect(judge(verdictOf(result([failing('a')]), none), []).kept).toBe(true)
    expect(judge(verdictOf(result([absent('a')]), none), [{ id: 'story' }]).kept).toBe(false)
    expect(judge(verdictOf(result([step('a'), blocked('c')]), none), [claim]).kept).toBe(false)
  })

  test('says when a ceiling can be removed: its step passed, not merely stayed away', () => {
    expect(judge(verdictOf(result([step('b')]), none), [claim]).liftable).toEqual(['b'])
    expect(judge(verdictOf(result([step('a'), absent('b')]), none), [claim]).liftable).toEqual([])
  })
})

describe('claimedOver', () => {
  const stopped = verdictOf(result([failing('si_initiate_session'), blocked('si_send_message')]), none)

  test('the same storyboards are claimed over both transports', () => {
    expect(claimedOver('a2a').map(({ id }) => id)).toEqual(claimedOver('mcp').map(({ id }) => id))
  })

  test('what the A2A client of the suite cannot read may stop there, and over MCP may not', () => {
    const verdict = { ...stopped, id: 'si_baseline' }
    expect(judge(verdict, claimedOver('a2a'))).toMatchObject({ claimed: true, kept: true })
    expect(judge(verdict, claimedOver('mcp'))).toMatchObject({ claimed: true, kept: false })
  })

  test('what is allowed over MCP is allowed over A2A', () => {
    const verdict = { ...verdictOf(result([step('a'), failing('verify_terminated_session')]), none), id: 'deterministic_testing' }
    for (const protocol of ['mcp', 'a2a'] as const) expect(judge(verdict, claimedOver(protocol)).kept).toBe(true)
  })
})

describe('totalsOf', () => {
  test('a claimed storyboard that the agent no longer declares breaks its claim', () => {
    const claims = [{ id: 'story' }, { id: 'gone' }]
    const totals = totalsOf([judge(verdict(), claims)], ['gone', 'other'], claims)
    expect(totals.brokenClaims).toEqual(['gone'])
    expect(totals.storyboards).toEqual({ passed: 1, partial: 0, failed: 0, skipped: 0, notDeclared: 2 })
  })
})

describe('rendering', () => {
  const claims = [{ id: 'story', ceiling: { b: 'needs webhooks' } }]
  const judged = [judge(verdictOf(result([step('a'), failing('b')]), none), claims), judge(verdict({ id: 'second' }), claims)]
  const totals = totalsOf(judged, [], claims)
  const head = { suiteVersion: '3.0.6', clock: '2026-03-16T12:00:00Z' }

  test('a line names the step, the check and the reason of the ceiling', () => {
    const text = judged.flatMap(linesOf).join('\n')
    expect(text).toContain('1 passed, 1 failed, 0 skipped  claimed')
    expect(text).toContain('b [error_code] got X (allowed: needs webhooks)')
    expect(totalLines(totals).at(-1)).toBe('every claim kept')
  })

  test('the table has a row a storyboard, the clock and no time of the run', () => {
    const table = tableOf(judged, totals, head)
    expect(table).toContain('| `story` | passed but for the note | 1 | 1 | 0 | `b`: needs webhooks |')
    expect(table).toContain('| `second` | passed | 1 | 0 | 0 |  |')
    expect(table).toContain('clock of suite and server set to 2026-03-16T12:00:00Z')
    expect(
      tableOf(
        judged.map((each) => ({ ...each, durationMs: 999 })),
        totals,
        head,
      ),
    ).toBe(table)
  })

  test('replaces what stands between the markers, and only that', () => {
    const document = `before\n${TABLE_START}\nold\n${TABLE_END}\nafter`
    const renewed = withTable(document, 'new')
    expect(renewed).toBe(`before\n${TABLE_START}\nnew\n${TABLE_END}\nafter`)
    expect(withTable(renewed, 'new')).toBe(renewed)
    expect(() => withTable('no markers', 'new')).toThrow(TABLE_START)
  })
})

describe('selectStoryboards', () => {
  const board = (id: string, more: Partial<Storyboard> = {}) => ({ id, phases: [], ...more }) as unknown as Storyboard
  const all = [
    board('universal'),
    board('scenario'),
    board('parent', { requires_scenarios: ['scenario', 'universal'] }),
    board('other'),
  ]
  const suite: Suite = {
    listAllComplianceStoryboards: () => all,
    resolveStoryboardsForCapabilities: () => ({ storyboards: [all[0]!, all[2]!], bundles: [], not_applicable: [] }),
    resolveBundleOrStoryboard: (id) => (id === 'bundle' ? [all[1]!, all[3]!] : []),
  }
  const declared = declaredIn({
    adcp: { major_versions: [3] },
    supported_protocols: ['media_buy'],
    specialisms: ['sales-guaranteed', 7],
  })

  test('puts required scenarios before their parent and reports what is not declared', () => {
    const selection = selectStoryboards(suite, declared)
    expect(selection.run.map(({ id }) => id)).toEqual(['universal', 'scenario', 'parent'])
    expect(selection.notDeclared.map(({ id }) => id)).toEqual(['other'])
  })

  test('--only takes storyboards and bundles, in the order of the suite, and refuses unknown ids', () => {
    expect(selectStoryboards(suite, declared, ['bundle', 'universal']).run.map(({ id }) => id)).toEqual([
      'universal',
      'scenario',
      'other',
    ])
    expect(() => selectStoryboards(suite, declared, ['nonsense'])).toThrow('nonsense')
  })

  test('reads declarations without trusting their types', () => {
    expect(declared).toEqual({ supportedProtocols: ['media_buy'], specialisms: ['sales-guaranteed'], majorVersions: [3] })
    expect(declaredIn('nothing')).toEqual({ supportedProtocols: [], specialisms: [], majorVersions: [] })
  })
})
