import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Artifact } from '../../../src/domain/content-standards/artifact.ts'
import type { StandardsDocument } from '../../../src/domain/content-standards/content-standards.ts'
import { type ArtifactAssessment, judge } from '../../../src/domain/content-standards/judge.ts'
import type { Policy } from '../../../src/domain/policy.ts'

const now = new Date('2026-03-01T12:00:00Z')
const artifact: Artifact = { property_rid: 'p', artifact_id: 'a', assets: [] }
const document = (policies: readonly Policy[], scope: StandardsDocument['scope'] = {}): StandardsDocument => ({
  scope,
  policies,
  exemplars: {},
})
const policy = (policy_id: string, enforcement: Policy['enforcement']): Policy => ({ policy_id, enforcement, policy: 'text' })
const assess = (outcomes: Readonly<Record<string, 'met' | 'violated' | 'unjudged'>>): ArtifactAssessment => ({
  policies: Object.entries(outcomes).map(([policyId, outcome]) => ({ policyId, outcome, confidence: 0.8, explanation: outcome })),
})

describe('judge', () => {
  it('fails exactly when a policy that must be kept is violated', () => {
    const outcome = fc.constantFrom('met', 'violated', 'unjudged')
    const entry = fc.tuple(fc.constantFrom('must', 'should', 'may'), outcome)
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
        const policies = entries.map(([enforcement], index) => policy(`p${index}`, enforcement as Policy['enforcement']))
        const outcomes = Object.fromEntries(entries.map(([, each], index) => [`p${index}`, each]))
        const judgement = judge(document(policies), artifact, assess(outcomes as never), {}, now)
        const violated = entries.some(([enforcement, each]) => enforcement === 'must' && each === 'violated')
        expect(judgement.verdict).toBe(violated ? 'fail' : 'pass')
        expect(judgement.features.some(({ status }) => status === 'failed')).toBe(violated)
        expect(judgement.confidence).toBeGreaterThanOrEqual(0)
        expect(judgement.confidence).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('a passing example turns failures into warnings, a failing one fails by itself', () => {
    const bound = document([policy('p', 'must')])
    const like = (likeExemplar: 'pass' | 'fail', outcome: 'met' | 'violated') =>
      judge(bound, artifact, { ...assess({ p: outcome }), likeExemplar }, {}, now)
    expect(like('pass', 'violated')).toMatchObject({ verdict: 'pass', features: [{ status: 'warning' }] })
    expect(like('fail', 'met')).toMatchObject({
      verdict: 'fail',
      features: [{ status: 'passed' }, { featureId: 'calibration_exemplar', status: 'failed' }],
    })
  })

  it.each([
    [{ countries_all: ['DE'] }, { country: 'de' }, 'fail'],
    [{ countries_all: ['DE'] }, { country: 'US' }, 'pass'],
    [{ countries_all: ['DE'] }, {}, 'fail'],
    [{ channels_any: ['display'] }, { channel: 'olv' }, 'pass'],
  ] as const)('scope %o at %o: %s', (scope, place, verdict) => {
    const standards = document([policy('p', 'must')], scope as never)
    expect(judge(standards, artifact, assess({ p: 'violated' }), place, now).verdict).toBe(verdict)
  })

  it.each([
    ['en-GB', ['en'], 'fail'],
    ['en', ['en-GB'], 'pass'],
    ['de', ['en', '*'], 'fail'],
    ['de', ['en'], 'pass'],
  ])('content in %s under %o: %s', (language, languages_any, verdict) => {
    const spoken: Artifact = { ...artifact, assets: [{ type: 'text', content: 'x', language }] }
    const standards = document([policy('p', 'must')], { languages_any })
    expect(judge(standards, spoken, assess({ p: 'violated' }), {}, now).verdict).toBe(verdict)
  })
})
