import type { Fleet } from './fleet.ts'

/** What `doctor --store` says. */
export interface Diagnosis {
  /** Tables that rules were looked at for. */
  readonly tables: number
  readonly rules: number
  /** Media buys that stored answers acknowledge. */
  readonly answers: number
  /** Broken rules as JSON text. */
  readonly problems: readonly string[]
}

/** A statement of the doctor that the database had no time for is no finding about the store. */
const ATTEMPTS = 3

/** Runs `doctor --store` on the shared store. @throws Error when it says nothing, several times */
export async function diagnose(fleet: Pick<Fleet, 'command'>): Promise<Diagnosis> {
  for (let attempt = 1; ; attempt++) {
    try {
      return diagnosisOf(await fleet.command('doctor', '--store'))
    } catch (error) {
      // It ends with code 1 when it found something, and has printed what.
      const said = printedBy(error)
      if (said !== undefined) return diagnosisOf(said)
      if (attempt === ATTEMPTS) throw error
    }
  }
}

function printedBy(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('stdout' in error) || typeof error.stdout !== 'string') return undefined
  try {
    return JSON.parse(error.stdout)
  } catch {
    return undefined
  }
}

function diagnosisOf(said: unknown): Diagnosis {
  const all: { tables?: unknown; rules?: unknown; answers?: unknown; problems?: unknown } =
    typeof said === 'object' && said !== null ? said : {}
  if (!Array.isArray(all.problems)) throw new Error(`the doctor said something else: ${JSON.stringify(said)}`)
  return {
    tables: Number(all.tables),
    rules: Number(all.rules),
    answers: Number(all.answers),
    problems: all.problems.map((problem) => JSON.stringify(problem)),
  }
}
