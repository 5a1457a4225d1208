import { AdcpError } from '../protocol/errors.ts'
import { string } from './shape.ts'

/** What an act on several things could not be done to, beside the id of each. */
export const REFUSED = 'those that it could not be done to, which stay as they are'
export const refusal = { code: string, message: string }

interface RefusedOne {
  readonly id: string
  readonly code: string
  readonly message: string
}

/**
 * Does one thing after another, each id once: what is refused stays as it is, is named with the reason, and the next one is done. Throws what is no
 * refusal.
 */
export async function oneByOne<T>(
  ids: readonly string[],
  run: (id: string) => Promise<T>,
): Promise<{ readonly done: T[]; readonly refused: RefusedOne[] }> {
  const done: T[] = []
  const refused: RefusedOne[] = []
  for (const id of new Set(ids)) {
    try {
      done.push(await run(id))
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      refused.push({ id, code: error.code, message: error.message })
    }
  }
  return { done, refused }
}

/** The refused ones for the command line. */
export function refusedLines(refused: readonly RefusedOne[]): readonly string[] {
  return refused.map(({ id, message }) => `${id} stays as it is: ${message}`)
}
