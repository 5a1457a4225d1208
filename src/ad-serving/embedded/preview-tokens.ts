import { createSealedValues, type SealingKeys } from './sealed-values.ts'

/** A creative of the library that a link shows on a page of the publisher, whatever its status is. */
export interface PreviewLink {
  readonly tenantId: string
  readonly principalId: string
  /** '' for a creative of every account of the agent. */
  readonly accountId: string
  readonly creativeId: string
  /** The one place that shows it; absent: every place that it fits. */
  readonly place?: string
  /** Milliseconds. */
  readonly expiresAt: number
}

export interface PreviewTokens {
  sign(link: PreviewLink): string
  /** Undefined for what this deployment did not seal; one that has expired is given too. */
  read(token: string): PreviewLink | undefined
}

/** Prefix of the tokens of previews: their events are not counted. */
const PREFIX = 'preview.'

/** Whether a token is one of a preview, or pretends to be. */
export function isPreviewToken(token: string): boolean {
  return token.startsWith(PREFIX)
}

/** Makes links to previews. */
export function createPreviewTokens(key: SealingKeys): PreviewTokens {
  const values = createSealedValues(key)
  return {
    sign: ({ tenantId, principalId, accountId, creativeId, place, expiresAt }) =>
      PREFIX + values.seal([tenantId, principalId, accountId, creativeId, place ?? null, expiresAt]),
    read: (token) => (isPreviewToken(token) ? linkOf(values.read(token.slice(PREFIX.length))) : undefined),
  }
}

function linkOf(parts: unknown): PreviewLink | undefined {
  if (!Array.isArray(parts)) return undefined
  const [tenantId, principalId, accountId, creativeId, place, expiresAt]: readonly unknown[] = parts
  if (
    typeof tenantId !== 'string' ||
    typeof principalId !== 'string' ||
    typeof accountId !== 'string' ||
    typeof creativeId !== 'string' ||
    typeof expiresAt !== 'number'
  )
    return undefined
  return { tenantId, principalId, accountId, creativeId, ...(typeof place === 'string' && { place }), expiresAt }
}
