import { expect, it } from 'vitest'
import { watchChanges } from '../../../src/features/trusted-match/recent-change.ts'

it('tells for ten seconds that a value changed, not that it was loaded again', async () => {
  const now = { ms: 0 }
  const current = { value: ['a'] }
  const watched = watchChanges(
    async () => current.value,
    () => now.ms,
  )
  expect(await watched.load()).toEqual(['a'])
  expect(watched.changedLately()).toBe(false)
  current.value = ['a']
  await watched.load()
  expect(watched.changedLately()).toBe(false)
  current.value = ['a', 'b']
  expect(await watched.load()).toEqual(['a', 'b'])
  expect(watched.changedLately()).toBe(true)
  now.ms = 9_999
  expect(watched.changedLately()).toBe(true)
  now.ms = 10_000
  expect(watched.changedLately()).toBe(false)
})
