import { type AdagentsFile, type InlineFile, parseAdagents } from '../../../src/domain/directory/adagents-file.ts'
import { fanOutClaims, ownClaims } from '../../../src/domain/directory/claim.ts'
import { indexFile } from '../../../src/domain/directory/resolve.ts'
import { atOnce } from '../../../src/platform/concurrency/steps.ts'

export const AGENT = 'https://agent.example'
export const NOW = Date.parse('2026-03-01T00:00:00Z')

export const property = (fields: object = {}): object => ({
  property_type: 'website',
  name: 'Home',
  identifiers: [{ type: 'domain', value: 'pub.example' }],
  ...fields,
})

export const entry = (fields: object): object => ({ url: AGENT, authorized_for: 'everything', ...fields })

export function parse(document: unknown): AdagentsFile {
  const parsed = parseAdagents(document)
  if ('reason' in parsed) throw new Error(parsed.reason)
  return parsed.file
}

export function inline(document: object): InlineFile {
  const file = parse({ $schema: 'https://adcontextprotocol.org/schemas/v3/adagents.json', ...document })
  if (file.kind !== 'inline') throw new Error('a pointer')
  return file
}

/** `agent → [ids, total, pinned]` of a publisher's own file. */
export function direct(document: object, publisher = 'pub.example', now = NOW): Record<string, unknown> {
  const claims = atOnce(ownClaims(indexFile(inline(document)), { publisher, method: 'direct', manager: null }, now))
  return Object.fromEntries(claims.map((claim) => [claim.agent, [claim.propertyIds, claim.total, claim.pinned]]))
}

/** `publisher → [ids, total]` that a manager's file gives the agent. */
export function fanOut(document: object, host = 'manager.example', now = NOW): Record<string, unknown> {
  const claims = atOnce(fanOutClaims(indexFile(inline(document)), host, now)).filter((claim) => claim.agent === AGENT)
  return Object.fromEntries(claims.map((claim) => [claim.publisher, [claim.propertyIds, claim.total]]))
}

/** `agent → ids` that a publisher gets from a manager's file found through ads.txt. */
export function throughAdsTxt(document: object, publisher = 'pub.example'): Record<string, unknown> {
  const route = { publisher, method: 'ads_txt_managerdomain', manager: 'manager.example' } as const
  return Object.fromEntries(
    atOnce(ownClaims(indexFile(inline(document)), route, NOW)).map((claim) => [claim.agent, claim.propertyIds]),
  )
}
