import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { agentKey } from '../../domain/directory/agent-url.ts'
import { publisherDomain } from '../../domain/directory/publisher-domain.ts'
import { RegistryRefusal } from './refusal.ts'

/** Arguments of an operation; its schema has accepted them. */
export type Arguments = Readonly<Record<string, unknown>>

export function textOf(args: Arguments, name: string): string {
  return optionalText(args, name) ?? ''
}

export function optionalText(args: Arguments, name: string): string | undefined {
  const value = args[name]
  return typeof value === 'string' ? value : undefined
}

export function numberOf(args: Arguments, name: string): number {
  return Number(args[name])
}

export function isTrue(args: Arguments, name: string): boolean {
  return args[name] === true
}

/** The canonical domain of an argument. Throws a refusal naming it. */
export function domainOf(args: Arguments, name: string): string {
  return requireDomain(args[name], name)
}

export function requireDomain(value: unknown, name: string): string {
  const domain = publisherDomain(value)
  if (domain === undefined) throw new RegistryRefusal(400, `invalid_${name}`, `${name} is not a domain`)
  return domain
}

/** The canonical agent URL of an argument. Throws a refusal naming it. */
export function agentOf(args: Arguments, name: string): string {
  const agent = agentKey(textOf(args, name))
  if (agent === undefined) throw new RegistryRefusal(400, `invalid_${name}`, `${name} must be an absolute http(s) URL`)
  return agent
}

/** The keyset position behind the cursor of a page, in its parts. Throws a refusal for a cursor of another question. */
export function positionIn(args: Arguments, query: readonly unknown[]): readonly string[] {
  try {
    // Official readers that begin anew send an empty cursor.
    return decodeCursor(query, optionalText(args, 'cursor') || undefined)?.split(' ') ?? []
  } catch {
    throw new RegistryRefusal(400, 'invalid_cursor', 'the cursor does not belong to this question; start again without it')
  }
}

/** A cursor that goes on behind a position. */
export function cursorAt(query: readonly unknown[], ...position: readonly string[]): string {
  return encodeCursor(query, position.join(' '))
}
