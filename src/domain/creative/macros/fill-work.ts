import type { Assets } from '../creative.ts'
import { type Macros, macrosIn } from './fill.ts'

/** Steps of a microsecond each: an encoded value, and fifty characters that are read and written. */
const STEPS_OF_A_MACRO = 2
const CHARACTERS_OF_A_STEP = 50

/** Steps (about a microsecond each) that filling these assets takes, once for each set of macros: a product of what both hold. */
export function fillWork(assets: Assets, inputs: readonly Macros[]): number {
  const text = JSON.stringify(assets)
  const once = Math.ceil(text.length / CHARACTERS_OF_A_STEP)
  return inputs.reduce((sum, macros) => {
    const { count, characters } = macrosIn(text, macros)
    return sum + once + count * STEPS_OF_A_MACRO + Math.ceil(characters / CHARACTERS_OF_A_STEP)
  }, 0)
}
