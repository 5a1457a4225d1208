import { describe, expect, it } from 'vitest'
import { createAnswerCache } from '../../src/pipeline/answer-cache.ts'

describe('the answer cache', () => {
  it('stores an answer from the second time that its key is offered', () => {
    const cache = createAnswerCache()
    cache.offer('key', 1, { payload: { n: 1 } })
    expect(cache.get('key', 1)).toBeUndefined()
    cache.offer('key', 1, { payload: { n: 2 } })
    expect(cache.get('key', 1)).toEqual({ payload: { n: 2 } })
  })

  it('gives an answer for its data version alone', () => {
    const cache = createAnswerCache()
    for (const version of [1, 2]) cache.offer('key', version, { payload: { version } })
    expect([cache.get('key', 1), cache.get('key', 2), cache.get('key', '2')]).toEqual([
      undefined,
      { payload: { version: 2 } },
      undefined,
    ])
    cache.offer('key', 3, { payload: { version: 3 } })
    expect([cache.get('key', 2), cache.get('key', 3)]).toEqual([undefined, { payload: { version: 3 } }])
  })

  it('is bounded by the number of answers', () => {
    const cache = createAnswerCache()
    const keys = Array.from({ length: 2000 }, (_each, n) => `key ${n}`)
    for (const key of keys) for (const _twice of [1, 2]) cache.offer(key, 1, { payload: {} })
    const stored = keys.filter((key) => cache.get(key, 1))
    expect(stored).toEqual(keys.slice(-500))
  })

  it('is bounded by the size of answers, and takes none that is larger than all of it', () => {
    const cache = createAnswerCache()
    const keys = Array.from({ length: 40 }, (_each, n) => `key ${n}`)
    for (const key of keys) for (const _twice of [1, 2]) cache.offer(key, 1, { payload: { text: 'x'.repeat(1_000_000) } })
    expect(keys.filter((key) => cache.get(key, 1))).toEqual(keys.slice(-7))
    for (const _twice of [1, 2]) cache.offer('huge', 1, { payload: { text: 'x'.repeat(9_000_000) } })
    expect(cache.get('huge', 1)).toBeUndefined()
  })

  it('takes no long keys', () => {
    const cache = createAnswerCache()
    const key = 'k'.repeat(5000)
    for (const _thrice of [1, 2, 3]) cache.offer(key, 1, { payload: {} })
    expect(cache.get(key, 1)).toBeUndefined()
  })
})
