import { describe, expect, it } from 'vitest'
import type { Artifact } from '../../../src/domain/content-standards/artifact.ts'
import type { Policy } from '../../../src/domain/policy.ts'
import { stemOf } from '../../../src/features/content-standards/artifact-text.ts'
import { createKeywordClassifier } from '../../../src/features/content-standards/keyword-classifier.ts'

const classifier = createKeywordClassifier()
const artifact = (content: string, assets: Artifact['assets'] = []): Artifact => ({
  property_rid: 'p',
  artifact_id: 'a',
  assets: [{ type: 'text', content }, ...assets],
})
const outcomeOf = async (text: string, subject: Artifact, more: Partial<Policy> = {}) => {
  const policy: Policy = { policy_id: 'p', enforcement: 'must', policy: text, ...more }
  const [assessment] = await classifier.assess([subject], [policy], {})
  return assessment?.policies[0]?.outcome
}

describe('the keyword classifier', () => {
  it.each([
    ['No violent or controversial imagery', 'A brutal stabbing', 'violated'],
    ['No violent or controversial imagery', 'A controversially received play', 'violated'],
    ['No violent or controversial imagery', 'Spring in the garden', 'met'],
    ['No alcohol, gambling, or tobacco content.', 'He smoked a cigar', 'violated'],
    ['Avoid stock photography', 'Photography of stock exchanges', 'violated'],
    ['Avoid stock photography', 'Photography for beginners', 'met'],
    ['Family-friendly content only. No political advertising.', 'The senator spoke', 'violated'],
    ['Family-friendly content only. No political advertising.', 'A casino night', 'violated'],
    ['Minimum 72 DPI for display assets', 'Anything', 'unjudged'],
    ['Celebrate violence', 'A stabbing', 'unjudged'],
  ])('"%s" on "%s": %s', async (policy, text, outcome) => {
    expect(await outcomeOf(policy, artifact(text))).toBe(outcome)
  })

  it('serves others while it reads the many texts of one artifact', async () => {
    const text = 'spring in the garden, and what grows there '.repeat(1000)
    const many = artifact(
      'x',
      Array.from({ length: 50 }, () => ({ type: 'text', content: text }) as const),
    )
    let others = 0
    let isRunning = true
    const count = () => {
      others++
      if (isRunning) setImmediate(count)
    }
    setImmediate(count)
    await classifier.assess([many], [{ policy_id: 'p', enforcement: 'must', policy: 'No alcohol' }], {})
    isRunning = false
    expect(others).toBeGreaterThan(1)
  })

  it('checks structure where a policy demands it', async () => {
    const policy = 'All images must have alt text'
    const image = { type: 'image', url: 'https://cdn.example/a.png' } as const
    expect(await outcomeOf(policy, artifact('x', [image]))).toBe('violated')
    expect(await outcomeOf(policy, artifact('x', [{ ...image, alt_text: 'A hill' }]))).toBe('met')
  })

  it('does not judge what it cannot see', async () => {
    const image = { type: 'image', url: 'https://cdn.example/trail.png' } as const
    expect(await outcomeOf('No violence', { property_rid: 'p', artifact_id: 'a', assets: [image] })).toBe('unjudged')
    const named = { ...image, url: 'https://cdn.example/violent-scene.png' }
    expect(await outcomeOf('No violence', { property_rid: 'p', artifact_id: 'a', assets: [named] })).toBe('violated')
  })

  it('recognises scenarios of the policy and judged examples', async () => {
    const scenario = { scenario: 'sponsored post about crash diets', explanation: 'harmful' }
    const exemplars = { fail: [scenario] }
    expect(await outcomeOf('Be kind', artifact('A sponsored post about crash diets'), { exemplars })).toBe('violated')
    const known = artifact('The quick brown fox jumps over the lazy dog today')
    const likely = async (content: string, kind: 'pass' | 'fail') =>
      (await classifier.assess([artifact(content)], [], { [kind]: [known] }))[0]?.likeExemplar
    expect(await likely('The quick brown fox jumps over the lazy dog', 'fail')).toBe('fail')
    expect(await likely('The quick brown fox jumps over the lazy dog', 'pass')).toBe('pass')
    expect(await likely('Something else entirely', 'fail')).toBeUndefined()
  })

  it.each([
    ['violent violence violently', 'viol'],
    ['gamble gambling gambler gambled', 'gambl'],
    ['controversy controversial controversially', 'controv'],
  ])('%s share a stem', (words, stem) => {
    expect(new Set(words.split(' ').map(stemOf))).toEqual(new Set([stem]))
  })
})
