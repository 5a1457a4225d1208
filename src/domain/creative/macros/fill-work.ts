import type { Assets } from '../assets.ts'
import { type Macros, macrosIn } from './fill.ts'

/** Steps of a microsecond each: an encoded value, and fifty characters that are read and written. */
const STEPS_OF_A_MACRO = 2
const CHARACTERS_OF_A_STEP = 50

/** Steps (about a microsecond each) that filling these assets takes, once for each set of macros: a product of what both hold. */
export function fillWork(assets: Assets, inputs: readonly Macros[]): number {
  const text = JSON.stringify(assets)
  const counts = macrosIn(text)
  const once = Math.ceil(text.length / CHARACTERS_OF_A_STEP)
  return inputs.reduce((sum, macros) => sum + once + stepsOf(macros, counts), 0)
}

function stepsOf(macros: Macros, counts: ReadonlyMap<string, number>): number {
  const steps = Object.entries(macros).map(([name, value = '']) => {
    const count = counts.get(name) ?? 0
    return count * STEPS_OF_A_MACRO + Math.ceil((count * value.length) / CHARACTERS_OF_A_STEP)
  })
  return steps.reduce((sum, each) => sum + each, 0)
}
