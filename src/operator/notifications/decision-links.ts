import { createSealedValues, type SealingKeys } from '../../ad-serving/embedded/sealed-values.ts'

/** A page of the console that a message leads to, until a moment. */
export interface DecisionLink {
  /** Below the console, with a leading slash: `/t/acme/inbox`. */
  readonly path: string
  /** Milliseconds. */
  readonly expiresAt: number
}

export interface DecisionLinks {
  /** The path, below the console, that a message has in place of that of the page. */
  pathOf(link: DecisionLink): string
  /** Undefined for what this deployment did not make; a link that has expired is given too. */
  read(token: string): DecisionLink | undefined
}

/** Path of the links below the console. */
export const OPEN_PATH = '/open'

/** Makes links to pages where decisions are made. They open a page for somebody who is signed in and has a role there; they are no permission. */
export function createDecisionLinks(keys: SealingKeys): DecisionLinks {
  const values = createSealedValues(keys)
  return {
    pathOf: ({ path, expiresAt }) => `${OPEN_PATH}/${values.seal([path, expiresAt])}`,
    // A dot is in values of an older form alone, which these links never had.
    read: (token) => (token.includes('.') ? undefined : linkOf(values.read(token))),
  }
}

function linkOf(parts: unknown): DecisionLink | undefined {
  if (!Array.isArray(parts)) return undefined
  const [path, expiresAt]: readonly unknown[] = parts
  return typeof path === 'string' && typeof expiresAt === 'number' ? { path, expiresAt } : undefined
}
