import { expect, test } from 'vitest'
import { askExamples } from '../../../src/domain/product/ask-examples.ts'
import { product } from '../../support/media-buy-fixtures.ts'

test('examples name channels and money of the plan alone', () => {
  const audio = product('audio', { channels: ['radio'] })
  const posters = product('posters', { channels: ['dooh'] })
  expect(askExamples([audio, posters], 'EUR')).toBe(
    '"radio to 40%", "move 10% from dooh to radio", "halve dooh", "drop dooh", "equal shares", "a budget of 20,000 EUR", "5% off"',
  )
  const shop = product('shop', { channels: ['retail_media'] })
  for (const plan of [[audio], [audio, shop], [product('both', { channels: ['display', 'olv'] })]])
    expect(askExamples(plan, 'EUR')).not.toMatch(/to 40%|retail_media|halve/)
  expect(askExamples([audio], undefined)).toBe('"5% off"')
})
