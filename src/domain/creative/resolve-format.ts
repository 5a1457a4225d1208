import { instead, type NameSearch } from '../../protocol/nearest-name.ts'
import type { CatalogFormat, Format } from './formats/format.ts'
import { canonicalAgentUrl, type FormatKey, sameFormat } from './formats/format-id.ts'
import { ownReference } from './formats/official-formats.ts'

export interface FormatScope {
  /** Formats of this agent, as the caller sees them. */
  readonly formats: readonly CatalogFormat[]
  /** Formats that products name, those of other agents among them. */
  readonly sold: readonly FormatKey[]
  readonly agentUrl: string
  /** Whether any agent may be named as the owner of a format, which is looked up by its id alone then: see `Principal.conformance`. */
  readonly conformance: boolean
  /** Looks for formats that were meant, for all references of a call together. */
  readonly names: NameSearch
}

/**
 * The result of a format reference: a format with slots to check against, one that is taken without (another agent's, or
 * made up for the official suite), or none.
 */
export type ResolvedFormat =
  | { readonly kind: 'known'; readonly format: CatalogFormat }
  | { readonly kind: 'opaque' }
  /** `hint` ends a sentence about it: the format that was most likely meant, or where they are listed. */
  | { readonly kind: 'unknown'; readonly hint?: string }

/** Where formats are looked up; nothing is suggested for one that is not there. */
type Known = Omit<FormatScope, 'names'>

/** The format that a reference names, when its slots are known here. */
export function knownFormat(wanted: FormatKey, scope: Known): Format | undefined {
  const found = foundFormat(ownReference(wanted, scope.agentUrl), scope)
  return found?.kind === 'known' ? found.format.format : undefined
}

/** Resolves a format reference. An opaque format cannot be checked here, so its caller leaves that to a person. */
export function resolveFormat(sent: FormatKey, scope: FormatScope): ResolvedFormat {
  const wanted = ownReference(sent, scope.agentUrl)
  const found = foundFormat(wanted, scope)
  if (found) return found
  const known = scope.formats.map(({ format }) => format.format_id.id)
  const isForeign = !isOwn(wanted, scope) && known.includes(wanted.id)
  const hint = isForeign
    ? `; its agent_url here is ${scope.agentUrl}`
    : instead(wanted.id, known, 'list_creative_formats lists them', scope.names)
  return { kind: 'unknown', hint }
}

function foundFormat(wanted: FormatKey, scope: Known): Exclude<ResolvedFormat, { readonly kind: 'unknown' }> | undefined {
  const isAnyones = scope.conformance && !isOwn(wanted, scope)
  const named = isAnyones ? { ...wanted, agent_url: scope.agentUrl } : wanted
  const format = scope.formats.find((candidate) => sameFormat(named, candidate.format.format_id))
  if (format) return format.format.assets ? { kind: 'known', format } : { kind: 'opaque' }
  return isAnyones || scope.sold.some((sold) => sameFormat(wanted, sold)) ? { kind: 'opaque' } : undefined
}

function isOwn({ agent_url: owner }: FormatKey, { agentUrl }: Known): boolean {
  return canonicalAgentUrl(owner) === canonicalAgentUrl(agentUrl)
}

/**
 * A test whether references name a format that is known here, as `resolveFormat` finds it. The known formats are put in order once, since a request
 * may hold thousands of references.
 */
export function knownFormats({ formats, sold, agentUrl, conformance }: Known): (sent: FormatKey) => boolean {
  const own = new Set(formats.map(({ format }) => format.format_id.id))
  const keyOf = ({ agent_url, id }: FormatKey) => JSON.stringify([canonicalAgentUrl(agent_url), id])
  const others = new Set(sold.map(keyOf))
  const home = canonicalAgentUrl(agentUrl)
  return (sent) => {
    const wanted = ownReference(sent, agentUrl)
    const isOwn = canonicalAgentUrl(wanted.agent_url) === home
    return (isOwn && own.has(wanted.id)) || (conformance && !isOwn) || others.has(keyOf(wanted))
  }
}

/** Whether a creative of a format goes with a package that takes `formats`; one that names none takes all. */
export function takesFormat(
  formats: readonly FormatKey[],
  format: FormatKey,
  { agentUrl, conformance }: Pick<FormatScope, 'agentUrl' | 'conformance'>,
): boolean {
  const named = conformance ? { ...format, agent_url: agentUrl } : ownReference(format, agentUrl)
  return formats.length === 0 || formats.some((own) => sameFormat(named, own) || sameFormat(format, own))
}
