import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contracts, LINES, type ReleaseAgent, startReleaseAgent } from '../support/release-agent.ts'
import { faultsOf, filledRequest, type StoryStep, storyPhases, valueAt } from '../support/story-steps.ts'
import { wheelIsMissing, wheelStory } from '../support/wheel.ts'

const text = await wheelStory('reporting-core')
const missing = wheelIsMissing ?? (LINES.includes('3.2') ? undefined : 'release 3.2 is not built in')
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (missing !== undefined) console.log(`The official story of reporting.core is not played: ${missing}.`)
const phases = text === undefined ? [] : storyPhases(text)

/** The release whose schemas judge requests and answers: those of the same wheel. */
const contract = contracts.all.find(({ line }) => line === '3.2')

describe.skipIf(missing !== undefined)('the official story reporting_core', () => {
  let agent: ReleaseAgent
  const kept = new Map<string, unknown>()
  const issuesOf = (schema: string, value: unknown) =>
    (contract?.schemas.validator(schema)(value as object) ?? []).map(({ pointer, message }) => `${pointer} ${message}`)

  beforeAll(async () => {
    // The address under which documents of reports are published has to be https.
    agent = await startReleaseAgent({ flags: { publicUrl: 'https://seller.example', mode: 'development' } })
  }, 120_000)
  afterAll(() => agent?.stop())

  it('finds what it requires in the capabilities', async () => {
    const { data } = await agent.ask('3.2', 'get_adcp_capabilities')
    expect(data.media_buy.reporting_delivery).toMatchObject({ supported: true, reliable_reporting_version: '1.0' })
    const scenarios = phases.flatMap(({ steps }) => steps.map(({ comply_scenario }) => comply_scenario))
    expect(data.compliance_testing.scenarios).toEqual(expect.arrayContaining([...new Set(scenarios)]))
    expect(phases.map(({ id }) => id)).toHaveLength(4)
  })

  const play = async (step: StoryStep) => {
    const request = filledRequest(step.sample_request, kept) as Record<string, unknown>
    // The schema of what is to be refused is what refuses it.
    if (!step.expect_error) expect(issuesOf(step.schema_ref, request), step.id).toEqual([])
    const { data, isError } = await agent.ask('3.2', step.task, request)
    const schema = step.response_schema_ref
    const answer = {
      data,
      errorCode: isError ? String(data.adcp_error?.code) : undefined,
      schemaIssues: schema === undefined ? undefined : issuesOf(schema, data),
    }
    expect(faultsOf(step, answer, kept), `${step.id}: ${JSON.stringify(data).slice(0, 2_000)}`).toEqual([])
    for (const { name, path } of step.context_outputs ?? []) {
      const value = valueAt(data, path)
      expect(value, `${step.id} keeps ${name}`).toBeDefined()
      kept.set(name, value)
    }
  }

  for (const { id, steps } of phases)
    it(`passes its phase ${id}`, async () => {
      for (const step of steps) await play(step)
    })

  it('binds the rows that its pages gave by their digest', () => {
    const binding = kept.get('reporting_core_nonempty_binding') as { content_sha256: string; control_totals: object }
    const { content_sha256: digest, ...rest } = binding
    const rows = ['first', 'second'].flatMap((name) => kept.get(`reporting_core_nonempty_${name}_rows`))
    expect(hash('sha256', canonicalize({ ...rest, reporting_rows: rows }) ?? '', 'hex')).toBe(digest)
  })
})
