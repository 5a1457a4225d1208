import { expect, it } from 'vitest'
import { createRandomTexts } from '../../../src/ad-serving/embedded/random-texts.ts'

it('gives texts of the wanted length, each once, also beyond what one call to the system gives', () => {
  const next = createRandomTexts(12)
  const texts = Array.from({ length: 1_000 }, next)
  expect(new Set(texts).size).toBe(1_000)
  for (const text of texts) expect(text).toMatch(/^[\w-]{16}$/)
})

it('uses every byte: no position is the same in all texts', () => {
  const next = createRandomTexts(6)
  const texts = Array.from({ length: 600 }, next)
  for (let position = 0; position < 8; position += 1)
    expect(new Set(texts.map((text) => text[position])).size).toBeGreaterThan(30)
})
