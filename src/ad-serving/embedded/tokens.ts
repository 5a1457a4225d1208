import { createSealedValues, type SealingKeys } from './sealed-values.ts'

/** An ad that was decided on: what its events are counted for. */
export interface Served {
  readonly decisionId: string
  readonly tenantId: string
  readonly lineId: string
  readonly creativeId: string
  readonly place: string
  /** Price of one pricing unit at the time of the decision. */
  readonly rateMicros: number
  /** Whether who asked is a program that says so. */
  readonly isBot: boolean
  /** Milliseconds of the decision. */
  readonly at: number
  /** Milliseconds of video that the ad plays: 0 when they are not known, undefined when it plays none. */
  readonly playsMs?: number | undefined
}

/** Seals what an ad's addresses carry, and reads it back: a page learns neither publisher, line nor price from it. */
export interface AdTokens {
  sign(served: Served): string
  /** Undefined for what this deployment did not seal. */
  read(token: string): Served | undefined
}

/** Makes tokens of ads. */
export function createAdTokens(key: SealingKeys): AdTokens {
  const values = createSealedValues(key)
  return {
    sign: ({ decisionId, tenantId, lineId, creativeId, place, rateMicros, isBot, at, playsMs }) =>
      values.seal([decisionId, tenantId, lineId, creativeId, place, rateMicros, isBot ? 1 : 0, at, playsMs ?? null]),
    read: (token) => servedOf(values.read(token)),
  }
}

/** Only {@link AdTokens.sign} writes what is sealed; the types are checked all the same. */
function servedOf(parts: unknown): Served | undefined {
  if (!Array.isArray(parts)) return undefined
  const [decisionId, tenantId, lineId, creativeId, place, rateMicros, bot, at, plays = 0]: readonly unknown[] = parts
  if (
    typeof decisionId !== 'string' ||
    typeof tenantId !== 'string' ||
    typeof lineId !== 'string' ||
    typeof creativeId !== 'string' ||
    typeof place !== 'string' ||
    typeof rateMicros !== 'number' ||
    typeof at !== 'number'
  )
    return undefined
  // Tokens of before did not say what their ad plays.
  const playsMs = typeof plays === 'number' ? plays : undefined
  return { decisionId, tenantId, lineId, creativeId, place, rateMicros, isBot: bot === 1, at, playsMs }
}
